#include "pyext/cache/cache.h"

#include "pyext/cache/cache_key.h"
#include "pyext/cache/cache_script.h"
#include "pyext/cache/entry_header.h"
#include "pyext/cache/shipped.h"
#include "pyext/errors.h"
#include "pyext/read/overloads.h"
#include "typeinfer/errors.h"

#include <atomic>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <random>
#include <unistd.h>

#include <sys/stat.h>

namespace numjit {

namespace {

namespace fs = std::filesystem;

constexpr size_t kLargestEntry = size_t(1) << 30;
constexpr size_t kMostEntries = 64; ///< of one function; the oldest go
constexpr const char *kSuffix = ".njc";

// --- files ---------------------------------------------------------------------------------------

class File {
public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() {
    if (descriptor_ >= 0)
      close(descriptor_);
  }
  File(const File &) = delete;
  File &operator=(const File &) = delete;
  int get() const { return descriptor_; }

private:
  int descriptor_;
};

/// What a file of ours holds behind its header; false if it is none, or not the one with this key.
bool read_checked(const std::string &path, const Digest &key, std::string &content) {
  File file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat facts;
  if (file.get() < 0 || fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode))
    return false;
  const auto size = static_cast<size_t>(facts.st_size);
  if (size > kLargestEntry)
    return false;
  content.resize(size);
  for (size_t done = 0; done < size;) {
    const ssize_t count = read(file.get(), content.data() + done, size - done);
    if (count <= 0)
      return false;
    done += static_cast<size_t>(count);
  }
  return take_header(content, key);
}

std::string unique_suffix() {
  static std::atomic<uint64_t> counter;
  static const uint64_t random = std::random_device()() | uint64_t(std::random_device()()) << 32;
  return "." + std::to_string(getpid()) + "-" + std::to_string(random) + "-" +
         std::to_string(counter++) + ".tmp";
}

/// Readers see the whole file or none. Nothing is said about failure: the entry is then not there.
void write_checked(const std::string &path, const Digest &key, const std::string &content) {
  const std::string all = header_of(key, content) + content;
  const std::string temporary = path + unique_suffix();
  bool written = false;
  {
    File file(open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file.get() < 0)
      return;
    size_t done = 0;
    while (done < all.size()) {
      const ssize_t count = write(file.get(), all.data() + done, all.size() - done);
      if (count <= 0)
        break;
      done += static_cast<size_t>(count);
    }
    written = done == all.size();
  }
  if (!written || rename(temporary.c_str(), path.c_str()) != 0)
    unlink(temporary.c_str());
}

using Aged = std::pair<fs::file_time_type, fs::path>;

/// Deletes the oldest, by the clocks of their writers: what is deleted too early is compiled again.
void drop_oldest(std::vector<Aged> files, size_t count) {
  std::sort(files.begin(), files.end());
  std::error_code error;
  for (size_t i = 0; i < count; ++i)
    fs::remove(files[i].second, error);
}

/// Of the files of one function and of all, the oldest go when there are too many; and what a
/// process that was killed has left half written.
void drop_old_entries(const CacheHome &home) {
  std::vector<Aged> own, all;
  uintmax_t bytes = 0;
  std::error_code error;
  const auto now = fs::file_time_type::clock::now();
  for (fs::directory_iterator each(home.folder, error), end; !error && each != end;
       each.increment(error)) {
    const std::string name = each->path().filename().string();
    const bool is_own = name.starts_with(home.prefix + "-");
    std::error_code gone;
    if (name.find(kSuffix) == name.npos || !(is_own || home.most_bytes > 0))
      continue;
    const auto time = fs::last_write_time(each->path(), gone);
    if (gone)
      continue;
    if (name.ends_with(".tmp")) {
      if (is_own && now - time > std::chrono::hours(1))
        fs::remove(each->path(), gone);
      continue;
    }
    if (is_own)
      own.emplace_back(time, each->path());
    all.emplace_back(time, each->path());
    if (home.most_bytes > 0)
      if (const uintmax_t size = fs::file_size(each->path(), gone); !gone)
        bytes += size;
  }
  if (own.size() > kMostEntries)
    drop_oldest(own, own.size() - kMostEntries);
  // A tenth more than must go, so that not every entry that is written drops one.
  if (home.most_bytes > 0 && bytes > static_cast<uintmax_t>(home.most_bytes)) {
    const double kept = 0.9 * static_cast<double>(home.most_bytes) / static_cast<double>(bytes);
    drop_oldest(all, all.size() - static_cast<size_t>(kept * static_cast<double>(all.size())));
  }
}

// --- content -------------------------------------------------------------------------------------

/// What the typed IR of rare functions must still be when it is made again.
Digest shape_of(const tir::Module &module) {
  Encoder out([](Encoder &, const Object &) {});
  out.number(module.functions.size());
  for (const auto &function : module.functions) {
    out.text(function->name);
    out.number(function->blocks.size());
    for (const tir::Block *block : function->blocks)
      for (const tir::Value *value : block->values) {
        out.number(static_cast<uint64_t>(value->op) | static_cast<uint64_t>(value->scalar_op) << 8);
        out.number(static_cast<uint64_t>(value->index));
        out.number(value->reference ? 0 : static_cast<uint64_t>(value->integer));
        out.real(value->real);
        for (const tir::Value *operand : value->operands)
          out.number(operand->id);
      }
  }
  return digest_of(out.bytes);
}

void write_object_file(Encoder &out, const codegen::Object &object) {
  out.number(object.references.size());
  for (const Reference *reference : object.references) {
    out.text(reference->row->name);
    if (reference->row == &references::c_function) {
      std::string file, symbol;
      if (!find_c_symbol(reference->address, file, symbol))
        throw NotPortable("addresses (dynamic globals such as ctypes pointers)");
      out.text(file);
      out.text(symbol);
      continue;
    }
    out.types(reference->types);
    out.constant(reference->constant);
  }
  out.text(object.file);
}

const Reference *read_c_function(Decoder &in) {
  const std::string file(in.text()), symbol(in.text());
  // Kept open as long as the process lives: code refers to it.
  void *library = dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL);
  void *address = library ? dlsym(library, symbol.c_str()) : nullptr;
  if (!address)
    throw BadBytes("there is no " + symbol + " in " + file);
  return references::make(references::c_function, {},
                          constants::integer(reinterpret_cast<int64_t>(address)));
}

