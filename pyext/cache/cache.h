// The cache on disk: machine code of one function for one list of argument types, as a file.
//
// A file's name holds the digest of what is known before anything is compiled (cache_key.h). What
// else the code depends on is in the file: a *script* of the names and attributes that were read
// while the code was made, with digests of their values (cache_script.h). The code is used only if
// all of them still have the same values.
#pragma once

#include "frontend/digest.h"
#include "pyext/compiled.h"
#include "pyext/read/host.h"

#include <functional>
#include <optional>

namespace numjit {

class CacheScript;
class Decoder;
class Encoder;

/// Where entries of a function lie, and how the names of their files begin. Without a folder it is
/// what pickles bring and take (shipped.h): files of sources are then those of whoever made the
/// function, whether they exist here or not.
struct CacheHome {
  std::string folder, prefix;
  std::string installed{}; ///< a folder that is only read: what came with a package; or empty
  int64_t most_bytes = 0;  ///< of all entries in the folder; 0: no limit
};

/// What entries of functions and of kernels share: the file, and the script in it.
class CachedCode {
public:
  /// Needs the GIL, as do load and store. `copies_arrays`: the code holds the items of global
  /// arrays; `more`: what it depends on beside the function and the types.
  CachedCode(FunctionDef &function, std::vector<const Type *> arguments, const Type *result,
             const CacheHome &home, bool copies_arrays = false, std::string_view more = {});
  ~CachedCode();

  PythonHost &host() { return host_; }

protected:
  /// False if there is no valid entry; `take` reads what `give` wrote. Never fails: an invalid
  /// entry is a miss.
  bool read(const std::function<void(Decoder &)> &take);
  /// Returns why other processes cannot use the code; empty if they can.
  std::string write(const std::function<void(Encoder &)> &give);
  /// The same as `content`, which is empty if other processes cannot use the code.
  std::string pack(const std::function<void(Encoder &)> &give, std::string &content);

  FunctionDef &function_;
  std::vector<const Type *> arguments_;
  const Type *result_; ///< declared; null: inferred
  CacheHome home_;
  PythonHost host_; ///< that is asked while it is made or loaded
  Digest key_;
  std::string path_;
  std::unique_ptr<CacheScript> script_;
  std::optional<Digest> identity_; ///< of the file

private:
  bool find_content(std::string &content) const;
};

class CacheEntry final : public codegen::RareCode, public CachedCode {
public:
  using CachedCode::CachedCode;

  /// False if there is no valid entry.
  bool load(Compiled &compiled, const std::shared_ptr<CacheEntry> &self);

  /// What was compiled in place of an entry; without the GIL.
  void made(std::shared_ptr<const tir::Module> module, codegen::Object object);
  /// Writes it. Returns why other processes cannot use the code; empty if they can, also if the
  /// file could not be written.
  std::string store(const Compiled &compiled);
  /// What store would write, for a pickle; empty if it can be of no use there.
  std::string shipped(const Compiled &compiled);
  /// The same of an entry that came with a pickle; empty if none did.
  std::string present() const;

  /// Numbers of rare functions that are compiled with the others.
  std::vector<size_t> called;

  // --- rare functions: files of their own ---
  std::shared_ptr<const tir::Module> module() override;
  bool find(size_t function, codegen::Object &object) override;
  void keep(size_t function, const codegen::Object &object) override;

private:
  void give(Encoder &out, const Compiled &compiled);
  std::string part_path(size_t function) const;

  std::shared_ptr<const tir::Module> module_;
  codegen::Object object_;
  Digest shape_; ///< of the typed IR
};

/// A kernel of a GPU: PTX, and what the driver made of it.
class KernelEntry final : public CachedCode {
public:
  KernelEntry(FunctionDef &function, std::vector<const Type *> arguments,
              const KernelOptions &options, const CacheHome &home);

  bool load(CompiledKernel &kernel, std::string &cubin);
  std::string store(const CompiledKernel &kernel, const std::string &cubin);
};

} // namespace numjit
