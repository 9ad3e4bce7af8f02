"""Caches of answers hold at most a number of bytes."""

from simulator.engine.model.kept import Recent


def test_the_last_used_are_held_as_long_as_they_fit():
    kept = Recent(10, len)
    for key, text in (("a", "1234"), ("b", "1234")):
        assert kept.get(key) is None
        assert kept.keep(key, text) == text
    assert kept.get("a") == "1234"  # used again: "b" is the oldest now
    kept.keep("c", "1234")
    assert [kept.get(key) for key in "abc"] == ["1234", None, "1234"]


def test_what_alone_is_too_large_is_made_and_not_held():
    kept = Recent(10, len)
    kept.keep("a", "1")
    assert kept.keep("b", "x" * 11) == "x" * 11
    assert kept.get("b") is None


def test_sizes_are_asked_anew_with_each_new_one():
    kept = Recent(10, len)
    growing = ["1"]
    kept.keep("a", growing)
    growing *= 20
    kept.keep("b", ["1"])
    assert kept.get("a") is None
    assert kept.get("b") == ["1"]


def test_what_has_grown_since_it_was_asked_for_counts_with_its_new_size():
    kept = Recent(10, len)
    growing = ["1"]
    for key, made in (("a", growing), ("b", ["1"]), ("c", ["1"])):
        kept.keep(key, made)
    assert kept.get("a") is growing
    growing *= 20
    kept.keep("d", ["1"])
    assert [kept.get(key) for key in "abcd"] == [None, None, None, ["1"]]
