"""The page in a real browser: typing, links, tools, without scripts, on a phone, by keyboard."""

import re

import pytest

from simulator import exact
from tests.web.conftest import RISK, until

ATTACKER = "#answer data[data-chance=attacker]"


def chance(page):
    return float(page.get_attribute(ATTACKER, "value"))


def wait_for_chance(page, expected):
    until(page, f"Math.abs(document.querySelector('{ATTACKER}').value - {expected}) < 1e-9")


def use(page, tool, **fields):
    """Open a tool's tab, fill in its fields, and return what it found."""
    page.click(f"#t-{tool}")
    page.wait_for_selector("#panel[aria-busy=false] form.ask, #panel[aria-busy=false] .scroll")
    for name, value in fields.items():
        page.fill(f"#panel [name='with.{name}']", value)
    if fields:
        page.click("#panel .ask button")
        page.wait_for_selector("#panel[aria-busy=true]", state="detached")
    return page.text_content("#panel").replace("\N{NO-BREAK SPACE}", " ")


def test_the_chance_changes_while_one_types(page):
    assert chance(page) == pytest.approx(0.8603989124, abs=1e-10)
    page.fill("[name='attacker.regiments']", "10")
    until(page, "!location.search.includes('attacker.regiments=20')")
    assert "attacker.regiments=10&defender.regiments=15" in page.url
    assert chance(page) < 0.3
    page.fill("[name='attacker.regiments']", "20")
    wait_for_chance(page, 0.8603989124)


def test_a_refusal_is_shown_beside_its_field(page):
    page.fill("[name='attacker.regiments']", "-3")
    page.wait_for_selector(".field.bad[data-key='attacker.regiments']")
    assert "-3 is not allowed" in page.text_content("#complaint")
    assert page.get_attribute("[name='attacker.regiments']", "aria-invalid") == "true"
    assert chance(page) == pytest.approx(0.8603989124, abs=1e-10)  # the old answer stays, dimmed
    page.fill("[name='attacker.regiments']", "20")
    page.wait_for_selector("#complaint", state="hidden")


def test_a_shared_link_is_the_scenario_and_an_old_one_says_so(page, server):
    link = page.input_value("#copy-link")
    assert link.endswith(RISK)
    page.goto(link)
    assert page.input_value("[name='attacker.regiments']") == "20"
    page.goto(server + RISK.replace("v=1", "v=0"))
    assert "rules have changed" in page.text_content(".notice")


def test_sides_are_swapped(page):
    page.click("#swap")
    until(page, "location.search.includes('attacker.regiments=15')")
    assert page.input_value("[name='defender.regiments']") == "20"


def test_steppers_count_and_repeat_and_the_totals_follow(page, server):
    page.goto(f"{server}/skirmish/field?attacker.pikes=3&defender.pikes=3")
    box = page.locator("#f-attacker\\.pikes")
    more = page.locator(".cell.attacker .by[data-by='1']").first
    more.click()
    assert box.input_value() == "4"
    box.press("ArrowUp")
    assert box.input_value() == "5"
    more.hover()
    page.mouse.down()
    page.wait_for_timeout(800)
    page.mouse.up()
    assert int(box.input_value()) > 7
    box.focus()
    page.mouse.wheel(0, 200)
    number = box.input_value()
    until(page, f"document.querySelector('#totals').textContent.includes('{number} units')")
    page.click("#clear")
    until(page, "document.getElementById('f-attacker.pikes')?.value === '0'")


def test_a_named_order_of_losses_becomes_a_list(page, server):
    page.goto(f"{server}/skirmish/field?attacker.pikes=2&attacker.knights=1&defender.pikes=3")
    page.select_option("[name='policy.attacker.loss_order']", "cheapest")
    until(page, "location.search.includes('loss_order=cheapest')")
    page.click("button[value='policy.attacker.loss_order=*']")
    until(page, "document.querySelectorAll('.place').length === 2")
    page.click(".place >> nth=1 >> .up")
    until(page, "location.search.includes('loss_order=knights&policy.attacker.loss_order=pikes')")


