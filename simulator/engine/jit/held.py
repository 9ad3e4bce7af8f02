"""Named tuples by their address: explorers hand params and arrays to their parts as one number.

Numba passes a tuple as one argument for each number in it, of which an array has seven: the params of a game file are
about 250, in each of some 60 functions. An address is one argument, and after inlining LLVM keeps the same values in
registers: compiling takes 0.75 to 0.93 of the time. Walks would lose a sixth of their pace by it (docs/kernels.md).
"""

from __future__ import annotations

import hashlib
from typing import Any

from numba.core import cgutils, imputils, types
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, intrinsic, lower_getattr_generic, models, register_model


class Handle(types.Type):
    """The type of the address of a named tuple."""

    def __init__(self, kind: Any) -> None:
        self.kind, self.instance_class = kind, kind.instance_class
        # A short name: it is a part of the symbol of each function that takes such an address.
        super().__init__(f"held_{hashlib.sha256(str(kind).encode()).hexdigest()[:12]}")

    def field(self, name: str) -> Any:
        """The type of a field: for a named tuple the type of its address, None for no field."""
        if name not in self.kind.fields:
            return None
        found = self.kind.types[self.place(name)]
        return Handle(found) if isinstance(found, types.NamedTuple | types.NamedUniTuple) else found

    def place(self, name: str) -> int:
        """The place of a field."""
        return int(self.kind.fields.index(name))


@register_model(Handle)
class _HeldModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Handle) -> None:
        super().__init__(manager, kind, manager.lookup(kind.kind).get_value_type().as_pointer())


@infer_getattr
class _Fields(AttributeTemplate):
    key = Handle

    def generic_resolve(self, kind: Handle, name: str) -> Any:  # type: ignore[override]
        return kind.field(name)


@lower_getattr_generic(Handle)  # type: ignore[untyped-decorator]
def _read(context: Any, builder: Any, kind: Handle, address: Any, name: str) -> Any:
    place, found = cgutils.gep_inbounds(builder, address, 0, kind.place(name)), kind.field(name)
    return (
        place if isinstance(found, Handle) else imputils.impl_ret_borrowed(context, builder, found, builder.load(place))
    )


@intrinsic
def held(context, values):
    """The address of a named tuple, whose fields are read by their names."""

    def code(context, builder, signature, given):
        return cgutils.alloca_once_value(builder, given[0])

    return Handle(values)(values), code
