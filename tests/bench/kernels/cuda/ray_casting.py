"""A picture of spheres by casting a ray through each pixel, in float32: the nearest hit's light."""

import math

import numpy as np
from gpu_kernel import GpuKernel, Problem, blocks

BLOCK = (32, 8)
LIGHT = np.float32(0.6), np.float32(0.64), np.float32(0.48)
LX, LY, LZ = LIGHT
FAR = np.float32(1e30)
ZERO, HALF, ONE, TWO = (np.float32(each) for each in (0, 0.5, 1, 2))

SOURCE = r"""
extern "C" __global__ void cast(const float *cx, const float *cy, const float *cz,
                                const float *radius, float *picture, int spheres, int height,
                                int width) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < height && j < width) {
    float dx = (j + 0.5f) / width * 2 - 1;
    float dy = 1 - (i + 0.5f) / height * 2;
    float scale = 1 / sqrtf(dx * dx + dy * dy + 1);
    dx *= scale;
    dy *= scale;
    float dz = -scale;
    float nearest = 1e30f;
    int hit = -1;
    for (int s = 0; s < spheres; ++s) {
      float along = dx * cx[s] + dy * cy[s] + dz * cz[s];
      float square = cx[s] * cx[s] + cy[s] * cy[s] + cz[s] * cz[s];
      float inside = along * along - square + radius[s] * radius[s];
      if (inside > 0) {
        float distance = along - sqrtf(inside);
        if (distance > 0 && distance < nearest) {
          nearest = distance;
          hit = s;
        }
      }
    }
    float light = 0;
    if (hit >= 0) {
      float nx = dx * nearest - cx[hit];
      float ny = dy * nearest - cy[hit];
      float nz = dz * nearest - cz[hit];
      light = fmaxf(0, (0.6f * nx + 0.64f * ny + 0.48f * nz) / radius[hit]);
    }
    picture[i * width + j] = light;
  }
}
"""


def kernels(cuda):
    f4 = np.float32

    @cuda.jit
    def cast(cx, cy, cz, radius, picture):
        j, i = cuda.grid(2)
        height, width = picture.shape
        if i < height and j < width:
            dx = (f4(j) + HALF) / f4(width) * TWO - ONE
            dy = ONE - (f4(i) + HALF) / f4(height) * TWO
            scale = ONE / math.sqrt(dx * dx + dy * dy + ONE)
            dx *= scale
            dy *= scale
            dz = -scale
            nearest = FAR
            hit = -1
            for s in range(cx.size):
                along = dx * cx[s] + dy * cy[s] + dz * cz[s]
                square = cx[s] * cx[s] + cy[s] * cy[s] + cz[s] * cz[s]
                inside = along * along - square + radius[s] * radius[s]
                if inside > ZERO:
                    distance = along - math.sqrt(inside)
                    if distance > ZERO and distance < nearest:
                        nearest = distance
                        hit = s
            light = ZERO
            if hit >= 0:
                nx = dx * nearest - cx[hit]
                ny = dy * nearest - cy[hit]
                nz = dz * nearest - cz[hit]
                light = max(ZERO, (LX * nx + LY * ny + LZ * nz) / radius[hit])
            picture[i, j] = light

    return (cast,)


def light_of(rows, columns, spheres, shape):
    """The light of pixels in float64, and where rounding to float32 has little effect on it: not
    at a sphere's edge."""
    height, width = shape
    x, y = np.broadcast_arrays((columns + 0.5) / width * 2 - 1, 1 - (rows + 0.5) / height * 2)
    ray = np.stack([x, y, -np.ones_like(x)]) / np.sqrt(x * x + y * y + 1)
    nearest = np.full(x.shape, np.inf)
    light, edge = np.zeros(x.shape), np.zeros(x.shape, bool)
    for *center, radius in spheres:
        center = np.array(center)
        along = np.tensordot(center, ray, 1)
        inside = along**2 - center @ center + radius**2
        distance = along - np.sqrt(np.maximum(inside, 0))
        closer = (inside > -1e-3) & (distance < nearest)
        normal = (ray * distance - center[:, None, None]) / radius
        light = np.where(closer, np.maximum(0, np.tensordot(LIGHT, normal, 1)), light)
        edge = np.where(closer, inside < 4e-3, edge | (abs(distance - nearest) < 1e-4))
        nearest = np.where(closer, distance, nearest)
    return light, ~edge


def problem(full):
    shape, count = ((2048, 2048), 128) if full else ((30, 60), 20)
    random = np.random.default_rng(12)
    z = -random.uniform(4, 12, count)
    x, y = (random.uniform(-0.9, 0.9, count) * -z for _ in "xy")
    radius = random.uniform(0.2, 0.9, count)
    names = "cx", "cy", "cz", "radius"
    arrays = {name: each.astype("f4") for name, each in zip(names, (x, y, z, radius))}
    arrays["picture"] = np.zeros(shape, np.float32)
    grid = tuple(blocks(n, threads) for n, threads in zip(reversed(shape), BLOCK))

    def run(launch, **arrays):
        launch("cast", grid, BLOCK, *arrays.values(), sizes=(count, *shape))

    def expected():
        """Of every 16th row in full size."""
        rows = np.arange(0, shape[0], 16 if full else 1)
        spheres = zip(*(arrays[name].astype("f8") for name in names))
        light, certain = light_of(rows[:, None], np.arange(shape[1]), spheres, shape)
        assert certain.mean() > 0.9 and light.any()
        some = np.zeros(shape, bool)
        some[rows] = certain
        return {"picture": (some, light[certain])}

    return Problem(arrays, run, expected, 2e-3)


KERNELS = {"ray casting": GpuKernel(kernels, SOURCE, problem)}
