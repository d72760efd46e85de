// From one SSA operation to the rule that types and compiles it.
#include "typeinfer/infer/engine.h"
#include "typeinfer/infer/known_calls.h"
#include "typeinfer/infer/stored_literals.h"
#include "typeinfer/types/open_fields.h"

#include <algorithm>

namespace numjit {

namespace {

constexpr const char *no_formats = "formatted strings are not supported in compiled code";

/// Names of functions whose call has no effect but its result, so that array expressions may wait
/// across it.
bool is_pure_callee(const ssa::Value &callee) {
  if (callee.op != ssa::Op::Const || !callee.constant->object)
    return false;
  const Object &object = *callee.constant->object;
  return object.kind == ObjectKind::Class || object.kind == ObjectKind::Type ||
         (object.kind == ObjectKind::Builtin && scalar::by_name(object.name));
}

bool may_wait_across(const ssa::Value &value) {
  switch (value.op) {
  case ssa::Op::Operator: return !value.inplace;
  case ssa::Op::Call: return is_pure_callee(*value.operands[0]);
  default: return ssa::op_row(value.op).pure;
  }
}

/// Operations that understand an unevaluated array expression as this operand.
bool takes_lazy(const ssa::Value &user, const ssa::Value &operand) {
  switch (user.op) {
  case ssa::Op::Operator:
    return operator_row(user.oper).form != OperatorForm::Compare ||
           (user.oper != Operator::In && user.oper != Operator::NotIn);
  case ssa::Op::GetItem: // a mask
    return user.operands[1] == &operand && user.operands[0] != &operand;
  case ssa::Op::SetItem:
    return user.operands[2] == &operand && user.operands[0] != &operand &&
           user.operands[1] != &operand;
  case ssa::Op::Call: return user.operands[0] != &operand;
  case ssa::Op::GetAttr: // method calls: (a * b).sum()
    return true;
  default: return false;
  }
}

/// Whether a display is one of literal strings, or of lists of these: the widths of dtypes.
bool holds_texts(const ssa::Value &list) {
  return list.op == ssa::Op::BuildList && !list.operands.empty() &&
         std::ranges::all_of(list.operands, [](const ssa::Value *item) {
           return item->op == ssa::Op::Const ? item->constant->kind == ConstKind::Str
                                             : holds_texts(*item);
         });
}

/// What takes a tuple of integers, or of arrays, in the place where a program writes a list.
constexpr std::string_view takers_of_tuples[] = {"builtins.tuple",
                                                 "collections.namedtuple",
                                                 "numpy.block",
                                                 "numpy.dtype",
                                                 "numpy.zeros",
                                                 "numpy.ones",
                                                 "numpy.empty",
                                                 "numpy.full",
                                                 "numpy.zeros_like",
                                                 "numpy.ones_like",
                                                 "numpy.empty_like",
                                                 "numpy.full_like",
                                                 "numpy.ndarray",
                                                 "numpy.reshape",
                                                 "numpy.broadcast_to",
                                                 "numpy.transpose",
                                                 "numpy.tensordot",
                                                 "numpy.moveaxis",
                                                 "numpy.pad",
                                                 "numpy.tile",
                                                 "numpy.indices",
                                                 "numpy.resize",
                                                 "numpy.permute_dims",
                                                 "numpy.roll",
                                                 "numpy.apply_over_axes",
                                                 "numpy.piecewise",
                                                 "numpy.expand_dims",
                                                 "numpy.squeeze",
                                                 "numpy.flip",
                                                 "numpy.gradient",
                                                 "numpy.unravel_index",
                                                 "numpy.ravel_multi_index",
                                                 "numpy.histogram2d",
                                                 "numpy.random.normal",
                                                 "numpy.random.uniform",
                                                 "numpy.random.random",
                                                 "numpy.random.random_sample",
                                                 "numpy.random.standard_normal",
                                                 "numpy.random.randint",
                                                 "numpy.linalg.tensordot",
                                                 "numpy.linalg.multi_dot",
                                                 "numpy.linalg.norm"};

/// The object whose `reshape` is called with a display, or `asarray` with []; null for other uses.
const ssa::Value *receiver_of(const ssa::Value &use, const ssa::Value &list) {
  const bool calls_method = use.op == ssa::Op::Call && use.operands[0]->op == ssa::Op::GetAttr;
  const std::string_view name = calls_method ? use.operands[0]->name : std::string_view();
  const bool fits = name == "reshape" || (name == "asarray" && list.operands.empty());
  return fits && std::ranges::find(use.operands, &list) != use.operands.end()
             ? use.operands[0]->operands[0]
             : nullptr;
}

/// Whether a call is one of what takes tuples, by name or as a method of an array.
bool takes_tuples(const ssa::Value &call) {
  const ssa::Value &callee = *call.operands[0];
  if (callee.op == ssa::Op::GetAttr)
    return callee.name == "reshape" || callee.name == "transpose";
  if (callee.op != ssa::Op::Const || !callee.constant->object)
    return false;
  const std::string &name = callee.constant->object->name;
  return name.starts_with("numpy.fft.") ||
         std::ranges::find(takers_of_tuples, name) != std::end(takers_of_tuples);
}

constexpr size_t kMostItemsOfTables = 64; ///< of displays that are written item by item

/// Whether a display of items, or of rows of equal length, is short enough that they are written
/// one by one: `np.array([x, y])`, `np.array([[c, -s], [s, c]])`.
bool is_small_table(const ssa::Value &list) {
  const auto is_display = [](const ssa::Value *row) {
    return row->op == ssa::Op::BuildList || row->op == ssa::Op::BuildTuple;
  };
  const auto &rows = list.operands;
  if (!is_display(&list) || rows.empty() || rows.size() > kMostItemsOfTables)
    return false;
  if (std::ranges::none_of(rows, is_display))
    return true;
  const size_t columns = is_display(rows[0]) ? rows[0]->operands.size() : 0;
  return columns && rows.size() * columns <= kMostItemsOfTables &&
         std::ranges::all_of(rows, [&](const ssa::Value *row) {
           return row->uses == 1 && is_display(row) && row->operands.size() == columns &&
                  std::ranges::none_of(row->operands, is_display);
         });
}

/// Whether a display is a list only in the text: `np.zeros([n, m])`. What is called for has its
/// length in its type.
bool stands_for_tuple(const ssa::Value &list, const std::vector<const ssa::Value *> &user) {
  const ssa::Value *use = list.uses == 1 ? user[list.id] : nullptr;
  if (use && receiver_of(*use, list))
    return true;
  while (use && use->op == ssa::Op::BuildTuple && use->uses == 1)
    use = user[use->id];
  if (!use)
    return false;
  if (use->op == ssa::Op::BuildList)
    return stands_for_tuple(*use, user);
  if (use->op == ssa::Op::CallStar)
    return use->operands[1] == &list && use->operands[0] != &list;
  if (use->op != ssa::Op::Call || use->operands[0]->op != ssa::Op::Const)
    return false;
  const Const &callee = *use->operands[0]->constant;
  if (callee.object && list.operands.empty() && callee.object->name.starts_with("numpy."))
    return true; // np.array([]): there is nothing that says the type of its items
  if (callee.object &&
      (callee.object->name == "numpy.array" || callee.object->name == "numpy.asarray"))
    return (use->operands.size() == 2 && holds_texts(*use->operands[1])) ||
           is_small_table(*use->operands[1]);
  return takes_tuples(*use);
}

} // namespace

bool calls(const ssa::Value &value, std::string_view name) {
  return value.op == ssa::Op::Call && value.keywords.empty() &&
         value.operands[0]->op == ssa::Op::Const && value.operands[0]->constant->object &&
         value.operands[0]->constant->object->name == name;
}

namespace {

/// Whether a value of the type is an inner function, or has one.
bool has_inner_function(const Type &type) {
  if (type.kind == Kind::Closure || type.kind == Kind::Choice)
    return true;
  return type.kind != Kind::Struct && // which may have itself for a field, and no function
         std::ranges::any_of(type.params, [](auto *part) { return has_inner_function(*part); });
}

} // namespace

std::vector<bool> find_lazy_values(const ssa::Function &function) {
  std::vector<bool> lazy(function.values.size(), false);
  std::vector<const ssa::Value *> user(function.values.size(), nullptr);
  for (const ssa::Block &block : function.blocks)
    for (const ssa::Value *value : block.values)
      for (const ssa::Value *operand : value->operands)
        user[operand->id] = value;
  for (const ssa::Block &block : function.blocks) {
    for (size_t i = 0; i < block.values.size(); ++i) {
      const ssa::Value *value = block.values[i];
      const ssa::Value *use = user[value->id];
      if (value->op == ssa::Op::BuildList)
        lazy[value->id] = stands_for_tuple(*value, user);
      const bool candidate = value->op == ssa::Op::Operator || value->op == ssa::Op::Call ||
                             value->op == ssa::Op::GetAttr;
      if (!candidate || value->uses != 1 || use->block != &block || !takes_lazy(*use, *value))
        continue;
      size_t j = i + 1;
      while (block.values[j] != use && may_wait_across(*block.values[j]))
        ++j;
      lazy[value->id] = block.values[j] == use;
    }
  }
  return lazy;
}

Operand SsaRules::evaluate(const ssa::Value &value) {
  e.position = value.position;
  if (const ssa::Value *united = find_union(value))
    return split(value, *united);
  if (const ssa::Value *array = spec.options.unions ? squeezed_by(value) : nullptr)
    if (const Operand given = force(e, use(*array)); has_open_extents(given))
      return squeeze_at_run_time(e, given);
  if (value.op == ssa::Op::Call || value.op == ssa::Op::SetItem || value.op == ssa::Op::SetAttr ||
      value.inplace)
    check_stored_literals(e, value, [this](const ssa::Value &each) { return chosen(each); });
  if (value.op == ssa::Op::Operator &&
      std::ranges::any_of(value.operands, [this](const ssa::Value *operand) {
        return is_item_of_field(operand_of(*operand).type);
      }))
    throw NotKnownYet{}; // `self.best is None`: what it is then
  Operand result = dispatch(value);
  // Library functions that take expressions decide themselves when to evaluate.
  if (result.type && result.type->kind == Kind::Lazy && !spec.lazy[value.id] &&
      !spec.def->accepts_lazy)
    result = force(e, result);
  result.position = value.position;
  return result;
}

/// Operand of an operation that reads it: a variable must have a value by now.
Operand SsaRules::use(const ssa::Value &value) { return e.assigned(chosen(value), value.name); }

Operands SsaRules::raise_operands(const ssa::Value &end) {
  Operands operands;
  for (const ssa::Value *operand : end.operands)
    operands.push_back(end.index ? operand_of(*operand) : use(*operand));
  return operands;
}

const NextResult &SsaRules::next_result(const ssa::Value &next) {
  auto found = next_results_.find(&next);
  // While inferring, the state's type may have changed since the last sweep.
  if (e.dry() || found == next_results_.end())
    found = next_results_
                .insert_or_assign(&next,
                                  next.operands.size() > 1
                                      ? rule_send(e, use(*next.operands[0]), use(*next.operands[1]))
                                      : rule_next(e, use(*next.operands[0])))
                .first;
  return found->second;
}

Operand SsaRules::dispatch(const ssa::Value &value) {
  auto arg = [&](size_t i) { return use(*value.operands[i]); };
  auto forced = [&](size_t i) { return force(e, arg(i)); };
  auto all = [&] {
    Operands operands;
    for (size_t i = 0; i < value.operands.size(); ++i)
      operands.push_back(forced(i));
    return operands;
  };
  switch (value.op) {
  case ssa::Op::Param: {
    const Fact &fact = spec.arguments[value.index];
    if (fact.type->kind == Kind::Undefined)
      return self_reference(value.name);
    return parameter(value.index);
  }
  case ssa::Op::Const:
    if (Operand named = named_value(e, value.constant))
      return named;
    return e.constant(value.constant);
  case ssa::Op::Unbound:
    e.fail_as("TypingError", "name '" + value.name + "' is not defined",
              "define it before the first call, or pass it as an argument");
  case ssa::Op::Undef: return e.unit(types::undefined());
  case ssa::Op::Local: {
    auto local = spec.options.locals.find(value.name);
    Operand stored = operand_of(*value.operands[0]);
    // A comprehension gives the variable back what it took, which may be nothing.
    if (local == spec.options.locals.end() || stored.type->kind == Kind::Undefined)
      return stored;
    const auto *type = static_cast<const Type *>(local->second);
    if (stored.type->kind == Kind::Maybe && stored.type->params[0] == type)
      return stored;
    return e.convert(forced(0), type);
  }
  case ssa::Op::Operator:
    if (value.operands.size() == 1)
      return value.oper == Operator::Truth ? e.truth(forced(0)) : rule_unary(e, value.oper, arg(0));
    return rule_operator(e, value.oper, arg(0), arg(1), value.inplace);
  case ssa::Op::GetAttr: {
    Operand object = arg(0);
    return object.type == types::caught_exception() ? caught_attribute(value, object)
                                                    : rule_getattr(e, object, value.name);
  }
  case ssa::Op::SetAttr: rule_setattr(e, forced(0), value.name, forced(1)); return e.none();
  case ssa::Op::GetItem: return rule_getitem(e, arg(0), arg(1));
  case ssa::Op::SetItem: rule_setitem(e, forced(0), forced(1), arg(2)); return e.none();
  case ssa::Op::DelItem: rule_delitem(e, forced(0), forced(1)); return e.none();
  case ssa::Op::BuildSlice: return rule_slice(e, forced(0), forced(1), forced(2));
  case ssa::Op::BuildTuple: return e.tuple(all());
  case ssa::Op::BuildList:
  case ssa::Op::BuildSet:
  case ssa::Op::BuildMap: return container(value);
  case ssa::Op::ListAppend: e.library("List.append", {arg(0), forced(1)}); return e.none();
  case ssa::Op::SetAdd: e.library("Set.add", {arg(0), forced(1)}); return e.none();
  case ssa::Op::MapAdd:
    e.library("Dict.__setitem__", {arg(0), forced(1), forced(2)});
    return e.none();
  case ssa::Op::SetUpdate: e.library("Set.update", {arg(0), forced(1)}); return e.none();
  case ssa::Op::MapUpdate: e.library("Dict.update", {arg(0), forced(1)}); return e.none();
  case ssa::Op::ListToTuple: // of (a, *t, b): the frontend joins tuples
    if (Operand items = forced(0); items.type->is_tuple())
      return items;
    else {
      Operands list{items};
      return find_builtin("builtins.tuple")->rule(e, list);
    }
  case ssa::Op::ListExtend: e.library("List.extend", {arg(0), forced(1)}); return e.none();
  case ssa::Op::BuildString: return syntax("numjit.build_string", all(), no_formats);
  case ssa::Op::FormatValue: {
    Operands operands{forced(0), e.i64(value.index),
                      value.operands.size() > 1 ? forced(1) : e.none()};
    return syntax("numjit.format_value", operands, no_formats);
  }
  case ssa::Op::Unpack:
    return rule_unpack_check(e, without_object(e, forced(0)), value.index, value.star);
  case ssa::Op::UnpackItem: {
    const ssa::Value &unpack = *value.operands[0];
    if (const auto number = value.index ? std::nullopt : counted(*unpack.operands[0], spec.facts))
      return e.i64(*number);
    const Operand items = use(unpack);
    const Operand object = items.type->kind != Kind::None
                               ? items
                               : without_object(e, force(e, use(*unpack.operands[0])));
    return rule_unpack(e, object, unpack.index, unpack.star, value.index);
  }
  case ssa::Op::GetIter: return rule_iter(e, forced(0));
  case ssa::Op::IterNext: next_result(value); return e.none();
  case ssa::Op::IterValid: return next_result(*value.operands[0]).valid;
  case ssa::Op::IterValue: {
    const NextResult &next = next_result(*value.operands[0]);
    return next.read ? next.read() : next.item;
  }
  case ssa::Op::IterState: return next_result(*value.operands[0]).state;
  case ssa::Op::IterReturned: {
    const NextResult &next = next_result(*value.operands[0]);
    return next.returned ? next.returned() : e.none();
  }
  case ssa::Op::UnrolledItem:
    if (const Const *known = known_item(value, spec.facts))
      return e.constant(known);
    return rule_unrolled_item(e, arg(0), value.index);
  case ssa::Op::Call: return makes_empty(value) ? container(value) : call(value);
  case ssa::Op::CallStar: return call_star(value);
  case ssa::Op::MakeFunction: return make_function(value);
  case ssa::Op::ParallelLoop: {
    Operands operands;
    const size_t initial = value.operands.size() - value.keywords.size();
    for (size_t i = 0; i < value.operands.size(); ++i) {
      Operand operand = operand_of(*value.operands[i]);
      if (i >= initial || operand.type->kind == Kind::Undefined)
        operand = force(e, e.assigned(operand, value.operands[i]->name));
      operands.push_back(operand);
    }
    return rule_parallel_loop(e, value, std::move(operands));
  }
  case ssa::Op::ParallelResult: {
    Operand loop = operand_of(*value.operands[0]), start;
    if (value.operands.size() > 1)
      start = force(e, value.keywords[0] == "last" ? operand_of(*value.operands[1]) : arg(1));
    return rule_parallel_result(e, loop, value.index, value.keywords[0], start);
  }
  case ssa::Op::ChunkRange: return rule_chunk_range(e, arg(0), arg(1), arg(2), value.index == 1);
  case ssa::Op::ChunkValues: {
    Operands items;
    for (const ssa::Value *item : value.operands)
      items.push_back(force(e, operand_of(*item)));
    return e.tuple(items);
  }
  case ssa::Op::Yield: return yield(value);
  case ssa::Op::RunsInOrder:
    e.engine.host.warn_of_order(value.name, e.def, value.position);
    return e.none();
  case ssa::Op::Unsupported:
    if (value.operands.empty() || has_inner_function(*arg(0).type))
      e.fail_as("UnsupportedError", value.name);
    return e.none();
  case ssa::Op::MergeKeywords:
  case ssa::Op::Phi:
  case ssa::Op::Jump:
  case ssa::Op::Branch:
  case ssa::Op::Return:
  case ssa::Op::Raise:
  case ssa::Op::Unreachable: break;
  }
  throw InternalError(std::string("no rule for SSA operation ") + ssa::op_row(value.op).name);
}

Operand SsaRules::syntax(const char *name, std::span<const Operand> operands, const char *refusal) {
  if (!find_builtin(name) && !e.engine.host.library(name))
    e.fail_as("UnsupportedError", refusal);
  return e.library(name, operands);
}

/// Whether a display is given to a method of what is neither an array nor a module.
bool SsaRules::is_for_another_class(const ssa::Value &list) {
  for (const ssa::Block &block : spec.source->blocks)
    for (const ssa::Value *user : block.values)
      if (const ssa::Value *receiver = receiver_of(*user, list))
        return !is_arraylike(chosen(*receiver).type) &&
               chosen(*receiver).type->kind != Kind::Module;
  return false;
}

/// A display of a list, set or dict, or `list()` and the like.
Operand SsaRules::container(const ssa::Value &value) {
  Operands items;
  if (value.op != ssa::Op::Call)
    for (const ssa::Value *item : value.operands)
      items.push_back(force(e, use(*item)));
  if (value.op == ssa::Op::BuildList && spec.lazy[value.id] && !is_for_another_class(value))
    return e.tuple(items);
  bool mixed = false; // classes or None among the keys
  for (size_t i = 0; value.op == ssa::Op::BuildMap && i < items.size(); i += 2)
    mixed = mixed || items[i].type->kind == Kind::Function || items[i].type->kind == Kind::None;
  if (mixed)
    return e.library("numjit.dict_of_classes", {e.tuple(items)});
  const Type *type = container_type(value);
  if (type)
    return rule_container(e, type, items);
  if (value.op == ssa::Op::Call)
    return call(value); // fails, and says why
  return e.library(value.op == ssa::Op::BuildList  ? "builtins.list"
                   : value.op == ssa::Op::BuildSet ? "builtins.set"
                                                   : "builtins.dict",
                   {Operand{}});
}

/// What a list, set or dict of constants is written down with; null for others.
const Const *SsaRules::initial_items(const ssa::Value &value) {
  if (value.op != ssa::Op::BuildList && value.op != ssa::Op::BuildSet &&
      value.op != ssa::Op::BuildMap)
    return nullptr;
  std::vector<const Const *> items;
  for (const ssa::Value *item : value.operands) {
    items.push_back(use(*item).constant);
    if (!items.back())
      return nullptr;
  }
  return items.empty() ? nullptr : constants::tuple(std::move(items));
}

/// The literals in the display of choices that np.select or np.choose is called with, None for each
/// other choice: literals are weak beside these, and beside the default. Null if there are none.
template <class Use>
static const Const *literals_among_choices(Emitter &e, const ssa::Value &call, Use use) {
  const ssa::Value &callee = *call.operands[0];
  if (callee.op != ssa::Op::Const || !callee.constant->object ||
      call.operands.size() < call.keywords.size() + 3 ||
      (e.options().promotes_as_numba && !e.def->promotes_as_numpy))
    return nullptr;
  const std::string &name = callee.constant->object->name;
  const ssa::Value &choices = *call.operands[2];
  if ((name != "numpy.select" && name != "numpy.choose") ||
      (choices.op != ssa::Op::BuildTuple && choices.op != ssa::Op::BuildList))
    return nullptr;
  std::vector<const Const *> literals;
  for (const ssa::Value *choice : choices.operands) {
    const Operand item = use(*choice);
    const bool is_literal =
        item.type->is_scalar() && item.constant && item.constant->scalar.empty();
    literals.push_back(is_literal ? item.constant : constants::none());
  }
  const auto others = std::ranges::count(literals, constants::none());
  const bool is_weak = others < std::ssize(literals) && (others > 0 || name == "numpy.select");
  return is_weak ? constants::tuple(std::move(literals)) : nullptr;
}

Operand SsaRules::call(const ssa::Value &value) {
  if (calls(value, "builtins.object") && value.operands.size() == 1)
    return sentinel_of(e, value);
  if (calls(value, "builtins.tuple") && value.operands.size() == 2)
    if (Operand known = tuple_of_range(e, *value.operands[1], spec.facts)) // tuple(range(a.ndim))
      return known;
  CallArguments arguments;
  const bool tuples = !spec.def->is_library && takes_tuples(value);
  const size_t positional = value.operands.size() - value.keywords.size();
  for (size_t i = 1; i < value.operands.size(); ++i) {
    Operand operand = use(*value.operands[i]);
    operand.initial = initial_items(*value.operands[i]);
    if (tuples)
      operand = with_known_length(value, *value.operands[i], operand);
    if (i < positional)
      arguments.positional.push_back(operand);
    else
      arguments.keywords.emplace_back(value.keywords[i - positional], operand);
  }
  Operand callee = use(*value.operands[0]);
  if (const Const *literals =
          literals_among_choices(e, value, [&](const ssa::Value &item) { return use(item); })) {
    const bool selects = value.operands[0]->constant->object->name == "numpy.select";
    callee =
        e.constant(constants::builtin(selects ? "numjit.select_weakly" : "numjit.choose_weakly"));
    arguments.keywords.emplace_back("literals", e.constant(literals));
  }
  e.position = value.position;
  if (callee.type->kind == Kind::Method && value.operands[0]->op == ssa::Op::GetAttr)
    if (const Operand self = use(*value.operands[0]->operands[0]);
        self.type->kind == Kind::Dict && self.constant && self.type == callee.type->fields[0]) {
      arguments.positional.insert(arguments.positional.begin(), self); // a global one is known
      callee = e.constant(constants::builtin(callee.type->constant->text));
    }
  return rule_call(e, callee, std::move(arguments));
}

/// An inner function is a value: its code is in the type, the captured values are its fields.
/// Defaults are captured behind them.
Operand SsaRules::make_function(const ssa::Value &value) {
  Operands captured;
  std::vector<const Type *> captured_types;
  const size_t defaults = value.index;
  for (size_t i = defaults; i < value.operands.size() + defaults; ++i) {
    // free variables first, then defaults
    const size_t index = i < value.operands.size() ? i : i - value.operands.size();
    // A function that captures itself: made again from its other captures where it is read
    // (self_reference).
    const bool itself = index < defaults ? false : value.operands[index]->op == ssa::Op::Undef;
    Operand operand = itself ? e.unit(types::undefined()) : force(e, use(*value.operands[index]));
    captured_types.push_back(operand.type);
    captured.push_back(operand);
  }
  value.constant->object->function->self = value.constant;
  return e.make(types::closure(value.constant, captured_types), captured);
}

/// The value that an inner function's own name has inside of it, or that of a sibling's.
Operand SsaRules::self_reference(const std::string &name) {
  if (const auto sibling = spec.def->siblings.find(name); sibling != spec.def->siblings.end())
    return sibling_reference(sibling->second);
  const FunctionDef &def = *spec.def;
  const Code &code = def.code;
  const size_t parameters = static_cast<size_t>(code.argcount + code.kwonlyargcount) +
                            code.has_varargs() + code.has_varkeywords();
  Operands captured; // what it was called with behind its parameters: variables, then defaults
  std::vector<const Type *> captured_types;
  for (size_t i = parameters; i < spec.arguments.size(); ++i) {
    const Fact &fact = spec.arguments[i];
    if (fact.type->kind == Kind::Undefined)
      captured.push_back(e.unit(fact.type));
    else
      captured.push_back(parameter(static_cast<int>(i)));
    captured_types.push_back(captured.back().type);
  }
  return e.make(types::closure(def.self, captured_types), captured);
}

/// A function of the group that this one belongs to, with what all of them capture.
Operand SsaRules::sibling_reference(const Const *code) {
  FunctionDef &sibling = *code->object->function;
  const std::vector<std::string> &own = spec.def->code.freevars;
  Operands captured;
  std::vector<const Type *> captured_types;
  for (const std::string &name : sibling.code.freevars) {
    const auto place = std::ranges::find(own, name);
    const int index = spec.def->parameter_count() + static_cast<int>(place - own.begin());
    const bool is_function = place == own.end() || sibling.siblings.contains(name);
    captured.push_back(is_function ? e.unit(types::undefined()) : parameter(index));
    captured_types.push_back(captured.back().type);
  }
  sibling.self = code;
  return e.make(types::closure(code, captured_types), captured);
}

/// A parameter, wherever it is needed.
Operand SsaRules::parameter(int index) {
  const Fact &fact = spec.arguments[index];
  if (fact.constant || e.dry())
    return {fact.type, fact.constant, nullptr, e.position};
  tir::Value *code = e.append(tir::Op::Param, fact.type);
  code->index = index;
  code->name = parameter_name(*spec.source, static_cast<size_t>(index));
  return {fact.type, nullptr, code, e.position};
}

} // namespace numjit
