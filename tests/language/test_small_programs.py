"""Small programs give what the interpreter gives."""

import numpy as np
import pytest
from language import small_programs
from language.small_programs import Reading
from language.support import assert_same

_dates = np.array(["2024-01-30", "2024-02-01", "2024-01-05", "2024-03-01"], "M8[D]")
_times = np.array(["2024-01-01T00:00", "2024-01-01T00:10", "2024-01-01T00:50"], "M8[s]")
_stars = np.rec.array(
    [(1.3, 0.1), (4.2, 2.5), (8.6, -1.46)], dtype=[("distance", "f8"), ("magnitude", "f8")]
)
_particles = np.zeros(3, [("x", "f8", 2), ("v", "f8", 2), ("hits", "i4")]).view(np.recarray)
_particles["x"] = np.arange(6).reshape(3, 2)
_board = np.zeros((6, 6), np.int8)
_board[[1, 2, 3, 3, 3], [2, 3, 1, 2, 3]] = 1

PROGRAMS = {
    "trapezoid_of_pairs": ([(2.0, 1.0), (0.0, 0.0), (1.0, 3.0)],),
    "merge_intervals": ([(1, 3), (8, 10), (2, 6), (15, 18), (8, 9)],),
    "polygon": ([(0.0, 0.0), (4.0, 0.0), (4.0, 3.0)],),
    "ranking": ([("ann", 3.5, 1), ("bob", 4.25, 2), ("ann", 5.0, 3)],),
    "grouped_means": (["a", "b", "a", "c", "b"], np.array([1.0, 2.0, 3.0, 4.0, 5.0])),
    "particle_fields": (5, 10),
    "sparse_rows": (7,),
    "lookup_of_windows": (np.sin(np.arange(12.0)) * np.arange(12), 3),
    "reverse_complement": ("ATGGCCATTGTAATGGGCC",),
    "run_lengths": ("aaabccddddd",),
    "parse_log": (["a X 1.5", "bad", "A x 2.5", "b y z"],),
    "caesar": ("Hello, World", 3),
    "monthly_sums": (_dates, np.array([1.0, 2.0, 3.0, 4.0])),
    "gaps_in_times": (_times,),
    "stars": (_stars,),
    "kicks": (_particles, 0.1),
    "readings": ([Reading("a", 1, 2.5), Reading("b", 1, 1.5), Reading("a", 2, 3.5)],),
    "two_bodies": (20,),
    "integrators": (50,),
    "counter_closure": (30,),
    "memo_of_paths": (6, 7),
    "generated": (30,),
    "sent_values": ([1.0, 2.0, 4.0],),
    "batches": ([1.0, 2.0, 3.0, 4.0, 5.0], 2),
    "welford": ([1.0, 2.0, 4.0, 8.0],),
    "ring": (7,),
    "components": (8, [(0, 1), (1, 2), (4, 5)]),
    "cache": ([1, 2, 3, 1, 4, 1, 5, 2], 3),
    "continued_fraction": (3.140625, 3),
    "truth_table": (["a", "b"],),
    "life": (_board, 4),
    "matrix_of_lists": ([[1, 2], [3, 4]],),
    "match_shapes": ([("circle", 1.0, 0.0), ("box", 3.0, 2.0), ("box", 1.0, 2.0)],),
    "while_with_flags": (40,),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    assert_same(getattr(small_programs, f"main_{name}"), *PROGRAMS[name], rtol=1e-12)
