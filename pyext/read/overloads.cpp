#include "pyext/read/overloads.h"

#include "pyext/read/dispatchers.h"
#include "pyext/read/function_def.h"
#include "pyext/read/names.h"
#include "pyext/read/objects.h"
#include "pyext/read/type_handle.h"

#include <atomic>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <set>

namespace numjit {

namespace {

using FactKey = std::pair<const Type *, const Const *>;
struct OverloadKey {
  std::string name;
  std::vector<FactKey> positional;
  std::vector<std::pair<std::string, FactKey>> keywords;
  bool literals_first;
  auto operator<=>(const OverloadKey &) const = default;
};

struct OverloadTable {
  std::mutex mutex; // never held while Python runs
  std::set<std::string> names;
  std::map<OverloadKey, Host::Choice> choices;
  std::map<std::pair<std::string, const Type *>, Host::Member> members;
  unsigned long version = 0; ///< counts registrations: an answer from before one is not kept
};
OverloadTable &table() {
  static auto *instance = new OverloadTable;
  return *instance;
}
std::atomic<bool> any_registered{false};

FactKey key_of(const Fact &fact) { return {fact.type, fact.constant}; }

/// An inner function as Python would make it, but with empty cells; None for one with defaults.
PyObject *inner_function(const Type *closure) {
  const Object &object = *closure->constant->object;
  if (!object.function || !object.function->globals ||
      closure->params.size() != object.function->code.freevars.size())
    return Py_NewRef(Py_None);
  Ref function(PyFunction_New(static_cast<PyObject *>(object.handle),
                              static_cast<PyObject *>(object.function->globals)));
  const auto count = static_cast<Py_ssize_t>(closure->params.size());
  Ref cells(count ? PyTuple_New(count) : nullptr);
  for (Py_ssize_t i = 0; cells && i < count; ++i)
    PyTuple_SET_ITEM(cells.get(), i, PyCell_New(nullptr));
  if (!function || (count && (!cells || PyFunction_SetClosure(function.get(), cells.get()) != 0)))
    return nullptr;
  return function.release();
}

/// (row of the type table, whether the value is known, the value)
Ref argument(const Fact &fact) {
  Ref handle(type_handle(fact.type));
  const Const *constant = fact.constant                       ? fact.constant
                          : fact.type->kind == Kind::Function ? fact.type->constant
                                                              : nullptr;
  Ref value(constant                           ? python_of(*constant)
            : fact.type->kind == Kind::Closure ? inner_function(fact.type)
                                               : Py_NewRef(Py_None));
  if (!handle || !value)
    throw PythonError();
  Ref tuple(Py_BuildValue("(OOO)", handle.get(), constant ? Py_True : Py_False, value.get()));
  if (!tuple)
    throw PythonError();
  return tuple;
}

Ref ask(const char *function, PyObject *arguments) {
  Ref module(PyImport_ImportModule("numjit.extending"));
  Ref callable(module ? PyObject_GetAttrString(module.get(), function) : nullptr);
  Ref answer(callable && arguments ? PyObject_CallObject(callable.get(), arguments) : nullptr);
  if (!answer)
    throw PythonError();
  return answer;
}

/// The definition of an implementation, one for each Python function and its options; kept for
/// ever, as code may refer to it.
FunctionDef *definition(PyObject *function, PyObject *asked) {
  if (FunctionDef *def = dispatcher_function(function))
    return def;
  using Known = std::pair<CompileOptions, FunctionDef *>;
  static auto *known = new std::map<PyObject *, std::list<Known>>; // guarded by the GIL
  ReadingLock reading;
  const CompileOptions options = read_options(asked);
  std::list<Known> &definitions = (*known)[function];
  for (const auto &[own, def] : definitions)
    if (own == options)
      return def;
  auto *def = new FunctionDef;
  const auto place = definitions.emplace(definitions.end(), options, def); // it may hold itself
  try {
    read_function(*def, function, options);
  } catch (...) {
    definitions.erase(place);
    throw;
  }
  Py_INCREF(function);
  return def;
}

Host::Choice ask_for_choice(const std::string &name, const std::vector<Fact> &positional,
                            const Host::Keywords &keywords, bool literals_first) {
  Ref arguments(PyList_New(0)), named(PyDict_New());
  for (const Fact &fact : positional)
    if (PyList_Append(arguments.get(), argument(fact).get()) < 0)
      throw PythonError();
  for (const auto &[keyword, fact] : keywords)
    if (PyDict_SetItemString(named.get(), keyword.c_str(), argument(fact).get()) < 0)
      throw PythonError();
  Ref call(Py_BuildValue("(sOOO)", name.c_str(), arguments.get(), named.get(),
                         literals_first ? Py_True : Py_False));
  Ref answer = ask("_choose", call.get());
  PyObject *function = nullptr, *options = nullptr;
  const char *tried = nullptr;
  int wrong = 0, asks = 0;
  if (!PyArg_ParseTuple(answer.get(), "OOspp", &function, &options, &tried, &wrong, &asks))
    throw PythonError();
  Host::Choice choice;
  choice.tried = tried;
  choice.wrong = wrong;
  choice.asks_for_literals = asks;
  if (function != Py_None)
    choice.function = definition(function, options);
  return choice;
}

} // namespace

std::string name_for_overloads(PyObject *function) {
  if (const std::string *known = known_name(function))
    return *known;
  static auto *taken = new std::map<std::string, int>; // guarded by the GIL
  std::string name = qualified_name(function);
  if (int count = (*taken)[name]++; count || library_function(name))
    name += "#" + std::to_string(count);
  if (is_foreign_function(function)) { // what calls mean that no overload takes
    const FunctionDef &own = *const_of(function)->object->function;
    register_library({name}, static_cast<PyObject *>(own.handle), false, true);
  }
  identify_object(function, name);
  return name;
}

void note_overload(const std::string &name) {
  OverloadTable &all = table();
  std::lock_guard lock(all.mutex);
  all.names.insert(name);
  all.choices.clear();
  all.members.clear();
  ++all.version;
  any_registered.store(true, std::memory_order_release);
}

bool has_overloads(const std::string &name) {
  if (!any_registered.load(std::memory_order_acquire))
    return false;
  OverloadTable &all = table();
  std::lock_guard lock(all.mutex);
  return all.names.contains(name);
}

Host::Member overloaded_member(const std::string &name, const Fact &self) {
  OverloadTable &all = table();
  const std::pair key(name, self.type);
  unsigned long version;
  {
    std::lock_guard lock(all.mutex);
    if (auto found = all.members.find(key); found != all.members.end())
      return found->second;
    version = all.version;
  }
  Host::Member member;
  {
    WithGil gil;
    Ref call(Py_BuildValue("(sO)", name.c_str(), argument(self).get()));
    Ref answer = ask("_member", call.get());
    member = static_cast<Host::Member>(PyLong_AsLong(answer.get()));
  }
  std::lock_guard lock(all.mutex);
  if (version == all.version)
    all.members[key] = member;
  return member;
}

Host::Choice choose_overload(const std::string &name, const std::vector<Fact> &positional,
                             const Host::Keywords &keywords, bool literals_first) {
  OverloadKey key{name, {}, {}, literals_first};
  for (const Fact &fact : positional)
    key.positional.push_back(key_of(fact));
  for (const auto &[keyword, fact] : keywords)
    key.keywords.emplace_back(keyword, key_of(fact));
  OverloadTable &all = table();
  unsigned long version;
  {
    std::lock_guard lock(all.mutex);
    if (auto found = all.choices.find(key); found != all.choices.end())
      return found->second;
    version = all.version;
  }
  Host::Choice choice;
  {
    WithGil gil;
    choice = ask_for_choice(name, positional, keywords, literals_first);
  }
  std::lock_guard lock(all.mutex);
  if (version == all.version)
    all.choices.emplace(std::move(key), choice);
  return choice;
}

} // namespace numjit
