"""Birthright (docs/rules/birthright.md): tactical, storm, quick-battle, siege, adjustment, visibility, movement.

Sources, as that document lists them: a campaign's rules and its wiki page on fortification; the Birthright d20 chapter
on armies; the dice replacement of the war cards; unit tables of public campaigns. The quick battle is a house rule.

sides, engagement, field_*   a battle unit against unit: field battle and storm (section 3)
quick_*               the quick check: quick battle, and siege season by season (sections 4 and 5)
adjustment, visibility_and_movement   sections 6 to 8
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from simulator.rules.advice import NOT_LEAVING, advised
from simulator.rules.battle import Built, Clock, Columns, Piece, States, by_kind, offered
from simulator.rules.birthright import adjustment, model, refusals, visibility_and_movement
from simulator.rules.birthright.field import text as field_text
from simulator.rules.birthright.field.tables import Setup
from simulator.rules.birthright.field.text import winner
from simulator.rules.birthright.quick.battle import build_quick
from simulator.rules.birthright.quick.siege import build_siege
from simulator.rules.birthright.units import muster_price, unit_rows
from simulator.rules.question import LOST, WON, Ending, Question
from simulator.rules.sides import ForceColumns
from simulator.rules.toolkit.naming import counted_list

LISTS = {"units": unit_rows}
FATES = tuple(
    f"{side}_{fate}" for side in ("attacker", "defender") for fate in ("standing", "routed", "destroyed", "hits")
)
GOLD = ("attacker_gold_lost", "defender_gold_lost", "attacker_gold", "defender_gold")
KNOWN = ("visible", "knows_type", "knows_statistics", "knows_origin", "knows_destination")


def build_fight(fields: model.Fight) -> Built:
    """A battle unit against unit."""
    setup = Setup(fields)
    chain = setup.chain(lambda *step: field_text.tell(setup, chain.params, *step))
    return Built(
        chain=chain,
        outcome=lambda states: field_text.columns(setup, chain.params, states),
        assumptions=lambda: field_text.assumptions(fields),
        explain=lambda: field_text.explain(setup),
        apart=lambda: [build_by_entry(fields, sides) for sides in ([(0, 1)] if setup.decided else [(0,), (1,)])],
        decisions=partial(field_text.decisions, setup, chain.params),
    )


def build_by_entry(fields: model.Fight, sides: Sequence[int]) -> Built:
    """The same battle with the destroyed units of these sides counted by entry, for `survival`.

    With both sides counted it has the whole outcome, which an objective may need.
    """
    setup = Setup(fields, sides)
    chain = setup.chain()

    def outcome(states: States) -> Columns:
        whole = len(sides) == len(setup.sides)
        return field_text.columns(setup, chain.params, states) if whole else {"winner": winner(chain.params, states)}

    def pieces(states: States) -> Sequence[Piece]:
        return [one for side in sides for one in field_text.survivors(setup, chain.params, side, states)]

    return Built(chain=chain, outcome=outcome, pieces=pieces)


UNITS_LEFT = ("attacker_units_left", "defender_units_left", "attacker_routed", "defender_routed", "turns")
STEPS_LEFT = ("attacker_steps_left", "defender_steps_left")
FIELD = Question(sentence="{A} wins the field in {m}, {D} in {winner == 'defender'}[, nobody in {winner == 'nobody'}].")
SIEGE = "The castle falls in {m}, holds in {winner == 'defender'}[; the siege is still open in {winner == 'nobody'}]."
FALLS = (
    Ending("castle falls", WON, "attacker"),
    Ending("still open", "winner == 'nobody'", "nobody"),
    Ending("castle holds", LOST, "defender"),
)
LAST = (Ending("moves last", "last_word", "attacker"), Ending("not last", "not last_word", "defender"))
SEEN = (Ending("seen", "visible", "attacker"), Ending("not seen", "not visible", "defender"))
IN_TIME = (Ending("in time", WON, "attacker"), Ending("too late", LOST, "defender"))
LOSSES = {
    "weakest-first": "lose the weakest units first",
    "spread": "spread the losses over all units",
    "as-listed": "lose the units in the order of the list",
}
_kind = partial(offered, price=muster_price, money="gold bars")
BATTLES = by_kind(
    _kind(
        model.Tactical,
        summary=(*FATES, *GOLD),
        question=FIELD,
        check=refusals.check_fight,
        build=build_fight,
        version=3,
    ),
    _kind(
        model.Storm,
        summary=(*FATES, "defender_captured", *GOLD),
        question=Question(sentence="The castle is stormed in {m}, holds in {not m}."),
        check=refusals.check_fight,
        build=build_fight,
        version=3,
    ),
    _kind(
        model.QuickBattle,
        summary=(*STEPS_LEFT, *UNITS_LEFT, *GOLD),
        question=FIELD,
        check=refusals.check_quick,
        build=build_quick,
    ),
    _kind(
        model.Siege,
        question=Question(sentence=SIEGE, endings=FALLS),
        summary=("seasons", "level_left", *STEPS_LEFT, "relief_came", "storms", *GOLD, "attacker_upkeep"),
        check=refusals.check_siege,
        build=build_siege,
        clock=Clock("seasons", "winner == 'attacker'", "the place has fallen", "policy.attacker.siege", "season"),
    ),
    offered(
        model.Adjustment,
        question=Question("last_word", "The regent moves last in {m}, and may enter in {may_enter}.", LAST),
        summary=("position", "first", "last_word", "may_enter", "may_leave"),
        check=adjustment.check,
        build=adjustment.build,
    ),
    offered(
        model.Visibility,
        question=Question("visible", visibility_and_movement.seen_sentence, SEEN),
        summary=KNOWN,
        check=visibility_and_movement.check_visibility,
        build=visibility_and_movement.visibility,
        version=2,
    ),
    offered(
        model.Movement,
        question=Question(sentence=visibility_and_movement.march_sentence, endings=IN_TIME),
        summary=("war_moves_needed", "months", "entered_in_time", "points_left", "may_retreat"),
        check=visibility_and_movement.check_movement,
        build=visibility_and_movement.movement,
    ),
    name="Birthright",
    advice=advised({"losses": LOSSES}, {"retreat": "leave", "siege": NOT_LEAVING}),
    total=partial(counted_list, "units", "unit"),
    forces=ForceColumns(
        {"units_left": "units left", "standing": "units standing"},
        {"destroyed": ""},
        money="gold_lost",
        no_units=("steps",),
    ),
)
