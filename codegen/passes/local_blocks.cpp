#include "codegen/passes/local_blocks.h"

#include "codegen/passes/block_makers.h"
#include "codegen/passes/block_uses.h"
#include "codegen/passes/paired_counts.h"
#include "codegen/passes/runtime_calls.h"
#include "runtime/runtime.h"
#include "runtime/simulator.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include <cstddef>
#include <optional>

namespace numjit::codegen {

namespace {

using llvm::Instruction;
using llvm::Value;

enum class Contents : uint8_t { Bytes, List, Instance };

/// A function that makes blocks.
struct Maker {
  const char *name;
  Contents contents;
  uint64_t header, align;
  uint64_t most_bytes; ///< that a local variable may take
};
constexpr Maker kMakers[] = {
    {kNewBlock, Contents::Bytes, NJ_PAYLOAD_OFFSET, NJ_PAYLOAD_OFFSET, kMostBytes},
    {kNewList, Contents::List, NJ_PAYLOAD_OFFSET, NJ_PAYLOAD_OFFSET, kMostBytes},
    {kNewInstance, Contents::Instance, NJ_PAYLOAD_OFFSET, NJ_PAYLOAD_OFFSET, kMostBytes},
    {kNewScratchBlock, Contents::Bytes, NJ_SCRATCH_HEADER, NJ_SCRATCH_ALIGN, kMostBytesOfKernels},
};
constexpr int kRounds = 4; ///< an array made from a list is known once that is
/// Owners in one block, and places where it is released: each of these releases each of those.
constexpr size_t kMostOwners = 8, kMostReleases = 8;

const Maker *maker_of(const llvm::CallInst &call) {
  const llvm::Function *callee = call.getCalledFunction();
  if (!callee)
    return nullptr;
  for (const Maker &maker : kMakers)
    if (callee->getName() == maker.name)
      return maker.contents == Contents::Bytes || call.hasFnAttr(kOwnerOffsets) ? &maker : nullptr;
  return nullptr;
}

/// Bytes of the items (of a list) or of the payload; nothing if they are not known or too many.
std::optional<uint64_t> known_bytes(const Maker &maker, const llvm::CallInst &call) {
  const auto *first = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(0));
  if (!first)
    return std::nullopt;
  const int64_t wanted = first->getSExtValue(), limit = static_cast<int64_t>(maker.most_bytes);
  if (maker.contents != Contents::List)
    return wanted >= 0 && wanted <= limit ? std::optional<uint64_t>(wanted) : std::nullopt;
  const auto *size = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(1));
  const int64_t length = std::max<int64_t>(wanted, 0);
  if (!size || length > limit || size->getSExtValue() > limit)
    return std::nullopt;
  const int64_t bytes = length * size->getSExtValue();
  return bytes <= limit ? std::optional<uint64_t>(bytes) : std::nullopt;
}

/// Where owners are in the items (of a list) or the payload.
llvm::SmallVector<uint64_t, 8> owners_in(const Maker &maker, const llvm::CallInst &call) {
  llvm::SmallVector<uint64_t, 8> offsets;
  if (maker.contents == Contents::Bytes)
    return offsets;
  llvm::SmallVector<llvm::StringRef, 8> texts;
  call.getFnAttr(kOwnerOffsets).getValueAsString().split(texts, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef text : texts) {
    uint64_t offset = 0;
    if (!text.getAsInteger(10, offset))
      offsets.push_back(offset + (maker.contents == Contents::Instance ? sizeof(nj_instance) : 0));
  }
  return offsets;
}

/// Whether loads, stores, locks and comparisons are all that happens to a block; `counts` are its
/// retains and releases. A phi may mix the blocks of two iterations, which a variable cannot be
/// both.
bool stays_here(llvm::CallInst &block, llvm::SmallVectorImpl<Instruction *> &counts) {
  llvm::SmallVector<llvm::Use *, 16> uses;
  if (!collect_uses(block, uses))
    return false;
  for (llvm::Use *use : uses) {
    if (llvm::isa<llvm::PHINode>(use->getUser()))
      return false;
    if (is_call_of(use->getUser(), kCounting))
      counts.push_back(llvm::cast<Instruction>(use->getUser()));
  }
  return true;
}

