"""Random maps of the elements that an import knows: refused on one line, or a game file; never a traceback."""

from xml.sax.saxutils import quoteattr

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simulator import import_triplea

TAGS = (
    "info", "unitList", "unit", "playerList", "player", "production", "productionRule", "repairRule", "cost", "result",
    "attachmentList", "attachment", "attatchment", "option", "propertyList", "property", "diceSides", "foo",
)  # fmt: skip
NAMES = (
    "name", "value", "count", "attachTo", "attatchTo", "javaClass", "quantity", "resource", "resourceOrUnit",
)  # fmt: skip
VALUES = (
    "", "legion", "galley", "unitAttachment", "games.strategy.triplea.attachments.UnitAttachment", "attack", "defense",
    "movement", "isSea", "isAA", "isMarine", "hitPoints", "true", "false", "1", "2", "-1", "99999999999", "6:x",
    "supportAttachment", "bonus", "units", "PUs", "\u00e9", "a\nb",
)  # fmt: skip

elements = st.recursive(
    st.builds(
        lambda tag, given: (tag, given, []),
        st.sampled_from(TAGS),
        st.dictionaries(st.sampled_from(NAMES), st.sampled_from(VALUES), max_size=4),
    ),
    lambda inner: st.builds(
        lambda tag, given, inside: (tag, given, inside),
        st.sampled_from(TAGS),
        st.dictionaries(st.sampled_from(NAMES), st.sampled_from(VALUES), max_size=3),
        st.lists(inner, max_size=4),
    ),
    max_leaves=20,
)


def written(element):
    tag, attributes, inside = element
    given = "".join(f" {name}={quoteattr(value)}" for name, value in attributes.items())
    return f"<{tag}{given}>{''.join(map(written, inside))}</{tag}>"


# A map with two units; random elements stand around, before and between its own.
WHOLE = """<unitList><unit name="legion"/><unit name="galley"/></unitList><attachmentList>
<attachment name="unitAttachment" attachTo="legion" javaClass="x.UnitAttachment">
<option name="attack" value="2"/><option name="defense" value="2"/><option name="movement" value="1"/></attachment>
</attachmentList>"""


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(elements, max_size=5), st.booleans())
def test_a_random_map_is_refused_on_one_line_or_read(some, whole):
    text = f"<game>{''.join(map(written, some))}{WHOLE if whole else ''}</game>"
    answer = "map: "
    try:
        assert import_triplea(text=text).game["unit"]
    except ValueError as refused:
        answer = str(refused)
    assert answer.startswith("map: ")
    assert "\n" not in answer
