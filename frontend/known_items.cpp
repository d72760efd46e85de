// Lists and dicts whose items compilation can tell apart, as values:
//
//     arrays = [np.asarray(a) for a in args]       settings = {"axis": axis}
//     arrays[0] = arrays[0] * scale                settings["keepdims"] = True
//     return combine(*arrays)                      return reduced(x, **settings)
//
// where args holds arrays of several types. Lists have one type of item, tuples need not, and how
// long a tuple is is known; so are the keys of a literal dict. A list becomes a tuple, and a dict
// one of literals, where nothing but this function sees it: each change makes another value, in SSA
// as if the container were a variable that is assigned to. Inference asks for it (kKnownItems)
// where it failed without.
#include "frontend/ssa_draft.h"

#include <algorithm>
#include <map>
#include <set>

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

bool has(const auto &names, std::string_view name) {
  return std::ranges::find(names, name) != std::end(names);
}

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

bool is_string(const Value &value) {
  return value.op == Op::Const && value.constant->kind == ConstKind::Str;
}

/// A list or dict, and what is done with it.
struct Container {
  Value *made;
  bool is_dict = false;
  std::vector<Value *> changes = {}, reads = {}, methods = {}, phis = {};
  std::vector<Value *> others = {};            ///< of `reads`: sums and slices, other lists
  std::map<const Value *, Value *> after = {}; ///< the value that a change, or `made`, leaves
  std::map<int32_t, Value *> at_entry = {};    ///< of blocks
};

class Maker {
public:
  explicit Maker(Draft &draft) : draft_(draft) {
    each_value([this](Value *value) {
      for (Value *operand : value->operands) {
        std::vector<Value *> &users = users_[operand];
        if (users.empty() || users.back() != value)
          users.push_back(value);
      }
    });
  }

  void run() {
    each_value([this](Value *value) {
      if (Container found{value}; makes(*value, found.is_dict) && look_at(found))
        containers_.push_back(std::move(found));
    });
    drop_parts_of_others();
    for (Container &container : containers_)
      rewrite(container);
  }

private:
  void each_value(auto visit) {
    for (int32_t id : draft_.order)
      if (!draft_.blocks[id].dropped)
        for (Value *value : draft_.blocks[id].block.values)
          visit(value);
  }

  const std::vector<Value *> &users_of(const Value &value) { return users_[&value]; }

  // --- which containers ---

  /// [a, b], [a] * n, the sum of two lists, a slice, list() of what is a tuple whatever the types
  /// are;
  /// {"a": b}, **settings.
  bool makes(const Value &value, bool &is_dict) {
    const Code &code = draft_.def.code;
    const int32_t rest = code.argcount + code.kwonlyargcount;
    is_dict = value.op == Op::BuildMap || value.op == Op::Param;
    switch (value.op) {
    case Op::BuildList: return value.operands.size() <= kMostItems && !is_repeated(value);
    case Op::Operator: return part_of_repeated(value) || is_sum(value);
    case Op::GetItem: return is_slice(*value.operands[1]);
    case Op::BuildMap:
      for (size_t i = 0; i < value.operands.size(); i += 2)
        if (!is_string(*value.operands[i]))
          return false;
      return value.operands.size() <= kMostItems;
    case Op::Param:
      return code.has_varkeywords() && value.index == rest + (code.has_varargs() ? 1 : 0);
    case Op::Call: {
      if (value.operands.size() != 2 || !value.keywords.empty() ||
          called_name(value) != "builtins.list")
        return false;
      const Value &given = *value.operands[1];
      return given.op == Op::BuildTuple || given.op == Op::Param;
    }
    default: return false;
    }
  }

  /// Whether a display is there for [a] * n only.
  bool is_repeated(const Value &display) {
    const std::vector<Value *> &users = users_of(display);
    return users.size() == 1 && part_of_repeated(*users[0]) == &display;
  }

  /// Of two lists, if its terms are such containers.
  static bool is_sum(const Value &value) {
    return value.op == Op::Operator && value.oper == Operator::Add && !value.inplace;
  }

  /// Whether a list is made of another one that is such a container.
  static bool is_made_of(const Value &value, const Value &list) {
    return is_sum(value) ||
           (value.op == Op::GetItem && value.operands[0] == &list && is_slice(*value.operands[1]));
  }

