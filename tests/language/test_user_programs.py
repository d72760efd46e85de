"""Programs as users write them give what the interpreter gives."""

import numpy as np
import pytest
from language import user_programs
from language.support import assert_same

_random = np.random.default_rng(1)
_wall = np.zeros((8, 8), np.uint8)
_wall[4, :6] = 1
_wall[2, 3:] = 1
_sudoku = "530070000600195000098000060800060003400803001700020006060000280000419005000080079"
_board = np.array([int(c) for c in _sudoku]).reshape(9, 9)
for _row in _board[4:6]:  # less for the interpreter to search
    _row[:] = 0
_board[4:6] = [[4, 2, 6, 8, 5, 3, 7, 9, 1], [7, 1, 3, 9, 2, 4, 8, 5, 6]]

PROGRAMS = {
    "american_options": (36.0, 40.0, 0.06, 0.2, 8, 120, 3),
    "order_book": (
        [
            (int(side), int(price), float(quantity))
            for side, price, quantity in zip(
                _random.integers(0, 2, 40),
                _random.integers(95, 105, 40),
                _random.integers(1, 9, 40),
            )
        ],
    ),
    "dijkstra": (20,),
    "a_star": (_wall, (0, 0), (7, 7)),
    "huffman": ("abracadabra",),
    "common_subsequence": ("AGGTABQXY", "GXTXAYBQY"),
    "csv": ("# head\n1.5,2,-3.25\n\n4, 5.125 ,6e1\n",),
    "mixture": (np.concatenate((_random.normal(0, 1, 30), _random.normal(5, 1, 30))), 2, 5),
    "adaptive_steps": (1.0,),
    "annealing": (7, 60, 3),
    "lattice_boltzmann": (6, 5, 3, 0.6),
    "sudoku": (_board,),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    assert_same(getattr(user_programs, f"main_{name}"), *PROGRAMS[name], rtol=1e-9)
