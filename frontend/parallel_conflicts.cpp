// What the iterations of a loop over prange have to do with each other: reductions, variables that
// are only assigned, and what makes the loop depend on the order of its iterations.
#include "frontend/parallel_loops.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace numjit::ssa {

namespace {

std::string lines_of(const Value &a, const Value &b) {
  const int first = std::min(a.position.line, b.position.line);
  const int last = std::max(a.position.line, b.position.line);
  return first == last || first <= 0
             ? "line " + std::to_string(last)
             : "lines " + std::to_string(first) + " and " + std::to_string(last);
}

const std::string *callee_name(const Value &call) {
  if (call.op != Op::Call || call.operands[0]->op != Op::Const ||
      !call.operands[0]->constant->object)
    return nullptr;
  return &call.operands[0]->constant->object->name;
}

/// Whether a call gives the same for the same operands.
bool is_function_of_operands(const Value &call) {
  const std::string *name = callee_name(call);
  return name && call.keywords.empty() &&
         std::ranges::any_of(
             std::initializer_list<const char *>{"len", "int", "abs", "min", "max", "round"},
             [&](const char *known) { return *name == "builtins." + std::string(known); });
}

class Analysis {
public:
  Analysis(const Function &function, PrangeLoop &loop, bool nested) : loop_(loop), nested_(nested) {
    for (const Block &block : function.blocks) {
      const bool inside = loop.contains(&block);
      for (Value *value : block.values)
        for (Value *operand : value->operands)
          if (inside)
            users_[operand].push_back(value);
    }
    for (const Block *block : loop.blocks)
      order_.emplace(block, order_.size());
  }

  void run() {
    for (Value *value : loop_.header->values)
      if (value->op == Op::Phi && value != loop_.iterator_phi && fine())
        classify(*value);
    if (fine())
      check_arrays();
    if (fine())
      check_containers();
  }

private:
  bool fine() const { return loop_.conflict.text.empty(); }
  bool inside(const Value &value) const { return order_.contains(value.block); }

  // --- variables ---

  static std::string quoted(const Value &variable) {
    return variable.name.empty() ? "a value" : "variable '" + variable.name + "'";
  }

  /// The value that the end of an iteration gives a variable.
  const Value *assigned(const Value *phi) const {
    for (size_t i = 0; i < phi->operands.size(); ++i)
      if (phi->block->preds[i] != loop_.entry && phi->operands[i] != phi)
        return phi->operands[i];
    return phi;
  }

  void carried(const Value &phi, const Value &reader) {
    loop_.conflict = {
        quoted(phi) + " carries a value from one iteration to the next, and is not a reduction (" +
            lines_of(reader, *assigned(&phi)) +
            "): use +=, -=, *=, min() or max() on it and nothing else, or use range",
        reader.position.known() ? reader.position : phi.position};
  }

  struct Class {
    Operator oper;
    const char *kind;
    bool commutes;
  };
  static const Class *class_of(Operator oper) {
    static constexpr Class rows[] = {{Operator::Add, "+", true},      {Operator::Sub, "+", false},
                                     {Operator::Mul, "*", true},      {Operator::And, "&", true},
                                     {Operator::TrueDiv, "*", false}, {Operator::Or, "|", true},
                                     {Operator::Xor, "^", true}};
    for (const Class &row : rows)
      if (row.oper == oper)
        return &row;
    return nullptr;
  }

  static std::string kind_of_call(const Value &call) {
    const std::string *name = callee_name(call);
    if (!name || call.operands.size() != 3 || !call.keywords.empty())
      return {};
    for (const char *known : {"builtins.min", "builtins.max", "numpy.minimum", "numpy.maximum"})
      if (*name == known)
        return name->substr(name->find('.') + 1);
    return {};
  }

  /// A value of the chain read by `user`: the kind of reduction this is, empty if it is none.
  std::string step(const Value &user, const Value &link) const {
    if (user.op == Op::Operator && user.operands.size() == 2) {
      const Class *row = class_of(user.oper);
      if (!row || user.operands[0] == user.operands[1])
        return {};
      if (user.operands[0] != &link && !(row->commutes && user.operands[1] == &link))
        return {};
      return row->kind;
    }
    if (user.op == Op::Call && user.operands.size() == 3 && user.operands[1] != user.operands[2] &&
        user.operands[0] != &link)
      return kind_of_call(user);
    return {};
  }

