"""The rules of the house: who may import whom, how long things may be, what is public."""

import ast
import importlib
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parents[1]
PACKAGE = HERE / "src" / "arcwise"

LEVELS = {
    "notes": -3, "errors": -2, "values": -1,
    "frame": 0, "view": 0, "_kernels": 0,
    "data": 1, "graphs": 1, "distributions": 1,
    "conditionals": 2, "results": 2,
    "networks": 3, "scores": 3,
    "search": 4, "inference": 4, "io": 4, "mcmc": 4, "undirected": 4,
    "evaluate": 5, "plot": 5,
    "learners": 6,
    "api": 7,
    "cli": 8, "web": 8,
}  # fmt: skip
FILES = sorted(PACKAGE.rglob("*.py"))
FACADE = PACKAGE / "__init__.py"
# Loaded where they are used, so that nobody waits for them at the start.
HEAVY = (
    "pandas", "polars", "pyarrow", "narwhals", "matplotlib", "scipy.stats", "sklearn", "joblib",
    "typer", "click", "rich", "networkx", "pyarrow.compute", "scipy", "ssl", "http.client", "unittest",
)  # fmt: skip
# Seeds below the api, each with its reason.
SEEDED = {
    "arcwise.inference.belief": "users hold a belief itself, and its draws take a seed",
    "arcwise.conditionals.base": "a fixed seed, so that tabulating a density is no chance",
    "arcwise.conditionals.neural.hidden_layer": "fixed frequencies, so that layers depend on the data alone",
    "arcwise.mcmc.order": "a fixed seed, so that groups of variables belong to the problem, not to a chain",
    "arcwise.networks.draws": "a fixed seed, so that typical rows belong to the network",
    "arcwise.plot.layered": "a fixed seed, so that a graph always gives the same picture",
}
MOST_LINES, MOST_FUNCTION_LINES = 430, 50


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def module_of(path: Path) -> str:
    parts = ("arcwise", *path.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def package_of(module: str) -> str:
    """The package of a module's full name; empty for the facade."""
    return module.split(".")[1] if "." in module else ""


@cache
def is_module(name: str) -> bool:
    place = PACKAGE.joinpath(*name.split(".")[1:])
    return place.is_dir() or place.with_suffix(".py").is_file() or name.endswith("._native")


@cache
def imports_of(path: Path) -> tuple[tuple[str, bool], ...]:
    """Modules that a file imports, and whether it does so outside all functions."""
    tree, found = tree_of(path), []
    inner = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
    }
    package = module_of(path) if path.name == "__init__.py" else module_of(path).rpartition(".")[0]
    for node in ast.walk(tree):
        outside = id(node) not in inner
        if isinstance(node, ast.Import):
            found += [(alias.name, outside) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, *([base] if base else [])])
            ours = base.split(".")[0] == "arcwise"
            for alias in node.names:
                whole = f"{base}.{alias.name}"
                found.append((whole if ours and is_module(whole) else base, outside))
    return tuple(found)


def outside_of(path: Path) -> set[str]:
    """Imported top-level packages that are not ours."""
    return {name for name, _ in imports_of(path) if name.split(".")[0] != "arcwise"}


def test_every_package_has_a_level():
    packages = {package_of(module_of(path)) for path in FILES} - {""}
    assert packages <= set(LEVELS), f"packages without a level: {packages - set(LEVELS)}"


def test_imports_go_strictly_downwards():
    offenders = [
        f"{module_of(path)} imports {name}"
        for path in FILES
        if path != FACADE
        for name, _ in imports_of(path)
        if name.split(".")[0] == "arcwise" and not may_import(path, name)
    ]
    assert not offenders


def may_import(path: Path, name: str) -> bool:
    """Whether a module lies in the file's own package or below it; the facade gives the version alone."""
    own, other = package_of(module_of(path)), package_of(name)
    if not other:
        return version_only(path)
    return other == own or LEVELS[other] < LEVELS[own]


def version_only(path: Path) -> bool:
    """Whether all that a file takes from the facade is the version, which is written there."""
    taken = [
        alias.name
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.ImportFrom) and node.module == "arcwise"
        for alias in node.names
        if not is_module(f"arcwise.{alias.name}")
    ]
    return taken == ["__version__"]


