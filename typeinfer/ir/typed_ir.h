// Typed IR: SSA over scalars and struct-like values, every conversion and every call resolved,
// memory explicit. Made by inference, transformed by passes, translated by codegen (CPU and PTX).
#pragma once

#include "typeinfer/ir/scalar_ops.h"
#include "typeinfer/types/references.h"
#include "typeinfer/types/types.h"

#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace numjit::tir {

// One row per operation. X(id, printed name, operands (-1: any), effects, what it means)
// Effects: Pure: depends on operands only. Reads / Writes: memory. Raises: may leave the function
// with an exception (codegen then releases `Value::cleanup`). Terminators end a block.
#define NUMJIT_TYPED_OPS(X)                                                                        \
  X(Param, "param", 0, Pure, "parameter `index`")                                                  \
  X(Const, "const", 0, Pure,                                                                       \
    "scalar constant: integer in `integer`, float in `real`, complex in `real`, `imag`; null "     \
    "Pointer or Owner: integer 0; others: `integer` is the address of what `reference` says")      \
  X(Bytes, "bytes", 0, Pure,                                                                       \
    "pointer to constant memory that lasts as long as the process: the bytes that `name` spells "  \
    "in hexadecimal")                                                                              \
  X(Undef, "undef", 0, Pure, "any value of the type")                                              \
  X(Phi, "phi", -1, Pure, "one operand per predecessor, in order of Block::preds")                 \
  X(Scalar, "scalar", -1, Pure,                                                                    \
    "scalar operation `scalar_op` (row of scalar_ops.def) on operands of one type (the operand "   \
    "type selects the instruction)")                                                               \
  X(Cast, "cast", 1, Pure,                                                                         \
    "numeric conversion between scalar types: C's rules; to bool: != 0; float to integer "         \
    "saturates nothing (poison-free: uses llvm.fptosi.sat-like freeze); real to complex: imag 0")  \
  X(Select, "select", 3, Pure, "operand0 (bool) ? operand1 : operand2; any type")                  \
  X(Struct, "struct", -1, Pure, "value of struct-like type from its fields")                       \
  X(Field, "field", 1, Pure, "field `index` of a struct-like value")                               \
  X(FieldAt, "field_at", 2, Pure,                                                                  \
    "item operand1 (int64, in range) of a homogeneous tuple operand0")                             \
  X(PtrAdd, "ptr_add", 2, Pure,                                                                    \
    "pointer operand0 (Pointer of any type) plus operand1 (int64) bytes; result type says what "   \
    "it points to")                                                                                \
  X(PtrToInt, "ptr_to_int", 1, Pure, "address of pointer or owner operand0 as int64")              \
  X(IndexAdd, "index_add", 2, Pure,                                                                \
    "int64 addition that cannot overflow (byte offsets, loop counters)")                           \
  X(IndexMul, "index_mul", 2, Pure, "int64 multiplication that cannot overflow")                   \
  X(OwnerData, "owner_data", 1, Pure, "pointer to the payload of a block allocated by numjit")     \
  X(FunctionAddress, "function_address", 0, Pure,                                                  \
    "address of `callee`'s C entry, as Pointer; `index` 1: of its Entry (codegen/compiler.h)")     \
  X(Load, "load", 1, Reads,                                                                        \
    "scalar, pointer, owner or any struct-like value at pointer operand0 (memory layout of "       \
    "layout_of); `alias` class; `index` 1: invariant memory")                                      \
  X(Store, "store", 2, Writes,                                                                     \
    "store operand1 at pointer operand0; `alias` class; memory other than the stack takes over a " \
    "count")                                                                                       \
  X(Exchange, "exchange", 2, Writes,                                                               \
    "store operand1 at pointer operand0 and give what was there, with its count: one step to "     \
    "other threads that do the same")                                                              \
  X(Copy, "memcpy", 3, Writes,                                                                     \
    "copy operand2 (int64) bytes from operand1 to operand0; no overlap")                           \
  X(Alloc, "alloc", 1, Raises,                                                                     \
    "new block with operand0 (int64) payload bytes, zeroed if `index` is 1; result Owner, count "  \
    "1; MemoryError")                                                                              \
  X(StackAlloc, "stack_alloc", 0, Pure,                                                            \
    "pointer to `integer` bytes of stack, allocated in the entry block; if `index` is 1, of the "  \
    "function that this one is inlined into")                                                      \
  X(Retain, "retain", 1, Writes, "count up every Owner in operand0")                               \
  X(Release, "release", 1, Writes, "count down every Owner in operand0")                           \
  X(Call, "call", -1, Raises,                                                                      \
    "call `callee` (a Function of the module) with operands; `callee->may_raise` tells whether "   \
    "it can raise")                                                                                \
  X(CallRuntime, "call_runtime", -1, Raises,                                                       \
    "call row `runtime_op` of runtime_ops.def with operands; its row tells effects")               \
  X(Device, "device", -1, Writes,                                                                  \
    "row `device_op` of device_ops.def with operands, in kernels; its row tells effects; "         \
    "`integer`, `index` as the row says")                                                          \
  X(CallPointer, "call_pointer", -1, Writes,                                                       \
    "C call of pointer operand0 with the scalar operands that follow")                             \
  X(Bind, "bind", 1, Writes,                                                                       \
    "variable `name` of the source is operand0 from here on; for debuggers (debug=True)")          \
  X(Poll, "poll", 0, Raises, "interrupt point: KeyboardInterrupt and what signal handlers raise")  \
  X(StackCheck, "stack_check", 0, Raises,                                                          \
    "RecursionError when little stack is left; first operation of a recursive function")           \
  X(Try, "try", 0, Terminator,                                                                     \
    "go to successor 0; or to successor 1, which has no phis, if the last operation that may "     \
    "raise did: the exception is pending then")                                                    \
  X(Jump, "jump", 0, Terminator, "go to successor 0")                                              \
  X(Branch, "branch", 1, Terminator,                                                               \
    "bool operand0 ? successor 0 : successor 1; `index` 1: successor 0 is likely, 2: successor 1 " \
    "is likely")                                                                                   \
  X(Return, "return", 1, Terminator, "return operand0 with one count of every Owner in it")        \
  X(Raise, "raise", -1, Terminator,                                                                \
    "leave with exception `site`, or go to successor 0, its handler, where there is one; "         \
    "operands are its arguments, or the values in its message")                                    \
  X(Reraise, "reraise", 0, Terminator,                                                             \
    "leave with the exception that is pending already, or go to successor 0")                      \
  X(Unreachable, "unreachable", 0, Terminator, "never executed")

