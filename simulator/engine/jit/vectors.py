"""Operations on the lanes of a walk that LLVM turns into vector instructions, as it does not with numba's own."""

from __future__ import annotations

from llvmlite import ir
from numba import int64, types, uint32
from numba.extending import intrinsic

from simulator.engine.jit.kernels import inner, outlined
from simulator.engine.jit.numba_mode import uses_internals

_SIXTEEN = 16


def _of_words(operation):
    """A compiled operation on two words of 32 bits; numba's own widen them to 64 bits, and halve the pace of a loop."""

    @intrinsic
    def operate(context, one, other):
        def code(context, builder, signature, given):
            return getattr(builder, operation)(*given)

        return types.uint32(types.uint32, types.uint32), code

    return operate


plus, shifted, shifted_down = map(_of_words, ("add", "shl", "lshr"))


@intrinsic
def signed(context, word):
    """A word as an index that LLVM knows to be a signed one of 32 bits, of which it reads sixteen together."""

    def code(context, builder, signature, given):
        return builder.sext(given[0], ir.IntType(64))

    return types.uint64(types.uint32), code


@intrinsic
def list_together(context, at, lane, which, listed, found):
    """`list_plainly` with one instruction of AVX-512 for all sixteen lanes; elsewhere with some for each."""
    word, words = ir.IntType(32), ir.VectorType(ir.IntType(32), _SIXTEEN)

    def code(context, builder, signature, given):
        def in_all(value):
            first = builder.insert_element(words(ir.Undefined), value, word(0))
            return builder.shuffle_vector(first, first, words([0] * _SIXTEEN))

        def place(array, index):
            data = context.make_array(signature.args[array])(context, builder, given[array]).data
            return builder.bitcast(builder.gep(data, [given[index]]), words.as_pointer())

        mask, final, ends = (in_all(builder.extract_value(given[2], i)) for i in range(3))
        number = builder.sub(builder.and_(builder.load(place(0, 1), align=4), mask), final)
        chosen = builder.icmp_unsigned("<", number, ends)
        lanes = builder.add(in_all(builder.trunc(given[1], word)), words(list(range(_SIXTEEN))))
        kind = ir.FunctionType(words, [words, chosen.type, words])
        compress = builder.module.declare_intrinsic(f"llvm.experimental.vector.compress.v{_SIXTEEN}i32", (), kind)
        builder.store(builder.call(compress, [lanes, chosen, words(ir.Undefined)]), place(3, 4), align=4)
        return builder.zext(builder.ctpop(builder.bitcast(chosen, ir.IntType(_SIXTEEN))), ir.IntType(64))

    return types.int64(at, lane, which, listed, found), code


def list_plainly(at, lane, which, listed, found):
    """`find_lanes` among sixteen lanes from `lane` on: writes them from `listed[found]` on, without a branch."""
    mask, final, ends = which
    end = found
    for i in range(lane, lane + _SIXTEEN):
        listed[end] = i
        # Numbers below `final` become huge ones: one comparison of unsigned numbers instead of two.
        end += int64(uint32(uint32(at[i] & mask) - final) < ends)
    return end - found


# The instruction is experimental: a later LLVM might not have it.
list_sixteen = list_together if uses_internals() else inner(list_plainly)


@outlined
def find_lanes(at, which, listed):
    """List the lanes at certain positions (uint32, a multiple of sixteen); returns their number.

    `which` is (mask, final, ends), of uint32: `mask` leaves one of `ends` numbers from `final` on of the position.
    `listed` (uint32) has room for one lane more than there are.
    """
    found = int64(0)
    for lane in range(0, at.shape[0], _SIXTEEN):
        found += list_sixteen(at, lane, which, listed, found)
    return found