  void classify(Value &phi) {
    std::set<const Value *> chain{&phi};
    std::vector<Value *> todo{&phi};
    std::set<std::pair<const Value *, size_t>> choices; // operands that `kind` speaks of
    std::string kind;
    bool in_place = true;
    auto joins = [&](const std::string &other) {
      if (kind.empty())
        kind = other;
      return kind == other;
    };
    for (size_t i = 0; i < todo.size(); ++i) {
      Value &link = *todo[i];
      for (Value *user : users_[&link]) {
        if (chain.contains(user) && user->op != Op::Operator && user->op != Op::Call)
          continue;
        if (user->op == Op::Phi) {
          if (user->block == loop_.header)
            return carried(phi, *user); // becomes another variable
        } else if (std::string found = step(*user, link); !found.empty()) {
          if (chain.contains(user) || !joins(found)) // s += s
            return carried(phi, *user);
          in_place = in_place && user->op == Op::Operator && user->inplace;
        } else if (user->op == Op::Local) {
          in_place = false;
        } else if (const auto choice = find_choice(link, *user)) {
          if (!joins(choice->kind))
            return carried(phi, *user);
          choices.emplace(choice->phi, choice->replaced);
          in_place = false;
          continue;
        } else {
          return carried(phi, *user);
        }
        chain.insert(user);
        todo.push_back(user);
      }
    }
    // Where the chain meets a value from elsewhere, the variable is only assigned.
    bool replaced = false;
    for (const Value *link : chain)
      if (link->op == Op::Phi)
        for (size_t i = 0; i < link->operands.size(); ++i)
          replaced =
              replaced || (!chain.contains(link->operands[i]) && !choices.contains({link, i}) &&
                           !(link == &phi && phi.block->preds[i] == loop_.entry));
    if (replaced && !kind.empty())
      return carried(phi, *assigned(&phi));
    if (kind.empty())
      kind = "last";
    else if (in_place)
      kind += "=";
    loop_.variables.push_back({&phi, kind});
  }

  struct Choice {
    const Value *phi;
    size_t replaced; ///< its operand x
    std::string kind;
  };

  /// `if x > link: link = x`, `link and x`, `link or x`: the branch on `user` decides between the
  /// link and x, and nothing else.
  std::optional<Choice> find_choice(const Value &link, const Value &user) {
    const Value *truth = &user;
    const Value *other = nullptr; // what the link is compared with
    if (user.op == Op::Operator && operator_row(user.oper).form == OperatorForm::Compare) {
      const auto users = users_.find(&user);
      if (users == users_.end() || users->second.size() != 1)
        return {};
      truth = users->second[0];
      other = user.operands[user.operands[0] == &link];
    }
    if (truth->op != Op::Operator || truth->oper != Operator::Truth)
      return {};
    const auto branches = users_.find(truth);
    if (branches == users_.end() || branches->second.size() != 1 ||
        branches->second[0]->op != Op::Branch)
      return {};
    const Block *branch = branches->second[0]->block;
    for (const Value *phi : users_[&link])
      for (size_t kept = 0; phi->op == Op::Phi && kept < phi->operands.size(); ++kept)
        for (size_t replaced = 0; replaced < phi->operands.size(); ++replaced) {
          const Block *keeps = phi->block->preds[kept], *replaces = phi->block->preds[replaced];
          if (kept == replaced || phi->operands[kept] != &link ||
              (phi->block == loop_.header && replaces == loop_.entry) ||
              !differ_in_one(*phi, kept, replaced))
            continue;
          // The way that keeps the link leads straight from the branch.
          if (keeps != branch && !(keeps->values.size() == 1 && keeps->preds[0] == branch))
            continue;
          const bool keeps_if_true = (keeps == branch ? phi->block : keeps) == branch->succs[0];
          const Block *side = branch->succs[keeps_if_true];
          if (!leads_only_from(*replaces, *side))
            continue;
          if (!other)
            return Choice{phi, replaced, keeps_if_true ? "or" : "and"};
          if (keeps_if_true || replaces != side || !is_pure(*side) ||
              !alike(*other, *phi->operands[replaced]))
            continue;
          const bool link_first = user.operands[0] == &link;
          if (user.oper == Operator::Gt || user.oper == Operator::Ge)
            return Choice{phi, replaced, link_first ? "min" : "max"};
          if (user.oper == Operator::Lt || user.oper == Operator::Le)
            return Choice{phi, replaced, link_first ? "max" : "min"};
        }
    return {};
  }

