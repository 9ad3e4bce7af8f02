// The page works without this script; with it the answer follows the typing. No libraries, no external resources.
"use strict";
document.documentElement.classList.add("scripted");

const WAIT = 80; // milliseconds from the last key to the request
const MOST_PINS = 6;
const $ = (selector, within = document) => within.querySelector(selector);
const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];
const form = $("#scenario"), answer = $("#answer"), complaint = $("#complaint");

let latest = 0; // the number of the latest request; answers to older ones are dropped
let pending = null, events = null, timer = null, tool = "outcome";

function readable(pairs) {
  const soft = (text) => encodeURIComponent(text).replace(/%20/g, "+").replace(/%2C/g, ",").replace(/%3A/g, ":").replace(/%2F/g, "/");
  return pairs.map(([key, value]) => `${encodeURIComponent(key)}=${soft(value)}`).join("&");
}

function scenario_pairs() {
  return [...new FormData(form)].filter(([key, value]) => !key.startsWith("with.") && value.trim() !== "");
}

async function fetch_again(url, signal, options = {}) {
  for (let tries = 0; ; tries++) {
    const reply = await fetch(url, { signal, ...options });
    if (reply.status !== 503 || tries === 5) return reply;
    await new Promise((done) => setTimeout(done, 400 * (tries + 1)));
  }
}

// --- the answer ----------------------------------------------------------------------------------------------------

function answer_soon() {
  clearTimeout(timer);
  timer = setTimeout(request_answer, WAIT);
}

async function request_answer() {
  clearTimeout(timer);
  end_stream();
  if (pending) pending.abort();
  const mine = ++latest;
  pending = new AbortController();
  answer.setAttribute("aria-busy", "true");
  if (tool !== "outcome") panel.classList.add("stale");
  const pairs = scenario_pairs(), column = $("#column");
  const chosen = column ? [["with.column", column.value]] : [];
  try {
    const reply = await fetch_again(`${form.dataset.here}/answer?${readable([...pairs, ...chosen, ["with.live", "1"]])}`, pending.signal);
    const text = await reply.text();
    if (mine !== latest) return;
    if (reply.ok) show(text, pairs);
    else refuse(text);
  } catch (error) {
    if (error.name !== "AbortError" && mine === latest) complain("The server does not answer.");
  }
}

function show(html, pairs) {
  const open = new Map($$("details[data-name]", answer).map((one) => [one.dataset.name, one.open]));
  const scrolled = new Map($$("details[data-name] .scroll", answer).map((one) => [one.closest("details").dataset.name, one.scrollTop]));
  const focused = answer.contains(document.activeElement) ? document.activeElement.id : "";
  const box = document.createElement("template");
  box.innerHTML = html;
  for (const part of box.content.querySelectorAll("[data-part]")) {
    const name = part.dataset.part;
    if (name === "totals") fill_totals(part);
    else $(`[data-part="${name}"]`).replaceWith(part);
  }
  for (const one of $$("details[data-name]", answer)) {
    if (open.has(one.dataset.name)) one.open = open.get(one.dataset.name);
    const part = $(".scroll", one);
    if (part && scrolled.has(one.dataset.name)) part.scrollTop = scrolled.get(one.dataset.name);
  }
  if (focused) document.getElementById(focused)?.focus();
  answer.setAttribute("aria-busy", "false");
  complain("");
  const shown = $(".answer");
  if (!shown) return;
  history.replaceState(null, "", shown.dataset.address);
  after_answer();
  if (shown.dataset.exact === "no" && pairs) complete(pairs);
}

// The first answer may be a quick simulation: ask for the whole one, and refine that if it is not exact either.
async function complete(pairs) {
  const mine = latest;
  pending = new AbortController();
  try {
    const reply = await fetch_again(`${form.dataset.here}/answer?${readable(pairs)}`, pending.signal);
    const text = await reply.text();
    if (mine !== latest || !reply.ok) return;
    show(text, null);
    if ($(".answer").dataset.exact === "no") refine(pairs);
  } catch { /* a later request has taken its place */ }
}