def test_two_are_pinned_and_compared(page):
    page.click("#pin")
    page.fill("[name='attacker.regiments']", "25")
    until(page, "location.search.includes('attacker.regiments=25')")
    page.click("#pin")
    assert page.text_content("#pinned") == "2"
    page.click("#compare")
    page.wait_for_selector("table.compared")
    text = page.text_content("main").replace("\xa0", " ")
    assert re.search(r"9[\d.]+ % in B, 10[\d.]+ points more", text)
    assert "0.05" not in page.text_content("table.compared")
    assert page.locator("table.compared .worse").count() >= 1
    page.click("#unpin")


def test_tools_answer_on_the_page_and_follow_the_form(page):
    assert "+1 regiment+" in use(page, "more")
    page.click("#panel [data-set='attacker.regiments=21']")
    until(page, "location.search.includes('attacker.regiments=21')")
    assert "19 regiments are enough: the attacker wins in 82.21 %" in use(page, "need", target="80")
    assert "are enough" in use(page, "need", target="80 %")
    page.fill("[name='defender.regiments']", "5")
    until(page, "!document.querySelector('#panel').textContent.includes('19 regiments are enough')")
    assert page.input_value("#panel [name='with.target']") == "80 %"


def test_the_map_marks_this_battle_and_a_press_takes_a_cell(page):
    use(page, "sweep")
    page.wait_for_selector("#panel svg .square")
    assert page.locator("#panel .here").count() == 1
    page.locator("#panel a[data-set='attacker.regiments=18&defender.regiments=12']").click()
    until(page, "location.search.includes('attacker.regiments=18&defender.regiments=12')")
    page.select_option("#panel [name='with.path2']", "none")
    page.wait_for_selector("#panel svg .dot")


def test_rounds_replay_and_luck(page):
    assert "after round" in use(page, "rounds")
    text = use(page, "replay")
    assert re.search(r"The (attacker|defender) wins \(.*rounds \d+\)\.", text)
    assert "regiments left 0" not in text
    assert "0 won" in use(page, "luck", battles="defender\ndefender")


def test_a_block_of_the_bar_says_who_is_left_and_adds_up(page):
    blocks = page.locator(".blocks .block")
    blocks.nth(16).hover()  # the attacker's last one
    assert page.text_content("#block") == "1 regiment: 1.2 %; this or better: 86.0 %"
    blocks.last.hover()
    assert page.text_content("#block").startswith("7–15 regiments: 2.0 %; this or better: 2.0 %")


def test_a_table_that_was_folded_while_one_typed_is_filled_when_it_is_opened(page):
    page.fill("[name='attacker.regiments']", "10")
    page.wait_for_selector("[data-name=distribution][data-later]")
    assert page.locator("[data-name=distribution] table").count() == 0
    page.click("[data-name=distribution] summary")
    page.wait_for_selector("[data-name=distribution][open] td")
    assert page.locator("[data-name=distribution] tbody tr").count() == 11  # 0 to 10 regiments lost
    assert page.evaluate("document.activeElement.id") == "open-distribution"
    assert page.locator("[data-name=costs][data-later]").count() == 1
    page.fill("[name='attacker.regiments']", "6")
    until(page, "document.querySelectorAll('[data-name=distribution][open] tbody tr').length === 7")


def test_slash_searches_and_the_front_page_keeps_the_last_battles(page, server):
    page.keyboard.press("/")
    page.keyboard.type("blenheim")
    page.wait_for_selector("#found a")
    assert "Marlborough" in page.text_content("#found")
    page.goto(server)
    page.wait_for_selector("#recent li")
    assert "Risk, land: 20 against 15" in page.text_content("#recent")
    assert "Marlborough" in page.request.get(f"{server}/?q=blenheim+1704").text()


def test_best_play(page):
    small = page.url.replace("=20&", "=4&").replace("=15&", "=3&")
    page.goto(small.replace("&v=", "&objective.attacker.win=1&objective.attacker.attacker_regiments_lost=-0.05&v="))
    page.click("#t-best")
    page.wait_for_selector("#panel table")
    assert page.is_checked("#panel [value='policy.attacker.retreat']")
    assert "best of all strategies" in page.text_content("#panel")


def test_a_simulation_narrows_and_is_stopped(page):
    page.click("#roll")
    progress, stop = "document.querySelector('#progress').textContent", "document.querySelector('#stop').click()"
    until(page, f"/battles/.test({progress}) && ({stop}, true)")
    assert page.is_hidden("#running")
    battles = page.text_content(".simulated")
    page.wait_for_timeout(700)
    assert page.text_content(".simulated") == battles
    assert page.text_content("#answer .chances .interval")
    page.fill("[name='attacker.regiments']", "21")
    page.wait_for_selector(".exact")