enum class Op : uint8_t {
#define X(id, ...) id,
  NUMJIT_TYPED_OPS(X)
#undef X
};
enum class Effect : uint8_t { Pure, Reads, Writes, Raises, Terminator };
struct OpRow {
  Op id;
  const char *name;
  int operands;
  Effect effect;
  const char *doc;
};
const OpRow &op_row(Op op);
size_t op_count();
inline bool is_terminator(Op op) { return op_row(op).effect == Effect::Terminator; }

/// Memory that cannot overlap memory of another class.
/// Unaligned: array data at any address. Fields: those of instances.
enum class Alias : uint8_t {
  Any,
  ArrayData,
  ListHeader,
  ListData,
  Stack,
  Frame,
  Fields,
  Unaligned
};

/// Where and what is raised. Shown as a traceback line of the jitted source.
struct RaiseSite {
  std::string builtin;        ///< name of a builtin exception class, or empty
  const Const *cls = nullptr; ///< else the class
  std::string message;        ///< the only argument, when has_message; operands stand for its {}
  bool has_message = false;
  bool has_cause = false; ///< the last argument is the cause: raise ... from ...
};

// Functions in the C runtime that typed code may call:
// X(id, symbol, result, parameters, raises, effects). Types by letter: v void, b bool (i1 as i8),
// i int64, u uint64, d float64, f float32, p pointer, o owner.
enum class RuntimeOp : uint8_t {
#define NUMJIT_RUNTIME_OP(id, ...) id,
#include "runtime/runtime_ops.def"
#undef NUMJIT_RUNTIME_OP
};
struct RuntimeOpRow {
  RuntimeOp id;
  const char *symbol;
  char result;
  const char *parameters;
  bool raises; ///< the C function returns int32 status (0: fine) and its result, if any, through a
               ///< last pointer parameter
  Effect effect;
};
const RuntimeOpRow &runtime_op_row(RuntimeOp op);
size_t runtime_op_count();

/// What only kernels can do, and atomics: see device_ops.def.
enum class DeviceOp : uint8_t {
#define NUMJIT_DEVICE_OP(id, ...) id,
#include "typeinfer/ir/device_ops.def"
#undef NUMJIT_DEVICE_OP
};
struct DeviceOpRow {
  DeviceOp id;
  std::string_view name;
  char result;
  std::string_view operands;
  Effect effect;
};
const DeviceOpRow &device_op_row(DeviceOp op);
/// The atomics: all processors have them.
constexpr bool is_atomic(DeviceOp op) {
  return op >= DeviceOp::AtomicAdd && op <= DeviceOp::AtomicCas;
}
/// Those for which all blocks of a launch must run at once.
constexpr bool needs_cooperation(DeviceOp op) {
  return op == DeviceOp::SyncGrid || op == DeviceOp::ThisGrid;
}
/// The row of a name; nullptr if there is none.
const DeviceOpRow *device_op_named(std::string_view name);
/// The type that a letter of the table stands for; nullptr for T.
const Type *device_type(char letter);

