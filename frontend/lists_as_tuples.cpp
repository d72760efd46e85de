// Lists whose items have types of their own, as tuples:
//
//     arrays = [np.asarray(a) for a in args]
//     arrays[0] = arrays[0] * scale
//     return combine(*arrays)
//
// where args holds arrays of several types. Lists have one type of item, tuples need not, and how
// long a tuple is is known. That goes for lists that nothing but this function sees, whose changes
// follow one another once each: in no loop but those that inference has unrolled, and on every way
// to what reads the list afterwards. Inference asks for it where it failed with lists.
#include "frontend/ssa_draft.h"

#include <algorithm>
#include <map>

namespace numjit::ssa {

namespace {

/// Functions that take a tuple for a list; so do those of NumPy.
constexpr std::string_view kReaders[] = {
    "builtins.len",  "builtins.list",      "builtins.tuple",   "builtins.sorted", "builtins.sum",
    "builtins.min",  "builtins.max",       "builtins.any",     "builtins.all",    "builtins.set",
    "builtins.zip",  "builtins.map",       "builtins.filter",  "builtins.iter",   "builtins.dict",
    "builtins.bool", "builtins.enumerate", "builtins.reversed"};

/// Of these, those whose iterators see changes of the list.
constexpr std::string_view kIterators[] = {"builtins.zip",       "builtins.map",
                                           "builtins.filter",    "builtins.iter",
                                           "builtins.enumerate", "builtins.reversed"};

constexpr size_t kMostItems = 64;

std::string_view called_name(const Value &call) {
  const Value &callee = *call.operands[0];
  return callee.op == Op::Const && callee.constant->kind == ConstKind::Object
             ? std::string_view(callee.constant->object->name)
             : std::string_view();
}

bool is_slice(const Value &index) {
  return index.op == Op::BuildSlice ||
         (index.op == Op::Const && index.constant->kind == ConstKind::Slice);
}

/// A list, what is done with it, and the tuples that stand for it.
struct List {
  Value *made;
  std::vector<Value *> changes; ///< as they follow one another
  std::vector<Value *> reads;
  std::vector<Value *> phis;    ///< where it meets other such lists
  std::vector<Value *> methods; ///< that `changes` call
  std::vector<Value *> after;   ///< the tuple that a change makes
};

class Maker {
public:
  explicit Maker(Draft &draft) : draft_(draft) {
    for (int32_t id : draft_.order)
      if (!draft_.blocks[id].dropped)
        for (Value *value : draft_.blocks[id].block.values)
          for (Value *operand : value->operands) {
            std::vector<Value *> &users = users_[operand];
            if (users.empty() || users.back() != value)
              users.push_back(value);
          }
  }

  void run() {
    for (int32_t id : draft_.order)
      if (!draft_.blocks[id].dropped)
        for (Value *value : draft_.blocks[id].block.values)
          if (makes_list(*value) && look_at(*value))
            lists_.push_back(found_);
    drop_phis_of_others();
    for (List &list : lists_)
      rewrite(list);
  }

private:
  const std::vector<Value *> &users_of(const Value &value) { return users_[&value]; }

  /// [a, b], or list() of what is a tuple whatever the types are.
  bool makes_list(const Value &value) const {
    if (value.op == Op::BuildList)
      return value.operands.size() <= kMostItems;
    if (value.op != Op::Call || value.operands.size() != 2 || !value.keywords.empty() ||
        called_name(value) != "builtins.list")
      return false;
    const Value &given = *value.operands[1];
    const Code &code = draft_.def.code;
    return given.op == Op::BuildTuple || (given.op == Op::Param && code.has_varargs() &&
                                          given.index == code.argcount + code.kwonlyargcount);
  }

