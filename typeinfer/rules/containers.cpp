// The types of the containers that a function makes, found from their uses: `d = {}` gets its types
// from `d[k] = v` further down.
#include "typeinfer/infer/dataclass_fields.h"
#include "typeinfer/infer/engine.h"

#include <algorithm>
#include <utility>

namespace numjit {

namespace {

/// Whether a call makes an object of `collections` of a list or a dict (frontend/collections.cpp).
bool makes_object(const ssa::Value &call) {
  const ssa::Value &callee = *call.operands[0];
  return call.op == ssa::Op::Call && callee.op == ssa::Op::Const && callee.constant->object &&
         ssa::makes_collection_object(callee.constant->object->name);
}

/// Whether a call makes a value a field of the instance that an __init__ makes.
bool makes_field(const ssa::Value &call, const ssa::Value &given) {
  return calls(call, "numjit.with_field") && call.operands[3] == &given;
}

/// Name of the class that is called without arguments; empty for anything else.
std::string_view empty_call(const ssa::Value &value) {
  if (value.op != ssa::Op::Call || value.operands.size() != 1 ||
      value.operands[0]->op != ssa::Op::Const || !value.operands[0]->constant->object)
    return {};
  return value.operands[0]->constant->object->name;
}

/// Methods that put what they are given into something whose types are asked for already.
constexpr std::string_view methods[] = {"append", "insert", "extend", "add",
                                        "update", "get",    "pop",    "setdefault"};

class UseFinder {
public:
  explicit UseFinder(const ssa::Function &function) : users_(function.values.size()) {
    for (const ssa::Block &block : function.blocks)
      for (const ssa::Value *user : block.values) {
        for (const ssa::Value *operand : user->operands)
          users_[operand->id].push_back(user);
        if (user->op == ssa::Op::Return)
          returned_.push_back(user->operands[0]);
      }
  }

  UsesOfContainer uses(const ssa::Value &made) {
    kind_ = made_container(made);
    names_ = {&made};
    return find();
  }

  /// The same of a parameter, or of the lists and dicts in it, `depth` containers deep.
  UsesOfContainer uses_inside(const ssa::Value &parameter, int depth, Kind kind) {
    kind_ = kind;
    names_ = {&parameter};
    for (; depth > 0; --depth) {
      Names outers = std::exchange(names_, {});
      follow(outers, Role::Outer, 0);
      for (const ssa::Value *outer : outers)
        for (const ssa::Value *use : users_[outer->id])
          add_items(*use, *outer, names_);
    }
    return find();
  }

private:
  using Names = std::vector<const ssa::Value *>;
  enum class Role {
    Itself, ///< the container whose type is asked for
    Outer,  ///< one that it is put into
  };

  /// From the names that are known so far.
  UsesOfContainer find() {
    found_ = {};
    beside_.clear();
    follow(names_, Role::Itself, 0);
    for (const ssa::Value *other : beside_)
      if (!is_name(other))
        add_same(*other);
    for (size_t i = 0; i < names_.size(); ++i)
      for (const ssa::Value *user : users_[names_[i]->id]) {
        look(*user, *names_[i]);
        found_.passed |= passes_on(*user, *names_[i]);
        if (makes_object(*user) && user->operands[1] == names_[i])
          follow_object(*user);
      }
    found_.names = names_;
    return std::move(found_);
  }

  /// A value of the same type. Of a sum like f(n - 1) + [x] the terms tell where it is not known.
  void add_same(const ssa::Value &other) {
    found_.list.push_back({ContainerUse::Same, &other});
    add_terms(other);
  }

  void add_terms(const ssa::Value &sum) {
    if (sum.op == ssa::Op::Operator && sum.oper == Operator::Add)
      for (const ssa::Value *term : sum.operands) {
        found_.list.push_back({ContainerUse::Like, term});
        add_terms(*term);
      }
  }

  /// The object around the container goes where that would go, and changes it by the same methods.
  void follow_object(const ssa::Value &object) {
    Names objects{&object};
    follow(objects, Role::Itself, 0);
    for (const ssa::Value *each : objects) {
      for (const ssa::Value *user : users_[each->id]) {
        if (is_part(*user)) {
          add(names_, user);
          follow(names_, Role::Itself, 0);
          continue;
        }
        found_.passed |= passes_on(*user, *each);
        if (user->op == ssa::Op::Phi || user->op == ssa::Op::SetAttr || user->op == ssa::Op::Return)
          continue; // of the object
        look(*user, *each);
        if (const ssa::Value *start = added_to_item(*user, *each))
          found_.list.push_back({ContainerUse::Guess, user->operands[1], start});
      }
      found_.objects.emplace_back(each, &object);
    }
  }

