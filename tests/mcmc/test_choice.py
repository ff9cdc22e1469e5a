import numpy as np
import pytest
from all_graphs import TableScore, random_score

from arcwise.graphs import HasChild, Limits, Rules
from arcwise.mcmc import SAMPLERS, choose_way, parents, run
from arcwise.results import SearchEnd


class Columns(TableScore):
    """Scores that nobody asks for, of many columns."""

    def __init__(self, p, lattice=True):
        self.nodes, self.lattice = tuple(f"x{i:03d}" for i in range(p)), lattice


def test_few_variables_are_summed_and_many_sampled():
    assert choose_way(Columns(14)).word == choose_way(Columns(16)).word == "exact"
    assert choose_way(Columns(17)).word == "partition"
    assert choose_way(Columns(14), memory=1000).word == "partition"
    assert "17 variables" in choose_way(Columns(17)).why


def test_dear_scores_are_summed_where_their_sets_are_few():
    assert choose_way(Columns(10, lattice=False)).word == "exact"
    assert choose_way(Columns(14, lattice=False)).word == "structure"
    bounded = Rules(max_parents=2).on(Columns(14).nodes)
    assert choose_way(Columns(14, lattice=False), bounded).word == "exact"


def test_conditions_decide():
    score = random_score(4)
    child = Limits.none(score.nodes).where(HasChild(0))
    assert choose_way(score, child).word == "exact"
    some = Limits.none(score.nodes).where(lambda dag: dag.n_arcs > 0)
    found = choose_way(score, some)
    assert found.word == "structure"
    chain = run(
        SAMPLERS[found.word](score, some, **found.options), None, np.random.default_rng(1), 50
    )
    assert all(graph.n_arcs > 0 for graph in chain.graphs)


@pytest.mark.parametrize("word", ["order", "partition"])
def test_short_chains_can_be_stopped(word, monkeypatch):
    asked = []

    def stop():
        asked.append(None)
        raise SearchEnd

    score = random_score(4)
    hurried = SAMPLERS[word](score, check=stop)
    assert hurried.hurried
    assert hurried.groups == ()
    assert len(asked) == 1
    with pytest.raises(SearchEnd):
        hurried.choose_ladder()
    assert len(run(hurried, None, np.random.default_rng(1), 50)) == 50
    assert not SAMPLERS[word](score).hurried
    monkeypatch.setattr(parents, "_CLOSED", 100)
    with pytest.raises(SearchEnd):  # without candidates there are no chains
        SAMPLERS[word](random_score(7), check=stop)
