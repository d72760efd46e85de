// Inner functions capture the values that their free variables have when the function is made;
// Python captures the variables themselves. The two agree unless a variable changes between the
// making of the function and a use of it. Such programs are refused:
//
//     x = 1
//     f = lambda: x
//     x = 2          <- Unsupported here, if f is used afterwards
//     f()
//
// A function that refers to itself is the useful exception: `def f(n): ... f(n - 1)` captures f
// before it has a value, and then stores it. Its operand becomes Undef, which stands for "the
// function itself".
#include "frontend/ssa_draft.h"

#include <algorithm>
#include <unordered_map>

namespace numjit::ssa {

namespace {

struct Place {
  uint32_t block;
  size_t index;
};

/// What a value has of the function.
enum class Hold : uint8_t {
  Nothing,
  Given,   ///< the result of a function that took it: its type shows whether it holds anything
  Results, ///< an iterator that calls it, as of map(): its items are what the function returns
  Function ///< the function itself, or something with it
};
using Holders = std::unordered_map<const Value *, Hold>;

/// What takes a function for an argument only to call it, and what takes iterators only to ask them
/// for items.
struct Caller {
  std::string_view name;
  std::string_view place; ///< of the function: a keyword, "0" for the first argument, "" for none
  Hold result = Hold::Nothing;
};
constexpr Caller kCallers[] = {
    {"builtins.map", "0", Hold::Results},
    {"builtins.filter", "0", Hold::Results},
    {"builtins.zip", "", Hold::Results},
    {"builtins.enumerate", "", Hold::Results},
    {"builtins.reversed", "", Hold::Results},
    {"builtins.iter", "", Hold::Results},
    {"functools.reduce", "0"},
    {"builtins.sorted", "key"},
    {"builtins.min", "key"},
    {"builtins.max", "key"},
    {"heapq.nsmallest", "key"},
    {"heapq.nlargest", "key"},
    {"builtins.list", ""},
    {"builtins.tuple", ""},
    {"builtins.set", ""},
    {"builtins.dict", ""},
    {"builtins.sum", ""},
    {"builtins.any", ""},
    {"builtins.all", ""},
    {"builtins.next", ""},
};
constexpr Caller kMethod = {"", "key"}; ///< words.sort(key=f), text.join(map(f, words))

class Checker {
public:
  explicit Checker(Draft &draft) : draft_(draft) {}

  void run() {
    for (const Capture &capture : draft_.captures)
      if (is_placed(capture.function))
        check(capture);
    for (const Refusal &refusal : refused_) {
      Value *unsupported = draft_.make(Op::Unsupported, refusal.place->position);
      unsupported->name = refusal.text;
      if (refusal.given) {
        unsupported->operands = {refusal.given};
        insert(refusal.given, 1, unsupported);
      } else {
        insert(refusal.place, 0, unsupported);
      }
    }
  }

private:
  struct Refusal {
    Value *place;
    std::string text;
    Value *given = nullptr; ///< if its type has a function in it; else always
  };

  bool is_placed(const Value *value) const {
    if (!value->block || draft_.blocks[value->block->id].dropped)
      return false;
    const std::vector<Value *> &values = value->block->values;
    return std::find(values.begin(), values.end(), value) != values.end();
  }

  static Place place(const Value *value) {
    const std::vector<Value *> &values = value->block->values;
    auto found = std::find(values.begin(), values.end(), value);
    return {value->block->id, static_cast<size_t>(found - values.begin())};
  }

  static void insert(Value *value, int places_behind, Value *inserted) {
    std::vector<Value *> &values = value->block->values;
    inserted->block = value->block;
    values.insert(std::find(values.begin(), values.end(), value) + places_behind, inserted);
  }

  void check(const Capture &capture) {
    Value *function = capture.function;
    size_t first = function->operands.size() - capture.slots.size();
    for (size_t i = 0; i < capture.slots.size(); ++i)
      if (const int32_t slot = capture.slots[i]; slot >= 0 && !draft_.bytecode.is_free(slot))
        check_variable(function, slot, function->operands[first + i]);
  }

