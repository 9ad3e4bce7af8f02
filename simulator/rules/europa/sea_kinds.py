"""The battle kinds at sea, and every other chance procedure (docs/rules/europa_naval_and_other.md)."""

from __future__ import annotations

from simulator.rules.battle import Battle, Built
from simulator.rules.europa import attrition_model, naval_model, overseas_model, passage_model, voyage_model
from simulator.rules.europa.attrition_rules import build_attrition
from simulator.rules.europa.discovery_rules import build_activation, build_conquest, build_exploration
from simulator.rules.europa.encounter_rules import build_blockade_run, build_interception, build_strait_fire
from simulator.rules.europa.naval_end_tables import BattleSetup
from simulator.rules.europa.naval_outcome import naval_outcome
from simulator.rules.europa.naval_text import naval_assumptions, naval_explanation, teller
from simulator.rules.europa.passage_rules import FAILURES, build_passage
from simulator.rules.europa.raid_rules import build_corsair_raid
from simulator.rules.europa.squadrons import engagement
from simulator.rules.europa.track_rules import BOXES, build_continuation, build_logistics, build_survival


def build_naval(fields: naval_model.Naval) -> Built:
    """Everything that answers a naval battle."""
    setup = BattleSetup(engagement(fields))
    return Built(
        chain=setup.chain(teller(setup)),
        outcome=lambda states: naval_outcome(setup, states),
        assumptions=lambda: naval_assumptions(setup),
        explain=lambda: naval_explanation(setup),
    )


KINDS = (
    Battle(
        game="europa",
        kind="naval",
        title="a naval battle of at most two days",
        model=naval_model.Naval,
        check=naval_model.check_naval,
        build=build_naval,
        version=3,
        headline=(
            "attacker_losses_thirds",
            "defender_losses_thirds",
            "attacker_warships_left",
            "defender_warships_left",
            "attacker_ships_taken",
            "defender_ships_taken",
            "attacker_destroyed_thirds",
            "defender_destroyed_thirds",
        ),
    ),
    Battle(
        game="europa",
        kind="attrition",
        title="attrition of a stack or fleet",
        model=attrition_model.Attrition,
        check=attrition_model.check_attrition,
        build=build_attrition,
        results={
            "nothing is lost": "winner == 'attacker'",
            "a part is lost": "winner == 'nobody'",
            "all is lost": "winner == 'defender'",
            "a pillage is placed": "pillage_placed",
            "the stack forages": "foraging",
        },
        headline=(
            "attacker_losses_thirds",
            "attacker_left_thirds",
            "attacker_warships_left",
            "attacker_transports_left",
            "attacker_troops_left_thirds",
        ),
    ),
    Battle(
        game="europa",
        kind="interception",
        title="interception of a moving stack",
        model=voyage_model.Interception,
        check=voyage_model.check_interception,
        build=build_interception,
        version=2,
        results={"it is intercepted": "intercepted", "it moves on": "not intercepted"},
        headline=("interceptors_arrived", "counter_interceptors_arrived"),
    ),
    Battle(
        game="europa",
        kind="blockade-run",
        title="a run past a blockade",
        model=voyage_model.BlockadeRun,
        check=voyage_model.check_blockade_run,
        build=build_blockade_run,
        results={
            "it escapes": "escaped",
            "it is stopped": "stopped and not caught",
            "it is caught": "caught",
            "it has to fight": "battle",
        },
        headline=("corsair_sides_lost",),
    ),
    Battle(
        game="europa",
        kind="strait-fire",
        title="a work fires at a passing fleet",
        model=voyage_model.StraitFire,
        check=voyage_model.check_strait_fire,
        build=build_strait_fire,
        results={"it passes": "not stopped", "it is stopped": "stopped"},
        headline=("detachments_lost", "defender_losses_thirds", "defender_corsair_sides_left"),
    ),
    Battle(
        game="europa",
        kind="corsair-raid",
        title="a corsair attacks a stack carrying gold",
        model=voyage_model.CorsairRaid,
        check=voyage_model.check_corsair_raid,
        build=build_corsair_raid,
        results={
            "the corsair takes ships": "winner == 'attacker'",
            "the corsair misses the convoy": "not intercepted",
            "the escort drives it off": "driven_off",
        },
        headline=("gold_lost", "gold_gained", "transports_captured", "warships_captured", "defender_gold_left"),
    ),
    Battle(
        game="europa",
        kind="exploration",
        title="exploration of a sea zone or an area",
        model=overseas_model.Exploration,
        check=overseas_model.check_exploration,
        build=build_exploration,
        results={
            "a discovery": "discovered",
            "nothing is found": "not discovered and not wiped_out",
            "nobody comes back": "wiped_out",
            "the leader dies": "leader_dead",
        },
        headline=("attacker_warships_left", "attacker_exploration_ships_left", "attacker_troops_left_thirds"),
    ),
    Battle(
        game="europa",
        kind="conquistador",
        title="a conquistador among natives",
        model=overseas_model.Conquest,
        check=overseas_model.check_conquest,
        build=build_conquest,
        results={
            "nobody resists": "winner == 'attacker'",
            "some resist": "winner == 'nobody'",
            "all resist": "winner == 'defender'",
        },
        headline=("resisters_thirds", "joiners_thirds", "natives_removed_thirds"),
    ),
    Battle(
        game="europa",
        kind="native-activation",
        title="do the natives attack?",
        model=overseas_model.Activation,
        check=overseas_model.check_tables,
        build=build_activation,
        results={"the natives attack": "activated", "the natives stay quiet": "not activated"},
        headline=("activated",),
    ),
    Battle(
        game="europa",
        kind="continuation",
        title="rounds of the military phase",
        model=overseas_model.Continuation,
        check=overseas_model.check_tables,
        build=build_continuation,
        results={f"{box} is played": f"played_{box.lower()}" for box in BOXES},
        headline=(
            "rounds_left",
            "summers_left",
            "winters_left",
            "extended_campaigns",
            "bad_weather_rounds",
            "winterings",
        ),
    ),
    Battle(
        game="europa",
        kind="leader-survival",
        title="what becomes of a leader after a battle",
        model=overseas_model.Survival,
        check=overseas_model.check_tables,
        build=build_survival,
        results={
            "unharmed": "winner == 'attacker'",
            "killed": "killed",
            "wounded": "wounded",
            "captured": "captured",
        },
        headline=("wound_rounds",),
    ),
    Battle(
        game="europa",
        kind="logistics",
        title="what a fleet can carry, supply and blockade",
        model=voyage_model.Logistics,
        check=voyage_model.check_logistics,
        build=build_logistics,
        results={
            "the load fits": "fits",
            "it supplies the stack": "supplies",
            "it can blockade the fortress": "can_blockade",
            "the port holds it": "port_holds",
        },
        headline=("half_points_needed", "half_points_provided", "blockade_and_supply_grade"),
    ),
    Battle(
        game="europa",
        kind="passage",
        title="a landing past blockade, works, patrols and storms",
        model=passage_model.Passage,
        check=passage_model.check_passage,
        build=build_passage,
        version=2,
        results={"it lands": "landed"} | {reason.replace("_", " "): reason for reason in FAILURES},
        headline=("landed_thirds", "battles", "attacker_warships_left", "attacker_transports_left"),
    ),
)
