// The page works without this script; with it the answer follows the typing. No libraries, no external resources.
"use strict";
document.documentElement.classList.add("scripted");

const WAIT = 80; // milliseconds from the last key to the request
const PAUSE = 400; // milliseconds from an answer to the request for its hint
const MOST_PINS = 6;
const $ = (selector, within = document) => within.querySelector(selector);
const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];
const form = $("#scenario"), answer = $("#answer"), complaint = $("#complaint");

let latest = 0; // the number of the latest request; answers to older ones are dropped
let pending = null, events = null, timer = null, hinting = null, tool = "outcome";
// The part of the address beside the battle: the tab, its inputs, and the column of the distribution.
const JOINS = /^with\.(counter|join\.|hold\.)/;
const given = [...new URLSearchParams(location.search)].filter(([key]) => key.startsWith("with.") && key !== "with.tab");
const asked = given.filter(([key]) => !JOINS.test(key));
let column_chosen = asked.some(([key]) => key === "with.column");
let tries = 0; // requests in a row that the server did not answer

function readable(pairs) {
  const soft = (text) => encodeURIComponent(text).replace(/%20/g, "+").replace(/%2C/g, ",").replace(/%3A/g, ":").replace(/%2F/g, "/");
  return pairs.map(([key, value]) => `${encodeURIComponent(key)}=${soft(value)}`).join("&");
}

function scenario_pairs() {
  return [...new FormData(form)].filter(([key, value]) => !key.startsWith("with.") && value.trim() !== "");
}

// The pairs of the open tab that belong to the address.
function tab_pairs() {
  const column = $("#column"), ask = panel && $("form", panel);
  const own = ask ? [...new FormData(ask)].filter(([key, value]) => key.startsWith("with.") && value.trim() !== "") : tool === "outcome" ? [] : asked;
  const tab = tool === "outcome" ? [] : [["with.tab", tool], ...own.filter(([key]) => key !== "with.column")];
  return [...(column && column_chosen ? [["with.column", column.value]] : []), ...tab, ...second_pairs()];
}

function show_address() {
  const shown = $(".answer[data-address]"), more = readable(tab_pairs());
  if (!shown) return;
  history.replaceState(null, "", shown.dataset.address + (more && `&${more}`));
  document.title = ($("#second-answer [data-title]") || shown).dataset.title;
}

async function fetch_again(url, signal, options = {}) {
  for (let tries = 0; ; tries++) {
    const reply = await fetch(url, { signal, ...options });
    if (reply.status !== 503 || tries === 5) return reply;
    await new Promise((done) => setTimeout(done, 400 * (tries + 1)));
  }
}

// Kernels are compiled once: what was refused until then is asked again. The timer, or null.
function again_when_compiled(ask) {
  const place = $("#complaint");
  if (!place.textContent.includes("still being compiled")) return null;
  place.innerHTML = `<p class="complaint" role="status">Compiling this game's battles, once; trying again.</p>`;
  return setTimeout(ask, 3000);
}

// --- the answer ----------------------------------------------------------------------------------------------------

function answer_soon() {
  clearTimeout(timer);
  clearTimeout(hinting);
  timer = setTimeout(() => request_answer([]), WAIT);
}

// `more`: what is left out while somebody types and wanted all the same.
async function request_answer(more = ["hint"]) {
  clearTimeout(timer);
  clearTimeout(hinting);
  end_stream();
  if (pending) pending.abort();
  const mine = ++latest;
  pending = new AbortController();
  answer.setAttribute("aria-busy", "true");
  answer.classList.add("old");
  $("#beside").classList.add("stale");
  if (tool !== "outcome") panel.classList.add("stale");
  $("#second-answer").classList.add("stale");
  const pairs = scenario_pairs(), column = $("#column");
  const chosen = column && column_chosen ? [["with.column", column.value]] : [];
  const open = [...$$("details[data-name][open]", answer).map((one) => one.dataset.name), ...more].map((name) => ["with.open", name]);
  try {
    const reply = await fetch_again(`${form.dataset.here}/answer?${readable([...pairs, ...chosen, ...open, ["with.live", "1"]])}`, pending.signal);
    const text = await reply.text();
    if (mine !== latest) return;
    tries = 0;
    if (reply.ok) show(text, pairs);
    else refuse(text);
  } catch (error) {
    if (error.name !== "AbortError" && mine === latest) wait_for_connection();
  }
}

