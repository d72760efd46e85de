// Kernels in the simulator.
#pragma once

#include <pybind11/pybind11.h>

namespace numjit {

void add_simulator(pybind11::module_ &module);

} // namespace numjit
