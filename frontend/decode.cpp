#include "frontend/decode.h"

#include "frontend/code_tables.h"
#include "frontend/opcodes.h"

#include <algorithm>
#include <utility>

namespace numjit {

namespace refusals {
const std::string invalid_bytecode = "damaged bytecode";
const std::string unknown_version = "bytecode of this Python version is not known";
} // namespace refusals

namespace {

/// More items than this on the stack are damage, not a program.
constexpr uint32_t max_count = 1 << 16;

class Decoder {
public:
  explicit Decoder(const Code &code)
      : code_(code), table_(opcode_table(code.minor)), units_(code.bytecode.size() / 2) {}

  Bytecode run() {
    out_.variables = code_.localsplus;
    out_.end_free = static_cast<int32_t>(code_.localsplus.size());
    out_.first_free = std::max(0, out_.end_free - static_cast<int32_t>(code_.freevars.size()));
    out_.size = static_cast<int32_t>(code_.bytecode.size());
    if (!table_) {
      refuse(refusals::unknown_version);
      return std::move(out_);
    }
    positions_ = decode_positions(code_);
    index_of_unit_.assign(units_ + 1, -1);
    out_.code.reserve(units_ + 1);
    decode_units();
    index_of_unit_[units_] = static_cast<int32_t>(out_.code.size());
    refuse(refusals::invalid_bytecode); // running past the end
    resolve_targets();
    drop_double_negation();
    drop_builtin_guards();
    decode_ranges();
    return std::move(out_);
  }

private:
  void decode_units() {
    uint32_t argument = 0;
    size_t first_unit = 0; // of this instruction's prefixes
    bool in_prefix = false;
    for (size_t unit = 0; unit < units_;) {
      const OpcodeRow &row = (*table_)[code_.bytecode[unit * 2]];
      argument = (argument << 8) | code_.bytecode[unit * 2 + 1];
      if (!in_prefix)
        first_unit = unit;
      // A jump leads to the first prefix; the instruction itself is known by both places.
      index_of_unit_[unit] = static_cast<int32_t>(out_.code.size());
      if (row.name && row.form == OpcodeForm::Prefix) {
        in_prefix = true;
        ++unit;
        continue;
      }
      offset_ = static_cast<int32_t>(first_unit * 2);
      position_ = positions_[unit];
      next_unit_ = unit + 1 + (row.name ? row.caches : 0);
      if (row.name)
        expand(row, argument);
      else
        refuse(refusals::invalid_bytecode);
      unit = next_unit_;
      argument = 0;
      in_prefix = false;
    }
  }

  Instruction &add(Opcode op, Operator oper = Operator::Add) {
    Instruction &instruction = out_.code.emplace_back();
    instruction.op = op;
    instruction.oper = oper;
    instruction.offset = offset_;
    instruction.position = position_;
    return instruction;
  }

  void refuse(const std::string &text) { add(Opcode::Unsupported).name = &text; }

  /// Adds what one CPython instruction does.
  void expand(const OpcodeRow &row, uint32_t argument) {
    if (row.form == OpcodeForm::KeywordNames) {
      keyword_names_ = constant(argument);
      return;
    }
    if (row.first == Opcode::Nop)
      return;
    if (row.first == Opcode::Unsupported && row.refusal)
      return refuse(*row.refusal);
    switch (row.form) {
    case OpcodeForm::Plain:
    case OpcodeForm::Zero:
    case OpcodeForm::WithSpec:
    case OpcodeForm::FormatFlags:
    case OpcodeForm::KeywordsOrNull:
    case OpcodeForm::Starred: return expand_count(row, argument);
    case OpcodeForm::Prefix:
    case OpcodeForm::KeywordNames: return;
    case OpcodeForm::Constant:
      if (const Const *value = constant(argument))
        add(row.first).constant = value;
      else
        return refuse(refusals::invalid_bytecode);
      break;
    case OpcodeForm::SmallInt: add(row.first).constant = constants::integer(argument); break;
    case OpcodeForm::CommonConstant: return common_constant(row, argument);
    case OpcodeForm::Variable:
    case OpcodeForm::CellVariable:
      return variable(row.first, argument, row.form == OpcodeForm::CellVariable);
    case OpcodeForm::VariablePair:
      variable(row.first, argument >> 4, false);
      return variable(row.second, argument & 15, false);
    case OpcodeForm::Name:
    case OpcodeForm::SuperName:
    case OpcodeForm::NameNullBit: return name(row, argument);
    case OpcodeForm::BinaryOperator:
    case OpcodeForm::BinaryOperatorOrItem:
    case OpcodeForm::Comparison:
    case OpcodeForm::ComparisonShift4:
    case OpcodeForm::ComparisonShift5:
    case OpcodeForm::Invertible:
    case OpcodeForm::Intrinsic1: return operation(row, argument);
    case OpcodeForm::Forward:
    case OpcodeForm::Backward:
    case OpcodeForm::ForwardKeep:
    case OpcodeForm::LoopExit:
    case OpcodeForm::LoopExitSkip1:
    case OpcodeForm::LoopExitSkip2: return jump(row, argument);
    case OpcodeForm::Send: return send(row, argument);
    case OpcodeForm::Resume:
      if ((argument & 3) == 2 && out_.sent >= 0)
        add(Opcode::StoreVariable).arg = out_.sent;
      return;
    }
    if (row.second != Opcode::Nop)
      add(row.second);
  }

