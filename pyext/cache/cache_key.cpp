#include "pyext/cache/cache_key.h"

#include "codegen/compiler.h"
#include "pyext/python.h"
#include "pyext/read/host.h"
#include "typeinfer/infer/builtins.h"
#include "typeinfer/types/codec.h"

#include <algorithm>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <link.h>
#include <map>

namespace numjit {

namespace {

/// Writes constants with all that their objects' rows hold. An object or function met again is
/// written as its number.
class Describer {
public:
  explicit Describer(PythonHost &host) : host_(host) {}

  Encoder out{[this](Encoder &, const Object &object) { describe(object); }};

  void function(const FunctionDef &def) {
    if (met(&def))
      return;
    code(def);
    list(def.defaults);
    for (const auto &[name, value] : def.kwdefaults) {
      out.text(name);
      out.constant(value);
    }
    out.number(def.runtime_closure | def.accepts_lazy << 1 | def.is_library << 2);
    if (is_foreign(def))
      foreign_closure(def);
    else
      list(host_.closure(def));
    options(def.options);
  }

private:
  PythonHost &host_;

  bool met(const void *row) {
    auto [found, is_new] = numbers_.emplace(row, numbers_.size());
    out.number(is_new ? 0 : found->second + 1);
    return !is_new;
  }

  void list(const std::vector<const Const *> &values) {
    out.number(values.size());
    for (const Const *value : values)
      out.constant(value);
  }
  void texts(const std::vector<std::string> &values) {
    out.number(values.size());
    for (const std::string &value : values)
      out.text(value);
  }
  void bytes(const std::vector<uint8_t> &values) {
    out.text({reinterpret_cast<const char *>(values.data()), values.size()});
  }

  /// The file, which errors name. Of a function that was typed in, sessions have different ones,
  /// unless it travels; the package is the same wherever it lies.
  const std::string &file(const FunctionDef &def) const {
    static const std::string nowhere;
    if (host_.shipped)
      return def.is_library ? nowhere : def.code.filename;
    static std::map<std::string, bool> exists; // guarded by the GIL
    auto [found, is_new] = exists.try_emplace(def.code.filename);
    if (std::error_code none; is_new)
      found->second = std::filesystem::exists(def.code.filename, none);
    return found->second ? def.code.filename : nowhere;
  }

  void code(const FunctionDef &def) {
    const Code &code = def.code;
    out.text(code.name);
    out.text(code.qualname);
    out.text(file(def));
    for (int part : {code.minor, code.first_line, code.flags, code.argcount, code.posonlyargcount,
                     code.kwonlyargcount})
      out.number(static_cast<uint64_t>(part));
    bytes(code.bytecode);
    bytes(code.linetable);
    bytes(code.exceptiontable);
    list(code.consts);
    for (const auto *names :
         {&code.names, &code.varnames, &code.cellvars, &code.freevars, &code.localsplus})
      texts(*names);
  }

  void options(const CompileOptions &options) {
    enum Use { Specialises, Own, Unkeyed };
    const auto &[
#define NUMJIT_OPTION(type, field, ...) field,
#include "frontend/compile_options.def"
#undef NUMJIT_OPTION
        locals, signatures] = options;
#define NUMJIT_OPTION(type, field, use, ...)                                                       \
  if (use != Unkeyed)                                                                              \
    out.number(field);
#include "frontend/compile_options.def"
#undef NUMJIT_OPTION
    for (const auto &[name, type] : locals) {
      out.text(name);
      out.type(static_cast<const Type *>(type));
    }
    out.number(signatures.size());
    for (const DeclaredSignature &signature : signatures) {
      out.number(signature.arguments.size());
      for (const void *type : signature.arguments)
        out.type(static_cast<const Type *>(type));
      out.number(signature.result != nullptr);
      if (signature.result)
        out.type(static_cast<const Type *>(signature.result));
    }
  }

