"""Energies of poses of a ligand beside a protein, in float32: the empirical forces of miniBUDE,
with two poses a thread and the atoms' kinds in shared memory."""

import math

import numpy as np
from gpu_kernel import GpuKernel, Problem, blocks

THREADS = 64
POSES = 2  # of a thread
KINDS = 64  # at most
FREE, DONOR, SIGN = 0, 1, 2  # how a kind of atoms bonds; the charge of SIGN always attracts
ZERO, QUARTER, HALF, ONE, TWO, FOUR = (np.float32(each) for each in (0, 0.25, 0.5, 1, 2, 4))
FACTOR, STIFF, FURTHER, NEVER = (np.float32(each) for each in (45, 76, 5.5, -1e30))

# Each kind of atoms: radius, hydrophobicity, charge, and how it bonds.
SOURCE = r"""
#define THREADS 64
#define POSES 2
#define KINDS 64
#define DONOR 1
#define SIGN 2
#define NEVER -1e30f

__device__ void placement(const float *poses, int pose, int count, float to[3][4]) {
  float sx = sinf(poses[pose]), cx = cosf(poses[pose]);
  float sy = sinf(poses[count + pose]), cy = cosf(poses[count + pose]);
  float sz = sinf(poses[2 * count + pose]), cz = cosf(poses[2 * count + pose]);
  to[0][0] = cy * cz;
  to[0][1] = sx * sy * cz - cx * sz;
  to[0][2] = cx * sy * cz + sx * sz;
  to[1][0] = cy * sz;
  to[1][1] = sx * sy * sz + cx * cz;
  to[1][2] = cx * sy * sz - sx * cz;
  to[2][0] = -sy;
  to[2][1] = sx * cy;
  to[2][2] = cx * cy;
  for (int r = 0; r < 3; ++r)
    to[r][3] = poses[(3 + r) * count + pose];
}

__device__ float electric(float gap, bool overlap, float charge, float reach, float per_reach,
                          bool sign) {
  float faded = overlap ? 1.0f : 1 - gap * per_reach;
  float energy = charge * (faded * (gap < reach ? 1.0f : 0.0f));
  return 45.0f * (sign ? -fabsf(energy) : energy);
}

__device__ float range_of(bool repelled, bool other_repelled) {
  if (other_repelled)
    return repelled ? 5.5f : 1.0f;
  return repelled ? 1.0f : NEVER;
}

extern "C" __global__ void energies(const float *protein, const int *protein_kinds,
                                    const float *ligand, const int *ligand_kinds,
                                    const float *forces, const int *bonds, const float *poses,
                                    float *out, int protein_atoms, int ligand_atoms, int kinds,
                                    int count) {
  __shared__ float radii[KINDS], phobic[KINDS], charges[KINDS];
  __shared__ int bond[KINDS];
  float to[POSES][3][4], x[POSES], y[POSES], z[POSES], energy[POSES];
  for (int i = threadIdx.x; i < kinds; i += THREADS) {
    radii[i] = forces[3 * i];
    phobic[i] = forces[3 * i + 1];
    charges[i] = forces[3 * i + 2];
    bond[i] = bonds[i];
  }
  int first = blockIdx.x * THREADS * POSES + threadIdx.x;
  for (int p = 0; p < POSES; ++p) {
    placement(poses, min(first + p * THREADS, count - 1), count, to[p]);
    energy[p] = 0;
  }
  __syncthreads();
  for (int i = 0; i < ligand_atoms; ++i) {
    float lx = ligand[3 * i], ly = ligand[3 * i + 1], lz = ligand[3 * i + 2];
    int kind = ligand_kinds[i];
    for (int p = 0; p < POSES; ++p) {
      x[p] = to[p][0][0] * lx + to[p][0][1] * ly + to[p][0][2] * lz + to[p][0][3];
      y[p] = to[p][1][0] * lx + to[p][1][1] * ly + to[p][1][2] * lz + to[p][1][3];
      z[p] = to[p][2][0] * lx + to[p][2][1] * ly + to[p][2][2] * lz + to[p][2][3];
    }
    bool repelled = phobic[kind] < 0, drawn = phobic[kind] > 0;
    for (int j = 0; j < protein_atoms; ++j) {
      int other = protein_kinds[j];
      float px = protein[3 * j], py = protein[3 * j + 1], pz = protein[3 * j + 2];
      bool other_repelled = phobic[other] < 0, other_drawn = phobic[other] > 0;
      bool any = other_repelled || other_drawn;
      bool donors = bond[kind] == DONOR && bond[other] == DONOR;
      bool sign = bond[kind] == SIGN || bond[other] == SIGN;
      float touching = radii[kind] + radii[other];
      float per_touching = 1 / touching;
      float reach = donors ? 4.0f : 2.0f;
      float per_reach = donors ? 0.25f : 0.5f;
      float dry = phobic[other] * (other_repelled && drawn ? -1.0f : 1.0f) +
                  phobic[kind] * (other_drawn && repelled ? -1.0f : 1.0f);
      float near = range_of(repelled, other_repelled);
      float per_near = 1 / near;
      float charge = charges[kind] * charges[other];
      for (int p = 0; p < POSES; ++p) {
        float dx = x[p] - px, dy = y[p] - py, dz = z[p] - pz;
        float distance = sqrtf(dx * dx + dy * dy + dz * dz);
        float gap = distance - touching;
        bool overlap = gap < 0;
        energy[p] += (1 - distance * per_touching) * (overlap ? 76.0f : 0.0f);
        energy[p] += electric(gap, overlap, charge, reach, per_reach, sign);
        float desolvation = gap < near && any ? dry : 0.0f;
        energy[p] += desolvation * (overlap ? 1.0f : 1 - gap * per_near);
      }
    }
  }
  for (int p = 0; p < POSES; ++p)
    if (first + p * THREADS < count)
      out[first + p * THREADS] = 0.5f * energy[p];
}
"""


