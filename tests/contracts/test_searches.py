"""Laws of every registered search."""

import inspect
from functools import cache

import numpy as np
import pytest
from contracts.cases import bind, levels, linear, mixed, nasty, random_graph, random_rules, table
from contracts.laplace import Laplace
from contracts.multinomial import Multinomial
from naive.subsets import best_graph

from arcwise.conditionals import FAMILIES, MixedFamily
from arcwise.data import Table, Variable
from arcwise.errors import FitError, GraphError
from arcwise.graphs import DAG, Limits, Rules, legal_moves
from arcwise.results import ASKED, Result
from arcwise.scores import ArcPenalty, CachedScore, ExpertPrior, Score, Sum, total
from arcwise.scores import score as contract
from arcwise.search import SEARCHES

search_law = pytest.mark.parametrize("word", SEARCHES)
# What keeps a run short where a search would take its time by default.
SHORT = {"steps": 1500, "rounds": 4, "walks": 2, "patience": 5}


def run(word: str, score: Score, start=None, seed: int = 0, **options) -> Result:
    search = SEARCHES[word]
    takes = inspect.signature(search).parameters
    given = {key: value for key, value in SHORT.items() if key in takes} | options
    if "rng" in takes:
        given["rng"] = np.random.default_rng(seed)
    return search(score, start, **given)


@cache
def gaussian(seed: int = 1, p: int = 6, word: str = "bic") -> Score:
    return bind(word, FAMILIES["gaussian"], linear(seed, rows=70, p=p))


def checked(result: Result, score: Score, limits: Limits | None = None) -> Result:
    """What is true of every result."""
    graph = DAG(score.nodes, result.graph.parents)  # checks that it is acyclic
    assert graph == result.graph
    assert result.score == pytest.approx(total(score, graph), rel=1e-12)
    assert limits is None or limits.allows_graph(graph)
    assert result.stopped
    for number, step in enumerate(result.trace):
        assert step.number >= 0
        assert step.edges >= 0
        assert np.isfinite(step.score), (number, step)
    times = [step.elapsed for step in result.trace]
    assert all(t >= 0 for t in times)
    return result


@search_law
def test_the_result_is_acyclic_and_its_score_is_its_graphs_score(word):
    for seed in range(3):
        score = gaussian(seed)
        result = checked(run(word, score), score)
        assert result.score >= total(score, DAG.empty(score.nodes))


@search_law
@pytest.mark.parametrize("case", range(12))
def test_rules_are_obeyed_in_every_combination(word, case):
    rng = np.random.default_rng(case)
    score = gaussian(case % 3, word="loglik" if case % 2 else "bic")
    limits = random_rules(score.nodes, rng).on(score.nodes)
    start = random_graph(score.nodes, rng, limits=limits) if case % 3 else None
    result = checked(run(word, score, start, limits=limits), score, limits)
    begun = limits.start() if start is None else start
    assert result.score >= total(score, begun) - 1e-7


@search_law
def test_a_proof_of_optimality_is_true(word):
    for seed in range(4):
        score = gaussian(seed, p=4)
        rules = random_rules(score.nodes, np.random.default_rng(seed)) if seed else Rules()
        limits = rules.on(score.nodes)
        best = best_graph(score, limits)
        result = checked(run(word, score, limits=limits), score, limits)
        assert result.score <= best + 1e-7
        if result.optimal:
            assert result.score == pytest.approx(best, rel=1e-12)
            assert "optimal" in str(result.stopped)


@search_law
def test_the_start_is_unchanged_and_the_end_not_worse(word):
    score = gaussian(2)
    for seed in range(4):
        start = random_graph(score.nodes, np.random.default_rng(seed), density=0.7)
        before = (start.nodes, start.parents)
        result = checked(run(word, score, start), score)
        assert (start.nodes, start.parents) == before
        assert result.score >= total(score, start) - 1e-7


@search_law
def test_the_same_seed_gives_the_same_result(word):
    score = gaussian(3)
    first, second = (run(word, score, seed=7) for _ in range(2))
    assert first.graph == second.graph
    assert first.score == second.score
    assert [(s.what, s.tail, s.head, s.score) for s in first.trace] == [
        (s.what, s.tail, s.head, s.score) for s in second.trace
    ]