  /// What else must be such a container, for a list to be one.
  static std::vector<const Value *> lists_in(const Value &made) {
    if (is_sum(made))
      return {made.operands[0], made.operands[1]};
    return made.op == Op::GetItem ? std::vector<const Value *>{made.operands[0]}
                                  : std::vector<const Value *>{};
  }

  /// The display that is repeated in [a] * n; null: it is another operation.
  static Value *part_of_repeated(const Value &product) {
    if (product.op != Op::Operator || product.oper != Operator::Mul || product.inplace)
      return nullptr;
    const auto found = std::ranges::find(product.operands, Op::BuildList, &Value::op);
    return found == product.operands.end() ? nullptr : *found;
  }

  /// Whether a display is an index, of slices and integers: [slice(None)] * n. It is short, so that
  /// a loop may make a tuple of it with each item that it puts in.
  static bool is_index(const Value &made) {
    const Value *part = part_of_repeated(made);
    return std::ranges::any_of((part ? *part : made).operands, [](const Value *item) {
      return is_slice(*item) || (item->op == Op::Call && called_name(*item) == "builtins.slice");
    });
  }

  /// Whether an operation reads a container as it would read the value that stands for it.
  static bool reads(const Value &user, const Value &read, bool is_dict) {
    const bool is_first = user.operands[0] == &read;
    switch (user.op) {
    case Op::GetItem: return is_first && (is_dict || !is_slice(*user.operands[1]));
    case Op::GetIter: return true;
    case Op::Unpack:
    case Op::ListToTuple: return !is_dict;
    case Op::ListExtend:
    case Op::SetUpdate: return !is_first;
    case Op::MapUpdate: return !is_first && is_dict;
    case Op::Return: return is_dict;
    case Op::CallStar: return !is_first && (user.operands[1] == &read) != is_dict;
    case Op::Operator:
      return user.oper == Operator::Truth || user.oper == Operator::Not ||
             ((user.oper == Operator::In || user.oper == Operator::NotIn) && !is_first);
    case Op::GetAttr:
      return is_dict ? user.name == "get" || user.name == "items" || user.name == "keys" ||
                           user.name == "values"
                     : user.name == "index" || user.name == "count";
    case Op::Call: {
      const std::string_view name = called_name(user);
      const Value &callee = *user.operands[0];
      if (callee.op == Op::GetAttr && (callee.name == "update" || callee.name == "extend"))
        return callee.operands[0] != &read && is_dict == (callee.name == "update");
      return !is_first && (has(kReaders, name) || (!is_dict && name.starts_with("numpy.")));
    }
    default: return false;
    }
  }

  /// Whether an operation changes a container by items that it names.
  static bool changes(const Value &user, const Container &container) {
    if (user.operands[0] != container.made || std::ranges::count(user.operands, container.made) > 1)
      return false;
    if (user.op == Op::SetItem)
      return container.is_dict ? is_string(*user.operands[1]) : !is_slice(*user.operands[1]);
    return container.is_dict ? user.op == Op::MapUpdate ||
                                   (user.op == Op::DelItem && is_string(*user.operands[1]))
                             : user.op == Op::ListAppend || user.op == Op::ListExtend;
  }

  /// The call of a method that changes the container; null if `attribute` is none.
  Value *changing_call(const Value &attribute, const Container &container) {
    static constexpr std::string_view of_lists[] = {"append", "extend"},
                                      of_dicts[] = {"pop", "setdefault", "update"};
    const std::vector<Value *> &users = users_of(attribute);
    const bool fits =
        attribute.op == Op::GetAttr && users.size() == 1 &&
        (container.is_dict ? has(of_dicts, attribute.name) : has(of_lists, attribute.name)) &&
        users[0]->op == Op::Call && users[0]->operands[0] == &attribute &&
        std::ranges::count(users[0]->operands, &attribute) == 1;
    if (!fits)
      return nullptr;
    Value &call = *users[0];
    const size_t given = call.operands.size() - 1;
    if (attribute.name == "update")
      return given - call.keywords.size() <= 1 && users_of(call).empty() ? &call : nullptr;
    if (!call.keywords.empty())
      return nullptr;
    if (!container.is_dict)
      return given == 1 && users_of(call).empty() ? &call : nullptr;
    const bool named = given > 0 && is_string(*call.operands[1]);
    return named && (given == 2 || (given == 1 && attribute.name == "pop")) ? &call : nullptr;
  }

