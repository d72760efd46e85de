// Specialisations of functions: which exist, their results, and their typed IR.
#pragma once

#include "typeinfer/infer/builtins.h"
#include "typeinfer/infer/field_items.h"

#include <climits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <tuple>

namespace numjit {

/// What a function says about an unknown part of the containers that it is given (unknown_parts.h).
struct LearnedType {
  int number;
  const Type *type;
  bool operator==(const LearnedType &) const = default;
};

/// Places in the order of the program, so that errors do not depend on addresses.
struct ById {
  bool operator()(const ssa::Value *a, const ssa::Value *b) const { return a->id < b->id; }
};

/// An exception that is raised in the place of an operation that has no type.
struct LateError {
  std::string cls, message;
  const Const *maker = nullptr; ///< called for it, where it is the error of numjit itself
};

/// One function for one list of argument facts.
struct Specialization {
  FunctionDef *def = nullptr;
  CompileOptions options; ///< the function's own; library functions take over their caller's
  std::vector<Fact> arguments;
  UnrollPlan plan;
  std::shared_ptr<Surroundings> names; ///< of the version that there is; null: present ones
  std::shared_ptr<const ssa::Function> source;
  std::vector<Fact> facts;              ///< per SSA value
  std::vector<bool> reachable;          ///< per SSA block
  std::vector<const ssa::Value *> ends; ///< per SSA block: the call in it that never returns
  /// By call of a function that has source, and by loop over prange: what runs there.
  std::map<const ssa::Value *, const Specialization *, ById> callees;
  std::set<const Specialization *> uses; ///< those that its inference asked for
  /// By operation in a `try` block whose handler takes what Python raises there, or in a branch
  /// that calls need not reach (late_errors.cpp).
  std::map<const ssa::Value *, LateError, ById> late_errors;
  /// per SSA value: an array expression here may stay unevaluated, a list is a tuple of its items
  std::vector<bool> lazy;
  Fact result;         ///< no type: not known yet
  bool returns = true; ///< false: every call raises
  const Type *declared_result = nullptr;
  bool defers = false;              ///< errors in branches are raised where these are reached
  std::vector<LearnedType> learned; ///< of unknown parts of its arguments
  const Type *sent = nullptr; ///< generators: what send() gives, or none; null: what it yields
  enum { New, Running, Provisional, Done } state = New;
  /// What operations say of members of unions that they do not know, by SsaRules::path_of.
  std::map<std::vector<size_t>, std::string> refused;
  std::optional<CompileError> error; ///< why it cannot be typed: found once, raised at each call
  int depth = 0;                     ///< among the running ones
  bool used_while_running = false;
  tir::Function *code = nullptr;
  tir::Function *resume = nullptr; ///< generators: what makes the next item; `code` makes the frame
  tir::Function *thrower = nullptr; ///< the same, but raises an exception where the generator waits
};

/// What Python raises where an operation has no type and `error` says why, if a handler of the
/// function takes that, or the operation is part of one.
std::optional<LateError> late_error(Emitter &e, const Specialization &spec, const ssa::Value &value,
                                    const CompileError &error);

/// The error itself, raised where a call reaches an operation that has no type. Nothing where every
/// call does.
std::optional<LateError> deferred_error(Emitter &e, const Specialization &spec,
                                        const ssa::Value &value, const CompileError &error);

/// What a rule throws while the result of a recursive call is not known yet: the value stays
/// without a type in this sweep.
struct NotKnownYet {};

/// Calls nest without end: every recursive call has new argument types. It ends the compilation,
/// because inferring the other calls as well could double the work at each level.
struct EndlessRecursion {
  CompileError error;
};

/// What is sent into generators, by their function and the types of its arguments. A generator is
/// typed before the code that sends, so inference starts anew where it finds more.
using SentTypes = std::map<std::pair<const FunctionDef *, std::vector<const Type *>>, const Type *>;
struct MoreIsSent {
  bool by_python = false; ///< it may be; the code is whole without
};

/// Infers one module: the function asked for and everything it calls.
class Engine {
public:
  Engine(Host &host, tir::Module &module, SentTypes &sent, FieldItems &field_items)
      : host(host), module(module), field_items(field_items), sent_(sent) {}

