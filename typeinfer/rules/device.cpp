// Kernels: the rows of device_ops.def by name, and the arrays that live in shared or local memory.
#include "typeinfer/errors.h"
#include "typeinfer/infer/engine.h"
#include "typeinfer/ir/device_names.h"
#include "typeinfer/rules/foreign_calls.h"
#include "typeinfer/rules/lookup.h"

#include <algorithm>
#include <list>
#include <map>
#include <mutex>
#include <set>

namespace numjit {

bool Emitter::on_device() const { return engine.module.target != tir::Target::Host; }

Operand Emitter::device(tir::DeviceOp op, const Type *result, std::span<const Operand> operands,
                        int64_t integer, int32_t index) {
  if (!on_device() && !tir::is_atomic(op))
    fail("No implementation of function for operation " + std::string(tir::device_op_row(op).name) +
             " outside of a kernel",
         "names of numjit.cuda such as threadIdx or syncthreads can only be used in functions "
         "decorated with @cuda.jit, and in what these call");
  if (dry())
    return result->kind == Kind::None ? none() : Operand{result, nullptr, nullptr, position};
  std::vector<tir::Value *> codes;
  for (const Operand &a : operands)
    codes.push_back(code(a));
  tir::Value *value = append(tir::Op::Device, result);
  value->device_op = op;
  value->operands = std::move(codes);
  value->integer = integer;
  value->index = index;
  return result->kind == Kind::None ? none() : Operand{result, nullptr, value, position};
}

namespace {

/// Texts and bytes live as long as the process: typed IR holds their address.
const std::string &kept(std::string text) {
  static std::mutex mutex;
  static std::set<std::string> texts;
  std::lock_guard lock(mutex);
  return *texts.insert(std::move(text)).first;
}

/// The text of a constant in a format of C, or the place of a number, which goes to `numbers`.
std::string format_of(Emitter &e, const Operand &given, Operands &numbers) {
  Operand a = e.unwrap(given);
  auto escaped = [](const std::string &text) {
    std::string result;
    for (char c : text)
      result += c == '%' ? std::string("%%") : std::string(1, c);
    return result;
  };
  if (a.type->kind == Kind::String)
    return escaped(a.type->constant->text);
  if (a.type->kind == Kind::None)
    return "None";
  if (a.type->is_tuple()) {
    std::string text;
    for (size_t i = 0; i < a.type->params.size(); ++i)
      text += (i ? ", " : "(") + format_of(e, e.field(a, static_cast<int>(i)), numbers);
    return text + (a.type->params.size() == 1 ? ",)" : a.type->params.empty() ? "()" : ")");
  }
  if (!a.type->is_scalar() || a.type->is_complex())
    e.fail("No implementation of function print for argument of type " + a.type->text +
               " in a kernel",
           "print numbers and strings");
  if (a.type->is_bool()) {
    auto text = [&](const std::string &name) {
      const Type *letter = types::scalar(ScalarId::UInt8);
      const Operand from[]{e.address(kept(name).c_str(), letter)};
      return e.device(tir::DeviceOp::Constant, types::pointer(letter), from,
                      static_cast<int64_t>(name.size()) + 1);
    };
    numbers.push_back(e.select(a, text("True"), text("False")));
    return "%s";
  }
  const bool real = a.type->is_float();
  numbers.push_back(e.cast(a, real                    ? types::float64()
                              : a.type->is_unsigned() ? types::uint64()
                                                      : types::int64()));
  return real ? "%f" : a.type->is_unsigned() ? "%llu" : "%lld";
}

} // namespace

const void *contiguous_items(const ArrayData &array, int64_t size) {
  if (array.layout != 'A')
    return array.data;
  std::string bytes;
  auto gather = [&](auto &self, const char *from, size_t axis) -> void {
    if (axis == array.shape.size())
      bytes.append(from, static_cast<size_t>(size));
    else
      for (int64_t i = 0; i < array.shape[axis]; ++i)
        self(self, from + i * array.strides[axis], axis + 1);
  };
  gather(gather, static_cast<const char *>(array.data), 0);
  return kept(std::move(bytes)).data();
}

Operand print_on_device(Emitter &e, std::span<const Operand> arguments) {
  Operands numbers;
  std::string format;
  for (const Operand &a : arguments)
    format += (format.empty() ? "" : " ") + format_of(e, a, numbers);
  const std::string &text = kept(format + "\n");
  Operand memory =
      e.stack_alloc(8 * std::max<int64_t>(static_cast<int64_t>(numbers.size()), 1), types::int64());
  int slot = 0;
  for (const Operand &number : numbers)
    slot = e.store_slots(memory, slot, number);
  const Operand both[]{e.address(text.c_str(), types::scalar(ScalarId::UInt8)), memory};
  return e.device(tir::DeviceOp::Print, types::none(), both);
}

namespace {

using tir::DeviceOp;

const std::string &text_of(const Operand &a) { return a.type->constant->text; }

/// An operand as the row's letter wants it; `generic` is what T is, once it is known.
Operand operand_for(Emitter &e, const tir::DeviceOpRow &row, char letter, Operand a,
                    const Type *&generic) {
  a = e.unwrap(a);
  if (letter == 'p') {
    if (a.type->kind != Kind::Pointer)
      e.fail("operation " + std::string(row.name) + " needs a pointer, not " + a.type->text);
    generic = a.type->params[0];
    return a;
  }
  if (!a.type->is_scalar() || a.type->is_complex())
    e.fail("No implementation of function for argument of type " + a.type->text,
           "an integer or a float is wanted here");
  if (letter == 'b')
    return e.truth(a);
  if (letter == 'T') {
    if (!generic)
      generic = a.type->bits() >= 32 ? a.type // registers have 32 bits at least
                : a.type->is_float() ? types::scalar(ScalarId::Float32)
                                     : types::scalar(ScalarId::Int32);
    return e.cast(a, generic);
  }
  if (a.type->is_float())
    e.fail("No implementation of function for argument of type " + a.type->text,
           "an integer is wanted here");
  return e.cast(a, tir::device_type(letter));
}

/// Votes take a mask of lanes and a flag, as numba-cuda does; floats and flags are no masks.
void check_vote(Emitter &e, std::span<const Operand> given) {
  const Type *mask = e.unwrap(given[0]).type, *predicate = e.unwrap(given[1]).type;
  if (!mask->is_integer())
    e.fail("Mask type must be an integer, not " + mask->text);
  if (!predicate->is_integer() && !predicate->is_bool())
    e.fail("Predicate must be an integer or boolean, not " + predicate->text);
}

/// T is what a pointer operand points to, else the type of the first T operand.
Operand device_row(Emitter &e, const tir::DeviceOpRow &row, std::span<const Operand> given) {
  const Type *generic = nullptr;
  Operands operands;
  if (row.operands == "ub")
    check_vote(e, given);
  for (size_t i = 0; i < row.operands.size(); ++i)
    operands.push_back(operand_for(e, row, row.operands[i], given[i], generic));
  const Type *result = row.result == 'T' ? generic : tir::device_type(row.result);
  if (!result)
    throw InternalError("no operand tells the result of " + std::string(row.name));
  return e.device(row.id, result, operands);
}

/// numjit.device(name, *operands): a row of device_ops.def.
Operand device(Emitter &e, Operands &a) {
  const tir::DeviceOpRow *row = tir::device_op_named(text_of(a[0]));
  if (!row || row->operands.size() != a.size() - 1)
    throw InternalError("wrong use of device operation " + text_of(a[0]));
  return device_row(e, *row, std::span<const Operand>(a).subspan(1));
}

constexpr std::string_view kPrefix = "numjit.cuda.";

/// A row under its public name. A mask that is not given is that of all lanes.
template <DeviceOp op>
Operand public_device(Emitter &e, Operands &a) {
  for (Operand &operand : a)
    if (!operand)
      operand = e.i64(0xFFFFFFFF);
  return device_row(e, tir::device_op_row(op), a);
}

/// numjit.on_device(): whether the code is for a kernel.
Operand on_device(Emitter &e, Operands &) { return e.boolean(e.on_device()); }

/// numjit.on_simulator(): whether it is for a kernel that the processor runs.
Operand on_simulator(Emitter &e, Operands &) {
  return e.boolean(e.engine.module.target == tir::Target::Simulator);
}

/// numjit.item_pointer(array, index tuple): where an element is. Also of a pointer and one index.
Operand item_pointer(Emitter &e, Operands &a) {
  if (a[0].type->kind == Kind::Pointer && a[1].type->params.size() == 1) {
    const Type *item = a[0].type->params[0];
    Operand index = e.unwrap(e.field(a[1], 0));
    if (!index.type->is_integer() || !item->is_item())
      e.fail("a pointer to numbers and an integer are wanted here, not " + a[0].type->text +
             " and " + index.type->text);
    return e.ptr_add(a[0], e.index_mul(e.cast(index, types::int64()), e.i64(item_size(item))),
                     item);
  }
  if (!a[0].type->is_array())
    e.fail("an array is wanted here, not " + a[0].type->text);
  if (a[0].type->readonly)
    e.fail("Cannot modify readonly array of type: " + a[0].type->text);
  const size_t count = a[1].type->params.size();
  if (static_cast<int>(count) != a[0].type->ndim)
    e.fail("an array of " + std::to_string(a[0].type->ndim) +
           " dimensions takes as many indices, not " + std::to_string(count));
  Operand offset = e.i64(0);
  for (size_t i = 0; i < count; ++i) {
    Operand index = e.unwrap(e.field(a[1], static_cast<int>(i)));
    // One of several may have become a float, where an int64 met a uint64.
    const bool real = count > 1 && index.type->is_float();
    if (!index.type->is_integer() && !index.type->is_bool() && !real)
      e.fail("an index is an integer here, not " + index.type->text);
    index = e.cast(index, types::int64());
    const Operand given = index;
    if (!e.is_nonneg(index)) {
      Operand wrapped = e.index_add(index, array_shape(e, a[0], static_cast<int>(i)));
      index = e.select(e.op(Operator::Lt, index, e.i64(0)), wrapped, index);
    }
    if (e.engine.module.target == tir::Target::Simulator || e.options().boundscheck) {
      Operand length = array_shape(e, a[0], static_cast<int>(i));
      Operand outside =
          e.op(Operator::Ge, e.cast(index, types::uint64()), e.cast(length, types::uint64()));
      const std::array<Operand, 2> values{given, length};
      e.raise_if(outside, "IndexError",
                 "index {} is out of bounds for axis " + std::to_string(i) + " with size {}",
                 values);
    }
    offset = e.index_add(offset, e.index_mul(index, array_stride(e, a[0], static_cast<int>(i))));
  }
  return e.ptr_add(e.field(a[0], 0), offset, a[0].type->dtype());
}

// --- arrays in memory of a block or of a thread ---

struct ArrayRequest {
  const Type *dtype;
  std::vector<int64_t> shape;
  int64_t bytes;
  int32_t alignment;
};

/// Values that are several numbers: of a type with a StructModel, a (named) tuple, or a vector,
/// which stands for its type as `cuda.float32x4`. Null for what is none of these.
const Type *composite_of_dtype(Emitter &e, const Operand &a, const char *name) {
  if (a.type->kind != Kind::Function)
    return nullptr;
  const Object &object = *a.type->constant->object;
  const Type *type = nullptr;
  if (object.kind == ObjectKind::Type) {
    type = static_cast<const Type *>(object.type);
  } else if (std::string_view(object.name).starts_with("numjit.cuda.")) {
    const size_t count = static_cast<size_t>(object.name.back() - '0');
    if (object.name.find('x') == std::string::npos || count < 1 || count > 4)
      return nullptr;
    CallArguments zeros;
    zeros.positional.assign(count, e.i64(0));
    type = call_named(e, object.name, zeros).type;
  }
  if (!type || (type->kind != Kind::Struct && !type->is_tuple()) || type->fields.empty())
    return nullptr;
  if (type->counted)
    e.fail(std::string(name) + "(): a " + type->text + " refers to memory of its own",
           "keep arrays in variables, and numbers in the shared or local array");
  return type;
}

ArrayRequest requested(Emitter &e, const Operands &a, const char *name) {
  ArrayRequest request{item_of_dtype(a[1]), {}, 0, 16};
  if (!request.dtype)
    request.dtype = composite_of_dtype(e, a[1], name);
  if (!request.dtype && a[1].constant && a[1].constant->kind == ConstKind::Str)
    e.fail(std::string(name) + "(): Invalid NumPy dtype specified: '" + a[1].constant->text + "'");
  if (!request.dtype)
    e.fail(std::string(name) + "() needs a dtype, not " + a[1].type->text);
  const Const *shape = a[0].constant;
  const std::vector<const Const *> one{shape};
  const auto &items = shape && shape->kind == ConstKind::Tuple ? shape->items : one;
  request.bytes = item_size(request.dtype);
  for (const Const *item : items) {
    if (!item || item->kind != ConstKind::Int || item->integer < 0)
      e.fail_as("LiteralTypingError", // a caller may know it
                "No implementation of function " + std::string(name) + " for shape of type " +
                    a[0].type->text + ": it must be known at compile time",
                "write a literal, or use a global or closure variable");
    request.shape.push_back(item->integer);
    if (__builtin_mul_overflow(request.bytes, item->integer, &request.bytes) ||
        request.bytes > (int64_t(1) << 31))
      e.fail(std::string(name) + "(): the array is too large");
  }
  if (a[2] && a[2].type->kind != Kind::None) {
    const Const *given = a[2].constant;
    if (!given || given->kind != ConstKind::Int)
      e.fail_as(given ? "RequireLiteralValue" : "LiteralTypingError",
                std::string(name) + "(): alignment must be a constant integer, not " +
                    a[2].type->text);
    const int64_t alignment = given->integer;
    if (alignment < 1 || alignment > (1 << 20) || (alignment & (alignment - 1)))
      e.fail_as("NumbaValueError", "Alignment must be a positive power of 2, not " +
                                       std::to_string(alignment) + ": " + name + "()");
    request.alignment = std::max(16, static_cast<int32_t>(alignment));
  }
  return request;
}

Operand array_of(Emitter &e, const ArrayRequest &request, const Operand &memory,
                 std::span<const Operand> shape) {
  const Type *type = types::array(request.dtype, static_cast<int>(shape.size()), Layout::C);
  return make_array(e, type, memory, e.null_owner(), shape, {});
}

Operands constant_shape(Emitter &e, const ArrayRequest &request) {
  Operands shape;
  for (int64_t n : request.shape)
    shape.push_back(e.i64(n));
  return shape;
}

/// cuda.shared.array(shape, dtype): one array for the threads of a block. A shape of 0 stands for
/// what the launch configuration says.
Operand shared_array(Emitter &e, Operands &a) {
  ArrayRequest request = requested(e, a, "cuda.shared.array");
  const Type *pointer = types::pointer(request.dtype);
  if (request.shape.size() == 1 && request.shape[0] == 0) {
    Operand bytes = e.device(DeviceOp::DynamicSharedBytes, types::scalar(ScalarId::Int32), {});
    Operand count =
        e.div_nonneg(e.nonneg(e.cast(bytes, types::int64())), e.i64(item_size(request.dtype)));
    const Operands shape{e.nonneg(count)};
    return array_of(e, request, e.device(DeviceOp::DynamicShared, pointer, {}), shape);
  }
  Operand memory = e.device(DeviceOp::SharedArray, pointer, {}, std::max<int64_t>(request.bytes, 1),
                            request.alignment);
  return array_of(e, request, memory, constant_shape(e, request));
}

/// Memory of the thread. Beyond the alignment that all of it has, a piece of a larger one.
Operand aligned_stack(Emitter &e, const ArrayRequest &request) {
  const int64_t bytes = std::max<int64_t>(request.bytes, 1), alignment = request.alignment;
  if (alignment <= 16)
    return e.stack_alloc(bytes, request.dtype);
  Operand memory = e.stack_alloc(bytes + alignment, request.dtype);
  Operand beyond = e.op(Operator::And, e.pointer_bits(memory), e.i64(alignment - 1));
  return e.ptr_add(memory, e.op(Operator::Sub, e.i64(alignment), beyond), request.dtype);
}

/// cuda.local.array(shape, dtype): memory of each thread.
Operand local_array(Emitter &e, Operands &a) {
  ArrayRequest request = requested(e, a, "cuda.local.array");
  if (!e.on_device())
    e.fail("No implementation of function cuda.local.array outside of a kernel");
  return array_of(e, request, aligned_stack(e, request), constant_shape(e, request));
}

/// cuda.const.array_like(array): a global array; kernels hold a copy of it.
Operand constant_array(Emitter &e, Operands &a) {
  if (!a[0].type->is_array() || !a[0].constant)
    e.fail("No implementation of function cuda.const.array_like for argument of type " +
               a[0].type->text + ": the array must be known at compile time",
           "make it a global or closure variable");
  return a[0];
}

/// numjit.call_symbol(name, result type, parameter types, tuple of arguments): a function of linked
/// code for the device.
Operand call_symbol(Emitter &e, Operands &a) {
  const std::string &name = text_of(a[0]);
  if (e.engine.module.target != tir::Target::Cuda)
    e.fail("No implementation of function " + name + ": it exists on a GPU only");
  const Type *result = type_behind(a[1].type);
  const size_t count = a[2].type->params.size();
  if (a[3].type->params.size() != count)
    e.fail(name + "() takes " + std::to_string(count) + " arguments, got " +
           std::to_string(a[3].type->params.size()));
  Operands arguments;
  for (size_t i = 0; i < count; ++i) {
    Operand given = e.unwrap(e.field(a[3], static_cast<int>(i)));
    const Type *to = type_behind(a[2].type->params[i]);
    if (to->kind == Kind::Pointer && given.type->is_array())
      given = e.ptr_add(e.field(given, 0), e.i64(0), to->params[0]);
    else if (given.type != to && given.type->is_scalar() && to->is_scalar())
      given = e.cast(given, to);
    else if (given.type != to)
      given = c_argument(e, name, given, to); // ffi.from_buffer(array), array.ctypes, None
    arguments.push_back(given);
  }
  const bool gives = result->kind != Kind::None;
  if (e.dry())
    return gives ? Operand{result, nullptr, nullptr, e.position} : e.none();
  std::vector<tir::Value *> codes{e.code(e.null_pointer(types::none()))};
  for (const Operand &x : arguments)
    codes.push_back(e.code(x));
  tir::Value *value = e.append(tir::Op::CallPointer, result);
  value->name = name;
  value->operands = std::move(codes);
  return gives ? Operand{result, nullptr, value, e.position} : e.none();
}

const Builtin kDeviceRows[] = {
    {"numjit.call_symbol", "name result parameters arguments", call_symbol},
    {"numjit.device", "name *", device},
    {"numjit.on_device", "", on_device},
    {"numjit.on_simulator", "", on_simulator},
    {"numjit.item_pointer", "array indices", item_pointer},
    {"numjit.cuda.shared.array", "shape dtype alignment?", shared_array},
    {"numjit.cuda.local.array", "shape dtype alignment?", local_array},
    {"numjit.cuda.const.array_like", "ary", constant_array},
};

} // namespace

BuiltinTable device_builtins() {
  static const std::vector<Builtin> rows = [] {
    std::vector<Builtin> all(std::begin(kDeviceRows), std::end(kDeviceRows));
    static constexpr decltype(Builtin::rule) rules[] = {
#define NUMJIT_DEVICE_OP(id, ...) public_device<DeviceOp::id>,
#include "typeinfer/ir/device_ops.def"
#undef NUMJIT_DEVICE_OP
    };
    static std::list<std::string> names;
    for (const tir::DeviceName &row : tir::device_names())
      if (row.form == tir::DeviceForm::Call)
        all.push_back({names.emplace_back(std::string(kPrefix).append(row.name)), row.parameters,
                       rules[static_cast<size_t>(row.op)]});
    return all;
  }();
  return rows;
}

Operand named_value(Emitter &e, const Const *constant) {
  if (!constant || !constant->is_object(ObjectKind::Builtin))
    return {};
  static const std::map<std::string_view, DeviceOp> values = [] {
    std::map<std::string_view, DeviceOp> found;
    for (const tir::DeviceName &row : tir::device_names())
      if (row.form == tir::DeviceForm::Value)
        found[row.name] = row.op;
    return found;
  }();
  const std::string &name = constant->object->name;
  if (!name.starts_with(kPrefix))
    return {};
  if (auto row = values.find(std::string_view(name).substr(kPrefix.size())); row != values.end())
    return device_row(e, tir::device_op_row(row->second), {});
  const LibraryKey key(name, LibraryUse::Value);
  return e.engine.host.library(key) ? e.library(key, {}) : Operand();
}

} // namespace numjit
