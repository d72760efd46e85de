#include "pyext/read/host.h"

#include "frontend/stopwatch.h"
#include "pyext/errors.h"
#include "pyext/read/foreign_objects.h"
#include "pyext/read/function_def.h"
#include "pyext/read/names.h"
#include "pyext/read/objects.h"
#include "pyext/read/overloads.h"
#include "pyext/read/type_handle.h"
#include "pyext/read/user_classes.h"

#include <algorithm>

namespace numjit {

namespace {

std::string plan_key(const UnrollPlan &plan) {
  std::string key;
  for (auto [offset, count] : plan)
    key += std::to_string(offset) + ":" + std::to_string(count) + " ";
  return key;
}

/// Attributes that cannot change their meaning between now and the call.
bool has_fixed_attributes(const Object &object) {
  auto *python = static_cast<PyObject *>(object.handle);
  switch (object.kind) {
  case ObjectKind::Module:
  case ObjectKind::Class:
  case ObjectKind::ExceptionClass:
  case ObjectKind::EnumClass:
  case ObjectKind::EnumMember:
  case ObjectKind::DataClass:
  case ObjectKind::NamedTupleClass: return true;
  case ObjectKind::Builtin: return PyType_Check(python);
  default: return python && PyTuple_Check(python); // sys.float_info and its like
  }
}

/// Functions that programs put attributes on, which are like global variables.
bool is_attribute_of_function(const Object &object, std::string_view name) {
  auto *python = static_cast<PyObject *>(object.handle);
  return object.kind == ObjectKind::Function && python && !name.starts_with("__") &&
         (PyFunction_Check(python) || is_f2py_function(python));
}

/// What functions and ufuncs are, which does not change either.
bool is_fixed_attribute(const Object &object, std::string_view name) {
  if (object.kind != ObjectKind::Function && object.kind != ObjectKind::Builtin)
    return false;
  static constexpr std::string_view names[] = {"__name__", "nin",      "nout",
                                               "nargs",    "identity", "_identity"};
  return object.handle && std::ranges::find(names, name) != std::end(names);
}

PyObject *builtins_of(PyObject *globals) {
  PyObject *builtins = PyDict_GetItemString(globals, "__builtins__");
  if (builtins && PyModule_Check(builtins))
    builtins = PyModule_GetDict(builtins);
  return builtins && PyDict_Check(builtins) ? builtins : PyEval_GetBuiltins();
}

const Const *const_or_fail(PyObject *object) {
  try {
    return const_of(object);
  } catch (const PythonError &) {
    throw_exception_of_host();
  }
}

/// A module inside of a package, borrowed: `import package` alone makes it known only to the import
/// system. Null: it is not loaded.
PyObject *submodule(const std::string &package, const std::string &name) {
  return PyDict_GetItemString(PyImport_GetModuleDict(), (package + "." + name).c_str());
}

/// Whether a module has what is imported from it (names: a list or null); else ImportError is set.
bool has_names(PyObject *module, PyObject *names) {
  for (Py_ssize_t i = 0; names && i < PyList_GET_SIZE(names); ++i) {
    const std::string name = text_of(PyList_GET_ITEM(names, i));
    const std::string path = text_attribute(module, "__name__");
    if (attribute_or_null(module, name.c_str()) || submodule(path, name))
      continue;
    const std::string file = text_attribute(module, "__file__");
    PyErr_Format(PyExc_ImportError, "cannot import name '%s' from '%s' (%s)", name.c_str(),
                 path.c_str(), file.empty() ? "unknown location" : file.c_str());
    return false;
  }
  return true;
}

/// "import a.b", "from ..a import b, c": the module, or the class and the text of what is raised.
const Const *ask_import(const FunctionDef &function, std::string_view statement) {
  const bool is_from = statement.starts_with("from ");
  statement.remove_prefix(statement.find(' ') + 1);
  int level = 0;
  for (; statement.starts_with('.'); ++level)
    statement.remove_prefix(1);
  const size_t end = is_from ? statement.find(' ') : statement.size();
  const std::string module(statement.substr(0, end));
  Ref names;
  if (is_from) {
    const std::string list(statement.substr(end + sizeof(" import")));
    Ref text(PyUnicode_FromString(list.c_str())), separator(PyUnicode_FromString(", "));
    names = Ref(PyUnicode_Split(text.get(), separator.get(), -1));
  }
  Ref made(PyImport_ImportModuleLevel(module.c_str(), static_cast<PyObject *>(function.globals),
                                      nullptr, names.get(), level));
  if (made && has_names(made.get(), names.get()))
    return const_or_fail(made.get());
  Ref error = take_exception();
  return constants::tuple({const_or_fail(reinterpret_cast<PyObject *>(Py_TYPE(error.get()))),
                           constants::string(text_of(Ref(PyObject_Str(error.get())).get()))});
}

const Const *ask_global(const FunctionDef &function, const std::string &name) {
  if (name.find(' ') != std::string::npos) // no name: a statement
    return ask_import(function, name);
  auto *globals = static_cast<PyObject *>(function.globals);
  Ref key(PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size())));
  Ref value = Ref::borrow(PyDict_GetItemWithError(globals, key.get()));
  if (!value)
    value = Ref::borrow(PyDict_GetItemWithError(builtins_of(globals), key.get()));
  PyErr_Clear();
  if (!value && name == function.code.name)
    value = Ref::borrow(own_object(function));
  return value ? const_or_fail(value.get()) : nullptr;
}

