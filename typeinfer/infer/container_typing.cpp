// The type of a list, set or dict that a function makes, from the facts known so far: of the items
// of its display, and of what is put into it later (containers.cpp finds these uses).
#include "typeinfer/infer/dataclass_fields.h"
#include "typeinfer/infer/engine.h"
#include "typeinfer/infer/unify.h"
#include "typeinfer/types/open_fields.h"
#include "typeinfer/types/struct_classes.h"

#include <algorithm>

namespace numjit {

namespace {

/// As item_type_of, but literal strings stay what they are.
const Type *display_item(const Type *type) {
  if (type->kind == Kind::Maybe) // the display takes the value that it must have
    return display_item(type->params[0]);
  return type->kind == Kind::Lazy ? item_type_of(type) : type;
}

/// The type of a list, set or dict display from the facts known so far.
class ContainerTyping {
public:
  ContainerTyping(Emitter &e, const Specialization &spec, const ssa::Value &made,
                  const std::vector<ContainerUse> &uses, std::span<const LearnedPart> learned)
      : e_(e), spec_(spec), made_(made), uses_(uses), learned_(learned),
        kind_(made_container(made, &typed_)), parts_(kind_ == Kind::Dict ? 2 : 1) {}

  const Type *type() {
    const bool display = has_display();
    if (made_.op == ssa::Op::BuildList && made_.index == 1)
      return box();
    if (display)
      if (const Type *literal = literal_type())
        return literal;
    join_all(display);
    if (is_known()) {
      fill_none();
      return made_type();
    }
    const bool is_empty_list = kind_ == Kind::List && !display && made_.op != ssa::Op::Call;
    if (const Type *open = is_empty_list ? e_.engine.field_items.empty_list(place()) : nullptr)
      return open;
    if (!uses_.empty() || display)
      throw NotKnownYet{};
    return nullptr;
  }

  /// The types of the parts of a container of another function, as far as they are known.
  std::vector<const Type *> types_of(Kind kind) {
    kind_ = kind;
    parts_.resize(kind == Kind::Dict ? 2 : 1);
    join_all(false);
    std::vector<const Type *> types;
    for (const Part &part : parts_)
      types.push_back(part.type);
    return types;
  }

private:
  struct Part {
    const Type *type = nullptr;
    const ssa::Value *from = nullptr;
  };

  bool has_display() const { return made_.op != ssa::Op::Call && !made_.operands.empty(); }

  bool is_known() const {
    return std::all_of(parts_.begin(), parts_.end(), [](const Part &part) { return part.type; });
  }

  void join_all(bool display) {
    for (size_t i = 0; display && i < made_.operands.size(); ++i)
      join(i % parts_.size(), *made_.operands[i], true);
    auto is_guess = [](const ContainerUse &use) {
      return use.kind == ContainerUse::Guess || use.kind == ContainerUse::Like ||
             use.kind == ContainerUse::Field;
    };
    for (const ContainerUse &use : uses_)
      if (!is_guess(use))
        learn(use, !display);
    const bool must_fit = !display && !is_known(); // else an error has its place in the callee
    for (const LearnedPart &part : learned_)
      join(part.index, part.type, *part.from, must_fit);
    for (const ContainerUse &use : uses_)
      if (is_guess(use) && !parts_.back().type)
        learn(use, true);
  }