def test_lists_are_added_to_and_taken_from(page, server):
    page.goto(f"{server}/risk/invasion")
    before = page.locator(".rows > .sub").count()
    page.click("text=add crossing")
    until(page, f"document.querySelectorAll('.rows > .sub').length === {before + 1}")
    page.locator(".rows > .sub").last.locator("button:has-text('remove')").click()
    until(page, f"document.querySelectorAll('.rows > .sub').length === {before}")


def test_a_faction_is_picked_for_a_side_and_taken_back(page, server):
    battle = {"game": "twilight-imperium-4", "battle": "space", "attacker": {"cruiser": 2}, "defender": {"cruiser": 2}}
    page.goto(f"{server}/twilight-imperium-4/space?attacker.cruiser=2&defender.cruiser=2")
    wait_for_chance(page, exact(battle).winner("attacker"))
    options = page.locator("[data-key='attacker.options']")
    options.get_by_text("add").click()
    page.select_option("select[name='attacker.options']", "sardakk")
    battle["attacker"] = {"cruiser": 2, "options": ["sardakk"]}
    wait_for_chance(page, exact(battle).winner("attacker"))
    assert "attacker.options=sardakk" in page.url


def test_leaders_are_searched_while_one_types(page, server):
    page.goto(f"{server}/europa/land?attacker.leader=none&with.drop=attacker.leader")  # the form alone
    page.fill("[name='attacker.leader']", "gustav")
    until(page, "document.querySelector('[name=\"attacker.leader\"]').list.options.length > 0")
    options = page.eval_on_selector("[name='attacker.leader']", "one => [...one.list.options].map(o => o.value)")
    assert any("gustav" in one.lower() for one in options)


def test_it_works_by_keyboard_alone(page):
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.focus("[name='attacker.regiments']")
    page.keyboard.press("Control+A")
    page.keyboard.type("21")
    until(page, "location.search.includes('attacker.regiments=21')")
    for _ in range(200):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "t-rounds":
            break
    page.keyboard.press("Enter")
    page.wait_for_selector("#panel table")


def test_a_game_file_that_is_too_long_is_refused_on_its_page(page, server):
    page.goto(f"{server}/own")
    page.evaluate("document.querySelector('#game').value = '# a comment\\n'.repeat(10_000)")
    page.click("text=Play it")
    assert "more than 64 KB" in page.text_content(".complaint")
    assert page.locator("#game").count() == 1


def test_it_works_without_scripts(browser, server):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(server + RISK)
    page.fill("[name='attacker.regiments']", "10")
    page.click("#scenario .noscript button")
    assert page.url.endswith("/risk/land?attacker.regiments=10&defender.regiments=15&v=1")
    assert chance(page) < 0.3
    page.click("#t-need")
    assert "are enough" in page.text_content(".verdict")
    page.go_back()
    page.goto(f"{server}/risk/invasion")
    before = page.locator(".rows > .sub").count()
    page.click("text=add crossing")
    page.locator(".rows > .sub").nth(before).wait_for(state="attached")
    assert page.locator(".rows > .sub").count() == before + 1
    context.close()


CAMPAIGN = (
    "/campaign/risk?force.red.regiments=9&force.blue.regiments=8&every.battle=land&us=red"
    "&fight.0.attacker=red&fight.0.defender=blue&fight.1.attacker=blue&fight.1.defender=red"
)


def test_fights_of_a_campaign_are_moved_by_buttons_and_by_dragging(page, server):
    page.goto(server + CAMPAIGN)
    first = chance(page)
    page.click(".fight >> nth=1 >> text=earlier")
    until(page, "location.search.includes('fight.0.attacker=blue')")
    second = chance(page)
    assert abs(second - first) > 0.01
    page.locator(".grip").nth(1).drag_to(page.locator(".fight").nth(0), target_position={"x": 20, "y": 20})
    until(page, "location.search.includes('fight.0.attacker=red')")
    wait_for_chance(page, first)
    page.fill("[name='with.named']", "Green")
    page.click("text=add force")
    page.wait_for_selector("[name='force.green.regiments']:focus")
    until(page, "document.getElementsByName('force.green.regiments').length === 1")
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
