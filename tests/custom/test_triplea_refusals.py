"""Maps of TripleA that the import refuses, and its limits (docs/rules/triplea_import.md section 2)."""

import pytest

from simulator import import_triplea
from tests.custom.triplea_maps import LEGION, game, repeated, variables, xml

REFUSED = {
    "no TripleA game": ("<map/>", "map: not a TripleA game: "),
    "no XML": ("<game><unitList></game>", r"map: not valid XML: .* line 1, column 18"),
    "an entity": ('<!DOCTYPE game [<!ENTITY a "b">]><game/>', "map: entities are not read"),
    "an entity elsewhere": ('<!DOCTYPE game [<!ENTITY a SYSTEM "file:///etc/passwd">]><game/>', "map: entities are"),
    "a parameter entity": ('<!DOCTYPE game [<!ENTITY % a "b">]><game/>', "map: entities are not read"),
    "deep": ("<game>" + "<a>" * 64 + "</a>" * 64 + "</game>", "map: nested deeper than 64"),
    "large": ("<game>" + " " * (16 * 1024 * 1024) + "</game>", "map: too large"),
    "no units": ("<game/>", "map: no units"),
    "large die": (xml({"legion": LEGION}, head='<diceSides value="1001"/>'), "map: line 1: diceSides: 1001 is not"),
    "a die of words": (xml({"legion": LEGION}, head='<diceSides value="six"/>'), "map: line 1: diceSides: six is not"),
    "no attachments": ('<game><unitList><unit name="legion"/></unitList></game>', "map: no units"),
    "nobody takes part": (xml({"barracks": {"isFactory": "true"}}), "map: no battle is possible with these units"),
    "many elements": (
        xml({"legion": LEGION}, head=variables({"E": ["x"] * 10_001})),
        "map: line 1: variable E: too many elements; at most 10,000",
    ),
    "many attachments": (
        xml({"legion": LEGION}, more=repeated("$E$:$E$^$F$", "legion", "@E@"),
            head=variables({"E": ["x"] * 200, "F": ["y"] * 101})),
        "map: line 12: too many attachments; at most 20,000",
    ),
    "long values": (
        xml({"legion": LEGION}, more=repeated("", "legion", "$E$" * 300), head=variables({"E": ["x" * 99] * 100})),
        "map: line 12: unitType: too many characters; at most 1,000,000",
    ),
    "many long elements": (
        xml({"legion": LEGION}, more=repeated("$E$", "legion", "@E@" * 200), head=variables({"E": ["x" * 9999] * 2})),
        "map: line 12: unitType: too many characters; at most 1,000,000",
    ),
    "many characters in all": (
        xml({"legion": LEGION}, more=repeated("$E$", "legion", "$E$" * 90), head=variables({"E": ["x" * 9] * 1000})),
        "map: line 12: unitType: too many characters in all; at most 100,000,000",
    ),
    "too many": (xml({f"u{i}": LEGION for i in range(65)}), "map: a game file holds at most 64 units, the map has 65"),
    "harmless": (xml({"legion": {"movement": 1}}), "map: no battle is possible with these units"),
    "a price outside a rule": (
        '<game><productionRule><cost quantity="3"/></productionRule></game>',
        "map: line 1: <productionRule> does not stand in <production>",
    ),
    "a stray price": (
        '<game><production><cost quantity="3"/></production></game>',
        "map: line 1: <cost> does not stand in <productionRule> or <repairRule>",
    ),
    "a stray attachment": (
        '<game><attachment><option name="x"/></attachment></game>',
        "map: line 1: <attachment> does not stand in <attachmentList>",
    ),
    "a stray option": (xml({"legion": LEGION}, more='<option name="attack" value="6"/>'), "<option> does not stand in"),
    "nobody moves": (xml({"legion": LEGION | {"movement": 0}}), "map: no battle is possible with these units"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "complaint"), REFUSED.values(), ids=REFUSED)
def test_refused(text, complaint):
    with pytest.raises(ValueError, match=complaint):
        import_triplea(text=text)


@pytest.mark.parametrize("encoding", ["klingon", "hex", "undefined", "euc_jp", "utf-7"])
def test_encodings_that_are_not_read(tmp_path, encoding):
    path = tmp_path / "map.xml"
    path.write_text(f'<?xml version="1.0" encoding="{encoding}"?><game/>')
    with pytest.raises(ValueError, match=r"^map: the encoding that it names is not read; save it as UTF-8$"):
        import_triplea(path)


def test_limits_are_allowed():
    assert game({"legion": LEGION}, head='<diceSides value="1000"/>')["dice"]["sides"] == 1000
    assert len(game({f"u{i}": LEGION for i in range(64)})["unit"]) == 64
    text = xml({"legion": LEGION}).replace("</game>", "<a>" * 63 + "</a>" * 63 + "</game>")
    assert import_triplea(text=text).game == game({"legion": LEGION})