// The server is gone, or there is no network: the answer before stays, and the question is asked again.
function wait_for_connection() {
  answer.setAttribute("aria-busy", "false");
  complain("No connection; trying again.");
  timer = setTimeout(request_answer, Math.min(1000 * 2 ** tries++, 15000));
}

function show(html, pairs) {
  const open = new Map($$("details[data-name]", answer).map((one) => [one.dataset.name, one.open]));
  const scrolled = new Map($$("details[data-name] .scroll", answer).map((one) => [one.closest("details").dataset.name, one.scrollTop]));
  const focused = answer.contains(document.activeElement) ? document.activeElement.id : "";
  const box = document.createElement("template"), height = $("#hint", answer)?.getBoundingClientRect().height;
  box.innerHTML = html;
  const hint = $("#hint[data-later]", box.content);
  if (hint && height) {  // the space of the hint before is kept, so that nothing jumps
    hint.hidden = false;
    hint.style.minHeight = `${height}px`;
  }
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
  answer.classList.remove("old");
  complain("");
  const shown = $(".answer");
  if (!shown) return;
  show_address();
  after_answer();
  if (hint) hinting = setTimeout(() => show_hint(pairs), PAUSE);
  if (shown.dataset.exact === "no" && pairs) complete(pairs);
}

// The hint takes a second battle, so it is asked for once nobody types.
async function show_hint(pairs) {
  const mine = latest;
  const reply = await fetch_again(`${form.dataset.here}/answer?${readable([...pairs, ["with.part", "hint"], ["with.live", "1"]])}`).catch(() => null);
  const text = reply?.ok ? await reply.text() : "";
  if (mine === latest && text) $("#hint", answer).outerHTML = text;
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
  for (const one of $$("#swap, #clear")) one.href = `${shown.dataset.address}&with.change=${one.id}`;
  const bar = $(".strip .bar"), line = $("#line");
  if (line && document.activeElement !== line && !shown.classList.contains("old")) line.value = shown.dataset.line;
  if (bar) recent.add({ address: shown.dataset.address, text: shown.dataset.text, bar: [...bar.children].map((one) => [one.getAttribute("class"), one.getAttribute("x"), one.getAttribute("width")]) });
  if (tool !== "outcome") ask_tool();
  if (second?.open) keep_second();
  show_beside_soon();
}

function fill_totals(part) {
  const row = $("#totals");
  if (row) row.replaceChildren(row.firstElementChild, ...part.children);
}

function refuse(html) {
  complaint.innerHTML = html;
  const line = $(".complaint", complaint);
  if (!line) return complain(html);
  answer.setAttribute("aria-busy", "false");
  panel.classList.remove("stale");
  mark(line.dataset.field, line.firstChild.data);
}

function complain(text) {
  const line = document.createElement("p");
  line.className = "complaint";
  line.setAttribute("role", "alert");
  line.textContent = text;
  complaint.replaceChildren(...(text ? [line] : []));
  mark("", "");
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
  unfold(place);
}

// Open all that a part of the form is folded in.
function unfold(place) {
  for (let fold = place.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
}

// --- a simulation that refines its answer ----------------------------------------------------------------------------------

function refine(pairs, exact = "no") {
  end_stream();
  const mine = latest, column = $("#column");
  const chosen = column && column_chosen ? [["with.column", column.value]] : [];
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

// Pages that are not served over HTTPS may only copy what is selected.
async function keep_on_clipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const box = document.createElement("textarea"), before = document.activeElement;
    box.value = text;
    document.body.append(box);
    box.select();
    document.execCommand("copy");
    box.remove();
    before?.focus();
  }
}

