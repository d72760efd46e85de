"""mpi4py between calls, numba-mpi inside compiled code: four processes under mpirun."""

import os
import shutil
import subprocess
import sys
import textwrap

import pytest

pytest.importorskip("mpi4py", reason="mpi4py is in the extra test-engines")
pytestmark = pytest.mark.skipif(not shutil.which("mpirun"), reason="no mpirun on this machine")

# Each process has a part of a rod, and the last values of its neighbours beside it.
HALO = """
    import numpy as np
    from mpi4py import MPI
    from numjit import njit

    @njit
    def step(u, out):
        for i in range(1, u.size - 1):
            out[i] = u[i] + 0.25 * (u[i - 1] - 2 * u[i] + u[i + 1])

    comm = MPI.COMM_WORLD
    rank, size = comm.rank, comm.size
    whole = np.random.default_rng(1).normal(size=40 * size)
    part = np.zeros(42)
    part[1:-1] = whole[40 * rank : 40 * rank + 40]
    other = part.copy()
    left, right = (rank - 1) % size, (rank + 1) % size
    for _ in range(50):
        comm.Sendrecv(part[1:2], left, recvbuf=part[-1:], source=right)
        comm.Sendrecv(part[-2:-1], right, recvbuf=part[:1], source=left)
        step(part, other)
        part, other = other, part
    parts = comm.gather(part[1:-1].copy())
    if rank == 0:
        for _ in range(50):
            whole = whole + 0.25 * (np.roll(whole, 1) - 2 * whole + np.roll(whole, -1))
        print(np.allclose(np.concatenate(parts), whole))
"""

INSIDE = """
    import sys
    import numjit, numjit.core
    sys.modules["numba"] = numjit
    import numba_mpi
    import numpy as np
    from numjit import njit

    @njit
    def exchange(data):
        rank, size = numba_mpi.rank(), numba_mpi.size()
        got = np.zeros_like(data)
        if rank == 0:
            numba_mpi.send(data, dest=1, tag=1)
        if rank == 1:
            numba_mpi.recv(got, source=0, tag=1)
        return got, size

    got, size = exchange(np.arange(4.0))
    if numba_mpi.rank() == 1:
        print(size == 4 and got.tolist() == [0, 1, 2, 3])
"""


def run(tmp_path, text):
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(text))
    command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "4", sys.executable]
    # A folder of its own: at its end an mpirun removes what another one has in the common one.
    environment = {**os.environ, "OMPI_MCA_orte_tmpdir_base": str(tmp_path)}
    done = subprocess.run(
        [*command, program], capture_output=True, text=True, timeout=300, env=environment
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


def test_halo_exchange(tmp_path):
    assert run(tmp_path, HALO) == "True"


def test_calls_inside_of_compiled_code(tmp_path):
    pytest.importorskip("numba_mpi", reason="numba-mpi is in the extra test-engines")
    assert run(tmp_path, INSIDE) == "True"
