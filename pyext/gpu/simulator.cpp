// Kernels in the simulator, as numjit.cuda sees them.
#include "runtime/simulator.h"

#include "pyext/api/module.h"
#include "pyext/bindings.h"
#include "pyext/call/compile.h"
#include "pyext/call/dispatcher.h"
#include "pyext/convert/raised.h"
#include "pyext/convert/values.h"
#include "pyext/errors.h"
#include "pyext/read/objects.h"
#include "pyext/read/type_handle.h"
#include "runtime/runtime.h"

#include <pybind11/stl.h>

#include <array>

namespace py = pybind11;

namespace numjit {

namespace {

using Index = std::array<int32_t, 3>;

py::tuple index_tuple(const int32_t *index) { return py::make_tuple(index[0], index[1], index[2]); }

py::tuple access_tuple(const decltype(nj_sim_race::first) &access) {
  return py::make_tuple(index_tuple(access.block), index_tuple(access.thread),
                        (access.how & NJ_SIM_WRITES) != 0, (access.how & NJ_SIM_ATOMIC) != 0,
                        access.place.file, access.place.function, access.place.line);
}

/// Machine code of one kernel for argument types.
class SimulatedKernel {
public:
  SimulatedKernel(const py::object &function, const py::iterable &types, bool race_check,
                  int64_t scratch)
      : function_object_(function), def_(definition(function)) {
    types_ = types_of(types);
    guarded([&] {
      std::vector<const Type *> folded = fold_types(def_, types_);
      folded_ = folded != types_;
      types_ = std::move(folded);
      WithoutGil released;
      tir::SimulatedKernel wanted;
      wanted.race_check = race_check;
      wanted.scratch = scratch;
      made_ = compile_for_simulator(def_, types_, wanted);
    });
    for (const auto &place : made_.kernel.places)
      places_.push_back({place.file.c_str(), place.function.c_str(), place.line});
    kernel_ = {reinterpret_cast<const void *>(made_.code->entry()), made_.kernel.whole_block,
               made_.kernel.static_shared, places_.data()};
    for (const Type *type : types_)
      slots_ += layout_of(type).leaves.size();
  }

  /// Runs it. In front of the text of an exception stands the thread that has raised it.
  void launch(const Index &grid, const Index &block, int64_t shared_bytes,
              const py::args &arguments) {
    std::vector<const Type *> wanted = types_;
    if (folded_) { // *args: the items of the tuple are given one by one
      wanted.pop_back();
      wanted.insert(wanted.end(), types_.back()->params.begin(), types_.back()->params.end());
    }
    if (arguments.size() != wanted.size())
      throw py::type_error(def_.name() + "() takes " + std::to_string(wanted.size()) +
                           " arguments, got " + std::to_string(arguments.size()));
    std::vector<uint64_t> slots(1 + slots_);
    Unboxer unboxer;
    uint64_t *at = slots.data() + 1;
    for (size_t i = 0; i < wanted.size(); ++i)
      if (!unboxer.unbox(arguments[i].ptr(), wanted[i], at))
        throw py::error_already_set();
    nj_sim_launch request{};
    request.kernel = &kernel_;
    std::copy(grid.begin(), grid.end(), request.grid);
    std::copy(block.begin(), block.end(), request.block);
    request.dynamic_shared = shared_bytes;
    request.arguments = slots.data();
    request.argument_count = static_cast<int64_t>(slots.size());
    request.cooperative = made_.kernel.cooperative;
    request.race_check = made_.kernel.race_check;
    request.scratch_bytes = made_.kernel.scratch;
    nj_enter_long();
    int32_t status;
    {
      WithoutGil released;
      status = nj_sim_run(&request);
    }
    nj_leave_long();
    if (status == 0) {
      if (request.race_check)
        check_races(slots.data() + 1);
      return;
    }
    set_native_exception(def_, request.failed ? made_.code->place(request.status) : nullptr);
    if (request.failed)
      say_where(request);
    throw py::error_already_set();
  }

  py::list types() const {
    py::list list;
    for (const Type *type : types_)
      list.append(py::reinterpret_steal<py::object>(type_handle(type)));
    return list;
  }
  const codegen::Timings &timings() const { return made_.timings; }
  int64_t static_shared() const { return made_.kernel.static_shared; }
  bool cooperative() const { return made_.kernel.cooperative; }
  bool waits() const { return !made_.kernel.whole_block; }

private:
  static FunctionDef &definition(const py::object &function) {
    return guarded([&]() -> FunctionDef & {
      if (FunctionDef *def = dispatcher_function(function.ptr()))
        return *def;
      const Const *constant = const_of(function.ptr());
      if (!constant->is_object(ObjectKind::Function) || !constant->object->function)
        throw py::type_error("expected a Python function, not " + std::string(py::repr(function)));
      return *constant->object->function;
    });
  }