async function copy(button) {
  // The counter-attack that is open has an embedding of its own.
  const text = () => document.getElementById(`${button.dataset.copy}-second`) || document.getElementById(button.dataset.copy), before = button.textContent;
  if (!text()) await request_answer(["copy", "hint"]);  // left out while somebody types
  if (!text()) return;
  await keep_on_clipboard(text().value);
  button.textContent = "Copied";
  setTimeout(() => (button.textContent = before), 1500);
}

// One tap: the system's own sheet where there is one, else the link is copied; then the other forms are offered.
async function share() {
  const shown = $(".answer[data-address]"), sheet = $("#sheet"), link = { title: document.title, url: location.href };
  if (!shown) return;
  $("#as-picture").href = `${form.dataset.here}/card.png?${readable([...new URL(shown.dataset.address, location.href).searchParams, ...second_pairs()])}`;
  sheet.hidden = !sheet.hidden;
  if (sheet.hidden) return;
  $("#shared").textContent = "";
  try {
    if (navigator.share) await navigator.share({ ...link, text: $(".sentence").textContent });
    else await keep_on_clipboard(link.url);
    $("#shared").textContent = navigator.share ? "" : "The link is copied.";
  } catch (error) {
    if (error.name !== "AbortError") $("#shared").textContent = link.url;
  }
}

// --- the form ------------------------------------------------------------------------------------------------------

async function change_form(button, focus = "") {
  const stay = !button.value && document.activeElement;
  const named = form.elements.namedItem("with.named"), name = named ? [["with.named", named.value]] : [];
  const pairs = [...scenario_pairs(), ...name, [button.name, button.value]];
  const reply = await fetch_again(`${form.dataset.here}/form?${readable(pairs)}`);
  if (!reply.ok) return refuse(await reply.text());
  const name_of = (one, place) => one.dataset.name || place, open = new Set();
  $$("details", form).forEach((one, place) => { if (one.open) open.add(name_of(one, place)); });
  const html = await reply.text(), entered = form.contains(document.activeElement) && document.activeElement.name;
  $("#fields").innerHTML = html;
  $$("details", form).forEach((one, place) => { if (open.has(name_of(one, place))) one.open = true; });
  if (button.name === "with.move") {
    const card = $$(".fight", form)[button.value.split("=")[1]], same = button.textContent && $$("[name='with.move']:enabled", card).find((one) => one.textContent === button.textContent);
    (same || $("[name='with.move']:enabled", card))?.focus();
    return answer_soon();
  }
  if (focus) {
    $(`[name="${CSS.escape(entered || focus)}"]:not([type=hidden])`, form)?.focus();
    return answer_soon();
  }
  if (stay) {
    stay.focus();
    return answer_soon();
  }
  const forces = $$(".forces input[type=hidden][name^='force.']", form), added = button.name === "with.add" && button.value.startsWith("force.");
  const key = added ? forces[forces.length - 1].name : button.value.replace(/(\+|=\?)$/, "");
  const places = $$(`[data-key="${CSS.escape(key)}"], [data-key^="${CSS.escape(key)}."]`, form);
  const inputs = places.flatMap((one) => $$("input:not([type=hidden]), select, textarea", one));
  const target = button.value.endsWith("+") ? inputs[inputs.length - 1] : inputs[0];
  if (target) unfold(target);
  (target || $("button:not(.default)", form)).focus();
  answer_soon();
}

// The line of words above a table that is folded, when a field in it changes.
function say_table(table) {
  const said = $$(":is(input, select):not([type=hidden])", table).map((one) => {
    const label = $(".label", one.closest(".sub, .entry"))?.firstChild.data.trim() || "", value = one.selectedOptions?.[0].textContent ?? one.value;
    if (!value || value === "0" || value === "no") return "";
    return value === "yes" ? label : one.type === "number" ? `${label} ${value}`.trim() : value;
  });
  $("summary", table).textContent = said.filter(Boolean).join(", ");
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
    const typed_so = name.replace(/ł/g, "l").normalize("NFD").replace(/\p{M}/gu, "");  // browsers look for what is typed as it is
    option.label = [name, ...rest.filter((one) => one !== "" && one !== null).slice(0, 6), ...(typed_so === name ? [] : [typed_so])].join(" · ");
    return option;
  }));
}