  void check_variable(Value *function, int32_t slot, Value *&operand) {
    std::vector<const CellStore *> stores;
    for (const CellStore &store : draft_.cell_stores)
      if (store.slot == slot && is_placed(store.marker))
        stores.push_back(&store);
    const std::string &variable = draft_.bytecode.variables[slot];
    const std::string &name = function->constant->object->function->code.name;
    const bool stores_itself =
        !stores.empty() && std::ranges::all_of(stores, [&](const CellStore *s) {
          return s->value && Draft::resolve(s->value) == function;
        });
    if (stores_itself) {
      Value *itself = draft_.make(Op::Undef, function->position);
      itself->name = variable;
      insert(function, 0, itself);
      operand = itself;
      return;
    }
    if (Draft::resolve(operand)->op == Op::Undef) {
      refused_.push_back({function, "variable '" + variable +
                                        "' has no value yet where inner function '" + name +
                                        "' captures it"});
      return;
    }
    const std::string changes = "variable '" + variable + "' changes after inner function '" +
                                name + "' captured it; pass it as an argument instead";
    for (const CellStore *store : stores)
      if (reaches(place(function), place(store->marker), nullptr))
        refuse_uses(function, store->marker, changes);
  }

  /// Whether control can get from behind `from` to `to` without passing `wall`.
  bool reaches(Place from, Place to, const Place *wall) const {
    auto blocked = [&](uint32_t block, size_t begin, size_t end) {
      return wall && wall->block == block && wall->index >= begin && wall->index < end;
    };
    constexpr size_t end_of_block = ~size_t(0);
    if (from.block == to.block && to.index > from.index &&
        !blocked(from.block, from.index + 1, to.index))
      return true;
    std::vector<bool> seen(draft_.blocks.size(), false);
    std::vector<uint32_t> stack;
    auto expand = [&](uint32_t block, size_t begin) {
      if (blocked(block, begin, end_of_block))
        return;
      for (int32_t succ : draft_.blocks[block].succs)
        if (!seen[succ]) {
          seen[succ] = true;
          stack.push_back(static_cast<uint32_t>(succ));
        }
    };
    expand(from.block, from.index + 1);
    while (!stack.empty()) {
      uint32_t block = stack.back();
      stack.pop_back();
      if (block == to.block && !blocked(block, 0, to.index))
        return true;
      expand(block, 0);
    }
    return false;
  }

  /// Refuses `store` if `function`, or something that may hold it, is used afterwards without
  /// having been made again. Calling it holds nothing; what else is done with it is followed.
  void refuse_uses(Value *function, Value *store, const std::string &text) {
    is_generator_ = function->constant->object->function->code.is_generator();
    Holders holders = {{function, Hold::Function}};
    Place store_place = place(store), wall = place(function);
    for (bool changed = true; changed;) {
      changed = false;
      const auto follow = [&](const Value *value) {
        if (const Hold hold = hold_of(*value, holders); hold > held(value, holders)) {
          holders[value] = hold;
          changed = true;
        }
      };
      for (int32_t id : draft_.order)
        std::ranges::for_each(draft_.blocks[id].block.values, follow);
      for (const Value *phi : draft_.phis)
        if (phi->block)
          follow(phi);
    }
    Hold used = Hold::Nothing;
    for (int32_t id : draft_.order)
      for (const Value *value : draft_.blocks[id].block.values) {
        const Hold most = most_held(*value, holders);
        if (most == Hold::Nothing ||
            (held(value, holders) != Hold::Nothing && op_row(value->op).pure))
          continue; // what only hands it on is not what uses it
        if ((most > Hold::Given && escapes(*value, most, holders)) ||
            reaches(store_place, place(value), &wall))
          used = std::max(used, most);
      }
    if (used > Hold::Given)
      refused_.push_back({store, text});
    else if (used == Hold::Given)
      for (int32_t id : draft_.order)
        for (Value *value : draft_.blocks[id].block.values)
          if (value->op == Op::Call && held(value, holders) == Hold::Given)
            refused_.push_back({store, text, value});
  }

  static Hold held(const Value *value, const Holders &holders) {
    const auto found = holders.find(value);
    return found == holders.end() ? Hold::Nothing : found->second;
  }

  static Hold most_held(const Value &value, const Holders &holders) {
    Hold most = Hold::Nothing;
    for (Value *operand : value.operands)
      most = std::max(most, held(Draft::resolve(operand), holders));
    return most;
  }

