// Inner functions that functools.cache or lru_cache decorates:
//
//     @lru_cache(None)            def steps(n):
//     def steps(n):                   if (n,) in results:
//         ...                             return results[n,]
//         return x                    ...
//                                     results[n,] = x
//                                     return x
//
// `results` is a variable that the function captures: a dict that is made where the function is.
// The number of results to keep (`maxsize`) is not heeded: it changes no result.
#include "frontend/memoised.h"

#include <algorithm>

namespace numjit {

namespace {

constexpr const char *kResults = ".results";

Instruction like(const Instruction &place, Opcode op, int32_t arg = 0) {
  Instruction made;
  made.op = op;
  made.arg = arg;
  made.offset = place.offset;
  made.position = place.position;
  return made;
}

class Memoising {
public:
  Memoising(Bytecode &bytecode, const FunctionDef &function)
      : bytecode_(bytecode), parameters_(function.parameter_count()) {
    const auto &variables = bytecode.variables;
    results_ = static_cast<int32_t>(std::ranges::find(variables, kResults) - variables.begin());
    key_ = variable(".key");
    result_ = variable(".result");
  }

  void run() {
    std::vector<Instruction> old = std::move(bytecode_.code);
    std::vector<int32_t> moved; // where each instruction went
    look_up(old.front());
    for (Instruction &instruction : old) {
      moved.push_back(size());
      if (instruction.op == Opcode::Return)
        keep(instruction);
      bytecode_.code.push_back(instruction);
    }
    moved.push_back(size());
    for (int32_t i = moved.front(); i < size(); ++i)
      if (Instruction &instruction = bytecode_.code[i]; instruction.has_target())
        instruction.target = moved[instruction.target];
    for (ProtectedRange &range : bytecode_.ranges) {
      range.begin = moved[range.begin];
      range.end = moved[range.end];
      range.handler = moved[range.handler];
    }
  }

private:
  int32_t size() const { return static_cast<int32_t>(bytecode_.code.size()); }

  int32_t variable(const char *name) {
    bytecode_.variables.emplace_back(name);
    return static_cast<int32_t>(bytecode_.variables.size()) - 1;
  }

  void add(const Instruction &place, Opcode op, int32_t arg = 0) {
    bytecode_.code.push_back(like(place, op, arg));
  }

  /// key = (parameters...); if key in results: return results[key]
  void look_up(const Instruction &place) {
    for (int32_t i = 0; i < parameters_; ++i)
      add(place, Opcode::LoadVariable, i);
    add(place, Opcode::BuildTuple, parameters_);
    add(place, Opcode::StoreVariable, key_);
    add(place, Opcode::LoadVariable, key_);
    add(place, Opcode::LoadVariable, results_);
    add(place, Opcode::Compare);
    bytecode_.code.back().oper = Operator::In;
    add(place, Opcode::BranchFalse);
    const size_t branch = bytecode_.code.size() - 1;
    add(place, Opcode::LoadVariable, results_);
    add(place, Opcode::LoadVariable, key_);
    add(place, Opcode::LoadItem);
    add(place, Opcode::Return);
    bytecode_.code[branch].target = size();
  }

  /// results[key] = what is returned
  void keep(const Instruction &place) {
    add(place, Opcode::StoreVariable, result_);
    add(place, Opcode::LoadVariable, result_);
    add(place, Opcode::LoadVariable, results_);
    add(place, Opcode::LoadVariable, key_);
    add(place, Opcode::StoreItem);
    add(place, Opcode::LoadVariable, result_);
  }

  Bytecode &bytecode_;
  int32_t parameters_, results_, key_, result_;
};

} // namespace

bool can_be_memoised(const FunctionDef &function) {
  return !function.code.is_generator() && !function.code.has_varkeywords() &&
         function.siblings.empty();
}

void mark_memoised(FunctionDef &function) {
  if (function.memoised)
    return;
  function.memoised = true;
  function.code.freevars.emplace_back(kResults);
  function.code.localsplus.emplace_back(kResults);
}

void memoise(Bytecode &bytecode, const FunctionDef &function) {
  Memoising(bytecode, function).run();
}

} // namespace numjit