// A line of text fills the armies: "6 inf 3 tank v 7 inf 1 tank".
function fill_in(text) {
  return change_form({ name: "text", value: text }, "attacker");
}

// "02" is 2, and a field that holds 0 is grey.
function tidy(input) {
  if (input.type === "number" && /^-?0\d/.test(input.value)) input.value = Number(input.value);
  input.closest(".step")?.classList.toggle("zero", !Number(input.value));
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

function open_tool(name, first = []) {
  tool = name;
  for (const one of $$(".tabs a")) one.dataset.tool === name ? one.setAttribute("aria-current", "true") : one.removeAttribute("aria-current");
  $(`[data-part="outcome"]`).hidden = name !== "outcome";
  panel.hidden = name === "outcome";
  panel.replaceChildren();
  $(`.tabs [data-tool="${name}"]`).scrollIntoView({ block: "nearest", inline: "nearest" });
  if (name === "outcome") return show_address();
  ask_tool(first);
}

let asking_soon = null;
function ask_tool_soon() {
  clearTimeout(asking_soon);
  asking_soon = setTimeout(ask_tool, WAIT);
}

async function ask_tool(first = []) {
  if (asking) asking.abort();
  const mine = (asking = new AbortController()), ask = $("form", panel), focused = panel.contains(document.activeElement) ? document.activeElement.id : "";
  const own = ask ? [...new FormData(ask)].filter(([key]) => key.startsWith("with.")) : first;
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
    show_address();
  } catch (error) {
    if (error.name === "AbortError") return;
    panel.textContent = "No connection; trying again.";
    setTimeout(() => { if (mine === asking) ask_tool(own); }, 2000);
  }
  panel.classList.remove("stale");
  panel.setAttribute("aria-busy", "false");
}

// --- the counter-attack: a second table under the first, with an answer of its own --------------------------------------------

const second = $("#second");
let second_asked = null, second_timer = null, first_strip = "";

// The part of the address that belongs to the counter-attack. Zeros are left out, but where nobody joins: without any
// number as many join as the defender has.
function second_pairs() {
  if (!second?.open) return [];
  const ask = $("form", second), fields = ask ? [...new FormData(ask)] : [["with.counter", "1"], ...given];
  const own = fields.filter(([key, value]) => JOINS.test(key) && value !== ""), some = own.filter(([, value]) => value !== "0");
  return some.length > 1 ? some : own;
}

// The strip of a phone follows the last battle.
function follow(html) {
  const strip = $(".strip");
  if (html && !strip.dataset.last) first_strip = strip.innerHTML;
  if (html || strip.dataset.last) strip.innerHTML = html || first_strip;
  strip.dataset.last = html ? "1" : "";
}

async function ask_second() {
  clearTimeout(second_timer);
  if (second_asked) second_asked.abort();
  const mine = (second_asked = new AbortController()), place = $("#second-answer");
  place.classList.add("stale");
  try {
    const reply = await fetch_again(`${form.dataset.here}/counter?${readable([...scenario_pairs(), ...second_pairs(), ["with.part", "1"]])}`, mine.signal);
    const box = document.createElement("template");
    box.innerHTML = await reply.text();
    if (mine === second_asked && second.open) show_second(box.content, place);
  } catch (error) {
    if (error.name !== "AbortError" && mine === second_asked) second_timer = setTimeout(ask_second, 2000);
  }
}

// The answer that stands there, or a new one where the first battle has changed.
function keep_second() {
  const place = $("#second-answer");
  if (!place.childElementCount || place.classList.contains("stale")) return ask_second();
  follow($("[data-strip]", place)?.innerHTML || "");
}