  /// Whether an operation reads a list as it would read a tuple.
  bool reads(const Value &user, const Value &list) {
    switch (user.op) {
    case Op::GetItem: return user.operands[0] == &list && !is_slice(*user.operands[1]);
    case Op::GetIter:
    case Op::Unpack:
    case Op::ListToTuple: return true;
    case Op::ListExtend:
    case Op::SetUpdate:
    case Op::CallStar: return user.operands[0] != &list && user.operands[1] == &list;
    case Op::Operator:
      return (user.oper == Operator::In || user.oper == Operator::NotIn) &&
             user.operands[0] != &list;
    case Op::GetAttr: return user.name == "index" || user.name == "count";
    case Op::Call: {
      const std::string_view name = called_name(user);
      return name.starts_with("numpy.") || std::ranges::find(kReaders, name) != std::end(kReaders);
    }
    default: return false;
    }
  }

  /// Whether an operation changes a list by items that it names.
  bool changes(const Value &user, const Value &list) {
    if (user.operands[0] != &list ||
        std::count(user.operands.begin(), user.operands.end(), &list) > 1)
      return false;
    if (user.op == Op::SetItem)
      return !is_slice(*user.operands[1]);
    return user.op == Op::ListAppend || user.op == Op::ListExtend;
  }

  /// The call of a method that changes the list; null if `attribute` is none.
  Value *changing_call(const Value &attribute) {
    if (attribute.op != Op::GetAttr || (attribute.name != "append" && attribute.name != "extend"))
      return nullptr;
    const std::vector<Value *> &users = users_of(attribute);
    const bool called = users.size() == 1 && users[0]->op == Op::Call &&
                        users[0]->operands.size() == 2 && users[0]->keywords.empty() &&
                        users[0]->operands[0] == &attribute && users[0]->operands[1] != &attribute;
    return called && users_of(*users[0]).empty() ? users[0] : nullptr;
  }

  bool look_at(Value &made) {
    found_ = {&made, {}, {}, {}, {}, {}};
    for (Value *user : users_of(made))
      if (changes(*user, made)) {
        found_.changes.push_back(user);
      } else if (Value *call = changing_call(*user)) {
        found_.changes.push_back(call);
        found_.methods.push_back(user);
      } else if (user->op == Op::Phi) {
        found_.phis.push_back(user);
      } else if (reads(*user, made)) {
        found_.reads.push_back(user);
      } else {
        return false;
      }
    const bool fits =
        found_.changes.size() <= kMostItems && !is_guarded(made) &&
        std::ranges::none_of(found_.changes, [&](const Value *each) { return is_guarded(*each); });
    return fits && follow_one_another();
  }

  /// Whether the changes have one order, in which each happens once, and come before what reads
  /// them on every way.
  bool follow_one_another() {
    const std::vector<Value *> &changes = found_.changes; // in the order of the program
    for (size_t i = 0; i < changes.size(); ++i) {
      if (leads_to(draft_, *changes[i], *changes[i], found_.made))
        return false;
      if (i > 0 && !always_before(*changes[i - 1], *changes[i]))
        return false;
    }
    const auto sees = [&](const Value &place) {
      return std::ranges::all_of(changes, [&](const Value *change) {
        return change == &place || !leads_to(draft_, *change, place, found_.made) ||
               always_before(*change, place);
      });
    };
    const auto keeps = [&](const Value &read) { // the items, while it is iterated over
      const bool iterates =
          read.op == Op::GetIter ||
          (read.op == Op::Call &&
           std::ranges::find(kIterators, called_name(read)) != std::end(kIterators));
      return !iterates || std::ranges::none_of(changes, [&](const Value *change) {
        return leads_to(draft_, read, *change, found_.made);
      });
    };
    return std::ranges::all_of(found_.reads,
                               [&](const Value *read) { return sees(*read) && keeps(*read); }) &&
           std::ranges::all_of(found_.phis, [&](const Value *phi) {
             return std::ranges::all_of(ends_before(*phi, *found_.made),
                                        [&](const Value *end) { return sees(*end); });
           });
  }

  /// Whether an exception may leave its block before it.
  bool is_guarded(const Value &value) const { return draft_.blocks[value.block->id].guarded; }

  bool always_before(const Value &change, const Value &place) {
    return leads_to(draft_, change, place) && !leads_to(draft_, *found_.made, place, &change);
  }