void read_object_file(Decoder &in, codegen::Object &object) {
  for (uint64_t count = in.number_below(1 << 20); count > 0; --count) {
    const ReferenceRow *row = references::row_named(in.text());
    if (!row)
      throw BadBytes("a kind of reference is unknown");
    if (row == &references::c_function) {
      object.references.push_back(read_c_function(in));
      continue;
    }
    std::vector<const Type *> types = in.types();
    object.references.push_back(references::make(*row, std::move(types), in.constant()));
  }
  object.file = in.text();
}

/// With NUMJIT_DEBUG_CACHE (or NUMBA_DEBUG_CACHE) set, says what becomes of entries.
void tell(const std::string &what, const std::string &path, const std::string &why = {}) {
  static const bool wanted = getenv("NUMJIT_DEBUG_CACHE") || getenv("NUMBA_DEBUG_CACHE");
  if (wanted)
    PySys_FormatStdout("[cache] %s '%s'%s%s\n", what.c_str(), path.c_str(), why.empty() ? "" : ": ",
                       why.c_str());
}

} // namespace

CachedCode::CachedCode(FunctionDef &function, std::vector<const Type *> arguments,
                       const Type *result, const CacheHome &home, bool copies_arrays,
                       std::string_view more)
    : function_(function), arguments_(std::move(arguments)), result_(result), home_(home) {
  host_.copies_arrays = copies_arrays;
  host_.shipped = home.folder.empty();
  key_ = digest_of_request(function_, arguments_, result_, host_);
  if (!more.empty())
    key_ = digest_of(key_.hex() + std::string(more));
  path_ =
      home.folder.empty() ? "pickle" : home.folder + "/" + home.prefix + "-" + key_.hex() + kSuffix;
}

CachedCode::~CachedCode() = default;

