// Reductions whose structure and layouts were met before: the key of a walk finds what a launch
// needs (reduction_plans.py makes it).
#include "pyext/gpu/kernels.h"
#include "pyext/gpu/walk.h"

#include <map>

namespace numjit {

namespace {

constexpr size_t kMostLaunches = 4096;
constexpr unsigned kReducingThreads = 256;

/// What launches of a reduction need in one context and stream.
struct ReductionLaunch {
  Ref kept;     ///< the plan, and the texts of its expression: keys have their addresses
  Ref launcher; ///< of the kernel, in the stream
  unsigned blocks = 0;
  Forms forms;
  Ref extent;                      ///< the shape of the results as a vector
  std::vector<PyObject *> shared;  ///< arrays that blocks share; in `kept`
  std::vector<PyObject *> numbers; ///< in `kept`
};

/// Never destroyed: at the end of the process there is no interpreter.
auto &launches = *new std::map<std::vector<int64_t>, std::shared_ptr<ReductionLaunch>>;
PyObject *launch_maker = nullptr;

/// Threads that have streams of their own have launches of their own.
int64_t thread_number() {
  static int64_t threads = 0;
  thread_local const int64_t number = ++threads; // with the GIL
  return number;
}

bool is_capturing() {
  int status = 0;
  return current_stream && driver.is_capturing &&
         driver.is_capturing(reinterpret_cast<void *>(current_stream), &status) == 0 && status;
}

std::shared_ptr<ReductionLaunch> new_launch(NodeObject *node, bool capturing) {
  Ref made(PyObject_CallFunction(launch_maker, "OO", node, capturing ? Py_True : Py_False));
  PyObject *kernel, *forms, *shared, *numbers;
  npy_intp results;
  auto launch = std::make_shared<ReductionLaunch>();
  if (!made || !PyArg_ParseTuple(made.get(), "OIO!nO!O!", &kernel, &launch->blocks, &PyList_Type,
                                 &forms, &results, &PyTuple_Type, &shared, &PyTuple_Type, &numbers))
    return nullptr;
  launch->launcher = element_launcher(kernel);
  launch->extent = Ref(Py_BuildValue("(n)", results));
  launch->kept = Ref(Py_BuildValue("[OOO]", node->text, shared, numbers));
  if (!launch->launcher || !launch->extent || !launch->kept)
    return nullptr;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(node->operands); ++i)
    if (!keep_texts(PyTuple_GET_ITEM(node->operands, i), launch->kept.get()))
      return nullptr;
  if (!read_forms(forms, launch->forms))
    return nullptr;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(shared); ++i)
    launch->shared.push_back(PyTuple_GET_ITEM(shared, i));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(numbers); ++i)
    launch->numbers.push_back(PyTuple_GET_ITEM(numbers, i));
  return launch;
}

bool launch_for(const ReductionLaunch &launch, const Walk &walk, PyObject *target) {
  if (launch.forms.size() != walk.arrays.size()) {
    PyErr_SetString(PyExc_SystemError, "a reduction of other arrays");
    return false;
  }
  std::vector<Ref> views;
  std::vector<PyObject *> arguments;
  for (size_t i = 0; i < walk.arrays.size(); ++i) {
    const auto &[shape, strides] = launch.forms[i];
    PyObject *array = walk.arrays[i];
    if (shape) {
      views.push_back(view_of(array, shape.get(), strides.get()));
      array = views.back().get();
    }
    if (!array)
      return false;
    arguments.push_back(array);
  }
  if (as_device_array(target)->ndim != 1) {
    views.push_back(view_of(target, launch.extent.get(), nullptr));
    target = views.back().get();
  }
  if (!target)
    return false;
  arguments.push_back(target);
  arguments.insert(arguments.end(), launch.shared.begin(), launch.shared.end());
  arguments.insert(arguments.end(), walk.numbers.begin(), walk.numbers.end());
  arguments.insert(arguments.end(), launch.numbers.begin(), launch.numbers.end());
  Ref launcher = launch.launcher;
  const LaunchShape shape{
      {launch.blocks, 1, 1}, {kReducingThreads, 1, 1}, 0, launcher_stream(launcher.get())};
  return bool(Ref(launch_as(launcher.get(), shape, arguments.data(),
                            static_cast<Py_ssize_t>(arguments.size()))));
}

PyObject *run(PyObject *, PyObject *node) {
  if (!is_reduction(node))
    return PyErr_Format(PyExc_TypeError, "expected a reduction");
  Ref made = run_reduction(as_node(node));
  if (!made && !PyErr_Occurred())
    Py_RETURN_NONE;
  return made.release();
}

PyObject *set_reductions(PyObject *, PyObject *maker) {
  launch_maker = Py_NewRef(maker);
  Py_RETURN_NONE;
}

PyMethodDef reduced_functions[] = {
    {"run_reduction", run, METH_O,
     "The device array with the results of a reduction; None where its expression is not one "
     "kernel."},
    {"set_reductions", set_reductions, METH_O, "The function that says how to launch a reduction."},
    {}};

} // namespace

Ref run_reduction(NodeObject *node) {
  Ref kept = Ref::borrow(reinterpret_cast<PyObject *>(node));
  Ref size(PyObject_GetAttrString(node->text, "size"));
  if (!size)
    return Ref();
  Walk walk(nullptr, PyLong_AsSsize_t(size.get()));
  long count = 0;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(node->operands); ++i) {
    PyObject *operand = PyTuple_GET_ITEM(node->operands, i);
    if (Py_TYPE(operand) == array_classes.operation && is_none(as_node(operand)->value))
      count += as_node(operand)->count;
    const int number = count > kMostOperations ? -1 : walk.visit(operand);
    if (number < 0)
      return Ref();
    walk.key.push_back(number);
  }
  if (walk.arrays.size() > kMostLeaves)
    return Ref();
  Ref target = new_elements(node->shape, node->dtype);
  if (!target || !as_device_array(target.get())->size())
    return target;
  const bool capturing = is_capturing();
  walk.key.push_back(reinterpret_cast<int64_t>(node->text));
  walk.key.push_back(number_of(node->dtype));
  walk.key.push_back(static_cast<int64_t>(chosen_context()));
  walk.key.push_back(static_cast<int64_t>(current_stream));
  walk.key.push_back(thread_number());
  const auto found = capturing ? launches.end() : launches.find(walk.key);
  std::shared_ptr<ReductionLaunch> launch = found == launches.end() ? nullptr : found->second;
  if (!launch) {
    launch = new_launch(node, capturing);
    if (!launch)
      return Ref();
    if (launches.size() >= kMostLaunches)
      launches.clear();
    if (!capturing)
      launches[walk.key] = launch;
  }
  return launch_for(*launch, walk, target.get()) ? std::move(target) : Ref();
}

bool compute_reduction(NodeObject *node) {
  Ref kept = Ref::borrow(reinterpret_cast<PyObject *>(node));
  Ref made = run_reduction(node);
  if (!made && !PyErr_Occurred())
    made = Ref(PyObject_CallMethod(node->text, "compute", "O", kept.get()));
  return made && has_value(node, made.get());
}

bool init_reduced(PyObject *module) {
  return PyModule_AddFunctions(module, reduced_functions) == 0;
}

} // namespace numjit