@search_law
@pytest.mark.parametrize("after", [1, 3])
def test_a_watcher_stops_the_search_with_the_best_so_far(word, after):
    score, seen = gaussian(1), []
    limits = Rules(required=[("v0", "v1")], max_parents=2).on(score.nodes)

    def watch(step):
        seen.append(step)
        return len(seen) >= after

    start = random_graph(score.nodes, np.random.default_rng(1), limits=limits)
    result = checked(run(word, score, start, limits=limits, on_step=watch), score, limits)
    assert result.score >= total(score, start) - 1e-7
    assert not result.optimal
    assert len(seen) <= after + 1, "the watcher was told of steps after it had said stop"
    whole = run(word, score, start, limits=limits)
    if len(whole.trace) > after + 1:
        assert str(result.stopped) == "asked to stop"


class Dear(Score):
    """A score that counts its local fits, and has no shortcuts."""

    def __init__(self, score: Score) -> None:
        self.score, self.fits = score, 0
        self.nodes, self.rows, self.equivalent = score.nodes, score.rows, score.equivalent

    def many(self, child, sets):
        self.fits += len(sets)
        return self.score.many(child, sets)


@search_law
def test_a_dear_score_is_interrupted_between_local_fits(word, monkeypatch):
    """Whenever the watcher says stop, only local fits of the graph handed back may follow."""
    monkeypatch.setattr(contract, "_BATCH", 0.0)  # one local fit at a time
    plain = gaussian(1)
    p = len(plain.nodes)
    limits = Rules(required=[("v0", "v1")], max_parents=3).on(plain.nodes)
    start = random_graph(plain.nodes, np.random.default_rng(1), limits=limits)
    total_fits = Dear(plain)
    run(word, CachedScore(total_fits), start, limits=limits)
    for after in sorted({*range(1, 12), *range(12, total_fits.fits, 9)}):
        dear, calls, at_stop = Dear(plain), [0], [-1]

        def watch(step, dear=dear, calls=calls, at_stop=at_stop, after=after):
            calls[0] += 1
            if calls[0] >= after and at_stop[0] < 0:
                at_stop[0] = dear.fits
            return calls[0] >= after

        result = run(word, CachedScore(dear), start, limits=limits, on_step=watch)
        if at_stop[0] < 0:
            continue  # it ended before
        checked(result, plain, limits)
        assert at_stop[0] <= after, "a local fit was made without asking"
        assert dear.fits - at_stop[0] <= p, "local fits were made after the watcher had said stop"
        assert (result.stopped, result.optimal) == (ASKED, False)
        assert result.score >= total(plain, start) - 1e-7


@search_law
def test_a_watcher_that_says_nothing_sees_the_trace_and_changes_nothing(word):
    score, seen = gaussian(1), []
    watched = run(word, score, on_step=lambda step: seen.append(step))
    assert watched.graph == run(word, score).graph
    kept = [(s.what, s.tail, s.head) for s in seen]
    assert all((s.what, s.tail, s.head) in kept for s in watched.trace if s.what != "optimum")


@search_law
def test_max_steps_bounds_the_trace_where_it_is_taken(word):
    if "max_steps" not in inspect.signature(SEARCHES[word]).parameters:
        pytest.skip("this search has no such option")
    score = gaussian(1)
    for most in (1, 2, 4):
        result = checked(run(word, score, max_steps=most), score)
        assert len(result.trace) <= most
        if len(result.trace) == most:
            assert "steps" in str(result.stopped)
        else:  # it needed fewer
            assert result.graph == run(word, score).graph


@search_law
def test_one_and_two_variables(word):
    one = bind("bic", FAMILIES["gaussian"], linear(1, p=1))
    assert checked(run(word, one), one).graph.n_arcs == 0
    x = np.random.default_rng(1).normal(size=50)
    related = table({"a": x, "b": x + 0.1 * np.random.default_rng(2).normal(size=50)})
    score = bind("bic", FAMILIES["gaussian"], related)
    assert checked(run(word, score), score).graph.n_arcs == 1
    shut = Rules(forbidden=[("a", "b"), ("b", "a")]).on(("a", "b"))
    assert checked(run(word, score, limits=shut), score, shut).graph.n_arcs == 0
    one_way = Rules(forbidden=[("a", "b")]).on(("a", "b"))
    assert checked(run(word, score, limits=one_way), score, one_way).graph.arcs == (("b", "a"),)


