// Variables that hold values of several types: `total = 0`, and in a loop `total = total + row`.
// Where their types have nothing in common, the variable's is a union. Each operation on one looks
// which of its members it is and is compiled once for each; what the results have in common is the
// type of the result, so that a union ends where it is used.
#include "typeinfer/infer/engine.h"
#include "typeinfer/infer/unify.h"
#include "typeinfer/types/struct_classes.h"

#include <algorithm>

namespace numjit {

// --- types ---

/// More than that is what grows with every iteration.
static constexpr size_t kMostMembers = 4;

static bool may_be_member(const Type *type) {
  switch (type->kind) {
  case Kind::Scalar:
  case Kind::None:
  case Kind::Unicode:
  case Kind::Bytes:
  case Kind::Tuple:
  case Kind::NamedTuple:
  case Kind::Array:
  case Kind::List:
  case Kind::Set:
  case Kind::Dict:
  case Kind::Slice:
  case Kind::Method:
  case Kind::Function:
  case Kind::Choice:
  case Kind::DType:
  case Kind::Datetime:
  case Kind::Timedelta: return true;
  default: return is_run_time_tuple(type);
  }
}

std::vector<const Type *> members_of(const Type *type) {
  if (type->kind == Kind::Union)
    return type->params;
  if (type->kind == Kind::Optional)
    return {types::none(), type->params[0]};
  return {unliteral(type)};
}

/// What two members are together; null if they stay two.
static const Type *as_one_member(const Type *a, const Type *b) {
  if (a == b)
    return a;
  if (a->kind == Kind::None || b->kind == Kind::None)
    return nullptr;
  return unify(a, b);
}

const Type *unify_or_unite(const Type *a, const Type *b) {
  if (a->kind != Kind::Union && b->kind != Kind::Union)
    if (const Type *type = unify(a, b))
      return type;
  std::vector<const Type *> members, more = members_of(b);
  std::ranges::copy(members_of(a), std::back_inserter(more));
  while (!more.empty()) {
    const Type *member = more.back();
    more.pop_back();
    if (!may_be_member(member))
      return nullptr;
    const auto same = std::ranges::find_if(
        members, [&](const Type *other) { return as_one_member(other, member); });
    if (same == members.end()) {
      members.push_back(member);
    } else if (const Type *both = as_one_member(*same, member); both != *same) {
      members.erase(same);
      more.push_back(both);
    }
  }
  if (members.size() > kMostMembers)
    return nullptr;
  // In one order, whichever path is looked at first.
  std::ranges::sort(members, {}, &Type::id);
  return types::union_of(std::move(members));
}

size_t place_in(const Type *united, const Type *member) {
  const auto place = std::ranges::find_if(
      united->params, [&](const Type *each) { return as_one_member(each, member) == each; });
  return static_cast<size_t>(place - united->params.begin());
}

// --- values ---

Operand as_one_of(Emitter &e, const Operand &a, const Type *to) {
  const bool many = a.type->kind == to->kind;
  const std::vector<const Type *> given = many ? a.type->params : members_of(a.type);
  Operands fields(to->params.size());
  Operand which;
  for (size_t i = given.size(); i-- > 0;) {
    const size_t place = place_in(to, given[i]);
    if (place == to->params.size() || fields[place])
      e.fail("cannot convert " + a.type->text + " to " + to->text);
    const Operand number = e.i64(static_cast<int64_t>(place));
    const Operand value = many                             ? e.field(a, static_cast<int>(i) + 1)
                          : given[i]->kind == Kind::None   ? e.none()
                          : a.type->kind == Kind::Optional ? e.field(a, 1)
                                                           : a;
    which = !which ? number
            : many ? e.select(e.op(Operator::Eq, e.field(a, 0), e.i64(static_cast<int64_t>(i))),
                              number, which)
                   : e.select(e.field(a, 0), which, number);
    fields[place] = e.convert(value, to->params[place]);
  }
  for (size_t i = 0; i < fields.size(); ++i)
    if (!fields[i])
      fields[i] = e.undef(to->params[i]);
  fields.insert(fields.begin(), which);
  return e.make(to, fields);
}

/// A type for tuples of all the lengths that a union has; null if it has anything else.
static const Type *joined_tuples(Emitter &e, const Type *united) {
  const Type *joined = united->params[0];
  for (const Type *member : united->params)
    joined = joined ? as_long_tuple(e, joined, member) : nullptr;
  return joined;
}

/// What `of` makes of the member that a union is.
static Operand for_each_member(Emitter &e, const Operand &united,
                               const std::function<Operand(const Operand &)> &of,
                               Emitter::Meet meet) {
  const size_t count = united.type->params.size();
  std::function<Operand(size_t)> from = [&](size_t member) {
    auto one = [&] { return of(e.field(united, static_cast<int>(member) + 1)); };
    if (member + 1 == count)
      return one();
    return e.choose(
        e.op(Operator::Eq, e.field(united, 0), e.i64(static_cast<int64_t>(member))), one,
        [&] { return from(member + 1); }, meet);
  };
  return from(0);
}

Operand as_one_tuple(Emitter &e, const Operand &united) {
  const Type *joined = joined_tuples(e, united.type);
  if (!joined || e.dry())
    return joined ? Operand{joined, nullptr, nullptr, united.position} : united;
  return for_each_member(
      e, united, [&](const Operand &member) { return e.convert(member, joined); }, unify);
}

/// Whether a union has tuples of one length only.
static bool has_one_length(const Type *united) {
  return std::ranges::all_of(united->params, [&](const Type *member) {
    return member->kind == Kind::Tuple && member->params.size() == united->params[0]->params.size();
  });
}

Operand as_tuple_of_unions(Emitter &e, const Operand &given) {
  if (given.type->kind != Kind::Union || !has_one_length(given.type))
    return given;
  Operands items;
  for (size_t i = 0; i < given.type->params[0]->params.size(); ++i)
    items.push_back(for_each_member(
        e, given, [&](const Operand &member) { return e.field(member, static_cast<int>(i)); },
        unify_or_unite));
  return e.tuple(items);
}

// --- operations ---

/// Whether an operation is compiled for each type that an operand may have. Others keep what they
/// are given, or refuse it.
static bool splits(ssa::Op op) {
  switch (op) {
  case ssa::Op::Operator:
  case ssa::Op::GetAttr:
  case ssa::Op::SetAttr:
  case ssa::Op::GetItem:
  case ssa::Op::SetItem:
  case ssa::Op::DelItem:
  case ssa::Op::BuildSlice:
  case ssa::Op::BuildString:
  case ssa::Op::FormatValue:
  case ssa::Op::Call:
  case ssa::Op::CallStar: return true;
  default: return false;
  }
}

static bool refuses(ssa::Op op) {
  return op == ssa::Op::GetIter || op == ssa::Op::Unpack || op == ssa::Op::UnpackItem ||
         op == ssa::Op::ListToTuple;
}

/// Whether a value is one of several classes, of which functions want to know which: a dtype.
static bool is_one_of_classes(const Type *type) {
  return type->kind == Kind::Choice && std::ranges::all_of(type->params, [](const Type *each) {
           return each->kind == Kind::Function && each->constant->is_object(ObjectKind::Class);
         });
}

const ssa::Value *SsaRules::find_union(const ssa::Value &value) {
  if (!splits(value.op) && !refuses(value.op))
    return nullptr;
  const bool calls = value.op == ssa::Op::Call;
  const bool takes_functions = // which may not all fit
      calls && spec.options.unions && e.engine.defers;
  for (const ssa::Value *operand : value.operands) {
    const auto member = members_.find(operand); // of a union that is split already
    const bool is_member = member != members_.end();
    const Type *type = is_member ? member->second.second.type : spec.facts[operand->id].type;
    if (type && type->kind == Kind::Maybe)
      type = type->params[0];
    const bool chooses =
        type && (operand == value.operands[0]
                     ? takes_functions && type->kind == Kind::Choice
                     : calls && (is_member || spec.options.unions) && is_one_of_classes(type));
    const bool is_split = chooses || (type && type->kind == Kind::Union);
    if (!is_split)
      continue;
    if (const Type *now = chosen(*operand).type; // of a container that functions are asked about
        now->kind != type->kind && now->kind != Kind::Maybe)
      continue;
    const bool unpacks = value.op == ssa::Op::Unpack && has_one_length(type);
    if (unpacks || (value.op == ssa::Op::GetIter && joined_tuples(e, type)))
      continue;
    if (refuses(value.op))
      e.fail("Cannot unify " + type->params[0]->text + " and " + type->params[1]->text + " for '" +
                 operand->name + "'",
             "give the variable one type on every path");
    return operand;
  }
  return nullptr;
}

/// Which members of unions this is compiled for now, and another one.
std::vector<size_t> SsaRules::path_of(const ssa::Value &value, const ssa::Value &operand,
                                      size_t member) const {
  std::vector<size_t> path{static_cast<size_t>(value.id)};
  for (const auto &[each, chosen] : members_) {
    path.push_back(static_cast<size_t>(each->id));
    path.push_back(chosen.first);
  }
  path.push_back(static_cast<size_t>(operand.id));
  path.push_back(member);
  return path;
}

Operand SsaRules::evaluate_for(const ssa::Value &value, const ssa::Value &operand,
                               const Operand &whole, size_t member) {
  struct Restore {
    decltype(members_) &members;
    const ssa::Value *operand;
    decltype(members_)::node_type before; // of a split around this one
    ~Restore() {
      members.erase(operand);
      members.insert(std::move(before));
    }
  } restore{members_, &operand, members_.extract(&operand)};
  members_[&operand] = {member, e.field(whole, static_cast<int>(member) + 1)};
  const Operand result = evaluate(value);
  e.position = value.position;
  return result.type ? force(e, result) : result;
}

/// The members that an operation knows, while inferring with its results. What it says of the
/// others is what it raises.
std::vector<std::pair<size_t, Operand>>
SsaRules::known_members(const ssa::Value &value, const ssa::Value &operand, const Operand &whole) {
  const size_t count = whole.type->params.size();
  std::vector<std::pair<size_t, Operand>> known;
  if (!e.dry()) {
    for (size_t i = 0; i < count; ++i)
      if (!spec.refused.contains(path_of(value, operand, i)))
        known.emplace_back(i, Operand{});
    return known;
  }
  std::optional<CompileError> first;
  bool returns = false;
  const Specialization *called = nullptr;
  for (size_t i = 0; i < count; ++i) {
    const std::vector<size_t> path = path_of(value, operand, i);
    spec.refused.erase(path);
    try {
      e.engine.last_called = nullptr;
      known.emplace_back(i, evaluate_for(value, operand, whole, i));
      called = e.engine.last_called;
      returns |= !called || called->returns || called->state != Specialization::Done;
    } catch (CompileError &error) {
      spec.refused[path] = error.message;
      if (!first)
        first = std::move(error);
    }
  }
  e.engine.last_called = returns ? nullptr : called;
  if (known.empty())
    throw CompileError(*first);
  return known;
}

Operand SsaRules::split(const ssa::Value &value, const ssa::Value &operand) {
  const Operand whole = use(operand);
  const auto known = known_members(value, operand, whole);
  auto is = [&](size_t member) {
    return e.op(Operator::Eq, e.field(whole, 0), e.i64(static_cast<int64_t>(member)));
  };
  for (size_t i = 0; !e.dry() && i < whole.type->params.size(); ++i)
    if (const auto refused = spec.refused.find(path_of(value, operand, i));
        refused != spec.refused.end())
      e.raise_if(is(i), "TypeError", refused->second);
  std::function<Operand(size_t)> from = [&](size_t first) {
    auto one = [&] {
      const auto &[member, result] = known[first];
      return e.dry() ? result : evaluate_for(value, operand, whole, member);
    };
    if (first + 1 == known.size())
      return one();
    return e.choose(
        is(known[first].first), one, [&] { return from(first + 1); }, unify_or_unite);
  };
  return from(0);
}

} // namespace numjit
