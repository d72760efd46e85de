// Variables that inner functions assign which call themselves or one another:
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
#include "frontend/code.h"
#include "frontend/splice.h"

#include <algorithm>

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

/// Says so to a function that captures the variable, and to those inside it.
void box_in(FunctionDef &function, const std::string &variable) {
  if (!contains(function.code.freevars, variable) || !function.code.boxed.insert(variable).second)
    return;
  for (FunctionDef *inner : inner_functions(function.code))
    box_in(*inner, variable);
}

} // namespace

void box_variables(Code &code) {
  const std::vector<FunctionDef *> inner = inner_functions(code);
  for (const FunctionDef *function : inner) {
    const std::string &name = function->code.name;
    const bool is_captured = std::ranges::any_of(
        inner, [&](const FunctionDef *each) { return contains(each->code.freevars, name); });
    if (is_captured && contains(code.cellvars, name))
      for (const std::string &variable : assigned_free_variables(*function))
        if (contains(code.cellvars, variable))
          code.boxed.insert(variable);
  }
  for (const std::string &variable : code.boxed)
    for (FunctionDef *each : inner)
      box_in(*each, variable);
}

} // namespace numjit