  /// The GetIter that a loop takes an item from; null for other values.
  static const Value *iterator_of(const Value &item) {
    if (item.op != Op::UnrolledItem && item.op != Op::IterValue)
      return nullptr;
    const Value *state = item.operands[0];
    if (state->op == Op::IterNext)
      state = state->operands[0];
    if (state->op == Op::Phi) {
      const auto first = std::ranges::find(state->operands, Op::GetIter, &Value::op);
      return first == state->operands.end() ? nullptr : *first;
    }
    return state->op == Op::GetIter ? state : nullptr;
  }

  /// Whether a change is `items[i] = x` in a loop over enumerate(items), or over
  /// enumerate(zip(items, others)): the loop has read that item already. `read`: what has the items
  /// for an argument.
  static bool is_behind(const Value &change, const Value &read) {
    if (change.op != Op::SetItem)
      return false;
    const Value *place = change.operands[1];
    if (place->op != Op::UnpackItem || place->index != 0 || place->operands[0]->op != Op::Unpack)
      return false;
    const Value *iterator = iterator_of(*place->operands[0]->operands[0]);
    if (!iterator)
      return false;
    const Value &pairs = *iterator->operands[0];
    if (pairs.op != Op::Call || called_name(pairs) != "builtins.enumerate" ||
        pairs.operands.size() != 2)
      return false;
    const Value &walked = *pairs.operands[1];
    return &pairs == &read ||
           (&walked == &read && walked.op == Op::Call && called_name(walked) == "builtins.zip");
  }

  /// Collects what takes items from an iterator, or from what one is made of; false if others may.
  bool find_takers(const Value &iterated, std::set<const Value *> &found) {
    return std::ranges::all_of(users_of(iterated), [&](const Value *user) {
      const bool is_argument = user->operands[0] != &iterated;
      const std::string_view called = user->op == Op::Call ? called_name(*user) : "";
      const bool is_test = called == "numjit.has_item";
      const bool passes_on = user->op == Op::GetIter || user->op == Op::Phi ||
                             user->op == Op::IterState || (is_argument && has(kIterators, called));
      if (user->op == Op::IterValid || user->op == Op::IterValue || is_test)
        return true;
      if (user->op != Op::IterNext && user->op != Op::UnrolledItem && !passes_on)
        return false;
      return !found.insert(user).second || user->op == Op::UnrolledItem ||
             find_takers(*user, found);
    });
  }

  /// Whether a change comes when a loop over what was read is over.
  bool is_after_loop(const Value &change, const Value &read) {
    std::set<const Value *> takers;
    return read.op != Op::GetAttr && find_takers(read, takers) &&
           std::ranges::none_of(
               takers, [&](const Value *taker) { return leads_to(draft_, change, *taker, &read); });
  }

  /// What calls have taken over.
  bool is_dead(const Value &value) {
    return value.op == Op::MergeKeywords && users_of(value).empty();
  }

  bool look_at(Container &found) {
    const Value &made = *found.made;
    for (Value *user : users_of(made))
      if (is_dead(*user)) {
        continue;
      } else if (changes(*user, found)) {
        found.changes.push_back(user);
      } else if (Value *call = changing_call(*user, found)) {
        found.changes.push_back(call);
        found.methods.push_back(user);
      } else if (user->op == Op::Phi) {
        found.phis.push_back(user);
      } else if (!found.is_dict && is_made_of(*user, made)) {
        found.others.push_back(user);
        found.reads.push_back(user);
      } else if (reads(*user, made, found.is_dict)) {
        found.reads.push_back(user);
      } else {
        return false;
      }
    const auto is_in_its_loop = [&](const Value &change) {
      return std::ranges::any_of(found.reads,
                                 [&](const Value *read) { return is_behind(change, *read); });
    };
    const auto once = [&](const Value *change) { // and not left by an exception half done
      return !draft_.blocks[change->block->id].guarded &&
             ((change->op == Op::SetItem && is_index(made)) || is_in_its_loop(*change) ||
              !leads_to(draft_, *change, *change, &made));
    };
    const auto keeps = [&](const Value *read) { // the items, while it is iterated over
      const bool iterates = read->op == Op::GetIter || read->op == Op::GetAttr ||
                            (read->op == Op::Call && has(kIterators, called_name(*read)));
      return !iterates || (found.is_dict && read->name == "get") ||
             std::ranges::none_of(found.changes, [&](const Value *change) {
               return leads_to(draft_, *read, *change, &made) && !is_behind(*change, *read) &&
                      !is_after_loop(*change, *read);
             });
    };
    const auto meets_changed = [&](const Value *phi) { // another name sees changes behind it
      return std::ranges::any_of(found.changes, [&](const Value *change) {
        return leads_to(draft_, *phi, *change, &made);
      });
    };
    const bool is_used = !found.changes.empty() || !found.reads.empty() || !found.phis.empty() ||
                         (made.op == Op::GetItem && users_of(made).empty());
    return is_used && found.changes.size() <= kMostItems &&
           !draft_.blocks[made.block->id].guarded && std::ranges::all_of(found.changes, once) &&
           std::ranges::all_of(found.reads, keeps) &&
           std::ranges::none_of(found.phis, meets_changed);
  }

