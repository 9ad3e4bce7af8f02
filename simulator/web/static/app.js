// The page without this script is whole; with it the answer comes while one types. No library, nothing from elsewhere.
"use strict";
document.documentElement.classList.add("scripted");

const WAIT = 150; // milliseconds from the last key to the question
const MOST_PINS = 6;
const $ = (selector, within = document) => within.querySelector(selector);
const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];
const form = $("#scenario"), answer = $("#answer"), complaint = $("#complaint");

let asked = 0; // the number of the newest question; answers to older ones are dropped
let under_way = null, events = null, timer = null;

function readable(pairs) {
  const soft = (text) => encodeURIComponent(text).replace(/%20/g, "+").replace(/%2C/g, ",").replace(/%3A/g, ":").replace(/%2F/g, "/");
  return pairs.map(([key, value]) => `${encodeURIComponent(key)}=${soft(value)}`).join("&");
}

function scenario_pairs() {
  return [...new FormData(form)].filter(([key, value]) => !key.startsWith("with.") && value.trim() !== "");
}

async function fetched(url, signal, options = {}) {
  for (let tries = 0; ; tries++) {
    const reply = await fetch(url, { signal, ...options });
    if (reply.status !== 503 || tries === 5) return reply;
    await new Promise((done) => setTimeout(done, 400 * (tries + 1)));
  }
}

// --- the answer ----------------------------------------------------------------------------------------------------

function soon() {
  clearTimeout(timer);
  timer = setTimeout(ask, WAIT);
}

async function ask() {
  clearTimeout(timer);
  end_stream();
  if (under_way) under_way.abort();
  const mine = ++asked;
  under_way = new AbortController();
  answer.setAttribute("aria-busy", "true");
  const pairs = scenario_pairs(), column = $("#column");
  const chosen = column ? [["with.column", column.value]] : [];
  try {
    const reply = await fetched(`${form.dataset.here}/answer?${readable([...pairs, ...chosen, ["with.live", "1"]])}`, under_way.signal);
    const text = await reply.text();
    if (mine !== asked) return;
    if (reply.ok) show(text, pairs);
    else refuse(text);
  } catch (error) {
    if (error.name !== "AbortError" && mine === asked) say("The server does not answer.");
  }
}

function show(html, pairs) {
  const open = new Map($$("details[data-name]", answer).map((one) => [one.dataset.name, one.open]));
  const scrolled = new Map($$("details[data-name] .scroll", answer).map((one) => [one.closest("details").dataset.name, one.scrollTop]));
  const focused = answer.contains(document.activeElement) ? document.activeElement.id : "";
  answer.innerHTML = html;
  for (const one of $$("details[data-name]", answer)) {
    if (open.has(one.dataset.name)) one.open = open.get(one.dataset.name);
    const part = $(".scroll", one);
    if (part && scrolled.has(one.dataset.name)) part.scrollTop = scrolled.get(one.dataset.name);
  }
  if (focused) document.getElementById(focused)?.focus();
  answer.setAttribute("aria-busy", "false");
  say("");
  const shown = $(".answer", answer);
  if (!shown) return;
  history.replaceState(null, "", shown.dataset.address);
  ready();
  $$(".found").forEach((one) => one.classList.add("stale"));
  if (shown.dataset.exact === "no" && pairs) narrow(pairs);
}

function refuse(html) {
  const box = document.createElement("div");
  box.innerHTML = html;
  const told = $(".complaint", box);
  say(told ? told.firstChild.data.trim() : box.textContent, told ? told.dataset.field : "");
  const less = told && $("a", told);
  if (less) complaint.append(" ", less);
}