function show_second(parts, place) {
  const fields = $("[data-part=second-form]", parts), shown = $("form", second);
  if (fields && shown?.dataset.shape !== fields.dataset.shape) $("#joins").replaceChildren(fields);
  place.replaceChildren($("[data-part=second-answer]", parts) || parts);
  place.hidden = false;
  place.classList.remove("stale");
  follow($("[data-strip]", place)?.innerHTML || "");
  show_address();
}

function close_second() {
  if (second_asked) second_asked.abort();
  clearTimeout(second_timer);
  $("#second-answer").hidden = true;
  $("#second-answer").replaceChildren();
  follow("");
  show_address();
}

if (second) {
  second.addEventListener("toggle", () => (second.open ? keep_second() : close_second()));
  second.addEventListener("pointerdown", press);
  second.addEventListener("focusin", (event) => { if (event.target.type === "number") event.target.select(); });
  second.addEventListener("wheel", (event) => { if (event.target.type === "number") event.target.blur(); }, { passive: true });
  second.addEventListener("submit", (event) => { event.preventDefault(); ask_second(); });
  second.addEventListener("input", (event) => {
    tidy(event.target);
    clearTimeout(second_timer);
    second_timer = setTimeout(ask_second, WAIT);
  });
}

// --- the bar of survivors: what a block says, and how likely this or better is ----------------------------------------------

function point_at(event) {
  const block = event.target.closest?.(".block");
  if (!block || block.classList.contains("at")) return;
  $$(".block.at").forEach((one) => one.classList.remove("at"));
  block.classList.add("at");
  const { words, p, better } = block.dataset, line = $("#block");
  if (line && block.closest("#answer")) line.textContent = `${words}: ${p}${better ? `; this or better: ${better}` : ""}`;
}

// --- searching, recent battles --------------------------------------------------------------------------------------------------

const find = $("#find"), found = $("#found");

// Without a network the service worker gives the front page in place of a page that it has not kept.
if ($("#recent") && location.pathname !== "/") $(".lead").textContent = "No connection, and this page is not kept in this browser. Those of your last battles may be.";

async function search() {
  const words = find.value.trim();
  found.hidden = !words || document.activeElement !== find;
  if (!words) return;
  const reply = await fetch_again(`/?${readable([["q", words], ["with.part", "1"]])}`);
  if (reply.ok && find.value.trim() === words) found.innerHTML = await reply.text();
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

// Set-ups that are pinned stay in this browser, with the names that they were given.
const pins = {
  read() { try { return JSON.parse(localStorage.getItem("pins") || "[]"); } catch { return []; } },
  write(all) { try { localStorage.setItem("pins", JSON.stringify(all.slice(-MOST_PINS))); } catch { /* a private window keeps nothing */ } },
  add(address) { pins.write([...pins.read().filter((one) => one !== address), address]); },
  names() { try { return JSON.parse(localStorage.getItem("names") || "{}"); } catch { return {}; } },
  rename(address, name) { try { localStorage.setItem("names", JSON.stringify({ ...pins.names(), [address]: name })); } catch { /* the same */ } },
};

let besides = null;
function show_beside_soon() {
  clearTimeout(besides);
  besides = setTimeout(show_beside, 4 * WAIT);
}

// The pins of this kind of battle as columns beside the answer.
async function show_beside() {
  const box = $("#beside"), shown = $(".answer[data-address]"), here = form.dataset.here, names = pins.names();
  const own = shown ? pins.read().filter((one) => one.split("?")[0] === here && one !== shown.dataset.address) : [];
  box.hidden = !own.length;
  if (!own.length || shown.dataset.exact === "no") return;
  const pairs = [shown.dataset.address, ...own].slice(0, MOST_PINS).flatMap((one) => [["with.s", one], ["with.n", names[one] || ""]]);
  const reply = await fetch_again(`/compare?${readable([...pairs, ["with.part", "1"]])}`).catch(() => null);
  if (!reply?.ok || !shown.isConnected) return;
  box.innerHTML = await reply.text();
  box.classList.remove("stale");
}

// The table drawn on a canvas, for a message or a report.
function picture_of(table) {
  const rows = $$("tr", table).map((row) => [...row.cells].map((cell) => ($("a", cell) || cell).textContent.trim()));
  const canvas = document.createElement("canvas"), pen = canvas.getContext("2d"), font = "15px system-ui, sans-serif", style = getComputedStyle(document.body);
  pen.font = font;
  const widths = rows[0].map((_, at) => Math.max(...rows.map((row) => pen.measureText(row[at]).width)) + 28);
  canvas.width = widths.reduce((sum, one) => sum + one, 24);
  canvas.height = 34 * rows.length + 24;
  pen.fillStyle = style.backgroundColor;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.fillStyle = style.color;
  rows.forEach((row, y) => {
    let x = 12;
    row.forEach((text, at) => {
      pen.font = y && at ? font : `600 ${font}`;
      pen.fillText(text, x, 34 * y + 34);
      x += widths[at];
    });
  });
  return new Promise((done) => canvas.toBlob(done));
}

async function copy_picture(button) {
  const blob = picture_of($("table", $("#beside")));
  try {
    await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);
    button.textContent = "Copied";
  } catch {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await blob);
    link.download = "battle-odds.png";
    link.click();
  }
}