  bool is_container(const Value *value, bool is_dict) const {
    return std::ranges::any_of(containers_, [&](const Container &other) {
      return other.made == value && other.is_dict == is_dict;
    });
  }

  /// A sum is such a value where both terms are, a slice where the list is. A phi is where all that
  /// meets in it is, and all that is done with it is reading.
  void drop_parts_of_others() {
    const auto is_list = [&](const Value *value) { return is_container(value, false); };
    const auto fits = [&](const Value *phi, bool is_dict) {
      return std::ranges::all_of(
                 phi->operands,
                 [&](const Value *operand) { return is_container(operand, is_dict); }) &&
             std::ranges::all_of(users_of(*phi), [&](const Value *user) {
               return is_dead(*user) || (user->op != Op::Phi && reads(*user, *phi, is_dict));
             });
    };
    for (bool changed = true; changed;) {
      std::set<const Value *> dropped;
      for (const Container &container : containers_)
        if (!std::ranges::all_of(container.phis,
                                 [&](const Value *phi) { return fits(phi, container.is_dict); }) ||
            !std::ranges::all_of(container.others, is_list) ||
            !std::ranges::all_of(lists_in(*container.made), is_list))
          dropped.insert(container.made);
      changed = std::erase_if(containers_, [&](const Container &container) {
        return dropped.contains(container.made);
      });
    }
  }

  // --- values in their place ---

  Value *builtin_before(const Value &place, const char *name) {
    return draft_.constant_before(place, constants::builtin(name));
  }

  Value *call_before(const Value &place, const char *name, std::vector<Value *> arguments) {
    arguments.insert(arguments.begin(), builtin_before(place, name));
    return draft_.put_before(place, Op::Call, std::move(arguments));
  }

  /// What the container is before an operation.
  Value *value_at(Container &container, const Value &place) {
    const std::vector<Value *> &values = place.block->values;
    for (auto it = std::ranges::find(values, &place); it != values.begin();)
      if (const auto found = container.after.find(*--it); found != container.after.end())
        return found->second;
    return value_at_entry(container, static_cast<int32_t>(place.block->id));
  }

  Value *value_at_entry(Container &container, int32_t block) {
    if (const auto found = container.at_entry.find(block); found != container.at_entry.end())
      return found->second;
    const std::vector<int32_t> &preds = draft_.blocks[block].preds;
    if (preds.size() == 1)
      return container.at_entry[block] = value_at_end(container, preds[0]);
    Value *phi = draft_.make(Op::Phi, container.made->position);
    phi->block = &draft_.blocks[block].block;
    container.at_entry[block] = phi;
    for (int32_t pred : preds)
      phi->operands.push_back(value_at_end(container, pred));
    phis_.push_back(phi);
    return phi;
  }

  Value *value_at_end(Container &container, int32_t block) {
    return value_at(container, *draft_.blocks[block].block.values.back());
  }

  /// Phis of one value give way to it; the others get their places.
  void place_phis() {
    if (phis_.empty())
      return;
    const auto resolve = [&](Value *value) {
      for (auto found = same_.find(value); found != same_.end(); found = same_.find(value))
        value = found->second;
      return value;
    };
    for (bool changed = true; changed;) {
      changed = false;
      for (Value *phi : phis_) {
        std::set<Value *> others;
        for (Value *&operand : phi->operands)
          if (operand = resolve(operand); operand != phi)
            others.insert(operand);
        if (others.size() == 1 && !same_.contains(phi)) {
          same_[phi] = *others.begin();
          changed = true;
        }
      }
    }
    each_value([&](Value *value) {
      for (Value *&operand : value->operands)
        operand = resolve(operand);
    });
    for (Value *phi : phis_)
      if (!same_.contains(phi))
        phi->block->values.insert(phi->block->values.begin(), phi);
    phis_.clear();
    same_.clear();
  }

