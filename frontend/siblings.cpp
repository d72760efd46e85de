// Inner functions that call one another:
//
//     def even(n): return n == 0 or odd(n - 1)
//     def odd(n): return n != 0 and even(n - 1)
//
// An inner function is a value that holds what it captured, so each of these would hold the other.
// Instead, all functions of such a group capture what any of them captures, and where one names
// another, that is made of its own captures (SsaRules::self_reference), as for a function that
// calls itself.
#include "frontend/code.h"

#include <algorithm>
#include <set>

namespace numjit {

namespace {

using Group = std::map<std::string, const Const *>;

FunctionDef &function_of(const Const *code) { return *code->object->function; }

/// The inner functions by name, but for names that several have.
Group named_functions(const Code &code) {
  Group named;
  std::set<std::string> twice;
  for (const Const *each : code.consts) {
    if (!each || !each->is_object(ObjectKind::Code) || !each->object->function)
      continue;
    const std::string &name = function_of(each).code.name;
    if (std::ranges::find(code.cellvars, name) == code.cellvars.end())
      continue;
    if (!named.emplace(name, each).second)
      twice.insert(name);
  }
  for (const std::string &name : twice)
    named.erase(name);
  return named;
}

/// What can be reached from a function over the names that functions capture.
std::set<std::string> reached(const Group &named, const std::string &from) {
  std::set<std::string> seen;
  std::vector<std::string> stack{from};
  while (!stack.empty()) {
    const FunctionDef &function = function_of(named.at(stack.back()));
    stack.pop_back();
    for (const std::string &name : function.code.freevars)
      if (named.contains(name) && seen.insert(name).second)
        stack.push_back(name);
  }
  return seen;
}

void link(const Group &group) {
  std::vector<std::string> captured;
  for (const auto &[name, code] : group)
    for (const std::string &each : function_of(code).code.freevars)
      if (!group.contains(each) && std::ranges::find(captured, each) == captured.end())
        captured.push_back(each);
  for (const auto &[name, code] : group) {
    FunctionDef &function = function_of(code);
    function.siblings = group;
    for (const std::string &each : captured)
      if (std::ranges::find(function.code.freevars, each) == function.code.freevars.end()) {
        function.code.freevars.push_back(each);
        function.code.localsplus.push_back(each);
      }
  }
}

} // namespace

void link_siblings(Code &code) {
  const Group named = named_functions(code);
  if (named.size() < 2)
    return;
  std::map<std::string, std::set<std::string>> calls;
  for (const auto &[name, inner] : named)
    calls[name] = reached(named, name);
  std::set<std::string> linked;
  for (const auto &[name, inner] : named) {
    if (!calls[name].contains(name) || linked.contains(name))
      continue;
    Group group;
    for (const std::string &other : calls[name])
      if (calls[other].contains(name))
        group.emplace(other, named.at(other));
    if (group.size() < 2)
      continue;
    link(group);
    for (const auto &[member, code_of_member] : group)
      linked.insert(member);
  }
}

} // namespace numjit
