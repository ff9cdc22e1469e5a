"""Saved files of every kind, ways to damage them, and a worker that reads what is left.

Run as a program it is the worker: ``python damage.py FOLDER COUNT SEED`` damages the files of a folder one
after the other, reads each, and uses what it holds. It writes the case at hand to standard output first, so
that whoever started it knows which one killed it, and one line per failure or slow case.
"""

import copy
import faulthandler
import gzip
import io
import json
import resource
import signal
import sys
import warnings
import zipfile
from pathlib import Path

import numpy as np

import arcwise as aw
from arcwise.errors import ArcwiseError

DRAWS, SECONDS, MEMORY = 20, 20, 6 << 30
VALUES = (
    {"$float": "nan"}, {"$float": "inf"}, {"$float": "-inf"}, -1, -0.5, 0, 1, 2, 7, 255, 1e-320, 1e308,
    -1e308, 10**30, -(10**30), 2**31, 2**63, "text", "", "nan", "a", None, True, [], {}, [[]], [None],
    {"$array": []},
    {"$array": ["nan"]}, {"$array": [0.5], "shape": [1, 1]}, {"$tuple": []}, {"$same": 0}, {"$same": 99},
    {"$array": [1], "type": "uint8"}, {"$object": "gaussian", "fields": {}}, "parzen", "discrete", "clg",
)  # fmt: skip


# -- files -----------------------------------------------------------------------------------------