  /// The ends of the blocks from which a phi takes a value.
  std::vector<Value *> ends_before(const Value &phi, const Value &value) {
    std::vector<Value *> ends;
    const std::vector<int32_t> &preds = draft_.blocks[phi.block->id].preds;
    for (size_t i = 0; i < phi.operands.size(); ++i)
      if (phi.operands[i] == &value)
        ends.push_back(draft_.blocks[preds[i]].block.values.back());
    return ends;
  }

  /// A phi is a tuple where all that meets in it is, and all that is done with it is reading.
  void drop_phis_of_others() {
    for (bool changed = true; changed;) {
      changed = false;
      std::erase_if(lists_, [&](const List &list) {
        const bool drop = std::ranges::any_of(list.phis, [&](const Value *phi) {
          const bool meets_lists = std::ranges::all_of(phi->operands, [&](const Value *operand) {
            return std::ranges::any_of(lists_,
                                       [&](const List &other) { return other.made == operand; });
          });
          return !meets_lists || !std::ranges::all_of(users_of(*phi), [&](const Value *user) {
            return user->op != Op::Phi && reads(*user, *phi);
          });
        });
        changed |= drop;
        return drop;
      });
    }
  }

  Value *put_before(Value &place, Op op, std::vector<Value *> operands) {
    Value *value = draft_.make(op, place.position);
    value->operands = std::move(operands);
    value->block = place.block;
    std::vector<Value *> &values = place.block->values;
    values.insert(std::ranges::find(values, &place), value);
    return value;
  }

  Value *call_before(Value &place, const char *name, std::vector<Value *> arguments) {
    Value *callee = put_before(place, Op::Const, {});
    callee->constant = constants::builtin(name);
    arguments.insert(arguments.begin(), callee);
    return put_before(place, Op::Call, std::move(arguments));
  }

  void rewrite(List &list) {
    Value *tuple = list.made;
    for (Value *change : list.changes) {
      const bool is_method = change->op == Op::Call;
      Value *item = change->operands.back();
      if (change->op == Op::SetItem) {
        tuple = call_before(*change, "numjit.with_item", {tuple, change->operands[1], item});
      } else {
        const bool extends =
            change->op == Op::ListExtend || (is_method && change->operands[0]->name == "extend");
        Value *more = extends ? call_before(*change, "builtins.tuple", {item})
                              : put_before(*change, Op::BuildTuple, {item});
        for (List &other : lists_) // whose items are added
          std::ranges::replace(other.reads, change, more);
        tuple = put_before(*change, Op::Operator, {tuple, more});
        tuple->oper = Operator::Add;
      }
      list.after.push_back(tuple);
    }
    for (Value *read : list.reads)
      std::ranges::replace(read->operands, list.made, tuple_at(list, *read));
    for (Value *phi : list.phis) {
      const std::vector<int32_t> &preds = draft_.blocks[phi->block->id].preds;
      for (size_t i = 0; i < phi->operands.size(); ++i)
        if (phi->operands[i] == list.made)
          phi->operands[i] = tuple_at(list, *draft_.blocks[preds[i]].block.values.back());
    }
    for (std::vector<Value *> *gone : {&list.changes, &list.methods})
      for (Value *value : *gone)
        std::erase(value->block->values, value);
    if (list.made->op == Op::BuildList) {
      list.made->op = Op::BuildTuple;
    } else { // list(args)
      Value *cls = put_before(*list.made, Op::Const, {});
      cls->constant = constants::builtin("builtins.tuple");
      list.made->operands[0] = cls;
    }
  }

  Value *tuple_at(const List &list, const Value &place) {
    Value *tuple = list.made;
    for (size_t i = 0; i < list.changes.size(); ++i)
      if (leads_to(draft_, *list.changes[i], place, list.made))
        tuple = list.after[i];
    return tuple;
  }

  Draft &draft_;
  std::map<const Value *, std::vector<Value *>> users_;
  std::vector<List> lists_;
  List found_;
};

} // namespace

void make_tuples_of_lists(Draft &draft) { Maker(draft).run(); }

} // namespace numjit::ssa
