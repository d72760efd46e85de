// The interface through which both inference and emission run the rules of operations.
//
// Every rule (an operator, an attribute, a builtin) is one C++ function over an Emitter. While
// types are being inferred the Emitter is *dry*: it computes types and constants and makes no code.
// Once they are known, the same function runs again and the same calls append typed IR. So a rule
// cannot type one thing and emit another.
#pragma once

#include "typeinfer/infer.h"
#include "typeinfer/infer/unify.h"

#include <functional>
#include <initializer_list>
#include <span>
#include <utility>

namespace numjit {

class Engine;

/// A value as rules see it: always a type, a constant where it is known, and code unless the
/// Emitter is dry (constants get their code when they are needed).
struct Operand {
  const Type *type = nullptr;
  const Const *constant = nullptr;
  tir::Value *value = nullptr;
  Position position; ///< of the expression it came from, for messages
  /// Of a list, set or dict that is written down, as argument of a call: its items (keys and values
  /// of a dict by turns) if all are known.
  const Const *initial = nullptr;

  explicit operator bool() const { return type != nullptr; }
  Fact fact() const { return {type, constant}; }
};
using Operands = std::vector<Operand>;

class Emitter {
public:
  Emitter(Engine &engine, const FunctionDef *def, const CompileOptions &options)
      : engine(engine), def(def), options_(options) {}

  Engine &engine;
  const FunctionDef
      *def;          ///< whose rules apply (error model, bounds checks) and whose lines are blamed
  Position position; ///< of the Python operation being compiled
  tir::Function *function = nullptr; ///< null: dry
  tir::Block *block = nullptr;
  tir::Block *handler = nullptr; ///< where exceptions go; null: out of the function

  bool dry() const { return function == nullptr; }
  const CompileOptions &options() const { return options_; }

  // --- leaving -----------------------------------------------------------------------------------
  [[noreturn]] void fail(const std::string &message, const std::string &hint = {}) const;
  [[noreturn]] void fail_at(Position where, const std::string &message,
                            const std::string &hint = {}) const;
  [[noreturn]] void fail_as(const std::string &cls, const std::string &message,
                            const std::string &hint = {}) const;

  // --- constants ---
  Operand constant(const Const *value);
  Operand i64(int64_t value);
  Operand boolean(bool value);
  Operand f64(double value);
  Operand none();
  Operand null_owner();
  /// An operand of any type without a runtime value (functions, modules, dtypes, None).
  Operand unit(const Type *type);
  Operand undef(const Type *type);
  /// The code of an operand; makes it for constants. Null when dry.
  tir::Value *code(const Operand &operand);

  // --- scalars ---
  /// Row on scalar operands with the typing rules of `form`; folds constants. Fails if the row has
  /// no meaning for the types.
  Operand scalar(const scalar::Row &row, std::span<const Operand> operands, scalar::Form form);
  Operand op(Operator oper, const Operand &a, const Operand &b);
  Operand op(Operator oper, const Operand &a);
  Operand add(const Operand &a, const Operand &b) { return op(Operator::Add, a, b); }
  Operand sub(const Operand &a, const Operand &b) { return op(Operator::Sub, a, b); }
  Operand mul(const Operand &a, const Operand &b) { return op(Operator::Mul, a, b); }
  Operand compare(Operator oper, const Operand &a, const Operand &b) { return op(oper, a, b); }
  /// int64 arithmetic that cannot overflow: offsets into memory, loop counters.
  Operand index_add(const Operand &a, const Operand &b);
  Operand index_mul(const Operand &a, const Operand &b);
  Operand make_complex(const Type *type, const Operand &real, const Operand &imag);
  /// Quotient of int64s, a >= 0 and b > 0.
  Operand div_nonneg(const Operand &a, const Operand &b);
  Operand logical_not(const Operand &a);
  Operand logical_and(const Operand &a, const Operand &b);
  Operand select(const Operand &condition, const Operand &a, const Operand &b);
  /// Marks an int64 as known to be >= 0, wherever in the function it is: not for values that are
  /// the program's own and were only tested here.
  Operand nonneg(Operand a);
  /// A value of its own for the length that an int64 stands for: max(a, 0).
  Operand at_least_zero(const Operand &a);
  bool is_nonneg(const Operand &a) const;

  // --- conversions ---
  /// Numeric conversion between scalars as a C cast.
  Operand cast(const Operand &a, const Type *to);
  /// An int beyond 64 bits as a number; OverflowError where it has no place.
  Operand big_as(const Operand &a, const Type *to);
  /// The int64 nearest to an int beyond 64 bits, for bounds; all else as it is.
  Operand nearest_int(const Operand &a);
  /// Implicit conversion where a variable or parameter has the wider type `to` (see unify.h); any
  /// type.
  Operand convert(const Operand &a, const Type *to);
  /// A literal string as a value of type unicode_type, in tuples too; other operands pass.
  Operand unliteral(const Operand &a);
  /// Truth value as bool(x) returns it.
  Operand truth(const Operand &a);
  /// The value of a variable that may be unassigned, with a run-time check; other operands pass.
  Operand assigned(const Operand &a, const std::string &variable);
  /// The value in an Optional, with a run-time check; the integer of an IntEnum's member; other
  /// operands pass.
  Operand unwrap(const Operand &a);
  Operand unwrap_optional(const Operand &a);

