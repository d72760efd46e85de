"""Random programs over the whole language: what compiled code does is what the interpreter does.

`python -m fuzz` (in tests/) runs as many as one likes, others each time with another --seed.
"""

import pytest
from fuzz.runner import failure, program, source

COUNT = 120  # what the time allows


@pytest.mark.parametrize("first", range(0, COUNT, 20))
def test_random_programs(first):
    for seed in range(first, first + 20):
        functions = program(seed)
        problem = failure(functions, seed)
        assert problem is None, f"seed {seed}: {problem}\n{source(functions, False)}"


def test_a_difference_is_found():
    """The comparison sees what it is for."""
    for seed in range(200):
        functions = program(seed)
        if "i" in functions[-1].parameters and failure(functions, seed) is None:
            break
    functions[-1].body.clear()
    text = functions[-1].result.row
    assert failure(functions, seed) is None
    first = functions[-1].result.operands[0]
    first.row = type(text)(first.type, (), f"({first.text} if False else 12345)", first.text)
    assert "instead of" in failure(functions, seed)