  /// Whether an operation takes the list or dict out of an object of `collections`.
  static bool is_part(const ssa::Value &user) {
    return user.op == ssa::Op::GetAttr && user.name == "_items";
  }

  /// Adds what is the list or dict in an object, wherever that goes.
  void add_parts(const ssa::Value &object, Names &names, int depth) {
    Names objects{&object};
    follow(objects, Role::Itself, depth);
    for (const ssa::Value *each : objects)
      for (const ssa::Value *user : users_[each->id])
        if (is_part(*user))
          add(names, user);
  }

  /// c[k] += 1: what is added, which an item that is not there begins with.
  static const ssa::Value *added_to_item(const ssa::Value &user, const ssa::Value &object) {
    if (user.op != ssa::Op::SetItem || user.operands[0] != &object)
      return nullptr;
    const ssa::Value &value = *user.operands[2];
    const bool adds = value.op == ssa::Op::Operator && value.inplace &&
                      value.operands.size() == 2 && value.operands[0]->op == ssa::Op::GetItem &&
                      value.operands[0]->operands[0] == &object;
    return adds ? value.operands[1] : nullptr;
  }

  /// Whether a value goes to a function that may put something into it.
  static bool passes_on(const ssa::Value &user, const ssa::Value &name) {
    const auto given = std::find(user.operands.begin(), user.operands.end(), &name);
    if (user.op == ssa::Op::MakeFunction)
      return given != user.operands.end();
    return user.op == ssa::Op::Call && given != user.operands.begin() &&
           !is_builtin(*user.operands[0]);
  }

  static bool is_builtin(const ssa::Value &callee) {
    if (callee.op == ssa::Op::GetAttr && callee.operands[0]->op != ssa::Op::Const)
      return std::ranges::find(methods, callee.name) != std::end(methods);
    return callee.op == ssa::Op::Const && (callee.constant->is_object(ObjectKind::Builtin) ||
                                           callee.constant->is_object(ObjectKind::Class) ||
                                           callee.constant->is_object(ObjectKind::DataClass));
  }

  /// Adds what is read from the field of a dataclass that a call puts the container into.
  void add_field(const ssa::Value &call, const ssa::Value &given, Names &names, int depth) {
    const std::string field = field_of_dataclass(call, given);
    if (field.empty())
      return;
    Names objects{&call};
    follow(objects, Role::Itself, depth + 1);
    for (const ssa::Value *each : objects)
      for (const ssa::Value *user : users_[each->id])
        if (user->op == ssa::Op::GetAttr && user->name == field)
          add(names, user);
  }

  static void add(Names &names, const ssa::Value *value) {
    if (std::find(names.begin(), names.end(), value) == names.end())
      names.push_back(value);
  }

  /// Adds the other names of the container that `names` begins with. One that is put into a list or
  /// a dict is found again among the items of that: d[k] = [] and d[k].append(x).
  void follow(Names &names, Role role, int depth) {
    constexpr int kDeepest = 4; // of lists in lists
    for (size_t i = 0; i < names.size(); ++i) {
      const ssa::Value *name = names[i];
      const bool is_sum = name->op == ssa::Op::Operator && name->oper == Operator::Add;
      if (role == Role::Outer && (name->op == ssa::Op::Phi || is_sum))
        for (const ssa::Value *operand : name->operands)
          add(names, operand);
      if (role == Role::Outer && depth < kDeepest && is_part(*name)) {
        const ssa::Value &object = *name->operands[0];
        if (object.op == ssa::Op::Call && is_default(*object.operands[0]))
          add_parts(*object.operands.back(), names, depth + 1);
      }
      for (const ssa::Value *user : users_[name->id]) {
        if (role == Role::Outer && depth < kDeepest && makes_object(*user) &&
            user->operands[1] == name)
          add_parts(*user, names, depth + 1);
        if (user->op == ssa::Op::Phi || (role == Role::Outer && keeps_items(*user)))
          add(names, user);
        if (role == Role::Outer && user->op == ssa::Op::Return)
          for (const ssa::Value *other : returned_) // which has the same type
            add(names, other);
        if (depth < kDeepest)
          add_field(*user, *name, names, depth);
        const ssa::Value *outer = put_into(*user, *name);
        if (!outer || depth == kDeepest)
          continue;
        if (user->op == ssa::Op::Call && is_default(*user->operands[0]))
          add(names, user); // d.setdefault(k, []).append(x)
        Names outers{outer};
        follow(outers, Role::Outer, depth + 1);
        for (const ssa::Value *each : outers)
          for (const ssa::Value *use : users_[each->id]) {
            found_.passed |= passes_on(*use, *each);
            add_items(*use, *each, names);
            if (makes_field(*use, *each) && role == Role::Itself)
              found_.list.push_back({ContainerUse::Field, use, nullptr, depth + 1});
            if (depth == 0)
              add_beside(*use, *each);
          }
      }
    }
  }

