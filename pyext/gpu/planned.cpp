// Expressions whose structure and layouts were met before: one walk makes the key of a plan, and a
// plan is a kernel and how it takes each array (evaluate.py makes them).
#include "pyext/gpu/kernels.h"
#include "pyext/gpu/walk.h"

#include <map>

namespace numjit {

namespace {

constexpr size_t kMostPlans = 4096;

PyObject *plan_maker = nullptr;

struct ExpressionPlan {
  Ref kept;   ///< the node: its texts have the addresses that keys have
  Ref kernel; ///< numjit.cuda's dispatcher
  Forms forms;
  uint64_t context = 0, stream = 0;
  Ref launcher; ///< of that context and stream
};

/// Never destroyed: at the end of the process there is no interpreter.
auto &plans = *new std::map<std::vector<int64_t>, std::shared_ptr<ExpressionPlan>>;

std::shared_ptr<ExpressionPlan> new_plan(PyObject *node, PyObject *target) {
  Ref made(PyObject_CallFunctionObjArgs(plan_maker, node, target, nullptr));
  PyObject *kernel, *forms;
  if (!made || !PyArg_ParseTuple(made.get(), "OO!", &kernel, &PyList_Type, &forms))
    return nullptr;
  auto plan = std::make_shared<ExpressionPlan>();
  plan->kept = Ref(PyList_New(0));
  if (!plan->kept || !keep_texts(node, plan->kept.get()))
    return nullptr;
  plan->kernel = Ref::borrow(kernel);
  if (!read_forms(forms, plan->forms))
    return nullptr;
  return plan;
}

int launch(ExpressionPlan &plan, const Walk &walk, PyObject *target) {
  if (!plan.launcher || plan.context != chosen_context() || plan.stream != current_stream) {
    Ref launcher = element_launcher(plan.kernel.get());
    if (!launcher)
      return -1;
    plan.launcher = std::move(launcher);
    plan.context = chosen_context();
    plan.stream = current_stream;
  }
  Ref launcher = plan.launcher;
  std::vector<PyObject *> arguments = walk.arrays;
  arguments.push_back(target);
  if (plan.forms.size() != arguments.size())
    return PyErr_SetString(PyExc_SystemError, "a plan for other arrays"), -1;
  std::vector<Ref> views(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    const auto &[shape, strides] = plan.forms[i];
    if (!shape)
      continue;
    views[i] = view_of(arguments[i], shape.get(), strides.get());
    if (!views[i])
      return -1;
    arguments[i] = views[i].get();
  }
  arguments.insert(arguments.end(), walk.numbers.begin(), walk.numbers.end());
  return launch_elements(launcher.get(), walk.size, arguments.data(),
                         static_cast<Py_ssize_t>(arguments.size()));
}

PyObject *run_planned_into(PyObject *, PyObject *arguments) {
  PyObject *node, *target;
  if (!PyArg_ParseTuple(arguments, "OO", &node, &target))
    return nullptr;
  Ref into = Ref::borrow(target);
  const int done = run_planned(node, into);
  return done < 0 ? nullptr : PyBool_FromLong(done);
}

PyObject *set_plan_maker(PyObject *, PyObject *maker) {
  plan_maker = Py_NewRef(maker);
  Py_RETURN_NONE;
}

PyMethodDef planned_functions[] = {
    {"run_planned", run_planned_into, METH_VARARGS,
     "run_planned(node, target): computes an expression in which nobody "
     "holds a value in between, or "
     "copies an array or a number; False for others."},
    {"set_plan_maker", set_plan_maker, METH_O, "The function that makes plans."},
    {}};

} // namespace

int run_planned(PyObject *object, Ref &target) {
  NodeObject *node = Py_TYPE(object) == array_classes.operation ? as_node(object) : nullptr;
  if (node ? node->count > kMostOperations : !target)
    return 0;
  Walk walk(node, node ? size_of_shape(node->shape) : as_device_array(target.get())->size());
  if (walk.visit(object) < 0 || walk.arrays.size() > kMostLeaves)
    return PyErr_Occurred() ? -1 : 0;
  if (!target)
    target = new_elements(node->shape, node->dtype, walk.fortran());
  else if (node && !same_value(as_device_array(target.get())->shape_tuple, node->shape))
    return 0;
  if (!target)
    return -1;
  if (!walk.size)
    return 1;
  walk.add_layout(4, *as_device_array(target.get()));
  const auto found = plans.find(walk.key);
  std::shared_ptr<ExpressionPlan> plan = found == plans.end() ? nullptr : found->second;
  if (!plan) {
    plan = new_plan(object, target.get());
    if (!plan)
      return -1;
    if (plans.size() >= kMostPlans)
      plans.clear();
    plans[walk.key] = plan;
  }
  return launch(*plan, walk, target.get());
}

bool reads(PyObject *node, PyObject *root) {
  if (Py_TYPE(node) == array_classes.leaf)
    return as_leaf(node)->root == root;
  if (Py_TYPE(node) == array_classes.scalar)
    return false;
  if (!is_none(as_node(node)->value))
    return reads(as_node(node)->value, root);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(as_node(node)->operands); ++i)
    if (reads(PyTuple_GET_ITEM(as_node(node)->operands, i), root))
      return true;
  return false;
}

bool reads_elsewhere(PyObject *node, PyObject *root, const DeviceArrayObject &target) {
  if (Py_TYPE(node) == array_classes.leaf) {
    const DeviceArrayObject &array = *as_device_array(as_leaf(node)->array);
    return as_leaf(node)->root == root &&
           (array.data != target.data || array.ndim != target.ndim ||
            !std::equal(array.shape, array.shape + array.ndim, target.shape) ||
            !std::equal(array.strides, array.strides + array.ndim, target.strides));
  }
  if (Py_TYPE(node) == array_classes.scalar)
    return false;
  if (!is_none(as_node(node)->value))
    return reads_elsewhere(as_node(node)->value, root, target);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(as_node(node)->operands); ++i)
    if (reads_elsewhere(PyTuple_GET_ITEM(as_node(node)->operands, i), root, target))
      return true;
  return false;
}

bool init_planned(PyObject *module) {
  return PyModule_AddFunctions(module, planned_functions) == 0;
}

} // namespace numjit