  /// Of a list, or of a dict whose keys are constant strings, that nothing is put into, and whose
  /// items have no common type; nullptr for other displays. Items that a dict is only asked for by
  /// constants keep their own types even if there is a common one: {"n": 1, "x": 2.5}.
  const Type *literal_type() const {
    auto changes = [](const ContainerUse &use) {
      return use.kind == ContainerUse::Item || use.kind == ContainerUse::Entry ||
             use.kind == ContainerUse::Items || use.kind == ContainerUse::Value;
    };
    if (kind_ == Kind::Set || spec_.options.unions ||
        std::any_of(uses_.begin(), uses_.end(), changes))
      return nullptr;
    std::vector<const Type *> items;
    std::vector<std::string> keys;
    const Type *joined = nullptr;
    bool fit = true, alike = true;
    for (size_t i = 0; i < made_.operands.size(); ++i) {
      const Type *type = spec_.facts[made_.operands[i]->id].type;
      if (!type)
        return nullptr; // the rule for the display waits for it
      if (i % parts_.size() + 1 == parts_.size()) {
        items.push_back(display_item(type));
        alike = alike && (!joined || joined == item_type_of(type));
        joined = joined && fit ? unify(joined, item_type_of(type)) : item_type_of(type);
        fit = fit && joined;
      } else if (type->kind != Kind::String ||
                 std::find(keys.begin(), keys.end(), type->constant->text) != keys.end()) {
        return nullptr;
      } else {
        keys.push_back(type->constant->text);
      }
    }
    if (fit && (alike || kind_ == Kind::List || !only_looked_up(*spec_.source, made_)))
      return nullptr;
    return kind_ == Kind::Dict ? types::literal_dict(std::move(keys), std::move(items))
                               : types::literal_list(std::move(items));
  }

  /// Whether items of the list so far cannot be replaced by such a value: numbers become what the
  /// list has, but floats no integers, and arrays cannot change their strides.
  bool cannot_hold(const Type *given) const {
    const Type *item = parts_[0].type;
    if (!item || (given->is_array() && item->is_array()))
      return item != nullptr;
    const auto is_whole = [](const Type *type) { return type->is_integer() || type->is_bool(); };
    return item->is_scalar() && given->is_scalar() && is_whole(item) && !is_whole(given);
  }

  const Type *made_type() const {
    if (kind_ == Kind::Dict)
      return types::dict(parts_[0].type, parts_[1].type);
    return kind_ == Kind::Set ? types::set(parts_[0].type, typed_)
                              : types::list(parts_[0].type, typed_);
  }

  void learn(const ContainerUse &use, bool must_fit) {
    switch (use.kind) {
    case ContainerUse::Item: join(0, *use.key, must_fit); break;
    case ContainerUse::Entry:
    case ContainerUse::Guess:
      join(0, *use.key, must_fit);
      join(1, *use.value, must_fit);
      break;
    case ContainerUse::Items:
      if (const Type *item = iterated(*use.key))
        join(0, item, *use.key, must_fit);
      break;
    case ContainerUse::Made:
      join(0, *use.key, must_fit);
      if (const Type *value = returned(*use.value))
        join(1, value, *use.value, must_fit);
      break;
    case ContainerUse::Value: join(1, *use.key, must_fit); break;
    case ContainerUse::Same:
    case ContainerUse::Like: learn_from(use, must_fit); break;
    case ContainerUse::Over:
      if (const Type *given = spec_.facts[use.key->id].type; given && cannot_hold(given))
        join(0, given, *use.key, false);
      break;
    case ContainerUse::Field:
      for (size_t i = 0; i < parts_.size(); ++i)
        join(i, in_field(*use.key, i, use.depth), *use.key, must_fit);
      break;
    }
  }

  /// From a container of the same type; of an assignment, or of a call that makes an instance, that
  /// of the field.
  void learn_from(const ContainerUse &use, bool must_fit) {
    auto open = [&](const std::string &field) { // filled by whatever function (field_items.h)
      for (size_t i = 0; i < parts_.size(); ++i)
        join(i, e_.engine.field_items.type_of(types::item_of_field(field, i, 0)), *use.key,
             must_fit);
    };
    const Type *other =
        value_of(use.value ? annotated(*use.key, *use.value) : type_of_same(*use.key));
    if (!other && use.value)
      return open(use.key->operands[0]->constant->object->name + "." +
                  field_of_dataclass(*use.key, *use.value));
    if (other && is_item_of_field(other)) // self.items = None, at first
      return open(other->constant->text);
    if (!other || other->kind != kind_)
      return;
    typed_ |= use.key->op == ssa::Op::SetAttr && other->typed; // self.items = [], a typed list
    for (size_t i = 0; i < parts_.size(); ++i)
      join(i, other->params[i], *use.key, must_fit);
  }

