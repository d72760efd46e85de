#include "pyext/read/names.h"

#include "pyext/read/function_def.h"
#include "pyext/read/objects.h"
#include "typeinfer/errors.h"
#include "typeinfer/infer/builtins.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace numjit {

namespace {

/// A function of the library; read when inference asks for it.
struct LibraryRow {
  PyObject *function = nullptr; // never released
  std::string module;           // that registers the function when it is imported
  bool lazy = false, inlined = true;
  std::atomic<FunctionDef *> def{nullptr};
};

struct Registry {
  std::mutex mutex; // never held while Python runs
  std::map<LibraryKey, std::unique_ptr<LibraryRow>> rows;
  /// Library functions that call each other by their Python names mean these rows, by their texts.
  std::map<std::string, LibraryKey> by_text;

  LibraryRow *find(const LibraryKey &key) const {
    auto found = rows.find(key);
    if (found == rows.end() && key.is_plain())
      if (auto other = by_text.find(key.name); other != by_text.end())
        found = rows.find(other->second);
    return found == rows.end() ? nullptr : found->second.get();
  }
};
Registry &registry() {
  static auto *instance = new Registry;
  return *instance;
}

/// Object -> name. Written and read with the GIL; holds references as long as the process lives.
std::unordered_map<PyObject *, std::string> &identities() {
  static auto *instance = new std::unordered_map<PyObject *, std::string>;
  return *instance;
}

void identify(PyObject *object, const std::string &name) {
  if (identities().emplace(object, name).second)
    Py_INCREF(object);
}

/// Names of ours that mean what another name means.
constexpr std::pair<const char *, const char *> kAliases[] = {
    {"numjit.special.prange", "numjit.prange"},
    {"numjit.special.literal_unroll", "numjit.literal_unroll"},
    {"numjit.special.literally", "numjit.literally"},
    {"numjit.special.carray", "numjit.carray"},
    {"numjit.special.get_num_threads", "numjit.get_num_threads"},
    {"numjit.special.set_num_threads", "numjit.set_num_threads"},
    {"numjit.special.get_thread_id", "numjit.get_thread_id"},
    {"numjit.special.get_parallel_chunksize", "numjit.get_parallel_chunksize"},
    {"numjit.special.set_parallel_chunksize", "numjit.set_parallel_chunksize"},
    {"numjit.special.farray", "numjit.farray"},
    {"dataclasses.replace", "dataclasses.replace"},
};

bool is_loaded(const std::string &module) {
  Ref name(PyUnicode_FromString(module.c_str()));
  return name && PyDict_Contains(PyImport_GetModuleDict(), name.get()) == 1;
}

bool is_importable(const std::string &module) {
  static constexpr const char *ours[] = {"builtins", "math",  "cmath",
                                         "operator", "numpy", "numjit"};
  if (std::find(std::begin(ours), std::end(ours), module) != std::end(ours))
    return true;
  // "Array.sum" names no module, and other packages are only known where the program uses them.
  return is_loaded(module);
}

/// Whether a class has an attribute that is not one of its bases.
bool defines(PyObject *cls, const std::string &name) {
  const Ref dict = attribute_or_null(cls, "__dict__");
  return dict && PyMapping_HasKeyString(dict.get(), name.c_str());
}

/// The object at the end of an import path, null (and no exception) if there is none. Submodules
/// that are not in use yet (numpy.random) are not loaded for it.
Ref find_object(const std::string &path) {
  size_t dot = path.find('.');
  if (dot == std::string::npos || !is_importable(path.substr(0, dot)))
    return {};
  Ref object(PyImport_ImportModule(path.substr(0, dot).c_str()));
  while (object && dot != std::string::npos) {
    size_t start = dot + 1;
    dot = path.find('.', start);
    const std::string name = path.substr(start, dot - start);
    if (dot != std::string::npos && PyModule_Check(object.get())) {
      PyObject *item = PyDict_GetItemString(PyModule_GetDict(object.get()), name.c_str());
      Py_XINCREF(item);
      object = Ref(item);
    } else if (dot == std::string::npos && PyType_Check(object.get()) &&
               !defines(object.get(), name)) {
      return {}; // what it inherits is named after the class that has it
    } else {
      object = Ref(PyObject_GetAttrString(object.get(), name.c_str()));
    }
  }
  PyErr_Clear();
  return object;
}

/// Paths into modules that are not loaded yet, with what they mean.
std::vector<std::pair<std::string, std::string>> &postponed() {
  static auto *instance = new std::vector<std::pair<std::string, std::string>>;
  return *instance;
}

void identify_path(const std::string &path, const std::string &name) {
  // Names of intrinsics are no attributes of the package; asking would import what is imported
  // lazily.
  if (path.starts_with("numjit.") && !path.starts_with("numjit.special."))
    return;
  if (Ref object = find_object(path))
    identify(object.get(), name);
  else if (size_t dot = path.rfind('.');
           dot != std::string::npos && std::islower(path[0]) && !is_loaded(path.substr(0, dot)))
    postponed().emplace_back(path, name);
}

/// Looks again for what was postponed, if modules were loaded since.
bool identify_postponed() {
  static Py_ssize_t seen = 0;
  const Py_ssize_t loaded = PyDict_Size(PyImport_GetModuleDict());
  if (postponed().empty() || loaded == seen)
    return false;
  seen = loaded;
  for (auto &[path, name] : std::exchange(postponed(), {}))
    identify_path(path, name);
  return true;
}

std::atomic<bool> names_known{false};

/// Finds the objects that names mean, and imports the library, whose modules register themselves.
void find_names() {
  if (names_known.load(std::memory_order_acquire))
    return;
  ReadingLock reading; // other threads wait for the whole table
  static bool begun = false;
  if (std::exchange(begun, true))
    return; // the library's own modules ask while they are imported
  for (auto [path, name] : kAliases)
    identify_path(path, name);
  for (const std::string &name : builtin_names())
    identify_path(name, name);
  if (!Ref(PyImport_ImportModule("numjit.library"))) {
    begun = false;
    throw PythonError();
  }
  names_known.store(true, std::memory_order_release);
}

/// The same without the GIL: a function may use the library without naming anything of it.
void find_names_without_gil() {
  if (names_known.load(std::memory_order_acquire))
    return;
  WithGil gil;
  find_names();
}

} // namespace

