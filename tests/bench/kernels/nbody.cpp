#include "array.h"

extern "C" void kernel(Array<double, 2> position, Array<double, 2> velocity, Array<double, 1> mass,
                       int64_t steps, double dt) {
  const int64_t n = position.shape[0];
  for (int64_t step = 0; step < steps; ++step) {
    for (int64_t i = 0; i < n; ++i) {
      double ax = 0, ay = 0, az = 0;
      for (int64_t j = 0; j < n; ++j) {
        const double dx = position(j, 0) - position(i, 0);
        const double dy = position(j, 1) - position(i, 1);
        const double dz = position(j, 2) - position(i, 2);
        const double square = dx * dx + dy * dy + dz * dz + 0.01;
        const double pull = mass(j) / (square * std::sqrt(square));
        ax += dx * pull;
        ay += dy * pull;
        az += dz * pull;
      }
      velocity(i, 0) += dt * ax;
      velocity(i, 1) += dt * ay;
      velocity(i, 2) += dt * az;
    }
    for (int64_t i = 0; i < n; ++i)
      for (int64_t k = 0; k < 3; ++k)
        position(i, k) += dt * velocity(i, k);
  }
}
