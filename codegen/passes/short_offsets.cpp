#include "codegen/passes/short_offsets.h"

#include "codegen/passes/pass_result.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Local.h>

#include <numeric>

namespace numjit::codegen {

namespace {

using llvm::Instruction;
using llvm::Value;
namespace patterns = llvm::PatternMatch;

constexpr llvm::StringLiteral kItem = "numjit-small-array", kUsed = "numjit-short-offsets";
/// Offsets with a larger constant are left alone. In bytes, which are not fewer than items (see
/// ArraySlots::kMost).
constexpr int64_t kMostConstant = int64_t{1} << 20;

/// The low 32 bits of numbers of 64.
class ShortNumbers {
public:
  explicit ShortNumbers(llvm::Function &function) : b_(function.getContext()) {}

  /// `value / divisor` (a power of two that divides it whatever its operands are); null if that is
  /// not known of it.
  Value *of(Value *value, uint64_t divisor = 1) {
    auto [place, is_new] = made_.try_emplace({value, divisor}, nullptr);
    if (!is_new)
      return place->second;
    Value *made = make(value, divisor);
    return made_[{value, divisor}] = made;
  }

private:
  llvm::Type *type() { return b_.getInt32Ty(); }

  Value *make(Value *value, uint64_t divisor) {
    if (auto *constant = llvm::dyn_cast<llvm::ConstantInt>(value)) {
      const llvm::APInt &number = constant->getValue();
      if (number.countr_zero() < llvm::Log2_64(divisor))
        return nullptr;
      return b_.getInt(number.ashr(llvm::Log2_64(divisor)).trunc(32));
    }
    if (llvm::isa<llvm::Constant>(value))
      return nullptr;
    Value *x, *y;
    const llvm::APInt *shift;
    if (patterns::match(value, patterns::m_Mul(patterns::m_Value(x), patterns::m_Value(y))))
      return product(value, x, y, divisor);
    if (patterns::match(value, patterns::m_Shl(patterns::m_Value(x), patterns::m_APInt(shift))) &&
        shift->ult(32) && shift->uge(llvm::Log2_64(divisor))) {
      Value *number = of(x);
      if (!number)
        return nullptr;
      place_at(value);
      return b_.CreateShl(number, shift->getZExtValue() - llvm::Log2_64(divisor));
    }
    if ((divisor > 1 || is_for_offsets(value)) &&
        patterns::match(value, patterns::m_AddLike(patterns::m_Value(x), patterns::m_Value(y))))
      return both(value, Instruction::Add, x, y, divisor);
    if ((divisor > 1 || is_for_offsets(value)) &&
        patterns::match(value, patterns::m_Sub(patterns::m_Value(x), patterns::m_Value(y))))
      return both(value, Instruction::Sub, x, y, divisor);
    if (divisor > 1)
      return nullptr;
    if (patterns::match(value, patterns::m_ZExtOrSExt(patterns::m_Value(x))) &&
        x->getType()->isIntegerTy(32))
      return x;
    place_at(value);
    return b_.CreateTrunc(value, type());
  }

  Value *product(Value *value, Value *x, Value *y, uint64_t divisor) {
    Value *first = of(x, divisor), *second = nullptr;
    if (first)
      second = of(y);
    else if ((first = of(y, divisor)))
      second = of(x);
    if (!first || !second)
      return nullptr;
    place_at(value);
    return b_.CreateMul(first, second);
  }

  Value *both(Value *value, Instruction::BinaryOps operation, Value *x, Value *y,
              uint64_t divisor) {
    Value *first = of(x, divisor), *second = first ? of(y, divisor) : nullptr;
    if (!second)
      return nullptr;
    place_at(value);
    return b_.CreateBinOp(operation, first, second);
  }

  /// Whether a sum is computed for offsets only. Of others the last bits are taken, which costs
  /// nothing.
  static bool is_for_offsets(const Value *value) {
    return llvm::all_of(value->users(), [](const llvm::User *user) {
      const auto *instruction = llvm::dyn_cast<Instruction>(user);
      return instruction && (instruction->getOpcode() == Instruction::Mul ||
                             instruction->getOpcode() == Instruction::Shl ||
                             instruction->getOpcode() == Instruction::GetElementPtr);
    });
  }

  /// Where a value is known.
  void place_at(Value *value) {
    if (auto *instruction = llvm::dyn_cast<Instruction>(value))
      b_.SetInsertPoint(*instruction->getInsertionPointAfterDef());
    else
      b_.SetInsertPoint(&*llvm::cast<llvm::Argument>(value)
                              ->getParent()
                              ->getEntryBlock()
                              .getFirstNonPHIOrDbgOrAlloca());
  }

  llvm::IRBuilder<> b_;
  llvm::DenseMap<std::pair<Value *, uint64_t>, Value *> made_;
};

/// Where an access goes: to an item of a small array, from its beginning.
struct Place {
  Value *from = nullptr; ///< the argument, perhaps in another address space
  llvm::SmallVector<std::pair<Value *, llvm::APInt>, 4> terms; ///< numbers, and bytes for each
  llvm::APInt constant{64, 0};                                 ///< bytes
  llvm::Argument *array = nullptr;
  uint64_t item = 0;
};

class Addresses {
public:
  Addresses(llvm::Function &function, llvm::ScalarEvolution &evolution)
      : evolution_(evolution), numbers_(function) {}

