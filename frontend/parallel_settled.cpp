// Variables that a loop over prange assigns under a condition.
//
//   for i in prange(n):
//     if own:                  # the same in all iterations
//       m = bounds(x[i])
//     far = x[i] > 0           # asked twice in an iteration
//     if far:
//       scale = norm(x[i])
//     out[i] = distance(x[i], m)
//     if far:
//       out[i] *= scale
//
// Without a look at the conditions, `m` and `scale` carry values from one iteration to the next.
// With it, each iteration reads what it has assigned itself, or what stood in front of the loop.
#include "frontend/parallel_loops.h"

#include <algorithm>
#include <map>
#include <optional>
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
    // A condition that is tested once tells nothing about other places.
    for (const auto &[condition, branches] : asked_)
      if (branches.size() > 1 && varying_.size() < kMost) {
        for (auto [block, holds] : branches)
          branches_in_iteration_[block] = {varying_.size(), holds};
        varying_.push_back(condition);
      }
  }

  void run() {
    if ((conditions_.empty() && varying_.empty()) || conditions_.size() > kMost)
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
    return is_only_read(value);
  }

  bool is_only_read(const Value &value) const {
    const auto users = users_.find(&value);
    return users == users_.end() || std::ranges::all_of(users->second, [&](const Value *user) {
             return user->op == Op::Call || user->op == Op::GetItem || user->op == Op::Phi ||
                    user->op == Op::Branch || (user->op == Op::Operator && !user->inplace) ||
                    is_part_of_index(*user);
           });
  }

  /// The tuple of a[i, j].
  bool is_part_of_index(const Value &tuple) const {
    const auto users = users_.find(&tuple);
    return tuple.op == Op::BuildTuple && users != users_.end() &&
           std::ranges::all_of(users->second, [&](const Value *user) {
             return (user->op == Op::GetItem || user->op == Op::SetItem) &&
                    user->operands[0] != &tuple && user->operands[1] == &tuple &&
                    (user->op == Op::GetItem || user->operands[2] != &tuple);
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
    if (!is_fixed(*bare)) {
      if (inside(*bare) && is_only_read(*bare)) {
        auto asked = std::ranges::find(asked_, bare, &Asked::condition);
        if (asked == asked_.end())
          asked = asked_.insert(asked, {bare, {}});
        asked->branches.emplace_back(&block, holds);
      }
      return;
    }
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

  static bool lead(const Ways &ways, const Block *from, const Block *to) {
    const auto way = ways.find(to);
    return way != ways.end() && way->second.contains(from);
  }

  /// Whether a phi may take its operand number i.
  static bool takes(const Value &phi, size_t i, const Ways &ways) {
    return lead(ways, phi.block->preds[i], phi.block);
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

  /// A place on a way through an iteration, where `held` has what the iteration before assigned.
  struct Place {
    const Block *block;
    const Value *held;
    /// The conditions that vary: a bit says whether condition k is known here, and what it is.
    unsigned known = 0, truths = 0;
    auto operator<=>(const Place &) const = default;
  };

  bool is_read(const Place &place) const {
    const auto users = users_.find(place.held);
    return users != users_.end() && std::ranges::any_of(users->second, [&](const Value *user) {
             return user->op != Op::Phi && user->block == place.block;
           });
  }

  /// What is known behind a block where its successor i follows; none where it can't.
  std::optional<Place> beyond(const Place &place, size_t i, const Ways &ways) const {
    const Block *next = place.block->succs[i];
    if (!lead(ways, place.block, next))
      return std::nullopt;
    Place found{next, place.held, place.known, place.truths};
    if (auto branch = branches_in_iteration_.find(place.block);
        branch != branches_in_iteration_.end()) {
      const unsigned bit = 1u << branch->second.condition;
      const bool truth = (i == 0) == branch->second.holds;
      if ((found.known & bit) && truth != bool(found.truths & bit))
        return std::nullopt;
      found.known |= bit;
      found.truths = truth ? found.truths | bit : found.truths & ~bit;
    }
    for (size_t k = 0; k < varying_.size(); ++k)
      if (varying_[k]->block == next) { // computed anew
        found.known &= ~(1u << k);
        found.truths &= ~(1u << k);
      }
    return found;
  }

  /// Whether no iteration reads what the one before it has assigned.
  bool is_assigned_first(const Value &phi, const Ways &ways) const {
    const Place start{loop_.header, &phi};
    std::set<Place> seen{start};
    std::vector<Place> todo{start};
    auto go = [&](const Place &place) {
      if (seen.insert(place).second)
        todo.push_back(place);
    };
    while (!todo.empty()) {
      const Place place = todo.back();
      todo.pop_back();
      if (is_read(place))
        return false;
      for (size_t i = 0; i < place.block->succs.size(); ++i) {
        const std::optional<Place> next = beyond(place, i, ways);
        if (!next)
          continue;
        bool overwritten = next->block == loop_.header; // the iteration is over
        for (const Value *value : next->block->values) {
          if (value->op != Op::Phi)
            break;
          overwritten |= value == place.held;
          for (size_t k = 0; k < value->operands.size(); ++k) {
            if (value->block->preds[k] != place.block || value->operands[k] != place.held)
              continue;
            if (next->block != loop_.header)
              go({next->block, value, next->known, next->truths});
            else if (value != &phi)
              return false; // becomes another variable
          }
        }
        if (!overwritten)
          go(*next);
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

  struct Asked {
    const Value *condition;
    std::vector<std::pair<const Block *, bool>> branches; ///< and where the first successor follows
  };

  PrangeLoop &loop_;
  std::map<const Value *, std::vector<Value *>> users_, users_behind_;
  std::vector<const Value *> conditions_; ///< the same in all iterations
  std::vector<const Value *> varying_;    ///< the others that are asked at several places
  std::vector<Asked> asked_;
  std::map<const Block *, Decided> branches_in_iteration_; ///< of varying_
  std::map<const Block *, Decided> branches_;
  std::vector<Ways> ways_; ///< for all values of the conditions
};

} // namespace

void settle_variables(const Function &function, PrangeLoop &loop) {
  Settling(function, loop).run();
}

} // namespace numjit::ssa
