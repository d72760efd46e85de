// The cache on disk: machine code of one function for one list of argument types, as a file.
//
// A file's name holds the digest of what is known before anything is compiled (cache_key.h). What
// else the code depends on, the file says itself: it has a *script* of the questions that were
// asked of Python while the code was made, with digests of the answers (cache_script.h). Code is
// used only if every question still has the same answer.
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

/// Where entries of a function lie, and how the names of their files begin.
struct CacheHome {
  std::string folder, prefix;
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
  /// False if there is no entry that holds; `take` reads what `give` wrote. Never fails: whatever
  /// is wrong is a miss.
  bool read(const std::function<void(Decoder &)> &take);
  /// Gives back why the code can be of no use to another process; empty if it can.
  std::string write(const std::function<void(Encoder &)> &give);

  FunctionDef &function_;
  std::vector<const Type *> arguments_;
  const Type *result_; ///< declared; null: inferred
  CacheHome home_;
  PythonHost host_; ///< that is asked while it is made or loaded
  Digest key_;
  std::string path_;
  std::unique_ptr<CacheScript> script_;
  std::optional<Digest> identity_; ///< of the file
};

class CacheEntry final : public codegen::RareCode, public CachedCode {
public:
  using CachedCode::CachedCode;

  /// False if there is no entry that holds.
  bool load(Compiled &compiled, const std::shared_ptr<CacheEntry> &self);

  /// What was compiled in place of an entry; without the GIL.
  void made(std::shared_ptr<const tir::Module> module, codegen::Object object);
  /// Writes it. Gives back why the code can be of no use to another process; empty if it can. That
  /// a file cannot be written is no reason.
  std::string store(const Compiled &compiled);

  // --- rare functions: files of their own ---
  std::shared_ptr<const tir::Module> module() override;
  bool find(size_t function, codegen::Object &object) override;
  void keep(size_t function, const codegen::Object &object) override;

private:
  std::string part_path(size_t function) const;
  Digest part_key(size_t function) const;

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
