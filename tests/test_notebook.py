"""A notebook runs from top to bottom, and its HTML shows what it should: tables and figures, never a dump."""

import os

import pytest
from test_frame import Tags

nbformat = pytest.importorskip(
    "nbformat", reason="notebooks need: pip install nbclient nbconvert ipykernel"
)
nbclient = pytest.importorskip("nbclient", reason="notebooks need: pip install nbclient")
nbconvert = pytest.importorskip("nbconvert", reason="notebooks need: pip install nbconvert")
pytest.importorskip("ipykernel", reason="notebooks need: pip install ipykernel")
pytest.importorskip("matplotlib")

SETUP = """
import arcwise as aw
homes = aw.example("boston").select(["MEDV", "LSTAT", "RM", "NOX"])
net = aw.learn(homes, model="gaussian", certainty=False)
alarm = aw.example("alarm", "network")
hostile = aw.table({"<script>alert(1)</script>": [1.5, 2.5, 3.0, 4.5], "b": [2.0, 1.0, 4.0, 3.5]})
"""

VALUES = (
    "homes", "homes.audit()", "net.graph", "net.edges", "net.edges['LSTAT', 'MEDV']", "net['MEDV']",
    "net.query('MEDV', given={'RM': 7.0})", "net.query(['MEDV', 'NOX'])", "net.predict(homes, 'MEDV')",
    "alarm.query('HR', given={'CO': 'LOW'})", "alarm.marginals(given={'CO': 'LOW'})", "alarm['HR']",
    "alarm.explain(given={'CO': 'LOW'})", "alarm.conflict({'HR': 'LOW', 'CO': 'HIGH'})",
    "alarm.impact('HR', {'CO': 'HIGH'})", "net.covariance", "aw.posterior(homes)",
    "aw.posterior(homes).edges", "aw.path(homes, model='gaussian')", "aw.validate(homes, folds=3)",
    "aw.prune(homes, 'MEDV')", "aw.compare(net, aw.dag([('RM', 'MEDV')], nodes=net.nodes))",
    "aw.divergence(net, net)", "hostile",
)  # fmt: skip

FIGURES = ("net.plot();", "net.plot_local('MEDV');", "net.query('MEDV', given={'RM': 7.0}).plot();")


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    cells = [nbformat.v4.new_code_cell(each) for each in (SETUP, *VALUES, *FIGURES)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    _, notebook = nbformat.validator.normalize(notebook)
    folder = str(tmp_path_factory.mktemp("notebook"))
    os.environ.setdefault(
        "JUPYTER_PLATFORM_DIRS", "1"
    )  # where its files are; without it Jupyter warns
    client = nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": folder}}
    )
    return client.execute()


def test_every_value_is_shown_as_html_and_as_one_short_text(executed):
    shown = {cell.source: cell.outputs for cell in executed.cells[1:]}
    for source in VALUES:
        (output,) = shown[source]
        assert "text/html" in output.data, source
        tags = Tags(output.data["text/html"])
        assert "script" not in tags.seen, source
        assert len(output.data["text/plain"]) < 1500, source
    for source in FIGURES:
        assert any("image/png" in each.get("data", {}) for each in shown[source]), source


def test_the_exported_page_has_all_of_it(executed):
    page, _ = nbconvert.HTMLExporter().from_notebook_node(executed)
    assert page.count('<div class="arcwise">') >= len(VALUES)
    assert page.count("<img") == len(FIGURES)
    assert "<script>alert(1)" not in page
    assert "MEDV given RM = 7" in page
