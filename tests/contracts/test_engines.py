"""Laws of every registered engine: what it takes, it answers as sums and fine grids do."""

from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from contracts.quadrature import NETS, found_truth

from arcwise.data import Table
from arcwise.errors import ArcwiseError
from arcwise.inference import (
    ENGINES,
    impute,
    marginal_log_density,
    marginals,
    predict,
    query,
    sample,
)
from arcwise.inference.engine import ESTIMATED, Cost, Question, read_options
from arcwise.inference.evidence import read_evidence
from arcwise.networks import BayesNet

EVERY = pytest.mark.parametrize("word", ENGINES)
KINDS = pytest.mark.parametrize("kind", NETS)
ROWS = 3000  # draws that laws of chance are tested on
DEAR = 1e5  # work for one draw above which there are but a few


def known_cases(kind):
    """What is known: the last variable, the first, all but that; nothing where sums are small."""
    net = NETS[kind]
    values = {v.name: 0.4 if v.levels is None else v.levels[-1] for v in net.variables}
    names = list(net.names)
    picks = [names[-1:], names[:1], names[1:]]
    if len(names) * sum(not v.discrete for v in net.variables) < 9:
        picks.append([])
    return [{name: values[name] for name in pick} for pick in picks]


def attempt(ask):
    """An answer, or None where the engine does not take the question."""
    with suppress(ArcwiseError):
        return ask()
    return None


def cost(word, net, asked, known, task="belief"):
    """What an engine says that a question costs."""
    evidence, options = read_evidence(net, known, None), read_options({"method": word}, ENGINES)
    nodes, rng = [net.index(name) for name in asked], np.random.default_rng(1)
    question = replace(Question.of(net, nodes, evidence, options, rng), task=task)
    return ENGINES[word].accepts(question)


def slack(word, net, asked, known) -> float:
    """How far, in standard deviations, an engine may be off: not at all, unless it says that it estimates."""
    return 0.35 if cost(word, net, asked, known).error == ESTIMATED else 1e-5


def near(found, true, error, scale, slack=1e-5):
    """Equal, or within five standard errors of a simulation, which has to be a small part of the spread."""
    assert error < 0.15 * scale
    assert abs(found - true) < (5 * error if error else slack * scale) + 1e-5 * scale


def agrees(belief, node, true, by_levels, slack=1e-5):
    """One belief against sums: every probability, or mean and standard deviation."""
    error = float(np.max(belief.error))
    if by_levels:
        for share, expected in zip(
            belief.distribution.probabilities.ravel(), true.single(node), strict=True
        ):
            near(share, expected, error, 1.0, slack)
        return
    near(belief.mean, true.mean(node), error, true.sd(node), slack)
    assert belief.sd == pytest.approx(true.sd(node), rel=0.1 if error else max(slack, 1e-4))


def key(values):
    return tuple(sorted(values.items()))


@EVERY
@KINDS
def test_beliefs_of_single_variables(word, kind):
    net = NETS[kind]
    for known in known_cases(kind):
        for target in [name for name in net.names if name not in known]:
            belief = attempt(lambda t=target, k=known: query(net, t, k, method=word, seed=2))
            if belief is not None:
                node = net.index(target)
                true = found_truth(kind, key(known))
                loose = slack(word, net, [target], known)
                agrees(belief, node, true, net.variables[node].discrete, loose)


@EVERY
@KINDS
def test_beliefs_of_two_variables_together(word, kind):
    net = NETS[kind]
    known = known_cases(kind)[0]
    asked = [name for name in net.names if name not in known][1::-1]
    both = attempt(lambda: query(net, asked, known, method=word, seed=2))
    if both is None:
        return
    true, nodes = found_truth(kind, key(known)), [net.index(name) for name in asked]
    loose = slack(word, net, asked, known)
    for belief, node in zip(both.singles, nodes, strict=True):
        agrees(belief, node, true, net.variables[node].discrete, loose)
    exact = not max(np.max(belief.error) for belief in both.singles)
    if all(not net.variables[node].discrete for node in nodes):
        found = both.correlation[0, 1] if np.ndim(both.correlation) else both.correlation
        assert found == pytest.approx(true.correlation(*nodes), abs=loose if exact else 0.1)


@EVERY
@KINDS
def test_marginals_of_all_variables(word, kind):
    net, known = NETS[kind], known_cases(kind)[0]
    found = attempt(lambda: marginals(net, known, method=word, seed=2))
    if found is not None:
        assert set(found) == set(net.names) - set(known)
        for name, belief in found.items():
            node = net.index(name)
            loose = slack(word, net, [name], known)
            agrees(belief, node, found_truth(kind, key(known)), net.variables[node].discrete, loose)


@EVERY
@KINDS
def test_beliefs_after_setting_a_variable(word, kind):
    net = NETS[kind]
    seen, forced = {net.names[-1]: known_cases(kind)[0][net.names[-1]]}, {}
    middle = net.variables[1]
    forced = {middle.name: 0.7 if middle.levels is None else middle.levels[0]}
    target = net.names[0]
    belief = attempt(lambda: query(net, target, seen, forced, method=word, seed=2))
    if not isinstance(net, BayesNet):
        assert belief is None
    if belief is not None:
        true = found_truth(kind, key(seen), key(forced))
        agrees(belief, 0, true, net.variables[0].discrete)


