"""Numbers at which something is decided or said, pinned from both sides through what users call."""

import re

import numpy as np
import pytest

import arcwise as aw
from arcwise.errors import DataError

SMALL = aw.example("boston").select(["RM", "AGE", "DIS", "LSTAT", "MEDV"])


def noise(rows: int, columns: int, seed: int = 0) -> dict[str, np.ndarray]:
    x = np.random.default_rng(seed).normal(size=(rows, columns))
    return {f"x{i}": column for i, column in enumerate(x.T)}


def says(net: aw.Network, words: str) -> bool:
    return any(words in note for note in net.notes)


def test_one_standard_error_and_no_other():
    net = aw.learn(SMALL, graph="undirected", penalty="cv-1se")

    def largest(errors: float) -> float:
        """The largest penalty that loses so many standard errors against the best at most."""
        return max(r["penalty"] for r in net.tuning if r["loss"] <= errors * r["loss_error"])

    assert net.settings["penalty"] == largest(1.0)
    assert largest(0.7) < largest(1.0) < largest(1.3)


@pytest.mark.parametrize(("rows", "most"), [(39, 3), (40, 4), (49, 4), (50, 5)])
def test_ten_rows_for_each_parent(rows, most):
    """Eight columns have their parts in the last one, more than so few rows can tell."""
    data = noise(rows, 8)
    data["sum"] = np.column_stack(list(data.values())) @ np.arange(1, 9)
    data["sum"] = data["sum"] + 0.01 * np.random.default_rng(1).normal(size=rows)
    net = aw.learn(data)
    assert max(map(len, net.graph.parents)) == most
    assert says(net, f"a variable may have at most {most} parents")
    assert max(map(len, aw.learn(data, rules=aw.Rules(max_parents=8)).graph.parents)) > most


@pytest.mark.parametrize(("rows", "most"), [(10, 3), (12, 3), (13, 4), (16, 5)])
def test_three_rows_for_each_neighbour_and_one_more(rows, most):
    data = noise(rows, 9)
    data["sum"] = np.column_stack(list(data.values())).sum(axis=1)
    graph = aw.learn(data, graph="undirected", search=aw.Stepwise(gamma=0.0)).graph
    assert max(map(len, graph.neighbours)) == most


@pytest.mark.parametrize(("rows", "few"), [(23, True), (24, False)])
def test_two_rows_for_each_column_where_all_others_are_inputs(rows, few):
    net = aw.learn(noise(rows, 12), graph="undirected", search="boundary")
    assert says(net, f"Rows are few ({rows} for 12 columns)") == few


def test_five_rows_for_parzen_models():
    with pytest.raises(DataError, match="at least 5 complete rows"):
        aw.learn(noise(4, 2), model="parzen")
    assert aw.learn(noise(5, 2), model="parzen").rows == 5


@pytest.mark.parametrize(("rows", "told"), [(59, False), (60, True)])
def test_sixty_rows_before_a_curve_is_reported(rows, told):
    x = np.linspace(-2, 2, 60)[:rows]
    y = x + x**2 + 0.1 * np.random.default_rng(1).normal(size=60)[:rows]
    notes = aw.path({"x": x, "y": y}).notes
    assert any("is curved" in note for note in notes) == told


@pytest.fixture(scope="module")
def simulated() -> aw.Network:
    rows = aw.table({name: SMALL.values(name)[:60] for name in ("RM", "LSTAT", "MEDV")})
    return aw.fit(aw.ug("RM:LSTAT + LSTAT:MEDV + RM:MEDV"), rows, model="parzen")


def test_chains_disagree_above_1_05_and_answers_are_rough_below_100_draws(simulated):
    """Short runs of many seeds have an R-hat and an effective size on both sides of the limits."""
    effort = {"method": "gibbs", "chains": 4, "burn_in": 0}
    answers = [
        simulated.query("MEDV", given={"RM": 6.5}, sweeps=sweeps, seed=seed, **effort).document()
        for sweeps in (40, 60)
        for seed in range(30)
    ]
    disagree = [any("disagree" in note["text"] for note in each["notes"]) for each in answers]
    rough = [any("rough" in note["text"] for note in each["notes"]) for each in answers]
    assert disagree == [each["rhat"] > 1.05 for each in answers]
    assert rough == [each["ess"] < 100 for each in answers]
    assert any(1.04 < each["rhat"] <= 1.05 for each in answers)
    assert any(1.05 < each["rhat"] <= 1.06 for each in answers)
    assert any(90 < each["ess"] < 100 for each in answers)
    assert any(100 <= each["ess"] < 110 for each in answers)


def test_rows_whose_chains_disagree_are_counted_by_the_same_limit(simulated):
    rows = {"RM": np.linspace(5, 8, 40), "LSTAT": np.full(40, np.nan)}
    found = simulated.predict(rows, "MEDV", method="gibbs", chains=4, sweeps=40, burn_in=0)
    (note,) = [note for note in found.notes if "disagree" in note]
    count, of = map(int, re.findall(r"\d+", str(note))[:2])
    assert (count, of) == (int((found.rhat > 1.05).sum()), 40)
    assert 0 < count < 40
    assert ((found.rhat > 1.04) & (found.rhat < 1.06)).any()


def test_draws_that_the_evidence_leaves_fewer_than_ten_of_are_no_answer():
    """Weighted draws: either an answer that is worth ten of them, or an error that says what it is worth."""
    net = aw.learn(SMALL, rules=aw.Rules(required=["RM -> MEDV"]))
    worth = []
    for far in np.linspace(8, 60, 40):
        try:
            answer = net.query("RM", given={"MEDV": far}, method="importance", draws=400)
        except aw.FitError as error:
            (said,) = re.findall(r"(?:worth|size of) (\d+\.\d)", str(error))
            assert float(said) <= 10
            worth.append(float(said))
        else:
            assert answer.ess >= 10
            worth.append(answer.ess)
    assert any(5 < each <= 10 for each in worth)
    assert any(10 <= each < 20 for each in worth)
