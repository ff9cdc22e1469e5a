"""The directed half of a lecture on graphical models, example by example.

    python examples/lecture.py [FOLDER]

Factorisation, separation, graphs from formulas and matrices, a Gaussian network fitted by least squares,
greedy search by BIC and by the form of BIC in the lecture, ancestral sampling, CPDAG.
After Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, chapter 17, and Bishop,
Pattern Recognition and Machine Learning, chapter 8.
"""

from pathlib import Path

import numpy as np
from places import Row, output_folder, print_table, pyplot, quick, save_figure, write_csv

import arcwise as aw

LECTURE = "x1 + x2 + x3 + x4:x1:x2:x3 + x5:x1:x3 + x6:x4 + x7:x4:x5"
NUMBERS = {
    "x1": {"sd": 1.0},
    "x2": {"intercept": 2.0, "sd": 1.5},
    "x3": {"sd": 0.8},
    "x4": {"coefficients": {"x1": 1.0, "x2": -0.6, "x3": 0.9}, "sd": 0.7},
    "x5": {"coefficients": {"x1": 0.8, "x3": -1.1}, "sd": 1.0},
    "x6": {"coefficients": {"x4": 1.2}, "sd": 0.9},
    "x7": {"intercept": -1.0, "coefficients": {"x4": 0.7, "x5": 0.5}, "sd": 0.6},
}


def title(words: str) -> None:
    """Print a heading."""
    print(f"\n{words}\n{'-' * len(words)}")


def factorisation() -> None:
    """Print the joint density as a product over the graph."""
    title("A directed graph and its factorisation")
    graph = aw.dag(LECTURE)
    print("p(x) =", aw.graphs.factorisation(graph))
    print("an order with parents first:", *aw.graphs.node_names(graph, graph.order()))
    print("parents of x4:", *graph.parents_of("x4"), "| children of x4:", *graph.children_of("x4"))
    print("Markov blanket of x1:", *graph.blanket_of("x1"))


def separation() -> None:
    """a -> e <- f -> b, e -> c: a collider opens if its descendant is observed."""
    title("d-separation: a -> e <- f -> b, e -> c")
    graph = aw.DAG.from_arcs(["a -> e", "f -> e", "f -> b", "e -> c"])
    for given in ((), ("c",), ("f",), ("c", "f")):
        answer = "independent" if aw.separated(graph, "a", "b", given) else "dependent"
        print(f"a and b given {', '.join(given) or 'nothing'}: {answer}")
    cut = aw.graphs.minimal_separator(graph, "c", "b")
    print("a minimal set that separates c and b:", *cut)


def formulas() -> None:
    """The lecture's graphs from formulas and from matrices."""
    title("Graphs from formulas and matrices")
    field = aw.ug("a:b:e + a:c:e + b:d:e + c:d:e + c:g + d:f")
    print(f"undirected, {len(field.nodes)} nodes, {field.n_edges} edges:", field)
    print("  its cliques:", aw.graphs.factorisation(field))
    graph = aw.dag("a + b:a + c:a:b + d:c:e + e:a")
    print(f"directed, {len(graph.nodes)} nodes, {graph.n_arcs} arcs:", graph)
    edges = ["ab", "ac", "ae", "bd", "be", "cd", "ce", "de"]
    upper = matrix(edges)
    both = aw.graphs.ug_from_adjacency(upper + upper.T, list("abcde"))
    print(f"from a symmetric matrix, {both.n_edges} edges:", both)
    arcs = matrix(["ab", "bc", "bd", "ce", "de"])
    print("from a matrix with row -> column:", aw.graphs.dag_from_adjacency(arcs, list("abcde")))


def matrix(pairs: list[str]) -> np.ndarray:
    """A 5 x 5 matrix with ones at pairs of letters a to e."""
    out = np.zeros((5, 5), dtype=int)
    for first, second in pairs:
        out["abcde".index(first), "abcde".index(second)] = 1
    return out