function say(text, field = "") {
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

// --- a simulation that narrows -------------------------------------------------------------------------------------

function narrow(pairs, exact = "no") {
  end_stream();
  const mine = asked, column = $("#column");
  const chosen = column ? [["with.column", column.value]] : [];
  events = new EventSource(`${form.dataset.here}/stream?${readable([...pairs, ...chosen, ["with.exact", exact]])}`);
  $("#running").hidden = false;
  $("#progress").textContent = "rolling dice";
  events.onmessage = (message) => {
    if (mine !== asked) return end_stream();
    const told = JSON.parse(message.data);
    if (told.ended === "refused") refuse(told.html);
    else {
      show(told.html, null);
      $("#progress").textContent = `${told.battles.toLocaleString("en")} battles`;
    }
    if (told.ended) end_stream();
  };
  events.onerror = () => end_stream();
}

function end_stream() {
  if (events) events.close();
  events = null;
  const line = $("#running");
  if (line) line.hidden = true;
}

// --- what is in the answer -----------------------------------------------------------------------------------------

function ready() {
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

async function change_form(button) {
  const pairs = [...scenario_pairs(), [button.name, button.value]];
  const reply = await fetched(`${form.dataset.here}/form?${readable(pairs)}`);
  if (!reply.ok) return refuse(await reply.text());
  const open = $$("details[open] > summary", form).map((one) => one.textContent);
  $("#fields").innerHTML = await reply.text();
  $$("details > summary", form).forEach((one) => { if (open.includes(one.textContent)) one.parentElement.open = true; });
  const key = button.value.replace(/(\+|=\?)$/, "");
  const places = $$(`[data-key="${CSS.escape(key)}"], [data-key^="${CSS.escape(key)}."]`, form);
  const inputs = places.flatMap((one) => $$("input:not([type=hidden]), select, textarea", one));
  const target = button.value.endsWith("+") ? inputs[inputs.length - 1] : inputs[0];
  (target || $("button", form)).focus();
  soon();
}

async function suggest(input) {
  const game = form.dataset.here.split("/")[1];
  const reply = await fetched(`/api/names/${encodeURIComponent(game)}/${encodeURIComponent(input.dataset.names)}?q=${encodeURIComponent(input.value)}`);
  if (!reply.ok) return;
  const rows = await reply.json();
  input.list.replaceChildren(...rows.map((row) => {
    const [name, ...rest] = Object.values(row);
    const option = document.createElement("option");
    option.value = name;
    option.label = [name, ...rest.filter((one) => one !== "" && one !== null).slice(0, 6)].join(" · ");
    return option;
  }));
}

// --- the tools -----------------------------------------------------------------------------------------------------

async function use_tool(tool) {
  const found = $(".found", tool.parentElement), old = found.innerHTML;
  const own = [...new FormData(tool)].filter(([key]) => key.startsWith("with."));
  found.setAttribute("aria-busy", "true");
  found.classList.add("stale");
  if (!old) found.textContent = "reckoning …";
  const where = new URL(tool.action), pairs = [...scenario_pairs(), ...own, ["with.part", "1"]];
  try {
    const reply = await fetched(`${where.pathname}?${readable(pairs)}`);
    found.innerHTML = await reply.text();
  } catch {
    found.textContent = "The server does not answer.";
  }
  found.classList.remove("stale");
  found.setAttribute("aria-busy", "false");
}

// --- pins ----------------------------------------------------------------------------------------------------------

const pins = {
  read() { try { return JSON.parse(sessionStorage.getItem("pins") || "[]"); } catch { return []; } },
  write(all) { sessionStorage.setItem("pins", JSON.stringify(all.slice(-MOST_PINS))); },
  add(address) { pins.write([...pins.read().filter((one) => one !== address), address]); },
};

function show_pins() {
  const box = $("#pins");
  if (!box) return;
  const all = pins.read();
  box.hidden = !all.length;
  $("ul", box).replaceChildren(...all.map((address) => {
    const item = document.createElement("li"), link = document.createElement("a"), drop = document.createElement("button");
    link.href = address;
    link.textContent = decodeURIComponent(address.replace(/\+/g, " ")).replace(/&v=\d+$/, "");
    drop.className = "small";
    drop.type = "button";
    drop.textContent = "unpin";
    drop.onclick = () => { pins.write(pins.read().filter((one) => one !== address)); show_pins(); };
    item.append(link, " ", drop);
    return item;
  }));
  $("#compare").href = `/compare?${readable(all.map((one) => ["with.s", one]))}`;
  $("#compare").hidden = all.length < 2;
  $("#pinned").textContent = `${all.length} of ${MOST_PINS} pinned`;
}

// --- listening -----------------------------------------------------------------------------------------------------

if (form) {
  form.addEventListener("input", (event) => {
    if (event.target.dataset.names) suggest(event.target);
    soon();
  });
  form.addEventListener("focusin", (event) => { if (event.target.dataset.names) suggest(event.target); });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const button = event.submitter;
    if (button && (button.name === "with.add" || button.name === "with.drop")) change_form(button);
    else ask();
  });
  $("#stop").addEventListener("click", end_stream);
  answer.addEventListener("change", (event) => { if (event.target.id === "column") ask(); });
  answer.addEventListener("submit", (event) => { event.preventDefault(); ask(); });
  answer.addEventListener("click", (event) => {
    if (event.target.matches("button.copy")) copy(event.target);
    if (event.target.id === "roll") narrow(scenario_pairs(), "yes");
    if (event.target.id === "pin") {
      event.preventDefault();
      pins.add($(".answer", answer).dataset.address);
      show_pins();
    }
  });
  document.addEventListener("submit", (event) => {
    if (event.target.matches(".tool form")) {
      event.preventDefault();
      use_tool(event.target);
    }
  });
  ready();
  show_pins();
  const shown = $(".answer", answer);
  mark(complaint.dataset.field, complaint.textContent);
  if (shown && shown.dataset.exact === "no") narrow(scenario_pairs());
}
