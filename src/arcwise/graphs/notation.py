"""The characters of graphs in texts: statements, paths of arcs and edges, terms, model strings.

No graph is made here: a text is only taken apart into names. A name in a text must not hold an arrow.
"""

import re
from collections.abc import Iterator

from arcwise.errors import GraphError

RIGHT, LEFT, LINE, BOTH = "->", "<-", "--", "<->"

# Arrows of any length, an edge, and a dash between spaces; a name may hold a single dash.
_LINK = re.compile(r"<-+>|↔|-+>|→|<-+|←|--+|(?<=\s)-(?=\s)")
# Other arrows: what is left of them in a name is a mistake.
_ARROWS = re.compile(r"[-=~.]>|<[-=~.]|[←-⇿⟵-⟿]|--|\s-\s")
_ENDS = re.compile(r"^[-<>]|[-<>]$")
_SEPARATORS = re.compile(r"[,;\n\r]")
_BRACKET = re.compile(r"\s*\[([^\[\]|]*)(?:\|([^\[\]|]*))?\]\s*")
_TERM_SIGNS = ":*|~"

FORMULA_SIGNS = (*"+:*|~[{},;\n\r",)
STRING_SIGNS = tuple("[]|:")


def has_links(text: str) -> bool:
    """Tell whether a text names arcs or edges by the signs between their ends.

    Examples
    --------
    >>> [has_links(text) for text in ("a -> b", "a <- b", "a - b", "a-b", "a:b")]
    [True, True, True, False, False]
    """
    return _LINK.search(text) is not None


def has_lines(text: str) -> bool:
    """Tell whether a text has edges without a direction, a -- b or a - b.

    Examples
    --------
    >>> has_lines("a -- b"), has_lines("a -> b")
    (True, False)
    """
    return LINE in map(_kind, _LINK.findall(text))


def has_arrow(name: str) -> bool:
    """Tell whether a name holds an arrow or an edge, so that a text could not give it back."""
    return _ARROWS.search(name) is not None or has_links(name)


def plain(name: str) -> bool:
    """Tell whether a text can only be one name: no arrow, no separator, no sign of a term."""
    return not (has_arrow(name) or any(sign in name for sign in FORMULA_SIGNS))


def statements(text: str, *, plus: bool = True) -> list[str]:
    """Take a text apart at commas, semicolons, new lines and, unless told otherwise, plus signs.

    Examples
    --------
    >>> statements("~a -> b, c; d:a + e;")
    ['a -> b', 'c', 'd:a', 'e']
    """
    bare = text.strip().removeprefix("~")
    lines = [line for line in re.split(r"[;\n\r]", bare) if line.strip()] or [""]
    parts = [part.strip() for line in lines for part in re.split("[+,]" if plus else ",", line)]
    for part in parts:
        if not part:
            raise GraphError(f"The text {text!r} has an empty name; write names between its signs.")
        if "~" in part and plus:
            raise GraphError(f"The sign ~ can only begin a formula, but it is inside {part!r}.")
        if any(brace in part for brace in "{}"):
            raise GraphError(
                f"A graph in a text has no braces, got {part!r}: write its arcs alone, 'a -> b, b -> c'."
            )
    return parts


def path_of(statement: str, *, terms: bool = True) -> tuple[list[str], list[str]]:
    """Return the names of a path such as a -> b <- c, and the signs between them.

    Parameters
    ----------
    statement : the text of one path.
    terms : whether the signs of terms have a meaning, so that names must not hold them.

    Examples
    --------
    >>> path_of("a -> b <-- c")
    (['a', 'b', 'c'], ['->', '<-'])
    """
    held = [sign for sign in _TERM_SIGNS if terms and sign in statement]
    if held:
        raise GraphError(
            f"A term with -> or -- is a path such as a -> b -> c, but {statement!r} holds {held[0]!r}; "
            "give a node's parents as [c|a:b], or one arc or edge after the other."
        )
    names = _checked(_LINK.split(statement), statement)
    wrong = [name for name in names if _ENDS.search(name)]
    if wrong:
        raise GraphError(
            f"The ends of an arc must be names, got {wrong[0]!r} in {statement!r}; names that hold such "
            "signs go into a pair (parent, child)."
        )
    return names, [_kind(sign) for sign in _LINK.findall(statement)]