  /// Whether an operation makes a list of the same items: [[]] * n, l[1:]
  static bool keeps_items(const ssa::Value &user) {
    return (user.op == ssa::Op::GetItem && is_slice(*user.operands[1])) ||
           (user.op == ssa::Op::Operator &&
            (user.oper == Operator::Mul || user.oper == Operator::Add));
  }

  static bool is_slice(const ssa::Value &index) {
    return index.op == ssa::Op::BuildSlice ||
           (index.op == ssa::Op::Const && index.constant->kind == ConstKind::Slice);
  }

  /// Whether a method returns an item of a dict or the default in its arguments.
  static bool is_default(const ssa::Value &method) {
    return method.name == "setdefault" || method.name == "get" || method.name == "pop";
  }

  /// The container that an operation puts `item` into as an item or as a value; nullptr if it does
  /// something else.
  static const ssa::Value *put_into(const ssa::Value &user, const ssa::Value &item) {
    const std::vector<ssa::Value *> &operands = user.operands;
    auto puts = [&](size_t at) {
      return operands.size() > at && operands[at] == &item ? operands[0] : nullptr;
    };
    switch (user.op) {
    case ssa::Op::ListAppend: return puts(1);
    case ssa::Op::SetItem:
    case ssa::Op::MapAdd: return puts(2);
    case ssa::Op::BuildList: // of empty lists; others have a type of their own
    case ssa::Op::BuildMap: return item.operands.empty() || makes_object(item) ? &user : nullptr;
    case ssa::Op::Call:
      if (operands[0]->op == ssa::Op::GetAttr && operands.back() == &item)
        if (operands[0]->name == "append" || operands[0]->name == "insert" ||
            (is_default(*operands[0]) && operands.size() == 3))
          return operands[0]->operands[0];
      return nullptr;
    default: return nullptr;
    }
  }

  /// What else is in a display, of which one may be chosen later: [{}, {2: 1}].
  void add_displayed(const ssa::Value &display) {
    const bool is_dict = display.op == ssa::Op::BuildMap;
    if (is_dict || display.op == ssa::Op::BuildList || display.op == ssa::Op::BuildTuple)
      for (size_t i = is_dict; i < display.operands.size(); i += 1 + is_dict)
        if (!is_name(display.operands[i]))
          found_.list.push_back({ContainerUse::Like, display.operands[i]});
  }

  /// What else is put into the list or dict: it has items of one type.
  void add_beside(const ssa::Value &user, const ssa::Value &outer) {
    if (user.operands[0] != &outer)
      return;
    if (user.op == ssa::Op::GetAttr) {
      for (const ssa::Value *call : users_[user.id])
        if (call->op == ssa::Op::Call && put_into(*call, *call->operands.back()) == &outer)
          add(beside_, call->operands.back());
    } else if (user.op == ssa::Op::ListAppend || user.op == ssa::Op::MapAdd ||
               (user.op == ssa::Op::SetItem && !is_slice(*user.operands[1]))) {
      add(beside_, user.operands.back());
    }
  }