  // --- changes ---

  void rewrite(Container &container) {
    start(container);
    for (Value *change : container.changes)
      container.after[change] = draft_.make(Op::Call, change->position); // its operands follow
    for (Value *change : container.changes) {
      Value *before = value_at(container, *change);
      if (container.is_dict)
        change_dict(container, *change, before);
      else
        change_list(container, *change, before);
    }
    for (Value *read : container.reads)
      std::ranges::replace(read->operands, container.made, value_at(container, *read));
    for (Value *phi : container.phis) {
      const std::vector<int32_t> &preds = draft_.blocks[phi->block->id].preds;
      for (size_t i = 0; i < phi->operands.size(); ++i)
        if (phi->operands[i] == container.made)
          phi->operands[i] = value_at_end(container, preds[i]);
    }
    place_phis();
    for (std::vector<Value *> *gone : {&container.changes, &container.methods})
      for (Value *value : *gone)
        std::erase(value->block->values, value);
  }

  /// The value that it begins with takes the place of the container.
  void start(Container &container) {
    Value &made = *container.made;
    container.after[&made] = &made;
    if (made.op == Op::BuildList) {
      made.op = Op::BuildTuple;
    } else if (made.op == Op::BuildMap) {
      made.op = Op::Call;
      made.operands.insert(made.operands.begin(), builtin_before(made, "numjit.literal_dict"));
    } else if (Value *part = part_of_repeated(made)) {
      part->op = Op::BuildTuple;
    } else if (made.op == Op::Call) { // list(args)
      made.operands[0] = builtin_before(made, "builtins.tuple");
    }
  }

  /// Puts what a change makes in front of it.
  Value *finish(Container &container, Value &change, std::vector<Value *> operands,
                const char *name) {
    Value *made = container.after[&change];
    operands.insert(operands.begin(), builtin_before(change, name));
    made->operands = std::move(operands);
    draft_.place_before(change, made);
    return made;
  }

  void change_list(Container &container, Value &change, Value *before) {
    Value *item = change.operands.back();
    if (change.op == Op::SetItem) {
      finish(container, change, {before, change.operands[1], item}, "numjit.with_item");
      return;
    }
    const bool extends = change.op == Op::ListExtend ||
                         (change.op == Op::Call && change.operands[0]->name == "extend");
    Value *more = extends ? call_before(change, "builtins.tuple", {item})
                          : draft_.put_before(change, Op::BuildTuple, {item});
    read_instead(change, more);
    finish(container, change, {before, more}, "operator.add");
  }

  void change_dict(Container &container, Value &change, Value *before) {
    const std::string method = change.op == Op::Call ? change.operands[0]->name : "";
    Value *name = change.operands.size() > 1 ? change.operands[1] : nullptr;
    if (change.op == Op::SetItem) {
      finish(container, change, {before, name, change.operands[2]}, "numjit.with_key");
    } else if (change.op == Op::DelItem) {
      finish(container, change, {before, name}, "numjit.without_key");
    } else if (change.op == Op::MapUpdate || method == "update") {
      std::vector<Value *> operands{before};
      const size_t named = change.operands.size() - change.keywords.size();
      if (named > 1)
        operands.push_back(name);
      for (size_t i = 0; i < change.keywords.size(); ++i) {
        Value *key = draft_.constant_before(change, constants::string(change.keywords[i]));
        operands.insert(operands.end(), {key, change.operands[named + i]});
      }
      read_instead(change, finish(container, change, std::move(operands), "numjit.with_keys"));
    } else { // pop, setdefault
      std::vector<Value *> item{before, name};
      if (change.operands.size() > 2)
        item.push_back(change.operands[2]);
      finish(container, change, item,
             method == "pop" ? "numjit.without_key" : "numjit.with_default");
      Value *result = call_before(change, "numjit.item_of", std::move(item));
      each_value([&](Value *value) { std::ranges::replace(value->operands, &change, result); });
    }
  }

  /// Other containers are read by what a change became.
  void read_instead(Value &change, Value *now) {
    for (Container &other : containers_)
      std::ranges::replace(other.reads, &change, now);
  }

  Draft &draft_;
  std::map<const Value *, std::vector<Value *>> users_;
  std::vector<Container> containers_;
  std::vector<Value *> phis_; ///< made and not placed yet
  std::map<Value *, Value *> same_;
};

} // namespace

void make_values_of_containers(Draft &draft) { Maker(draft).run(); }

} // namespace numjit::ssa