  /// The same address, by an offset of 32 bits; the address itself if there is none.
  Value *shortened(Value *address, const llvm::BasicBlock *user) {
    auto *last = llvm::dyn_cast<llvm::GetElementPtrInst>(address);
    if (!last || moves_by_constant(address, user))
      return address;
    auto [place, is_new] = made_.try_emplace(last, last);
    if (is_new)
      if (Value *made = make(*last))
        made_[last] = made;
    return made_[last];
  }

private:
  bool moves_by_constant(Value *address, const llvm::BasicBlock *user) {
    const auto *sequence = llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution_.getSCEV(address));
    return sequence && sequence->getLoop()->contains(user);
  }

  Value *make(llvm::GetElementPtrInst &last) {
    Place place = place_of(last);
    if (!place.array || place.terms.empty() || place.constant.abs().ugt(kMostConstant) ||
        place.from->getType() != last.getType())
      return nullptr;
    // Sums begin with what is common to neighbours: they are then computed once.
    Value *offset = nullptr;
    llvm::IRBuilder<> b(&last);
    for (auto &[number, bytes] : llvm::reverse(place.terms)) {
      Value *term = items(number, bytes, place.item, b);
      if (!term)
        return nullptr;
      offset = offset ? b.CreateAdd(offset, term) : term;
    }
    need_small_array(*place.array);
    llvm::Type *item = llvm::isPowerOf2_64(place.item) && place.item <= 8
                           ? static_cast<llvm::Type *>(b.getIntNTy(8 * place.item))
                           : llvm::ArrayType::get(b.getInt8Ty(), place.item);
    Value *made = b.CreateGEP(item, place.from, b.CreateSExt(offset, b.getInt64Ty()));
    if (!place.constant.isZero())
      made = b.CreateGEP(b.getInt8Ty(), made, b.getInt64(place.constant.getSExtValue()));
    return made;
  }

  /// `number * bytes` in items.
  Value *items(Value *number, const llvm::APInt &bytes, uint64_t item, llvm::IRBuilder<> &b) {
    if (bytes.urem(item) == 0) {
      Value *made = numbers_.of(number);
      const uint64_t factor = bytes.udiv(item).getZExtValue();
      return factor == 1 ? made : b.CreateMul(made, b.getInt32(static_cast<uint32_t>(factor)));
    }
    const uint64_t divisor = item / std::gcd(item, bytes.getZExtValue());
    return llvm::isPowerOf2_64(divisor) && bytes.getZExtValue() * divisor == item
               ? numbers_.of(number, divisor)
               : nullptr;
  }

  /// The whole offset: of the part that a loop adds to a pointer in front of it, which may lie
  /// behind the array (`p + 2 * i` of `a[2 * i - k]`), nothing would be known.
  static Place place_of(llvm::GetElementPtrInst &last) {
    const llvm::DataLayout &layout = last.getDataLayout();
    Place place;
    for (Value *at = &last;;) {
      if (auto *step = llvm::dyn_cast<llvm::GetElementPtrInst>(at)) {
        llvm::SmallMapVector<Value *, llvm::APInt, 4> terms;
        if (!step->collectOffset(layout, 64, terms, place.constant) ||
            llvm::any_of(terms, [](auto &term) { return !term.second.isStrictlyPositive(); }))
          return {};
        for (auto &[number, bytes] : llvm::reverse(terms))
          place.terms.emplace_back(number, bytes);
        place.from = at = step->getPointerOperand();
      } else if (auto *cast = llvm::dyn_cast<llvm::AddrSpaceCastInst>(at)) {
        at = cast->getPointerOperand();
      } else {
        place.array = llvm::dyn_cast<llvm::Argument>(at);
        break;
      }
    }
    if (!place.array || !place.array->hasAttribute(kItem) ||
        place.array->getParent()
            ->getAttributes()
            .getParamAttr(place.array->getArgNo(), kItem)
            .getValueAsString()
            .getAsInteger(10, place.item))
      return {};
    return place;
  }

  llvm::ScalarEvolution &evolution_;
  ShortNumbers numbers_;
  llvm::DenseMap<llvm::GetElementPtrInst *, Value *> made_;
};

} // namespace

void mark_small_array(llvm::Argument &pointer, int64_t item) {
  pointer.getParent()->addParamAttr(
      pointer.getArgNo(), llvm::Attribute::get(pointer.getContext(), kItem, std::to_string(item)));
}

void need_small_array(llvm::Argument &pointer) {
  pointer.getParent()->addParamAttr(pointer.getArgNo(),
                                    llvm::Attribute::get(pointer.getContext(), kUsed));
}

bool needs_small_array(const llvm::Argument &pointer) { return pointer.hasAttribute(kUsed); }

llvm::PreservedAnalyses ShortOffsetsPass::run(llvm::Function &function,
                                              llvm::FunctionAnalysisManager &analyses) {
  if (llvm::none_of(function.args(),
                    [](const llvm::Argument &parameter) { return parameter.hasAttribute(kItem); }))
    return llvm::PreservedAnalyses::all();
  Addresses addresses(function, analyses.getResult<llvm::ScalarEvolutionAnalysis>(function));
  llvm::SmallVector<std::pair<llvm::Use *, Value *>, 16> found;
  for (Instruction &instruction : llvm::instructions(function))
    if (Value *address = llvm::getPointerOperand(&instruction);
        address && !llvm::isa<llvm::GetElementPtrInst>(instruction))
      for (llvm::Use &use : instruction.operands())
        if (use == address)
          found.emplace_back(&use, address);
  llvm::SmallVector<llvm::WeakTrackingVH, 16> replaced;
  for (auto &[use, address] : found) {
    Value *made =
        addresses.shortened(address, llvm::cast<Instruction>(use->getUser())->getParent());
    if (made == address)
      continue;
    use->set(made);
    replaced.emplace_back(address);
  }
  llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(replaced);
  return with_same_flow(!replaced.empty());
}

} // namespace numjit::codegen