llvm::StringRef name_of(const Instruction *count) {
  return llvm::cast<llvm::CallInst>(count)->getCalledFunction()->getName();
}

class LocalBlocks {
public:
  explicit LocalBlocks(llvm::Function &function) : function_(function), b_(function.getContext()) {}

  /// True if any block became a variable.
  bool run() {
    llvm::SmallVector<llvm::CallInst *, 8> calls;
    for (Instruction &instruction : llvm::instructions(function_))
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction); call && maker_of(*call))
        calls.push_back(call);
    bool changed = drop_locks();
    for (llvm::CallInst *call : calls) {
      const Maker &maker = *maker_of(*call);
      const std::optional<uint64_t> bytes = known_bytes(maker, *call);
      llvm::SmallVector<Instruction *, 8> counts;
      if (!bytes || used_ + *bytes > kMostOfFunction || !stays_here(*call, counts))
        continue;
      const llvm::SmallVector<uint64_t, 8> owners = owners_in(maker, *call);
      if (!owners.empty() && !can_release(maker, *call, owners.size(), counts))
        continue;
      used_ += *bytes;
      b_.SetInsertPoint(call);
      Value *block = make(maker, *call, *bytes);
      for (Instruction *count : counts) {
        if (!owners.empty())
          release_contents(maker, *call, block, owners, llvm::cast<llvm::CallInst>(*count));
        count->eraseFromParent();
      }
      drop_null_tests(*call);
      call->replaceAllUsesWith(block);
      call->eraseFromParent();
      changed = true;
    }
    return changed;
  }