  /// Raises numjit.cuda.RaceError if the launch has found races.
  void check_races(const uint64_t *slots) const {
    py::list races;
    int64_t count = 0;
    const nj_sim_race *rows = nj_sim_races(&count);
    for (int64_t i = 0; i < count; ++i)
      races.append(py::make_tuple(rows[i].address, rows[i].bytes, rows[i].shared != 0,
                                  access_tuple(rows[i].first), access_tuple(rows[i].second),
                                  rows[i].count));
    if (count == 0)
      return;
    py::object error = py::module_::import("numjit.cuda.races")
                           .attr("error_for")(def_.name(), races, array_rows(slots));
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.ptr())), error.ptr());
    throw py::error_already_set();
  }

  /// The arguments that are arrays: name, address, shape, strides.
  py::list array_rows(const uint64_t *slots) const {
    py::list list;
    const auto &names = def_.code.varnames;
    for (size_t i = 0; i < types_.size(); ++i) {
      const Type *type = types_[i];
      if (type->is_array()) {
        py::tuple shape(type->ndim), strides(type->ndim);
        auto step = static_cast<int64_t>(layout_of(type->dtype()).size);
        for (int k = 0; k < type->ndim; ++k) {
          const int axis = type->layout == Layout::F ? k : type->ndim - 1 - k;
          const auto length = static_cast<int64_t>(slots[2 + axis]);
          shape[axis] = py::int_(length);
          strides[axis] = py::int_(
              type->is_contiguous() ? step : static_cast<int64_t>(slots[2 + type->ndim + axis]));
          step *= length;
        }
        list.append(py::make_tuple(names[i], slots[0], shape, strides));
      }
      slots += layout_of(type).leaves.size();
    }
    return list;
  }

  /// Puts the thread in front of the text of the exception that is set.
  static void say_where(const nj_sim_launch &request) {
    Ref error = take_exception();
    Ref arguments(PyObject_GetAttrString(error.get(), "args"));
    if (arguments && PyTuple_Check(arguments.get())) {
      auto list = [](const int32_t *index) {
        return "[" + std::to_string(index[0]) + ", " + std::to_string(index[1]) + ", " +
               std::to_string(index[2]) + "]";
      };
      const std::string prefix =
          "tid=" + list(request.failed_thread) + " ctaid=" + list(request.failed_block);
      Ref text(PyObject_Str(error.get()));
      Ref full(text ? PyUnicode_FromFormat("%s: %U", prefix.c_str(), text.get()) : nullptr);
      Ref changed(full ? PyTuple_Pack(1, full.get()) : nullptr);
      if (changed)
        PyObject_SetAttrString(error.get(), "args", changed.get());
    }
    PyErr_Clear();
    set_exception(std::move(error));
  }

  py::object function_object_; ///< keeps the definition
  FunctionDef &def_;
  std::vector<const Type *> types_;
  SimulatedCode made_;
  std::vector<nj_sim_place> places_; ///< of made_.kernel, for C
  nj_sim_kernel kernel_{};
  size_t slots_ = 0;
  bool folded_ = false; ///< the last type is the tuple of *args
};

} // namespace

void add_simulator(py::module_ &module) {
  py::class_<SimulatedKernel>(module, "SimulatedKernel", "A kernel that the simulator runs.")
      .def(py::init<const py::object &, const py::iterable &, bool, int64_t>(), py::arg("function"),
           py::arg("types"), py::arg("race_check") = false, py::arg("scratch") = 0)
      .def("launch", &SimulatedKernel::launch)
      .def_property_readonly("types", &SimulatedKernel::types)
      .def_property_readonly("timings", &SimulatedKernel::timings)
      .def_property_readonly("static_shared", &SimulatedKernel::static_shared)
      .def_property_readonly("cooperative", &SimulatedKernel::cooperative,
                             "whether its blocks wait for each other")
      .def_property_readonly(
          "function", [](const SimulatedKernel &) { return 0; }, "the driver's handle: none")
      .def_property_readonly("waits", &SimulatedKernel::waits,
                             "whether its threads may wait for each other");
}

} // namespace numjit
