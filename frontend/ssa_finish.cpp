// The last step of SSA construction: from the draft to the function that later stages see.
#include "frontend/decode.h"
#include "frontend/ssa_draft.h"
#include "frontend/stack_machine.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>

namespace numjit::ssa {

namespace {

/// Values that may go when nothing uses them: they neither do anything nor can be in error. (An
/// unused GetAttr or GetItem stays: it may raise.)
bool is_removable(const Value &value) {
  switch (value.op) {
  case Op::Const:
  case Op::Undef:
  case Op::Phi:
  case Op::BuildTuple:
  case Op::BuildList:
  case Op::BuildSet:
  case Op::BuildMap:
  case Op::MergeKeywords:
  case Op::BuildSlice:
  case Op::FormatValue:
  case Op::IterState:
  case Op::IterValue:
  case Op::UnpackItem:
  case Op::UnrolledItem:
  case Op::MakeFunction: return true;
  default: return false;
  }
}

class Finisher {
public:
  Finisher(Draft &draft, Environment &environment) : draft_(draft), environment_(environment) {}

  std::shared_ptr<Function> run() {
    draft_.simplify(draft_.phis);
    place_phis();
    for (int32_t id : draft_.order)
      if (!draft_.blocks[id].dropped)
        for (Value *value : draft_.blocks[id].block.values)
          settle(*value);
    place_made();
    place_broken();
    rewrite_collections(draft_, environment_);
    join_tuples();
    if (draft_.known_items)
      make_values_of_containers(draft_);
    if (!draft_.def.is_library)
      keep_iterators(draft_);
    mark_live();
    return copy();
  }

private:
  void place_phis() {
    std::vector<std::vector<Value *>> phis(draft_.blocks.size());
    for (Value *phi : draft_.phis)
      if (phi->block)
        phis[phi->block->id].push_back(phi);
    for (size_t i = 0; i < phis.size(); ++i) {
      if (phis[i].empty())
        continue;
      // By variable, so that the order doesn't depend on who read what first.
      std::sort(phis[i].begin(), phis[i].end(),
                [](const Value *a, const Value *b) { return a->index < b->index; });
      Block &block = draft_.blocks[i].block;
      for (Value *phi : phis[i]) {
        phi->position = draft_.bytecode.code[0].position;
        for (const Value *value : block.values)
          if (value->position.known()) {
            phi->position = value->position;
            break;
          }
        if (phi->index < draft_.variable_count() &&
            draft_.bytecode.variables[phi->index].substr(0, 1) != ".")
          phi->name = draft_.bytecode.variables[phi->index];
        phi->index = 0;
      }
      block.values.insert(block.values.begin(), phis[i].begin(), phis[i].end());
    }
  }

  /// Makes a value's operands final.
  void settle(Value &value) {
    for (Value *&operand : value.operands)
      operand = Draft::resolve(operand);
    if ((value.op == Op::Call || value.op == Op::CallStar) && value.star == unresolved_callee)
      settle_callee(value);
    if (value.op == Op::Call) {
      make_display(value);
      add_fields(value);
    }
    if (value.op == Op::CallStar && value.operands.size() == 3)
      name_keywords(value);
    if (value.op == Op::MakeFunction && !has_its_operands(value)) {
      value.op = Op::Unsupported;
      value.name = refusals::invalid_bytecode;
      value.constant = nullptr;
      value.operands.clear();
    }
    for (Value *&operand : value.operands)
      if (operand == &draft_.null)
        operand = broken();
    if (value.op == Op::GetAttr && value.operands[0]->op == Op::Const &&
        value.operands[0]->constant->kind == ConstKind::Object) {
      const Const &object = *value.operands[0]->constant;
      if (const Const *attribute = environment_.attribute(draft_.def, object, value.name)) {
        value.op = Op::Const;
        value.constant = attribute;
        value.name.clear();
        value.operands.clear();
      }
    }
  }

  /// f(*args, k=v) comes as f(*args, **{"k": v}), and f(k=v, **d) with d merged into the map.
  void name_keywords(Value &call) {
    Value *map = call.operands.back();
    call.operands.pop_back();
    add_keywords(call, map);
  }

  void add_keywords(Value &call, Value *map) {
    map = Draft::resolve(map);
    if (map->op == Op::MergeKeywords) {
      add_keywords(call, map->operands[0]);
      return add_keywords(call, map->operands[1]);
    }
    if (map->op != Op::BuildMap || !has_names(*map) || may_change(*map)) {
      call.keywords.emplace_back("**");
      return call.operands.push_back(map);
    }
    for (size_t i = 0; i < map->operands.size(); i += 2) {
      call.keywords.push_back(Draft::resolve(map->operands[i])->constant->text);
      call.operands.push_back(Draft::resolve(map->operands[i + 1]));
    }
  }

