// Variables that inner functions assign which call themselves or one another, are passed on, are
// generators, or are called where an exception may be caught:
//
//     def count(n):
//         found = 0
//         def place(row):
//             nonlocal found
//             if row == n: found += 1
//             else: place(row + 1)
//         place(0)
//         return found
//
// Such a function cannot return the new value (nonlocals.cpp), as it is not made anew where it is
// called. The variable holds a list of one item instead, which all of the functions capture.
#include "frontend/decode.h"
#include "frontend/splice.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace numjit {

namespace {

bool contains(const std::vector<std::string> &names, const std::string &name) {
  return std::ranges::find(names, name) != names.end();
}

std::vector<FunctionDef *> inner_functions(const Code &code) {
  std::vector<FunctionDef *> found;
  for (const Const *each : code.consts)
    if (each && each->is_object(ObjectKind::Code) && each->object->function)
      found.push_back(each->object->function);
  return found;
}

/// Whether a variable is read only to be called, and nothing catches what the calls raise.
bool is_only_called(const Bytecode &bytecode, int32_t slot, int minor) {
  const std::vector<Instruction> &code = bytecode.code;
  for (size_t i = 0; i < code.size(); ++i) {
    if (code[i].op != Opcode::LoadVariable || code[i].arg != slot)
      continue;
    const size_t null = minor >= 13 ? i + 1 : i - 1; // marks what is called
    const bool is_called = null < code.size() && code[null].op == Opcode::PushNull;
    const bool is_guarded = std::ranges::any_of(bytecode.ranges, [i](const ProtectedRange &range) {
      return std::cmp_less_equal(range.begin, i) && std::cmp_less(i, range.end);
    });
    if (!is_called || is_guarded)
      return false;
  }
  return true;
}

/// Whether an inner function can be made anew wherever it is called (nonlocals.cpp).
bool is_made_for_calls(const FunctionDef &function, const Code &outer, const Bytecode &bytecode) {
  const std::string &name = function.code.name;
  const auto variable = std::ranges::find(bytecode.variables, name);
  return !function.code.is_generator() && variable != bytecode.variables.end() &&
         !contains(outer.cellvars, name) &&
         is_only_called(bytecode, static_cast<int32_t>(variable - bytecode.variables.begin()),
                        outer.minor);
}

/// Says so to a function that captures the variable, and to those inside it.
void box_in(FunctionDef &function, const std::string &variable) {
  if (!contains(function.code.freevars, variable) || !function.code.boxed.insert(variable).second)
    return;
  for (FunctionDef *inner : inner_functions(function.code))
    box_in(*inner, variable);
}

} // namespace

void box_variables(Code &code) {
  if (code.cellvars.empty())
    return;
  const std::vector<FunctionDef *> inner = inner_functions(code);
  std::optional<Bytecode> bytecode; // rarely needed
  for (const FunctionDef *function : inner) {
    if (function->code.name.starts_with('<')) // a comprehension's (splice.cpp)
      continue;
    std::set<std::string> assigned = assigned_free_variables(*function);
    std::erase_if(assigned, [&](const auto &each) { return !contains(code.cellvars, each); });
    if (assigned.empty())
      continue;
    if (!bytecode)
      bytecode = decode_own(code);
    if (!is_made_for_calls(*function, code, *bytecode))
      code.boxed.insert(assigned.begin(), assigned.end());
  }
  for (const std::string &variable : code.boxed)
    for (FunctionDef *each : inner)
      box_in(*each, variable);
}

} // namespace numjit
