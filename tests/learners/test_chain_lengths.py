"""Chains that disagree are run again, longer, and say so."""

import numpy as np
import pytest

import arcwise as aw
from arcwise.learners.posteriors import chain_lengths


@pytest.fixture(scope="module")
def homes():
    return aw.example("boston").select(["CRIM", "INDUS", "NOX", "RM", "AGE", "LSTAT", "MEDV"])


@pytest.fixture
def short(monkeypatch):
    """Chains so short that they disagree."""
    monkeypatch.setattr(chain_lengths, "_DRAWS", 12)
    monkeypatch.setattr("arcwise.learners.posteriors.graph_chains.LONGER", 2)


def test_chains_that_disagree_are_run_longer(homes, short):
    post = aw.posterior(homes, method="mcmc", progress=False)
    told = post.found.diagnostics
    assert told["rhat"] > 1.01
    assert told["doublings"] == 2
    assert told["thin"] == 4 * max(10, 7)
    assert len(post.log_scores()[0]) == 12
    assert any("disagreed at first" in note and "lower powers" in note for note in post.notes)


def test_a_number_of_draws_that_is_asked_for_is_not_lengthened(homes, short):
    post = aw.posterior(homes, method="mcmc", draws=12, progress=False)
    assert post.found.diagnostics["doublings"] == 0
    assert not any("disagreed at first" in note for note in post.notes)


def test_longer_runs_go_on_from_a_checkpoint(homes, short, tmp_path):
    """What a file holds of a lengthened run is the whole of it; more draws go on at its length."""
    file = tmp_path / "run.npz"
    first = aw.posterior(homes, method="mcmc", checkpoint=file, progress=False)
    again = aw.posterior(homes, method="mcmc", checkpoint=file, progress=False)
    assert np.array_equal(first.found.arcs, again.found.arcs)
    more = again.more(5, progress=False)
    assert len(more.log_scores()[0]) == 17
    assert more.found.diagnostics["thin"] == first.found.diagnostics["thin"]


def test_chains_agree_by_default(homes):
    post = aw.posterior(homes, method="mcmc", progress=False)
    assert post.found.diagnostics["rhat"] < 1.01
    sums = aw.posterior(homes, method="exact", progress=False)
    gap = np.abs(post.found.arcs - sums.found.arcs)
    assert (gap <= 4.5 * np.maximum(post.found.arc_errors, 1e-12)).all()
