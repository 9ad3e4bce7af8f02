"""Small TripleA maps, written for the tests of their import."""

from simulator import import_triplea

LEGION = {"movement": 1, "attack": 1, "defense": 2}
KITE = {"movement": 4, "attack": 3, "defense": 4, "isAir": "true"}
SHIP = {"movement": 2, "attack": 2, "defense": 2, "isSea": "true"}
DIVER = SHIP | {"isSub": "true"}
DESTROYER = SHIP | {"isDestroyer": "true"}
COG = SHIP | {"attack": 0, "defense": 0, "transportCapacity": 5}


def options(given):
    return "".join(f'<option name="{name}" value="{value}"/>\n' for name, value in given.items())


def xml(units, properties=(), more="", head="", rules=""):
    """A map with these units: name -> options."""
    hung = "".join(
        f'<attachment name="unitAttachment" attachTo="{name}" javaClass="UnitAttachment">\n'
        f"{options(given)}</attachment>\n"
        for name, given in units.items()
    )
    listed = "".join(f'<property name="{name}" value="{value}"/>\n' for name, value in dict(properties).items())
    named = "".join(f'<unit name="{name}"/>\n' for name in units)
    return (
        f'<game><info name="Small"/>{head}<playerList><player name="Reds"/><player name="Blues"/></playerList>\n'
        f"<unitList>\n{named}</unitList>\n<production>{rules}</production>\n"
        f"<attachmentList>\n{hung}{more}</attachmentList>\n<propertyList>\n{listed}</propertyList></game>"
    )


def game(units, *arguments, **named):
    return import_triplea(text=xml(units, *arguments, **named)).game


def support(owner, name="help", **given):
    given = {"unitType": "legion", "faction": "allied", "side": "offence", "dice": "strength", "bonus": 1,
             "number": 1, "bonusType": "arms", "players": "Reds:Blues"} | given  # fmt: skip
    kind = 'javaClass="games.strategy.triplea.attachments.UnitSupportAttachment"'
    return f'<attachment name="{name}" attachTo="{owner}" {kind}>{options(given)}</attachment>\n'


def variables(given):
    """A list of variables, on one line."""
    listed = "".join(
        f'<variable name="{name}">{"".join(f"<element name={one!r}/>" for one in elements)}</variable>'
        for name, elements in given.items()
    )
    return f"<variableList>{listed}</variableList>"


def repeated(foreach, owner, helped, name="help@E@"):
    """A support that is repeated for each element of these variables."""
    return support(owner, name, unitType=helped).replace("<attachment ", f'<attachment foreach="{foreach}" ', 1)