  static bool has_names(const Value &map) {
    for (size_t i = 0; i < map.operands.size(); i += 2) {
      const Value &key = *Draft::resolve(map.operands[i]);
      if (key.op != Op::Const || key.constant->kind != ConstKind::Str)
        return false;
    }
    return true;
  }

  /// Whether anything but calls with ** and look-ups has a dict that a display makes.
  bool may_change(const Value &map) const {
    for (const DraftBlock &draft : draft_.blocks)
      for (const Value *value : draft.block.values)
        for (size_t i = 0; i < value->operands.size(); ++i) {
          const bool keeps = value->op == Op::MergeKeywords || value->op == Op::CallStar ||
                             (value->op == Op::GetItem && i == 0) ||
                             (value->op == Op::Operator && i == 1 &&
                              (value->oper == Operator::In || value->oper == Operator::NotIn));
          if (!keeps && Draft::resolve(value->operands[i]) == &map)
            return true;
        }
    return false;
  }

  /// dict(a=x, b=y) is {"a": x, "b": y}.
  void make_display(Value &call) {
    const Value &callee = *call.operands[0];
    if (call.keywords.empty() || call.operands.size() != 1 + call.keywords.size() ||
        callee.op != Op::Const || !callee.constant->is_object(ObjectKind::Class) ||
        callee.constant->object->name != "builtins.dict")
      return;
    std::vector<Value *> operands;
    for (size_t i = 0; i < call.keywords.size(); ++i) {
      Value *key = draft_.make(Op::Const, call.position);
      key->constant = constants::string(call.keywords[i]);
      key->block = call.block;
      made_.push_back({&call, key});
      operands.push_back(key);
      operands.push_back(call.operands[1 + i]);
    }
    call.op = Op::BuildMap;
    call.operands = std::move(operands);
    call.keywords.clear();
    call.star = -1;
  }

  /// Fields that a call of a dataclass leaves out, and that are made anew: default_factory=list.
  void add_fields(Value &call) {
    const Value &callee = *call.operands[0];
    if (callee.op != Op::Const || !callee.constant->is_object(ObjectKind::DataClass))
      return;
    const Object &cls = *callee.constant->object;
    for (size_t i = call.operands.size() - 1 - call.keywords.size(); i < cls.fields.size(); ++i) {
      const Const *factory = cls.member("factory " + cls.fields[i]);
      if (!factory || std::ranges::find(call.keywords, cls.fields[i]) != call.keywords.end())
        continue;
      const std::string name = factory->object ? factory->object->name : "";
      auto make = [&](Op op) {
        Value *made = draft_.make(op, call.position);
        made->block = call.block;
        made_.push_back({&call, made});
        return made;
      };
      Value *made = nullptr;
      if (name == "builtins.list" || name == "builtins.dict") {
        made = make(name == "builtins.list" ? Op::BuildList : Op::BuildMap);
      } else {
        Value *constant = make(Op::Const);
        constant->constant = factory;
        made = make(Op::Call);
        made->operands = {constant};
      }
      call.keywords.push_back(cls.fields[i]);
      call.operands.push_back(made);
    }
  }

  void place_made() {
    for (const auto &[before, value] : made_) {
      std::vector<Value *> &values = value->block->values;
      values.insert(std::find(values.begin(), values.end(), before), value);
    }
  }

  /// Damaged bytecode may leave out a function's closure.
  static bool has_its_operands(const Value &function) {
    const FunctionDef &inner = *function.constant->object->function;
    return function.operands.size() ==
           inner.code.freevars.size() + static_cast<size_t>(function.index);
  }

  /// A call has two slots below its arguments: one of them is NULL, or the second is an argument.
  void settle_callee(Value &call) {
    call.star = -1;
    std::vector<Value *> &operands = call.operands;
    for (int i = 0; i < 2; ++i)
      if (operands[i] == &draft_.null) {
        operands.erase(operands.begin() + i);
        // f(*args, **NULL) is how some versions say that there are no keywords.
        if (call.op == Op::CallStar && operands.size() == 3 && operands[2] == &draft_.null)
          operands.pop_back();
        return;
      }
    if (call.op == Op::CallStar)
      operands.erase(operands.begin() + 1);
  }

