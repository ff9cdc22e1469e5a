"""Results of searches, paths, samplers and resampling, as plain values."""

from arcwise.results.penalty_path import EdgeAt, Knot, Path, Removal
from arcwise.results.posterior import GraphDistribution, draw_errors, of_draws, undecided_sides
from arcwise.results.searches import (
    ASKED,
    FULL,
    Result,
    SearchEnd,
    Step,
    Trail,
    Watch,
    patient,
    patient_check,
)

__all__ = [
    "ASKED",
    "FULL",
    "EdgeAt",
    "GraphDistribution",
    "Knot",
    "Path",
    "Removal",
    "Result",
    "SearchEnd",
    "Step",
    "Trail",
    "Watch",
    "draw_errors",
    "of_draws",
    "patient",
    "patient_check",
    "undecided_sides",
]