  Host &host;
  tir::Module &module;
  FieldItems &field_items;

  /// `sent` is for generators that exist: what they take.
  Specialization *specialize(FunctionDef &def, const CompileOptions &options,
                             std::vector<Fact> arguments, const Type *sent = nullptr);
  /// The fact of calling a specialisation; no type while a recursive call is not known yet.
  Fact result_of(Specialization &spec);
  /// Makes sure that the typed function exists (emitted later) and returns it.
  tir::Function *code_of(Specialization &spec);
  /// The same for the function that raises an exception in a generator.
  tir::Function *thrower_of(Specialization &spec);
  /// The program's functions that there is code of, but for one.
  std::vector<CalledFunction> called_functions(const Specialization &but) const;
  void emit_all();
  /// The specialisation that a generator belongs to. Those that come from Python are specialised
  /// here again.
  Specialization &generator(const Type *type);
  /// Starts anew with generators of a type that take `sent`, too; false if that was tried.
  bool sends(const Type *generator, const Type *sent);
  /// Generators that nothing known is sent into take what they yield: Python may send that.
  bool takes_items = false;
  /// Whether there is one that uses what is sent, and nothing known is.
  bool awaits_sent = false;
  /// The function with source that was called last.
  const Specialization *last_called = nullptr;
  void note_generator(Specialization &spec) { generators_.emplace(spec.result.type, &spec); }
  /// Where calls put what their callees say about unknown parts of their arguments; null: nowhere.
  std::vector<LearnedType> *learning = nullptr;
  /// Whether generators may reach Python, which then calls them by an address in their frame.
  bool gives_generators = false;
  /// A function with parallel=True calls one of NumPy's that has several threads where that pays.
  bool calls_parallel = false;
  /// Every function is specialised on values that are known, as the library is: literally() asked
  /// for those of the arguments.
  bool on_constants = false;

  /// From now on, `def` alone is specialised on values that are known: literally() asked for one,
  /// or its recursion does not end without, and a caller knows some. False where that changes
  /// nothing.
  bool specialize_on_constants(const FunctionDef &def, std::span<const Fact> arguments);
  /// They did not help.
  void forget_constants(const FunctionDef &def) { on_constants_of_.erase(&def); }
  /// The function that is asked for could not be compiled otherwise: errors in branches are raised
  /// where these are reached.
  bool defers = false;
  /// From now on, those of a function that it calls, too. False where that changes nothing.
  bool defer_errors_of(const FunctionDef &def) {
    return defers && !def.is_library && defers_of_.insert(&def).second;
  }
  /// Whether the function that is being inferred used results of recursion that may still change.
  bool uses_unfinished() const { return lowest_used_ != INT32_MAX; }
  /// Whether a function is being inferred, for whatever arguments.
  bool is_running(const FunctionDef &def) const;

private:
  void infer(Specialization &spec);
  void check_depth(const Specialization &spec) const;
  void infer_until_stable(Specialization &spec);