def test_no_file_of_a_package_is_in_a_cycle():
    """What is imported inside a function, or for types alone, makes no cycle when modules load."""
    left = {
        module_of(path): {
            name
            for name, outside in imports_of(path)
            if name != module_of(path) and outside and name not in imported_for_types(path)
        }
        for path in FILES
        if path != FACADE
    }
    asking = [module for module, names in left.items() if f"arcwise.{package_of(module)}" in names]
    assert not asking, "files that import their own package's face"
    while free := [module for module, targets in left.items() if not targets & set(left)]:
        for module in free:
            del left[module]
    assert not left, "a cycle"


def test_libraries_stay_in_their_packages():
    """Native code, pictures, the command line, scikit-learn; nothing heavy is loaded before it is used."""
    offenders = [
        f"{module_of(path)} imports {name}"
        for path in FILES
        for name, outside in imports_of(path)
        if not may_load(path, name, outside and name not in imported_for_types(path))
    ]
    assert not offenders


def may_load(path: Path, name: str, at_once: bool) -> bool:
    package, base = package_of(module_of(path)), name.split(".")[0]
    if base in ("pickle", "dill", "cloudpickle", "shelve", "marshal"):
        return False
    if (
        base in ("matplotlib", "pandas", "polars", "networkx", "joblib", "pyarrow", "narwhals")
        and at_once
    ):
        return False
    homes = {"matplotlib": "plot", "typer": "cli", "click": "cli", "rich": "cli"}
    if "_native" in name:
        return package == "_kernels"
    if base == "sklearn":
        return module_of(path) in (
            "arcwise.api.estimators",
            "arcwise.api.imputer",
            "arcwise.api.regressor",
        )
    return homes.get(base, package) == package


@cache
def imported_for_types(path: Path) -> frozenset[str]:
    """Modules that are imported for the type checker alone."""
    found: set[str] = set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            for each in ast.walk(node):
                if isinstance(each, ast.ImportFrom) and each.module:
                    found.add(each.module)
                if isinstance(each, ast.Import):
                    found.update(alias.name for alias in each.names)
    return frozenset(found)


def test_nothing_writes_to_standard_output_outside_the_command_line():
    """Calls of print are the linter's business."""
    assert not [
        f"{module_of(path)}:{node.lineno}"
        for path in FILES
        if package_of(module_of(path)) != "cli"
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Attribute) and node.attr == "stdout"
    ]


