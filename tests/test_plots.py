from pathlib import Path

import pytest

from simulator import exact, simulate, sweep
from simulator.rules import custom

LAND = {"game": "risk", "battle": "land", "attacker": {"regiments": 4}, "defender": {"regiments": 3}}


def bars(axes):
    return sum(patch.get_height() for patch in axes.patches)


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_pictures_are_written(tmp_path, ending):
    path = tmp_path / f"odds.{ending}"
    axes = exact(LAND).plot(column="attacker_regiments_lost", path=path)
    assert path.stat().st_size > 1000
    assert bars(axes) == pytest.approx(1)


def test_simulated_bars_carry_intervals():
    axes = simulate(LAND, 2000).plot()
    assert axes.containers
    assert "2,000 battles" in axes.get_title(loc="left")


def test_one_axis_is_a_line_and_two_are_a_heat_map(tmp_path):
    line = sweep(LAND, {"attacker.regiments": range(1, 6)}, battles=500).plot(path=tmp_path / "line.png")
    assert [len(drawn.get_xdata()) for drawn in line.lines] == [5]
    heat = sweep(LAND, {"attacker.regiments": range(1, 4), "defender.regiments": range(1, 6)}).plot(
        path=tmp_path / "heat.svg"
    )
    assert heat.images[0].get_array().shape == (3, 5)
    named = sweep(LAND, {"options.ties": ["defender", "both"]}).plot()
    assert [label.get_text() for label in named.get_xticklabels()] == ["defender", "both"]


def test_red_and_blue_are_always_the_two_sides():
    from matplotlib.colors import to_hex

    from simulator import sensitivity
    from simulator.report.plots.figures import COLOURS, LINES

    assert not {COLOURS["attacker"], COLOURS["defender"]} & set(LINES)
    grid = {"attacker.regiments": range(1, 4), "defender.regiments": range(1, 3)}
    for value, lowest, highest in (("p_attacker", "defender", "attacker"), ("p_defender", "attacker", "defender")):
        colours = sweep(LAND, grid, value=value).plot().images[0].cmap
        assert [to_hex(colours(end)).upper() for end in (0.0, 1.0)] == [COLOURS[lowest], COLOURS[highest]]
    bars_of = sensitivity(LAND).plot().patches
    assert {to_hex(one.get_facecolor()).upper() for one in bars_of} == {COLOURS["attacker"], COLOURS["defender"]}


def test_the_sides_have_the_colours_of_the_web_page():
    from matplotlib.colors import to_hex

    from simulator.report.plots.figures import COLOURS
    from simulator.web.views import charts

    style = (Path(charts.__file__).parents[1] / "static" / "style.css").read_text(encoding="utf-8")
    for name, colour in (("attack", "attacker"), ("defend", "defender"), ("neither", "nobody")):
        assert f"--{name}: light-dark({COLOURS[colour].lower()}" in style
    ends = [to_hex([part / 255 for part in charts.COLOURS[place]]).upper() for place in (0, -1)]
    assert ends == [COLOURS["defender"], COLOURS["attacker"]]


def test_titles_name_the_game_and_the_finding(tmp_path):
    file = tmp_path / "barrow.toml"
    file.write_bytes((Path(custom.__file__).parent / "data" / "skirmish.toml").read_bytes())
    battle = {"game": str(file), "battle": "field", "attacker": {"pikes": 3}, "defender": {"pikes": 2}}
    title = exact(battle).plot().figure.get_suptitle()
    assert title.startswith("Skirmish, field. The attacker takes the ground in 70.64 %")
    swept = sweep(LAND, {"attacker.regiments": [2, 4]}).plot().figure.get_suptitle()
    assert swept == "Risk, land: chance that attacker wins is 20.6 % to 64.2 %"


def test_the_column_drawn_by_default_varies_and_its_legend_fits():
    axes = exact("knt-four-meet-two").plot()
    axes.figure.canvas.draw()
    legend, width = axes.figure.legends[0].get_window_extent(), axes.figure.bbox.width
    assert legend.x0 >= 0
    assert legend.x1 <= width
    assert len(exact("europa-columbus-1492").plot().get_xticks()) > 1
    always = exact("birthright-march").plot()
    assert {tick % 1 for tick in always.get_xticks()} == {0}


def test_best_play_is_drawn_by_the_units_left_and_explains_every_shade():
    from simulator import best, load
    from simulator.report.plots.best import _strength

    axes = best("risk-when-to-stop").plot()
    shades = [text.get_text() for text in axes.get_legend().get_texts()]
    assert shades == ["go on", "stop", "go on, a close call", "stop, a close call", "does not occur"]
    words = "front elite-infantry 0 hits; fresh 2 archers and 1 knights; resting pikemen 1 hit; routed 2"
    assert _strength({"attacker": words}, "attacker") == 5
    never = best(load("knt-raid").replace("policy.attacker.retreat", "best")).plot()
    assert never.figure.get_suptitle().endswith("and never leaves")


def test_bad_pictures_are_refused(tmp_path):
    with pytest.raises(ValueError, match=r"plot: .* ends in .png, .svg, .pdf"):
        exact(LAND).plot(path=tmp_path / "odds.xyz")
    with pytest.raises(ValueError, match="no folder"):
        exact(LAND).plot(path=tmp_path / "nowhere" / "odds.png")
    with pytest.raises(ValueError, match=r"plot: .odds.png. is not allowed as ax.* path="):
        exact(LAND).plot("odds.png")
    with pytest.raises(ValueError, match="3 fields varied"):
        sweep(LAND, {"attacker.regiments": [1], "defender.regiments": [1], "options.resort": [True]}).plot()
    with pytest.raises(ValueError, match="no column"):
        exact(LAND).plot(column="nothing")