const Const *ask_attribute(const Const &object, const std::string &name) {
  auto *python = static_cast<PyObject *>(object.object->handle);
  Ref value = attribute_or_null(python, name.c_str());
  if (!value && object.object->kind == ObjectKind::Module)
    value = Ref::borrow(submodule(object.object->name, name));
  return value ? const_or_fail(value.get()) : nullptr;
}

/// What a name meant when it was first asked for.
template <class Ask>
const Const *remembered(Surroundings &surroundings, const Const *object, const std::string &name,
                        Ask ask) {
  auto &answers = surroundings.answers;
  auto find = [&] {
    return std::find_if(answers.begin(), answers.end(), [&](const auto &answer) {
      return answer.object == object && answer.name == name;
    });
  };
  if (auto found = find(); found != answers.end())
    return found->value;
  const Const *value = ask(); // another thread may have the GIL meanwhile
  if (auto found = find(); found != answers.end())
    return found->value;
  answers.push_back({object, name, value});
  return value;
}

std::vector<const Const *> closure_or_fail(const FunctionDef &function) {
  try {
    return read_closure(function);
  } catch (const PythonError &) {
    throw_exception_of_host();
  }
}

/// The surroundings that were read last, or new ones if a name has another meaning now.
std::shared_ptr<Surroundings> present_surroundings(const FunctionDef &function) {
  std::shared_ptr<Surroundings> latest = function.surroundings;
  std::vector<const Const *> closure = closure_or_fail(function);
  bool same = closure == latest->closure;
  const auto answers = latest->answers; // a copy: Python may run
  for (size_t i = 0; same && i < answers.size(); ++i) {
    const auto &[object, name, value] = answers[i];
    same = value == (object ? ask_attribute(*object, name) : ask_global(function, name));
  }
  if (same)
    return latest;
  auto fresh = std::make_shared<Surroundings>();
  fresh->closure = std::move(closure);
  return function.surroundings = fresh;
}

} // namespace

Surroundings *PythonHost::entered_names(const FunctionDef &function) const {
  for (auto each = entered_.rbegin(); each != entered_.rend(); ++each)
    if (each->first == &function)
      return each->second.get();
  return nullptr;
}

Surroundings &PythonHost::surroundings(const FunctionDef &function) {
  if (function.is_library)
    return *function.surroundings;
  if (Surroundings *entered = entered_names(function))
    return *entered;
  if (auto known = snapshot_.find(&function); known != snapshot_.end())
    return *known->second;
  return *snapshot_.emplace(&function, present_surroundings(function)).first->second;
}

std::shared_ptr<Surroundings> PythonHost::names_of(const FunctionDef &function,
                                                   const std::vector<const void *> &types) {
  WithGil gil;
  auto version = std::ranges::find(function.versions, types, &Version::arguments);
  if (version == function.versions.end())
    return nullptr;
  const Version found = *version; // a copy: Python may run
  const bool older = found.names != present_surroundings(function) ||
                     std::ranges::any_of(*found.of_others, [](const auto &other) {
                       return other.second != present_surroundings(*other.first);
                     });
  if (!older)
    return nullptr;
  older_names = true;
  snapshot_.insert(found.of_others->begin(), found.of_others->end()); // keeps what is known
  return found.names;
}

const std::vector<const Const *> &PythonHost::closure(const FunctionDef &function) {
  return surroundings(function).closure;
}

const Const *PythonHost::global(const FunctionDef &function, const std::string &name) {
  return remembered(surroundings(function), nullptr, name,
                    [&] { return ask_global(function, name); });
}

const Const *PythonHost::imported(const FunctionDef &function, const std::string &statement) {
  return global(function, statement);
}