  /// The items or values that an operation on a list or a dict returns.
  void add_items(const ssa::Value &user, const ssa::Value &outer, Names &items) const {
    if (user.operands[0] != &outer)
      return;
    if (user.op == ssa::Op::GetItem) {
      if (!is_slice(*user.operands[1]))
        add(items, &user);
    } else if (user.op == ssa::Op::GetIter) {
      add_iterated(user, items, false);
    } else if (user.op == ssa::Op::GetAttr) {
      for (const ssa::Value *call : users_[user.id])
        if (call->op == ssa::Op::Call && call->operands[0] == &user) {
          if (is_default(user))
            add(items, call);
          else if (user.name == "values" || user.name == "items")
            for (const ssa::Value *iterator : users_[call->id])
              if (iterator->op == ssa::Op::GetIter)
                add_iterated(*iterator, items, user.name == "items");
        }
    }
  }

  /// What a loop over an iterator sees; of pairs the second half.
  void add_iterated(const ssa::Value &iterator, Names &items, bool pairs) const {
    Names states{&iterator};
    for (size_t i = 0; i < states.size(); ++i)
      for (const ssa::Value *user : users_[states[i]->id]) {
        if (user->op == ssa::Op::Phi || user->op == ssa::Op::IterNext ||
            (pairs && (user->op == ssa::Op::IterValue || user->op == ssa::Op::Unpack)))
          add(states, user);
        else if (pairs ? user->op == ssa::Op::UnpackItem && user->index == 1
                       : user->op == ssa::Op::IterValue)
          add(items, user);
      }
  }

  /// Whether a call f(l, x) puts x into the list l.
  static bool adds_item(const ssa::Value &callee) {
    if (callee.op != ssa::Op::Const || !callee.constant->object)
      return false;
    const std::string &name = callee.constant->object->name;
    return name == "heapq.heappush" || name == "bisect.insort" || name == "bisect.insort_left" ||
           name == "bisect.insort_right";
  }

  bool is_name(const ssa::Value *value) const {
    return std::find(names_.begin(), names_.end(), value) != names_.end();
  }

  void look(const ssa::Value &user, const ssa::Value &name) {
    const std::vector<ssa::Value *> &operands = user.operands;
    if (user.op == ssa::Op::Phi) {
      for (const ssa::Value *other : operands)
        if (!is_name(other))
          found_.list.push_back({ContainerUse::Same, other});
      return;
    }
    if (user.op == ssa::Op::Call && operands.size() == 3 && operands[1] == &name &&
        adds_item(*operands[0]))
      found_.list.push_back({ContainerUse::Item, operands[2]});
    look_at_field(user, name);
    add_displayed(user);
    if (user.op == ssa::Op::Operator && user.oper == Operator::Mul && kind_ == Kind::List)
      look_at_repeated(user);
    if (operands[0] != &name)
      return;
    switch (user.op) {
    case ssa::Op::Return: // what a function returns has one type
      for (const ssa::Value *other : returned_)
        if (!is_name(other)) {
          add_same(*other);
          if (other->op == ssa::Op::Call && !is_builtin(*other->operands[0]))
            add(names_, other); // r = f(n - 1), whose type recursion does not know yet
        }
      break;
    case ssa::Op::ListAppend:
    case ssa::Op::SetAdd: found_.list.push_back({ContainerUse::Item, operands[1]}); break;
    case ssa::Op::MapAdd:
      found_.list.push_back({ContainerUse::Entry, operands[1], operands[2]});
      break;
    case ssa::Op::ListExtend:
    case ssa::Op::SetUpdate: found_.list.push_back({ContainerUse::Items, operands[1]}); break;
    case ssa::Op::MapUpdate: found_.list.push_back({ContainerUse::Same, operands[1]}); break;
    case ssa::Op::SetItem:
      if (kind_ == Kind::Dict)
        found_.list.push_back({ContainerUse::Entry, operands[1], operands[2]});
      else if (kind_ == Kind::List && !is_slice(*operands[1]))
        found_.list.push_back({ContainerUse::Over, operands[2]});
      break;
    case ssa::Op::Operator:
      if (user.inplace && kind_ != Kind::Dict) { // l += items, s |= items
        found_.list.push_back({ContainerUse::Items, operands[1]});
        add(names_, &user);
      } else if (user.oper == Operator::Add || user.oper == Operator::Or) { // path + [x]
        found_.list.push_back({ContainerUse::Like, operands[1]});
      }
      break;
    case ssa::Op::GetAttr:
      for (const ssa::Value *call : users_[user.id])
        if (call->op == ssa::Op::Call && call->operands[0] == &user)
          look_at_call(user.name, *call);
      break;
    default: break;
    }
  }