  void common_constant(const OpcodeRow &row, uint32_t argument) {
    if (argument >= common_constants().size())
      return refuse(refusals::invalid_bytecode);
    add(row.first).name = &common_constants()[argument];
  }

  void expand_count(const OpcodeRow &row, uint32_t argument) {
    if (argument > max_count && row.form != OpcodeForm::Zero)
      return refuse(refusals::invalid_bytecode);
    Instruction &instruction = add(row.first, row.oper);
    switch (row.form) {
    case OpcodeForm::Zero: break;
    case OpcodeForm::FormatFlags:
      instruction.arg = static_cast<int32_t>(argument & 3);
      instruction.flag = argument & 4;
      break;
    case OpcodeForm::WithSpec: instruction.flag = true; break;
    case OpcodeForm::KeywordsOrNull: instruction.arg = 1; break;
    case OpcodeForm::Starred:
      instruction.arg = static_cast<int32_t>(argument & 255);
      instruction.arg2 = static_cast<int32_t>(argument >> 8);
      break;
    default: instruction.arg = static_cast<int32_t>(argument);
    }
    if (row.first == Opcode::Call)
      instruction.constant = std::exchange(keyword_names_, nullptr);
  }

  void variable(Opcode op, uint32_t slot, bool through_cell) {
    if (slot >= code_.localsplus.size())
      return refuse(refusals::invalid_bytecode);
    Instruction &instruction = add(op);
    instruction.arg = static_cast<int32_t>(slot);
    instruction.flag = through_cell;
  }

  void name(const OpcodeRow &row, uint32_t argument) {
    const bool of_super = row.form == OpcodeForm::SuperName;
    const bool has_bit = of_super || row.form == OpcodeForm::NameNullBit;
    const uint32_t index = of_super ? argument >> 2 : has_bit ? argument >> 1 : argument;
    if (index >= code_.names.size())
      return refuse(refusals::invalid_bytecode);
    Instruction &instruction = add(row.first);
    instruction.name = &code_.names[index];
    instruction.flag = has_bit ? argument & 1 : row.second == Opcode::PushNull;
  }

  void operation(const OpcodeRow &row, uint32_t argument) {
    if (row.form == OpcodeForm::Invertible) {
      // The negated operator is the next row in operators.h.
      int oper = static_cast<int>(row.oper) + static_cast<int>(argument & 1);
      add(row.first, static_cast<Operator>(oper));
    } else if (row.form == OpcodeForm::BinaryOperator ||
               row.form == OpcodeForm::BinaryOperatorOrItem) {
      if (argument == binary_operators().size() && row.form == OpcodeForm::BinaryOperatorOrItem) {
        add(Opcode::LoadItem);
        return;
      }
      if (argument >= binary_operators().size())
        return refuse(refusals::invalid_bytecode);
      const BinaryOperatorRow &oper = binary_operators()[argument];
      add(row.first, oper.oper).flag = oper.inplace;
    } else if (row.form == OpcodeForm::Intrinsic1) {
      if (argument >= intrinsics().size())
        return refuse(refusals::invalid_bytecode);
      const IntrinsicRow &intrinsic = intrinsics()[argument];
      add(intrinsic.op, intrinsic.oper).name = intrinsic.refusal;
    } else {
      uint32_t shift = row.form == OpcodeForm::ComparisonShift5   ? 5
                       : row.form == OpcodeForm::ComparisonShift4 ? 4
                                                                  : 0;
      if ((argument >> shift) >= comparisons().size())
        return refuse(refusals::invalid_bytecode);
      add(row.first, comparisons()[argument >> shift]);
    }
  }

  /// Targets are code units until resolve_targets.
  void jump(const OpcodeRow &row, uint32_t argument) {
    int64_t distance = argument;
    if (row.form == OpcodeForm::Backward)
      distance = -distance;
    else if (row.form == OpcodeForm::LoopExitSkip1)
      distance += 1;
    else if (row.form == OpcodeForm::LoopExitSkip2)
      distance += 2;
    int64_t unit = static_cast<int64_t>(next_unit_) + distance;
    if (unit < 0 || unit >= static_cast<int64_t>(units_))
      return refuse(refusals::invalid_bytecode);
    bool keep = row.form == OpcodeForm::ForwardKeep;
    if (keep)
      add(Opcode::Copy).arg = 1;
    add(row.first).target = static_cast<int32_t>(unit);
    if (keep)
      add(Opcode::PopTop);
  }

