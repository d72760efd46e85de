#include "typeinfer/infer/engine.h"

#include "typeinfer/infer/builtins.h"
#include "typeinfer/infer/unify.h"
#include "typeinfer/passes/passes.h"

#include <algorithm>

namespace numjit {

namespace {

constexpr int kDepthLimit = 200;
constexpr size_t kLeafLimit =
    10000; ///< arguments that grow, as in f((x, x)), double with each call
constexpr size_t kTextLimit = 100000; ///< of types: so do those that hold nothing, as (f, f)

/// The line of a function's `def`, for errors about the whole of it.
Blame at_its_start(const Specialization &spec) {
  const int line = spec.def->code.first_line;
  return {spec.def, Position{line, line, -1, -1}, {}};
}

/// A unique, readable symbol: f, f$1, f$2, ...
std::string unique_name(std::map<std::string, int> &names, const std::string &name) {
  int count = names[name]++;
  return count ? name + "$" + std::to_string(count) : name;
}

/// Whether a function is specialised on the type of an argument alone, unless literally() asks for
/// its value: user functions are; library functions are not, so that `axis=0` or `keepdims=True`
/// decide branches; nor are bodies of parallel loops, which are part of the function around them.
/// Generators always are: their type, which says what resumes them, has no values in it.
bool drops_constant(const FunctionDef &def, const Fact &fact) {
  return (!def.is_library || def.code.is_generator()) && !def.loop_of && fact.constant &&
         holds_value(fact.type);
}

bool holds_union(const Type *type) {
  return type->kind == Kind::Union || std::ranges::any_of(type->params, holds_union);
}

bool holds_generator(const Type *type) {
  return type->kind == Kind::Generator ||
         std::any_of(type->fields.begin(), type->fields.end(), holds_generator) ||
         (type->kind == Kind::List && holds_generator(type->params[0]));
}

} // namespace

bool holds_value(const Type *type) {
  return type->is_item() || type->kind == Kind::Enum || !type->fields.empty();
}

static Fact fact_of_object(const Const *c) {
  switch (c->object->kind) {
  case ObjectKind::Module: return {types::module(c), c};
  case ObjectKind::Function:
  case ObjectKind::Builtin:
  case ObjectKind::Class:
  case ObjectKind::ExceptionClass:
  case ObjectKind::NamedTupleClass:
  case ObjectKind::EnumClass:
  case ObjectKind::DataClass:
  case ObjectKind::JitClass:
  case ObjectKind::Type: return {types::function(c), c};
  case ObjectKind::EnumMember: return {types::enumeration(constants::object(c->object->parent)), c};
  case ObjectKind::Record: return {static_cast<const Type *>(c->object->type), c};
  case ObjectKind::DType: {
    const auto *item = static_cast<const Type *>(c->object->type);
    if (!item)
      item = types::scalar_named(c->object->name);
    return item ? Fact{types::dtype(item), c} : Fact{};
  }
  case ObjectKind::Array: {
    const ArrayData &array = *c->object->array;
    const auto *dtype = static_cast<const Type *>(c->object->type);
    if (!dtype)
      dtype = types::scalar_named(array.dtype);
    if (!dtype)
      return {};
    Layout layout = array.layout == 'C' ? Layout::C : array.layout == 'F' ? Layout::F : Layout::A;
    return {types::array(dtype, static_cast<int>(array.shape.size()), layout, !array.on_device,
                         array.unaligned),
            c};
  }
  case ObjectKind::Code: return {};
  case ObjectKind::Opaque: return c->object->value ? fact_of(c->object->value) : Fact{};
  }
  return {};
}

Fact fact_of(const Const *c) {
  switch (c->kind) {
  case ConstKind::None: return {types::none(), c};
  case ConstKind::Ellipsis: return {types::ellipsis(), c};
  case ConstKind::Str: return {types::string(c), c};
  case ConstKind::Bool: return {types::boolean(), c};
  case ConstKind::Int:
    if (!c->scalar.empty())
      return {types::item_named(c->scalar), c};
    if (c->big)
      return {types::big_int(c), c};
    return {c->is_unsigned ? types::uint64() : types::int64(), c};
  case ConstKind::Float:
    return {c->scalar.empty() ? types::float64() : types::scalar_named(c->scalar), c};
  case ConstKind::Complex:
    return {c->scalar.empty() ? types::scalar(ScalarId::Complex128)
                              : types::scalar_named(c->scalar),
            c};
  case ConstKind::Tuple: {
    std::vector<const Type *> items;
    for (const Const *item : c->items) {
      Fact fact = fact_of(item);
      if (!fact.type)
        return {};
      items.push_back(fact.type);
    }
    if (!c->is_tuple())
      return {types::structure(constants::object(c->object), std::move(items)), c};
    if (c->object)
      return {types::named_tuple(constants::object(c->object), std::move(items)), c};
    return {types::tuple(std::move(items)), c};
  }
  case ConstKind::Slice: {
    std::vector<const Type *> parts;
    for (const Const *item : c->items)
      parts.push_back(item->is_none()                    ? types::none()
                      : item->kind == ConstKind::Float   ? types::float64()
                      : item->kind == ConstKind::Complex ? types::scalar(ScalarId::Complex128)
                                                         : types::int64());
    return {types::slice(parts[0], parts[1], parts[2]), c};
  }
  case ConstKind::Bytes: return {types::bytes(true), c};
  case ConstKind::Object: return fact_of_object(c);
  }
  return {};
}

namespace {

SentTypes::key_type sent_key(const FunctionDef &def, std::span<const Fact> arguments) {
  SentTypes::key_type key{&def, {}};
  for (const Fact &fact : arguments)
    key.second.push_back(fact.type);
  return key;
}

} // namespace

bool Engine::sends(const Type *generator, const Type *sent) {
  std::vector<const Type *> arguments(generator->params.begin() + types::kGeneratorParts,
                                      generator->params.end());
  const Type *&known = sent_[{generator->constant->object->function, std::move(arguments)}];
  const Type *both = known ? unify(known, sent) : sent;
  if (!both || both == known)
    return false;
  known = both;
  return true;
}

Specialization *Engine::specialize(FunctionDef &def, const CompileOptions &asked,
                                   std::vector<Fact> arguments, const Type *sent) {
  CompileOptions options = asked;
  options.unions &= !def.is_library;
  options.long_tuples &= !def.is_library;
  // The simulator is for finding mistakes, and kernels share their memory with the program there.
  if (module.target == tir::Target::Simulator)
    options.boundscheck = !def.is_library;
  // As many as Key has: the order does not matter.
  Key key{&def, {}
#define NUMJIT_OF_Specialises(field) , options.field
#define NUMJIT_OF_Own(field)
#define NUMJIT_OF_Unkeyed(field)
#define NUMJIT_OPTION(type, field, use, ...) NUMJIT_OF_##use(field)
#include "frontend/compile_options.def"
#undef NUMJIT_OPTION
  };
  key.defers = defers_of_.contains(&def);
  for (Fact &fact : arguments) {
    const bool asked_for = on_constants || on_constants_of_.contains(&def);
    if (drops_constant(def, fact) && (!asked_for || def.is_library))
      fact.constant = nullptr;
    key.facts.emplace_back(fact.type, fact.constant);
  }
  if (def.code.is_generator()) {
    const auto known = sent ? sent_.end() : sent_.find(sent_key(def, arguments));
    if (known != sent_.end())
      sent = known->second;
    else if (!sent && (!takes_items || def.is_library))
      sent = types::none();
    key.facts.emplace_back(sent, nullptr);
  }
  auto &slot = specializations_[key];
  if (!slot) {
    slot = std::make_unique<Specialization>();
    slot->sent = sent;
    slot->defers = key.defers;
    slot->def = &def;
    slot->options = options;
    slot->arguments = std::move(arguments);
    if (def.dispatcher) {
      std::vector<const void *> types;
      for (const Fact &fact : slot->arguments)
        types.push_back(item_type_of(fact.type));
      slot->names = host.names_of(def, types);
    }
  }
  if (!running_.empty())
    running_.back()->uses.insert(slot.get());
  return slot.get();
}

bool Engine::specialize_on_constants(const FunctionDef &def, std::span<const Fact> arguments) {
  return !on_constants && std::ranges::any_of(arguments, [&](const Fact &fact) {
    return drops_constant(def, fact);
  }) && on_constants_of_.insert(&def).second;
}

bool Engine::is_running(const FunctionDef &def) const {
  return std::ranges::any_of(running_, [&](const auto *spec) { return spec->def == &def; });
}

Fact Engine::result_of(Specialization &spec) {
  switch (spec.state) {
  case Specialization::Done:
  case Specialization::Provisional: break;
  case Specialization::Running:
    spec.used_while_running = true;
    lowest_used_ = std::min(lowest_used_, spec.depth);
    break;
  case Specialization::New: infer(spec);
  }
  if (spec.error)
    throw CompileError(*spec.error);
  return spec.result;
}

void Engine::check_depth(const Specialization &spec) const {
  size_t leaves = 0, text = 0; // functions and modules have no leaves, but grow all the same
  for (const Fact &fact : spec.arguments) {
    leaves += layout_of(fact.type).leaves.size();
    text += fact.type->text.size();
  }
  if (static_cast<int>(running_.size()) <= kDepthLimit && leaves <= kLeafLimit &&
      text <= kTextLimit)
    return;
  const Specialization *user = &spec; // who called the library
  for (auto caller = running_.rbegin(); caller != running_.rend() && user->def->is_library;
       ++caller)
    user = *caller;
  throw EndlessRecursion{CompileError("TypingError",
                                      "calls nest too deeply while compiling " + user->def->name() +
                                          ": every recursive call has new argument types",
                                      {at_its_start(*user)})};
}

/// Recursive functions are inferred again until their result is stable. A function whose inference
/// used the result of one that is still running is only provisional: when the running one turns out
/// to give something else, it is inferred again too.
void Engine::infer_until_stable(Specialization &spec) {
  for (int round = 0;; ++round) {
    const Fact before = spec.result;
    const std::vector<LearnedType> learned_before = spec.learned;
    spec.used_while_running = false;
    lowest_used_ = INT32_MAX;
    const size_t first_provisional = provisional_.size();
    auto forget = [&] {
      for (; provisional_.size() > first_provisional; provisional_.pop_back()) {
        provisional_.back()->state = Specialization::New;
        provisional_.back()->error.reset();
      }
    };
    try {
      infer_function(*this, spec);
    } catch (const CompileError &) {
      forget();
      throw;
    }
    if (before.type && spec.result.type != before.type) {
      if (const Type *both = spec.result.type ? unify(before.type, spec.result.type) : nullptr)
        spec.result = {both, nullptr};
      if (round > 8)
        throw CompileError("TypingError",
                           "Return type of recursive function does not converge: " +
                               spec.def->name(),
                           {at_its_start(spec)});
    }
    const bool stable = spec.result == before && (spec.learned == learned_before || round > 8);
    if (!spec.used_while_running || stable) {
      if (lowest_used_ >= spec.depth)
        for (; provisional_.size() > first_provisional; provisional_.pop_back())
          provisional_.back()->state = Specialization::Done;
      return;
    }
    forget();
  }
}

void Engine::infer(Specialization &spec) {
  check_depth(spec);
  if (spec.def->code.is_async())
    throw CompileError("UnsupportedError", "async functions cannot be compiled",
                       {at_its_start(spec)});
  spec.state = Specialization::Running;
  spec.depth = static_cast<int>(running_.size());
  running_.push_back(&spec);
  const int outer_lowest = lowest_used_;
  auto *const outer_learning = std::exchange(learning, nullptr);
  auto leave = [&] {
    running_.pop_back();
    learning = outer_learning;
    const bool provisional = lowest_used_ < spec.depth;
    spec.state = provisional ? Specialization::Provisional : Specialization::Done;
    if (provisional)
      provisional_.push_back(&spec);
    lowest_used_ = std::min(outer_lowest, provisional ? lowest_used_ : INT32_MAX);
  };
  try {
    infer_until_stable(spec);
  } catch (const CompileError &error) {
    spec.error = error;
    spec.result = {};
    leave();
    throw;
  } catch (...) {
    running_.pop_back();
    learning = outer_learning;
    lowest_used_ = std::min(outer_lowest, lowest_used_);
    spec.state = Specialization::New;
    throw;
  }
  leave();
}

Specialization &Engine::generator(const Type *type) {
  if (auto known = generators_.find(type); known != generators_.end() && !known->second->error)
    return *known->second;
  FunctionDef &def = *type->constant->object->function;
  std::vector<Fact> arguments;
  for (size_t i = types::kGeneratorParts; i < type->params.size(); ++i) {
    const Type *given = type->params[i];
    const bool is_constant =
        given->kind == Kind::Function || given->kind == Kind::String || given->kind == Kind::Module;
    arguments.push_back({given, given->kind == Kind::None ? constants::none()
                                : is_constant             ? given->constant
                                                          : nullptr});
  }
  CompileOptions options = def.options;
  options.unions = holds_union(type->params[0]);
  Specialization *spec = specialize(def, options, std::move(arguments), type->params[1]);
  if (result_of(*spec).type != type)
    throw InternalError("a generator of type " + type->text + " is specialised anew to " +
                        spec->result.type->text);
  return *spec;
}

tir::Function *Engine::code_of(Specialization &spec) {
  if (spec.code)
    return spec.code;
  auto function = std::make_unique<tir::Function>();
  function->name = unique_name(names_, spec.def->name());
  function->def = spec.def;
  function->result = spec.declared_result ? spec.declared_result : spec.result.type;
  function->fastmath = spec.options.fastmath;
  function->inline_always = spec.def->options.inline_always;
  function->inline_never = spec.def->options.inline_never;
  function->short_loops = spec.def->options.short_loops;
  function->rare = spec.def->is_library && spec.def->options.inline_never;
  for (size_t i = 0; i < spec.arguments.size(); ++i) {
    function->params.push_back(spec.arguments[i].type);
    function->param_names.push_back(parameter_name(*spec.source, i));
  }
  spec.code = function.get();
  module.functions.push_back(std::move(function));
  if (spec.def->code.is_generator()) {
    auto resume = std::make_unique<tir::Function>();
    resume->name = unique_name(names_, spec.def->name() + ".next");
    resume->def = spec.def;
    resume->params = {spec.result.type};
    resume->param_names = {"generator"};
    if (const Type *sent = spec.result.type->params[1]; sent->kind != Kind::None) {
      resume->params.push_back(types::optional(sent));
      resume->param_names.push_back("sent");
    }
    resume->result = resumed_type(spec.result.type);
    resume->fastmath = spec.options.fastmath;
    spec.resume = resume.get();
    module.functions.push_back(std::move(resume));
  }
  to_emit_.push_back(&spec);
  return spec.code;
}

tir::Function *Engine::thrower_of(Specialization &spec) {
  if (spec.thrower)
    return spec.thrower;
  code_of(spec);
  auto thrower = std::make_unique<tir::Function>();
  thrower->name = unique_name(names_, spec.def->name() + ".throw");
  thrower->def = spec.def;
  thrower->params = {spec.result.type, types::caught_exception()};
  thrower->param_names = {"generator", "exception"};
  thrower->result = spec.resume->result;
  thrower->fastmath = spec.options.fastmath;
  spec.thrower = thrower.get();
  module.functions.push_back(std::move(thrower));
  to_emit_throwers_.push_back(&spec);
  return spec.thrower;
}

NamesOf::NamesOf(Engine &engine, const Specialization &spec) : host_(engine.host) {
  host_.enter(*spec.def, spec.names);
}
NamesOf::~NamesOf() { host_.leave(); }

void Engine::emit_all() {
  while (!to_emit_.empty() || !to_emit_throwers_.empty()) {
    const bool throws = to_emit_.empty();
    std::vector<Specialization *> &waiting = throws ? to_emit_throwers_ : to_emit_;
    Specialization *spec = waiting.back();
    waiting.pop_back();
    const NamesOf names(*this, *spec);
    (throws ? emit_thrower : emit_function)(*this, *spec);
  }
}

namespace {

/// The program's functions without a dispatcher that one needs, directly or not.
std::set<const FunctionDef *> others_of(const Specialization &spec) {
  std::set<const FunctionDef *> others;
  std::set<const Specialization *> seen{&spec};
  for (std::vector<const Specialization *> waiting{&spec}; !waiting.empty();) {
    const Specialization &each = *waiting.back();
    waiting.pop_back();
    if (!each.def->is_library && !each.def->dispatcher)
      others.insert(each.def);
    std::ranges::copy_if(each.uses, std::back_inserter(waiting),
                         [&](const auto *used) { return seen.insert(used).second; });
  }
  return others;
}

} // namespace

std::vector<CalledFunction> Engine::called_functions(const Specialization &but) const {
  std::vector<CalledFunction> called;
  const bool has_others = std::ranges::any_of(specializations_, [](const auto &each) {
    return !each.second->def->is_library && !each.second->def->dispatcher;
  });
  for (const auto &[key, spec] : specializations_) {
    if (!spec->code || spec->def->is_library || spec.get() == &but || !spec->def->dispatcher)
      continue;
    CalledFunction &each = called.emplace_back(spec->def);
    each.result = spec->code->result;
    for (const Fact &fact : spec->arguments)
      each.arguments.push_back(item_type_of(fact.type));
    if (has_others)
      each.others = others_of(*spec);
  }
  return called;
}

namespace {

/// Inference starts anew with the types of items of fields.
struct FieldItemsFound {};

/// What may happen where types do not meet; more with each.
enum class Meeting : uint8_t { Unify, Unite, LongTuples };

struct Attempt {
  Meeting meeting = Meeting::Unify;
  bool defers = false;
  bool unions = meeting != Meeting::Unify;
  SentTypes sent = {};
  FieldItems field_items{unions, meeting == Meeting::LongTuples};
  bool takes_items = false;
  bool asks_no_more = false; ///< what Python may send has no type that goes
  bool awaits_sent = false;  ///< what `Engine` says of it
};

InferResult infer_once(FunctionDef &function, const std::vector<Fact> &arguments,
                       const Type *result_type, Host &host, tir::Target target,
                       const tir::SimulatedKernel &simulated, Attempt &attempt) {
  InferResult result;
  result.module = std::make_unique<tir::Module>();
  result.module->target = target;
  result.module->simulated = simulated;
  Engine engine(host, *result.module, attempt.sent, attempt.field_items);
  engine.takes_items = attempt.takes_items;
  engine.defers = attempt.defers;
  engine.defer_errors_of(function);
  struct Note {
    Engine &engine;
    Attempt &attempt;
    ~Note() { attempt.awaits_sent = engine.awaits_sent; }
  } note{engine, attempt};
  engine.on_constants = std::any_of(arguments.begin(), arguments.end(), [](const Fact &fact) {
    return fact.constant && holds_value(fact.type);
  });
  if (function.code.is_generator() && result_type && result_type->kind != Kind::Generator)
    result_type = nullptr; // calls give a generator whatever a signature says
  CompileOptions options = function.options;
  options.unions = attempt.unions;
  options.long_tuples = attempt.meeting == Meeting::LongTuples;
  Specialization *spec = engine.specialize(function, options, arguments);
  spec->declared_result = result_type;
  engine.result_of(*spec);
  result.result = result_type ? result_type : spec->result.type;
  engine.gives_generators = result.result && holds_generator(result.result);
  if (engine.gives_generators && engine.awaits_sent && !attempt.takes_items &&
      !attempt.asks_no_more)
    throw MoreIsSent{true};
  if (attempt.field_items.learn(true))
    throw FieldItemsFound{};
  engine.code_of(*spec);
  engine.emit_all();
  result.calls_parallel = engine.calls_parallel;
  result.called = engine.called_functions(*spec);
  passes::run_passes(*result.module);
  return result;
}

InferResult infer_with(FunctionDef &function, const std::vector<Fact> &arguments,
                       const Type *result_type, Host &host, tir::Target target,
                       const tir::SimulatedKernel &simulated, Meeting meeting, bool defers) {
  bool whole_without = false;
  for (Attempt attempt{.meeting = meeting, .defers = defers};;) {
    try {
      return infer_once(function, arguments, result_type, host, target, simulated, attempt);
    } catch (const MoreIsSent &more) {
      whole_without = whole_without || more.by_python;
      attempt.takes_items = attempt.takes_items || more.by_python;
    } catch (const FieldItemsFound &) {
    } catch (const CompileError &) {
      FieldItems &items = attempt.field_items;
      if (items.learn(false) || items.name_classes() || items.learn(true))
        continue;
      if (items.open_empty_lists())
        continue;
      const bool again = attempt.takes_items ? whole_without : attempt.awaits_sent;
      if (!again || attempt.asks_no_more)
        throw;
      attempt.asks_no_more = attempt.takes_items;
      attempt.takes_items = !attempt.takes_items;
    }
  }
}

/// Whether the value of an argument may decide which types meet; the caller knows it.
bool is_open_flag(const Fact &fact) {
  const bool is_bool = fact.type->is_scalar() && fact.type->is_bool();
  return !fact.constant && (is_bool || fact.type->kind == Kind::Unicode);
}

} // namespace

static InferResult infer_for(FunctionDef &function, const std::vector<Fact> &arguments,
                             const Type *result_type, Host &host, tir::Target target,
                             const tir::SimulatedKernel &simulated, bool defers) {
  std::optional<CompileError> first; // which says more than those of the other attempts
  static constexpr Meeting meetings[] = {Meeting::Unify, Meeting::Unite, Meeting::LongTuples};
  for (Meeting meeting : std::span(meetings).first(defers ? 2 : 3)) {
    auto fail = [&](const CompileError &error, bool ends) {
      if (!first)
        first = error;
      if (ends)
        throw CompileError(*first);
    };
    try {
      return infer_with(function, arguments, result_type, host, target, simulated, meeting, defers);
    } catch (const CompileError &error) {
      const bool is_first = meeting == Meeting::Unify;
      fail(error, is_first && (!unions_may_help(error.message, defers) ||
                               (!defers && std::ranges::any_of(arguments, is_open_flag))));
    } catch (const EndlessRecursion &endless) {
      fail(endless.error, false);
    }
  }
  throw CompileError(*first);
}

InferResult infer(FunctionDef &function, const std::vector<Fact> &arguments,
                  const Type *result_type, Host &host, tir::Target target,
                  const tir::SimulatedKernel &simulated) {
  return infer_for(function, arguments, result_type, host, target, simulated, false);
}

InferResult infer_deferring(FunctionDef &function, const std::vector<Fact> &arguments, Host &host) {
  return infer_for(function, arguments, nullptr, host, tir::Target::Host, {}, true);
}

} // namespace numjit
