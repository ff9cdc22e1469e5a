"""Options as objects: the same settings as the functions behind the names, checked when they are made."""

import inspect
from dataclasses import fields

import numpy as np
import pytest

import arcwise as aw
from arcwise.api.option_object import kinds_of
from arcwise.api.options import Method, Model, Option, ScoreOption, Search
from arcwise.conditionals import FAMILIES
from arcwise.errors import ArcwiseError, OptionError
from arcwise.learners import searches
from arcwise.learners.options import options_of
from arcwise.learners.posteriors import METHODS
from arcwise.learners.posteriors.plan import Plan
from arcwise.scores import SCORES

CLASSIFIERS = {"naive", "tan", "kdb"}  # learned by BayesClassifier
KINDS = [kind for base in (Model, ScoreOption, Search, Method) for kind in kinds_of(base)]
CLOSED = ["RM", "LSTAT", "MEDV", "NOX"]


def behind(kind: type[Option]) -> dict[str, tuple[object, object]]:
    """The options of the function behind a name, with their types and defaults."""
    if kind.what == "method":
        plan = {each.name: (each.type, each.default) for each in fields(Plan)}
        return {each.name: plan[each.name] for each in fields(kind)}
    parts = {}
    if kind.what == "search":
        function = {**searches("undirected"), **searches("directed")}[kind.word]
    elif kind.what == "score":
        function = SCORES[kind.word].bind
        parts = {
            name: (type(value), value) for name, value in SCORES[kind.word].part_options.items()
        }
    else:
        function = FAMILIES[kind.word].fits
    defaults = inspect.signature(function).parameters
    return {n: (k, defaults[n].default) for n, k in options_of(function).items()} | parts


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_an_object_has_the_settings_of_the_function_behind_its_name(kind):
    own = {each.name: (each.type, each.default) for each in fields(kind) if each.name != "start"}
    if kind.what == "method":  # its words are lists there
        own = {name: (None, default) for name, (_, default) in own.items()}
        assert own == {name: (None, default) for name, (_, default) in behind(kind).items()}
    else:
        assert own == behind(kind)


def test_every_name_has_an_object():
    words = {base: {kind.word for kind in kinds_of(base)} for base in Option.__subclasses__()}
    assert words[Search] == {*searches("directed"), *searches("undirected")} - CLASSIFIERS
    assert words[ScoreOption] == set(SCORES)
    assert words[Model] == set(FAMILIES)
    assert words[Method] == set(METHODS) - {"exact"}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_an_object_prints_as_it_is_typed(kind):
    assert repr(kind()) == f"{kind.__name__}()"
    assert eval(repr(kind()), vars(aw.options)) == kind()
    assert getattr(aw, kind.__name__) is kind
    assert kind.__name__ in dir(aw)


def test_a_name_is_the_object_with_its_defaults():
    homes = aw.example("boston").select(CLOSED)
    one = aw.learn(homes, search=aw.Tabu(), score=aw.BGe(), model=aw.Gaussian(), certainty=False)
    two = aw.learn(homes, search="tabu", score="bge", model="gaussian", certainty=False)
    assert (one.graph, one.score, one.settings) == (two.graph, two.score, two.settings)
    more = aw.learn(homes, search=aw.Tabu(restarts=3), score=aw.BGe(standardise=True))
    assert more.settings["search_options"] == {"restarts": 3}
    assert more.settings["score_options"]["standardise"] is True


def test_settings_of_a_score_stay_with_the_score():
    asia = aw.example("asia").sample(200, seed=1)
    net = aw.learn(asia, score=aw.BDeu(50), certainty=False)
    smooth = aw.learn(
        asia, score=aw.BDeu(50), model=aw.Discrete(equivalent_sample_size=50), certainty=False
    )
    plain = aw.fit(net.graph, asia)
    assert net.graph == smooth.graph
    assert np.allclose(net["asia"].table, plain["asia"].table)
    assert not np.allclose(smooth["asia"].table, plain["asia"].table)


def test_models_have_their_settings_after_saving(tmp_path):
    homes = aw.example("boston").select(CLOSED).head(60)
    net = aw.learn(homes, model=aw.Parzen(bandwidths="one"), search="greedy", certainty=False)
    assert all(len(set(model.bandwidths)) == 1 for model in net.net.conditionals)
    again = aw.load(net.save(tmp_path / "net.json"), data=homes)
    assert again.settings["model_options"] == {"parzen": {"bandwidths": "one"}}
    own = aw.fit(net.graph, homes, model={"*": aw.Parzen(bandwidths="one")})
    assert own["MEDV"].bandwidths == pytest.approx(net["MEDV"].bandwidths)


def test_methods_of_posteriors():
    homes = aw.example("boston").select(CLOSED)
    object_ = aw.posterior(homes, method=aw.Bootstrap(), draws=20, seed=3)
    named = aw.posterior(homes, method="bootstrap", draws=20, seed=3)
    assert object_.graphs == named.graphs
    chains = aw.learn(homes, certainty=False).certainty(aw.MCMC(chains=2), draws=50, seed=1)
    assert chains.edges


@pytest.mark.parametrize(
    "make",
    [
        lambda homes: aw.Tabu(restarts=-1),
        lambda homes: aw.Tabu(restarts="many"),
        lambda homes: aw.Parzen(bandwidths="three"),
        lambda homes: aw.KFold(folds=None),
        lambda homes: aw.learn(homes, search=aw.BIC()),
        lambda homes: aw.learn(homes, model={"RM": aw.Parzen(bandwidths="one"), "*": aw.Parzen()}),
        lambda homes: aw.learn(homes, search=aw.Tabu(restarts=1), restarts=2),
        lambda homes: aw.learn(homes, search=aw.Tabu),
        lambda homes: aw.Tabu(restart=2),
        lambda homes: aw.BIC(1),
        lambda homes: Search.named("tabu", {"restart": 1}),
        lambda homes: aw.learn(homes, rules=5),
        lambda homes: aw.learn(homes, prior="fair"),
        lambda homes: Search.named("hill", {}),
    ],
)
def test_what_makes_no_sense_is_an_error_at_once(make):
    with pytest.raises(ArcwiseError) as caught:
        make(aw.example("boston").select(CLOSED))
    assert isinstance(caught.value, OptionError)


def test_no_verb_has_more_parameters_than_one_can_remember():
    """`learn` had 27 and `posterior` 32, each with a bag of options that no editor completes."""
    most = {
        "learn": 14,
        "posterior": 16,
        "validate": 16,
        "path": 14,
        "fit": 6,
        "score": 6,
        "prune": 14,
    }
    for name, count in most.items():
        parameters = inspect.signature(getattr(aw, name)).parameters.values()
        assert len(parameters) <= count, name
        assert all(each.kind is not each.VAR_KEYWORD for each in parameters), name


def test_rules_and_starts_of_objects():
    homes = aw.example("boston").select(CLOSED)
    one = aw.learn(homes, rules={"required": ["RM -> MEDV"], "max_parents": 1}, certainty=False)
    two = aw.learn(homes, rules=aw.Rules(["RM -> MEDV"], max_parents=1), certainty=False)
    assert one.graph == two.graph
    begun = aw.Greedy(start=[("RM", "MEDV")])
    assert begun.start == aw.dag("RM -> MEDV")
    assert repr(begun) == "Greedy(start='[RM][MEDV|RM]')"
    assert eval(repr(begun), vars(aw.options)) == begun
    assert repr(aw.Tabu(restarts=2, start="complete")) == "Tabu(restarts=2, start='complete')"
