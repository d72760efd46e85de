#include "pyext/call/specialization.h"

#include "pyext/convert/classes.h"
#include "pyext/convert/raised.h"
#include "pyext/errors.h"
#include "runtime/interrupt.h"
#include "runtime/runtime.h"

#include <utility>

namespace numjit {

namespace {

size_t count_slots(const std::vector<const Type *> &types) {
  size_t count = 0;
  for (const Type *type : types)
    count += layout_of(type).leaves.size();
  return count;
}

/// Slots on the stack; those of enormous tuples on the heap.
class Slots {
public:
  explicit Slots(size_t count) {
    if (count > kInline)
      heap_.resize(count);
  }
  uint64_t *data() { return heap_.empty() ? inline_ : heap_.data(); }

private:
  static constexpr size_t kInline = 64;
  uint64_t inline_[kInline];
  std::vector<uint64_t> heap_;
};

} // namespace

Specialization::Specialization(FunctionDef &function, std::vector<const Type *> arguments,
                               Compiled compiled)
    : function_(function), arguments_(std::move(arguments)), compiled_(std::move(compiled)),
      entry_(compiled_.code->entry()), argument_slots_(count_slots(arguments_)),
      result_slots_(layout_of(compiled_.result).leaves.size()),
      holds_instances_(may_hold_instances(compiled_.result)) {}

Specialization::Specialization(FunctionDef &function, std::vector<const Type *> arguments,
                               Ref callable)
    : function_(function), arguments_(std::move(arguments)), callable_(std::move(callable)) {}

PyObject *Specialization::call(const uint64_t *slots) { return run(slots, nullptr); }

PyObject *Specialization::call(PyObject *const *objects, bool &started) {
  started = false;
  Slots slots(argument_slots_);
  Unboxer unboxer;
  uint64_t *at = slots.data();
  for (size_t i = 0; i < arguments_.size(); ++i)
    if (!unboxer.unbox(objects[i], arguments_[i], at))
      return nullptr;
  started = true;
  return run(slots.data(), &unboxer);
}

/// What a call frees in the end of instances that refer to each other.
class LinkedInstances {
public:
  explicit LinkedInstances(bool used) : used_(used) {
    if (used_) [[unlikely]]
      nj_enter_linked(scope_);
  }
  ~LinkedInstances() {
    if (used_) [[unlikely]]
      nj_leave_linked(scope_);
  }
  LinkedInstances(const LinkedInstances &) = delete;
  LinkedInstances &operator=(const LinkedInstances &) = delete;

private:
  bool used_;
  alignas(8) char scope_[NJ_LINKED_SCOPE_BYTES];
};

PyObject *Specialization::run(const uint64_t *slots, Unboxer *unboxer) {
  Slots result(result_slots_);
  const LinkedInstances linked(compiled_.frees_linked);
  ++active_;
  int32_t lent = 0;
  if (compiled_.may_run_long) {
    nj_enter_long();
    lent = nj_lend_host_lock(compiled_.lends_gil);
  }
  int32_t status;
  if (function_.options.nogil) {
    nj_expect_threads();
    WithoutGil released;
    status = entry_(slots, result.data());
  } else {
    status = entry_(slots, result.data());
  }
  if (compiled_.may_run_long) {
    nj_lend_host_lock(lent);
    nj_leave_long();
  }
  PyObject *value = nullptr;
  if (status != 0) {
    set_native_exception(function_, compiled_.code->place(status));
  } else {
    const uint64_t *at = result.data();
    auto *outer = std::exchange(boxed_code, &compiled_.code);
    if (holds_instances_) [[unlikely]]
      value = box_with_instances(compiled_.result, at);
    else
      value = box(compiled_.result, at);
    boxed_code = outer;
  }
  if (unboxer && value && !unboxer->write_back())
    Py_CLEAR(value);
  // An exception must not undo what the caller's list has seen so far.
  if (unboxer && !value) {
    Ref error = take_exception();
    unboxer->write_back();
    PyErr_Clear();
    set_exception(std::move(error));
  }
  --active_;
  return value;
}

} // namespace numjit