@search_law
@pytest.mark.parametrize("score_word", ["bic", "bge", "loglik", "loo"])
def test_constant_and_copied_columns_are_no_trouble(word, score_word):
    score = bind(score_word, FAMILIES["gaussian"], nasty())
    result = checked(run(word, CachedScore(score)), score)
    if score_word == "bic":  # a constant explains nothing and nothing explains it
        constant = score.nodes.index("constant")
        assert result.graph.parents[constant] == ()
        assert result.graph.children[constant] == ()


@search_law
def test_more_columns_than_rows_are_no_trouble(word):
    source = linear(1, rows=5, p=7)
    score = bind("bic", FAMILIES["gaussian"], source)
    checked(run(word, score), score)


@search_law
def test_the_order_of_columns_does_not_matter(word):
    source = linear(2, rows=60, p=6)
    turned = Table(source.variables[::-1], source.columns[::-1])
    first, second = (
        run(word, bind("bic", FAMILIES["gaussian"], each)) for each in (source, turned)
    )
    assert first.graph == second.graph
    assert first.score == second.score


@pytest.mark.parametrize("word", [w for w in SEARCHES if w in ("exact", "auto", "ges", "tabu")])
def test_other_names_of_the_columns_give_the_same_score(word):
    """Names decide ties only; searches that find the optimum find it under any names."""
    source = linear(3, rows=60, p=5)
    found = []
    for seed in range(3):
        names = np.random.default_rng(seed).permutation(list("abcde"))
        renamed = table(dict(zip(names, source.columns, strict=True)))
        found.append(run(word, bind("bic", FAMILIES["gaussian"], renamed)).score)
    assert found == pytest.approx([found[0]] * 3, rel=1e-12)


@search_law
def test_composed_scores_are_searched_as_any_other(word):
    base = gaussian(1)
    expert = random_graph(base.nodes, np.random.default_rng(5))
    score = Sum(
        (base, ArcPenalty(base.nodes, base.rows, 0.02), ExpertPrior(expert, base.rows, 0.05))
    )
    limits = Rules(max_parents=2).on(base.nodes)
    checked(run(word, score, limits=limits), score, limits)
    free = checked(
        run(word, CachedScore(base)), base
    )  # ties may fall otherwise: not the same graph
    if free.optimal:
        assert free.score == pytest.approx(run("exact", base).score, rel=1e-12)


@search_law
@pytest.mark.parametrize("score_word", ["loglik", "bic", "loo", "kfold"])
@pytest.mark.parametrize("family", [Laplace(), Multinomial()], ids=lambda family: family.name)
def test_other_families_are_searched_as_any_other(word, family, score_word):
    source = linear(5, rows=14, p=3) if "continuous" in family.kinds else levels(5, rows=30, p=4)
    score = bind(score_word, family, source)
    limits = Rules(max_parents=2, forbidden=[("v0", "v1")]).on(score.nodes)
    result = checked(run(word, score, limits=limits), score, limits)
    assert result.score >= total(score, DAG.empty(score.nodes))
    if result.optimal:
        assert result.score == pytest.approx(best_graph(score, limits))


@search_law
def test_a_start_against_the_rules_is_rejected_with_a_message(word):
    score = gaussian(1)
    limits = Rules(forbidden=[("v0", "v1")]).on(score.nodes)
    start = DAG.from_arcs([("v0", "v1")], score.nodes)
    with pytest.raises(GraphError, match="rules"):
        run(word, score, start, limits=limits)
    with pytest.raises(FitError, match="variables"):
        run(word, score, DAG.empty(["other"]))


@search_law
def test_a_family_of_one_kind_finds_what_depends_on_what(word):
    """Two parents that only together tell of a third: parameters are counted by levels, set by set."""
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 3, size=(2, 2000))
    c = np.where(rng.random(2000) < 0.9, (a + b) % 3, rng.integers(0, 3, size=2000))
    variables = tuple(Variable(name, ("x", "y", "z")) for name in "abc")
    source = Table(variables, tuple(x.astype(np.uint8) for x in (a, b, c)))
    score = bind("bic", Multinomial(), source)
    assert score.fits.n_params(2, [(), (0,), (0, 1)]).tolist() == [2.0, 6.0, 18.0]
    limits = Rules(required=[("a", "c")]).on(source.names)
    result = checked(run(word, score, limits=limits), score, limits)
    assert result.graph.parents[2] == (0, 1)