  struct Key {
    FunctionDef *def;
    std::vector<std::pair<const Type *, const Const *>> facts;
    uint32_t fastmath;
    bool error_model_numpy, divides_as_numpy, boundscheck, parallel, unions, long_tuples,
        strict_ints, raise_overflow, promotes_as_numba;
    bool defers = false;
    auto operator<=>(const Key &) const = default;
  };
  std::map<Key, std::unique_ptr<Specialization>> specializations_;
  std::set<const FunctionDef *> on_constants_of_, defers_of_;
  std::vector<Specialization *> running_, provisional_, to_emit_, to_emit_throwers_;
  int lowest_used_ =
      INT32_MAX; ///< outermost running specialisation whose unfinished result was used
  std::map<std::string, int> names_;
  std::map<const Type *, Specialization *> generators_;
  SentTypes &sent_;
};

/// Whether values of a type differ: functions, modules, literal strings and None are their types.
bool holds_value(const Type *type);

/// Whether None is the default of a function's parameter.
bool may_be_none(const FunctionDef &def, int parameter);
/// The name of an argument's parameter. Defaults of functions that call themselves have none: they
/// are arguments behind all parameters.
std::string parameter_name(const ssa::Function &source, size_t index);

/// The specialisation for facts and its result; for constants where these are needed to find it.
std::pair<Specialization *, Fact>
infer_call(Emitter &e, FunctionDef &def, const CompileOptions &options, std::vector<Fact> facts);

/// Calls of functions that have source: user functions, closures, library functions. `captured` are
/// the run-time values of an inner function's free variables.
Operand call_function(Emitter &e, FunctionDef &def, std::span<const Operand> captured,
                      CallArguments arguments);

/// Calls what a user's overload of `name` returns for the arguments. False if none takes them and
/// the compiler may know a meaning of its own, with `said` what they said; fails where the reasons
/// of the overloads are all there is.
bool call_overload(Emitter &e, const std::string &name, CallArguments &arguments, Operand &result,
                   std::string *said = nullptr);

/// Sweeps over the blocks until facts are stable. Throws CompileError.
void infer_function(Engine &engine, Specialization &spec);
/// Plans that loops over prange run in one thread where their iterations change one container, and
/// tells the user. Whether there are such loops that were not planned yet.
bool plan_loops_in_order(Engine &engine, Specialization &spec);
/// While it lives, names of the function mean what they do for a specialisation.
class NamesOf {
public:
  NamesOf(Engine &engine, const Specialization &spec);
  ~NamesOf();
  NamesOf(const NamesOf &) = delete;
  NamesOf &operator=(const NamesOf &) = delete;

private:
  Host &host_;
};
/// Makes spec.code's blocks from the final facts.
void emit_function(Engine &engine, Specialization &spec);
/// What generators do that get an exception (`Specialization::thrower`).
void emit_thrower(Engine &engine, Specialization &spec);

/// Whether a value is a call of a builtin of Python by its name.
bool calls(const ssa::Value &value, std::string_view name);

// --- loops that count (counted_loops.cpp) ---

/// The items of a call of range() whose bounds are known; nothing if they are not, or if there are
/// many.
std::optional<std::vector<int64_t>> items_of_range(const ssa::Value &range,
                                                   const std::vector<Fact> &facts);
/// Whether the loop with an iterator's state is one over range().
bool is_range_of(const ssa::Value &state);
/// How many items such a loop has, if these are a few that are known; else -1.
int count_of_range(const ssa::Value &state, const std::vector<Fact> &facts);
/// What an item of a loop that is unrolled is, if it is a number that the loop runs over: of
/// range(), or of a display of constants. Null if it isn't known.
const Const *known_item(const ssa::Value &item, const std::vector<Fact> &facts);

/// The number in an item of range() or enumerate(), in a loop that is unrolled.
std::optional<int64_t> counted(const ssa::Value &item, const std::vector<Fact> &facts);

// --- results whose number of dimensions is known at run time (open_extents.cpp) ---

/// The array of which a call leaves out the axes of length one; null for other calls.
const ssa::Value *squeezed_by(const ssa::Value &value);
/// Whether it is known at run time only which axes of an array are of length one, and these are so
/// few that a result may be of the types for each.
bool has_open_extents(const Operand &array);
/// What is left of an array, of one of several types.
Operand squeeze_at_run_time(Emitter &e, const Operand &array);
/// Whether what an error is about may compile with values of several types.
bool unions_may_help(std::string_view error, bool defers);

/// Which SSA values may stay unevaluated array expressions: used once, in the same block, nothing
/// with effects in between.
std::vector<bool> find_lazy_values(const ssa::Function &function);

/// What resuming a generator gives: (whether there is an item, the item), and if it returns
/// something also (whether it returned just now, what).
const Type *resumed_type(const Type *generator);
/// Goes on with a generator, into which something may be sent.
Operand resume_generator(Emitter &e, const Operand &generator, const Operand &sent = {});
/// What a generator returned, from what resuming it gave; TypeError if it ended earlier.
Operand returned_by(Emitter &e, const Operand &resumed);

/// Which SSA values of a generator are alive while it waits.
std::vector<bool> find_values_across_yields(const ssa::Function &function);

/// What a use of a container tells about its items, of which there are none or others when it is
/// made.
struct ContainerUse {
  enum {
    Item,  ///< `key` is put into a list or set
    Entry, ///< `value` is put into a dict under `key`
    Guess, ///< as Entry; a default, asked only if no other use has a type
    Items, ///< what `key` is iterated over to is put into a list or set, or under it into a dict
    Value, ///< `key` is put into a dict
    Made,  ///< what calling `value` returns is put into a dict under `key`
    Same,  ///< `key` is a container of the same type
    Like,  ///< as Same; asked only if no other use has a type
    Over,  ///< `key` takes the place of an item of a list
    Field, ///< `key` makes it a field of a plain class or what a variable holds
           ///< (frontend/boxes.cpp), or `depth` containers around it
  } kind;
  const ssa::Value *key, *value = nullptr;
  int depth = 0;
};
struct UsesOfContainer {
  std::vector<ContainerUse> list;
  std::vector<const ssa::Value *> names; ///< values that are the container
  /// Objects of `collections` around it, each with the call that makes it.
  std::vector<std::pair<const ssa::Value *, const ssa::Value *>> objects;
  bool passed = false; ///< to a function that may put something into it, or captured by one
};
using ContainerUses = std::map<const ssa::Value *, UsesOfContainer>;
/// The uses of each container that a function makes, followed through phis (containers.cpp).
ContainerUses find_container_uses(const ssa::Function &function);
/// The same for a parameter, or for what lies `depth` containers deep in it.
UsesOfContainer find_parameter_uses(const ssa::Function &function, const ssa::Value &parameter,
                                    int depth, Kind kind);
/// What a callee puts into a container: the type of its items, or of keys (0) and values (1).
struct LearnedPart {
  size_t index;
  const Type *type;
  const ssa::Value *from; ///< the call
};
/// The type of a container that `made` makes, from its items, these uses of it and what callees
/// say; nullptr if there are none. Throws NotKnownYet while what is put into it has no type.
const Type *type_of_container(Emitter &e, const Specialization &spec, const ssa::Value &made,
                              const std::vector<ContainerUse> &uses,
                              std::span<const LearnedPart> learned);
/// The types of the parts of a container that the function is given; nullptr: not known.
std::vector<const Type *> types_of_parts(Emitter &e, const Specialization &spec,
                                         const ssa::Value &container, Kind kind,
                                         const std::vector<ContainerUse> &uses,
                                         std::span<const LearnedPart> learned);
/// Whether a container that is made without items stays so: its uses are its length, comparisons,
/// iteration and returns only.
bool only_asked(const ssa::Function &function, const ssa::Value &made);
/// The type of a container that stays empty.
const Type *type_of_empty(const ssa::Value &made);
/// Whether the only uses of a dict are its items under constant keys, and which keys it has.
bool only_looked_up(const ssa::Function &function, const ssa::Value &dict);
/// What an SSA value makes: Kind::List, Dict or Set, or Undefined.
Kind made_container(const ssa::Value &value, bool *typed = nullptr);
/// Whether that is a call without arguments: `list()`.
bool makes_empty(const ssa::Value &value);

/// The type of `e.args` in a handler: the arguments of the `raise` statements that may lead there,
/// in the function and in those that it calls (raised.cpp). Their types are facts of the Raises.
const Type *find_arguments_type(Emitter &e, const Specialization &spec,
                                const ssa::Value &attribute);
/// The same for an attribute of classes of the program; null if they have no such attribute.
const Type *find_caught_attribute_type(Emitter &e, const Specialization &spec,
                                       const ssa::Value &attribute);

/// What replaces a loop over prange (parallel.cpp): the call of its function in chunks, the value
/// of a variable after it, and in the function the iterations of a chunk.
Operand rule_parallel_loop(Emitter &e, const ssa::Value &loop, Operands operands);
Operand rule_parallel_result(Emitter &e, const Operand &loop, int index, const std::string &kind,
                             const Operand &start);
Operand rule_chunk_range(Emitter &e, const Operand &range, const Operand &first, const Operand &end,
                         bool nonnegative);

/// The rule of each SSA operation but phis and terminators, for both phases.
class SsaRules {
public:
  SsaRules(Emitter &e, Specialization &spec) : e(e), spec(spec) {}
  virtual ~SsaRules() = default;
  Operand evaluate(const ssa::Value &value);

protected:
  /// The operand that a value stands for now. Throws NotKnownYet if it has no type yet.
  virtual Operand operand_of(const ssa::Value &value) = 0;
  /// Type of a container that is made here, from its items and what is put into it later; nullptr
  /// if nothing is. Throws NotKnownYet.
  virtual const Type *container_type(const ssa::Value &made) = 0;
  /// Type of `e.args` of a caught exception; for `e.value` the same, or null if it is not known to
  /// be StopIteration's.
  virtual const Type *arguments_type(const ssa::Value &attribute) = 0;
  /// Type of another attribute that the program's class of a caught exception has; null if it has
  /// none.
  virtual const Type *caught_attribute_type(const ssa::Value &attribute) = 0;