  /// Whether the way over two edges decides about one variable only.
  static bool differ_in_one(const Value &phi, size_t a, size_t b) {
    return std::all_of(phi.block->values.begin(), phi.block->values.end(), [&](const Value *other) {
      return other->op != Op::Phi || other == &phi || other->operands[a] == other->operands[b];
    });
  }
  /// Whether a block is `start`, or follows it without a way in from elsewhere.
  static bool leads_only_from(const Block &block, const Block &start) {
    const Block *at = &block;
    while (at != &start && at->preds.size() == 1)
      at = at->preds[0];
    return at == &start && start.preds.size() == 1;
  }
  static bool is_pure(const Block &block) {
    return std::all_of(block.values.begin(), block.values.end() - 1, [](const Value *value) {
      return op_row(value->op).pure || value->op == Op::Operator;
    });
  }

  // --- arrays ---

  /// One index: `factor` times the loop's variable, plus `offset`, plus `rest`.
  struct Affine {
    bool known = false;
    int64_t factor = 0, offset = 0;
    bool scaled = false;         ///< the factor is a value
    const Value *rest = nullptr; ///< a value that is the same in all iterations
  };

  Affine affine(const Value &value, int depth = 8) const {
    Affine result;
    if (value.op == Op::IterValue && value.operands[0] == loop_.next)
      return {true, 1, 0, false, nullptr};
    if (value.op == Op::Const && value.constant->kind == ConstKind::Int && !value.constant->big)
      return {true, 0, value.constant->integer, false, nullptr};
    if (!inside(value))
      return {true, 0, 0, false, &value};
    if (value.op != Op::Operator || value.operands.size() != 2 || depth == 0)
      return result;
    const Affine a = affine(*value.operands[0], depth - 1),
                 b = affine(*value.operands[1], depth - 1);
    if (!a.known || !b.known)
      return result;
    const bool plain_b = !b.factor && !b.scaled;
    switch (value.oper) {
    case Operator::Add:
      if ((a.rest && b.rest) || a.scaled || b.scaled) // its offset is not known
        return {true, a.factor + b.factor, 0, a.scaled || b.scaled, &value};
      return {true, a.factor + b.factor, a.offset + b.offset, false, a.rest ? a.rest : b.rest};
    case Operator::Sub:
      if (b.rest || a.scaled || b.scaled)
        return {true, a.factor - b.factor, 0, a.scaled || b.scaled, &value};
      return {true, a.factor - b.factor, a.offset - b.offset, false, a.rest};
    case Operator::Mul:
      if (!a.rest && !b.rest && !a.scaled && plain_b)
        return {true, a.factor * b.offset, a.offset * b.offset, false, nullptr};
      if (!a.rest && !b.rest && !b.scaled && !a.factor && !a.scaled)
        return {true, b.factor * a.offset, b.offset * a.offset, false, nullptr};
      return {true, 0, 0, a.factor || b.factor || a.scaled || b.scaled, &value};
    default: return result;
    }
  }

  struct Access {
    const Value *value; ///< the GetItem or SetItem
    const Value *array; ///< what lies outside of the loop
    std::vector<const Value *> indices;
  };

  /// The array behind a[i][j] and all its indices.
  Access access(const Value &item) const {
    Access result{&item, item.operands[0], {}};
    std::vector<const Value *> keys{item.operands[1]};
    while (inside(*result.array) && result.array->op == Op::GetItem) {
      keys.push_back(result.array->operands[1]);
      result.array = result.array->operands[0];
    }
    for (auto key = keys.rbegin(); key != keys.rend(); ++key) {
      if ((*key)->op == Op::BuildTuple)
        result.indices.insert(result.indices.end(), (*key)->operands.begin(),
                              (*key)->operands.end());
      else
        result.indices.push_back(*key);
    }
    return result;
  }

  /// Whether two iterations certainly use one element, the one writing and the other reading it.
  bool clash(const Access &write, const Access &read) const {
    if (write.array != read.array || write.indices.size() != read.indices.size())
      return false;
    bool apart = false;
    for (size_t i = 0; i < write.indices.size(); ++i) {
      const Affine a = affine(*write.indices[i]), b = affine(*read.indices[i]);
      const bool comparable =
          a.known && b.known && !a.scaled && !b.scaled && a.rest == b.rest && a.factor == b.factor;
      if (!comparable) {
        if (!alike(*write.indices[i], *read.indices[i]))
          return false;
        continue;
      }
      const int64_t distance = b.offset - a.offset;
      if (a.factor == 0 ? distance != 0 : distance % a.factor != 0)
        return false;
      apart = apart || distance != 0;
    }
    return apart;
  }

