"""Graphs as SVG: what lines of each sign look like."""

import re

import pytest

from arcwise.view.svg import COLOURS, Stroke, svg

POINTS = [(0.0, 1.0), (0.0, 0.7), (0.0, 0.3), (0.0, 0.0)]


@pytest.mark.parametrize("sign", list(COLOURS))
def test_lines_have_the_colour_of_their_sign_and_only_negative_ones_are_dashed(sign):
    line = Stroke(POINTS, [], 1.0, sign, 1.0, "a -> b")
    text = svg((1, 1), [], [line])
    path = re.search(r"<path [^>]*>", text)[0]
    assert f'stroke="{COLOURS[sign]}"' in path
    assert ("stroke-dasharray" in path) == (sign == "negative")
