"""The return codes of all kernels, and of the plain Python that replaces them."""

from __future__ import annotations

from enum import IntEnum


class Status(IntEnum):
    """Why a kernel returned.

    DONE: the work is finished. PAUSED: call again; kernels return regularly so that Python handles interrupts.
    NEED_ROOM, ROOM_FOR_PLANE, ROOM_FOR_FOUND, FULL: call again with larger arrays, planes, lists of endings or a
    larger tally. LARGE: a component is too large for the kernel. WANTED: a node has to be made first.
    ENDLESS: the battle cannot end. BROKEN: a battle left its limits. BAD_FIELD, BAD_TABLE, BAD_DECISION: the error of
    a state. BACKWARDS: planes lead back to each other. NOT_FACTORED: two rolls change each other's fields.
    PAST_BUDGET: more bytes than the budget would be needed.
    """

    DONE = 0
    PAUSED = 1
    NEED_ROOM = 2
    ROOM_FOR_PLANE = 3
    ROOM_FOR_FOUND = 4
    FULL = 5
    LARGE = 6
    WANTED = 7
    ENDLESS = 8
    BROKEN = 9
    BAD_FIELD = 10
    BAD_TABLE = 11
    BAD_DECISION = 12
    BACKWARDS = 13
    NOT_FACTORED = 14
    PAST_BUDGET = 15


# Kernels compare plain ints.
(
    DONE,
    PAUSED,
    NEED_ROOM,
    ROOM_FOR_PLANE,
    ROOM_FOR_FOUND,
    FULL,
    LARGE,
    WANTED,
    ENDLESS,
    BROKEN,
    BAD_FIELD,
    BAD_TABLE,
    BAD_DECISION,
    BACKWARDS,
    NOT_FACTORED,
    PAST_BUDGET,
) = map(int, Status)