def kernels(cuda):
    f4 = np.float32
    placement, range_of = placement_function(cuda), range_function(cuda)
    electric = electric_function(cuda)

    @cuda.jit
    def energies(protein, protein_kinds, ligand, ligand_kinds, forces, bonds, poses, out):
        radii = cuda.shared.array(KINDS, f4)
        phobic = cuda.shared.array(KINDS, f4)
        charges = cuda.shared.array(KINDS, f4)
        bond = cuda.shared.array(KINDS, np.int32)
        to = cuda.local.array((POSES, 3, 4), f4)
        x = cuda.local.array(POSES, f4)
        y = cuda.local.array(POSES, f4)
        z = cuda.local.array(POSES, f4)
        energy = cuda.local.array(POSES, f4)
        for i in range(cuda.threadIdx.x, bonds.size, THREADS):
            radii[i], phobic[i], charges[i] = forces[i, 0], forces[i, 1], forces[i, 2]
            bond[i] = bonds[i]
        first = cuda.blockIdx.x * THREADS * POSES + cuda.threadIdx.x
        for p in range(POSES):
            placement(poses, min(first + p * THREADS, out.size - 1), to[p])
            energy[p] = ZERO
        cuda.syncthreads()
        for i in range(ligand.shape[0]):
            lx, ly, lz = ligand[i, 0], ligand[i, 1], ligand[i, 2]
            kind = ligand_kinds[i]
            for p in range(POSES):
                x[p] = to[p, 0, 0] * lx + to[p, 0, 1] * ly + to[p, 0, 2] * lz + to[p, 0, 3]
                y[p] = to[p, 1, 0] * lx + to[p, 1, 1] * ly + to[p, 1, 2] * lz + to[p, 1, 3]
                z[p] = to[p, 2, 0] * lx + to[p, 2, 1] * ly + to[p, 2, 2] * lz + to[p, 2, 3]
            repelled, drawn = phobic[kind] < ZERO, phobic[kind] > ZERO
            for j in range(protein.shape[0]):
                other = protein_kinds[j]
                px, py, pz = protein[j, 0], protein[j, 1], protein[j, 2]
                other_repelled, other_drawn = phobic[other] < ZERO, phobic[other] > ZERO
                donors = bond[kind] == DONOR and bond[other] == DONOR
                sign = bond[kind] == SIGN or bond[other] == SIGN
                touching = radii[kind] + radii[other]
                per_touching = ONE / touching
                reach, per_reach = (FOUR, QUARTER) if donors else (TWO, HALF)
                dry = phobic[other] * (-ONE if other_repelled and drawn else ONE)
                dry += phobic[kind] * (-ONE if other_drawn and repelled else ONE)
                near = range_of(repelled, other_repelled)
                per_near = ONE / near
                charge = charges[kind] * charges[other]
                for p in range(POSES):
                    dx, dy, dz = x[p] - px, y[p] - py, z[p] - pz
                    distance = math.sqrt(dx * dx + dy * dy + dz * dz)
                    gap = distance - touching
                    overlap = gap < ZERO
                    energy[p] += (ONE - distance * per_touching) * (STIFF if overlap else ZERO)
                    energy[p] += electric(gap, overlap, charge, reach, per_reach, sign)
                    dried = dry if gap < near and (other_repelled or other_drawn) else ZERO
                    energy[p] += dried * (ONE if overlap else ONE - gap * per_near)
        for p in range(POSES):
            if first + p * THREADS < out.size:
                out[first + p * THREADS] = HALF * energy[p]

    return (energies,)