  /// `counts = [0] * n`: what is put there in the place of the items.
  void look_at_repeated(const ssa::Value &repeated) {
    for (const ssa::Value *user : users_[repeated.id])
      if (user->op == ssa::Op::SetItem && user->operands[0] == &repeated &&
          !is_slice(*user->operands[1]))
        found_.list.push_back({ContainerUse::Over, user->operands[2]});
  }

  /// What tells the type of a container that is put into a field, or into an object of a field.
  void look_at_field(const ssa::Value &user, const ssa::Value &name) {
    const std::vector<ssa::Value *> &operands = user.operands;
    if (!field_of_dataclass(user, name).empty()) // its annotation
      found_.list.push_back({ContainerUse::Like, &user, &name});
    if (user.op == ssa::Op::Call && makes_object(user) && operands[1] == &name)
      for (const ssa::Value *other : users_[user.id]) // the list or dict in an object
        if (other->op == ssa::Op::SetAttr && other->operands[1] == &user)
          found_.list.push_back({ContainerUse::Same, other});
    if (makes_field(user, name) || (user.op == ssa::Op::BuildList && user.index == 1))
      found_.list.push_back({ContainerUse::Field, &user});
    if (user.op == ssa::Op::SetAttr && operands[1] == &name) // that of the attribute is known
      found_.list.push_back({ContainerUse::Same, &user});
  }

  void look_at_call(const std::string &method, const ssa::Value &call) {
    const std::vector<ssa::Value *> &operands = call.operands; // the method first
    const size_t given = operands.size() - 1;
    if (kind_ == Kind::Dict) {
      if (method == "setdefault" && given == 2)
        found_.list.push_back({ContainerUse::Entry, operands[1], operands[2]});
      else if ((method == "get" || method == "pop") && given == 2)
        found_.list.push_back({ContainerUse::Guess, operands[1], operands[2]});
      else if (method == "default_of")
        found_.list.push_back({ContainerUse::Made, operands[1], operands[2]});
      else if (method == "update" && given == 1)
        found_.list.push_back({ContainerUse::Same, operands[1]});
      else if ((method == "counter_update" || method == "counter_subtract") && given == 2)
        found_.list.insert(found_.list.end(), {{ContainerUse::Items, operands[1]},
                                               {ContainerUse::Value, operands[2]}});
    } else if (((method == "append" || method == "add") && given == 1) ||
               ((method == "deque_append" || method == "deque_appendleft") && given >= 1)) {
      found_.list.push_back({ContainerUse::Item, operands[1]});
    } else if ((method == "deque_extend" || method == "deque_extendleft") && given >= 1) {
      found_.list.push_back({ContainerUse::Items, operands[1]});
    } else if ((method == "insert" && given == 2) || (method == "deque_insert" && given == 3)) {
      found_.list.push_back({ContainerUse::Item, operands[2]});
    } else if (method == "extend" || method == "update") {
      for (size_t i = 1; i < operands.size(); ++i)
        found_.list.push_back({ContainerUse::Items, operands[i]});
    }
  }

