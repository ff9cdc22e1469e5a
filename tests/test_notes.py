"""Values of what is reported: notes, fixes, reasons why a run ended."""

import pickle

import pytest
from contracts.cases import linear

import arcwise as aw
from arcwise.api.progress import Progress
from arcwise.notes import NOT_STOPPED, Blank, Fix, Note, NoteKind, Stop, StopReason
from arcwise.results import ASKED, FULL, Step

EARLY = {StopReason.MAX_STEPS, StopReason.TIME_LIMIT, StopReason.INTERRUPTED, StopReason.CALLBACK}


@pytest.mark.parametrize("reason", list(StopReason))
def test_a_stop_comes_back_from_its_plain_form(reason):
    stop = Stop(reason, "2.5" if reason is StopReason.TIME_LIMIT else "")
    assert Stop.from_dict(stop.to_dict()) == stop
    assert stop.early == (reason in EARLY)


def test_a_sentence_of_an_older_file_is_kept():
    assert Stop.from_dict("proved optimal").reason is StopReason.OPTIMAL
    among = "proved optimal among the graphs that the rules allow"
    assert Stop.from_dict(among) == Stop(StopReason.OPTIMAL, among.removeprefix("proved optimal "))
    assert str(Stop.from_dict("solved at penalty 0.1")) == "solved at penalty 0.1"
    assert Stop.from_dict("") == NOT_STOPPED
    assert Stop.from_dict({"reason": "bored", "detail": ""}) is None
    assert Stop.from_dict(3) is None


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"search": "exact"}, StopReason.OPTIMAL),
        ({"search": "greedy"}, StopReason.CONVERGED),
        ({"search": aw.Greedy(max_steps=1)}, StopReason.MAX_STEPS),
        ({"search": "greedy", "time_limit": 0}, StopReason.TIME_LIMIT),
        ({"graph": "undirected"}, StopReason.CONVERGED),
    ],
)
def test_a_learned_network_carries_its_reason_through_a_file(options, reason, tmp_path):
    net = aw.learn(linear(1, p=4), certainty=False, **options)
    assert net.stopped.reason is reason
    net.save(tmp_path / "net.json")
    assert aw.load(tmp_path / "net.json").stopped == net.stopped
    assert net.to_dict()["stop_reason"] == reason.value


def test_a_watch_says_why_it_stops():
    with Progress("learning", 0.0, show=False) as watch:
        assert not watch.stopped
        assert watch(Step(1, "add", 0, 1, 0.0, 1, 0.0))
        assert watch.stopped == Stop(StopReason.TIME_LIMIT, "0")
    assert (ASKED.early, FULL.early) == (True, True)


@pytest.mark.parametrize(
    ("fix", "python", "shell"),
    [
        (Fix("model", "parzen"), "model='parzen'", "--model parzen"),
        (
            Fix("kinds", {"a b": "discrete"}),
            "aw.table(data, kinds={'a b': 'discrete'})",
            "--kind 'a b=discrete'",
        ),
        (
            Fix("na_values", ["inf", "?"]),
            "na_values=['inf', '?']",
            "--na-values=inf --na-values='?'",
        ),
        (Fix("certainty", True), "certainty=True", "--certainty"),
        (Fix("certainty", False), "certainty=False", "--no-certainty"),
        (Fix("max_parents", 3), "max_parents=3", "--max-parents 3"),
        (Fix("penalty", Blank("NUMBER")), "penalty=NUMBER", "--penalty NUMBER"),
        (Fix("penalty"), "penalty=", "--penalty"),
        (Fix("columns", [...]), "columns=[...]", "--only"),
        (Fix(verb="select"), "select()", "--drop"),
        (Fix(verb="discretise"), "discretise()", "'arcwise discretise'"),
    ],
)
def test_a_fix_is_worded_for_python_and_the_shell(fix, python, shell):
    note = Note(NoteKind.DATA, f"Something, so {fix.place} helps.", ("x",), (fix,))
    assert (fix.python(), fix.shell()) == (python, shell)
    assert str(note) == f"Something, so {python} helps."
    assert note.shell() == f"Something, so {shell} helps."
    assert Note.from_stored(note.stored()) == note
    assert pickle.loads(pickle.dumps(note)) == note
    assert hash(note) == hash(Note.from_stored(note.stored()))


def test_notes_keep_kind_columns_and_fix():
    numeric = aw.table({"count": [1, 2, 2, 3] * 5, "x": [0.5, 1.5, 2.5, 3.5] * 5})
    net = aw.learn(numeric, model="gaussian", certainty=False)
    note = next(note for note in net.notes if note.about == ("count",))
    assert (note.kind, note.fix) == (NoteKind.DATA, Fix("kinds", {"count": "discrete"}))
    assert note.to_dict()["fix"] == {"option": "kinds", "value": {"count": "discrete"}}


def test_pages_escape_names_in_notes():
    odd = "<b>"
    table = aw.table({odd: [1, 2, 2, 3] * 5, "x": [0.5, 1.5, 2.5, 3.5] * 5})
    page = aw.learn(table, model="gaussian", certainty=False)._repr_html_()
    assert "&#x27;&lt;b&gt;&#x27;" in page
    assert odd not in page
    assert "<code>aw.table(data, kinds={" in page


@pytest.mark.parametrize(
    "stored", [3, {"kind": "odd", "text": "", "about": [], "fix": []}, {"kind": "data"}]
)
def test_what_is_no_note_is_rejected(stored):
    assert Note.from_stored(stored) is None