@search_law
@pytest.mark.parametrize("score_word", ["bic", "kfold"])
def test_sets_that_no_model_takes_are_passed_over(word, score_word):
    """Numbers take numbers as parents and levels take levels; everything else scores minus infinity."""
    source = mixed(2, rows=40, p=4)
    own = {"continuous": Laplace(), "discrete": Multinomial()}
    family = MixedFamily({variable.name: own[variable.kind] for variable in source.variables})
    score = CachedScore(bind(score_word, family, source))
    assert score.local(0, (1,)) == -np.inf
    result = checked(run(word, score), score)
    kinds = [variable.kind for variable in source.variables]
    assert np.isfinite(result.score)
    assert all(kinds[tail] == kinds[head] for tail, head in result.graph.numbered_arcs)
    assert result.score >= total(score, DAG.empty(score.nodes))
    if result.optimal:
        assert result.score == pytest.approx(best_graph(score), rel=1e-12)
    start = DAG.from_arcs([("v0", "v1")], score.nodes)
    if word not in ("exact", "ges", "boss"):  # these may leave the start unscored
        with pytest.raises(FitError, match="no local model of 'v1' given v0"):
            run(word, score, start)


class Seen(Dear):
    """A score that notes every set that it is asked for."""

    def __init__(self, score: Score) -> None:
        super().__init__(score)
        self.sets: set[tuple[int, tuple[int, ...]]] = set()

    def many(self, child, sets):
        self.sets |= {(child, s) for s in sets}
        return super().many(child, sets)


def forbidden(seen: Seen, limits: Limits, classes: bool) -> list:
    """Sets asked for that the rules forbid; of a class, those that no member of one may have."""
    if not classes:
        return [(child, s) for child, s in seen.sets if not limits.allows(child, s)]
    barred = limits.barred or (frozenset(),) * len(limits.nodes)
    most = len(limits.nodes) if limits.max_parents is None else limits.max_parents
    shut = [{x for x in row if child in barred[x]} for child, row in enumerate(barred)]
    return [(child, s) for child, s in seen.sets if len(s) > most or not shut[child].isdisjoint(s)]


@search_law
@pytest.mark.parametrize("case", range(8))
@pytest.mark.parametrize("equivalent", [False, True])
def test_forbidden_sets_are_never_fitted(word, case, equivalent):
    rng = np.random.default_rng(100 + case)
    seen = Seen(gaussian(case % 3))
    seen.equivalent = equivalent
    limits = random_rules(seen.nodes, rng).on(seen.nodes)
    start = random_graph(seen.nodes, rng, limits=limits) if case % 2 else None
    run(word, CachedScore(seen), start, limits=limits)
    # Scores of classes are those of any member, and only one of them has to obey the rules.
    classes = word == "ges" or (equivalent and word in ("auto", "boss"))
    assert seen.sets
    assert forbidden(seen, limits, classes) == []


@search_law
def test_a_bound_on_parents_spares_fits(word):
    free, bound = Seen(gaussian(1)), Seen(gaussian(1))
    run(word, CachedScore(free))
    run(word, CachedScore(bound), limits=Rules(max_parents=1).on(bound.nodes))
    assert max(len(s) for _, s in bound.sets) == 1
    assert len(bound.sets) <= 6 * 6 < len(free.sets)


@search_law
@pytest.mark.parametrize("dear", [False, True])
def test_a_condition_on_the_whole_graph_is_obeyed_or_rejected_with_a_message(word, dear):
    """The first variable has a child, and at most five arcs are there in all."""
    plain = gaussian(1)
    score = CachedScore(Dear(plain)) if dear else plain
    limits = Rules(forbidden=[("v1", "v0")]).on(score.nodes)
    limits = limits.where(lambda graph: bool(graph.children[0])).where(
        lambda graph: graph.n_arcs < 6
    )
    start = DAG.from_arcs([("v0", "v3")], score.nodes)
    if word in ("exact", "ges"):
        with pytest.raises(FitError, match="no condition on the whole graph"):
            run(word, score, start, limits=limits)
        return
    with pytest.raises(GraphError, match="The required arcs alone break the condition"):
        run(word, score, limits=limits)
    result = checked(run(word, score, start, limits=limits), score, limits)
    assert result.score > total(score, start)
    assert not result.optimal
    free = run(word, score, start)
    assert free.graph.n_arcs > 5  # so that the condition cost something
    if word in ("greedy", "tabu", "ils", "auto"):  # no change of one arc that it allows is better
        for move in legal_moves(result.graph, limits):
            assert total(score, move.apply(result.graph)) <= result.score + 1e-7