  /// The covers of C functions (library/core/foreign.py) hold an address, which is another one in
  /// every process.
  static bool is_foreign(const FunctionDef &def) {
    return def.handle && text_of(PyFunction_GetModule(static_cast<PyObject *>(def.handle))) ==
                             "numjit.library.core.foreign";
  }

  void foreign_closure(const FunctionDef &def) {
    for (const Const *value : host_.closure(def)) {
      std::string file, symbol;
      if (value && value->kind == ConstKind::Int &&
          find_c_symbol(reinterpret_cast<void *>(value->integer), file, symbol)) {
        out.text(file);
        out.text(symbol);
      } else {
        out.constant(value);
      }
    }
  }

  // A new member is something that code may depend on: describe it below.
  static_assert(sizeof(Object) == 184 && sizeof(ArrayData) == 96);

  void items(const Object &array) {
    const Fact fact = fact_of(constants::object(&array));
    if (!fact.type)
      return; // the compiler cannot read them either
    int64_t bytes = item_size(fact.type->dtype());
    const void *data = contiguous_items(*array.array, bytes);
    for (int64_t n : array.array->shape)
      bytes *= n;
    out.digest(digest_of({static_cast<const char *>(data), static_cast<size_t>(bytes)}));
  }

  void describe(const Object &object) {
    if (met(&object))
      return;
    out.number(static_cast<uint64_t>(object.kind));
    out.text(object.name);
    texts(object.fields);
    list(object.field_defaults);
    out.type(static_cast<const Type *>(object.type));
    if (object.array) {
      const ArrayData &array = *object.array;
      out.text(array.dtype);
      for (const auto *numbers : {&array.shape, &array.strides})
        for (int64_t number : *numbers)
          out.number(static_cast<uint64_t>(number));
      out.number(static_cast<unsigned char>(array.layout) | array.unaligned << 8);
      if (array.on_device) // of which the code has the address
        out.number(reinterpret_cast<uint64_t>(array.data));
      else if (host_.copies_arrays) // else its items are read when the code runs
        items(object);
    }
    out.number(object.members.size());
    for (const auto &[name, value] : object.members) {
      out.text(name);
      out.constant(value);
    }
    out.constant(object.parent ? constants::object(object.parent) : nullptr);
    out.constant(object.value);
    out.number(static_cast<uint64_t>(object.number));
    out.number(object.is_int | object.is_flag << 1 | object.has_eq << 2 | object.has_order << 3 |
               object.is_frozen << 4);
    if (object.kind == ObjectKind::DataClass || object.kind == ObjectKind::JitClass)
      annotations(static_cast<PyObject *>(object.handle));
    if (object.kind == ObjectKind::ExceptionClass)
      ancestors(static_cast<PyObject *>(object.handle));
    if (object.function)
      function(*object.function);
  }

  /// What the types of fields are made from, and the type of a program that a class is made for.
  void annotations(PyObject *cls) {
    Ref fields = attribute_or_null(cls, "__annotations__");
    out.text(fields ? text_of(Ref(PyObject_Repr(fields.get())).get()) : "");
    Ref type = attribute_or_null(cls, "_numjit_type_"), text;
    if (type) {
      Ref module(PyImport_ImportModule("numjit.pickling"));
      text = Ref(module ? PyObject_CallMethod(module.get(), "identity", "O", type.get()) : nullptr);
    }
    out.text(text ? text_of(text.get()) : "");
    PyErr_Clear();
  }

  void ancestors(PyObject *cls) {
    PyObject *list = reinterpret_cast<PyTypeObject *>(cls)->tp_mro;
    for (Py_ssize_t i = 0; list && i < PyTuple_GET_SIZE(list); ++i) {
      PyObject *each = PyTuple_GET_ITEM(list, i);
      out.text(text_attribute(each, "__module__"));
      out.text(text_attribute(each, "__qualname__"));
    }
  }