function edit_pin(button) {
  const address = button.dataset.at;
  if (button.matches(".unpin")) {
    pins.write(pins.read().filter((one) => one !== address));
    show_pins();
    return show_beside();
  }
  const input = document.createElement("input"), link = $("a", button.closest("th"));
  input.value = link.textContent;
  input.setAttribute("aria-label", "name of this set-up");
  let ended = false;
  const end = async (name, focus) => {
    if (ended) return;
    ended = true;
    pins.rename(address, name);
    await show_beside();
    if (focus) $(`#beside .rename[data-at="${CSS.escape(address)}"]`)?.focus();
  };
  input.addEventListener("blur", () => end(input.value.trim(), false));
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") end(input.value.trim(), true);
    if (event.key === "Escape") end(pins.names()[address] || "", true);
  });
  link.replaceWith(input);
  input.select();
}

function show_pins() {
  const all = pins.read(), link = $("#compare");
  $("#pinned").textContent = all.length || "";
  link.href = all.length ? `/compare?${readable(all.map((one) => ["with.s", one]))}` : "/compare";
}

// --- listening -----------------------------------------------------------------------------------------------------

document.addEventListener("keydown", (event) => {
  const menu = event.key === "Escape" && event.target.closest?.(".menu[open]");
  if (menu) {
    menu.open = false;
    $("summary", menu).focus();
  }
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.target.matches("input, select, textarea")) return;
  event.preventDefault();
  find.focus();
});
let finding = null;
find.addEventListener("input", () => { clearTimeout(finding); finding = setTimeout(search, WAIT); });
if ("serviceWorker" in navigator) navigator.serviceWorker.register("/sw.js").catch(() => { /* a private window has none */ });
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
  for (const one of $$("input", box.form)) one.disabled = !one.value;
  box.form.action = `#${event.target.id}`; // the field is entered again
  box.form.submit();
});