  /// Whether a condition that is the same in all iterations decides which of two blocks runs.
  bool exclude_each_other(const Block &a, const Block &b) const {
    for (const Block *block : loop_.blocks) {
      const Value &end = *block->terminator();
      std::set<const Value *> seen;
      if (end.op != Op::Branch || block == loop_.header || varies(*end.operands[0], seen))
        continue;
      const auto first = reach(block->succs[0], loop_.header);
      const auto second = reach(block->succs[1], loop_.header);
      auto only = [&](const auto &in, const auto &out, const Block &which) {
        return in.contains(&which) && !out.contains(&which);
      };
      if ((only(first, second, a) && only(second, first, b)) ||
          (only(second, first, a) && only(first, second, b)))
        return true;
    }
    return false;
  }

  /// Whether each iteration has elements of its own.
  bool is_own(const Access &write) const {
    return std::any_of(write.indices.begin(), write.indices.end(), [&](const Value *index) {
      const Affine a = affine(*index);
      if (a.known && (a.factor || a.scaled))
        return true;
      const std::string *name = callee_name(*index);
      return name && *name == "numjit.get_thread_id";
    });
  }

  static std::string name_of(const Value &array) {
    return array.name.empty() ? "an array" : "array '" + array.name + "'";
  }

  void check_arrays() {
    std::vector<Access> reads, writes;
    std::set<const Value *> shared; // arrays that have elements at which iterations may meet
    for (const Block *block : loop_.blocks)
      for (const Value *value : block->values)
        if (value->op == Op::GetItem || value->op == Op::SetItem) {
          Access found = access(*value);
          if (!inside(*found.array) && found.array->op != Op::Const)
            (value->op == Op::GetItem ? reads : writes).push_back(std::move(found));
        }
    for (const Access &write : writes) {
      for (const std::vector<Access> *others : {&reads, &writes})
        for (const Access &other : *others)
          if (clash(write, other) &&
              !exclude_each_other(*write.value->block, *other.value->block)) {
            loop_.conflict = {
                "one iteration " + std::string(others == &reads ? "reads" : "writes") +
                    " an element of " + name_of(*write.array) + " that another one writes (" +
                    lines_of(*write.value, *other.value) +
                    "): write to another array, or use range",
                other.value->position};
            return;
          }
      if (!is_own(write) && value_before(*write.value))
        shared.insert(write.array);
    }
    for (const Access &write : writes)
      if (const Value *before = value_before(*write.value); before && shared.contains(write.array))
        if (!note_update(write, *before) && !is_own(write))
          return several_change(write);
    find_own_arrays(writes);
    for (const Access &write : writes)
      if (auto update = loop_.updates.find(write.value); update != loop_.updates.end() &&
                                                         update->second.all_meet &&
                                                         only_updated(*write.array).empty())
        return several_change(write);
  }

  void several_change(const Access &write) {
    loop_.conflict = {"several iterations may change the same element of " + name_of(*write.array) +
                          " (" + lines_of(*write.value, *write.value) +
                          "): use variables or operations on whole arrays, which are reductions, "
                          "or range",
                      write.value->position};
  }

  /// The element's value before a[index] += x, a[index] = a[index] + x, a[index] = min(a[index],
  /// x); nullptr for other stores.
  static const Value *value_before(const Value &write) {
    const Value &stored = *write.operands[2];
    if (stored.op != Op::Operator && kind_of_call(stored).empty())
      return nullptr;
    const auto before =
        std::find_if(stored.operands.begin(), stored.operands.end(), [&](const Value *value) {
          return value->op == Op::GetItem && alike(*value->operands[0], *write.operands[0]) &&
                 alike(*value->operands[1], *write.operands[1]);
        });
    return before == stored.operands.end() ? nullptr : *before;
  }

  /// The order of updates of one element does not matter, if nothing else is done with it.
  bool note_update(const Access &write, const Value &before) {
    const Value &changed = *write.value->operands[2];
    if (nested_ || step(changed, before).empty() || changed.uses != 1)
      return false;
    const std::vector<Value *> &operands = changed.operands;
    Value *amount = operands[operands.size() - (operands.back() == &before ? 2 : 1)];
    std::set<const Value *> seen;
    const bool all_meet = std::ranges::none_of(
        write.indices, [&](const Value *index) { return varies(*index, seen); });
    changed_.insert(&changed);
    loop_.updates[write.value] = {&changed, amount, all_meet,
                                  changed.op == Op::Operator
                                      ? std::string(operator_row(changed.oper).symbol)
                                      : kind_of_call(changed)};
    return true;
  }