@EVERY
@KINDS
def test_weights_of_levels_as_evidence(word, kind):
    net = NETS[kind]
    places = [i for i, variable in enumerate(net.variables) if variable.discrete]
    if len(places) < 2:
        pytest.skip("there are no two variables with levels")
    soft, target = net.variables[places[-1]], places[0]
    shares = tuple(0.2 + 0.5 * i for i in range(len(soft.levels)))
    said = {soft.name: dict(zip(soft.levels, shares, strict=True))}
    belief = attempt(lambda: query(net, net.names[target], said, method=word, seed=2))
    if belief is not None:
        true = found_truth(kind, weights=((soft.name, shares),))
        agrees(belief, target, true, by_levels=True)


def with_gaps(kind):
    """Rows with the gaps of every case, and what is known of each."""
    net, cases = NETS[kind], known_cases(kind)
    columns = []
    for variable in net.variables:
        gap = np.nan if variable.levels is None else len(variable.levels)
        cells = [known.get(variable.name, gap) for known in cases]
        if variable.levels is None:
            columns.append(np.array(cells, dtype=float))
        else:
            codes = [variable.levels.index(c) if isinstance(c, str) else c for c in cells]
            columns.append(np.array(codes, dtype=np.uint8))
    return Table(net.variables, tuple(columns)), cases


@EVERY
@KINDS
def test_predictions_of_rows_with_gaps(word, kind):
    net = NETS[kind]
    table, cases = with_gaps(kind)
    name, by_levels = net.names[0], net.variables[0].discrete
    found = attempt(lambda: predict(net, table, name, method=word, seed=2))
    for row, known in enumerate(cases if found is not None else []):
        rest = {other: value for other, value in known.items() if other != name}
        if not rest and len(cases) < 4:
            continue  # a sum over all
        true, error = found_truth(kind, key(rest)), float(found.error[row])
        if by_levels:
            for share, expected in zip(found.probabilities[row], true.single(0), strict=True):
                near(share, expected, error, 1.0)
        else:
            loose = slack(word, net, [name], rest)
            near(found.mean[row], true.mean(0), error, true.sd(0), loose)


@EVERY
@KINDS
def test_gaps_filled_with_expected_values(word, kind):
    net = NETS[kind]
    table, cases = with_gaps(kind)
    filled = attempt(lambda: impute(net, table, method=word, seed=2))
    if filled is None:
        return
    for row, known in enumerate(cases):
        true = found_truth(kind, key(known))
        for node, name in enumerate(net.names):
            cell = filled.columns[node][row]
            if name in known:
                assert cell == table.columns[node][row]
            elif net.variables[node].discrete:
                shares = true.single(node)
                assert shares[int(cell)] > shares.max() - 0.05
            else:
                loose = max(0.15, slack(word, net, [name], known))
                assert cell == pytest.approx(true.mean(node), abs=loose * true.sd(node))


@EVERY
@KINDS
def test_draws_have_the_distribution_of_what_is_hidden(word, kind):
    net, known = NETS[kind], known_cases(kind)[0]
    words = {"method": word} if isinstance(net, BayesNet) else {"method": word, "burn_in": 30}
    rng, said = np.random.default_rng(5), cost(word, net, net.names, known, "draws")
    dear = isinstance(said, Cost) and said.work > DEAR
    drawn = attempt(lambda: sample(net, rng, 3 if dear else ROWS, known, **words))
    if drawn is None:
        return
    true = found_truth(kind, key(known))
    for node, name in enumerate(net.names):
        column = drawn.columns[node].astype(float)
        if name in known:
            assert len(np.unique(column)) == 1
        elif dear:
            assert (np.abs(column - true.mean(node)) < 6 * true.sd(node)).all()
        elif net.variables[node].discrete:
            shares = np.bincount(drawn.columns[node], minlength=len(true.single(node))) / ROWS
            np.testing.assert_allclose(shares, true.single(node), atol=0.05)
        else:
            loose = max(0.12, slack(word, net, [name], known))
            assert column.mean() == pytest.approx(true.mean(node), abs=loose * true.sd(node))
            assert column.std() == pytest.approx(true.sd(node), rel=loose)


@EVERY
@KINDS
def test_log_densities_of_rows_with_gaps(word, kind):
    net = NETS[kind]
    table, cases = with_gaps(kind)
    found = attempt(lambda: marginal_log_density(net, table, method=word, seed=2))
    if found is None:
        return
    rest = 0.0 if isinstance(net, BayesNet) else found_truth(kind).log
    for row, known in enumerate(cases):
        expected = found_truth(kind, key(known)).log - rest if known else 0.0
        assert found[row] == pytest.approx(expected, abs=0.1 if simulates(word, kind) else 1e-5)


def belief_of(word, kind):
    """An engine's belief of the first variable given the last; None where it does not take that."""
    net, known = NETS[kind], known_cases(kind)[0]
    return attempt(lambda: query(net, net.names[0], known, method=word, seed=2))


def simulates(word, kind):
    """Whether an engine's answers have errors."""
    belief = belief_of(word, kind)
    return belief is not None and bool(np.max(belief.error))


def test_every_engine_and_every_task_is_met():
    """Each engine answers for some network, and each network is answered without an error where it can be.

    That of intervals takes no values alone, and has tests of its own.
    """
    answers = [
        (word, kind) for word in ENGINES for kind in NETS if belief_of(word, kind) is not None
    ]
    assert {word for word, _ in answers} == set(ENGINES) - {"intervals"}
    assert {kind for _, kind in answers} == set(NETS)
