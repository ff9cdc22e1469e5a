"""The lecture's graphical lasso on the proteins of Sachs et al.: 8, 11 and 18 edges.

Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, figure 17.5; the covariance has the
divisor n - 1 and is divided by 1000.
"""

import json

import numpy as np
import pytest

import arcwise as aw


@pytest.fixture(scope="module")
def thousands():
    moments = aw.Moments.of(aw.example("sachs"))
    covariance = moments.scatter / (moments.n - 1) / 1000
    return aw.Moments.given(moments.names, moments.n, moments.mean, covariance)


@pytest.mark.parametrize(("rho", "edges"), [(36.0, 8), (27.0, 11), (7.0, 18)])
def test_the_lectures_penalties(thousands, rho, edges):
    words = {
        "graph": "undirected",
        "model": "gaussian",
        "search": aw.Glasso(scale="covariance", refit=False),
    }
    net = aw.learn(thousands, penalty=rho, **words)
    assert net.graph.n_edges == edges
    joint = net.net.joint
    off = np.abs(joint.covariance - thousands.covariance)
    assert off.max() <= rho * (1 + 1e-6)  # the dual's box
    np.testing.assert_allclose(np.diag(joint.covariance), np.diag(thousands.covariance) + rho)
    path = aw.path(thousands, **words)
    assert path.at(rho) == net.graph
    assert json.loads(json.dumps(net.about()["settings"]))["penalty"] == rho


def test_what_ebic_finds_on_logs():
    table = aw.example("sachs")
    logs = {name: np.log(column) for name, column in zip(table.names, table.columns, strict=True)}
    net = aw.learn(logs, graph="undirected", model="gaussian")
    assert 40 <= net.graph.n_edges <= 50
    assert ("pmek", "praf") in net.graph.edges
    assert net.edges["pmek", "praf"].partial_correlation > 0.6