  /// Stands for operands that damaged bytecode doesn't give.
  Value *broken() {
    if (!broken_) {
      broken_ = draft_.make(Op::Unsupported);
      broken_->name = refusals::invalid_bytecode;
      broken_->block = &draft_.blocks[0].block;
    }
    return broken_;
  }

  void place_broken() {
    if (broken_)
      draft_.blocks[0].block.values.insert(draft_.blocks[0].block.values.begin(), broken_);
  }

  /// `(*a, b)` comes as a list that is extended and then turned into a tuple. Lists have one type
  /// of item, so say the same with tuples, where the list is turned: tuple(a) + (b,). There are
  /// several such places where CPython copied the end of the function into branches.
  void join_tuples() {
    std::vector<const Value *> lists; // in the order of the program
    std::map<const Value *, std::vector<Value *>> users;
    for (int32_t id : draft_.order)
      if (!draft_.blocks[id].dropped)
        for (Value *value : draft_.blocks[id].block.values)
          for (const Value *operand : value->operands)
            if (operand->op == Op::BuildList) {
              if (users[operand].empty())
                lists.push_back(operand);
              users[operand].push_back(value);
            }
    for (const Value *list : lists)
      join_tuples_of(*list, users[list]);
  }

  void join_tuples_of(const Value &list, const std::vector<Value *> &users) {
    std::vector<Value *> parts, tuples;
    for (Value *user : users) {
      const bool part = user->op == Op::ListExtend || user->op == Op::ListAppend;
      if (!(part || user->op == Op::ListToTuple) || user->operands[0] != &list ||
          std::count(user->operands.begin(), user->operands.end(), &list) > 1)
        return;
      (part ? parts : tuples).push_back(user);
    }
    if (tuples.empty())
      return;
    std::vector<std::vector<Value *>> parts_of(tuples.size());
    for (size_t i = 0; i < tuples.size(); ++i)
      for (Value *part : parts) {
        if (!leads_to(draft_, *part, *tuples[i]))
          continue;
        if (leads_to(draft_, list, *tuples[i], part))
          return; // not always
        parts_of[i].push_back(part);
      }
    for (size_t i = 0; i < tuples.size(); ++i)
      join_tuple(*tuples[i], list.operands, parts_of[i]);
    for (Value *part : parts)
      std::erase(part->block->values, part);
  }

  void join_tuple(Value &tuple, const std::vector<Value *> &first, std::span<Value *> parts) {
    std::vector<std::vector<Value *>> pending{first}; // items, and at odd places tuples
    for (const Value *part : parts)
      if (part->op == Op::ListExtend) {
        pending.push_back({part->operands[1]});
        pending.emplace_back();
      } else {
        pending.back().push_back(part->operands[1]);
      }
    auto make = [&](Op op, std::vector<Value *> operands) {
      return draft_.put_before(tuple, op, std::move(operands));
    };
    Value *sum = nullptr;
    for (size_t i = 0; i < pending.size(); ++i) {
      if (pending[i].empty())
        continue;
      Value *joined = make(i % 2 == 1 ? Op::ListToTuple : Op::BuildTuple, pending[i]);
      if (sum) {
        joined = make(Op::Operator, {sum, joined});
        joined->oper = Operator::Add;
      }
      sum = joined;
    }
    if (!sum)
      sum = make(Op::BuildTuple, {});
    tuple.op = sum->op; // its users know it by its place
    tuple.oper = sum->oper;
    tuple.operands = sum->operands;
    std::erase(tuple.block->values, sum);
  }

  /// What annotations of inner functions are computed by: it counts only where something else
  /// uses it, too.
  std::set<const Value *> annotation_values() const {
    std::set<const Value *> found;
    std::vector<const Value *> work(draft_.annotations.begin(), draft_.annotations.end());
    while (!work.empty()) {
      const Value *value = Draft::resolve(const_cast<Value *>(work.back()));
      work.pop_back();
      switch (value->op) {
      case Op::BuildTuple:
      case Op::BuildList:
      case Op::BuildMap:
      case Op::GetItem:
      case Op::GetAttr:
      case Op::Operator:
        if (found.insert(value).second)
          work.insert(work.end(), value->operands.begin(), value->operands.end());
        break;
      default: break;
      }
    }
    return found;
  }

