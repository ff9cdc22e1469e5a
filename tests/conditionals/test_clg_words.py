"""Conditional Gaussian models in words, whatever the kinds of their parents."""

import numpy as np
import pytest

from arcwise.conditionals import ConditionalGaussianModel
from arcwise.data import Variable

TOWN, SIZE = Variable("town", ("a", "b", "c")), Variable("size")


@pytest.mark.parametrize("parents", [(), (TOWN,), (SIZE,), (SIZE, TOWN), (TOWN, TOWN)])
def test_there_is_a_row_for_each_configuration(parents):
    shape = [3 for each in parents if each.discrete]
    numbers = sum(not each.discrete for each in parents)
    flags = tuple(each.discrete for each in parents)
    slopes = np.zeros((*shape, numbers))
    model = ConditionalGaussianModel(flags, np.zeros(shape), slopes, np.ones(shape))
    named = [Variable(f"{each.name}{i}", each.levels) for i, each in enumerate(parents)]
    assert len(model.frame_of(Variable("y"), named)) == 3 ** len(shape)
    assert model.words(Variable("y"), named).startswith("y")