def electric_function(cuda):
    @cuda.jit(device=True)
    def electric(gap, overlap, charge, reach, per_reach, sign):
        faded = ONE if overlap else ONE - gap * per_reach
        energy = charge * (faded * (ONE if gap < reach else ZERO))
        return FACTOR * (-abs(energy) if sign else energy)

    return electric


def range_function(cuda):
    @cuda.jit(device=True)
    def range_of(repelled, other_repelled):
        if other_repelled:
            return FURTHER if repelled else ONE
        return ONE if repelled else NEVER

    return range_of


def placement_function(cuda):
    @cuda.jit(device=True)
    def placement(poses, pose, to):
        sx, cx = math.sin(poses[0, pose]), math.cos(poses[0, pose])
        sy, cy = math.sin(poses[1, pose]), math.cos(poses[1, pose])
        sz, cz = math.sin(poses[2, pose]), math.cos(poses[2, pose])
        to[0, 0] = cy * cz
        to[0, 1] = sx * sy * cz - cx * sz
        to[0, 2] = cx * sy * cz + sx * sz
        to[1, 0] = cy * sz
        to[1, 1] = sx * sy * sz + cx * cz
        to[1, 2] = cx * sy * sz - sx * cz
        to[2, 0] = -sy
        to[2, 1] = sx * cy
        to[2, 2] = cx * cy
        for r in range(3):
            to[r, 3] = poses[3 + r, pose]

    return placement


def placed(ligand, poses):
    """[pose, atom, axis]"""
    (sx, sy, sz), (cx, cy, cz) = np.sin(poses[:3]), np.cos(poses[:3])
    zero, one = np.zeros_like(sx), np.ones_like(sx)
    about_x = np.array([[one, zero, zero], [zero, cx, -sx], [zero, sx, cx]])
    about_y = np.array([[cy, zero, sy], [zero, one, zero], [-sy, zero, cy]])
    about_z = np.array([[cz, -sz, zero], [sz, cz, zero], [zero, zero, one]])
    turned = np.einsum("abp,bcp,cdp,id->pia", about_z, about_y, about_x, ligand)
    return turned + poses[3:].T[:, None]