  /// `[None] * n`: what is in it then is found wherever something is put there (field_items.h).
  void fill_none() {
    Part &part = parts_.back();
    if (part.type->kind != Kind::None || kind_ == Kind::Set || typed_)
      return;
    part.type = e_.engine.field_items.with_first(types::value_of_field(place()), part.type);
  }

  std::string place() const {
    return "the container of line " + std::to_string(made_.position.line) + ", column " +
           std::to_string(made_.position.column) + ", in " + spec_.def->name();
  }

  /// The list of one item that a variable is which inner functions assign.
  const Type *box() const {
    const Type *first = spec_.facts[made_.operands[0]->id].type;
    if (!first)
      throw NotKnownYet{};
    return types::list(e_.engine.field_items.with_first(variable(made_), item_type_of(first)));
  }

  const Type *variable(const ssa::Value &box) const {
    return types::value_of_variable(box.name, spec_.def->name());
  }

  /// What is put into a field of a plain class, by whatever function (field_items.h); into a
  /// defaultdict of containers, those.
  const Type *in_field(const ssa::Value &makes_field, size_t part, int depth) const {
    const bool is_box = makes_field.op == ssa::Op::BuildList;
    const std::string place = is_box ? variable(makes_field)->constant->text
                                     : spec_.arguments[0].type->constant->object->name + "." +
                                           makes_field.operands[2]->constant->text;
    auto item = [&](size_t i, int deep) {
      return e_.engine.field_items.type_of(types::item_of_field(place, i, deep));
    };
    if (is_box)
      return item(part, depth);
    const ssa::Value &given = *makes_field.operands[3];
    const ssa::Value *factory = part == 1 && given.op == ssa::Op::Call && given.operands.size() > 2
                                    ? given.operands[2]
                                    : nullptr;
    if (factory && calls_class(*factory, "builtins.list"))
      return types::list(item(0, depth + 1));
    if (factory && calls_class(*factory, "builtins.set"))
      return types::set(item(0, depth + 1));
    if (factory && calls_class(*factory, "builtins.dict"))
      return types::dict(item(0, depth + 1), item(1, depth + 1));
    return item(part, depth);
  }

  static bool calls_class(const ssa::Value &callee, std::string_view name) {
    return callee.op == ssa::Op::Const && callee.constant->object &&
           callee.constant->object->name == name;
  }

  static const Type *value_of(const Type *type) {
    return type && type->kind == Kind::Optional ? type->params[0] : type;
  }

  /// What a dataclass says of the field that a call gives a container; items are no containers, as
  /// these are of other types than what Python programs put there.
  static const Type *annotated(const ssa::Value &call, const ssa::Value &given) {
    const Object &cls = *call.operands[0]->constant->object;
    const Const *said = cls.member("type " + field_of_dataclass(call, given));
    const Type *type = said && said->is_object(ObjectKind::Type)
                           ? static_cast<const Type *>(said->object->type)
                           : nullptr;
    return type && std::ranges::all_of(type->params,
                                       [](const Type *item) { return item->params.empty(); })
               ? type
               : nullptr;
  }

  /// The type of a container; of an assignment to an attribute, that of the attribute.
  const Type *type_of_same(const ssa::Value &value) {
    if (value.op != ssa::Op::SetAttr)
      return spec_.facts[value.id].type;
    const Type *object = spec_.facts[value.operands[0]->id].type;
    if (!object)
      return nullptr;
    try {
      const Type *type =
          rule_getattr(e_, {object, nullptr, nullptr, value.position}, value.name).type;
      const auto items = std::ranges::find(type->names, "_items"); // of an object of `collections`
      return type->kind == Kind::Struct && items != type->names.end()
                 ? type->params[static_cast<size_t>(items - type->names.begin())]
                 : type;
    } catch (const CompileError &) {
      return nullptr; // reported at the assignment
    }
  }

