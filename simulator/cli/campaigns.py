"""The command `campaign`: battles in turn, counter-attacks, and chances by round."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typer.core import TyperCommand

from simulator.cli import options
from simulator.cli.odds import ShownParts, mixed_odds, plain_odds
from simulator.cli.output import DiceOptions, Given, Output, TableOutput, check_writable, grouped, note, write_text
from simulator.cli.scaling import Elsewhere
from simulator.cli.studies import drafts_of
from simulator.scenarios import ScenarioError, is_uncertain, reading

if TYPE_CHECKING:
    from simulator.scenarios import Draft

COUNTER = "--counter-attack"


class WithCounterAttack(TyperCommand):
    """A command whose option --counter-attack may stand alone or before a scenario."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments."""
        return super().parse_args(ctx, spelled(args))


def spelled(arguments: Sequence[str]) -> list[str]:
    """The arguments with an empty value after each --counter-attack that no scenario follows.

    The scenario of the attack stands before it: the first scenario on the line is never that of the counter-attack.
    """
    found: list[str] = []
    for at, word in enumerate(arguments):
        found.append(word)
        after = arguments[at + 1] if at + 1 < len(arguments) else "--"
        first = all(one.startswith("-") and one != "-" for one in arguments[:at])
        if word == COUNTER and (first or (after.startswith("-") and after != "-")):
            found.append("")
    return found


@dataclass(frozen=True)
class Fights:
    """Options of the battles of a campaign, and of the plans of one that runs over rounds."""

    more: options.Waves = None
    counter_attack: options.CounterAttack = None
    join: options.Joined = None
    all_defend: options.AllDefend = False
    save: options.SaveFile = None
    all_plans: options.AllPlans = False

    def drafted(self, drafts: Sequence[Draft], names: Sequence[str]) -> Draft:
        """The campaign of these scenarios, the counter-attack's last. Raises ScenarioError."""
        from simulator.analysis.campaigns.campaign import drafted

        pairs = reading.read_pairs(self.join or (), "--join")
        joined = {path: reading.read_value(value, "--join") for path, value in pairs.items()}
        *waves, last = drafts
        if self.counter_attack:
            return drafted(waves, last, joined or None, self.all_defend, names)
        return drafted(drafts, self.counter_attack is not None, joined or None, self.all_defend, names)


@grouped
def campaign(
    given: Given,
    fights: Fights,
    *,
    dice: DiceOptions,
    only_exact: options.Exact = False,
    shown: ShownParts,
    output: Output,
) -> int:
    """Battles in turn, fought by the survivors, and the counter-attack; or the chance by each round of one siege."""
    strikes_back = [fights.counter_attack] if fights.counter_attack else []
    sources = [given.scenario, *(fights.more or ()), *strikes_back]
    drafts = list(drafts_of(sources, given.settings or ()).values())
    alone = len(drafts) == 1 and fights.counter_attack is None
    if alone and drafts[0].data.get("game") != "campaign":
        if fights.save or fights.join or fights.all_defend or shown.value:
            raise ValueError("--save, --join, --all-defend, --value: go with several scenarios or --counter-attack")
        return _by_round(drafts[0], fights.all_plans, dice, TableOutput(**vars(output), every=shown.everything))
    if fights.all_plans:
        raise ValueError("--all-plans: goes with one scenario that is fought in rounds")
    asked = fights.drafted(drafts, sources)
    if fights.save:
        _save(asked, fights.save, output)
    method = dice.method(only_exact)
    if is_uncertain(asked):
        return mixed_odds(asked, method, None, output)
    return plain_odds(asked.checked(), method, None, Elsewhere(), shown, output)


def _by_round(asked: Draft, all_plans: bool, dice: DiceOptions, output: TableOutput) -> int:
    """The chance by each round of a battle that runs over rounds."""
    from simulator.analysis.campaigns.by_round import by_round
    from simulator.report.tables.studies import rounds_parts

    checked = asked.checked()
    if (battle := checked.battle).clock is None:
        more = "give --counter-attack, or the scenarios that are fought after it"
        raise ScenarioError(f"battle: {battle.game} {battle.kind} has no rounds to ask for; {more}")
    return output.answer(
        "answers",
        lambda shown: by_round(checked, all_plans=all_plans, **dice.arguments(), progress=shown),
        lambda found: rounds_parts(found, output.every),
        lambda found: "interrupted; this is what was gathered",
    )


def _save(asked: Draft, path: Path, output: Output) -> None:
    """Write the campaign as a scenario file; it is checked before."""
    from simulator.rules.custom.game_file.files import is_path
    from simulator.scenarios.files import toml_text

    check_writable(path, "save")
    if path.suffix.lower() != ".toml":
        raise ValueError(f"save: {str(path)!r} is not allowed; give a file that ends in .toml")
    if not is_uncertain(asked):
        asked.checked()
    data = dict(asked.data)
    if is_path(data["of"]):
        data["of"] = os.path.relpath((asked.folder or Path()) / data["of"], path.absolute().parent)
        data["of"] = data["of"] if is_path(data["of"]) else f"./{data['of']}"
    write_text(path, toml_text(data), "save", output.force)
    note(f"saved as {path}", output.quiet)