def names_of(statement: str, *, bar: bool) -> list[str]:
    """Return the names of a term such as c:a:b; with a bar, c|a:b means the same.

    Examples
    --------
    >>> names_of("c|a:b", bar=True)
    ['c', 'a', 'b']
    """
    if "|" in statement:
        if not bar:
            raise GraphError(f"An undirected term has no |, got {statement!r}; use : or * or --.")
        child, _, parents = statement.partition("|")
        if "|" in parents or ":" in child or "*" in child:
            raise GraphError(f"A term with | is child|parent:parent, got {statement!r}.")
        return _checked([child, *re.split(r"[:*]", parents)], statement)
    return _checked(re.split(r"[:*]", statement), statement)


def arc_in(text: str) -> tuple[str, str] | None:
    """Return the ends (parent, child) of the one arc that a text has; None if it is another text.

    Examples
    --------
    >>> arc_in("rain -> wet"), arc_in("wet <- rain"), arc_in("a -> b -> c")
    (('rain', 'wet'), ('rain', 'wet'), None)
    """
    signs = [_kind(sign) for sign in _LINK.findall(text)]
    if signs not in ([RIGHT], [LEFT]) or _SEPARATORS.search(text):
        return None
    (left, right), _ = path_of(text, terms=False)
    return (left, right) if signs == [RIGHT] else (right, left)


def edge_in(text: str) -> tuple[str, str] | None:
    """Return the ends of the one edge that a text has, "a -- b", "a - b" or "a:b"; None for another text.

    Examples
    --------
    >>> edge_in("top-down -- bottom-up"), edge_in("a -> b")
    (('top-down', 'bottom-up'), None)
    """
    if _SEPARATORS.search(text):
        return None
    signs = [_kind(sign) for sign in _LINK.findall(text)]
    if signs == [LINE]:
        left, right = path_of(text, terms=False)[0]
        return left, right
    ends = [] if signs else [end.strip() for end in text.split(":")]
    return (ends[0], ends[1]) if len(ends) == 2 and all(ends) else None


def model_string_families(text: str) -> Iterator[tuple[str, list[str]]]:
    """Go through the children and parents of a model string such as [A][B|A].

    Examples
    --------
    >>> list(model_string_families("[A][B|A]"))
    [('A', []), ('B', ['A'])]
    """
    position = 0
    while position < len(text):
        match = _BRACKET.match(text, position)
        if match is None:
            raise GraphError(
                f"A model string looks like [A][B|A], got {text[position : position + 20]!r} "
                f"at sign {position + 1}; names must not hold any of [ ] | : there."
            )
        parents = [] if match[2] is None else match[2].split(":")
        child, *rest = _checked([match[1], *parents], match[0].strip())
        yield child, rest
        position = match.end()


def _kind(sign: str) -> str:
    """The kind of a sign of any length."""
    if sign in "→←↔":
        return {"→": RIGHT, "←": LEFT, "↔": BOTH}[sign]
    return {(False, True): RIGHT, (True, False): LEFT, (True, True): BOTH}.get(
        ("<" in sign, ">" in sign), LINE
    )


def _checked(names: list[str], statement: str) -> list[str]:
    """Strip spaces; refuse empty and repeated names, and names that hold an arrow."""
    bare = [name.strip() for name in names]
    if not all(bare):
        raise GraphError(
            f"The term {statement!r} has an empty name; write names between its signs."
        )
    if len(set(bare)) != len(bare):
        twice = next(name for name in bare if bare.count(name) > 1)
        raise GraphError(f"The term {statement!r} names {twice!r} twice.")
    for name in bare:
        if has_arrow(name):
            raise GraphError(
                f"A name in a text must not hold an arrow, got {name!r}: arcs are written a -> b or b <- a, "
                "edges a -- b; other names go into a pair (parent, child)."
            )
    return bare