function after_answer() {
  const shown = $(".answer[data-address]");
  if (!shown) return;
  show_buttons();
  $(`[data-part="outcome"]`).hidden = tool !== "outcome";
  $("#pin").href = `/compare?with.s=${encodeURIComponent(shown.dataset.address)}`;
  for (const [id, name] of [["swap", "swapped"], ["clear", "empty"]]) if ($(`#${id}`)) $(`#${id}`).href = shown.dataset[name];
  const bar = $(".hero .bar");
  if (bar) recent.add({ address: shown.dataset.address, text: shown.dataset.text, bar: [...bar.children].map((one) => [one.getAttribute("class"), one.getAttribute("x"), one.getAttribute("width")]) });
  if (tool !== "outcome") ask_tool();
}

function fill_totals(part) {
  const row = $("#totals");
  if (row) row.replaceChildren(row.firstElementChild, ...part.children);
}

function refuse(html) {
  const box = document.createElement("div");
  box.innerHTML = html;
  const line = $(".complaint", box);
  complain(line ? line.firstChild.data.trim() : box.textContent, line ? line.dataset.field : "");
  const half = line && $("a", line);
  if (half) complaint.append(" ", half);
}

function complain(text, field = "") {
  complaint.textContent = text;
  complaint.hidden = !text;
  mark(field, text);
}

