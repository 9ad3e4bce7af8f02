"""Sieges over several rounds: the chance that the fortress has fallen by each round, plan by plan.

odds = exact("europa-vienna-1529")
fallen_by_round(odds)                    # round, p, low, high
compare_plans("europa-vienna-1529")      # one column a plan
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from simulator.analysis.answer import exact, simulate
from simulator.analysis.odds import Odds, wilson
from simulator.scenarios import Scenario, load

if TYPE_CHECKING:
    import pandas as pd

Source = Scenario | str | Path | Mapping[str, Any]
PLAN = "policy.attacker.plan"
COLUMNS = ("rounds", "fallen")


def check_campaign(scenario: Scenario) -> None:
    """Refuse (ValueError) a battle kind that does not run over rounds."""
    if scenario.battle.kind != "siege-campaign":
        kind = f"{scenario.battle.game} {scenario.battle.kind}"
        raise ValueError(f"battle: {kind} has no rounds; must be siege-campaign")


def fallen_rows(odds: Odds) -> list[dict[str, Any]]:
    """The curve as plain values: `round`, `p` that the fortress has fallen by then, `low` and `high` (95 %)."""
    missing = [name for name in COLUMNS if name not in odds.columns]
    if missing:
        raise ValueError(f"odds: no column {missing[0]!r}; give those of a siege-campaign")
    rounds, fallen = odds.columns["rounds"], odds.columns["fallen"]
    found = []
    for number in range(1, int(rounds.max()) + 1):
        p = float(odds.chances[fallen & (rounds <= number)].sum())
        low, high = (p, p) if odds.battles is None else wilson(p, odds.battles)
        found.append({"round": number, "p": p, "low": low, "high": high})
    return found


def fallen_by_round(odds: Odds) -> pd.DataFrame:
    """Chance that the fortress has fallen by each round, with 95 % bounds (no width when exact).

    Raises ValueError for odds of another kind.
    """
    import pandas as pd

    return pd.DataFrame(fallen_rows(odds))


def plans_of(scenario: Scenario) -> tuple[str, ...]:
    """Names of all plans of a campaign's besieger."""
    policy = type(scenario.fields.policy.attacker)
    return get_args(policy.model_fields["plan"].annotation)


def plan_odds(
    scenario: Source, battles: int | None = None, seed: int = 0, threads: int | None = None
) -> dict[str, Odds]:
    """The odds under every plan: exact, or simulated when `battles` is given. Raises ValueError for another kind."""
    asked = scenario if isinstance(scenario, Scenario) else load(scenario)
    check_campaign(asked)
    changed = {plan: asked.replace(PLAN, plan) for plan in plans_of(asked)}
    if battles is None:
        return {plan: exact(one) for plan, one in changed.items()}
    return {plan: simulate(one, battles, seed, threads) for plan, one in changed.items()}


def compare_plans(
    scenario: Source, battles: int | None = None, seed: int = 0, threads: int | None = None
) -> pd.DataFrame:
    """All plans side by side: index `round`, one column a plan with the chance that the fortress has fallen by then.

    Exact, or simulated when `battles` is given.
    """
    import pandas as pd

    found = plan_odds(scenario, battles, seed, threads)
    return pd.DataFrame(compared_rows(found)).set_index("round")


def compared_rows(found: Mapping[str, Odds]) -> list[dict[str, Any]]:
    """The comparison as plain values; a plan that ends every siege early keeps its last chance."""
    curves = {plan: [row["p"] for row in fallen_rows(odds)] for plan, odds in found.items()}
    longest = max(map(len, curves.values()))
    return [
        {"round": number + 1} | {plan: curve[min(number, len(curve) - 1)] for plan, curve in curves.items()}
        for number in range(longest)
    ]
