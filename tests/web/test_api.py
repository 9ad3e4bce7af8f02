"""The API, version 1: its tools, its description, and what other pages may do with it."""

import json
import re
from html import unescape
from pathlib import Path

import pytest

from simulator import compare, need, odds, rounds, sweep, worth
from simulator.scenarios import ScenarioError, example_names, find_battle
from simulator.scenarios.files import example
from simulator.web.text_line import applied

SCENARIO = {"game": "risk", "battle": "land", "attacker": {"regiments": 4}, "defender": {"regiments": 3}}
QUERY = "game=risk&battle=land&attacker.regiments=4&defender.regiments=3"
WEB_DOCS = Path(__file__).parents[2] / "docs" / "web.md"


def ask(site, tool, **asked):
    reply = site.post(f"/api/v1/{tool}", json=asked)
    assert reply.status_code == 200, reply.text
    found = reply.json()
    headline = found["headline"]
    assert found.pop("text") == (headline["text"] if isinstance(headline, dict) else headline)
    assert found.pop("url").startswith("http")
    return found


def plain(answer):
    return json.loads(json.dumps(answer.to_dict()))


def test_tools_answer_as_their_functions_do(site):
    given = {"scenario": SCENARIO}
    expected = {
        "odds": plain(odds(SCENARIO)) | {"explanation": ask(site, "odds", **given)["explanation"]},
        "need": plain(need(SCENARIO, "attacker.regiments", 0.6)) | {"complete": True},
        "rounds": plain(rounds(SCENARIO, 2)) | {"complete": True},
        "worth": plain(worth(SCENARIO, {"win": 10, "attacker_regiments_lost": -1})) | {"complete": True},
    }
    assert ask(site, "odds", **given) == expected["odds"]
    assert ask(site, "need", **given, vary="attacker.regiments", target=0.6) == expected["need"]
    assert ask(site, "rounds", **given, most=2) == expected["rounds"]
    assert ask(site, "worth", **given, weight={"win": 10, "attacker_regiments_lost": -1}) == expected["worth"]
    cells = ask(site, "sweep", **given, vary={"attacker.regiments": [3, 4]})["cells"]
    assert cells == json.loads(json.dumps(sweep(SCENARIO, {"attacker.regiments": [3, 4]}).rows()))
    other = SCENARIO | {"attacker": {"regiments": 5}}
    assert ask(site, "compare", scenarios=[SCENARIO, other])["table"] == plain(compare([SCENARIO, other]))["table"]


def test_a_shipped_example_can_be_named(site):
    assert ask(site, "odds", scenario="risk-20v15", table=0)["chances"]["attacker"]["p"] == pytest.approx(0.8603989124)


def test_battles_that_were_fought_in_three_notations(site):
    records = [{"winner": "defender"}, {"winner": "attacker"}]
    found = [
        ask(site, "luck", scenario=SCENARIO, log=log)
        for log in ("defender\nattacker", "winner\ndefender\nattacker\n", records)
    ]
    assert found[0] == found[1] == found[2]


def test_the_examples_of_the_description_work(site):
    paths = site.get("/api/v1/openapi.json").json()["paths"]
    posts = {path: one["post"] for path, one in paths.items() if "post" in one}
    assert {path.rpartition("/")[2] for path in posts} >= {"odds", "compare", "need", "best", "sweep", "replay", "luck"}
    for path, post in posts.items():
        example = post["requestBody"]["content"]["application/json"]["example"]
        assert site.post(path, json=example).status_code == 200, path
    links = [unescape(one) for one in re.findall(r'<a href="([^"]*)">Try it', site.get("/api/v1/docs").text)]
    assert len(links) == len(posts) + 2  # compare takes a body only; three lists
    for link in links:
        assert site.get(link).status_code == 200, link


def test_the_description_is_valid(site):
    validator = pytest.importorskip("openapi_spec_validator", reason="pip install '.[test]'")
    document = site.get("/api/v1/openapi.json").json()
    validator.validate(document)