struct Block;
struct Function;

struct Value {
  Op op = Op::Unreachable;
  const Type *type = nullptr; ///< none() for operations without result
  uint32_t id = 0;
  int32_t index = 0;
  int64_t integer = 0;
  double real = 0, imag = 0;
  scalar::OpId scalar_op{};
  RuntimeOp runtime_op{};
  DeviceOp device_op{};
  Alias alias = Alias::Any;
  bool nonneg = false; ///< int64 known to be >= 0
  Position position;
  const FunctionDef *origin = nullptr; ///< whose source `position` is in; nullptr: Function::def
  Block *block = nullptr;
  Function *callee = nullptr;
  const RaiseSite *site = nullptr;
  const Reference *reference = nullptr; ///< Const: what `integer` is the address of
  std::string name;                     ///< Phi, Param: variable, for dumps
  std::vector<Value *> operands;
  std::vector<Value *> cleanup; ///< operations that may raise: what to release on the way out

  void refer_to(const Reference *what) {
    reference = what;
    integer = reinterpret_cast<int64_t>(what->address);
  }
};

/// Whether the operation may leave the function with an exception (terminators aside).
bool can_raise(const Value &value);
/// The operation whose exceptions a block's Try leads to its successor 1; nullptr if it has none.
Value *guarded_by_try(const Block &block);
/// Effect of the operation; that of a CallRuntime or Device is its row's.
Effect effect_of(const Value &value);

struct Block {
  uint32_t id = 0;
  std::vector<Value *> values; ///< phis first, terminator last
  std::vector<Block *> preds, succs;
  Value *terminator() const { return values.back(); }
};

struct Function {
  std::string name; ///< unique in the module, for symbols and dumps
  const FunctionDef *def =
      nullptr; ///< nullptr for functions written in text or made by the compiler
  std::vector<const Type *> params;
  std::vector<std::string> param_names;
  const Type *result = nullptr;
  bool may_raise = false; ///< set by the effects pass
  bool recursive = false;
  bool inline_always = false, inline_never = false;
  bool rare = false;        ///< hardly ever called: may be compiled when it is, for size
  bool short_loops = false; ///< its loops end soon whatever its arguments are
  uint32_t fastmath = 0;
  std::deque<Value> values;       ///< arena
  std::deque<Block> arena_blocks; ///< arena
  std::vector<Block *> blocks;    ///< in layout order, blocks[0] is the entry

  Value *new_value(Op op, const Type *type, Position position);
  Block *new_block();
};

/// Where the code of a module runs. Kernels have no heap, no counts, no interrupts.
enum class Target : uint8_t {
  Host,
  Cuda,      ///< kernels for NVIDIA's GPUs
  Simulator, ///< kernels on the processor
};

/// How a kernel runs in the simulator.
struct SimulatedKernel {
  // --- asked for
  bool race_check = false; ///< all accesses to memory are reported to the runtime
  int64_t scratch = 0;     ///< bytes that a thread has for its arrays; 0: any number
  // --- found by passes/simulate.cpp
  bool whole_block = false;  ///< functions[0] runs all threads of a block; else one
  bool cooperative = false;  ///< blocks wait for each other
  int64_t static_shared = 0; ///< bytes of the shared arrays
  struct Place {
    std::string file, function;
    int line = 0;
  };
  std::vector<Place> places; ///< what numbers in the code stand for
};

/// Everything one specialisation needs: functions[0] is what Python calls, the others its callees.
struct Module {
  Target target = Target::Host;
  SimulatedKernel simulated;
  std::vector<std::unique_ptr<Function>> functions;
  std::deque<RaiseSite> sites; ///< arena
  /// True if any function polls or calls something that may block: the runtime then watches for
  /// signals during the call.
  bool may_run_long = false;
};

/// Bits of Function::fastmath, in LLVM's order and with LLVM's meaning.
enum FastMath : uint32_t {
  Reassoc = 1,
  NoNaNs = 2,
  NoInfs = 4,
  NoSignedZeros = 8,
  AllowReciprocal = 16,
  AllowContract = 32,
  ApproxFunc = 64,
  Fast = 127
};

std::string print(const Value &value);
std::string print(const Function &function);
std::string print(const Module &module);
struct ParseError {
  std::string message;
  int line = 0;
};
/// Parses what print() returns (types that carry Python objects excepted). Null with `error` set on
/// bad text.
std::unique_ptr<Module> parse(std::string_view text, ParseError &error);
/// First broken rule as text; empty if all hold. The rules are listed at the head of verifier.cpp.
std::string verify(const Function &function);

} // namespace numjit::tir
