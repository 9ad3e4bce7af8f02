-- Tabletop Simulator: put this into the script of a table. A player writes "!odds risk land 20 v 15" into the chat,
-- and everybody reads the answer.
SERVER = "http://localhost:8000"
HELP = "Write !odds GAME KIND ARMIES, for example !odds risk land 20 v 15"

local function encoded(text)
  return (text:gsub("[^%w%-%._~]", function(sign) return string.format("%%%02X", string.byte(sign)) end))
end

-- The address of a question, or nil where a part of it is missing.
function asked(message)
  local game, kind, armies = message:match("^!odds%s+(%S+)%s+(%S+)%s+(.+)$")
  if not game then return nil end
  local query = "game=" .. encoded(game) .. "&battle=" .. encoded(kind) .. "&text=" .. encoded(armies)
  return SERVER .. "/api/v1/odds?" .. query .. "&with.table=0"
end

-- The line for the chat: the answer in a sentence, or what is wrong.
function line_of(request)
  if request.is_error then return "The server does not answer." end
  local reply = JSON.decode(request.text)
  if reply.error then return reply.error end
  return reply.text .. " (" .. reply.how .. ")"
end

function onChat(message, player)
  if message:sub(1, 5) ~= "!odds" then return true end
  local address = asked(message)
  if not address then
    printToColor(HELP, player.color)
    return false
  end
  WebRequest.get(address, function(request) printToAll(line_of(request)) end)
  return false
end