  std::map<const void *, size_t> numbers_;
};

// --- what all entries depend on ------------------------------------------------------------------

/// The linker's digest of our own file.
std::string build_identity() {
  std::string found;
  auto look = [](dl_phdr_info *object, size_t, void *result) {
    const auto here = reinterpret_cast<ElfW(Addr)>(&build_identity);
    bool ours = false;
    for (int i = 0; i < object->dlpi_phnum; ++i) {
      const auto &part = object->dlpi_phdr[i];
      const ElfW(Addr) start = object->dlpi_addr + part.p_vaddr;
      ours |= part.p_type == PT_LOAD && here >= start && here < start + part.p_memsz;
    }
    for (int i = 0; ours && i < object->dlpi_phnum; ++i) {
      const auto &part = object->dlpi_phdr[i];
      if (part.p_type != PT_NOTE)
        continue;
      auto *at = reinterpret_cast<const char *>(object->dlpi_addr + part.p_vaddr);
      for (const char *end = at + part.p_memsz; at + sizeof(ElfW(Nhdr)) <= end;) {
        auto *note = reinterpret_cast<const ElfW(Nhdr) *>(at);
        const char *name = at + sizeof *note;
        const char *data = name + (note->n_namesz + 3) / 4 * 4;
        if (note->n_type == NT_GNU_BUILD_ID)
          static_cast<std::string *>(result)->assign(data, note->n_descsz);
        at = data + (note->n_descsz + 3) / 4 * 4;
      }
    }
    return static_cast<int>(ours);
  };
  dl_iterate_phdr(look, &found);
  return found;
}

/// The Python files of the package: what the library says is compiled with every function.
std::string package_text() {
  namespace fs = std::filesystem;
  Dl_info self;
  if (!dladdr(reinterpret_cast<void *>(&package_text), &self) || !self.dli_fname)
    return {};
  std::vector<fs::path> files;
  std::error_code error;
  const fs::path folder = fs::path(self.dli_fname).parent_path();
  for (fs::recursive_directory_iterator each(folder, error), end; !error && each != end;
       each.increment(error))
    if (each->path().extension() == ".py")
      files.push_back(each->path());
  std::sort(files.begin(), files.end());
  std::string all;
  for (const fs::path &path : files) {
    all += path.lexically_relative(folder).string();
    all += '\0';
    std::ifstream stream(path, std::ios::binary);
    all.append(std::istreambuf_iterator<char>(stream), {});
  }
  return all;
}

const Digest &environment_digest() {
  static const Digest digest = [] {
    std::string all = "entry 1\n" + build_identity() + codegen::machine_description();
    all += digest_of(package_text()).hex() + Py_GetVersion();
    all += text_attribute(Ref(PyImport_ImportModule("numpy")).get(), "__version__");
    return digest_of(all);
  }();
  return digest;
}

} // namespace

Digest digest_of_constant(const Const *constant, PythonHost &host) {
  Describer describer(host);
  describer.out.constant(constant);
  return digest_of(describer.out.bytes);
}

Digest digest_of_function(const FunctionDef &function, PythonHost &host) {
  Describer describer(host);
  describer.function(function);
  return digest_of(describer.out.bytes);
}

void prepare_keys() { environment_digest(); }

Digest digest_of_request(const FunctionDef &function, const std::vector<const Type *> &arguments,
                         const Type *result, PythonHost &host) {
  Describer describer(host);
  describer.out.digest(environment_digest());
  describer.function(function);
  describer.out.types(arguments);
  describer.out.type(result);
  return digest_of(describer.out.bytes);
}

bool find_c_symbol(const void *address, std::string &file, std::string &symbol) {
  Dl_info found;
  if (!address || !dladdr(address, &found) || !found.dli_sname || found.dli_saddr != address)
    return false;
  file = found.dli_fname;
  symbol = found.dli_sname;
  return true;
}

} // namespace numjit
