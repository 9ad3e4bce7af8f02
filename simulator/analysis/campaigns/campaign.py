"""Ordinary scenarios as a campaign: battles in turn, and the counter-attack (docs/rules/campaigns.md section 4.4).

exact(campaign("first.toml", "second.toml"))                              # the survivors of the first fight the second
exact(campaign("raid.toml", counter_attack=True, join={"attacker.tank": 2}))    # then the defender strikes back
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from simulator.rules import GAMES, PLAN
from simulator.rules.battle import Refusal
from simulator.rules.campaign import GAME, carry_of
from simulator.rules.campaign.carry import Carry, Number, fields_of
from simulator.rules.custom.game_file.files import is_path
from simulator.rules.sides import SIDES
from simulator.rules.toolkit.policies import refuse
from simulator.scenarios import Draft, Scenario, ScenarioError, Source, draft
from simulator.scenarios.arguments import checked
from simulator.scenarios.kinds import worded
from simulator.scenarios.paths import set_path
from simulator.scenarios.reading import read_value
from simulator.scenarios.validation import shown

COUNTER = "counter"
ALL_LEFT = ", with all that may be left"
# Kinds that are several battles themselves.
CHAINS = ("campaign", "expedition")
CHAIN = "{} is a chain itself; write its battles as fights (campaigns.md section 6)"
NOT_OF_A_FIGHT = ("game", "rules", "name", "about", "objective")
Table = dict[str, Any]


@checked
def campaign(
    *scenarios: Source,
    counter_attack: bool | Source = False,
    join: Mapping[str, Any] | None = None,
    all_defend: bool = False,
) -> Scenario:
    """Scenarios of one game as a campaign, fought in turn by the survivors.

    The forces `attacker` and `defender` have the pieces of the first scenario; those of the others join before their
    fights. `exact`, `odds` and the other questions answer a campaign as they answer a battle.

    Parameters
    ----------
    *scenarios : Scenario, mapping, str or Path
        The fights in order. A single campaign is returned as it is.
    counter_attack : bool or scenario
        After a last fight that was won the defender attacks what is left: as the last scenario says with the roles
        swapped, or as this scenario says, in which he is the attacker.
    join : mapping, optional
        Pieces that come to the counter-attack, such as `{"attacker.tank": 2}`.
    all_defend : bool
        Units of a game file that cannot take land (aircraft) defend, too.

    Returns
    -------
    Scenario
        The campaign.

    Raises
    ------
    ScenarioError
        For an invalid scenario, and for scenarios that cannot follow each other.

    Examples
    --------
    >>> round(odds(campaign("risk-20v15", "risk-20v15")).winner("attacker"), 3)
    0.938
    """
    return drafted(scenarios, counter_attack, join, all_defend).checked()


@dataclass(frozen=True)
class CampaignDraft(Draft):
    """A campaign made of scenarios: its complaints name the fields of these (`sources`)."""

    sources: tuple[str, ...] = ()

    def checked(self) -> Scenario:
        """The checked campaign. Raises ScenarioError."""
        try:
            return super().checked()
        except ScenarioError as error:
            raise ScenarioError(self.of_scenario(str(error)), error.unused) from None

    def of_scenario(self, text: str) -> str:
        """A complaint about a fight or a force, as one about the scenario that it was made of."""
        found = re.match(r"(?:fight\[(\d+)\]|force)\.([^:]*)(:.*)", text, re.DOTALL)
        if not found:
            return text
        place, given, rest = int(found[1] or 0), found[2], found[3]
        field = given.replace(".join", "")
        if place < len(self.sources):
            more = ALL_LEFT if place and "is not allowed" in rest else ""
            return f"{field}{rest}" + (f" (in {self.sources[place]}{more})" if len(self.sources) > 1 else "")
        more = ALL_LEFT if "more than" in rest else ""
        return f"join.{field}{rest}" if field != given else f"{field}{rest} (in the counter-attack{more})"


def drafted(
    scenarios: Sequence[Source],
    counter_attack: bool | Source = False,
    join: Mapping[str, Any] | None = None,
    all_defend: bool = False,
    names: Sequence[str] = (),
) -> Draft:
    """The campaign that `campaign` checks; its pieces may be distributions. Raises ScenarioError.

    `names` of the scenarios, the counter-attack's last, for messages.
    """
    if not scenarios:
        raise ScenarioError("campaign: give one or more scenarios")
    other = None if isinstance(counter_attack, bool) else spelt(counter_attack)
    if join is not None and (not counter_attack or other is not None):
        raise ScenarioError(f"join: {'list the pieces in its scenario' if other else 'goes with a counter-attack'}")
    if all_defend and not counter_attack:
        raise ScenarioError("all_defend: goes with a counter-attack")
    drafts = [spelt(one) for one in scenarios]
    if len(drafts) == 1 and not counter_attack and drafts[0].data.get("game") == GAME:
        return drafts[0]
    given = [*scenarios, *([] if isinstance(counter_attack, bool) else [counter_attack])]
    sources = tuple(names) or tuple(source_name(one, place) for place, one in enumerate(given))
    asked = AskedCampaign(drafts, bool(counter_attack), other, join or {}, all_defend, sources)
    check_alike(asked.every, sources)
    return asked.made()


class AskedCampaign(NamedTuple):
    """The battles of a campaign in turn, and its counter-attack: `other`, or the last battle with swapped roles."""

    drafts: Sequence[Draft]
    counter_attack: bool
    other: Draft | None
    join: Mapping[str, Any]
    all_defend: bool
    sources: tuple[str, ...]

    @property
    def every(self) -> list[Draft]:
        """The scenarios of all fights, in the order of `sources`."""
        return [*self.drafts, *([self.other] if self.other else [])]

    def made(self) -> CampaignDraft:
        """The campaign. Raises ScenarioError."""
        first, game = self.drafts[0], self.drafts[0].data["game"]
        carry = worded(lambda: carry_of(game, first.data.get("rules"), first.folder, first.paths))
        for one, name in zip(self.every, self.sources, strict=True):
            refuse_path(carry, one, name)
        maker = Maker(carry, self.refusal)
        for one in self.drafts:
            maker.add(one.data, SIDES)
        if self.counter_attack:
            pieces = joined_pieces(self.join)
            worded(lambda: maker.strike_back(self.other.data if self.other else None, pieces, self.all_defend))
        data: Table = {"game": GAME, "of": game}
        if "rules" in first.data:
            data["rules"] = first.data["rules"]
        data |= {"us": "attacker", "force": maker.forces, "fight": maker.fights}
        if maker.goal:
            data["goal"] = maker.goal
        elif game not in GAMES:
            data["columns"] = ["rounds"]
        return CampaignDraft(data, first.folder, first.paths, self.sources)

    def refusal(self, settings: Sequence[str]) -> str | None:
        """The reason why nobody can strike back even with these pieces as well; None if they can."""
        more = {path: read_value(value, "--join") for path, value in (one.split("=") for one in settings)}
        if self.other is not None:
            larger = self._replace(other=self.other.with_fields(more))
        else:
            larger = self._replace(join={**self.join, **more})
        try:
            larger.made().checked()
        except ScenarioError as error:
            return str(error)
        return None


def spelt(source: Source) -> Draft:
    """A scenario with the names of its game and kind as they are spelt: `land` for `LAND`. Raises ScenarioError."""
    given = draft(source)
    game = given.data.get("game")
    if isinstance(game, str) and game in {GAME, PLAN}:
        return given
    battle = given.battle()
    return replace(given, data={**given.data, "game": battle.game, "battle": battle.kind})


def source_name(source: Source, place: int) -> str:
    """A scenario in messages: its file or example, or its number."""
    return str(source) if isinstance(source, str | Path) else f"scenario {place + 1}"


def check_alike(drafts: Sequence[Draft], sources: Sequence[str]) -> None:
    """Refuse scenarios that are chains themselves, or not of one game. Raises ScenarioError."""
    first = drafts[0]
    for one, name in zip(drafts, sources, strict=True):
        game, kind = one.data.get("game"), one.data.get("battle")
        if game == GAME or (kind in CHAINS and game in GAMES):
            raise ScenarioError(f"campaign: {CHAIN.format(name)}")
        one.battle()
        for role in SIDES:
            if not isinstance(table := one.data.get(role, {}), Mapping):
                raise ScenarioError(f"{role}: {shown(table)} is not allowed; give a table")
        places = one.folder == first.folder or not is_path(game)
        if not places or any(one.data.get(key) != first.data.get(key) for key in ("game", "rules")):
            raise ScenarioError(f"game: {name} is of another game; the battles of a campaign share game and rules")


def refuse_path(carry: Carry, one: Draft, name: str) -> None:
    """Refuse a battle along a path, whose pieces are lists. Raises ScenarioError."""
    for role in SIDES:
        for piece, value in one.data.get(role, {}).items():
            if carry.pieces.get(piece) is Number and isinstance(value, list):
                raise ScenarioError(f"campaign: {CHAIN.format(name)}")


def joined_pieces(join: Mapping[str, Any]) -> Table:
    """The pieces that join a counter-attack, by side. Raises ScenarioError."""
    found: Table = {}
    for path, value in join.items():
        set_path(found, path, value)
    for path in join:
        if path.partition(".")[0] not in SIDES or not all(isinstance(table, Mapping) for table in found.values()):
            text = "name the piece of a side, like attacker.tank; the attacker is who counter-attacks"
            raise ScenarioError(f"join: {path!r} is not allowed; {text}")
    return found


class Maker:
    """Makes the forces and fights of a campaign from scenarios. Its methods raise Refusal."""

    def __init__(self, carry: Carry, refused: Callable[[Sequence[str]], str | None]) -> None:
        self.carry = carry
        self.refused = refused
        self.forces: dict[str, Table] = {}
        self.fights: list[Table] = []
        self.goal: str | None = None

    def add(self, data: Mapping[str, Any], forces: Sequence[str], **more: Any) -> Table:
        """A fight as a scenario says, whose attacker and defender are these forces."""
        fight: Table = {name: value for name, value in data.items() if name not in (*NOT_OF_A_FIGHT, *SIDES)} | more
        if data["battle"] not in self.carry.fights:  # its kind is refused; it may have further tables
            fight = {"battle": data["battle"]}
        if data["battle"] in self.carry.sieges and "defender" in self.forces:
            fight["if"] = "defender_units_here == 0"
        for role, force in zip(SIDES, forces, strict=True):
            fight[role] = self.side(str(data["battle"]), role, data.get(role, {}), force)
        self.fights.append(fight)
        return fight

    def side(self, kind: str, role: str, table: Mapping[str, Any], force: str) -> Mapping[str, Any]:
        """A side of a fight; its pieces belong to its force from the start, or join it."""
        fighting = self.carry.fights.get(kind)
        if fighting and fighting[SIDES.index(role)] is None:
            return table
        pieces, own = self.carry.parted(kind, role, table)
        side: Table = {"force": force} | own
        if force not in self.forces:
            # A force that was in no fight has the pieces of its first scenario if that is the first fight.
            self.forces[force] = {} if self.fights else pieces
            pieces = pieces if self.fights else {}
        return side | ({"join": pieces} if pieces else {})

    def strike_back(self, other: Mapping[str, Any] | None, join: Table, all_defend: bool) -> None:
        """The counter-attack by the defender of the last fight."""
        last, carry = self.fights[-1], self.carry
        kind, number = last["battle"], len(self.fights)
        pointless = kind in carry.kinds and carry.kinds[kind].question.number != ""
        refuse(pointless, "counter_attack", f"nothing is taken in a {kind} that could be won back")
        takers = carry.taken(kind)
        won = f"fight{number}_{'won' if takers is None else 'taken'}"
        data = other or self.swapped(last, join)
        fighting = carry.fights.get(data["battle"])
        if other is None and fighting and fighting[1] is None:
            text = f"a {kind} has no defenders who could attack; give the counter-attack as a scenario"
            raise Refusal("counter_attack", text)
        if fighting:
            # After a fight that was won nobody of the beaten side is left there.
            missing = carry.missing(data["battle"], "attacker", data.get("attacker", {}))
            if missing:
                raise self.nobody_left(missing, "" if other else "--join ")
        fight = self.add(data, SIDES[::-1], name=COUNTER, **{"if": won})
        if takers is not None and not all_defend:
            brought = {piece for table in (self.forces["attacker"], *self.joins("attacker")) for piece in table}
            stay = {
                piece: "all" for piece in carry.pieces if piece in brought and not takers[carry.by_piece[piece]].any()
            }
            fight["defender"] |= {"stay": stay} if stay else {}
        self.goal = f"{won} and not {COUNTER}_won"

    def nobody_left(self, missing: Sequence[Sequence[str]], option: str) -> Refusal:
        """Nobody is left to strike back: the example is the cheapest that is accepted; else what refuses them all."""
        text = "nobody of the defender is left to strike back"
        reasons = []
        for settings in product(*missing):
            if (reason := self.refused(settings)) is None:
                who = " ".join(f"{option}{shlex.quote(setting)}" if option else setting for setting in settings)
                return Refusal(
                    "join", f"{text}; say who comes, {'' if option else 'in its scenario, '}for example {who}"
                )
            reasons.append(reason)
        field, _, why = reasons[-1].partition(": ")
        return Refusal(field, why)

    def joins(self, force: str) -> list[Table]:
        """The pieces that join a force in any fight."""
        sides = [fight[role] for fight in self.fights for role in SIDES]
        return [side["join"] for side in sides if side.get("force") == force and "join" in side]

    def swapped(self, last: Table, join: Table) -> Table:
        """The last fight with the roles swapped: its kind, conditions and options, the traits that hold in both roles.

        Policies are those by default: they belong to a role.
        """
        data: Table = {name: last[name] for name in ("battle", "conditions", "options") if name in last}
        for role, former in zip(SIDES, SIDES[::-1], strict=True):
            known = fields_of(self.carry.kinds[data["battle"]], role)
            one_time = {*self.carry.in_one_fight, *self.carry.pieces, "force", "join"}
            traits = {name: value for name, value in last[former].items() if name in known and name not in one_time}
            for name in join.get(role, {}):
                pieces = ", ".join(self.carry.pieces)
                refuse(name not in self.carry.pieces, f"join.{role}.{name}", f"no such piece; pieces: {pieces}")
            data[role] = traits | join.get(role, {})
        return data