bool CachedCode::read(const std::function<void(Decoder &)> &take) {
  std::string content;
  if (!find_content(content)) {
    tell("no entry", path_);
    return false;
  }
  try {
    script_ = std::make_unique<CacheScript>(function_, arguments_, result_, host_);
    Decoder in(content, [&](Decoder &from) { return script_->read_object(from); });
    bool same = true;
    for (uint64_t count = in.number(); count > 0; --count) {
      const std::string name(in.text());
      const bool asked = in.number_below(2) != 0; // then their answers follow
      same &= asked || !has_overloads(name);
    }
    same = same && script_->run(in);
    if (!same) {
      tell("stale entry", path_, script_->difference);
      return false;
    }
    identity_ = digest_of(content);
    take(in);
    tell("loaded", path_);
    return true;
  } catch (const PythonError &) {
    tell("unusable entry", path_, exception_text());
  } catch (const std::exception &error) {
    tell("unusable entry", path_, error.what());
  }
  identity_.reset();
  return false;
}

bool CachedCode::find_content(std::string &content) const {
  if (!home_.folder.empty())
    return read_checked(path_, key_, content) ||
           (!home_.installed.empty() &&
            read_checked(home_.installed + path_.substr(home_.folder.size()), key_, content));
  const std::shared_ptr<const std::string> came = shipped_code(key_);
  content = came ? *came : std::string();
  return take_header(content, key_);
}

std::string CachedCode::write(const std::function<void(Encoder &)> &give) {
  std::string content;
  const std::string problem = pack(give, content);
  if (!content.empty()) {
    std::error_code error;
    fs::create_directories(home_.folder, error);
    write_checked(path_, key_, content);
    drop_old_entries(home_);
    tell("saved", path_);
  }
  return problem;
}

std::string CachedCode::pack(const std::function<void(Encoder &)> &give, std::string &content) {
  try {
    if (host_.older_names)
      throw NotPortable("globals that changed since a function that it calls was compiled");
    script_ = std::make_unique<CacheScript>(function_, arguments_, result_, host_);
    script_->write();
    Encoder out([&](Encoder &to, const Object &object) { script_->write_object(to, object); });
    out.number(host_.asked.size());
    for (const auto &[name, any] : host_.asked) {
      out.text(name);
      out.number(any);
    }
    out.bytes += script_->bytes;
    give(out);
    identity_ = digest_of(out.bytes);
    content = std::move(out.bytes);
  } catch (const NotPortable &problem) {
    identity_.reset();
    return problem.what();
  } catch (const PythonError &) {
    tell("not saved", path_, exception_text());
    identity_.reset();
  } catch (const std::exception &error) { // no memory, file systems
    tell("not saved", path_, error.what());
    identity_.reset();
  }
  return {};
}

bool CacheEntry::load(Compiled &compiled, const std::shared_ptr<CacheEntry> &self) {
  const bool loaded = read([&](Decoder &in) {
    compiled.result = in.type();
    compiled.may_run_long = in.number_below(2);
    compiled.lends_gil = in.number_below(2);
    compiled.frees_linked = in.number_below(2);
    shape_ = in.digest();
    read_object_file(in, object_);
    if (!compiled.result || !in.at_end())
      throw BadBytes("it is not what it should be");
    compiled.code = codegen::load_portable(object_, self);
    compiled.loaded = true;
    compiled.snapshot = host_.snapshot();
  });
  object_ = {};
  if (!loaded)
    compiled = {};
  return loaded;
}

void CacheEntry::made(std::shared_ptr<const tir::Module> module, codegen::Object object) {
  module_ = std::move(module);
  object_ = std::move(object);
}

void CacheEntry::give(Encoder &out, const Compiled &compiled) {
  shape_ = shape_of(*module_);
  out.type(compiled.result);
  out.number(compiled.may_run_long);
  out.number(compiled.lends_gil);
  out.number(compiled.frees_linked);
  out.digest(shape_);
  write_object_file(out, object_);
  object_ = {};
}

std::string CacheEntry::store(const Compiled &compiled) {
  return write([&](Encoder &out) { give(out, compiled); });
}

std::string CacheEntry::shipped(const Compiled &compiled) {
  std::string content;
  pack([&](Encoder &out) { give(out, compiled); }, content);
  return content.empty() ? content : header_of(key_, content) + content;
}

std::string CacheEntry::present() const {
  const std::shared_ptr<const std::string> came = shipped_code(key_);
  return came ? *came : std::string();
}