function mark(field, text) {
  for (const one of $$(".bad")) {
    one.classList.remove("bad");
    $$("[aria-invalid]", one).forEach((input) => input.removeAttribute("aria-invalid"));
    $(".wrong", one)?.remove();
  }
  const place = field && document.querySelector(`.field[data-key="${CSS.escape(field)}"]`);
  if (!place) return;
  place.classList.add("bad");
  $$("input, select, textarea", place).forEach((input) => input.setAttribute("aria-invalid", "true"));
  const note = document.createElement("span");
  note.className = "wrong";
  note.textContent = text.slice(text.indexOf(":") + 1).trim();
  place.append(note);
  for (let fold = place.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
}

// --- a simulation that refines its answer ----------------------------------------------------------------------------------

function refine(pairs, exact = "no") {
  end_stream();
  const mine = latest, column = $("#column");
  const chosen = column ? [["with.column", column.value]] : [];
  events = new EventSource(`${form.dataset.here}/stream?${readable([...pairs, ...chosen, ["with.exact", exact]])}`);
  $("#running").hidden = false;
  $("#progress").textContent = "simulating";
  events.onmessage = (message) => {
    if (mine !== latest) return end_stream();
    const state = JSON.parse(message.data);
    if (state.ended === "refused") refuse(state.html);
    else {
      show(state.html, null);
      $("#progress").textContent = `${state.battles.toLocaleString("en")} battles`;
    }
    if (state.ended) end_stream();
  };
  events.onerror = () => end_stream();
}

function end_stream() {
  if (events) events.close();
  events = null;
  const line = $("#running");
  if (line) line.hidden = true;
}

// --- the buttons of the answer ----------------------------------------------------------------------------------

function show_buttons() {
  $$("button.copy, #roll").forEach((one) => (one.hidden = false));
}

async function copy(button) {
  const text = document.getElementById(button.dataset.copy);
  try {
    await navigator.clipboard.writeText(text.value);
  } catch {
    text.select();
    document.execCommand("copy");
  }
  button.textContent = "copied";
  setTimeout(() => (button.textContent = "copy"), 1500);
}

// --- the form ------------------------------------------------------------------------------------------------------

async function change_form(button, focus = "") {
  const named = form.elements.namedItem("with.named"), name = named ? [["with.named", named.value]] : [];
  const pairs = [...scenario_pairs(), ...name, [button.name, button.value]];
  const reply = await fetch_again(`${form.dataset.here}/form?${readable(pairs)}`);
  if (!reply.ok) return refuse(await reply.text());
  const open = $$("details", form).map((one) => one.open);
  $("#fields").innerHTML = await reply.text();
  $$("details", form).forEach((one, place) => { if (open[place]) one.open = true; });
  if (button.name === "with.move") {
    const card = $$(".fight", form)[button.value.split("=")[1]], same = button.textContent && $$("[name='with.move']:enabled", card).find((one) => one.textContent === button.textContent);
    (same || $("[name='with.move']:enabled", card))?.focus();
    return answer_soon();
  }
  if (focus) {
    $(`[name="${CSS.escape(focus)}"]`, form)?.focus();
    return answer_soon();
  }
  const key = button.value.replace(/(\+|=\?)$/, "");
  const places = $$(`[data-key="${CSS.escape(key)}"], [data-key^="${CSS.escape(key)}."]`, form);
  const inputs = places.flatMap((one) => $$("input:not([type=hidden]), select, textarea", one));
  const target = button.value.endsWith("+") ? inputs[inputs.length - 1] : inputs[0];
  (target || $("button", form)).focus();
  answer_soon();
}

async function suggest(input) {
  const game = form.dataset.here.split("/")[1], typed = input.value;
  const reply = await fetch_again(`/api/names/${encodeURIComponent(game)}/${encodeURIComponent(input.dataset.names)}?q=${encodeURIComponent(typed)}`);
  if (!reply.ok || input.value !== typed) return;  // replies may come in another order than they were asked for
  const rows = await reply.json();
  input.list.replaceChildren(...rows.map((row) => {
    const [name, ...rest] = Object.values(row);
    const option = document.createElement("option");
    option.value = name;
    option.label = [name, ...rest.filter((one) => one !== "" && one !== null).slice(0, 6)].join(" · ");
    return option;
  }));
}

// --- steppers: buttons, long press; the wheel never changes a number ----------------------------------------------------

let pressed = null;

function step(button) {
  const input = $("input", button.parentElement), before = input.value;
  if (!input.value) input.value = Number.isFinite(parseFloat(input.placeholder)) ? input.placeholder : "0";
  if (button.dataset.by > 0) input.stepUp();
  else input.stepDown();
  if (input.value !== before) input.dispatchEvent(new Event("input", { bubbles: true }));
}

function press(event) {
  const button = event.target.closest?.(".by");
  if (!button || event.button) return;
  event.preventDefault();
  step(button);
  pressed = setTimeout(() => (pressed = setInterval(() => step(button), 70)), 450);
}

function set_fields(text) {
  for (const [name, value] of new URLSearchParams(text)) {
    const input = form.elements.namedItem(name);
    if (!input) return false;
    (input.length && !input.options ? input[0] : input).value = value;
  }
  answer_soon();
  return true;
}

function swap_places(one, other) {
  if (!one || !other || one === other) return;
  const [first, second] = [$("input, select", one), $("input, select", other)];
  [first.value, second.value] = [second.value, first.value];
  answer_soon();
}

// --- the tools: tabs that follow the form ----------------------------------------------------------------------------------

const panel = $("#panel");
let asking = null;

function open_tool(name) {
  tool = name;
  for (const one of $$(".tabs a")) one.dataset.tool === name ? one.setAttribute("aria-current", "true") : one.removeAttribute("aria-current");
  $(`[data-part="outcome"]`).hidden = name !== "outcome";
  panel.hidden = name === "outcome";
  if (name === "outcome") return;
  panel.replaceChildren();
  ask_tool();
}

async function ask_tool() {
  if (asking) asking.abort();
  const mine = (asking = new AbortController()), ask = $("form", panel), focused = panel.contains(document.activeElement) ? document.activeElement.id : "";
  const own = ask ? [...new FormData(ask)].filter(([key]) => key.startsWith("with.")) : [];
  const open = $$("details[open] > summary", panel).map((one) => one.textContent);
  panel.setAttribute("aria-busy", "true");
  if (panel.childElementCount) panel.classList.add("stale");
  else panel.textContent = "computing …";
  try {
    const reply = await fetch_again(`${form.dataset.here}/${tool}?${readable([...scenario_pairs(), ...own, ["with.part", "1"]])}`, mine.signal);
    const text = await reply.text();
    if (mine !== asking) return;
    if (reply.ok || !ask) panel.innerHTML = text;
    else {
      $$(".complaint", panel).forEach((one) => one.remove());
      ask.insertAdjacentHTML("afterend", text);
    }
    $$("details > summary", panel).forEach((one) => { if (open.includes(one.textContent)) one.parentElement.open = true; });
    if (focused) document.getElementById(focused)?.focus();
  } catch (error) {
    if (error.name === "AbortError") return;
    panel.textContent = "The server does not answer.";
  }
  panel.classList.remove("stale");
  panel.setAttribute("aria-busy", "false");
}

// --- the picture: dragging over the bars adds their chances up ---------------------------------------------------------------

let from = null;

function drag(event) {
  const column = document.elementFromPoint(event.clientX, event.clientY)?.closest(".column");
  if (!column) return;
  const all = $$(".column", column.parentElement), at = all.indexOf(column);
  if (event.type === "pointerdown") from = at;
  if (from === null) return;
  const [low, high] = [Math.min(from, at), Math.max(from, at)], chosen = all.slice(low, high + 1);
  all.forEach((one, place) => one.classList.toggle("off", place < low || place > high));
  const sum = chosen.reduce((total, one) => total + Number(one.dataset.p), 0);
  const name = (one) => `${one.dataset.side} ${one.dataset.name}`;
  $("#added").textContent = `${name(chosen[0])}${chosen.length > 1 ? ` to ${name(chosen.at(-1))}` : ""}: ${(100 * sum).toFixed(1)} %`;
}

// --- searching, recent battles --------------------------------------------------------------------------------------------------

const find = $("#find"), found = $("#found");
let games = null;

async function search() {
  games ??= fetch_again("/api/games").then((reply) => reply.json());
  const words = find.value.toLowerCase().split(/\s+/).filter(Boolean), rows = [];
  for (const one of await games) {
    const title = `${one.name}: ${one.battle.replaceAll("-", " ")}`;
    rows.push([title, one.title, one.address], ...one.examples.map((each) => [each.title, title, each.address]));
  }
  const hits = rows.filter(([title, about]) => words.every((word) => `${title} ${about}`.toLowerCase().includes(word))).slice(0, 12);
  found.hidden = !words.length || document.activeElement !== find;
  found.replaceChildren(...hits.map(([title, about, address]) => {
    const item = document.createElement("li"), link = document.createElement("a"), small = document.createElement("small");
    link.href = address;
    small.textContent = about;
    link.append(title, small);
    item.append(link);
    return item;
  }));
}

function move_in_search(event) {
  const links = $$("a", found), at = links.indexOf(document.activeElement);
  if (event.key === "Escape") { found.hidden = true; find.focus(); }
  if (event.key === "Enter" && at < 0 && links.length && !found.hidden) { event.preventDefault(); links[0].click(); }
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  event.preventDefault();
  (links[at + (event.key === "ArrowDown" ? 1 : -1)] || find).focus();
}

const recent = {
  read() { try { return JSON.parse(localStorage.getItem("recent") || "[]"); } catch { return []; } },
  add(one) {
    const game = (address) => address.split("?")[0];
    try { localStorage.setItem("recent", JSON.stringify([one, ...recent.read().filter((old) => game(old.address) !== game(one.address))].slice(0, 8))); } catch { /* a private window keeps nothing */ }
  },
  show() {
    const box = $("#recent"), all = recent.read();
    if (!box) return;
    box.hidden = !all.length;
    $("ul", box).replaceChildren(...all.map((one) => {
      const item = document.createElement("li"), link = document.createElement("a"), svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      item.className = "card";
      link.href = one.address.startsWith("/") ? one.address : "/";
      link.textContent = one.text;
      svg.setAttribute("class", "bar");
      svg.setAttribute("viewBox", "0 0 100 8");
      svg.setAttribute("preserveAspectRatio", "none");
      svg.setAttribute("aria-hidden", "true");
      for (const [kind, x, width] of one.bar) {
        const rect = document.createElementNS(svg.namespaceURI, "rect");
        for (const [name, value] of [["class", kind], ["x", x], ["width", width], ["height", 8]]) rect.setAttribute(name, value);
        svg.append(rect);
      }
      item.append(link, svg);
      return item;
    }));
  },
};

// --- pins ----------------------------------------------------------------------------------------------------------

const pins = {
  read() { try { return JSON.parse(sessionStorage.getItem("pins") || "[]"); } catch { return []; } },
  write(all) { sessionStorage.setItem("pins", JSON.stringify(all.slice(-MOST_PINS))); },
  add(address) { pins.write([...pins.read().filter((one) => one !== address), address]); },
};

function show_pins() {
  const all = pins.read(), link = $("#compare");
  $("#pinned").textContent = all.length || "";
  link.href = all.length ? `/compare?${readable(all.map((one) => ["with.s", one]))}` : "/compare";
}

// --- the editor of a game file --------------------------------------------------------------------------------------

const game = $("#game");

function number_lines() {
  game.rows = game.value.split("\n").length + 1;
  while ($(".lines").children.length < game.rows - 1) $(".lines").append(document.createElement("li"));
}

async function check_game() {
  const mine = ++latest;
  try {
    const reply = await fetch_again("/own?do=check", undefined, { method: "POST", body: `game=${game.value}` });
    const checked = new DOMParser().parseFromString(await reply.text(), "text/html");
    if (mine !== latest) return;
    for (const part of reply.ok ? [".lines", "#remarks", "h1", "title"] : ["#remarks"])
      if ($(part).innerHTML !== $(part, checked).innerHTML) $(part).replaceChildren(...$(part, checked).childNodes);
  } catch {
    if (mine === latest) $("#remarks").textContent = "The server does not answer.";
  }
  game.setAttribute("aria-invalid", $("#remarks .complaint") !== null);
  number_lines();
}

if (game) {
  game.addEventListener("input", () => { number_lines(); clearTimeout(timer); timer = setTimeout(check_game, 3 * WAIT); });
  $("#file").addEventListener("change", async (event) => { game.value = await event.target.files[0].text(); check_game(); });
  addEventListener("pageshow", () => { if (game.value !== game.defaultValue) check_game(); });
}

// --- listening -----------------------------------------------------------------------------------------------------

document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.target.matches("input, select, textarea")) return;
  event.preventDefault();
  find.focus();
});
find.addEventListener("input", search);
find.form.addEventListener("keydown", move_in_search);
document.addEventListener("click", (event) => { if (!find.form.contains(event.target)) found.hidden = true; });
show_pins();
recent.show();
if ($("#unpin")) $("#unpin").addEventListener("click", () => { pins.write([]); show_pins(); });
document.addEventListener("change", (event) => {
  if (!event.target.matches(".live")) return;
  const box = $(`#s-${event.target.dataset.place}`), link = new URL(box.value, location.href);
  link.searchParams.set(event.target.dataset.key, event.target.value);
  box.value = link.pathname + link.search;
  box.form.submit();
});

