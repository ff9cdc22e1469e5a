"""Exact arc posteriors through the verb, to 1e-8 (oracles/exact_structure.json)."""

import json

import pytest

import arcwise as aw

CASES = {
    "asia": ("bnlearn/asia.csv", "bdeu_ess1", "discrete"),
    "lizards": ("bnlearn/lizards.csv", "bdeu_ess1", "discrete"),
    "marks": ("bnlearn/marks.csv", "bge_am1_awn+2", "gaussian"),
}


@pytest.mark.parametrize("name", CASES)
def test_arc_posteriors(shared_data, name):
    place, word, model = CASES[name]
    path = shared_data / place
    path = path if path.exists() else path.with_name(path.name + ".gz")
    oracle = json.loads((shared_data / "oracles" / "exact_structure.json").read_text())[name][word]
    found = aw.posterior(aw.read(path), model=model, score=word.split("_")[0])
    assert found.meaning == "posterior"
    for arc, probability in oracle["arc_posterior_uniform_dag_prior"].items():
        tail, head = arc.split("->")
        assert float(found.arc(tail, head)) == pytest.approx(probability, abs=1e-8)
    assert "error" in str(found.edges)
