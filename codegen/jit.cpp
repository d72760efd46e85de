#include "codegen/jit.h"

#include "codegen/symbols.h"
#include "typeinfer/errors.h"

#include <llvm/ExecutionEngine/Orc/AbsoluteSymbols.h>
#include <llvm/ExecutionEngine/Orc/Core.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h>

namespace numjit::codegen {

namespace orc = llvm::orc;

namespace {

/// What ORC reported last in this thread: the error that a lookup gives only says that there was
/// one.
thread_local std::string last_report;

[[noreturn]] void fail(llvm::Error error) {
  std::string text = llvm::toString(std::move(error));
  if (!last_report.empty())
    text += ": " + std::exchange(last_report, "");
  throw InternalError("linking failed: " + text);
}

template <class T>
T check(llvm::Expected<T> result) {
  if (!result)
    fail(result.takeError());
  return std::move(*result);
}
void check(llvm::Error error) {
  if (error)
    fail(std::move(error));
}

/// Finds the functions outside of a module by name, when a module first mentions them.
class Symbols : public orc::DefinitionGenerator {
public:
  llvm::Error tryToGenerate(orc::LookupState &, orc::LookupKind, orc::JITDylib &dylib,
                            orc::JITDylibLookupFlags, const orc::SymbolLookupSet &wanted) override {
    orc::SymbolMap found;
    for (const auto &[name, flags] : wanted)
      if (void *address = symbol_address(*name))
        found[name] = {orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported};
    return found.empty() ? llvm::Error::success()
                         : dylib.define(orc::absoluteSymbols(std::move(found)));
  }
};

/// The one ORC session of the process. Never destroyed: machine code may be dropped at any time
/// until the process ends.
class Session {
public:
  Session()
      : session_(check(orc::SelfExecutorProcessControl::Create(
            nullptr, std::make_unique<orc::InPlaceTaskDispatcher>()))),
        layer_(session_), code_(session_.createBareJITDylib("code")),
        outside_(session_.createBareJITDylib("outside")) {
    // Objects carry symbols (of sections, private constants) that the layer was not told of.
    layer_.setAutoClaimResponsibilityForObjectSymbols(true);
    layer_.setOverrideObjectFlagsWithResponsibilityFlags(true);
    outside_.addGenerator(std::make_unique<Symbols>());
    code_.addToLinkOrder(outside_);
    session_.setErrorReporter(
        [](llvm::Error error) { last_report = llvm::toString(std::move(error)); });
  }

  orc::ResourceTrackerSP add(std::unique_ptr<llvm::MemoryBuffer> object) {
    orc::ResourceTrackerSP tracker = code_.createResourceTracker();
    check(layer_.add(tracker, std::move(object)));
    return tracker;
  }

  void *find(const std::string &name) {
    return check(session_.lookup({&code_}, name)).getAddress().toPtr<void *>();
  }

private:
  orc::ExecutionSession session_;
  orc::ObjectLinkingLayer layer_;
  orc::JITDylib &code_, &outside_;
};

Session &session() {
  static auto *instance = new Session;
  return *instance;
}

class LinkedCode final : public MachineCode {
public:
  LinkedCode(orc::ResourceTrackerSP tracker, size_t bytes)
      : tracker_(std::move(tracker)), bytes_(bytes) {}
  ~LinkedCode() override { llvm::consumeError(tracker_->remove()); }
  Entry entry() const override { return entry_; }
  size_t code_bytes() const override { return bytes_; }
  void set_entry(void *address) { entry_ = reinterpret_cast<Entry>(address); }

private:
  orc::ResourceTrackerSP tracker_;
  size_t bytes_;
  Entry entry_ = nullptr;
};

} // namespace

std::shared_ptr<MachineCode> link(std::unique_ptr<llvm::MemoryBuffer> object,
                                  const std::string &entry) {
  const size_t bytes = object->getBufferSize();
  auto code = std::make_shared<LinkedCode>(session().add(std::move(object)), bytes);
  code->set_entry(session().find(entry));
  return code;
}

} // namespace numjit::codegen