  Emitter &e;
  Specialization &spec;

  /// A generator yields an item; what is sent.
  virtual Operand yield(const ssa::Value &value) = 0;

  Operand use(const ssa::Value &value);
  /// Operands of a Raise. What a bare one raises again may be nothing.
  Operands raise_operands(const ssa::Value &end);
  virtual Operand parameter(int index);

private:
  Operand dispatch(const ssa::Value &value);
  bool is_for_another_class(const ssa::Value &list);
  Operand container(const ssa::Value &value);
  /// A builtin that syntax stands for. `refusal` is the error where the compiler has none.
  Operand syntax(const char *name, std::span<const Operand> operands, const char *refusal);
  Operand call(const ssa::Value &value);
  const Const *initial_items(const ssa::Value &value);
  Operand call_star(const ssa::Value &value);
  Operand caught_attribute(const ssa::Value &value, const Operand &object);
  Operand make_function(const ssa::Value &value);
  Operand self_reference(const std::string &name);
  Operand sibling_reference(const Const *code);
  const NextResult &next_result(const ssa::Value &next);
  /// operand_of, or of a union the member that it is here.
  Operand chosen(const ssa::Value &value) {
    const auto member = members_.find(&value);
    return member == members_.end() ? operand_of(value) : member->second.second;
  }

  // Lists as tuples (known_lengths.cpp).
  int64_t length_where_used(const ssa::Value &list, const ssa::Value &use) const;
  Operand with_known_length(const ssa::Value &call, const ssa::Value &argument,
                            const Operand &given);

  // Operations on unions (unions.cpp).
  const ssa::Value *find_union(const ssa::Value &value);
  Operand split(const ssa::Value &value, const ssa::Value &operand);
  std::vector<std::pair<size_t, Operand>>
  known_members(const ssa::Value &value, const ssa::Value &operand, const Operand &whole);
  Operand evaluate_for(const ssa::Value &value, const ssa::Value &operand, const Operand &whole,
                       size_t member);
  std::vector<size_t> path_of(const ssa::Value &value, const ssa::Value &operand,
                              size_t member) const;
  std::map<const ssa::Value *, std::pair<size_t, Operand>, ById> members_; ///< chosen of unions
  std::map<const ssa::Value *, NextResult> next_results_;
};

} // namespace numjit
