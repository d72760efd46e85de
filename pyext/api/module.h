// The parts that module.cpp puts together.
#pragma once

#include "pyext/python.h"

#include <pybind11/pybind11.h>

namespace numjit {

void add_type_makers(pybind11::module_ &module);
/// Specialization, compiling and dumping.
void add_compiler(pybind11::module_ &module);
/// Functions for other programs to link.
void add_standalone(pybind11::module_ &module);
void add_contexts(pybind11::module_ &module);
void add_kernels(pybind11::module_ &module);
/// Kernels in the simulator.
void add_simulator(pybind11::module_ &module);

} // namespace numjit
