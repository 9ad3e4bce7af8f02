import pytest

from simulator import exact, simulate, sweep

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
    from simulator.report.figures import COLOURS, LINES

    assert not {COLOURS["attacker"], COLOURS["defender"]} & set(LINES)
    grid = {"attacker.regiments": range(1, 4), "defender.regiments": range(1, 3)}
    for value, lowest, highest in (("p_attacker", "defender", "attacker"), ("p_defender", "attacker", "defender")):
        colours = sweep(LAND, grid, value=value).plot().images[0].cmap
        assert [to_hex(colours(end)).upper() for end in (0.0, 1.0)] == [COLOURS[lowest], COLOURS[highest]]
    bars_of = sensitivity(LAND).plot().patches
    assert {to_hex(one.get_facecolor()).upper() for one in bars_of} == {COLOURS["attacker"], COLOURS["defender"]}


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
