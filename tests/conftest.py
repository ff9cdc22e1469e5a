"""Fixtures for all rooms: where the shared data lie, and what was skipped for want of them."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A busy machine is no failure, and what lands must not depend on luck: in CI the examples are fixed,
# elsewhere each run looks at new ones.
settings.register_profile("people", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("people"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "people")


def shared_folder() -> Path | None:
    """The folder of shared data: ARCWISE_DATA, or shared/data beside the clone."""
    places = [os.environ.get("ARCWISE_DATA"), Path(__file__).parents[2] / "shared" / "data"]
    return next((Path(p) for p in places if p and Path(p).is_dir()), None)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    folder = shared_folder()
    if folder is None:
        pytest.skip("shared data not found: set ARCWISE_DATA to their folder")
    return folder


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all", action="store_true", help="run the slow laws, too")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--all"):
        return
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(pytest.mark.skip(reason="slow law: run scripts/test --all"))
