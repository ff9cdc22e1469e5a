import inspect

import arcwise.graphs as graphs


def test_the_public_list_is_sorted_complete_and_there():
    assert len(set(graphs.__all__)) == len(graphs.__all__)
    assert all(hasattr(graphs, name) for name in graphs.__all__)
    public = {
        name
        for name, value in vars(graphs).items()
        if not name.startswith("_") and not inspect.ismodule(value)
    }
    assert public == set(graphs.__all__)
