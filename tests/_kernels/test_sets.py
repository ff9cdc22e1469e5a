from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from arcwise._kernels.sets import pack, unpack


@given(st.lists(st.lists(st.integers(0, 200), max_size=6).map(tuple), max_size=8))
def test_pack_keeps_every_set_in_its_place(sets):
    indptr, indices = pack(sets)
    assert [tuple(indices[a:b]) for a, b in pairwise(indptr.tolist())] == sets
    assert indptr.dtype == indices.dtype == "int64"
    assert unpack(indptr, indices) == sets
