#include "codegen/passes/remarks.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>

namespace numjit::codegen {

namespace {

/// Passes whose remarks say something about the program rather than about LLVM.
bool is_told(llvm::StringRef pass) {
  return pass == "loop-vectorize" || pass == "inline" || pass == "loop-unroll" ||
         pass == "loop-unroll-full";
}

std::string places_of(const llvm::DILocation *location) {
  std::string text;
  for (; location; location = location->getInlinedAt()) {
    const llvm::DISubprogram *function = location->getScope()->getSubprogram();
    if (!text.empty())
      text += ';';
    if (!location->getDirectory().empty())
      text += (location->getDirectory() + "/").str();
    text += location->getFilename().str() + '|' + std::to_string(location->getLine()) + '|' +
            std::to_string(location->getColumn()) + '|' +
            (function ? function->getName().str() : std::string());
  }
  return text;
}

/// The place that a remark is about: that of the block it names, with the calls that it was inlined
/// by, which the remark itself does not hold.
std::string places_of(const llvm::DiagnosticInfoIROptimization &remark) {
  const llvm::DiagnosticLocation where = remark.getLocation();
  const auto is_there = [&](const llvm::Instruction &each) {
    const llvm::DebugLoc &location = each.getDebugLoc();
    return location && location.getLine() == where.getLine() &&
           location.getCol() == where.getColumn();
  };
  for (const llvm::Instruction &each : llvm::instructions(remark.getFunction()))
    if (is_there(each))
      return places_of(each.getDebugLoc().get());
  if (!where.isValid())
    return {};
  return where.getAbsolutePath() + '|' + std::to_string(where.getLine()) + '|' +
         std::to_string(where.getColumn()) + '|' + remark.getFunction().getName().str();
}

const char *kind_of(const llvm::DiagnosticInfo &remark) {
  switch (remark.getKind()) {
  case llvm::DK_OptimizationRemark: return "passed";
  case llvm::DK_OptimizationRemarkMissed: return "missed";
  default: return "analysis";
  }
}

class Listener final : public llvm::DiagnosticHandler {
public:
  explicit Listener(std::shared_ptr<std::vector<std::string>> found) : found_(std::move(found)) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    const auto *remark = llvm::dyn_cast<llvm::DiagnosticInfoIROptimization>(&info);
    if (!remark)
      return false;
    if (!is_told(remark->getPassName()))
      return true;
    std::string message = remark->getMsg();
    std::replace(message.begin(), message.end(), '\n', ' ');
    std::string line = "remark\t" + remark->getPassName().str() + '\t' +
                       remark->getRemarkName().str() + '\t' + kind_of(*remark) + '\t' +
                       places_of(*remark) + '\t' + message;
    found_->push_back(std::move(line));
    return true;
  }
  bool isAnalysisRemarkEnabled(llvm::StringRef pass) const override { return is_told(pass); }
  bool isMissedOptRemarkEnabled(llvm::StringRef pass) const override { return is_told(pass); }
  bool isPassedOptRemarkEnabled(llvm::StringRef pass) const override { return is_told(pass); }
  bool isAnyRemarkEnabled() const override { return true; }

private:
  std::shared_ptr<std::vector<std::string>> found_;
};

bool has_vectors(const llvm::Loop &loop) {
  for (const llvm::BasicBlock *block : loop.blocks())
    for (const llvm::Instruction &each : *block)
      if (each.getType()->isVectorTy() ||
          (llvm::isa<llvm::StoreInst>(each) && each.getOperand(0)->getType()->isVectorTy()))
        return true;
  return false;
}

void describe(const llvm::Function &function, llvm::raw_ostream &out) {
  llvm::DominatorTree tree(const_cast<llvm::Function &>(function));
  llvm::LoopInfo loops(tree);
  for (const llvm::Loop *loop : loops.getLoopsInPreorder())
    out << "loop\t" << places_of(loop->getStartLoc().get()) << '\t' << loop->getLoopDepth() << '\t'
        << (has_vectors(*loop) ? "vector" : "scalar") << '\n';
  for (const llvm::BasicBlock &block : function)
    for (const llvm::Instruction &each : block)
      if (const auto *call = llvm::dyn_cast<llvm::CallBase>(&each))
        if (const llvm::Function *callee = call->getCalledFunction();
            callee && (!callee->isIntrinsic() || llvm::isa<llvm::MemIntrinsic>(call)))
          out << "call\t" << places_of(call->getDebugLoc().get()) << '\t'
              << loops.getLoopDepth(&block) << '\t' << callee->getName() << '\n';
}

} // namespace

Remarks::Remarks(llvm::LLVMContext &context)
    : found_(std::make_shared<std::vector<std::string>>()) {
  context.setDiagnosticHandler(std::make_unique<Listener>(found_));
}

std::string Remarks::text(const llvm::Module &module) const {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (const std::string &each : *found_)
    out << each << '\n';
  for (const llvm::Function &function : module)
    if (!function.isDeclaration())
      describe(function, out);
  return text;
}

} // namespace numjit::codegen