const Const *PythonHost::attribute(const FunctionDef &function, const Const &object,
                                   const std::string &name) {
  if (object.kind == ConstKind::Tuple && object.object) { // a named tuple
    const auto &fields = object.object->fields;
    auto found = std::find(fields.begin(), fields.end(), name);
    return found == fields.end() ? nullptr : object.items[found - fields.begin()];
  }
  if (object.kind != ConstKind::Object ||
      !(has_fixed_attributes(*object.object) || is_fixed_attribute(*object.object, name) ||
        is_attribute_of_function(*object.object, name)))
    return nullptr;
  const Const *plain = object.object->kind == ObjectKind::Class ? object.object->value : &object;
  if (plain && plain->object->member("class " + name)) // a bound method is no constant
    return nullptr;
  return remembered(surroundings(function), &object, name,
                    [&] { return ask_attribute(object, name); });
}

std::shared_ptr<const ssa::Function> PythonHost::source(FunctionDef &function,
                                                        const UnrollPlan &plan) {
  if (std::find(read.begin(), read.end(), &function) == read.end())
    read.push_back(&function);
  std::string key = plan_key(plan);
  Surroundings &around =
      function.is_library || snapshot_.contains(&function) || entered_names(function)
          ? surroundings(function)
          : (WithGil(), surroundings(function));
  {
    std::lock_guard lock(around.ssa_mutex);
    if (auto found = around.ssa.find(key); found != around.ssa.end())
      return found->second;
  }
  // Never with the mutex held: Python may hand the GIL to a thread that waits for the mutex. Two
  // threads may build the same function at once; the first one's result counts.
  std::shared_ptr<const ssa::Function> built;
  {
    WithGil gil;
    Stopwatch watch;
    built = build_ssa(function, *this, plan);
    frontend_ms += watch.ms();
  }
  std::lock_guard lock(around.ssa_mutex);
  return around.ssa.emplace(std::move(key), std::move(built)).first->second;
}

namespace {

/// Runs something that may ask Python; what goes wrong there is no fault of the user's program.
template <class Body>
auto asking_python(Body body) {
  try {
    return body();
  } catch (const PythonError &) {
    WithGil gil;
    throw_exception_of_host();
  }
}

} // namespace

FunctionDef *PythonHost::library(const LibraryKey &key) {
  return asking_python([&] { return library_function(key); });
}

std::vector<std::string> PythonHost::library_names(const std::string &prefix) {
  return asking_python([&] { return numjit::library_names(prefix); });
}

const Type *PythonHost::fields_of(const Const *cls) {
  if (const void *known = cls->object->type)
    return static_cast<const Type *>(known);
  WithGil gil;
  const Type *structure = structure_of(types::instance(cls, nullptr));
  if (!structure)
    PyErr_Clear();
  return structure;
}

const Type *PythonHost::struct_ref(const Const *cls, const std::vector<const Type *> &items,
                                   std::string &error) {
  const Type *&known = struct_refs_[{cls, items}];
  if (known)
    return known;
  WithGil gil;
  Ref rows(type_handles(items)), module(PyImport_ImportModule("numjit.experimental.structref"));
  Ref handle(module && rows
                 ? PyObject_CallMethod(module.get(), "row_of_items", "OO",
                                       static_cast<PyObject *>(cls->object->handle), rows.get())
                 : nullptr);
  if (handle)
    known = type_of_handle(handle.get());
  else
    error = exception_text();
  return known;
}

const Const *PythonHost::exact_operator(Operator oper, const Const &a, const Const &b) {
  constexpr int64_t most = 4096; // bits
  const bool grows = oper == Operator::Pow || oper == Operator::LShift;
  if (grows && (b.big || b.is_unsigned || b.integer < 0 || b.integer > most))
    return nullptr;
  WithGil gil;
  const std::string name(operator_row(oper).name);
  Ref left(python_of(a)), right(python_of(b)), module(PyImport_ImportModule("operator"));
  Ref value(left && right && module
                ? PyObject_CallMethod(module.get(), name.c_str(), "OO", left.get(), right.get())
                : nullptr);
  PyErr_Clear();
  if (!value || !PyLong_Check(value.get()))
    return nullptr;
  Ref bits(PyBool_Check(value.get()) ? PyLong_FromLong(1)
                                     : PyObject_CallMethod(value.get(), "bit_length", nullptr));
  const bool fits = bits && PyLong_AsLongLong(bits.get()) <= most;
  PyErr_Clear();
  return fits ? const_of(value.get()) : nullptr;
}

