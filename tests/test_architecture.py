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
    "errors": 0, "_kernels": 0,
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
    "typer", "click", "rich", "networkx",
)  # fmt: skip
# Seeds below the api, each with its reason.
SEEDED = {
    "arcwise.inference.belief": "users hold a belief itself, and its draws take a seed",
    "arcwise.conditionals.base": "a fixed seed, so that tabulating a density is no chance",
    "arcwise.plot.ordering": "a fixed seed, so that a graph always gives the same picture",
}
MOST_LINES, MOST_FUNCTION_LINES = 450, 60

file_law = pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def module_of(path: Path) -> str:
    parts = ("arcwise", *path.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(module: str) -> str:
    """The room of a module's full name; empty for the facade."""
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


def test_every_room_has_a_level():
    rooms = {room_of(module_of(path)) for path in FILES} - {""}
    assert rooms <= set(LEVELS), f"rooms without a level: {rooms - set(LEVELS)}"


@file_law
def test_imports_go_strictly_downwards(path):
    own = room_of(module_of(path))
    for name, _ in imports_of(path):
        if name.split(".")[0] != "arcwise" or path == FACADE:
            continue
        other = room_of(name)
        assert other or version_only(path), f"{module_of(path)} imports the facade"
        if not other:
            continue
        if other != own:
            assert LEVELS[other] < LEVELS[own], f"{module_of(path)} ({own}) imports {name}"


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


def test_no_file_of_a_room_is_in_a_ring():
    """What is imported inside a function, or for types alone, makes no ring when modules load."""
    arrows = {
        module_of(path): {
            name
            for name, outside in imports_of(path)
            if room_of(name) == room_of(module_of(path))
            and name != module_of(path)
            and outside
            and not type_checking_only(path, name)
        }
        for path in FILES
        if path != FACADE
    }
    for module, targets in arrows.items():  # a room's face may be asked by none of its files
        room = "arcwise." + room_of(module)
        if module != room:
            assert room not in targets, f"{module} imports its own room's face"
    left = dict(arrows)
    while left:
        free = [m for m, targets in left.items() if not targets & set(left)]
        assert free, f"a ring among {sorted(left)}"
        for module in free:
            del left[module]


@file_law
def test_the_native_module_is_imported_only_by_its_faces(path):
    names = {name for name, _ in imports_of(path)}
    if room_of(module_of(path)) != "_kernels":
        assert not any("_native" in name for name in names)


@file_law
def test_heavy_and_special_libraries_stay_in_their_rooms(path):
    room = room_of(module_of(path))
    for name, outside in imports_of(path):
        base = name.split(".")[0]
        if base == "matplotlib":
            assert room == "plot", f"matplotlib in {room}"
            assert not outside or type_checking_only(path, name), "matplotlib outside functions"
        if base in ("typer", "click", "rich"):
            assert room == "cli", f"{base} in {room}"
        if base == "sklearn":
            assert module_of(path) == "arcwise.api.estimators", name
        assert base not in ("pickle", "dill", "cloudpickle", "shelve", "marshal"), name
        if base in ("pandas", "polars", "networkx", "joblib", "pyarrow", "narwhals"):
            assert not outside or type_checking_only(path, name), f"{name} outside functions"


def type_checking_only(path: Path, name: str) -> bool:
    """Whether a module is imported for the type checker alone."""
    return name in imported_for_types(path)


@cache
def imported_for_types(path: Path) -> frozenset[str]:
    found: set[str] = set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            for each in ast.walk(node):
                if isinstance(each, ast.ImportFrom) and each.module:
                    found.add(each.module)
                if isinstance(each, ast.Import):
                    found.update(alias.name for alias in each.names)
    return frozenset(found)


@file_law
def test_nothing_prints_outside_the_command_line(path):
    if room_of(module_of(path)) == "cli":
        return
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id != "print", f"{path.name}:{node.lineno} prints"
        if isinstance(node, ast.Attribute) and node.attr == "stdout":
            raise AssertionError(f"{path.name}:{node.lineno} writes to standard output")


def dotted(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


@file_law
def test_chance_comes_from_generators_only(path):
    """No global state anywhere; seeds become generators only where users give them."""
    source = path.read_text(encoding="utf-8")
    assert not re.search(r"^\s*(import|from) random\b", source, re.MULTILINE)
    for node in ast.walk(tree_of(path)):
        if not isinstance(node, ast.Attribute):
            continue
        name = dotted(node)
        found = re.fullmatch(r"(np|numpy)\.random\.(\w+)", name)
        if not found:
            continue
        assert found[2] in ("Generator", "default_rng", "SeedSequence"), f"{path.name}: {name}"
        if found[2] != "Generator" and module_of(path) not in SEEDED:
            assert room_of(module_of(path)) in ("api", "cli", "web"), f"{path.name}: {name}"


@file_law
def test_files_and_functions_stay_short(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) < MOST_LINES
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = code_lines(node)
            assert length <= MOST_FUNCTION_LINES, f"{path.name}: {node.name} has {length} lines"


def code_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function without its docstring and its signature."""
    body = function.body
    if ast.get_docstring(function) is not None:
        body = body[1:]
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def test_functions_are_mostly_small():
    lengths = sorted(
        code_lines(node)
        for path in FILES
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    assert lengths[len(lengths) // 2] <= 8
    assert lengths[len(lengths) * 9 // 10] < 30


@file_law
def test_files_are_named_after_notions(path):
    assert path.stem not in ("utils", "util", "core", "common", "helpers", "misc", "tools")
    assert path.name == path.name.lower()
    assert ast.get_docstring(tree_of(path)), "a module says its notion"


@file_law
def test_user_input_is_not_checked_by_assert(path):
    for node in ast.walk(tree_of(path)):
        assert not isinstance(node, ast.Assert), f"{path.name}:{node.lineno}"


ROOMS = sorted({module_of(p) for p in FILES if p.name == "__init__.py" and p != FACADE})


@pytest.mark.parametrize("room", ROOMS)
def test_a_rooms_list_is_what_is_there(room):
    module = importlib.import_module(room)
    listed = list(module.__all__)
    assert len(set(listed)) == len(listed)
    for name in listed:
        assert hasattr(module, name), f"{room} lists {name}, which it does not have"
    imported = {
        alias.asname or alias.name
        for node in tree_of(PACKAGE / room.split(".")[1] / "__init__.py").body
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{room}.")
        for alias in node.names
    }
    shown = {name for name in imported if not name.startswith("_")}
    internal = {"format_of", "read_bytes", "write_bytes", "ARCS", "BIF", "BUNDLE", "DOT", "JSON"}
    assert shown - internal <= set(listed), (
        f"{room} imports but does not list {shown - set(listed)}"
    )


@pytest.mark.parametrize("path", [p for p in FILES if p.name != "__init__.py"], ids=module_of)
def test_a_files_list_is_what_is_there(path):
    module = importlib.import_module(module_of(path))
    for name in getattr(module, "__all__", ()):
        assert hasattr(module, name), f"{module_of(path)} lists {name}"


def test_the_facade_gives_exactly_what_it_lists():
    import arcwise

    for name in arcwise.__all__:
        assert getattr(arcwise, name) is not None
    assert sorted([*arcwise.__all__, "__version__"]) == dir(arcwise)
    assert len(set(arcwise.__all__)) == len(arcwise.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = arcwise.nothing
    star: dict = {}
    exec("from arcwise import *", star)
    assert set(arcwise.__all__) <= set(star)


LOADED = "import sys; {}; print('\\n'.join(sys.modules))"


def loaded_by(code: str) -> set[str]:
    run = [sys.executable, "-c", LOADED.format(code)]
    return set(subprocess.run(run, capture_output=True, text=True, check=True).stdout.split())


def test_importing_loads_nothing_heavy():
    found = loaded_by("import arcwise")
    assert not found.intersection(HEAVY)


def test_learning_from_a_table_loads_no_pictures_or_processes():
    found = loaded_by("import arcwise as aw; aw.learn(aw.shipped('boston')).edges")
    files = {"narwhals", "pyarrow"}  # but not pandas, which pyarrow would load where it is there
    assert not found.intersection(set(HEAVY) - files)


def tracked() -> list[Path]:
    run = ["git", "-C", str(HERE), "ls-files", "-z"]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("no git here: tracked files are not known")
    return [HERE / name for name in done.stdout.split("\0") if name]


def test_no_tracked_file_speaks_of_a_machine_or_a_registry():
    """Paths of one machine, addresses of package registries and file-sharing hosts."""
    slash = "/"
    signs = [
        slash + "work" + slash, slash + "root" + slash, slash + "home" + slash,
        ".pyenv", "index-url =", "--index" + "-url", "--extra-index" + "-url",
        "pypi.org" + slash + "simple", "localhost:",
    ]  # fmt: skip
    mine = Path(__file__).resolve()
    for path in tracked():
        if path == mine or not path.is_file():
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for sign in signs:
            assert sign not in text, f"{path.relative_to(HERE)} has {sign!r}"


def test_tests_use_no_global_chance_either():
    for path in sorted((HERE / "tests").rglob("*.py")):
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Attribute):
                found = re.fullmatch(r"(np|numpy)\.random\.(\w+)", dotted(node))
                assert not found or found[2] in ("Generator", "default_rng"), (
                    f"{path}: {node.lineno}"
                )
