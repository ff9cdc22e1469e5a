"""Pictures are drawn without a screen, and closed after each test."""

import pytest


@pytest.fixture(autouse=True)
def no_screen():
    pytest.importorskip("matplotlib").use("agg")
    yield
    import matplotlib.pyplot as plt

    plt.close("all")