static int line_of(const FunctionDef &function, Position position) {
  return position.known() ? position.line : function.code.first_line;
}

/// What a function of diagnostics.py returns for a line of a program; null with an exception set.
static Ref warned(const char *by, const std::string &message, const FunctionDef &function,
                  int line) {
  Ref module(PyImport_ImportModule("numjit.diagnostics"));
  return Ref(module ? PyObject_CallMethod(module.get(), by, "ssi", message.c_str(),
                                          function.code.filename.c_str(), line)
                    : nullptr);
}

/// True if the function did not ask for strict_ints itself: then it is config.warn_int_to_float
/// that did.
bool PythonHost::warn_of_integers(const std::string &message, const FunctionDef *function,
                                  Position position) {
  WithGil gil;
  auto *dispatcher = static_cast<PyObject *>(function->dispatcher);
  Ref options = dispatcher ? attribute_or_null(dispatcher, "targetoptions") : Ref();
  if (options && PyDict_Check(options.get())) {
    PyObject *strict = PyDict_GetItemString(options.get(), "strict_ints");
    if (strict && PyObject_IsTrue(strict) == 1)
      return false;
  }
  const Ref done = warned("warn_of_integers", message, *function, line_of(*function, position));
  PyErr_Clear(); // a warning that is an error: then so are the integers
  return static_cast<bool>(done);
}

void PythonHost::warn_of_order(const std::string &reason, const FunctionDef *function,
                               Position position) {
  const int line = line_of(*function, position);
  if (!in_order.emplace(function, line).second)
    return;
  WithGil gil;
  if (!warned("warn_of_order", reason, *function, line))
    throw PythonError(); // warnings may be errors
}

bool PythonHost::has_overloads(const std::string &name) {
  const bool any = numjit::has_overloads(name);
  asked.emplace(name, any);
  return any;
}

const Const *PythonHost::attribute_of(const FunctionDef &function, const Const &object,
                                      const std::string &name) {
  WithGil gil;
  return attribute(function, object, name);
}

const Const *PythonHost::class_named(const std::string &name) {
  WithGil gil;
  Ref cls = find_named(name);
  return cls ? const_or_fail(cls.get()) : nullptr;
}

/// The same object for the same arguments: it tells types apart.
const Const *PythonHost::called(const std::string &name,
                                const std::vector<const Const *> &arguments) {
  static auto *known =
      new std::map<std::pair<std::string, std::vector<const Const *>>, const Const *>;
  WithGil gil;
  const auto key = std::pair{name, arguments};
  if (auto found = known->find(key); found != known->end())
    return found->second;
  Ref given(PyTuple_New(static_cast<Py_ssize_t>(arguments.size())));
  for (size_t i = 0; given && i < arguments.size(); ++i)
    PyTuple_SET_ITEM(given.get(), static_cast<Py_ssize_t>(i), python_of(*arguments[i]));
  Ref function = find_named(name);
  if (!function && Ref(PyImport_ImportModule(name.substr(0, name.rfind('.')).c_str())))
    function = find_named(name);
  Ref made(given && function && !PyErr_Occurred()
               ? PyObject_Call(function.get(), given.get(), nullptr)
               : nullptr);
  if (!made)
    throw CompileError("TypingError", exception_text(), {});
  return known->emplace(key, const_or_fail(made.get())).first->second;
}

Host::Member PythonHost::overloaded_member(const std::string &name, const Fact &self) {
  const Member member = asking_python([&] { return numjit::overloaded_member(name, self); });
  note_answer({{name, /*of_member=*/true, false, {self}, {}}, member, nullptr});
  return member;
}

Host::Choice PythonHost::choose_overload(const std::string &name,
                                         const std::vector<Fact> &positional,
                                         const Keywords &keywords, bool literals_first) {
  const Choice choice = asking_python(
      [&] { return numjit::choose_overload(name, positional, keywords, literals_first); });
  note_answer({{name, /*of_member=*/false, literals_first, positional, keywords},
               Member::None,
               choice.function});
  return choice;
}

void PythonHost::note_answer(OverloadAnswer answer) {
  if (std::find(answers.begin(), answers.end(), answer) == answers.end())
    answers.push_back(std::move(answer));
}

OverloadAnswer ask_overloads(OverloadQuestion question) {
  OverloadAnswer answer{std::move(question)};
  const auto &[name, of_member, literals_first, positional, keywords] = answer.question;
  if (of_member)
    answer.member = numjit::overloaded_member(name, positional.at(0));
  else
    answer.function = numjit::choose_overload(name, positional, keywords, literals_first).function;
  return answer;
}

} // namespace numjit