def dotted(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def test_seeds_become_generators_only_where_users_give_them():
    """Global random state is the linter's business, but for Python's own module."""
    offenders = []
    for path in FILES:
        names = {name for name, _ in imports_of(path)}
        if names & {"random", "numpy.random"}:
            offenders.append(f"{module_of(path)} imports a module of random numbers")
        if package_of(module_of(path)) in ("api", "cli", "web") or module_of(path) in SEEDED:
            continue
        for node in ast.walk(tree_of(path)):
            found = re.fullmatch(r"(np|numpy)\.random\.(\w+)", dotted(node))
            if found and found[2] != "Generator":
                offenders.append(f"{module_of(path)}:{node.lineno} makes {found[2]}")
    assert not offenders


def functions_of(path: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    nodes = ast.walk(tree_of(path))
    return [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def code_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function without its docstring and its signature."""
    body = function.body
    if ast.get_docstring(function) is not None:
        body = body[1:]
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def test_files_and_functions_stay_short():
    lines = {module_of(path): len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    assert not {name: count for name, count in lines.items() if count >= MOST_LINES}
    assert not [
        f"{module_of(path)}.{function.name}"
        for path in FILES
        for function in functions_of(path)
        if code_lines(function) > MOST_FUNCTION_LINES
    ]


def test_functions_are_mostly_small():
    lengths = sorted(code_lines(function) for path in FILES for function in functions_of(path))
    assert lengths[len(lengths) // 2] <= 5
    assert lengths[len(lengths) * 9 // 10] <= 16


def test_files_are_named_after_notions():
    empty = ("utils", "util", "core", "common", "helpers", "misc", "tools")
    assert not [module_of(path) for path in FILES if path.stem in empty]


_TWICE = {"options", "Search"}
"""Names of modules and classes that are still used twice."""


def test_names_of_modules_and_classes_are_used_once():
    modules = [path.stem for path in FILES if path.stem != "__init__"]
    classes = [
        node.name for path in FILES for node in tree_of(path).body if isinstance(node, ast.ClassDef)
    ]
    twice = {name for names in (modules, classes) for name in names if names.count(name) > 1}
    assert twice <= _TWICE


def test_the_list_of_a_package_is_what_is_there():
    """Of other files, and of names imported but not listed, the linter knows."""
    packages = [module_of(path) for path in FILES if path.name == "__init__.py"]
    offenders = [
        f"{package} lists {name}"
        for package in packages
        for name in importlib.import_module(package).__all__
        if not hasattr(importlib.import_module(package), name)
    ]
    assert not offenders


def test_the_facade_gives_exactly_what_it_lists():
    import arcwise

    assert len(arcwise.__all__) <= 27
    for name in dir(arcwise):
        assert getattr(arcwise, name) is not None, name
    estimators = ["BayesClassifier", "BayesImputer", "BayesRegressor", "GraphLasso"]
    objects = [
        "Prior",
        *arcwise._PACKAGES,
        *(name for names in arcwise._HOMES.values() for name in names),
    ]
    objects += [
        name for name in arcwise.options.__all__ if hasattr(getattr(arcwise.options, name), "word")
    ]
    assert sorted({*arcwise.__all__, *objects, *estimators, "__version__"}) == dir(arcwise)
    assert len(set(arcwise.__all__)) == len(arcwise.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = arcwise.nothing
    star: dict = {}
    exec("from arcwise import *", star)
    assert set(arcwise.__all__) <= set(star)


LOADED = "import sys\n{}\nprint('\\n'.join(sys.modules))"


def loaded_by(code: str) -> set[str]:
    run = [sys.executable, "-c", LOADED.format(code)]
    return set(subprocess.run(run, capture_output=True, text=True, check=True).stdout.split())


def test_importing_loads_nothing_heavy():
    found = loaded_by("import arcwise")
    assert not found.intersection(HEAVY)


def test_learning_from_a_table_loads_no_pictures_or_processes():
    found = loaded_by(
        "import arcwise as aw; aw.learn(aw.example('boston'), model='gaussian').edges"
    )
    files = {"narwhals", "pyarrow"}  # but not pandas, which pyarrow would load where it is there
    assert not found.intersection(set(HEAVY) - files)


COMMAND = """
from arcwise.cli.program import app
try:
    app({!r})
except SystemExit as end:
    assert not end.code
"""


@pytest.mark.parametrize(
    ("words", "used"),
    [
        (["--help"], set()),
        (["learn", "boston.csv", "--model", "gaussian", "--quiet"], {"pyarrow"}),
    ],
    ids=lambda each: each[0] if isinstance(each, list) else "",
)
def test_commands_load_only_what_they_use(words, used, tmp_path, monkeypatch):
    """Columns, linear models, scores, searches and certainty need none of scipy."""
    import arcwise as aw

    monkeypatch.chdir(tmp_path)
    pyarrow = pytest.importorskip("pyarrow.csv")
    pyarrow.write_csv(aw.example("boston").to_arrow(), "boston.csv")
    loaded = loaded_by(COMMAND.format(words))
    assert loaded.intersection(HEAVY) - {"typer", "click"} == used
    assert ("numpy" in loaded) == bool(used)


def tracked() -> list[Path]:
    run = ["git", "-C", str(HERE), "ls-files", "-z"]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("no git here: tracked files are not known")
    return [HERE / name for name in done.stdout.split("\0") if name]


def test_no_tracked_file_names_a_machine_or_a_registry():
    """Paths of one machine, addresses of package registries and file-sharing hosts."""
    slash = "/"
    signs = [
        slash + "work" + slash, slash + "root" + slash, slash + "home" + slash,
        ".pyenv", "index-url =", "--index" + "-url", "--extra-index" + "-url",
        "pypi.org" + slash + "simple", "localhost:",
    ]  # fmt: skip
    mine, offenders = Path(__file__).resolve(), []
    for path in tracked():
        if path == mine or not path.is_file():
            continue
        text = path.read_bytes().decode("utf-8", "replace")
        offenders += [f"{path.relative_to(HERE)} has {sign!r}" for sign in signs if sign in text]
    assert not offenders