  /// How a loop changes the elements of an array that it does nothing else with; empty for others.
  std::string only_updated(const Value &array) {
    std::string result;
    for (const Value *user : users_[&array]) {
      if (user->op == Op::GetItem && std::ranges::all_of(users_[user], [&](const Value *changed) {
            return changed_.contains(changed);
          }))
        continue;
      const auto update = loop_.updates.find(user);
      if (update == loop_.updates.end())
        return {};
      const std::string &kind = update->second.kind == "-" ? "+" : update->second.kind;
      if (!result.empty() && result != kind)
        return {};
      result = kind;
    }
    return result;
  }

  void find_own_arrays(const std::vector<Access> &writes) {
    for (const Access &write : writes) {
      const auto update = loop_.updates.find(write.value);
      Value *array = write.value->operands[0];
      if (update == loop_.updates.end() || inside(*array) || only_updated(*array) != "+")
        continue;
      auto own = std::ranges::find(loop_.variables, array, &LoopVariable::phi);
      if (own == loop_.variables.end())
        own = loop_.variables.insert(own, {array, "+[]"});
      if (update->second.all_meet)
        own->kind = "+[:]";
    }
  }

  /// Whether a value may differ between iterations. The variables of loops inside of this one take
  /// the same values in each.
  bool varies(const Value &value, std::set<const Value *> &seen) const {
    if (!inside(value) || !seen.insert(&value).second)
      return false;
    if (value.op == Op::IterValue && value.operands[0] == loop_.next)
      return true;
    const std::string *name = callee_name(value);
    if (value.op == Op::Call && !(name && (name->starts_with("builtins.") || is_range(*name))))
      return true;
    if (value.op == Op::Phi &&
        std::none_of(value.block->preds.begin(), value.block->preds.end(),
                     [&](const Block *pred) { return is_behind(pred, value); }))
      return true; // what a condition chose
    return std::any_of(value.operands.begin(), value.operands.end(),
                       [&](const Value *operand) { return varies(*operand, seen); });
  }
  static bool is_range(const std::string &name) { return name == "numjit.prange"; }
  bool is_behind(const Block *pred, const Value &phi) const {
    const auto found = order_.find(pred);
    return found != order_.end() && found->second >= order_.at(phi.block);
  }

  /// Containers grow and shrink: that cannot be done by several threads.
  void check_containers() {
    for (const Block *block : loop_.blocks)
      for (const Value *value : block->values) {
        const Value *changed = changed_container(*value);
        if (!changed || inside(*changed))
          continue;
        loop_.conflict = {"all iterations change the length of " +
                              (changed->name.empty() ? "a container" : "'" + changed->name + "'") +
                              " (" + lines_of(*value, *value) +
                              "): write to an array of the right size, or use range",
                          value->position};
        return;
      }
  }

  PrangeLoop &loop_;
  const bool nested_;
  std::map<const Block *, size_t> order_; ///< of the loop's blocks: a way back has a later one
  std::map<const Value *, std::vector<Value *>> users_;
  std::set<const Value *> changed_; ///< values that updates compute
};

} // namespace

bool alike(const Value &a, const Value &b, int depth) {
  if (&a == &b)
    return true;
  if (depth == 0 || a.op != b.op)
    return false;
  switch (a.op) {
  case Op::Const: return a.constant == b.constant;
  case Op::Call:
    if (!is_function_of_operands(a) || !b.keywords.empty())
      return false;
    break;
  case Op::GetItem:
  case Op::BuildTuple:
  case Op::BuildSlice: break;
  case Op::GetAttr:
    if (a.name != b.name)
      return false;
    break;
  case Op::Operator:
    if (a.oper != b.oper || a.inplace || b.inplace)
      return false;
    break;
  default: return false;
  }
  return std::ranges::equal(a.operands, b.operands, [&](const Value *x, const Value *y) {
    return alike(*x, *y, depth - 1);
  });
}

void analyse(const Function &function, PrangeLoop &loop, bool nested) {
  settle_variables(function, loop);
  Analysis(function, loop, nested).run();
}

} // namespace numjit::ssa