// --- kernels -------------------------------------------------------------------------------------

namespace {

/// Options of a kernel that change its code.
std::string described(const codegen::PtxOptions &options) {
  Encoder out([](Encoder &, const Object &) {});
  for (int64_t number :
       {int64_t(options.major), int64_t(options.minor), int64_t(options.device_function),
        int64_t(options.optimise), int64_t(options.lines), int64_t(options.record_raises),
        int64_t(options.fma), int64_t(options.registers), int64_t(options.block_threads),
        int64_t(options.blocks), int64_t(options.cluster), options.scratch_bytes,
        int64_t(options.heap)})
    out.number(static_cast<uint64_t>(number));
  out.text(options.name);
  out.text(options.suffix);
  std::error_code error; // another libdevice has another size, or another place
  out.text(options.libdevice);
  out.number(static_cast<uint64_t>(fs::file_size(options.libdevice, error)));
  return std::move(out.bytes);
}

} // namespace

KernelEntry::KernelEntry(FunctionDef &function, std::vector<const Type *> arguments,
                         const KernelOptions &options, const CacheHome &home)
    : CachedCode(function, std::move(arguments), options.result, home, /*copies_arrays=*/true,
                 described(options.ptx)) {}

bool KernelEntry::load(CompiledKernel &kernel, std::string &cubin) {
  const bool loaded = read([&](Decoder &in) {
    kernel.result = in.type();
    kernel.ptx.text = in.text();
    kernel.ptx.cooperative = in.number_below(2);
    for (uint64_t count = in.number_below(1 << 16); count > 0; --count)
      kernel.ptx.parameters.push_back(static_cast<uint16_t>(in.number()));
    cubin = in.text();
    if (!kernel.result || !in.at_end())
      throw BadBytes("it is not what it should be");
  });
  if (!loaded)
    kernel = {};
  return loaded;
}

std::string KernelEntry::store(const CompiledKernel &kernel, const std::string &cubin) {
  return write([&](Encoder &out) {
    out.type(kernel.result);
    out.text(kernel.ptx.text);
    out.number(kernel.ptx.cooperative);
    out.number(kernel.ptx.parameters.size());
    for (uint16_t slot : kernel.ptx.parameters)
      out.number(slot);
    out.text(cubin);
  });
}

// --- rare functions ------------------------------------------------------------------------------

std::shared_ptr<const tir::Module> CacheEntry::module() {
  if (!module_) {
    std::shared_ptr<const tir::Module> made =
        infer_module(function_, arguments_, result_, host_.snapshot());
    if (shape_of(*made) != shape_)
      throw InternalError("code from the cache does not fit the typed IR made anew for " +
                          function_.name() + "()");
    module_ = std::move(made);
  }
  return module_;
}

std::string CacheEntry::part_path(size_t function) const {
  return path_.substr(0, path_.size() - std::string(kSuffix).size()) + "." +
         std::to_string(function) + kSuffix;
}

/// Of a rare function of an entry.
static Digest part_key(const Digest &entry, size_t function) {
  return digest_of(entry.hex() + std::to_string(function));
}

bool CacheEntry::find(size_t function, codegen::Object &object) {
  std::string content;
  if (!identity_ || home_.folder.empty() ||
      !read_checked(part_path(function), part_key(*identity_, function), content))
    return false;
  WithGil gil;
  try {
    Decoder in(content, [&](Decoder &from) { return script_->read_object(from); });
    read_object_file(in, object);
    tell("loaded", part_path(function));
    return true;
  } catch (const PythonError &) {
    PyErr_Clear();
  } catch (const std::exception &) { // it is compiled anew
  }
  object = {};
  return false;
}

void CacheEntry::keep(size_t function, const codegen::Object &object) {
  if (!identity_ || home_.folder.empty())
    return;
  WithGil gil;
  try {
    Encoder out([&](Encoder &to, const Object &row) { script_->write_object(to, row); });
    write_object_file(out, object);
    write_checked(part_path(function), part_key(*identity_, function), out.bytes);
    tell("saved", part_path(function));
  } catch (const PythonError &) {
    PyErr_Clear();
  } catch (const std::exception &) { // it is compiled again in the next process
  }
}

} // namespace numjit