  Hold hold_of(const Value &value, const Holders &holders) const {
    const Hold most = most_held(value, holders);
    if (most == Hold::Nothing)
      return most;
    switch (value.op) {
    case Op::Call: return hold_of_call(value, holders);
    case Op::Phi:
    case Op::GetIter:
    case Op::IterNext:
    case Op::IterState:
    case Op::IterReturned:
    case Op::Unpack: return most;
    case Op::IterValue:
    case Op::UnpackItem: return most == Hold::Results ? Hold::Nothing : most;
    case Op::Operator: return most == Hold::Given ? Hold::Nothing : most;
    default: return most == Hold::Given ? most : Hold::Function;
    }
  }

  Hold hold_of_call(const Value &call, const Holders &holders) const {
    const std::vector<const Value *> parts = callee_and_arguments(call);
    const Value &callee = *parts[0];
    if (is_method(callee) && held(&callee, holders) != Hold::Nothing)
      return Hold::Function;
    const size_t keywords = parts.size() - call.keywords.size();
    const Caller *caller = find_caller(callee);
    Hold most = Hold::Nothing;
    if (is_generator_ && held(&callee, holders) == Hold::Function)
      most = Hold::Results; // a generator has what its function captured
    for (size_t i = 1; i < parts.size(); ++i) {
      const Hold hold = held(parts[i], holders);
      const std::string_view place = i >= keywords ? std::string_view(call.keywords[i - keywords])
                                     : i == 1      ? "0"
                                                   : "more";
      if (hold != Hold::Nothing && (!caller || (hold == Hold::Function && place != caller->place)))
        most = std::max(most, is_method(callee) ? hold : Hold::Given);
      else if (hold != Hold::Nothing)
        most = std::max(most, caller->result);
    }
    return most;
  }

  /// One of the two slots below the arguments may be NULL.
  std::vector<const Value *> callee_and_arguments(const Value &call) const {
    std::vector<const Value *> parts;
    for (Value *operand : call.operands)
      if (const Value *part = Draft::resolve(operand); part != &draft_.null)
        parts.push_back(part);
    return parts;
  }

  /// Whether it is a method, and not a function of a module.
  static bool is_method(const Value &callee) {
    return callee.op == Op::GetAttr && !is_module(Draft::resolve(callee.operands[0]));
  }

  static bool is_module(const Value *value) {
    return value->op == Op::Const && value->constant->is_object(ObjectKind::Module);
  }

  static const Caller *find_caller(const Value &callee) {
    std::string name;
    if (is_method(callee))
      return &kMethod;
    if (callee.op == Op::GetAttr)
      name = Draft::resolve(callee.operands[0])->constant->object->name + "." + callee.name;
    else if (callee.op == Op::Const && callee.constant->kind == ConstKind::Object)
      name = callee.constant->object->name;
    const auto *row = std::ranges::find(kCallers, name, &Caller::name);
    return row == std::end(kCallers) ? nullptr : row;
  }

  /// Operations that put an operand where we can't follow it: into a container, or into that whose
  /// method is called.
  bool escapes(const Value &value, Hold most, const Holders &holders) const {
    switch (value.op) {
    case Op::SetAttr:
    case Op::SetItem:
    case Op::ListAppend:
    case Op::SetAdd:
    case Op::MapAdd: return true;
    case Op::ListExtend: // of iterators the items only
    case Op::SetUpdate:
    case Op::MapUpdate: return most == Hold::Function;
    case Op::Call: {
      const std::vector<const Value *> parts = callee_and_arguments(value);
      if (!is_method(*parts[0]))
        return false;
      return hold_of_call(value, holders) == Hold::Function ||
             (keeps_arguments(parts[0]->name) &&
              std::any_of(parts.begin() + 1, parts.end(),
                          [&](const Value *part) { return held(part, holders) == Hold::Results; }));
    }
    default: return false;
    }
  }

  static bool keeps_arguments(std::string_view method) {
    return method == "append" || method == "insert" || method == "appendleft" ||
           method == "setdefault";
  }

  Draft &draft_;
  std::vector<Refusal> refused_;
  bool is_generator_ = false; ///< the function whose uses are looked at
};

} // namespace

void check_captures(Draft &draft) {
  if (!draft.captures.empty())
    Checker(draft).run();
}

} // namespace numjit::ssa