if (form) {
  form.addEventListener("input", (event) => {
    if (event.target.dataset.names) suggest(event.target);
    event.target.closest(".step")?.classList.toggle("zero", !Number(event.target.value));
    answer_soon();
  });
  form.addEventListener("change", (event) => {
    const row = event.target.closest(".entry"), policy = event.target.matches("select[name^=policy]");
    if (policy || (row && row === row.parentElement.querySelector(".entry:last-of-type") && event.target.value && !$(".drop", row)))
      change_form({ name: "with.part", value: "1" }, event.target.name);
  });
  form.addEventListener("wheel", (event) => { if (event.target.type === "number") event.target.blur(); }, { passive: true });
  form.addEventListener("pointerdown", press);
  let dragged = null;
  const over = (event) => (dragged ? event.target.closest?.(dragged.matches(".fight") ? ".fight" : ".place") : null);
  const show_over = (card) => $$(".fight", form).forEach((one) => one.classList.toggle("over", one === card && one !== dragged));
  form.addEventListener("dragstart", (event) => {
    dragged = event.target.closest?.(".grip") ? event.target.closest(".fight") : event.target.closest?.(".place");
    if (dragged?.matches(".fight")) event.dataTransfer.setDragImage(dragged, 20, 20);
  });
  form.addEventListener("dragover", (event) => {
    if (over(event)) event.preventDefault();
    show_over(over(event));
  });
  form.addEventListener("dragend", () => { show_over(null); dragged = null; });
  form.addEventListener("drop", (event) => {
    const place = over(event);
    if (!place) return;
    event.preventDefault();
    if (!dragged.matches(".fight")) swap_places(dragged, place);
    else if (place !== dragged) change_form({ name: "with.move", value: `${dragged.dataset.key}=${place.dataset.at}` });
  });
  form.addEventListener("click", (event) => {
    const place = event.target.closest(".place");
    if (event.target.matches(".up")) swap_places(place, place.previousElementSibling?.closest(".place"));
    if (event.target.matches(".stays")) step($(".by", event.target.parentElement));
  });
  for (const one of ["pointerup", "pointercancel", "pointerleave"]) document.addEventListener(one, () => { clearTimeout(pressed); clearInterval(pressed); from = null; });
  form.addEventListener("focusin", (event) => {
    const strip = $(".strip").getBoundingClientRect();
    if (strip.height && event.target.getBoundingClientRect().bottom > strip.top) event.target.scrollIntoView({ block: "center" });
  });
  form.addEventListener("focusin", (event) => { if (event.target.dataset.names) suggest(event.target); });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const button = event.submitter;
    if (button && ["with.add", "with.drop", "with.move"].includes(button.name)) change_form(button);
    else request_answer();
  });
  $("#stop").addEventListener("click", end_stream);
  const side = $(".side");
  side.addEventListener("change", (event) => {
    if (event.target.id === "column") request_answer();
    if (event.target.closest(".ask") && !event.target.matches("textarea")) {
      if (event.target.name.startsWith("with.path")) { const range = $(`[name="${event.target.name.replace("path", "range")}"]`, panel); if (range) range.value = ""; }
      ask_tool();
    }
  });
  side.addEventListener("submit", (event) => {
    event.preventDefault();
    if (event.target.matches(".ask")) ask_tool();
    else request_answer();
  });
  for (const one of ["pointerdown", "pointermove"]) side.addEventListener(one, (event) => { if (event.target.closest(".left")) drag(event); });
  side.addEventListener("click", (event) => {
    const tab = event.target.closest(".tabs a"), take = event.target.closest("[data-set]");
    if (event.ctrlKey || event.metaKey) return;
    if (tab) { event.preventDefault(); open_tool(tab.dataset.tool); }
    if (take && set_fields(take.dataset.set)) event.preventDefault();
    if (event.target.matches("button.copy")) copy(event.target);
    if (event.target.id === "roll") refine(scenario_pairs(), "yes");
  });
  $("#pin").addEventListener("click", (event) => {
    const shown = $(".answer[data-address]");
    if (!shown) return;
    event.preventDefault();
    pins.add(shown.dataset.address);
    show_pins();
  });
  $("#to-share").addEventListener("click", () => { const share = $("#share"); if (share) share.open = true; });
  const shown = $(".answer[data-address]");
  mark(complaint.dataset.field, complaint.textContent);
  after_answer();
  if (shown && shown.dataset.exact === "no") refine(scenario_pairs());
}
