"""Networks learned again with the missing values of a column shifted."""

import numpy as np
import pytest

import arcwise as aw
from arcwise.errors import DataError, FitError, NoTimeError, OptionError


def survey(seed, rows=400):
    """age -> income -> vote, with a third of the incomes or votes missing."""
    rng = np.random.default_rng(seed)
    age = rng.normal(50.0, 10.0, rows)
    income = 20 + 0.6 * age + 6 * rng.normal(size=rows)
    vote = np.where(rng.random(rows) < 1 / (1 + np.exp((50 - income) / 3)), "no", "yes")
    return {"age": age, "income": income, "vote": vote.astype(object)}, rng


@pytest.fixture(scope="module")
def incomes():
    data, rng = survey(1)
    del data["vote"]
    lost = rng.random(400) < 1 / 3
    return aw.learn({**data, "income": np.where(lost, np.nan, data["income"])}, certainty=False)


def test_means_move_by_the_shift_times_the_share_of_missing_values(incomes):
    found = incomes.sensitivity("income", shifts=[-1, 2], target="income")
    assert found.shifts == (-1.0, 0.0, 2.0)
    means = np.array([belief.mean for belief in found.beliefs])
    sd = np.nanstd(incomes.data.values("income"))
    assert np.diff(means) == pytest.approx(found.share * sd * np.array([1, 2]), rel=1e-6)
    assert found.frame["mean"] == pytest.approx(means)
    assert len(str(found).splitlines()) == 6


def test_edges_that_change_are_named():
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(2, 400))
    y[x > 0.3] = np.nan  # far above, y would go with x
    net = aw.learn({"x": x, "y": y}, certainty=False)
    found = net.sensitivity("y", shifts=[3])
    assert found.changes == (((), ()), (("x -- y",), ()))
    assert found.frame.notes == ("Edges that change for shifts from 0 to 3: x -- y.",)
    assert found.networks[1].graph.links


def test_levels_are_shifted_by_log_odds():
    data, rng = survey(3)
    data["vote"][rng.random(400) < 0.3] = None
    net = aw.learn(data, certainty=False)
    found = net.sensitivity("vote", shifts=[-30, 1, 30], target="vote")
    shares = [belief.probability("yes") for belief in found.beliefs]
    assert shares == sorted(shares)
    seen = np.mean([each == "yes" for each in data["vote"] if each is not None])
    assert shares[1] == pytest.approx(seen, abs=0.1)
    assert [name for name in found.frame.names if name.startswith("p(")] == ["p(no)", "p(yes)"]


def test_what_cannot_be_shifted_is_a_sentence(incomes):
    with pytest.raises(DataError, match="'age' has no missing values to shift"):
        incomes.sensitivity("age")
    with pytest.raises(DataError, match="There is no variable 'incom'"):
        incomes.sensitivity("incom")
    with pytest.raises(OptionError, match="shifts must be numbers"):
        incomes.sensitivity("income", shifts=["high"])
    with pytest.raises(NoTimeError, match="allow more"):
        incomes.sensitivity("income", time_limit=0)
    with pytest.raises(FitError, match="needs the training data"):
        aw.load(aw.network_file("asia")).sensitivity("lung")
    rng = np.random.default_rng(4)
    town = rng.choice(np.array(["a", "b", "c", None], dtype=object), 100)
    net = aw.learn({"town": town, "x": rng.normal(size=100)}, certainty=False)
    with pytest.raises(DataError, match="levels have no order"):
        net.sensitivity("town")
