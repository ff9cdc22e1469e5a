"""NET, the text format of Hugin.

::

    net { }
    node tub { states = ("yes" "no"); }
    potential ( tub | asia ) { data = ((0.05 0.95) (0.01 0.99)); }

``%`` begins a comment. In the data the child's level changes fastest, then that of the last parent;
the inner parentheses only help the eye. Nodes are called by identifiers, so a name that is not one
(``wine pH``) is written as the nearest identifier, and the true name as an attribute of our own,
``arcwise_name``, which other programs ignore.

Source: Hugin API Reference Manual, chapter The NET language.
"""

from math import prod

from arcwise.io.scanner import Scanner, quote, unquote
from arcwise.io.tables import DiscreteNet, Draft, Numbers, identifiers, level_texts, rows

MARKS = r"{}()|=;"
TEXT, COMMENT = r'[^"%]++', r"%[^\n]*+"
# Words that begin a block or an attribute, and so are not names of nodes.
KEYWORDS = {
    "net", "class", "node", "discrete", "continuous", "utility", "decision", "function", "potential",
    "states", "data", "label", "position", "normal", "model_data", "model_nodes", "inputs", "outputs",
}  # fmt: skip


def read_hugin(content: bytes) -> DiscreteNet:
    """Read a Hugin NET file.

    Parameters
    ----------
    content : the bytes of the (unpacked) file.

    Returns
    -------
    The network; levels are text, in the file's order.

    Raises
    ------
    FileError : the text is not NET, is cut off, contradicts itself, or has nodes that are not
        discrete and random (decisions, utilities, numbers).

    >>> text = b'net { } node a { states = ("x" "y"); } potential ( a ) { data = (0.5 0.5); }'
    >>> read_hugin(text).tables
    (array([0.5, 0.5]),)
    """
    scanner, draft = Scanner(content, MARKS, TEXT, COMMENT), Draft("Hugin")
    data: dict[str, tuple[int, int]] = {}
    called: dict[str, str] = {}
    while word := scanner.take():
        if word == "net":
            scanner.expect("{")
            scanner.until("}")
        elif word in ("node", "discrete"):
            if word == "discrete":
                scanner.expect("node")
            _node(scanner, draft, called)
        elif word == "potential":
            child = _head(scanner, draft)
            data[child] = _data(scanner, child)
        else:
            raise scanner.wrong(f"expected 'net', 'node' or 'potential', found {word!r}")
    draft.settle()
    tables = {child: _table(scanner, draft, child, *span) for child, span in data.items()}
    return draft.net(tables, {node: (name, *draft.levels[node]) for node, name in called.items()})


def _node(scanner: Scanner, draft: Draft, called: dict[str, str]) -> None:
    """Read ``NAME { states = ("yes" "no"); ... }``."""
    line, name = scanner.line, scanner.name()
    levels: list[str] = []
    scanner.expect("{")
    while (word := scanner.take()) != "}":
        scanner.expect("=")
        if word == "states":
            scanner.expect("(")
            levels, _ = scanner.names(")")
            scanner.expect(";")
            continue
        start, end = scanner.until(";")
        if word == "arcwise_name":
            called[name] = unquote(scanner.text[start:end].strip())
    draft.declare(name, levels, line)


def _head(scanner: Scanner, draft: Draft) -> str:
    """Read ``( child | parent parent ) {``."""
    line = scanner.line
    scanner.expect("(")
    names, mark = scanner.names("|)")
    if len(names) != 1:
        raise scanner.wrong(f"a potential must have one child, got {len(names)}")
    draft.define(names[0], scanner.names(")")[0] if mark == "|" else [], line)
    scanner.expect("{")
    return names[0]


def _data(scanner: Scanner, child: str) -> tuple[int, int]:
    """Read ``data = (...); ... }``, and return the positions of the numbers."""
    data = None
    while (word := scanner.take()) != "}":
        scanner.expect("=")
        span = scanner.until(";")
        data = span if word == "data" else data
    if data is None:
        raise scanner.wrong(f"the potential of {child!r} has no data")
    return data


def _table(scanner: Scanner, draft: Draft, child: str, start: int, end: int) -> Numbers:
    """Read nested parentheses of numbers."""
    text = scanner.text[start:end]
    if text.count("(") != text.count(")"):
        raise scanner.wrong(f"the parentheses in the data of {child!r} do not match")
    return draft.flat(child, text.replace("(", " ").replace(")", " "))


def write_hugin(net: DiscreteNet) -> bytes:
    """Write a Hugin NET file, parents before their children.

    >>> from arcwise.data import Variable
    >>> net = DiscreteNet((Variable("wine pH", ("low", "high")),), ((),), ([0.5, 0.5],))
    >>> print(write_hugin(net).decode())
    net
    {
    }
    node wine_pH
    {
      states = ("low" "high");
      label = "wine pH";
      arcwise_name = "wine pH";
    }
    potential ( wine_pH )
    {
      data = (0.5 0.5);
    }
    <BLANKLINE>
    """
    words, texts = identifiers(net.names, KEYWORDS), level_texts(net)
    parts = ["net\n{\n}\n"]
    for node in net.graph.order():
        name = net.names[node]
        states = " ".join(quote(level, name) for level in texts[node])
        parts.append(f"node {words[node]}\n{{\n  states = ({states});\n")
        if words[node] != name:
            label = quote(name, name)
            parts.append(f"  label = {label};\n  arcwise_name = {label};\n")
        parts.append("}\n")
    for node in net.graph.order():
        above = " ".join(words[parent] for parent in net.parents[node])
        head = f"{words[node]} | {above}" if above else words[node]
        parts.append(f"potential ( {head} )\n{{\n  data = {_nest_numbers(net, node)};\n}}\n")
    return "".join(parts).encode()


def _nest_numbers(net: DiscreteNet, node: int) -> str:
    """Return the numbers in parentheses: one pair for each row, and one for each parent around its levels."""
    sizes = net.tables[node].shape[:-1]
    blocks = [1, *(prod(sizes[axis:]) for axis in range(len(sizes)))]
    lines = []
    for number, row in enumerate(rows(net, node)):
        opened = sum(number % block == 0 for block in blocks)
        closed = sum((number + 1) % block == 0 for block in blocks)
        lines.append("(" * opened + " ".join(map(repr, row)) + ")" * closed)
    return "\n    ".join(lines)