  // --- struct-like values ---
  Operand make(const Type *type, std::span<const Operand> fields);
  Operand make(const Type *type, std::initializer_list<Operand> fields) {
    return make(type, std::span<const Operand>(fields.begin(), fields.size()));
  }
  Operand field(const Operand &a, int index);
  /// Item of a homogeneous tuple, index in range.
  Operand field_at(const Operand &a, const Operand &index);
  Operand tuple(std::span<const Operand> items);

  // --- memory ---
  Operand ptr_add(const Operand &pointer, const Operand &bytes, const Type *to);
  Operand load(const Operand &pointer, tir::Alias alias, bool take = false);
  void store(const Operand &pointer, const Operand &value, tir::Alias alias);
  /// Stores where there is a value already, whose count is given up.
  void overwrite(const Operand &pointer, const Operand &value, tir::Alias alias);
  Operand alloc(const Operand &bytes, bool zeroed);
  Operand owner_data(const Operand &owner, const Type *to);
  /// Address of a pointer or owner as int64.
  Operand pointer_bits(const Operand &a);
  void copy(const Operand &to, const Operand &from, const Operand &bytes);
  /// `outlives_call`: in the frame of the function that this one, always inlined, becomes part of.
  Operand stack_alloc(int64_t bytes, const Type *to, bool outlives_call = false);
  int store_slots(const Operand &slots, int slot, const Operand &a);
  Operand runtime(tir::RuntimeOp op, const Type *result, std::span<const Operand> operands);
  /// A row of device_ops.def; outside of kernels an error. `integer` and `index` as the row says.
  Operand device(tir::DeviceOp op, const Type *result, std::span<const Operand> operands,
                 int64_t integer = 0, int32_t index = 0);
  /// Whether the code is for a kernel.
  bool on_device() const;
  /// Pointer to constant memory that lasts as long as the process.
  Operand bytes(std::string_view content);
  /// Pointer to memory whose address is known now and which outlives the code.
  Operand null_pointer(const Type *to);
  Operand address(const Reference *of, const Type *to);
  /// Of something that has no Reference: the function cannot be kept on disk.
  Operand address(const void *address, const Type *to);

  // --- control flow ---
  /// Runs `then` (and `otherwise`) for the outcomes that are possible.
  void if_(const Operand &condition, const std::function<void()> &then,
           const std::function<void()> &otherwise = {}, int likely = 0);
  /// As if_, both sides give an operand; the results are unified.
  using Meet = const Type *(*)(const Type *, const Type *);
  Operand choose(const Operand &condition, const std::function<Operand()> &then,
                 const std::function<Operand()> &otherwise, Meet meet = unify);
  /// for (i = 0; i < count; ++i) body(i)
  void loop(const Operand &count, const std::function<void(const Operand &)> &body);
  /// Raise a builtin exception with one message if the condition holds.
  void raise_if(const Operand &condition, const std::string &cls, const std::string &message);
  /// The same with values for the {} in the message.
  void raise_if(const Operand &condition, const std::string &cls, const std::string &format,
                std::span<const Operand> values);
  void raise(const std::string &cls, const std::string &message);
  /// Raises an exception instance or class; `cause` has no type where there is none.
  void raise_exception(const Operand &exception, const Operand &cause = {});

  // --- calls ---
  /// A builtin or library function by its name, all arguments positional; fails internally if it is
  /// missing.
  Operand library(const LibraryKey &key, std::span<const Operand> arguments);
  Operand library(const LibraryKey &key, std::initializer_list<Operand> arguments) {
    return library(key, std::span<const Operand>(arguments.begin(), arguments.size()));
  }

  // --- appending (not when dry) ---
  tir::Value *append(tir::Op op, const Type *type,
                     std::initializer_list<tir::Value *> operands = {});
  /// Appends a value that is complete.
  Operand place(tir::Value *value);
  tir::Block *new_block();
  void jump(tir::Block *to);
  void branch(tir::Value *condition, tir::Block *then, tir::Block *otherwise, int likely = 0);
  bool terminated() const;

private:
  const CompileOptions &options_;
  Operand global_array(const Const &array);
  tir::Value *scalar_code(const Operand &operand);
  Operand finish(const Type *type, tir::Value *value);
  /// Makes exceptions of the last operation go to the handler.
  void protect(const tir::Value &value);
  const tir::RaiseSite *new_site(tir::RaiseSite site);
};

/// No code is made in its scope.
struct DryScope {
  explicit DryScope(Emitter &e) : e(e), function(std::exchange(e.function, nullptr)) {}
  ~DryScope() { e.function = function; }
  Emitter &e;
  tir::Function *function;
};

} // namespace numjit