def test_scenarios_fit_the_description_which_writes_shared_parts_once(site):
    validator = pytest.importorskip("jsonschema", reason="pip install '.[test]'").Draft202012Validator
    reply = site.get("/api/v1/openapi.json")
    assert len(reply.content) < 500_000  # 789 KB with the models of each kind in full
    components = reply.json()["components"]
    fields_of = {f"{one['game']}.{one.get('battle')}": one for one in map(example, example_names())}
    described = fields_of.keys() & components["schemas"].keys()
    assert len(described) > 60
    for kind in described:
        check, fields = validator({"components": components, "$ref": f"#/components/schemas/{kind}"}), fields_of[kind]
        assert not list(check.iter_errors(fields)), kind
        assert list(check.iter_errors(fields | {"attacker": {"no_such_unit": 1}})), kind
        assert list(check.iter_errors(fields | {"no_such_field": 1})), kind


def test_every_answer_has_the_shape_that_the_description_gives(site):
    validator = pytest.importorskip("jsonschema", reason="pip install '.[test]'").Draft202012Validator
    document = site.get("/api/v1/openapi.json").json()
    for path, one in document["paths"].items():
        responses = [operation["responses"]["200"] for operation in one.values()]
        assert all(reply["content"] != {"application/json": {"schema": {}}} for reply in responses), path
        if "post" in one:
            body = one["post"]["requestBody"]["content"]["application/json"]["example"]
            schema = responses[-1]["content"]["application/json"]["schema"]
            validator({"components": document["components"]} | schema).validate(site.post(path, json=body).json())


def test_an_answer_leads_to_its_page(site):
    answer = site.post("/api/v1/odds", json={"scenario": SCENARIO, "table": 0}).json()
    assert answer["url"] == "http://testserver/risk/land?attacker.regiments=4&defender.regiments=3&v=1"
    assert site.get(answer["url"]).status_code == 200
    url = site.post("/api/v1/compare", json={"scenarios": [SCENARIO, "risk-20v15"]}).json()["url"]
    assert site.get(url).status_code == 200


def test_armies_in_one_line(site):
    line = {"game": "risk", "battle": "land", "text": "4 v 3"}
    expected = site.post("/api/v1/odds", json=SCENARIO).json()
    assert site.get("/api/v1/odds?game=risk&battle=land&text=4+v+3").json() == expected
    assert site.post("/api/v1/odds", json=line).json() == expected
    assert site.post("/api/v1/odds", json={"scenario": line}).json() == expected
    refused = site.get("/api/v1/odds?game=risk&battle=land&text=4+knights+v+3")
    assert (refused.status_code, refused.json()["field"]) == (422, "text")
    assert site.get("/api/v1/card.png?game=risk&battle=land&text=4+v+3").headers["content-type"] == "image/png"


def test_a_line_of_text_counts_units_alone():
    """A number means units; a manoeuvre or the level of a fortress is none, and a stack that is only seen has none."""
    army = applied({}, find_battle("europa", "revolt"), "3 land 1 pasha v 2 revolts_plus 1 fortress")
    assert army["defender"] == {"revolts_plus": 2, "fortress_detachments": 1}
    with pytest.raises(ScenarioError, match="land detachments, pashas for the attacker"):
        applied({}, find_battle("europa", "revolt"), "3 manoeuvre v 2 revolts_plus")
    with pytest.raises(ScenarioError, match=r"text: the attacker of .* has no units to write in a line"):
        applied({}, find_battle("europa", "interception"), "5 v 3")


@pytest.mark.parametrize(
    ("tool", "body", "field"),
    [
        ("odds", {"scenario": SCENARIO, "battels": 3}, "battels"),
        ("odds", {"scenario": 3}, "scenario"),
        ("odds", {"scenario": "/etc/passwd"}, "scenario"),
        ("odds", {"scenario": SCENARIO, "seed": -1}, "seed"),
        ("odds", {"scenario": SCENARIO, "table": "x"}, "table"),
        ("sweep", {"scenario": SCENARIO}, "vary"),
        ("need", {"scenario": SCENARIO}, "vary"),
        ("compare", {"scenarios": [SCENARIO]}, "scenarios"),
        ("compare", {"scenarios": [SCENARIO] * 7}, "scenarios"),
        ("luck", {"scenario": SCENARIO, "log": [{"winner": "attacker", "scenario": "risk-20v15"}]}, "battles"),
        ("best", {"scenario": SCENARIO, "decide": "attacker.regiments"}, "decide"),
        ("worth", {"scenario": SCENARIO, "level": "2"}, "level"),
    ],
)
def test_refusals_name_their_field(site, tool, body, field):
    reply = site.post(f"/api/v1/{tool}", json=body)
    assert reply.status_code == 422
    shown = reply.json()
    assert shown["field"] == field
    assert shown["error"].startswith(f"{field}: ")