  /// The type of what calling a value without arguments returns.
  const Type *returned(const ssa::Value &value) {
    const Fact fact = spec_.facts[value.id];
    if (!fact.type)
      return nullptr;
    try {
      return rule_call(e_, {fact.type, fact.constant, nullptr, value.position}, {}).type;
    } catch (const CompileError &) {
      return nullptr; // reported where it is called
    }
  }

  /// The type of what iteration over a value returns.
  const Type *iterated(const ssa::Value &value) {
    const Fact fact = spec_.facts[value.id];
    if (!fact.type)
      return nullptr;
    if (fact.type->is_tuple() && !fact.type->is_homogeneous()) {
      const Type *joined = nullptr;
      for (const Type *item : fact.type->params)
        joined = joined ? unify(joined, item) : item;
      return joined;
    }
    try {
      Operand object = force(e_, {fact.type, fact.constant, nullptr, value.position});
      return rule_next(e_, rule_iter(e_, object)).item.type;
    } catch (const CompileError &) {
      return nullptr; // reported where the value is used
    }
  }

  void join(size_t part, const ssa::Value &from, bool must_fit) {
    if (const Type *type = spec_.facts[from.id].type)
      join(part, type, from, must_fit);
  }

  /// What is put into a display that has items already may widen them, but what does not fit is an
  /// error at its place.
  void join(size_t index, const Type *type, const ssa::Value &from, bool must_fit) {
    Part &part = parts_[index];
    type = item_type_of(type);
    if (!part.type) {
      part = {type, &from};
      return;
    }
    const bool is_typed = typed_ || kind_ == Kind::Set; // numjit.typed: one type, as in Numba
    const bool meets = &part == &parts_.back() && !is_typed;
    const Type *both = meets ? meet(e_, part.type, type) : unify(part.type, type);
    if (!must_fit && (!both || (both->kind != part.type->kind && both->kind != Kind::Union &&
                                !is_run_time_tuple(both))))
      return;
    if (!both)
      fail(part, type, from);
    if (both != part.type)
      part = {both, &from};
  }

  [[noreturn]] void fail(const Part &part, const Type *type, const ssa::Value &from) const {
    const std::string what = kind_ == Kind::List   ? "items of a list"
                             : kind_ == Kind::Set  ? "items of a set"
                             : &part == &parts_[0] ? "keys of a dict"
                                                   : "values of a dict";
    const ssa::Value &before = part.from == &from ? made_ : *part.from;
    // `(slice(None),) * axis + (0,)` is a tuple, and no list of its items, if `axis` is known.
    const bool is_index = part.type->kind == Kind::Slice || type->kind == Kind::Slice;
    throw CompileError(
        is_index ? "LiteralTypingError" : "TypingError",
        "Cannot unify " + part.type->text + " and " + type->text + " for the " + what,
        {Blame{spec_.def, from.position, type->text},
         Blame{spec_.def, before.position, part.type->text}},
        kind_ == Kind::List  ? "a list has items of one type"
        : kind_ == Kind::Set ? "a set has items of one type"
                             : "a dict has keys of one type, and values of one type");
  }

  Emitter &e_;
  const Specialization &spec_;
  const ssa::Value &made_;
  const std::vector<ContainerUse> &uses_;
  std::span<const LearnedPart> learned_;
  bool typed_ = false;
  Kind kind_;
  std::vector<Part> parts_;
};

} // namespace

const Type *type_of_container(Emitter &e, const Specialization &spec, const ssa::Value &made,
                              const std::vector<ContainerUse> &uses,
                              std::span<const LearnedPart> learned) {
  return ContainerTyping(e, spec, made, uses, learned).type();
}

std::vector<const Type *> types_of_parts(Emitter &e, const Specialization &spec,
                                         const ssa::Value &container, Kind kind,
                                         const std::vector<ContainerUse> &uses,
                                         std::span<const LearnedPart> learned) {
  return ContainerTyping(e, spec, container, uses, learned).types_of(kind);
}

} // namespace numjit
