// Calls with argument types that were not seen before: typing, compiling once, falling back.
#include "pyext/dispatcher_state.h"
#include "pyext/errors.h"
#include "pyext/fingerprint.h"
#include "pyext/type_handle.h"
#include "pyext/typeof.h"

#include <algorithm>

namespace numjit {

namespace {

uint64_t hash_of(const uint64_t *words, size_t count) {
  uint64_t hash = count;
  for (size_t i = 0; i < count; ++i)
    hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15, hash ^= hash >> 32;
  return hash;
}

} // namespace

const CallKey *CallTable::find_slowly(const uint64_t *words, size_t count) {
  auto [first, end] = keys_.equal_range(hash_of(words, count));
  for (; first != end; ++first)
    if (first->second->matches(words, count))
      return last_ = first->second.get();
  return nullptr;
}

const CallKey *CallTable::add(const uint64_t *words, size_t count, Specialization *target,
                              bool direct) {
  auto key = std::make_unique<CallKey>(CallKey{{words, words + count}, target, direct});
  last_ = key.get();
  keys_.emplace(hash_of(words, count), std::move(key));
  return last_;
}

void CallTable::clear() {
  last_ = nullptr;
  keys_.clear();
}

Specialization *DispatcherState::find(const std::vector<const Type *> &arguments) const {
  for (const auto &each : specializations)
    if (each->arguments() == arguments)
      return each.get();
  return nullptr;
}

namespace {

/// Waits for a compilation of another thread.
void wait_for(Pending &pending) {
  WithoutGil released;
  std::unique_lock lock(pending.mutex);
  pending.ended.wait(lock, [&] { return pending.done; });
}

void end(DispatcherState &state, const std::shared_ptr<Pending> &pending) {
  std::erase(state.pending, pending);
  std::lock_guard lock(pending->mutex);
  pending->done = true;
  pending->ended.notify_all();
}

/// Where the entries of a dispatcher lie; empty: nowhere. Its Python class knows.
const CacheHome &cache_home(DispatcherObject *dispatcher) {
  DispatcherState &state = *dispatcher->state;
  if (!state.cache_home) {
    CacheHome home;
    Ref found(
        PyObject_CallMethod(reinterpret_cast<PyObject *>(dispatcher), "_cache_home", nullptr));
    if (found && PyTuple_Check(found.get()) && PyTuple_GET_SIZE(found.get()) == 2)
      home = {text_of(PyTuple_GET_ITEM(found.get(), 0)), text_of(PyTuple_GET_ITEM(found.get(), 1))};
    PyErr_Clear();
    state.cache_home = std::make_unique<CacheHome>(std::move(home));
  }
  return *state.cache_home;
}

std::shared_ptr<CacheEntry> cache_entry(DispatcherObject *dispatcher, FunctionDef &function,
                                        const std::vector<const Type *> &arguments,
                                        const Type *result) {
  if (!dispatcher->state->options.cache || cache_home(dispatcher).folder.empty())
    return nullptr;
  return std::make_shared<CacheEntry>(function, arguments, result, cache_home(dispatcher));
}

void store(DispatcherObject *dispatcher, CacheEntry &entry, const Compiled &compiled) {
  const std::string problem = entry.store(compiled);
  if (problem.empty() || std::exchange(dispatcher->state->told_of_cache, true))
    return;
  if (!Ref(PyObject_CallMethod(reinterpret_cast<PyObject *>(dispatcher), "_warn_uncached", "s",
                               problem.c_str())))
    throw PythonError(); // warnings may be errors
}

void warn_not_parallel(DispatcherObject *dispatcher) {
  if (!Ref(PyObject_CallMethod(reinterpret_cast<PyObject *>(dispatcher), "_warn_not_parallel",
                               nullptr)))
    throw PythonError();
}

std::shared_ptr<Specialization> compile_now(DispatcherObject *dispatcher,
                                            const std::vector<const Type *> &arguments,
                                            const Type *result) {
  DispatcherState &state = *dispatcher->state;
  FunctionDef &function = *dispatcher_function(reinterpret_cast<PyObject *>(dispatcher));
  Compiled compiled;
  std::shared_ptr<CacheEntry> entry = cache_entry(dispatcher, function, arguments, result);
  if (!entry || !state.looks_in_cache || !entry->load(compiled, entry)) {
    {
      WithoutGil released;
      compiled = compile_function(function, arguments, result, entry);
    }
    if (entry)
      store(dispatcher, *entry, compiled);
    if (!compiled.runs_parallel)
      warn_not_parallel(dispatcher);
  }
  auto made = std::make_shared<Specialization>(function, arguments, std::move(compiled));
  state.specializations.push_back(made);
  return made;
}

/// A Specialization that calls a Python callable.
Specialization *add_fallback(DispatcherObject *dispatcher,
                             const std::vector<const Type *> *arguments, Ref callable) {
  DispatcherState &state = *dispatcher->state;
  FunctionDef &function = *dispatcher_function(reinterpret_cast<PyObject *>(dispatcher));
  auto made = std::make_shared<Specialization>(
      function, arguments ? *arguments : std::vector<const Type *>{}, std::move(callable));
  (arguments ? state.specializations : state.others).push_back(made);
  return made.get();
}

/// Asks the Python class what to do with the exception that is set; null with an exception set.
Specialization *fall_back(DispatcherObject *dispatcher,
                          const std::vector<const Type *> *arguments) {
  auto *self = reinterpret_cast<PyObject *>(dispatcher);
  Ref error = take_exception();
  Ref rows(arguments ? type_handles(*arguments) : Py_NewRef(Py_None));
  Ref callable;
  if (rows && PyObject_HasAttrString(self, "_fall_back"))
    callable = Ref(PyObject_CallMethod(self, "_fall_back", "OO", error.get(), rows.get()));
  else
    set_exception(error);
  if (callable)
    return add_fallback(dispatcher, arguments, std::move(callable));
  // The way through our Python files is no news to users.
  Ref raised = take_exception();
  if (raised.get() == error.get())
    PyException_SetTraceback(raised.get(), Py_None);
  set_exception(std::move(raised));
  return nullptr;
}

/// Sets the error about an argument that has no type.
void set_untyped_error(DispatcherObject *dispatcher, size_t index, const TypeOf &why) {
  const FunctionDef &function = *dispatcher_function(reinterpret_cast<PyObject *>(dispatcher));
  const auto &names = function.code.varnames;
  std::string name = index < names.size() ? "'" + names[index] + "'" : std::to_string(index + 1);
  try {
    throw CompileError(why.error_class,
                       why.error + "\n(argument " + name + " of " + function.name() + "())",
                       {{&function, {}, {}}});
  } catch (...) {
    set_current_exception();
  }
}

Specialization *untyped(DispatcherObject *dispatcher, size_t index, const TypeOf &why) {
  set_untyped_error(dispatcher, index, why);
  Specialization *target = fall_back(dispatcher, nullptr);
  if (!target && why.overflow) {
    PyErr_Clear();
    PyErr_SetString(PyExc_OverflowError, why.error.c_str());
  }
  return target;
}

/// Classes of arguments without a type are in the key by address: they must not go away.
void keep_classes(DispatcherState &state, PyObject *const *arguments, size_t count) {
  for (size_t i = 0; i < count; ++i)
    state.kept.push_back(Ref::borrow(reinterpret_cast<PyObject *>(Py_TYPE(arguments[i]))));
}

Specialization *object_mode(DispatcherObject *dispatcher,
                            const std::vector<const Type *> *arguments) {
  auto *self = reinterpret_cast<PyObject *>(dispatcher);
  Ref callable(PyObject_CallMethod(self, "_object_mode_function", nullptr));
  return callable ? add_fallback(dispatcher, arguments, std::move(callable)) : nullptr;
}

} // namespace

std::shared_ptr<Specialization>
compile_dispatcher(PyObject *self, const std::vector<const Type *> &arguments, const Type *result) {
  auto *dispatcher = reinterpret_cast<DispatcherObject *>(self);
  DispatcherState &state = *dispatcher->state;
  for (;;) {
    for (const auto &made : state.specializations)
      if (made->arguments() == arguments && !made->callable() &&
          (!result || made->result() == result))
        return made;
    auto found = std::find_if(state.pending.begin(), state.pending.end(), [&](const auto &each) {
      return each->arguments == arguments && each->result == result &&
             each->thread != std::this_thread::get_id(); // called by the reading of its own source
    });
    if (found == state.pending.end())
      break;
    wait_for(*std::shared_ptr<Pending>(*found));
  }
  auto pending = std::make_shared<Pending>();
  pending->arguments = arguments;
  pending->result = result;
  state.pending.push_back(pending);
  std::shared_ptr<Specialization> made;
  try {
    made = compile_now(dispatcher, arguments, result);
  } catch (...) {
    set_current_exception();
  }
  end(state, pending);
  return made;
}

const CallKey *resolve_call(DispatcherObject *dispatcher, PyObject *const *arguments,
                            const uint64_t *words, size_t word_count, bool indirect) {
  DispatcherState &state = *dispatcher->state;
  const auto count = static_cast<size_t>(
      dispatcher_function(reinterpret_cast<PyObject *>(dispatcher))->parameter_count());
  std::vector<const Type *> types;
  Specialization *target = nullptr;
  for (size_t i = 0; i < count; ++i) {
    TypeOf type = type_of(arguments[i]);
    if (!type.type) {
      target = state.object_mode ? object_mode(dispatcher, nullptr) : untyped(dispatcher, i, type);
      if (!target)
        return nullptr;
      keep_classes(state, arguments, count);
      return state.table.add(words, word_count, target, false);
    }
    types.push_back(type.type);
  }
  target = state.find(types);
  if (!target && state.object_mode)
    target = object_mode(dispatcher, &types);
  else if (!target && !state.can_compile)
    target = best_match(dispatcher, types);
  else if (!target) {
    target = compile_dispatcher(reinterpret_cast<PyObject *>(dispatcher), types, nullptr).get();
    if (!target)
      target = fall_back(dispatcher, &types);
  }
  if (!target)
    return nullptr;
  keep_classes(state, arguments, count);
  bool direct = !indirect && !target->callable() && target->arguments() == types;
  return state.table.add(words, word_count, target, direct);
}

} // namespace numjit
