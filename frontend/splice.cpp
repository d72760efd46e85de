// Python 3.11 compiles a list, set or dict comprehension to a function that is made and called on
// the spot; from 3.12 on it is inlined by CPython. Generator expressions are such functions in
// every version. Here the function's instructions take the place of the call, with its variables in
// slots of their own, so that all versions give the same SSA:
//
//     load_const <code>; make_function; <iterable>; get_iter; call 0
//  -> load_const <code>; pop_top; push_null; <iterable>; get_iter; store .0; pop_top; <body>
//
// A generator expression becomes a list where its consumer keeps all items: list, sorted, ...
#include "frontend/splice.h"

#include "frontend/decode.h"
#include "frontend/memoised.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

namespace numjit {

namespace {

constexpr std::array comprehension_names = {
    std::string_view("<listcomp>"), std::string_view("<setcomp>"), std::string_view("<dictcomp>")};
constexpr std::string_view generator_name = "<genexpr>";

/// Builtins that make a list of their only argument anyway, or a table.
constexpr std::array eager_consumers = {std::string_view("list"), std::string_view("tuple"),
                                        std::string_view("set"), std::string_view("sorted")};

/// Builtins that fold what they are given, item by item.
constexpr std::array folding_consumers = {std::string_view("sum"), std::string_view("min"),
                                          std::string_view("max")};

bool contains(const auto &values, const auto &value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

/// A comprehension's function: where it is made and where it is called. CPython copies short ends
/// of functions: behind a conditional iterable there may be several calls, one on each way.
struct Site {
  size_t make = 0;           ///< MakeFunction
  std::vector<size_t> calls; ///< Call
  size_t skip = 0;           ///< instructions after MakeFunction that belong to it (3.13's closure)
  bool has_closure = false;
  bool is_generator = false;
  const FunctionDef *function = nullptr;
};

const FunctionDef *comprehension_at(const Bytecode &bytecode, size_t make) {
  if (make == 0 || bytecode.code[make].op != Opcode::MakeFunction)
    return nullptr;
  const Instruction &load = bytecode.code[make - 1];
  if (load.op != Opcode::LoadConst || !load.constant->is_object(ObjectKind::Code))
    return nullptr;
  const FunctionDef *function = load.constant->object->function;
  if (!function)
    return nullptr;
  std::string_view name = function->code.name;
  return contains(comprehension_names, name) || name == generator_name ? function : nullptr;
}

/// Whether what a call gives is taken apart next: f(*items), [*items], a, b = items.
bool is_taken_apart(const Bytecode &bytecode, size_t call) {
  if (call + 1 >= bytecode.code.size())
    return false;
  const Instruction &consumer = bytecode.code[call + 1];
  return (consumer.op == Opcode::CallStar && consumer.arg == 0) ||
         (consumer.op == Opcode::ListExtend && consumer.arg == 1) ||
         consumer.op == Opcode::UnpackSequence;
}

/// Whether the generator made at `site` goes straight into what consumes all of it.
bool has_eager_consumer(const Bytecode &bytecode, const Site &site) {
  if (std::ranges::all_of(site.calls, [&](size_t call) { return is_taken_apart(bytecode, call); }))
    return true;
  for (size_t call : site.calls) {
    if (call + 1 >= bytecode.code.size())
      return false;
    const Instruction &consumer = bytecode.code[call + 1];
    if (consumer.op != Opcode::Call || consumer.arg != 1 || consumer.constant)
      return false;
  }
  size_t start = site.make - 1; // load_const <code>
  if (site.has_closure) {
    if (start == 0 || bytecode.code[start - 1].op != Opcode::BuildTuple)
      return false;
    size_t cells = static_cast<size_t>(bytecode.code[start - 1].arg);
    if (start < cells + 1)
      return false;
    start -= cells + 1;
  }
  // The NULL slot may be part of the load or stand on its own.
  while (start > 0 && bytecode.code[start - 1].op == Opcode::PushNull)
    --start;
  if (start == 0)
    return false;
  const Instruction &callee = bytecode.code[start - 1];
  if (callee.op != Opcode::LoadGlobal)
    return false;
  // What is assigned inside, `sum((y := x) for x in a)`, cannot leave a generator.
  return contains(eager_consumers, *callee.name) ||
         (contains(folding_consumers, *callee.name) &&
          !assigned_free_variables(*site.function).empty());
}

/// The sites nest like brackets on every way through the code: a comprehension in the iterable of
/// another is complete before the outer one is called.
std::vector<Site> find_sites(const Bytecode &bytecode) {
  constexpr int32_t closure_bit = 8;
  const std::vector<Instruction> &code = bytecode.code;
  using Open = std::vector<size_t>; // sites that are made and not called yet
  std::vector<Site> sites;
  std::map<size_t, Open> at_target;
  Open open;
  for (size_t i = 0; i + 1 < code.size(); ++i) {
    if (auto arriving = at_target.find(i); arriving != at_target.end())
      open = arriving->second;
    if (const FunctionDef *function = comprehension_at(bytecode, i)) {
      Site site;
      site.make = i;
      site.function = function;
      site.is_generator = function->code.name == generator_name;
      site.has_closure = code[i].arg & closure_bit;
      if (code[i + 1].op == Opcode::SetFunctionAttribute && code[i + 1].arg == closure_bit) {
        site.has_closure = true;
        site.skip = 1;
      }
      open.push_back(sites.size());
      sites.push_back(std::move(site));
    } else if (code[i].op == Opcode::GetIter && code[i + 1].op == Opcode::Call &&
               code[i + 1].arg == 0 && !code[i + 1].constant && !open.empty()) {
      sites[open.back()].calls.push_back(i + 1);
      open.pop_back();
    } else if (code[i].has_target() && static_cast<size_t>(code[i].target) > i) {
      at_target.try_emplace(code[i].target, open);
    }
  }
  std::erase_if(sites, [&](const Site &site) {
    const bool possible = !site.calls.empty() && !site.function->code.is_async() &&
                          (code[site.make].arg & ~closure_bit) == 0;
    return !possible || (site.is_generator && !has_eager_consumer(bytecode, site));
  });
  return sites;
}

class Splicer {
public:
  Splicer(Bytecode &outer, std::vector<Site> sites)
      : outer_(outer), sites_(std::move(sites)), own_variables_(outer.variables.size()) {}

  void run() {
    std::vector<Instruction> old = std::move(outer_.code);
    outer_.code.clear();
    std::vector<int32_t> moved(old.size()); // index of an old instruction in the new code
    std::vector<size_t> outer_jumps;        // new instructions whose target is still an old index
    for (size_t i = 0; i < old.size(); ++i) {
      moved[i] = static_cast<int32_t>(outer_.code.size());
      const Site *made = nullptr, *called = nullptr;
      for (const Site &site : sites_) {
        made = site.make == i ? &site : made;
        called = contains(site.calls, i) ? &site : called;
      }
      if (made) {
        position_from(old[i]);
        for (int pops = made->has_closure ? 2 : 1; pops > 0; --pops)
          add(Opcode::PopTop);
        add(Opcode::PushNull);
        for (size_t skipped = 0; skipped < made->skip; ++skipped)
          moved[++i] = static_cast<int32_t>(outer_.code.size());
      } else if (called) {
        position_from(old[i]);
        insert_body(*called);
      } else {
        if (old[i].has_target())
          outer_jumps.push_back(outer_.code.size());
        outer_.code.push_back(old[i]);
      }
    }
    for (size_t jump : outer_jumps)
      outer_.code[jump].target = moved[outer_.code[jump].target];
    for (ProtectedRange &range : outer_.ranges) {
      range.begin = moved[range.begin];
      range.end = moved[range.end];
      range.handler = moved[range.handler];
    }
  }

  /// Slots of `inner`'s variables in the outer function; none if a free variable isn't there.
  static std::vector<int32_t> slots(const Bytecode &inner, const Bytecode &outer,
                                    size_t own_variables) {
    std::vector<int32_t> result;
    int32_t fresh = static_cast<int32_t>(outer.variables.size());
    for (size_t slot = 0; slot < inner.variables.size(); ++slot) {
      if (!inner.is_free(static_cast<int32_t>(slot))) {
        result.push_back(fresh++);
        continue;
      }
      auto end = outer.variables.begin() + static_cast<std::ptrdiff_t>(own_variables);
      auto found = std::find(outer.variables.begin(), end, inner.variables[slot]);
      if (found == end)
        return {};
      result.push_back(static_cast<int32_t>(found - outer.variables.begin()));
    }
    return result;
  }

private:
  void position_from(const Instruction &instruction) {
    offset_ = instruction.offset;
    position_ = instruction.position;
  }

  Instruction &add(Opcode op, int32_t arg = 0) {
    Instruction &instruction = outer_.code.emplace_back();
    instruction.op = op;
    instruction.arg = arg;
    instruction.offset = offset_;
    instruction.position = position_;
    return instruction;
  }

  /// The stack holds NULL and the iterator; afterwards it holds the result.
  void insert_body(const Site &site) {
    Bytecode inner = decode(*site.function);
    const std::vector<int32_t> slot = slots(inner, outer_, own_variables_);
    for (size_t s = 0; s < inner.variables.size(); ++s)
      if (!inner.is_free(static_cast<int32_t>(s)))
        outer_.variables.push_back(inner.variables[s]);
    int32_t list = static_cast<int32_t>(outer_.variables.size());
    if (site.is_generator)
      outer_.variables.push_back(".list");
    int32_t offset_base = outer_.size;
    outer_.size += inner.size;

    add(Opcode::StoreVariable, slot[0]); // .0, the iterator
    add(Opcode::PopTop);
    if (site.is_generator) {
      add(Opcode::BuildList);
      add(Opcode::StoreVariable, list);
    }
    std::vector<int32_t> moved(inner.code.size());
    std::vector<size_t> returns, jumps;
    for (size_t i = 0; i < inner.code.size(); ++i) {
      const Instruction &instruction = inner.code[i];
      moved[i] = static_cast<int32_t>(outer_.code.size());
      position_from(instruction);
      offset_ += offset_base;
      switch (instruction.op) {
      case Opcode::StartGenerator: // the generator object is popped next
        add(Opcode::PushNull);
        continue;
      case Opcode::Yield: // leaves the list in place of what is sent, which is popped next
        add(Opcode::LoadVariable, list);
        add(Opcode::Swap, 2);
        add(Opcode::ListAppend, 1);
        continue;
      case Opcode::Return:
        if (site.is_generator) {
          add(Opcode::PopTop);
          add(Opcode::LoadVariable, list);
        }
        returns.push_back(outer_.code.size());
        add(Opcode::Jump);
        continue;
      default: break;
      }
      if (instruction.has_target())
        jumps.push_back(outer_.code.size());
      outer_.code.push_back(instruction);
      Instruction &copy = outer_.code.back();
      copy.offset = offset_;
      if (uses_variable(copy.op))
        copy.arg = slot[copy.arg];
    }
    for (size_t jump : jumps)
      outer_.code[jump].target = moved[outer_.code[jump].target];
    for (size_t jump : returns)
      outer_.code[jump].target = static_cast<int32_t>(outer_.code.size());
  }

  static bool uses_variable(Opcode op) {
    return op == Opcode::LoadVariable || op == Opcode::LoadAndClear ||
           op == Opcode::StoreVariable || op == Opcode::DeleteVariable;
  }

  Bytecode &outer_;
  std::vector<Site> sites_;
  size_t own_variables_;
  int32_t offset_ = 0;
  Position position_;
};

/// Replaces calls of comprehension functions in `outer` by their instructions.
void splice_comprehensions(Bytecode &outer) {
  std::vector<Site> sites = find_sites(outer);
  std::erase_if(sites, [&](const Site &site) {
    Bytecode inner = decode(*site.function);
    return inner.variables.empty() || inner.is_free(0) || !inner.ranges.empty() ||
           Splicer::slots(inner, outer, outer.variables.size()).empty();
  });
  if (!sites.empty())
    Splicer(outer, std::move(sites)).run();
}

void collect_assigned(const FunctionDef &function, int depth, std::set<std::string> &names) {
  constexpr int max_depth = 50; // damaged code could contain itself
  if (depth > max_depth)
    return;
  Bytecode bytecode = decode(function);
  std::set<std::string> own(function.code.freevars.begin(), function.code.freevars.end());
  for (const Instruction &instruction : bytecode.code) {
    if ((instruction.op == Opcode::StoreVariable || instruction.op == Opcode::DeleteVariable) &&
        bytecode.is_free(instruction.arg) &&
        !function.code.boxed.contains(bytecode.variables[instruction.arg]))
      names.insert(bytecode.variables[instruction.arg]);
    // What an inner function assigns is ours only if it is free here too.
    if (instruction.op == Opcode::LoadConst && instruction.constant->is_object(ObjectKind::Code) &&
        instruction.constant->object->function) {
      std::set<std::string> inner;
      collect_assigned(*instruction.constant->object->function, depth + 1, inner);
      for (const std::string &name : inner)
        if (own.count(name) && !function.code.boxed.contains(name))
          names.insert(name);
    }
  }
}

} // namespace

Bytecode decode(const FunctionDef &function) {
  Bytecode bytecode = decode_own(function.code);
  splice_comprehensions(bytecode);
  if (function.memoised)
    memoise(bytecode, function);
  return bytecode;
}

std::set<std::string> assigned_free_variables(const FunctionDef &function) {
  std::set<std::string> names;
  if (!function.code.freevars.empty())
    collect_assigned(function, 0, names);
  return names;
}

} // namespace numjit
