"""The policies of a battle that may be decided, and the battle in which one is."""

from __future__ import annotations

from simulator.analysis.decisions.default_play import allowed
from simulator.scenarios import Draft, Source, draft
from simulator.scenarios.objective import BEST
from simulator.scenarios.paths import parameter_path
from simulator.scenarios.schema import choices, field_rows


def may_be_best(scenario: Source) -> list[str]:
    """Paths of the policies of a scenario that may be `best` in it, the attacker's first."""
    asked = draft(scenario)
    paths = (path for path in policies_of(asked) if BEST in choices(asked.battle(), path))
    return [path for path in paths if allowed(deciding(asked, path))]


def deciding(asked: Draft, path: str) -> Draft:
    """The battle with a policy that is decided, without the number of the fixed policy that it replaces."""
    for parameter in set(asked.battle().parameters.values()):
        asked = asked.without(parameter_path(path, parameter)) or asked
    return asked.with_fields({path: BEST})


def policies_of(asked: Draft) -> list[str]:
    """The policies of a battle kind that may be decided: those that choose among names."""
    battle = asked.battle()
    rows = [row.path for row in field_rows(battle) if row.path.startswith("policy.")]
    fights = asked.data.get("fight", ()) if battle.game == "campaign" else ()
    rows += [f"fight[{place}].attacker.go" for place in range(len(fights))]
    return [path for path in rows if len(choices(battle, path)) > 1]