if (form) {
  form.addEventListener("input", (event) => {
    tidy(event.target);
    if (event.target.dataset.names) suggest(event.target);
    for (let table = event.target.closest(".table"); table; table = table.parentElement.closest(".table")) say_table(table);
    answer_soon();
  });
  form.addEventListener("change", (event) => {
    const row = event.target.closest(".entry"), policy = event.target.matches("select[name^=policy]");
    if (policy || (row && row === row.parentElement.querySelector(".entry:last-of-type") && event.target.value && !$(".drop", row)))
      change_form({ name: "with.part", value: "1" }, event.target.name);
  });
  form.addEventListener("wheel", (event) => { if (event.target.type === "number") event.target.blur(); }, { passive: true });
  form.addEventListener("pointerdown", press);
  // A number is selected as soon as its field is entered, so that a digit takes its place.
  form.addEventListener("focusin", (event) => { if (event.target.type === "number") event.target.select(); });
  let entered = null;
  form.addEventListener("pointerdown", (event) => { entered = event.target.type === "number" && event.target !== document.activeElement ? event.target : null; });
  form.addEventListener("click", (event) => { if (event.target === entered) entered.select(); });
  form.addEventListener("paste", (event) => {
    if (event.target.type !== "number") return;
    const text = event.clipboardData.getData("text"), number = text.match(/-?\d+(\.\d+)?/);
    event.preventDefault();
    if (/\d.*\b(v|vs|against)\b.*\d/i.test(text) && $("#line")) return fill_in(text);
    if (!number) return;
    event.target.value = Number(number[0]);
    event.target.dispatchEvent(new Event("input", { bubbles: true }));
  });
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
  for (const one of ["pointerup", "pointercancel", "pointerleave"]) document.addEventListener(one, () => { clearTimeout(pressed); clearInterval(pressed); });
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
    if (event.target.id === "column") { column_chosen = true; request_answer(); }
    if (event.target.closest(".ask") && !event.target.matches("textarea, .step input")) {
      if (event.target.name.startsWith("with.path")) { const range = $(`[name="${event.target.name.replace("path", "range")}"]`, panel); if (range) range.value = ""; }
      ask_tool();
    }
  });
  side.addEventListener("submit", (event) => {
    event.preventDefault();
    if (event.target.matches(".ask")) ask_tool();
    else request_answer();
  });
  side.addEventListener("pointerdown", press);
  side.addEventListener("input", (event) => { if (event.target.closest(".ask .step")) { tidy(event.target); ask_tool_soon(); } });
  side.addEventListener("focusin", (event) => { if (event.target.closest(".ask .step")) event.target.select(); });
  for (const one of ["pointerdown", "pointerover"]) side.addEventListener(one, point_at);
  // A table that was left out while it was folded; the event does not bubble.
  side.addEventListener("toggle", (event) => { if (event.target.open && "later" in event.target.dataset) request_answer(); }, true);
  side.addEventListener("click", (event) => {
    const tab = event.target.closest(".tabs a"), take = event.target.closest("[data-set]");
    if (event.ctrlKey || event.metaKey) return;
    const edit = event.target.closest("#beside .tasks button");
    if (edit) edit_pin(edit);
    if (event.target.id === "as-image") copy_picture(event.target);
    if (tab) { event.preventDefault(); open_tool(tab.dataset.tool); }
    if (take && set_fields(take.dataset.set)) event.preventDefault();
    if (event.target.id === "roll") refine(scenario_pairs(), "yes");
  });
  $("#pin").addEventListener("click", (event) => {
    const shown = $(".answer[data-address]");
    if (!shown) return;
    event.preventDefault();
    pins.add(shown.dataset.address);
    show_pins();
    show_beside();
  });
  document.addEventListener("click", (event) => {
    const strip = event.target.closest(".strip");
    if (event.target.matches("button.copy")) copy(event.target);
    if (strip) { event.preventDefault(); ($("#complaint p") || (strip.dataset.last && $("#second-answer")) || $("#hero"))?.scrollIntoView({ block: "start" }); }
    if (!event.target.closest(".acts")) $("#sheet").hidden = true;
  });
  $("#to-share").addEventListener("click", (event) => { event.preventDefault(); share(); });
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    if ($("#sheet").contains(document.activeElement)) $("#to-share").focus();
    $("#sheet").hidden = true;
  });
  addEventListener("online", () => request_answer());
  $("#line")?.addEventListener("keydown", (event) => { if (event.key === "Enter") { event.preventDefault(); fill_in($("#line").value); } });
  $("#line")?.form.addEventListener("submit", (event) => { event.preventDefault(); fill_in($("#line").value); });
  const shown = $(".answer[data-address]"), first = $(".complaint", complaint), tab = new URLSearchParams(location.search).get("with.tab");
  if (first) mark(first.dataset.field, first.textContent);
  after_answer();
  if (tab === "counter" && second) second.open = true;
  if (tab && $(`.tabs [data-tool="${CSS.escape(tab)}"]`)) open_tool(tab, asked);
  if (shown && shown.dataset.exact === "no") refine(scenario_pairs());
}
