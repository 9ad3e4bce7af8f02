// The editor of a game file: what follows from the text is asked for at every key, and the text stays in this browser.
"use strict";
const edit = $("#edit"), game = $("#game"), MOST_PLAYED = 5;
let asked_at = 0, check_timer = null;

// --- what the browser keeps: the text that is being written, and those that were played, with their comments -----------------

const kept = {
  read(key) { try { return JSON.parse(localStorage.getItem(key) || "null"); } catch { return null; } },
  write(key, value) { try { localStorage.setItem(key, JSON.stringify(value)); return true; } catch { return false; } },
};

function draft_of() {
  const pairs = [...new FormData(edit)].filter(([name, value]) => name !== "game" && value !== "");
  return { text: game.value, pairs, when: Date.now(), digest: edit.dataset.digest };
}

function clock(when) {
  return new Date(when).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
}

function save() {
  const before = kept.read("draft"), draft = draft_of();
  // A text that another one replaces can still be opened.
  if (before && !edit.dataset.owned && before.text !== game.defaultValue && before.text !== draft.text) kept.write("earlier", before);
  edit.dataset.owned = "1";
  say_saved(kept.write("draft", draft) ? `Saved in this browser, ${clock(draft.when)}` : "This browser keeps nothing: download the file");
  if (location.pathname !== "/own" || location.search || location.hash) history.replaceState(null, "", "/own");
}

function say_saved(text) {
  const earlier = kept.read("earlier"), open = document.createElement("button");
  $("#saved").textContent = text;
  if (!earlier || earlier.text === game.value) return;
  open.className = "small";
  open.textContent = `Open the text of ${clock(earlier.when)}`;
  open.addEventListener("click", () => { kept.write("earlier", draft_of()); take(earlier); });
  $("#saved").append(" ", open);
}

// --- the text ---------------------------------------------------------------------------------------------------------

// Put another text in place by changing only what differs, so that undoing still works.
function put(text) {
  const old = game.value;
  let from = 0, ends = 0;
  while (from < old.length && old[from] === text[from]) from++;
  while (ends < Math.min(old.length, text.length) - from && old[old.length - 1 - ends] === text[text.length - 1 - ends]) ends++;
  game.focus();
  game.setSelectionRange(from, old.length - ends);
  const piece = text.slice(from, text.length - ends);
  if (old !== text && !document.execCommand(piece ? "insertText" : "delete", false, piece)) game.value = text;
  number_lines();
}

function take(draft) {
  game.value = draft.text;
  number_lines();
  check(draft.pairs);
}

function number_lines() {
  const lines = $(".lines");
  game.rows = game.value.split("\n").length + 1;
  while (lines.children.length < game.rows - 1) lines.append(document.createElement("li"));
  while (lines.children.length > game.rows - 1) lines.lastChild.remove();
}

function go_to(line, word = "") {
  const lines = game.value.split("\n"), start = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
  const found = word ? new RegExp(`(?<![\\w-])${word}(?![\\w-])`).exec(lines[line - 1]) : null;
  const from = start + (found ? found.index : 0);
  game.focus({ preventScroll: true });
  game.setSelectionRange(from, found ? from + word.length : start + lines[line - 1].length);
  $(".sheet").scrollTop = Math.max(0, 20 * (line - 4));
  $(".sheet").scrollIntoView({ block: "nearest" });
  return Boolean(found);
}

// --- asking -----------------------------------------------------------------------------------------------------------

function check_soon() {
  asked_at++; // a reply to what was there before comes too late
  clearTimeout(check_timer);
  check_timer = setTimeout(check, 3 * WAIT);
}

async function check(pairs = null, doing = "check") {
  clearTimeout(check_timer);
  const mine = ++asked_at, body = new FormData(edit);
  for (const [name, value] of pairs || []) body.set(name, value);
  try {
    const reply = await fetch_again(`/own?do=${doing}&part=1`, undefined, { method: "POST", body });
    const box = document.createElement("template");
    box.innerHTML = await reply.text();
    if (mine === asked_at) show_checked(box.content, doing);
  } catch {
    if (mine === asked_at) { $("#remarks").textContent = "No connection; trying again."; check_timer = setTimeout(check, 2000); }
  }
}