def make_files(folder: Path) -> None:
    """Write small files of every family, graph and kind of document."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=24)
    y = x + rng.normal(size=24)
    level = np.where(x + rng.normal(size=24) > 0, "high", "low")
    other = np.where(y + rng.normal(size=24) > 0, "yes", "no")
    more = np.where(rng.normal(size=24) > 0, "b", "a")
    numbers = aw.table({"x": x, "y": y, "z": x - y + rng.normal(size=24)})
    levels = aw.table({"u": level, "v": other, "w": more})
    mixed = aw.table({"u": level, "x": x, "y": y})
    cut = aw.discretise(numbers, "quantiles", bins=3)
    dag, ug = aw.dag("[x][y|x][z|x:y]"), aw.ug("x:y + y:z")
    nets = {
        "gaussian": aw.fit(dag, numbers, model="gaussian"),
        "parzen": aw.fit(dag, numbers, model="parzen"),
        "discrete": aw.fit(aw.dag("[u][v|u][w|u:v]"), levels),
        "cuts": aw.fit(dag, cut),
        "clg": aw.fit(
            aw.dag("[u][x|u][y|u:x]"), mixed, model={"u": "discrete", "x": "clg", "y": "clg"}
        ),
        "mixed": aw.fit(aw.dag("[x][u|x][y|u:x]"), mixed, model="parzen"),
        "normal": aw.fit(ug, numbers, model="gaussian"),
        "loops": aw.fit(aw.ug("u:v + v:w + u:w"), levels),
        "windows": aw.fit(ug, numbers, model="parzen"),
        "learned": aw.learn(numbers),
    }
    for name, net in nets.items():
        net.save(folder / f"{name}.json")
    nets["parzen"].save(folder / "parzen.arcwise")
    nets["gaussian"].save(folder / "gaussian.json.gz")
    few = {"seed": 1, "progress": False}
    posteriors = {
        "exact": aw.posterior(numbers, method="exact", **few),
        "levels": aw.posterior(levels, method="exact", **few),
        "bootstrap": aw.posterior(numbers, method="bootstrap", draws=6, **few),
        "mcmc": aw.posterior(numbers, method=aw.MCMC(chains=2), draws=20, **few),
        "undirected": aw.posterior(numbers, graph="undirected", draws=6, **few),
    }
    for name, post in posteriors.items():
        post.save(folder / f"posterior-{name}.json")
    posteriors["bootstrap"].save(folder / "posterior-bundle.arcwise")
    posteriors["exact"].save(folder / "posterior-alone.json", data=False)
    for method in ("bootstrap", "mcmc", "exact"):
        run_again(folder / f"checkpoint-{method}.npz")
    nets["discrete"].save(folder / "discrete.bif")
    nets["discrete"].save(folder / "discrete.xdsl")
    nets["discrete"].save(folder / "discrete.net")
    nets["discrete"].save(folder / "discrete.xmlbif")


def run_again(place: Path) -> object:
    """Start, or resume, the run of a checkpoint."""
    rng = np.random.default_rng(4)
    x = rng.normal(size=20)
    numbers = aw.table({"x": x, "y": x + rng.normal(size=20), "z": rng.normal(size=20)})
    method = place.name.split("-")[1].removesuffix(".npz")
    ways = {"bootstrap": {"draws": 6}, "mcmc": {"draws": 20}, "exact": {}}[method]
    way = aw.MCMC(chains=2) if method == "mcmc" else method
    return aw.posterior(numbers, method=way, seed=2, progress=False, checkpoint=place, **ways)


# -- damage ----------------------------------------------------------------------------------------


def damage(content: bytes, suffix: str, rng: np.random.Generator) -> bytes:
    """Damage the bytes of a file in one way, or in two."""
    if suffix in (".json", ".gz") and rng.random() < 0.85:
        document = json.loads(gzip.decompress(content) if suffix == ".gz" else content)
        for _ in range(rng.choice([1, 1, 1, 2])):
            document = _change(document, rng)
        return json.dumps(document).encode()
    if suffix in (".arcwise", ".npz") and rng.random() < 0.85:
        return _change_archive(content, rng)
    return _change_bytes(content, rng)


def _change_bytes(content: bytes, rng: np.random.Generator) -> bytes:
    place = int(rng.integers(len(content)))
    if rng.random() < 0.4:
        return content[:place]
    if rng.random() < 0.3:
        end = min(len(content), place + int(rng.integers(1, 40)))
        return content[:place] + content[end:]
    return content[:place] + bytes([int(rng.integers(256))]) + content[place + 1 :]


def _change_archive(content: bytes, rng: np.random.Generator) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = str(rng.choice(sorted(members)))
    if rng.random() < 0.1:
        del members[name]
    elif name.endswith(".json"):
        members[name] = json.dumps(_change(json.loads(members[name]), rng)).encode()
    else:
        members[name] = _change_array(members[name], rng)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for each, part in members.items():
            archive.writestr(each, part)
    return packed.getvalue()


def _change_array(content: bytes, rng: np.random.Generator) -> bytes:
    array = np.load(io.BytesIO(content))
    way = rng.integers(6)
    if way == 0 or array.ndim == 0 or not array.size:
        return _change_bytes(content, rng)
    if way == 1:
        array = array[:-1]
    elif way == 2:
        array = array.astype(rng.choice(["float32", "int8", "complex128", "U5"]))
    elif way == 3:
        array = array.reshape(1, *array.shape)
    else:
        array = array.copy()
        wild = [np.nan, np.inf, -1, 0, 99] if array.dtype.kind == "f" else [0, 1, 99, 127]
        array.flat[int(rng.integers(array.size))] = rng.choice(wild)
    raw = io.BytesIO()
    np.save(raw, array)
    return raw.getvalue()


def _places(value: object, path: tuple = ()) -> list[tuple]:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    found = []
    for key, each in items:
        found.append((*path, key))
        if isinstance(each, dict | list):
            found += _places(each, (*path, key))
    return found


def _change(document: object, rng: np.random.Generator) -> object:
    document = copy.deepcopy(document)
    places = _places(document)
    # By depth first, so that long arrays do not get all of the damage.
    depths = sorted({len(place) for place in places})
    depth = int(rng.choice(depths))
    places = [place for place in places if len(place) == depth]
    *path, key = places[int(rng.integers(len(places)))]
    parent = document
    for each in path:
        parent = parent[each]
    way = rng.integers(8)
    if way == 0:
        del parent[key]
    elif way == 1 and isinstance(parent, list):
        parent.insert(key, copy.deepcopy(parent[key]))
    elif way == 2 and isinstance(parent[key], list):
        parent[key] = parent[key][: len(parent[key]) // 2]
    elif way == 3 and isinstance(parent[key], int | float) and not isinstance(parent[key], bool):
        parent[key] = [-parent[key], parent[key] * 1e6, str(parent[key])][int(rng.integers(3))]
    elif way == 4 and isinstance(parent, list) and len(parent) > 1:
        other = int(rng.integers(len(parent)))
        parent[key], parent[other] = parent[other], parent[key]
    elif way == 5 and isinstance(parent, dict):
        parent[key] = copy.deepcopy(parent[str(rng.choice(sorted(parent)))])
    else:
        parent[key] = copy.deepcopy(VALUES[int(rng.integers(len(VALUES)))])
    return document


# -- use -------------------------------------------------------------------------------------------


def use(path: Path) -> None:
    """Read a file and use what it holds; ArcwiseError is the only error allowed."""
    held = run_again(path) if path.suffix == ".npz" else aw.load(path)
    if isinstance(held, aw.Posterior):
        _use_posterior(held)
    else:
        _use_network(held)


def _use_network(net: aw.Network) -> None:
    str(net), net.edges.to_dict(), net.to_dict()
    for name in net.variables:
        net.local(name)
        _check_belief(net.query(name, draws=DRAWS) if _samples(net) else net.query(name))
    rows = net.sample(3, **({"burn_in": 3} if not net.directed and _samples(net) else {}))
    first, last = net.variables[0], net.variables[-1]
    given = {first: rows.to_dict()[first][0]}
    _check_belief(net.query(last, given=given, **({"draws": DRAWS} if _samples(net) else {})))


def _samples(net: aw.Network) -> bool:
    return any(
        type(each).__name__ not in ("GaussianConditional", "DiscreteConditional")
        for each in net.net.conditionals
    )


def _check_belief(belief: object) -> None:
    str(belief)
    if belief.levels:
        numbers = np.array([float(share) for share in belief.probabilities.values()])
        assert (numbers >= 0).all(), f"shares {numbers}"
        assert abs(numbers.sum() - 1) < 1e-6, f"shares sum to {numbers.sum()}"


def _use_posterior(post: aw.Posterior) -> None:
    str(post), repr(post), post.to_dict(), post.verdict, post.edges.sorted().to_dict()
    weights = post.found.weights
    assert (weights >= 0).all(), f"weights {weights}"
    assert weights.sum() <= 1 + 1e-6, f"weights sum to {weights.sum()}"
    shown = np.array([row["adjacent"] for row in post.edges.to_records()], float)
    assert ((shown >= 0) & (shown <= 1 + 1e-9)).all(), f"probabilities {shown}"
    first, last = post.variables[0], post.variables[-1]
    post.path(first, last)
    if post.data is not None:
        _check_belief(post.query(last))
        str(post.averaged())
        if not post.found.exact:
            post.more(2, progress=False)


def main(folder: Path, count: int, seed: int) -> None:
    """Damage and use files."""
    faulthandler.enable()
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGALRM, _late)
    files = sorted(each for each in folder.iterdir() if each.is_file())
    out = folder / "damaged"
    out.mkdir(exist_ok=True)
    for case in range(seed, seed + count):
        rng = np.random.default_rng(case)
        whole = files[case % len(files)]
        suffix = ".gz" if whole.name.endswith(".gz") else whole.suffix
        broken = out / whole.name.removesuffix(".gz")
        broken.write_bytes(damage(whole.read_bytes(), suffix, rng))
        print(f"case {case} {whole.name}", flush=True)
        signal.alarm(SECONDS)
        try:
            use(broken)
            print("answer")
        except TimeoutError:  # a valid file may hold a slow problem, such as one row of weight 1e6
            print(f"SLOW {case} {whole.name}")
        except ArcwiseError as error:
            text = str(error)
            if "\n" in text or not text.strip() or len(text) > 2000:
                print(f"FAILED {case} {whole.name}: message {text[:300]!r}")
            print("refusal")
        except BaseException as error:
            text = " ".join(str(error).split())[:300]
            trace = error.__traceback__
            while trace.tb_next is not None:
                trace = trace.tb_next
            where = f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"
            print(f"FAILED {case} {whole.name}: {type(error).__name__} at {where}: {text}")
            if isinstance(error, KeyboardInterrupt):
                raise
        finally:
            signal.alarm(0)


def _late(*_: object) -> None:
    raise TimeoutError(f"more than {SECONDS} s")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