  /// `yield from` is a loop: what is sent is stored before it and behind each yield, where the jump
  /// back leads to.
  void send(const OpcodeRow &row, uint32_t argument) {
    if (out_.sent < 0) {
      out_.sent = static_cast<int32_t>(out_.variables.size());
      out_.variables.push_back(".sent");
    }
    add(Opcode::StoreVariable).arg = out_.sent;
    index_of_unit_[offset_ / 2] = static_cast<int32_t>(out_.code.size());
    jump(row, argument);
    out_.code.back().flag = true;
  }

  const Const *constant(uint32_t index) const {
    return index < code_.consts.size() ? code_.consts[index] : nullptr;
  }

  void resolve_targets() {
    for (Instruction &instruction : out_.code) {
      if (!instruction.has_target())
        continue;
      instruction.target = index_of_unit_[instruction.target];
      if (instruction.target < 0) { // into the middle of an instruction
        instruction.op = Opcode::Unsupported;
        instruction.name = &refusals::invalid_bytecode;
      }
    }
  }

  /// 3.13 makes a bool before `not`, older versions don't: leave one form.
  void drop_double_negation() {
    for (size_t i = 0; i + 1 < out_.code.size(); ++i) {
      Instruction &first = out_.code[i], &second = out_.code[i + 1];
      if (first.op == Opcode::Unary && first.oper == Operator::Truth &&
          second.op == Opcode::Unary && second.oper == Operator::Not)
        first.op = Opcode::Nop;
    }
  }

  /// In front of `any(x for x in a)`, and of `all` and `tuple`, 3.14 asks whether the name still
  /// stands for the builtin, and has a loop of its own if so. Whatever it stands for is called
  /// here.
  void drop_builtin_guards() {
    for (size_t i = 0; i + 3 < out_.code.size(); ++i) {
      Instruction *at = &out_.code[i];
      const bool is_guard = at[0].op == Opcode::Copy && at[0].arg == 1 &&
                            at[1].op == Opcode::LoadBuiltin && at[2].op == Opcode::Compare &&
                            at[2].oper == Operator::Is && at[3].op == Opcode::BranchFalse;
      if (!is_guard)
        continue;
      at[0].op = at[1].op = at[2].op = Opcode::Nop;
      at[3].op = Opcode::Jump;
    }
  }

  void decode_ranges() {
    for (const ExceptionEntry &entry : decode_exceptions(code_)) {
      ProtectedRange range;
      range.handler = index_of_unit_[entry.target / 2];
      range.begin = index_of_unit_[entry.begin / 2];
      range.end = index_of_unit_[entry.end / 2];
      range.depth = entry.depth;
      range.pushes_place = entry.pushes_place;
      const bool ordered =
          out_.ranges.empty() || (range.begin >= 0 && out_.ranges.back().end <= range.begin);
      if (range.handler >= 0 && range.begin >= 0 && range.begin < range.end && ordered)
        out_.ranges.push_back(range);
    }
    drop_cleanups();
    if (out_.ranges.empty())
      return;
    out_.handled = static_cast<int32_t>(out_.variables.size());
    out_.variables.push_back(".handled");
  }

  /// Handlers that the compiler made only put variables and the handled exception back and raise
  /// the exception again. Where that leaves the function it makes no difference.
  void drop_cleanups() {
    std::vector<ProtectedRange> all;
    auto is_protected = [&](int32_t index) {
      return std::any_of(all.begin(), all.end(), [&](const ProtectedRange &range) {
        return range.begin <= index && index < range.end;
      });
    };
    auto is_cleanup = [&](const ProtectedRange &range) {
      for (int32_t i = range.handler;; ++i) {
        const Instruction &instruction = out_.code[i];
        if (instruction.op == Opcode::Reraise)
          return !is_protected(i);
        // A generator's handler turns StopIteration into RuntimeError.
        const bool quiet = instruction.op == Opcode::Unsupported
                               ? code_.is_generator() && i == range.handler
                               : !instruction.may_raise();
        if (!quiet || instruction.op == Opcode::EnterHandler || instruction.op == Opcode::Jump)
          return false;
      }
    };
    do // those around others first
      all = out_.ranges;
    while (std::erase_if(out_.ranges, is_cleanup) > 0);
  }

  const Code &code_;
  const OpcodeTable *table_;
  size_t units_;
  Bytecode out_;
  std::vector<Position> positions_;
  std::vector<int32_t> index_of_unit_; ///< -1: inline cache entry
  size_t next_unit_ = 0;
  int32_t offset_ = 0;
  Position position_;
  const Const *keyword_names_ = nullptr;
};

} // namespace

Bytecode decode_own(const Code &code) { return Decoder(code).run(); }

} // namespace numjit
