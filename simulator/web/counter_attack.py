"""The counter-attack: what is left of a battle, and who joins, fight again; as a second table under the first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simulator.analysis.campaigns.campaign import campaign
from simulator.analysis.odds.headline import headline_of
from simulator.analysis.odds.odds import Odds
from simulator.report.campaigns import CampaignReport
from simulator.report.survivor_bar import SurvivorBlock, blocks_where
from simulator.rules.battle import Battle
from simulator.rules.campaign import carry_of
from simulator.rules.toolkit.naming import listed
from simulator.rules.toolkit.words import number_of, percent, words
from simulator.scenarios import Draft, Scenario, ScenarioError
from simulator.web import catalogue, links
from simulator.web.links import address_of
from simulator.web.views.answers import drawn, odds_in_time
from simulator.web.views.request import BattleRequest

# A chance below this is rounding.
LEAST_NEITHER = 5e-4


def answer(request: BattleRequest) -> dict[str, Any]:
    """The battle and then the defender's attack on what is left, as a campaign of two fights, for its template.

    Raises ScenarioError.
    """
    numbers = catalogue.tools_of(request.battle, request.data)["numbers"]
    start, whole = _pieces(request.battle, request.data), request.options.whole
    # Reinforcements of the second battle, in which the defender of the first attacks.
    comes = {name: whole(f"join.{name}") for name in start if f"defender.{name}" in numbers}
    holds = {name: whole(f"hold.{name}") for name in start if f"attacker.{name}" in numbers}
    if all(number is None for number in (*comes.values(), *holds.values())):
        comes = {name: start[name] for name in comes}
    join = {f"attacker.{name}": n for name, n in (start | comes).items()}
    join |= {f"defender.{name}": n for name, n in holds.items()}
    scenario = _struck_back(request.draft, join)
    odds = odds_in_time(scenario, request.limits)[0]
    report, headline = CampaignReport(scenario, odds), headline_of(odds, decimals=1)
    fight = report.plan.fights[-1]
    fates = report.fates(fight)
    rest = 1 - headline.value - fates["attacker"] - fates["none"]
    stay = scenario.data["fight"][-1]["defender"].get("stay", {})
    rows = [(name, holds.get(name), comes.get(name), name in stay) for name in start if name in {*holds, *comes}]
    about = {"sentence": headline.text, "rows": rows, "held": headline.value, "lost": fates["attacker"]}
    about |= {"never": fates["none"], "neither": rest if rest > LEAST_NEITHER else 0.0}
    about |= {"wave": _next_wave(scenario, start), "blocks": drawn(_blocks(odds, fight.name, headline.value))}
    about["joining"] = [_in_words(table) for table in (holds, comes)]
    game, against = (
        catalogue.short_name(request.battle),
        catalogue.against(request.battle, request.data, request.totals),
    )
    about["address"] = f"{request.address}&{links.query(pairs_of(request))}"
    about["embed"] = links.embedded(f"{request.job.host}{about['address']}", request.battle)
    about["title"] = f"{game}: {against}taken and still held {percent(headline.value, 0)}"
    lines = [line.replace("if fight 1 ", "if the first battle ") for line in report.unfought()]
    return about | {"stay": list(stay), "how": odds.how(), "exact": odds.battles is None, "lines": lines}


def is_asked(request: BattleRequest) -> bool:
    """Does an address show the counter-attack too? Older ones name it as their tab."""
    return request.options.text("counter") == "1" or request.options.text("tab") == "counter"


def pairs_of(request: BattleRequest) -> links.Pairs:
    """The part of a counter-attack's address that is not its battle."""
    joins = [name for name in request.options.names() if name.startswith(("join.", "hold."))]
    return [("with.counter", "1"), *((f"with.{name}", request.options.text(name)) for name in joins)]


def _in_words(table: Mapping[str, Any]) -> str:
    """The pieces that join a side: "joined by 4 infantry"."""
    named = [number_of(n, words(name)) for name, n in table.items() if n]
    return f"joined by {listed(named)}" if named else ""


def _blocks(odds: Odds, name: str, held: float) -> list[SurvivorBlock]:
    """The bar of both battles: who is left where the place is held, then where it is taken back; then never taken.

    Colours stay with the player: the attacker of the first battle is the attacker here.
    """
    back, never = f"{name}_winner == 'attacker'", f"{name}_winner == 'none'"
    p_back, p_never = odds.p(back), odds.p(never)
    blocks = blocks_where(odds, "attacker", f"winner == 'attacker' and not ({back}) and not ({never})")
    if abs(sum(one.p for one in blocks) - held) > LEAST_NEITHER:  # a goal that says more than who is left
        blocks = [SurvivorBlock("attacker", held, ("held",), "taken and still held")]
    rest = 1 - held - p_back - p_never
    blocks += [SurvivorBlock("nobody", rest, (), "nobody has it")] if rest > LEAST_NEITHER else []
    blocks += blocks_where(odds, "defender", back)
    return [*blocks, *([SurvivorBlock("going", p_never, ("not", "taken"), "never taken")] if p_never else [])]


def _next_wave(scenario: Scenario, pieces: Mapping[str, Any]) -> str:
    """The address of the campaign with a third fight: the attacker comes again if the place was taken back."""
    first, *_, last = scenario.data["fight"]
    again = {"force": "attacker", "join": {next(iter(pieces)): 1}}
    sides = {"attacker": again, "defender": {"force": "defender"}}
    fight = {"battle": first["battle"], "name": "wave", "if": f"{last['name']}_won"} | sides
    data = {key: value for key, value in scenario.data.items() if key != "goal"}
    data["fight"] = [*data["fight"], fight]
    try:
        Draft(data, paths=False).checked()
    except ScenarioError:
        return ""
    return address_of(data, scenario.battle)


def _struck_back(draft: Draft, join: Mapping[str, Any]) -> Scenario:
    """A battle, and the defender's attack on what is left, which these pieces join. Raises ScenarioError."""
    try:
        return campaign(draft, counter_attack=True, join={path: n for path, n in join.items() if n})
    except ScenarioError as error:
        if "nobody of the defender is left to strike back" not in str(error):
            raise
        raise ScenarioError("Nobody of the defender is left to strike back: enter who joins") from None


def _pieces(battle: Battle, data: Mapping[str, Any]) -> dict[str, Any]:
    """The pieces with which the defender may strike back: as many as he has in this battle, None of what he lacks.

    Empty where this kind is no fight of a campaign.
    """
    try:
        carry, own = carry_of(battle.game, data.get("rules"), None, False), data.get("defender")
    except ValueError:
        return {}
    attackers, defenders = carry.fights.get(battle.kind) or (None, None)
    if not attackers or not defenders or not isinstance(own, Mapping):
        return {}
    return {piece: own.get(piece) for group in attackers for piece in dict.fromkeys(group)}


def is_possible(battle: Battle, data: Mapping[str, Any]) -> bool:
    """Is there a campaign of this battle and a counter-attack? Not of a path, nor of a side of several realms."""
    try:
        join = {f"attacker.{name}": n for name, n in _pieces(battle, data).items()}
        return bool(join) and bool(_struck_back(Draft(data, paths=False), join))
    except ScenarioError:
        return False