private:
  /// What lies in a local variable no other thread replaces.
  bool drop_locks() {
    bool changed = false;
    for (Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function_)))
      if (is_lock(&instruction) && llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(
                                       llvm::cast<llvm::CallInst>(instruction).getArgOperand(0)))) {
        instruction.eraseFromParent();
        changed = true;
      }
    return changed;
  }

  Value *make(const Maker &maker, llvm::CallInst &call, uint64_t bytes) {
    switch (maker.contents) {
    case Contents::Bytes: {
      Value *block = variable(maker.header + bytes, maker.align);
      if (auto *zeroed = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(1));
          !zeroed || zeroed->isOne())
        clear(at(block, maker.header), bytes, maker.align);
      return block;
    }
    case Contents::Instance: {
      Value *block = variable(maker.header + bytes, maker.align);
      clear(at(block, maker.header), bytes, maker.align);
      put(call.getArgOperand(1), at(block, maker.header + offsetof(nj_instance, item)));
      return block;
    }
    case Contents::List: {
      Value *block = variable(maker.header + sizeof(nj_list), maker.align);
      Value *list = at(block, maker.header);
      Value *data = variable(std::max<uint64_t>(bytes, 1), maker.align);
      clear(data, bytes, maker.align);
      const auto *length = llvm::cast<llvm::ConstantInt>(call.getArgOperand(0));
      Value *items = b_.getInt64(std::max<int64_t>(length->getSExtValue(), 0));
      put(items, at(list, offsetof(nj_list, length)));
      put(items, at(list, offsetof(nj_list, capacity)));
      put(data, at(list, offsetof(nj_list, data)));
      put(b_.getInt64(0), at(list, offsetof(nj_list, dirty)));
      put(call.getArgOperand(2), at(list, offsetof(nj_list, item)));
      put(b_.getInt64(0), at(list, offsetof(nj_list, front)));
      return block;
    }
    }
    llvm_unreachable("contents");
  }

  /// Whether what a block holds can be released where the block is. Without retains each path
  /// leads to one release.
  static bool can_release(const Maker &maker, const llvm::CallInst &call, size_t owners,
                          llvm::ArrayRef<Instruction *> counts) {
    if (maker.contents == Contents::List)
      owners *= llvm::cast<llvm::ConstantInt>(call.getArgOperand(0))->getLimitedValue();
    return owners <= kMostOwners && counts.size() <= kMostReleases &&
           llvm::all_of(counts,
                        [](const Instruction *count) { return name_of(count) == "nj_release"; });
  }

  /// Releases what a block holds, in front of the release of the block.
  void release_contents(const Maker &maker, const llvm::CallInst &call, Value *block,
                        llvm::ArrayRef<uint64_t> owners, llvm::CallInst &release) {
    b_.SetInsertPoint(&release);
    Value *payload = at(block, maker.header);
    auto give_up = [&](Value *owner) { b_.CreateCall(release.getCalledFunction(), {owner}); };
    if (maker.contents == Contents::Instance) {
      for (uint64_t offset : owners)
        give_up(b_.CreateAlignedLoad(b_.getPtrTy(), at(payload, offset), llvm::Align(8)));
      return;
    }
    const uint64_t items = llvm::cast<llvm::ConstantInt>(call.getArgOperand(0))->getLimitedValue();
    const uint64_t size = llvm::cast<llvm::ConstantInt>(call.getArgOperand(1))->getZExtValue();
    Value *length = b_.CreateAlignedLoad(b_.getInt64Ty(), at(payload, offsetof(nj_list, length)),
                                         llvm::Align(8));
    Value *data =
        b_.CreateAlignedLoad(b_.getPtrTy(), at(payload, offsetof(nj_list, data)), llvm::Align(8));
    for (uint64_t i = 0; i < items; ++i)
      for (uint64_t offset : owners) {
        Value *owner =
            b_.CreateAlignedLoad(b_.getPtrTy(), at(data, i * size + offset), llvm::Align(8));
        Value *there = b_.CreateICmpULT(b_.getInt64(i), length); // items may have been removed
        give_up(b_.CreateSelect(there, owner, llvm::ConstantPointerNull::get(b_.getPtrTy())));
      }
  }

  /// A variable is not null; and SROA leaves variables alone that are compared.
  void drop_null_tests(llvm::CallInst &call) {
    for (llvm::User *user : llvm::make_early_inc_range(call.users())) {
      auto *test = llvm::dyn_cast<llvm::ICmpInst>(user);
      if (!test || !test->isEquality() ||
          !llvm::isa<llvm::ConstantPointerNull>(test->getOperand(1)))
        continue;
      test->replaceAllUsesWith(b_.getInt1(test->getPredicate() == llvm::ICmpInst::ICMP_NE));
      test->eraseFromParent();
    }
  }

  Value *variable(uint64_t bytes, uint64_t align) {
    llvm::BasicBlock &entry = function_.getEntryBlock();
    llvm::IRBuilder<> b(&entry, entry.begin());
    llvm::AllocaInst *memory = b.CreateAlloca(llvm::ArrayType::get(b.getInt8Ty(), bytes));
    memory->setAlignment(llvm::Align(align));
    return memory;
  }
  Value *at(Value *base, uint64_t offset) {
    return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), base, offset);
  }
  void put(Value *value, Value *pointer) { b_.CreateAlignedStore(value, pointer, llvm::Align(8)); }
  void clear(Value *memory, uint64_t bytes, uint64_t align) {
    if (bytes)
      b_.CreateMemSet(memory, b_.getInt8(0), bytes, llvm::Align(align));
  }

  llvm::Function &function_;
  llvm::IRBuilder<> b_;
  uint64_t used_ = 0; ///< bytes of variables so far
};

} // namespace

llvm::PreservedAnalyses LocalBlocksPass::run(llvm::Function &function,
                                             llvm::FunctionAnalysisManager &analyses) {
  LocalBlocks blocks(function);
  bool changed = false;
  for (int round = 0; round < kRounds && blocks.run(); ++round) {
    changed = true;
    analyses.invalidate(function, llvm::PreservedAnalyses::none());
    llvm::FunctionPassManager cleanup;
    cleanup.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    cleanup.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
    cleanup.addPass(llvm::SimplifyCFGPass());
    cleanup.addPass(llvm::InstCombinePass(llvm::InstCombineOptions().setVerifyFixpoint(false)));
    cleanup.addPass(PairedCountsPass());
    cleanup.run(function, analyses);
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace numjit::codegen