function show_checked(parts, doing) {
  const part = (name) => $(`[data-part="${name}"]`, parts), refused = part("refused"), focused = document.activeElement?.id;
  $("#complaint").replaceChildren(...(refused ? refused.childNodes : []));
  if (refused) {
    check_timer = again_when_compiled(check);
    return;
  }
  if (doing !== "check") put(part("text").value);
  edit.dataset.digest = part("name").dataset.digest;
  for (const name of ["name", "lines", "remarks", "units", "answer", "tabs"]) if (part(name)) $(`.editor [data-part="${name}"], .crumb [data-part="${name}"]`).replaceWith(part(name));
  // The fields of the test battle stay as they are while its units do.
  const army = part("army"), shown = $('.editor [data-part="army"]');
  if (army && army.dataset.shape !== shown.dataset.shape) shown.replaceWith(army);
  const wrong = $("#remarks .complaint"), first = wrong && $("a", wrong).dataset.line;
  $(".follows").classList.toggle("kept", Boolean(wrong));
  $("#stale").hidden = !wrong;
  $("#stale").textContent = wrong ? `As it was before the mistake in line ${first}.` : "";
  game.setAttribute("aria-invalid", Boolean(wrong));
  document.title = `${$("h1").textContent}: battle-odds`;
  number_lines();
  if (focused && focused !== document.activeElement?.id) document.getElementById(focused)?.focus();
  save();
}

// --- a link with the whole text: behind the #, which browsers send to no server -----------------------------------------------------

async function packed(text, stream) {
  const bytes = await new Response(new Blob([text]).stream().pipeThrough(stream)).arrayBuffer();
  return new Uint8Array(bytes);
}

async function share_text(button) {
  const bytes = await packed(game.value, new CompressionStream("deflate-raw"));
  const link = `${location.origin}/own#text=${btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "")}`;
  try {
    if (navigator.share) await navigator.share({ title: document.title, url: link });
    else await navigator.clipboard.writeText(link);
    if (!navigator.share) button.textContent = "Link copied";
  } catch { say_saved(link); }
}

async function linked_text() {
  const given = location.hash.match(/^#text=([\w-]+)$/);
  if (!given) return null;
  const letters = atob(given[1].replace(/-/g, "+").replace(/_/g, "/"));
  try {
    return new TextDecoder().decode(await packed(Uint8Array.from(letters, (one) => one.charCodeAt(0)), new DecompressionStream("deflate-raw")));
  } catch {
    return null;
  }
}

// --- listening --------------------------------------------------------------------------------------------------------

async function begin() {
  const draft = kept.read("draft"), text = await linked_text();
  if (text !== null) return take({ text, pairs: [] });
  const commented = [draft, ...(kept.read("played") || [])].find((one) => one && one.digest === edit.dataset.digest);
  // A played game comes back without its comments: this browser has them.
  if ("sent" in edit.dataset && !new URLSearchParams(location.search).has("start")) {
    if (commented && commented.text !== game.value) take({ text: commented.text, pairs: [] });
    else check();
  } else if (!("sent" in edit.dataset) && draft) {
    edit.dataset.owned = "1";
    take(draft);
  } else if (draft && draft.text !== game.value) {
    kept.write("earlier", draft);
    say_saved("");
  } else if ($(".imports.complaint")) check();
}

game.addEventListener("input", () => { number_lines(); check_soon(); });
document.addEventListener("input", (event) => {
  const input = event.target;
  if (input === game || input.form !== edit) return;
  if (input.type === "number" && /^0\d/.test(input.value)) input.value = Number(input.value);
  input.closest(".step")?.classList.toggle("zero", !Number(input.value));
  check_soon();
});
$(".follows").addEventListener("pointerdown", press);
for (const one of ["pointerup", "pointercancel", "pointerleave"]) document.addEventListener(one, () => { clearTimeout(pressed); clearInterval(pressed); });
document.addEventListener("focusin", (event) => { if (event.target.type === "number") event.target.select(); });
document.addEventListener("wheel", (event) => { if (event.target.type === "number") event.target.blur(); }, { passive: true });
document.addEventListener("click", (event) => {
  const goes = event.target.closest("a[data-line]"), button = event.target.closest("button");
  if (goes) { event.preventDefault(); go_to(Number(goes.dataset.line)); }
  if (!button) return;
  if (button.matches(".change") && go_to(Number(button.dataset.line), button.dataset.from)) document.execCommand("insertText", false, button.dataset.to);
  if (button.dataset.insert) { event.preventDefault(); check(null, button.dataset.insert); }
  if (button.name === "tab") { event.preventDefault(); edit.elements.namedItem("tab")[0].value = button.value; check(); }
  if (button.id === "link") share_text(button);
  if (button.dataset.set) {
    const [path, number] = button.dataset.set.split("="), input = edit.elements.namedItem(path);
    input.value = number;
    input.dispatchEvent(new Event("input", { bubbles: true }));
  }
});
edit.addEventListener("submit", (event) => {
  if (event.submitter?.id !== "play") return;
  const played = kept.read("played") || [], draft = draft_of();
  kept.write("played", [draft, ...played.filter((one) => one.digest !== draft.digest)].slice(0, MOST_PLAYED));
});
$("#file").addEventListener("change", async (event) => take({ text: await event.target.files[0].text(), pairs: [] }));
begin();
