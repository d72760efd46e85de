// Containers of `collections`: lists and dicts with some other operations, which are expressed by
// those of a list or a dict in the function that makes one. What leaves it is an object around
// that:
//
//     d = defaultdict(list)      d = {}
//     d[k].append(x)             d.setdefault(k, []).append(x)
//     c = Counter(); c[k] += 1   c = {}; c[k] = c.get(k, 0) + 1
//     q = deque(items, 5)        q = numjit.last_items(items, 5)
//     q.append(x)                q.deque_append(x, 5)
#include "frontend/factories.h"
#include "frontend/ssa_draft.h"
#include "frontend/stack_machine.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace numjit::ssa {

namespace {

enum class Sort { Default, Count, Ordered, Deque }; // as in ObjectPlan

struct Row {
  std::string_view cls;
  Sort sort;
  std::string_view maker; ///< of an object
  /// Methods of lists and dicts that mean the same, and those that have names of their own.
  std::vector<std::string_view> same, own;
};

const std::vector<Row> &rows() {
  static const std::vector<Row> table = {
      {"collections.defaultdict",
       Sort::Default,
       "numjit.defaultdict_object",
       {"get", "setdefault", "keys", "values", "items", "pop", "popitem", "clear", "update"},
       {}},
      {"collections.Counter",
       Sort::Count,
       "numjit.counter_object",
       {"get", "setdefault", "keys", "values", "items", "pop", "popitem", "clear"},
       {"update", "subtract", "most_common", "elements", "total"}},
      {"collections.OrderedDict",
       Sort::Ordered,
       "numjit.ordered_object",
       {"get", "setdefault", "keys", "values", "items", "pop", "clear", "update"},
       {"move_to_end", "popitem"}},
      {"collections.deque",
       Sort::Deque,
       "numjit.deque_object",
       {"append", "extend", "insert", "clear", "count", "index", "remove", "reverse"},
       {"append", "appendleft", "extend", "extendleft", "insert", "pop", "popleft", "rotate"}},
  };
  return table;
}

constexpr std::string_view own_prefixes[] = {"", "counter_", "ordered_", "deque_"};

/// Functions that take what they are given for a list or a dict.
constexpr std::string_view readers[] = {
    "builtins.len",       "builtins.list",     "builtins.tuple",      "builtins.sorted",
    "builtins.sum",       "builtins.min",      "builtins.max",        "builtins.any",
    "builtins.all",       "builtins.set",      "builtins.zip",        "builtins.map",
    "builtins.enumerate", "builtins.reversed", "builtins.filter",     "builtins.iter",
    "builtins.dict",      "builtins.bool",     "collections.Counter", "heapq.nlargest",
    "heapq.nsmallest"};

bool has(const std::vector<std::string_view> &names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class Rewriter {
public:
  Rewriter(Draft &draft, Environment &environment) : draft_(draft), environment_(environment) {}

  void run() {
    std::vector<std::pair<Value *, const Row *>> made;
    each_value([&](Value *value) {
      if (const Row *row = row_of(*value))
        made.emplace_back(value, row);
    });
    if (made.empty() && draft_.objects.empty())
      return;
    for (auto [value, row] : made)
      if (row->sort == Sort::Deque)
        extend_in_place(value);
    for (auto [index, plan] : draft_.objects)
      if (plan % kLimited == kDeque)
        for (Value *value : std::vector(draft_.blocks[0].block.values))
          if (value->op == Op::Param && value->index == index)
            extend_in_place(value);
    each_value([&](Value *value) {
      for (const Value *operand : value->operands)
        if (std::vector<Value *> &users = users_[operand]; users.empty() || users.back() != value)
          users.push_back(value);
    });
    for (auto [value, row] : made)
      rewrite(*value, *row);
    for (auto [index, plan] : draft_.objects)
      for (Value *value : std::vector(draft_.blocks[0].block.values))
        if (value->op == Op::Param && value->index == index)
          rewrite_parameter(*value, plan);
  }

private:
  template <class Visit>
  void each_value(Visit visit) {
    for (int32_t id : draft_.order)
      if (!draft_.blocks[id].dropped)
        for (Value *value : draft_.blocks[id].block.values)
          visit(value);
  }

  static const Row *row_of(const Value &value) {
    if (value.op != Op::Call || value.operands[0]->op != Op::Const ||
        value.operands[0]->constant->kind != ConstKind::Object)
      return nullptr;
    const std::string &name = value.operands[0]->constant->object->name;
    const auto row = std::ranges::find(rows(), name, &Row::cls);
    return row == rows().end() ? nullptr : &*row;
  }

  /// q += items is q.extend(items), behind which the name stands for the same deque.
  void extend_in_place(Value *deque) {
    const std::set<Value *> same = names_of(deque);
    std::vector<Value *> sums;
    each_value([&](Value *value) { // in the order of the program
      if (is_sum(*value) && same.contains(value))
        sums.push_back(value);
    });
    if (sums.empty() || std::ranges::any_of(sums, [&](const Value *sum) {
          return same.contains(sum->operands[1]);
        }))
      return;
    each_value([&](Value *value) {
      for (Value *&operand : value->operands)
        if (same.contains(operand))
          operand = deque;
    });
    for (Value *value : same)
      if (value->op == Op::Phi)
        std::erase(value->block->values, value);
    for (Value *sum : sums)
      call_method(*sum, *deque, "extend", {sum->operands[1]});
  }

  static bool is_sum(const Value &value) {
    return value.op == Op::Operator && value.inplace && value.oper == Operator::Add;
  }

  /// The deque, the results of += of it, and the phis where nothing else arrives.
  std::set<Value *> names_of(Value *deque) {
    std::set<Value *> names{deque};
    auto is_name = [&](Value *value) { return names.contains(value); };
    for (size_t before = 0; before != names.size();) {
      before = names.size();
      each_value([&](Value *value) {
        if (is_sum(*value) ? is_name(value->operands[0])
                           : value->op == Op::Phi && std::ranges::any_of(value->operands, is_name))
          names.insert(value);
      });
    }
    for (size_t before = 0; before != names.size();) {
      before = names.size();
      std::erase_if(names, [&](Value *value) {
        return is_sum(*value)         ? !is_name(value->operands[0])
               : value->op == Op::Phi ? !std::ranges::all_of(value->operands, is_name)
                                      : value != deque;
      });
    }
    return names;
  }

  static void become(Value &value, Op op, std::vector<Value *> operands) {
    value.op = op;
    value.operands = std::move(operands);
    value.keywords.clear();
    value.star = -1;
    value.name.clear();
  }

  void call_method(Value &user, Value &object, const char *method, std::vector<Value *> arguments) {
    Value *attribute = draft_.put_before(user, Op::GetAttr, {&object});
    attribute->name = method;
    arguments.insert(arguments.begin(), attribute);
    become(user, Op::Call, std::move(arguments));
  }

  /// An argument of the call that makes the container, by its place or its name.
  static Value *argument(const Value &made, size_t place, std::string_view name) {
    const size_t positional = made.operands.size() - made.keywords.size();
    if (place + 1 < positional)
      return made.operands[place + 1];
    for (size_t i = 0; i < made.keywords.size(); ++i)
      if (made.keywords[i] == name)
        return made.operands[positional + i];
    return nullptr;
  }

  static bool is_none(const Value *value) {
    return !value || (value->op == Op::Const && value->constant->is_none());
  }

  // --- may it be said with a list or a dict? ---

  bool is_kept(const Value &made, const Row &row, const Value *limit) const {
    const auto found = users_.find(&made);
    return found == users_.end() || std::ranges::all_of(found->second, [&](const Value *user) {
             return may_use(*user, made, row, limit);
           });
  }

  bool may_use(const Value &user, const Value &made, const Row &row, const Value *limit) const {
    const bool is_first = !user.operands.empty() && user.operands[0] == &made;
    const auto times = std::ranges::count(user.operands, &made);
    switch (user.op) {
    case Op::GetItem:
    case Op::SetItem:
    case Op::DelItem: return is_first && times == 1;
    case Op::GetIter:
    case Op::Unpack: return true;
    case Op::ListExtend:
    case Op::SetUpdate: return !is_first;
    case Op::Operator:
      return user.operands.size() == 1 ||
             ((user.oper == Operator::In || user.oper == Operator::NotIn) && !is_first);
    case Op::GetAttr: return may_call(user, row, limit);
    case Op::Call: {
      const Value &callee = *user.operands[0];
      return callee.op == Op::Const && callee.constant->kind == ConstKind::Object &&
             std::ranges::find(readers, callee.constant->object->name) != std::end(readers);
    }
    default: return false;
    }
  }

  bool may_call(const Value &attribute, const Row &row, const Value *limit) const {
    if (row.sort == Sort::Deque && attribute.name == "maxlen")
      return !limit || limit->op == Op::Const;
    const auto found = users_.find(&attribute);
    return (has(row.same, attribute.name) || has(row.own, attribute.name)) &&
           (found == users_.end() || std::ranges::all_of(found->second, [&](const Value *call) {
              return call->op == Op::Call && call->operands[0] == &attribute &&
                     std::ranges::count(call->operands, &attribute) == 1;
            }));
  }

  // --- saying it ---

  void rewrite(Value &made, const Row &row) {
    const Value *limit = row.sort == Sort::Deque ? argument(made, 1, "maxlen") : nullptr;
    if (is_none(limit))
      limit = nullptr;
    if (is_kept(made, row, limit))
      return say(made, row, const_cast<Value *>(limit));
    Value &inner = make_object(made, row, const_cast<Value *>(limit));
    say(inner, row, const_cast<Value *>(limit));
  }

  /// What leaves the function is an object that holds the list or dict (collection_objects.py);
  /// what is done in the function is still done with that.
  Value &make_object(Value &made, const Row &row, Value *limit) {
    Value &inner = *draft_.put_before(made, made.op, made.operands);
    inner.keywords = made.keywords;
    inner.star = made.star;
    inner.name = made.name;
    share_users(made, inner, row, limit);
    Value *part = row.sort == Sort::Default ? argument(made, 0, "default_factory") : limit;
    if (!part)
      part = draft_.constant_before(made, constants::none());
    const std::string name = made.name;
    Value *maker = draft_.constant_before(made, constants::builtin(std::string(row.maker)));
    become(made, Op::Call, {maker, &inner, part});
    made.name = name;
    return inner;
  }

  /// Gives `inner` the users of `made` that a list or a dict may have.
  void share_users(Value &made, Value &inner, const Row &row, const Value *limit) {
    std::vector<Value *> outer;
    for (Value *user : users_[&made]) {
      if (!may_use(*user, made, row, limit)) {
        outer.push_back(user);
        continue;
      }
      std::ranges::replace(user->operands, &made, &inner);
      users_[&inner].push_back(user);
    }
    users_[&made] = std::move(outer);
  }

  /// An attribute of a parameter, behind all parameters.
  Value *part_of(Value &parameter, const char *name) {
    return part_at(std::ranges::find_if(parameter.block->values,
                                        [](const Value *each) { return each->op != Op::Param; }),
                   parameter, name);
  }

  Value *part_at(std::vector<Value *>::iterator place, Value &object, const char *name) {
    Value *value = draft_.make(Op::GetAttr, object.position);
    value->operands = {&object};
    value->name = name;
    value->block = object.block;
    object.block->values.insert(place, value);
    return value;
  }

  void rewrite_parameter(Value &object, int32_t plan) {
    const Row &row = rows()[plan % kLimited];
    Value *limit = plan & kLimited ? part_of(object, "maxlen") : nullptr;
    Value &inner = *part_of(object, "_items");
    share_users(object, inner, row, limit);
    const std::vector<Value *> users = users_[&inner];
    for (Value *user : users)
      if (user->op == Op::GetItem) {
        if (row.sort == Sort::Count)
          call_method(*user, inner, "get",
                      {user->operands[1], draft_.constant_before(*user, constants::integer(0))});
        else if (row.sort == Sort::Default && plan & kMakesOther)
          make_item(*user, inner, factory_before(*user, object, plan));
        else if (row.sort == Sort::Default && plan > kLimited)
          call_method(*user, inner, "setdefault", {user->operands[1], default_before(*user, plan)});
      }
    say_methods(inner, users, row, limit);
  }

  Value &factory_before(Value &place, Value &object, int32_t plan) {
    if (plan >= kFactory) { // for copy_of_result, in no block
      Value *written = draft_.make(Op::MakeFunction, place.position);
      written->constant = factory_numbered(plan / kFactory);
      if (is_factory_of_containers(draft_, *written, environment_))
        return *written;
    }
    Value *factory = draft_.put_before(place, Op::GetAttr, {&object});
    factory->name = "default_factory";
    return *factory;
  }

  Value *default_before(Value &place, int32_t plan) {
    if (plan & (kMakesDeque | kMakesCounter))
      return empty_object_before(place,
                                 plan & kMakesDeque ? "collections.deque" : "collections.Counter");
    if (plan & kMakesSet)
      return draft_.put_before(place, Op::Call,
                               {draft_.constant_before(place, constants::builtin("builtins.set"))});
    return draft_.put_before(place, plan & kMakesList ? Op::BuildList : Op::BuildMap);
  }

  void say(Value &made, const Row &row, Value *limit) {
    const std::vector<Value *> users = users_[&made]; // before there are more
    switch (row.sort) {
    case Sort::Default: make_default(made, users); break;
    case Sort::Count:
      for (Value *user : users)
        if (user->op == Op::GetItem)
          call_method(*user, made, "get",
                      {user->operands[1], draft_.constant_before(*user, constants::integer(0))});
      if (made.operands.size() > 1)
        made.operands[0] = draft_.constant_before(made, constants::builtin("numjit.counts_of"));
      else
        make_dict(made);
      break;
    case Sort::Ordered: make_dict(made); break;
    case Sort::Deque: make_list(made, users, limit); break;
    }
    say_methods(made, users, row, limit);
  }

  void say_methods(Value &made, const std::vector<Value *> &users, const Row &row, Value *limit) {
    for (Value *user : users)
      if (user->op == Op::GetAttr && user->operands[0] == &made)
        rename(*user, row, limit);
  }

  /// The empty dict, or that of what the call is given.
  void make_dict(Value &made) {
    if (made.operands.size() == 1)
      return become(made, Op::BuildMap, {});
    made.operands[0] = draft_.constant_before(made, constants::builtin("builtins.dict"));
  }

  void make_default(Value &made, const std::vector<Value *> &users) {
    Value *factory = argument(made, 0, "default_factory");
    if (!is_none(factory))
      for (Value *user : users)
        if (user->op == Op::GetItem)
          make_item(*user, made, *factory);
    if (factory)
      made.operands.erase(made.operands.begin() + 1);
    make_dict(made);
  }

  /// d[k] of a defaultdict. What is done with a new container is written where it is made; other
  /// factories are called for keys that are missing.
  void make_item(Value &user, Value &items, Value &factory) {
    Value *key = user.operands[1];
    Value *made = default_before(user, factory);
    if (!made)
      return call_method(user, items, "default_of", {key, &factory});
    call_method(user, items, "setdefault", {key, made});
    const Row *row = row_of_maker(*made);
    if (!row || row->sort != Sort::Default)
      return;
    Value &inner = *part_behind(user, "_items");
    share_users(user, inner, *row, nullptr);
    const std::vector<Value *> users = users_[&inner];
    if (Value *of_inner = made->operands[2]; !is_none(of_inner))
      for (Value *each : users)
        if (each->op == Op::GetItem)
          make_item(*each, inner, *of_inner);
    say_methods(inner, users, *row, nullptr);
  }

  static const Row *row_of_maker(const Value &call) {
    if (call.op != Op::Call || call.operands[0]->op != Op::Const ||
        !call.operands[0]->constant->object)
      return nullptr;
    const std::string &name = call.operands[0]->constant->object->name;
    const auto row = std::ranges::find(rows(), name, &Row::maker);
    return row == rows().end() ? nullptr : &*row;
  }

  /// An attribute of a value, behind that.
  Value *part_behind(Value &object, const char *name) {
    return part_at(std::ranges::find(object.block->values, &object) + 1, object, name);
  }

  /// The new item of a key, nullptr where only a call of the factory tells.
  Value *default_before(Value &place, Value &factory) {
    if (factory.op == Op::Const && factory.constant->kind == ConstKind::Object) {
      const std::string &name = factory.constant->object->name;
      if (name == "builtins.int")
        return draft_.constant_before(place, constants::integer(0));
      if (name == "builtins.float")
        return draft_.constant_before(place, constants::floating(0));
      if (name == "builtins.bool")
        return draft_.constant_before(place, constants::boolean(false));
      if (name == "builtins.str")
        return draft_.constant_before(place, constants::string(""));
      if (name == "builtins.list")
        return draft_.put_before(place, Op::BuildList);
      if (name == "builtins.dict")
        return draft_.put_before(place, Op::BuildMap);
      if (name == "builtins.set")
        return draft_.put_before(place, Op::Call,
                                 {draft_.constant_before(place, factory.constant)});
      if (name == "collections.deque" || name == "collections.Counter")
        return empty_object_before(place, name);
    }
    const std::vector<Value *> copies = copy_of_result(draft_, factory, environment_);
    for (Value *copy : copies) {
      copy->block = place.block;
      std::vector<Value *> &values = place.block->values;
      values.insert(std::ranges::find(values, &place), copy);
    }
    return copies.empty() ? nullptr : copies.back();
  }

  Value *empty_object_before(Value &place, std::string_view cls) {
    const Row &row = *std::ranges::find(rows(), cls, &Row::cls);
    Value *maker = draft_.constant_before(place, constants::builtin(std::string(row.maker)));
    Value *inner = draft_.put_before(place, row.sort == Sort::Deque ? Op::BuildList : Op::BuildMap);
    return draft_.put_before(place, Op::Call,
                             {maker, inner, draft_.constant_before(place, constants::none())});
  }

  void make_list(Value &made, const std::vector<Value *> &users, Value *limit) {
    Value *items = argument(made, 0, "iterable");
    for (Value *user : users)
      if (user->op == Op::GetAttr && user->name == "maxlen") {
        become(*user, Op::Const, {});
        user->constant = limit ? limit->constant : constants::none();
      }
    if (!items)
      return become(made, Op::BuildList, {});
    Value *callee = draft_.constant_before(
        made, constants::builtin(limit ? "numjit.last_items" : "builtins.list"));
    std::vector<Value *> operands{callee, items};
    if (limit)
      operands.push_back(limit);
    become(made, Op::Call, std::move(operands));
  }

  void rename(Value &attribute, const Row &row, Value *limit) {
    const bool is_own = has(row.own, attribute.name) && (limit || !has(row.same, attribute.name));
    if (!is_own)
      return;
    const bool grows = attribute.name.starts_with("append") ||
                       attribute.name.starts_with("extend") || attribute.name == "insert";
    const bool counts = attribute.name == "update" || attribute.name == "subtract";
    attribute.name = std::string(own_prefixes[static_cast<size_t>(row.sort)]) + attribute.name;
    for (Value *call : users_[&attribute]) {
      const size_t positional = call->operands.size() - call->keywords.size();
      const auto end = call->operands.begin() + static_cast<std::ptrdiff_t>(positional);
      if (limit && grows)
        call->operands.insert(end, limit);
      else if (counts) // what inference takes the type of the counts from
        call->operands.insert(end, draft_.constant_before(*call, constants::integer(1)));
    }
  }

  Draft &draft_;
  Environment &environment_;
  std::map<const Value *, std::vector<Value *>> users_;
};

} // namespace

void rewrite_collections(Draft &draft, Environment &environment) {
  Rewriter(draft, environment).run();
}

bool makes_collection_object(std::string_view builtin) {
  return std::ranges::any_of(rows(), [&](const Row &row) { return row.maker == builtin; });
}

} // namespace numjit::ssa