  std::vector<std::vector<const ssa::Value *>> users_; ///< by value
  std::vector<const ssa::Value *> returned_;
  Kind kind_ = Kind::Undefined;
  Names names_;  ///< values that are the container
  Names beside_; ///< values that are put where the container is put
  UsesOfContainer found_;
};

} // namespace

std::string field_of_dataclass(const ssa::Value &call, const ssa::Value &given) {
  if (call.op != ssa::Op::Call || call.operands[0]->op != ssa::Op::Const ||
      !call.operands[0]->constant->is_object(ObjectKind::DataClass))
    return {};
  const std::vector<std::string> &fields = call.operands[0]->constant->object->fields;
  const size_t positional = call.operands.size() - call.keywords.size();
  for (size_t i = 1; i < call.operands.size(); ++i)
    if (call.operands[i] == &given)
      return i >= positional         ? call.keywords[i - positional]
             : i - 1 < fields.size() ? fields[i - 1]
                                     : "";
  return {};
}

Kind made_container(const ssa::Value &value, bool *typed) {
  switch (value.op) {
  case ssa::Op::BuildList: return Kind::List;
  case ssa::Op::BuildSet: return Kind::Set;
  case ssa::Op::BuildMap: return Kind::Dict;
  default: break;
  }
  const std::string_view name = empty_call(value);
  if (typed)
    *typed = name.starts_with("numjit.typed.");
  return name == "builtins.list" || name == "numjit.typed.List"   ? Kind::List
         : name == "builtins.dict" || name == "numjit.typed.Dict" ? Kind::Dict
         : name == "builtins.set" || name == "numjit.typed.Set"   ? Kind::Set
                                                                  : Kind::Undefined;
}

bool makes_empty(const ssa::Value &value) {
  return value.op == ssa::Op::Call && made_container(value) != Kind::Undefined;
}

bool only_asked(const ssa::Function &function, const ssa::Value &made) {
  static constexpr std::string_view askers[] = {
      "builtins.len",       "builtins.bool",     "builtins.list", "builtins.tuple",
      "builtins.sorted",    "builtins.any",      "builtins.all",  "builtins.str",
      "builtins.repr",      "builtins.sum",      "builtins.max",  "builtins.min",
      "builtins.enumerate", "builtins.reversed", "builtins.zip",  "builtins.set",
      "builtins.frozenset", "builtins.iter"};
  const bool is_part = made.op == ssa::Op::GetAttr; // of an object of `collections`
  if (!made.operands.empty() && !makes_empty(made) && !is_part)
    return false;
  std::vector<const ssa::Value *> names{&made};
  if (is_part)
    names.push_back(made.operands[0]);
  auto is_name = [&](const ssa::Value *value) {
    return std::find(names.begin(), names.end(), value) != names.end();
  };
  auto asks = [&](const ssa::Value &user) {
    if (&user == &made)
      return true;
    switch (user.op) {
    case ssa::Op::Phi:
      if (!is_name(&user))
        names.push_back(&user);
      return true;
    case ssa::Op::Return:
    case ssa::Op::GetIter: return true;
    case ssa::Op::Operator:
      return !user.inplace && (operator_row(user.oper).form == OperatorForm::Compare ||
                               user.oper == Operator::Truth || user.oper == Operator::Not);
    case ssa::Op::Call: {
      if (makes_object(user)) {
        if (!is_name(&user))
          names.push_back(&user);
        return true;
      }
      const ssa::Value &callee = *user.operands[0];
      return callee.op == ssa::Op::Const && callee.constant->object &&
             std::ranges::find(askers, callee.constant->object->name) != std::end(askers);
    }
    default: return false;
    }
  };
  for (size_t known = 0; known != names.size();) {
    known = names.size();
    for (const ssa::Block &block : function.blocks)
      for (const ssa::Value *user : block.values)
        if (std::ranges::any_of(user->operands, is_name) && !asks(*user))
          return false;
  }
  return true;
}

const Type *type_of_empty(const ssa::Value &made) {
  bool typed = false;
  switch (made_container(made, &typed)) {
  case Kind::Dict: return types::dict(types::int64(), types::int64());
  case Kind::Set: return types::set(types::int64(), typed);
  default: return types::list(types::int64(), typed);
  }
}

bool only_looked_up(const ssa::Function &function, const ssa::Value &dict) {
  for (const ssa::Block &block : function.blocks)
    for (const ssa::Value *user : block.values) {
      const std::vector<ssa::Value *> &operands = user->operands;
      if (std::find(operands.begin(), operands.end(), &dict) == operands.end())
        continue;
      const bool item = user->op == ssa::Op::GetItem && operands[1]->op == ssa::Op::Const;
      const bool contains = user->op == ssa::Op::Operator && operands[0] != &dict &&
                            (user->oper == Operator::In || user->oper == Operator::NotIn);
      if (!item && !contains)
        return false;
    }
  return true;
}

ContainerUses find_container_uses(const ssa::Function &function) {
  ContainerUses uses;
  std::unique_ptr<UseFinder> finder; // most functions make no containers
  for (const ssa::Block &block : function.blocks)
    for (const ssa::Value *value : block.values) {
      if (made_container(*value) == Kind::Undefined)
        continue;
      if (!finder)
        finder = std::make_unique<UseFinder>(function);
      uses[value] = finder->uses(*value);
    }
  return uses;
}

UsesOfContainer find_parameter_uses(const ssa::Function &function, const ssa::Value &parameter,
                                    int depth, Kind kind) {
  return UseFinder(function).uses_inside(parameter, depth, kind);
}

} // namespace numjit