  void mark_live() {
    // Ids serve as marks here: 0 dead, 1 live.
    std::vector<Value *> work;
    auto mark = [&](Value *value) {
      if (!value->id) {
        value->id = 1;
        work.push_back(value);
      }
    };
    const std::set<const Value *> annotations = annotation_values();
    for (int32_t id : draft_.order)
      if (!draft_.blocks[id].dropped)
        for (Value *value : draft_.blocks[id].block.values)
          if (!is_removable(*value) && !annotations.contains(value))
            mark(value);
    while (!work.empty()) {
      Value *value = work.back();
      work.pop_back();
      for (Value *operand : value->operands)
        mark(operand);
    }
  }

  /// The block that `id` is the only predecessor of and leads to, if they can be one block.
  int32_t joinable(int32_t id) const {
    const DraftBlock &block = draft_.blocks[id];
    if (block.succs.size() != 1)
      return -1;
    int32_t succ = block.succs[0];
    const DraftBlock &next = draft_.blocks[succ];
    // A loop's header keeps its identity, even if the loop never comes back. What one block raises
    // must not reach the handler of another.
    return next.preds.size() == 1 && next.block.for_loop < 0 && succ != id && !block.guarded &&
                   !next.guarded
               ? succ
               : -1;
  }

  /// The draft's blocks that become blocks of the function, by their ids in the draft.
  struct Kept {
    std::vector<int32_t> ids;    ///< in order
    std::vector<int32_t> new_id; ///< of a block of the draft, -1 where it is joined or dropped
    std::vector<int32_t> last;   ///< of the blocks that it was joined with
  };

  Kept join_blocks() const {
    const size_t count = draft_.blocks.size();
    std::vector<bool> joined(count, false);
    Kept kept{{}, std::vector<int32_t>(count, -1), std::vector<int32_t>(count, -1)};
    for (int32_t id : draft_.order) {
      if (draft_.blocks[id].dropped || joined[id])
        continue;
      kept.new_id[id] = static_cast<int32_t>(kept.ids.size());
      kept.ids.push_back(id);
      int32_t last = id;
      for (int32_t next = joinable(id); next >= 0; next = joinable(next)) {
        joined[next] = true;
        last = next;
      }
      kept.last[id] = last;
    }
    return kept;
  }

  std::shared_ptr<Function> copy() {
    auto function = std::make_shared<Function>();
    function->def = &draft_.def;
    const auto [kept, new_id, last_of] = join_blocks();
    function->blocks.resize(kept.size());
    std::vector<Value *> copies = {nullptr, nullptr}; // index: id of the old value
    uint32_t next_id = 0;
    for (int32_t id : kept) {
      Block &block = function->blocks[new_id[id]];
      const DraftBlock &draft = draft_.blocks[id];
      block.id = static_cast<uint32_t>(new_id[id]);
      block.offset = draft.block.offset;
      block.for_loop = draft.block.for_loop;
      block.guarded = draft_.blocks[last_of[id]].guarded;
      for (int32_t part = id;; part = joinable(part)) {
        for (Value *value : draft_.blocks[part].block.values) {
          bool joins = part != last_of[id] && value->op == Op::Jump;
          if (!value->id || joins)
            continue;
          value->id = static_cast<uint32_t>(copies.size());
          copies.push_back(&function->values.emplace_back(std::move(*value)));
          copies.back()->id = next_id++;
          copies.back()->block = &block;
          block.values.push_back(copies.back());
        }
        if (part == last_of[id])
          break;
      }
      for (int32_t succ : draft_.blocks[last_of[id]].succs)
        block.succs.push_back(&function->blocks[new_id[succ]]);
    }
    // A predecessor's edge leaves from the last of the blocks it was joined with.
    std::vector<int32_t> ending_with(draft_.blocks.size(), -1);
    for (int32_t id : kept)
      ending_with[last_of[id]] = new_id[id];
    for (int32_t id : kept)
      for (int32_t pred : draft_.blocks[id].preds)
        function->blocks[new_id[id]].preds.push_back(&function->blocks[ending_with[pred]]);
    for (Value &value : function->values)
      for (Value *&operand : value.operands) {
        operand = copies[operand->id];
        ++operand->uses;
      }
    for (const Value *value : function->blocks[0].values)
      if (value->op == Op::Param)
        function->parameter_names.push_back(value->name);
    return function;
  }

  Draft &draft_;
  Environment &environment_;
  Value *broken_ = nullptr;
  std::vector<std::pair<const Value *, Value *>> made_; ///< values, and what they go in front of
};

} // namespace

std::shared_ptr<Function> finish(Draft &draft, Environment &environment) {
  return Finisher(draft, environment).run();
}

} // namespace numjit::ssa