def energy_of_a_pose(atoms, kinds, protein, protein_kinds, forces, bonds):
    """Pairs of atoms are [ligand, protein]."""
    mine, theirs = forces[kinds, None], forces[None, protein_kinds]
    radii, phobic, charges = ((mine[..., i], theirs[..., i]) for i in range(3))
    own, other = bonds[kinds, None], bonds[None, protein_kinds]
    distance = np.linalg.norm(atoms[:, None] - protein, axis=2)
    touching = radii[0] + radii[1]
    gap = distance - touching
    steric = np.where(gap < 0, 76 * (1 - distance / touching), 0)
    reach = np.where((own == DONOR) & (other == DONOR), 4, 2)
    electric = 45 * charges[0] * charges[1] * np.clip(1 - gap / reach, 0, 1)
    electric = np.where((own == SIGN) | (other == SIGN), -abs(electric), electric)
    opposed = np.sign(phobic[0]) * np.sign(phobic[1]) < 0
    dry = np.where(opposed, abs(phobic[0]) + abs(phobic[1]), phobic[0] + phobic[1])
    repelled = (phobic[0] < 0).astype(int) + (phobic[1] < 0)
    near = np.array([NEVER, 1, 5.5])[repelled]
    dry = np.where((gap < near) & (phobic[1] != 0), dry * np.clip(1 - gap / near, 0, 1), 0)
    return 0.5 * (steric + electric + dry).sum()


def deck(full):
    """Atoms, forces and poses at random, as many as in miniBUDE's first benchmark (with twice the
    poses) in full size."""
    atoms, ligand_atoms, count = (938, 26, 1 << 17) if full else (60, 7, 300)
    kinds = 34
    random = np.random.default_rng(14)
    forces = np.stack(
        [
            random.uniform(0.5, 2, kinds),
            random.integers(-1, 2, kinds) * random.uniform(0, 1, kinds),
            random.uniform(-1, 1, kinds),
        ],
        axis=1,
    )
    half = 20 if full else 8  # of the side of the box
    poses = np.concatenate(
        [random.uniform(-math.pi, math.pi, (3, count)), random.uniform(-half, half, (3, count))]
    )
    return {
        "protein": random.uniform(-half, half, (atoms, 3)).astype("f4"),
        "protein_kinds": random.integers(0, kinds, atoms, np.int32),
        "ligand": random.uniform(-4, 4, (ligand_atoms, 3)).astype("f4"),
        "ligand_kinds": random.integers(0, kinds, ligand_atoms, np.int32),
        "forces": forces.astype("f4"),
        "bonds": random.choice(np.array([FREE, DONOR, SIGN], np.int32), kinds),
        "poses": poses.astype("f4"),
        "out": np.zeros(count, np.float32),
    }


def problem(full):
    arrays = deck(full)
    atoms, ligand_atoms, kinds = (len(arrays[name]) for name in ("protein", "ligand", "bonds"))
    count = arrays["out"].size

    def run(launch, **arrays):
        sizes = atoms, ligand_atoms, kinds, count
        grid = (blocks(count, THREADS * POSES),)
        launch("energies", grid, (THREADS,), *arrays.values(), sizes=sizes)

    def expected():
        """Of every 1000th pose in full size."""
        some = slice(None, None, 1000 if full else 1)
        wide = {name: each.astype("f8") for name, each in arrays.items() if each.dtype == "f4"}
        other = wide["protein"], arrays["protein_kinds"], wide["forces"], arrays["bonds"]
        poses = placed(wide["ligand"], wide["poses"][:, some])
        return {
            "out": (
                some,
                [energy_of_a_pose(atoms, arrays["ligand_kinds"], *other) for atoms in poses],
            )
        }

    return Problem(arrays, run, expected, 1e-4)


KERNELS = {"docking energy": GpuKernel(kernels, SOURCE, problem)}
