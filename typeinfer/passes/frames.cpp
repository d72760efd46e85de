#include "typeinfer/passes/frames.h"

#include "typeinfer/passes/edit.h"
#include "typeinfer/passes/ssa_update.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace numjit::passes {

using namespace tir;

namespace {

using Users = std::vector<std::vector<Value *>>; ///< by value id

class Frame {
public:
  Frame(Function &function, Value &made) : function_(function), made_(made) {}

  /// Whether all uses are loads and stores, each place of one type.
  bool only_accessed(const Users &users) {
    return std::ranges::all_of(users[made_.id], [&](Value *data) {
      return data->op == Op::OwnerData && std::ranges::all_of(users[data->id], [&](Value *use) {
               if (use->op != Op::PtrAdd)
                 return note(use, data, 0);
               const Value *by = use->operands[1];
               return by->op == Op::Const &&
                      std::ranges::all_of(users[use->id], [&](Value *access) {
                        return note(access, use, by->integer);
                      });
             });
    });
  }

  void promote(std::vector<Value *> &forward) {
    for (auto &[offset, place] : places_)
      place.current = initial(place.type, offset);
    std::vector<std::pair<Value *, Place *>> open; // loads of what was stored in other blocks
    for (Block *block : function_.blocks) {
      for (auto &[offset, place] : places_)
        place.known = false;
      for (Value *value : block->values) {
        if (value == &made_)
          for (auto &[offset, place] : places_)
            place.set(place.current); // the initial one until here
        auto accessed = accesses_.find(value);
        if (accessed == accesses_.end())
          continue;
        Place &place = *accessed->second;
        if (value->op == Op::Store)
          place.set(value->operands[1]);
        else if (place.known)
          forward[value->id] = place.now;
        else
          open.emplace_back(value, &place);
      }
      for (auto &[offset, place] : places_)
        if (place.known)
          place.variable->write(*block, place.now);
    }
    forward.resize(function_.values.size());
    for (auto [load, place] : open)
      forward[load->id] = place->variable->at_start(*load->block);
    drop();
  }

private:
  struct Place {
    const Type *type = nullptr;
    Value *current = nullptr; ///< what it holds at first
    Value *now = nullptr;     ///< while a block is walked, if `known`
    bool known = false;
    std::unique_ptr<SsaVariable> variable;
    void set(Value *value) {
      now = value;
      known = true;
    }
  };

  bool note(Value *access, const Value *pointer, int64_t offset) {
    const bool load = access->op == Op::Load;
    if (!load && (access->op != Op::Store || access->operands[0] != pointer))
      return false;
    const Type *type = load ? access->type : access->operands[1]->type;
    Place &place = places_[offset];
    if (place.type && place.type != type)
      return false;
    if (!place.type) {
      if (!has_initial(type))
        return false;
      place.type = type;
      place.variable = std::make_unique<SsaVariable>(function_, type, made_);
    }
    accesses_[access] = &place;
    return true;
  }

  static bool has_initial(const Type *type) {
    return !type->counted || type->kind == Kind::Owner ||
           (!type->fields.empty() && std::ranges::all_of(type->fields, has_initial));
  }

  /// What nothing reads, but for the state; counted values must be fit to be released.
  Value *initial(const Type *type, int64_t offset) {
    Op op = Op::Undef;
    if (offset == 0 || type->kind == Kind::Owner)
      op = Op::Const;
    else if (type->counted)
      op = Op::Struct;
    Value *value = make_value(function_, op, type, {}, made_);
    if (op == Op::Struct)
      for (const Type *field : type->fields)
        value->operands.push_back(initial(field, -1));
    value->block = made_.block;
    auto place = std::find(made_.block->values.begin(), made_.block->values.end(), &made_);
    made_.block->values.insert(place, value);
    return value;
  }

  void drop() {
    Block &block = *made_.block;
    if (guarded_by_try(block) == &made_) {
      std::erase(block.succs[1]->preds, &block); // no phis there
      block.succs.pop_back();
      block.terminator()->op = Op::Jump;
    }
    std::erase(block.values, &made_);
    for (const auto &[access, place] : accesses_)
      std::erase(access->block->values, access);
    for (Block *with : function_.blocks)
      std::erase_if(with->values, [&](const Value *value) {
        return (value->op == Op::OwnerData && value->operands[0] == &made_) ||
               (value->op == Op::PtrAdd && value->operands[0]->op == Op::OwnerData &&
                value->operands[0]->operands[0] == &made_);
      });
  }

  Function &function_;
  Value &made_;
  std::map<int64_t, Place> places_; ///< by offset
  std::unordered_map<const Value *, Place *> accesses_;
};

Users users_of(const Function &function) {
  Users users(function.values.size());
  for (const Block *block : function.blocks)
    for (Value *value : block->values)
      for (const Value *operand : value->operands)
        users[operand->id].push_back(value);
  return users;
}

} // namespace

bool promote_frames(Function &function) {
  std::vector<Value *> frames;
  for (const Block *block : function.blocks)
    for (Value *value : block->values)
      if (value->op == Op::CallRuntime && value->runtime_op == RuntimeOp::FrameNew)
        frames.push_back(value);
  bool changed = false;
  for (Value *made : frames) {
    Frame frame(function, *made);
    if (!frame.only_accessed(users_of(function)))
      continue;
    if (!changed)
      split_exception_edges(function);
    changed = true;
    std::vector<Value *> forward(function.values.size());
    frame.promote(forward);
    auto resolve = [&](Value *value) {
      while (value->id < forward.size() && forward[value->id])
        value = forward[value->id];
      return value;
    };
    for (Block *block : function.blocks)
      for (Value *value : block->values)
        for (Value *&operand : value->operands)
          operand = resolve(operand);
  }
  return changed;
}

} // namespace numjit::passes
