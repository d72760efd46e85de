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

#include <optional>

namespace numjit {

class CacheScript;

/// Where entries of a function lie, and how the names of their files begin.
struct CacheHome {
  std::string folder, prefix;
};

class CacheEntry final : public codegen::RareCode {
public:
  /// Needs the GIL, as do load and store.
  CacheEntry(FunctionDef &function, std::vector<const Type *> arguments, const Type *result,
             const CacheHome &home);
  ~CacheEntry() override;

  /// False if there is no entry that holds. Never fails: whatever is wrong is a miss.
  bool load(Compiled &compiled, const std::shared_ptr<CacheEntry> &self);

  /// What was compiled in place of an entry; without the GIL.
  void made(std::shared_ptr<const tir::Module> module, codegen::Object object);
  PythonHost &host() { return host_; }
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

  FunctionDef &function_;
  std::vector<const Type *> arguments_;
  const Type *result_; ///< declared; null: inferred
  CacheHome home_;
  PythonHost host_; ///< that is asked while it is made or loaded
  Digest key_;
  std::string path_;

  std::unique_ptr<CacheScript> script_;
  std::shared_ptr<const tir::Module> module_;
  codegen::Object object_;
  Digest shape_;                   ///< of the typed IR
  std::optional<Digest> identity_; ///< of the file
};

} // namespace numjit