def test_a_tool_that_does_not_exist_is_no_page_and_says_which_do(site):
    reply = site.post("/api/v1/sell", json={"scenario": SCENARIO})
    assert (reply.status_code, reply.json()["field"]) == (404, "tool")
    assert "must be one of odds, sweep, " in reply.json()["error"]


def test_addresses_without_a_version_are_those_of_the_first(site):
    assert site.get(f"/api/odds?{QUERY}").json() == site.get(f"/api/v1/odds?{QUERY}").json()
    posted = site.post("/api/odds", json=SCENARIO).json()
    assert posted == {name: posted[name] for name in ("text", "url")} | ask(site, "odds", scenario=SCENARIO)


def test_other_pages_may_read_the_api_and_frame_an_answer(site):
    reply = site.get("/api/v1/games", headers={"Origin": "https://example.org"})
    assert reply.headers["access-control-allow-origin"] == "*"
    asked = {"Origin": "https://example.org", "Access-Control-Request-Method": "POST"}
    asked["Access-Control-Request-Headers"] = "content-type"
    assert site.options("/api/v1/odds", headers=asked).status_code == 200
    framed = site.get("/embed/risk/land?attacker.regiments=4&defender.regiments=3")
    assert framed.status_code == 200
    assert "frame-ancestors *" in framed.headers["content-security-policy"]
    assert "x-frame-options" not in framed.headers
    page = site.get("/risk/land?attacker.regiments=4&defender.regiments=3")
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
    assert page.headers["x-frame-options"] == "DENY"


def test_a_reply_that_the_client_has_is_not_sent_again(site):
    reply = site.get(f"/api/v1/odds?{QUERY}")
    again = site.get(f"/api/v1/odds?{QUERY}", headers={"If-None-Match": reply.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    other = site.get(f"/api/v1/odds?{QUERY}&with.table=0", headers={"If-None-Match": reply.headers["etag"]})
    assert other.status_code == 200


def test_static_files_are_kept_until_they_change(site):
    address = re.search(r'"(/static/style\.css\?v=\w+)"', site.get("/").text)[1]
    assert "immutable" in site.get(address).headers["cache-control"]
    assert site.get("/static/style.css?v=old").headers["cache-control"] == "no-cache"
    assert site.get(address, headers={"Accept-Encoding": "gzip"}).headers["content-encoding"] == "gzip"


def test_only_under_the_names_allowed(app):
    from starlette.testclient import TestClient

    from simulator.web.server.app import create_app

    site = TestClient(create_app(app.app.state.pool, ["play.example.org"]))
    assert site.get("/healthz", headers={"Host": "play.example.org"}).status_code == 200
    assert site.get("/healthz", headers={"Host": "evil.example.org"}).status_code == 400


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", WEB_DOCS.read_text(encoding="utf-8"), re.DOTALL)


def test_the_python_client_of_the_docs(server, capsys):
    (client,) = blocks("python")
    exec(client.replace("http://localhost:8000", server), {})
    assert (
        capsys.readouterr().out
        == "0.8604 exact (201 states)\nattacker.regiments: -3 is not allowed; give a whole number from 1 to 100000\n"
    )


def test_the_javascript_client_of_the_docs(server, browser):
    (client,) = blocks("javascript")
    page = browser.new_page()
    lines = []
    page.on("console", lambda message: lines.append(message.text) if message.type == "log" else None)
    page.goto(f"{server}/api/v1/docs")
    page.evaluate(f"async () => {{ {client.replace('http://localhost:8000', server)} }}")
    page.close()
    assert lines == [
        "0.8604 exact (201 states)",
        "attacker.regiments: -3 is not allowed; give a whole number from 1 to 100000",
    ]