def regression(truth: aw.Network, sample: aw.Table) -> None:
    """Least squares for each node given its parents; variance RSS / N."""
    title(f"A Gaussian network by least squares, {sample.rows} rows drawn by ancestral sampling")
    fitted = aw.fit(truth.graph, sample)
    for name in fitted.variables:
        print(fitted.local(name))
    x1, x3, x5 = (sample.column(name) for name in ("x1", "x3", "x5"))
    design = np.column_stack([np.ones(sample.rows), x1, x3])
    beta, rss = np.linalg.lstsq(design, x5, rcond=None)[:2]
    ours = np.array([fitted["x5"].intercept, *fitted["x5"].coefficients, fitted["x5"].variance])
    theirs = np.array([*beta, rss[0] / sample.rows])
    print(f"largest difference to numpy's lstsq at x5: {np.abs(ours - theirs).max():.0e}")


def lecture_bic(score: float, variables: int, rows: float) -> float:
    """Return the BIC of the lecture (smallest is best) from ours (highest is best)."""
    constants = variables * rows * (1 + np.log(2 * np.pi)) + 2 * variables * np.log(rows)
    return float(-2 * score - constants)


def by_hand(net: aw.Network, rows: int) -> float:
    """The lecture's BIC from its definition: sum of N log(RSS/N) + parents x log N."""
    return sum(
        rows * np.log(net[name].variance) + len(net.parents(name)) * np.log(rows)
        for name in net.variables
    )


def search(sample: aw.Table) -> tuple[aw.Network, list[Row]]:
    """Run greedy search; print our BIC and that of the lecture at every step."""
    title("Greedy search by BIC: add, drop or flip the arc that helps most")
    net = aw.learn(sample, score="bic", search="greedy", progress=False)
    p, n = len(net.variables), sample.rows
    rows: list[Row] = [
        {
            "step": step.number,
            "what": step.what,
            "arc": f"{net.graph.nodes[step.tail]} -> {net.graph.nodes[step.head]}",
            "BIC (ours, up)": step.score,
            "BIC (lecture, down)": lecture_bic(step.score, p, n),
        }
        for step in net.trace
    ]
    print_table(rows)
    off = abs(by_hand(net, n) - rows[-1]["BIC (lecture, down)"])
    print(f"the lecture's BIC from RSS and parents differs by {off:.0e}")
    print("learned:", net.graph)
    return net, rows


def classes(truth: aw.Network, found: aw.Network, sample: aw.Table) -> aw.Network:
    """Print the equivalence class, and compare the best of all graphs with greedy search."""
    title("Equivalence classes: is it the true one?")
    best = aw.learn(sample, score="bic", search="exact", progress=False)
    nets = {"true graph": truth, "greedy": found, "best of all": best}
    for name, net in nets.items():
        score = aw.fit(net.graph, sample).score
        distance = aw.graphs.shd_cpdag(net.graph, truth.graph)
        print(
            f"{name}: BIC {score:.4f}, {distance} pairs differ from the true graph\n  {net.cpdag}"
        )
    return best


def draw(nets: dict[str, aw.Network], path: Path) -> None:
    """Draw the true graph next to the learned ones."""
    plt = pyplot()
    if plt is None:
        return
    figure, axes = plt.subplots(1, len(nets), figsize=(4 * len(nets), 4), layout="constrained")
    for ax, (name, net) in zip(axes, nets.items(), strict=True):
        net.plot(ax=ax, title=name, legend=False)
    save_figure(figure, path)
    plt.close(figure)


def main() -> None:
    """Run all examples."""
    folder = output_folder()
    factorisation()
    separation()
    formulas()
    truth = aw.network(aw.dag(LECTURE), NUMBERS)
    sample = truth.sample(200 if quick() else 1000, seed=1)
    regression(truth, sample)
    found, steps = search(sample)
    best = classes(truth, found, sample)
    print()
    write_csv(folder / "lecture_steps.csv", steps)
    draw({"drawn from": truth, "greedy": found, "best BIC of all": best}, folder / "lecture.png")


if __name__ == "__main__":
    main()
