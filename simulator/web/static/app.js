// The page works without this script; with it the answer follows the typing. No libraries, no external resources.
"use strict";
document.documentElement.classList.add("scripted");

const WAIT = 150; // milliseconds from the last key to the request
const MOST_PINS = 6;
const $ = (selector, within = document) => within.querySelector(selector);
const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];
const form = $("#scenario"), answer = $("#answer"), complaint = $("#complaint");

let latest = 0; // the number of the latest request; answers to older ones are dropped
let pending = null, events = null, timer = null;

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
  answer.innerHTML = html;
  for (const one of $$("details[data-name]", answer)) {
    if (open.has(one.dataset.name)) one.open = open.get(one.dataset.name);
    const part = $(".scroll", one);
    if (part && scrolled.has(one.dataset.name)) part.scrollTop = scrolled.get(one.dataset.name);
  }
  if (focused) document.getElementById(focused)?.focus();
  answer.setAttribute("aria-busy", "false");
  complain("");
  const shown = $(".answer", answer);
  if (!shown) return;
  history.replaceState(null, "", shown.dataset.address);
  show_buttons();
  $$(".found").forEach((one) => one.classList.add("stale"));
  if (shown.dataset.exact === "no" && pairs) refine(pairs);
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

async function change_form(button) {
  const pairs = [...scenario_pairs(), [button.name, button.value]];
  const reply = await fetch_again(`${form.dataset.here}/form?${readable(pairs)}`);
  if (!reply.ok) return refuse(await reply.text());
  const open = $$("details[open] > summary", form).map((one) => one.textContent);
  $("#fields").innerHTML = await reply.text();
  $$("details > summary", form).forEach((one) => { if (open.includes(one.textContent)) one.parentElement.open = true; });
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

// --- the tools -----------------------------------------------------------------------------------------------------

async function use_tool(tool) {
  const result = $(".found", tool.parentElement), old = result.innerHTML;
  const own = [...new FormData(tool)].filter(([key]) => key.startsWith("with."));
  result.setAttribute("aria-busy", "true");
  result.classList.add("stale");
  if (!old) result.textContent = "computing …";
  const where = new URL(tool.action), pairs = [...scenario_pairs(), ...own, ["with.part", "1"]];
  try {
    const reply = await fetch_again(`${where.pathname}?${readable(pairs)}`);
    result.innerHTML = await reply.text();
  } catch {
    result.textContent = "The server does not answer.";
  }
  result.classList.remove("stale");
  result.setAttribute("aria-busy", "false");
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
    answer_soon();
  });
  form.addEventListener("focusin", (event) => { if (event.target.dataset.names) suggest(event.target); });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const button = event.submitter;
    if (button && (button.name === "with.add" || button.name === "with.drop")) change_form(button);
    else request_answer();
  });
  $("#stop").addEventListener("click", end_stream);
  answer.addEventListener("change", (event) => { if (event.target.id === "column") request_answer(); });
  answer.addEventListener("submit", (event) => { event.preventDefault(); request_answer(); });
  answer.addEventListener("click", (event) => {
    if (event.target.matches("button.copy")) copy(event.target);
    if (event.target.id === "roll") refine(scenario_pairs(), "yes");
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
  show_buttons();
  show_pins();
  const shown = $(".answer", answer);
  mark(complaint.dataset.field, complaint.textContent);
  if (shown && shown.dataset.exact === "no") refine(scenario_pairs());
}