Ref find_named(const std::string &name) { return find_object(name); }

const std::string *known_name(PyObject *object) {
  find_names();
  auto found = identities().find(object);
  if (found == identities().end() && identify_postponed())
    found = identities().find(object);
  return found == identities().end() ? nullptr : &found->second;
}

void identify_object(PyObject *object, const std::string &name) {
  identify(object, name);
  forget_object(object);
}

namespace {
/// np.mgrid[...] is a call of "numpy.mgrid.__getitem__"; the object itself has to be known too.
void identify_named(const std::string &name) {
  constexpr std::string_view item = ".__getitem__";
  if (name.ends_with(item)) {
    const std::string owner = name.substr(0, name.size() - item.size());
    identify_path(owner, owner);
  } else {
    identify_path(name, name);
  }
}
} // namespace

void register_library(const LibraryKey &key, PyObject *function, bool lazy, bool inlined) {
  Py_INCREF(function);
  bool announced = false;
  {
    Registry &all = registry();
    std::lock_guard lock(all.mutex);
    std::unique_ptr<LibraryRow> &row = all.rows[key];
    announced = row && !row->function; // somebody may be waiting for this very row
    if (!announced)
      row = std::make_unique<LibraryRow>();
    row->function = function;
    row->lazy = lazy;
    row->inlined = inlined;
    if (!key.is_plain())
      all.by_text.emplace(text_of(key), key);
  }
  if (!announced && key.is_plain())
    identify_named(key.name);
  identify(function, text_of(key));
}

void announce_library(const std::string &name, const std::string &module) {
  {
    Registry &all = registry();
    std::lock_guard lock(all.mutex);
    std::unique_ptr<LibraryRow> &row = all.rows[name];
    if (row)
      return;
    row = std::make_unique<LibraryRow>();
    row->module = module;
  }
  identify_named(name);
}

namespace {
/// Functions of NumPy, SciPy and our own ones decide by literal strings (dtypes, orders, modes).
/// Methods and operators of Python's containers and strings do not: one specialisation serves all
/// strings.
bool takes_literals(const std::string &name) {
  static constexpr std::string_view kinds[] = {
      "numpy.",    "scipy.", "numjit.", "Array.",    "DType.",     "Flat.",        "Record.",
      "Datetime.", "sys.",   "Tuple.",  "Function.", "Timedelta.", "LiteralDict.", "re."};
  return std::any_of(std::begin(kinds), std::end(kinds),
                     [&](std::string_view kind) { return name.starts_with(kind); });
}
} // namespace

FunctionDef *library_function(const LibraryKey &key) {
  find_names_without_gil();
  LibraryRow *row = nullptr;
  {
    Registry &all = registry();
    std::lock_guard lock(all.mutex);
    row = all.find(key);
  }
  if (!row)
    return nullptr;
  if (FunctionDef *def = row->def.load(std::memory_order_acquire))
    return def;
  WithGil gil;
  if (!row->function && !Ref(PyImport_ImportModule(row->module.c_str())))
    throw PythonError();
  if (!row->function)
    throw InternalError(row->module + " does not register " + text_of(key));
  ReadingLock reading;
  if (FunctionDef *def = row->def.load(std::memory_order_acquire)) // while we waited
    return def;
  auto def = std::make_unique<FunctionDef>();
  read_function(*def, row->function, {});
  def->is_library = true;
  def->accepts_lazy = row->lazy;
  def->takes_literals = takes_literals(key.name);
  def->options.inline_always = row->inlined;
  def->options.inline_never = !row->inlined;
  row->def.store(def.get(), std::memory_order_release);
  return def.release();
}

std::vector<std::string> library_names(const std::string &prefix) {
  find_names_without_gil();
  Registry &all = registry();
  std::lock_guard lock(all.mutex);
  std::vector<std::string> names;
  for (auto row = all.rows.lower_bound(prefix);
       row != all.rows.end() && row->first.name.starts_with(prefix); ++row)
    names.push_back(row->first.name);
  return names;
}

} // namespace numjit
