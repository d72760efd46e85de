// Variables that a loop over prange assigns in all of its iterations or in none.
//
//   for i in prange(n):
//     if own:                  # the same in all iterations
//       m = bounds(x[i])
//     out[i] = distance(x[i], m)
//
// Without a look at the condition, `m` carries a value from one iteration to the next. With it,
// each iteration reads what it has assigned itself, or what stood in front of the loop.
#include "frontend/parallel_loops.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace numjit::ssa {

namespace {

class Settling {
public:
  Settling(const Function &function, PrangeLoop &loop) : loop_(loop) {
    for (const Block &block : function.blocks)
      for (Value *value : block.values)
        for (Value *operand : value->operands)
          (loop.contains(&block) ? users_ : users_behind_)[operand].push_back(value);
    for (const Block *block : loop.blocks)
      if (const Value &end = *block->terminator(); end.op == Op::Branch && block != loop.header)
        add_branch(*block, *end.operands[0]);
  }

  void run() {
    if (conditions_.empty() || conditions_.size() > kMost)
      return;
    for (size_t truths = 0; truths < size_t(1) << conditions_.size(); ++truths)
      ways_.push_back(ways(truths));
    const std::vector<Value *> values = loop_.header->values;
    for (Value *phi : values)
      if (phi->op == Op::Phi && phi != loop_.iterator_phi && !users_behind_.contains(phi) &&
          is_settled(*phi))
        replace(*phi);
  }

private:
  static constexpr size_t kMost = 4; ///< conditions: each doubles the ways through the loop

  bool inside(const Value &value) const { return loop_.contains(value.block); }

  /// Whether a value is the same in all iterations: operators, of what comes from in front of the
  /// loop and is not changed in it.
  bool is_fixed(const Value &value) const {
    if (value.op == Op::Const)
      return true;
    if (inside(value))
      return value.op == Op::Operator && !value.inplace &&
             std::ranges::all_of(value.operands, [&](const Value *v) { return is_fixed(*v); });
    const auto users = users_.find(&value);
    return users == users_.end() || std::ranges::all_of(users->second, [](const Value *user) {
             return user->op == Op::Call || user->op == Op::GetItem || user->op == Op::Phi ||
                    user->op == Op::Branch || (user->op == Op::Operator && !user->inplace);
           });
  }

  void add_branch(const Block &block, const Value &condition) {
    bool holds = true; // where the first successor follows
    const Value *bare = &condition;
    while (inside(*bare) && bare->op == Op::Operator &&
           (bare->oper == Operator::Truth || bare->oper == Operator::Not)) {
      holds ^= bare->oper == Operator::Not;
      bare = bare->operands[0];
    }
    if (!is_fixed(*bare))
      return;
    auto known =
        std::ranges::find_if(conditions_, [&](const Value *c) { return alike(*c, *bare); });
    branches_[&block] = {static_cast<size_t>(known - conditions_.begin()), holds};
    if (known == conditions_.end())
      conditions_.push_back(bare);
  }

  /// The blocks that an iteration may come to, each with those from which it does.
  using Ways = std::map<const Block *, std::set<const Block *>>;

  /// Where condition k has the value of bit k.
  Ways ways(size_t truths) const {
    Ways ways;
    std::set<const Block *> seen{loop_.header};
    std::vector<const Block *> todo{loop_.header};
    while (!todo.empty()) {
      const Block *block = todo.back();
      todo.pop_back();
      const auto branch = branches_.find(block);
      for (size_t i = 0; i < block->succs.size(); ++i) {
        const Block *next = block->succs[i];
        if (!loop_.contains(next))
          continue;
        if (branch != branches_.end() &&
            (i == 0) != ((truths >> branch->second.condition & 1) == branch->second.holds))
          continue;
        ways[next].insert(block);
        if (next != loop_.header && seen.insert(next).second)
          todo.push_back(next);
      }
    }
    return ways;
  }

  /// Whether a phi may take its operand number i.
  static bool takes(const Value &phi, size_t i, const Ways &ways) {
    const auto way = ways.find(phi.block);
    return way != ways.end() && way->second.contains(phi.block->preds[i]);
  }

  /// Whether each iteration leaves the variable as it is.
  bool is_kept(const Value &phi, const Ways &ways) const {
    std::set<const Value *> seen{&phi};
    std::vector<const Value *> todo{&phi};
    while (!todo.empty()) {
      const Value &link = *todo.back();
      todo.pop_back();
      for (size_t i = 0; i < link.operands.size(); ++i) {
        const Value *from = link.operands[i];
        if (!takes(link, i, ways) || seen.contains(from))
          continue;
        if (from->op != Op::Phi || !inside(*from))
          return false;
        seen.insert(from);
        todo.push_back(from);
      }
    }
    return true;
  }

  /// Whether no iteration reads what the one before it has assigned.
  bool is_assigned_first(const Value &phi, const Ways &ways) const {
    std::set<const Value *> seen{&phi};
    std::vector<const Value *> todo{&phi};
    while (!todo.empty()) {
      const Value &link = *todo.back();
      todo.pop_back();
      const auto users = users_.find(&link);
      if (users == users_.end())
        continue;
      for (const Value *user : users->second) {
        if (user->op != Op::Phi) {
          if (ways.contains(user->block))
            return false;
          continue;
        }
        bool arrives = false;
        for (size_t i = 0; i < user->operands.size(); ++i)
          arrives |= user->operands[i] == &link && takes(*user, i, ways);
        if (!arrives)
          continue;
        if (user->block == loop_.header && user != &phi)
          return false; // becomes another variable
        if (seen.insert(user).second)
          todo.push_back(user);
      }
    }
    return true;
  }

  bool is_settled(const Value &phi) const {
    return std::ranges::all_of(ways_, [&](const Ways &ways) {
      return is_kept(phi, ways) || is_assigned_first(phi, ways);
    });
  }

  /// All iterations start with what stands in front of the loop.
  void replace(Value &phi) {
    Value *before = nullptr;
    for (size_t i = 0; i < phi.operands.size(); ++i)
      if (phi.block->preds[i] == loop_.entry)
        before = phi.operands[i];
    for (Value *user : users_[&phi])
      if (user != &phi)
        for (Value *&operand : user->operands)
          if (operand == &phi) {
            operand = before;
            ++before->uses;
          }
    for (Value *operand : phi.operands)
      --operand->uses;
    std::erase(loop_.header->values, &phi);
  }

  struct Decided {
    size_t condition;
    bool holds; ///< where the first successor follows
  };

  PrangeLoop &loop_;
  std::map<const Value *, std::vector<Value *>> users_, users_behind_;
  std::vector<const Value *> conditions_;
  std::map<const Block *, Decided> branches_;
  std::vector<Ways> ways_; ///< for all values of the conditions
};

} // namespace

void settle_variables(const Function &function, PrangeLoop &loop) {
  Settling(function, loop).run();
}

} // namespace numjit::ssa
