// The page that plans a turn: the answer follows the typing; a button that changes the form is a request of its own.
"use strict";
const turn = $("#turn");
let turn_timer = null, turn_asked = null, turn_number = 0;

function turn_pairs() {
  return [...new FormData(turn)].filter(([key, value]) => !key.startsWith("with.") && value.trim() !== "");
}

function plan_soon() {
  clearTimeout(turn_timer);
  turn_timer = setTimeout(ask_plan, WAIT);
}

async function ask_plan() {
  const mine = ++turn_number;
  if (turn_asked) turn_asked.abort();
  turn_asked = new AbortController();
  $("#answer").setAttribute("aria-busy", "true");
  document.body.classList.add("stale-plan");
  try {
    const reply = await fetch_again(`${turn.getAttribute("action")}?${readable([...turn_pairs(), ["with.part", "1"]])}`, turn_asked.signal);
    const text = await reply.text();
    if (mine !== turn_number) return;
    if (reply.ok) show_plan(text);
    else {
      refuse_plan(text);
      turn_timer = again_when_compiled(ask_plan);
    }
  } catch (error) {
    if (error.name === "AbortError" || mine !== turn_number) return;
    refuse_plan(`<p class="complaint" role="alert">No connection; trying again.</p>`);
    turn_timer = setTimeout(ask_plan, 2000);
  }
}

function show_plan(html) {
  const box = document.createElement("template"), open = $$("details[open][data-name]").map((one) => one.dataset.name);
  box.innerHTML = html;
  for (const part of box.content.querySelectorAll("[data-part]")) $(`[data-part="${CSS.escape(part.dataset.part)}"]`)?.replaceWith(part);
  for (const name of open) $(`details[data-name="${name}"]`).open = true;
  $("#complaint").replaceChildren();
  mark_wrong("");
  $("#answer").setAttribute("aria-busy", "false");
  document.body.classList.remove("stale-plan");
  const shown = $("#hero");
  history.replaceState(null, "", shown.dataset.address);
  document.title = shown.dataset.title;
}

// The field that is refused, beside the line that says why.
function mark_wrong(field) {
  for (const one of $$("[aria-invalid]", turn)) {
    one.removeAttribute("aria-invalid");
    one.closest(".bad")?.classList.remove("bad");
  }
  const wrong = field && $(`[name="${CSS.escape(field)}"]:not([type=hidden])`, turn);
  if (!wrong) return;
  wrong.setAttribute("aria-invalid", "true");
  wrong.closest("label, .pu").classList.add("bad");
}

function refuse_plan(html) {
  $("#complaint").innerHTML = html;
  mark_wrong($("#complaint [data-field]")?.dataset.field);
  $("#answer").setAttribute("aria-busy", "false");
}

turn.addEventListener("input", (event) => {
  if (event.target.type === "number" && /^-?0\d/.test(event.target.value)) event.target.value = Number(event.target.value);
  event.target.closest(".step")?.classList.toggle("zero", !Number(event.target.value));
  if (!event.target.name.startsWith("with.")) plan_soon();
});
// A new name, or another unit, changes the form.
turn.addEventListener("change", (event) => { if (event.target.name.startsWith("with.")) turn.submit(); });
turn.addEventListener("submit", (event) => {
  if (event.submitter?.name) return;
  event.preventDefault();
  ask_plan();
});
turn.addEventListener("wheel", (event) => { if (event.target.type === "number") event.target.blur(); }, { passive: true });
turn.addEventListener("pointerdown", press);
for (const one of ["pointerup", "pointercancel", "pointerleave"]) document.addEventListener(one, () => { clearTimeout(pressed); clearInterval(pressed); });
turn.addEventListener("focusin", (event) => { if (event.target.type === "number") event.target.select(); });
document.addEventListener("click", (event) => { if (event.target.matches("button.copy")) copy(event.target); });
$("#share-plan").addEventListener("click", async (event) => {
  const fold = $("#share");
  if (!fold) return;
  event.preventDefault();
  fold.open = true;
  fold.scrollIntoView({ block: "nearest" });
  try {
    if (navigator.share) await navigator.share({ title: document.title, url: location.href });
    else await navigator.clipboard.writeText(location.href);
    if (!navigator.share) event.target.textContent = "Link copied";
  } catch { /* the link stands in the box below */ }
});
mark_wrong($("#complaint [data-field]")?.dataset.field);
turn_timer = again_when_compiled(ask_plan);
addEventListener("pageshow", (event) => { if (event.persisted) ask_plan(); });
