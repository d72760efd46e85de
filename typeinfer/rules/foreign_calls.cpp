// Calls across the border of compiled code: C functions by address, routines of BLAS and LAPACK,
// and compiled functions and memory as C sees them. One typed operation, call_pointer, carries the
// calls.
#include "typeinfer/rules/foreign_calls.h"

#include "runtime/entries.h"
#include "typeinfer/infer/engine.h"
#include "typeinfer/infer/unify.h"
#include "typeinfer/rules/indexing.h"
#include "typeinfer/rules/kind_rules.h"
#include "typeinfer/types/function_values.h"

#include <algorithm>

namespace numjit {

const Type *type_behind(const Type *type) {
  if (type->kind != Kind::Function || !type->constant->is_object(ObjectKind::Type))
    throw InternalError("expected a type object, not " + type->text);
  return static_cast<const Type *>(type->constant->object->type);
}

namespace {

constexpr std::string_view kArrayPointer = "ArrayCTypes"; ///< what array.ctypes is

std::vector<const Type *> types_behind(const Type *tuple) {
  std::vector<const Type *> found;
  for (const Type *item : tuple->params)
    found.push_back(type_behind(item));
  return found;
}

const Reference *c_function(const Const *address) {
  return references::make(references::c_function, {}, address);
}

const Reference *constant_address(Emitter &e, const Operand &a) {
  if (!a.constant || a.constant->kind != ConstKind::Int)
    e.fail("the address of a C function must be known at compile time");
  return c_function(a.constant);
}

Operand call_pointer(Emitter &e, const Operand &address, const Type *result,
                     std::span<const Operand> arguments) {
  if (e.engine.module.target == tir::Target::Cuda)
    e.fail("No implementation of function for this operation in a kernel: it calls code of the "
           "processor");
  const bool gives = result->kind != Kind::None;
  if (e.dry())
    return gives ? Operand{result, nullptr, nullptr, e.position} : e.none();
  std::vector<tir::Value *> codes{e.code(address)};
  for (const Operand &a : arguments)
    if (a.type->kind != Kind::None)
      codes.push_back(e.code(a));
  tir::Value *value = e.append(tir::Op::CallPointer, result);
  value->operands = std::move(codes);
  return gives ? Operand{result, nullptr, value, e.position} : e.none();
}

/// The bits of an int64 as a pointer, by way of memory.
Operand pointer_of_bits(Emitter &e, const Operand &bits, const Type *pointer) {
  Operand slot = e.stack_alloc(8, types::int64());
  e.store(slot, bits, tir::Alias::Stack);
  return e.load(e.ptr_add(slot, e.i64(0), pointer), tir::Alias::Stack);
}

bool points_to(const Type *pointee, const Type *to) {
  return to->kind == Kind::None || pointee->kind == Kind::None || pointee == to;
}

} // namespace

Operand c_argument(Emitter &e, const std::string &name, const Operand &given, const Type *to) {
  Operand a = e.unwrap(given);
  const Type *from = a.type;
  if (from == to && to->kind == Kind::None)
    return a;
  if (to->kind == Kind::Pointer) {
    const Type *pointee = to->params[0];
    if (from->kind == Kind::Pointer && points_to(from->params[0], pointee))
      return e.ptr_add(a, e.i64(0), pointee);
    if (from->kind == Kind::Method && from->constant->text == kArrayPointer &&
        points_to(from->params[0]->dtype(), pointee))
      return e.ptr_add(e.field(e.field(a, 0), 0), e.i64(0), pointee);
    if (from->kind == Kind::Struct && !from->fields.empty() &&
        from->fields[0]->kind == Kind::Pointer)
      return e.field(a, 0);
    if (from->is_integer() || from->kind == Kind::None)
      return from->is_integer() ? pointer_of_bits(e, e.cast(a, types::int64()), to)
                                : e.null_pointer(pointee);
    if (from->kind == Kind::String && pointee->is_scalar() && pointee->bits() == 8)
      return e.address(references::make(references::text, {}, from->constant), pointee);
    e.fail("No implementation of function " + name + ": a pointer " + to->text +
               " cannot be made of " + from->text,
           from->is_array() ? "pass array.ctypes" : "");
  }
  const bool fits = from->is_scalar() && to->is_scalar() &&
                    (to->is_complex() || !from->is_complex()) &&
                    (!from->is_float() || to->is_float() || to->is_complex());
  if (!fits)
    e.fail("No implementation of function " + name + ": an argument of type " + from->text +
           " is given where it takes " + to->text);
  return e.cast(a, to);
}

namespace {

/// numjit.call_address(address, result type, parameter types, name, tuple of arguments)
Operand call_address(Emitter &e, Operands &a) {
  const Reference *address = constant_address(e, a[0]);
  const Type *result = type_behind(a[1].type);
  std::vector<const Type *> parameters = types_behind(a[2].type);
  const std::string &name = a[3].type->constant->text;
  const size_t given = a[4].type->params.size();
  if (given != parameters.size())
    e.fail("No implementation of function " + name + ": it takes " +
           std::to_string(parameters.size()) + " arguments, got " + std::to_string(given));
  Operands arguments;
  for (size_t i = 0; i < parameters.size(); ++i)
    arguments.push_back(c_argument(e, name, e.field(a[4], static_cast<int>(i)), parameters[i]));
  return call_pointer(e, e.address(address, types::none()), result, arguments);
}

// --- BLAS and LAPACK ---

/// The routine for elements of a type, from (name, bits of an integer, addresses for s, d, c, z).
const Reference *routine_address(Emitter &e, const Const &routine, const Type *dtype) {
  int column = -1;
  switch (dtype->scalar) {
  case ScalarId::Float32: column = 0; break;
  case ScalarId::Float64: column = 1; break;
  case ScalarId::Complex64: column = 2; break;
  case ScalarId::Complex128: column = 3; break;
  default: break;
  }
  const std::string name = routine.items[0]->text;
  const int64_t address = column < 0 ? 0 : routine.items[2 + column]->integer;
  if (!address)
    e.fail(column < 0 ? "No implementation of linear algebra on elements of type " + dtype->text
                      : "this needs the routine " + std::string(1, "sdcz"[column]) + name +
                            " of BLAS or LAPACK: NumPy was built without it and SciPy is not "
                            "installed",
           column < 0 ? "convert the array with .astype(np.float64)" : "pip install scipy");
  return c_function(routine.items[2 + column]);
}

/// A value in memory of the stack, as Fortran takes arguments.
Operand by_reference(Emitter &e, const Operand &value) {
  Operand slot = e.stack_alloc(16, value.type);
  e.store(slot, value, tir::Alias::Stack);
  return slot;
}

/// Arguments of Fortran: letters and numbers by reference, arrays as their memory; None stands for
/// an argument that only the routine of another type has. The lengths of the letters follow, as
/// Fortran compilers expect.
Operands fortran_arguments(Emitter &e, std::span<const Operand> given, const Type *integer) {
  Operands arguments;
  size_t letters = 0;
  for (const Operand &a : given) {
    if (a.type->kind == Kind::None)
      continue;
    if (a.type->is_array()) {
      arguments.push_back(e.field(a, 0));
    } else if (a.type->kind == Kind::String) {
      arguments.push_back(e.address(references::make(references::text, {}, a.type->constant),
                                    types::scalar(ScalarId::UInt8)));
      ++letters;
    } else {
      arguments.push_back(
          by_reference(e, a.type->is_integer() || a.type->is_bool() ? e.cast(a, integer) : a));
    }
  }
  for (size_t i = 0; i < letters; ++i)
    arguments.push_back(e.i64(1));
  return arguments;
}

Operand call_routine(Emitter &e, Operands &a, const Type *result, bool info) {
  const Const &routine = *a[0].constant;
  const Type *dtype = scalar_of_dtype(a[1]);
  const Type *integer =
      types::scalar(routine.items[1]->integer == 64 ? ScalarId::Int64 : ScalarId::Int32);
  const Reference *address = routine_address(e, routine, dtype);
  Operands arguments = fortran_arguments(e, std::span(a).subspan(2), integer);
  Operand status;
  if (info) {
    status = by_reference(e, e.cast(e.i64(0), integer));
    const auto lengths = std::count_if(arguments.begin(), arguments.end(), [](const Operand &x) {
      return x.type->kind != Kind::Pointer;
    });
    arguments.insert(arguments.end() - lengths, status);
  }
  Operand value = call_pointer(e, e.address(address, types::none()), result, arguments);
  return info ? e.cast(e.load(status, tir::Alias::Stack), types::int64()) : value;
}

/// numjit.blas(routine, dtype, arguments...): a subroutine.
Operand blas(Emitter &e, Operands &a) { return call_routine(e, a, types::none(), false); }

/// numjit.blas_value(routine, dtype, arguments...): a function; its result has the type `dtype`.
Operand blas_value(Emitter &e, Operands &a) {
  return call_routine(e, a, scalar_of_dtype(a[1]), false);
}

/// numjit.lapack(routine, dtype, arguments...): a subroutine whose last argument is INFO, which is
/// given back.
Operand lapack(Emitter &e, Operands &a) { return call_routine(e, a, types::none(), true); }

/// numjit.routine_integer(routine): the dtype of its integers.
Operand routine_integer(Emitter &e, Operands &a) {
  return e.unit(types::dtype(
      types::scalar(a[0].constant->items[1]->integer == 64 ? ScalarId::Int64 : ScalarId::Int32)));
}

/// numjit.copy_matrix(to, from): all elements, between any two layouts; shapes and dtypes are
/// equal. A vector is a matrix of one row.
Operand copy_matrix(Emitter &e, Operands &a) {
  Operands arguments;
  for (const Operand &x : {a[0], a[1]}) {
    arguments.push_back(e.field(x, 0));
    arguments.push_back(x.type->ndim == 2 ? array_stride(e, x, 0) : e.i64(0));
    arguments.push_back(array_stride(e, x, x.type->ndim - 1));
  }
  arguments.push_back(a[1].type->ndim == 2 ? array_shape(e, a[1], 0) : e.i64(1));
  arguments.push_back(array_shape(e, a[1], a[1].type->ndim - 1));
  arguments.push_back(e.i64(item_size(a[1].type->dtype())));
  e.runtime(tir::RuntimeOp::CopyMatrix, types::none(), arguments);
  return e.none();
}

// --- compiled functions and memory as C sees them ---

/// numjit.pointer_at(address, type): an integer as a pointer.
Operand pointer_at(Emitter &e, Operands &a) {
  const Type *type = named_type(e, a[1]);
  Operand address = e.unwrap(a[0]);
  if (type->kind != Kind::Pointer || !address.type->is_integer())
    e.fail("an address is an integer, not " + address.type->text);
  return pointer_of_bits(e, e.cast(address, types::int64()), type);
}

/// numjit.stack_cell(value): a pointer to a copy of it, in the frame of the function that all of
/// this is inlined into.
Operand stack_cell(Emitter &e, Operands &a) {
  Operand value = e.unwrap(a[0]);
  if (!value.type->is_scalar() && value.type->kind != Kind::Pointer)
    e.fail("memory on the stack for a " + value.type->text + " is not supported");
  Operand memory = e.stack_alloc(layout_of(value.type).size, value.type, /*outlives_call=*/true);
  e.store(memory, value, tir::Alias::Any);
  return memory;
}

/// numjit.stack_cells(type, count): the same for `count` values, which are not set.
Operand stack_cells(Emitter &e, Operands &a) {
  const Type *type = named_type(e, a[0]);
  constexpr int64_t most_bytes = int64_t{1} << 20;
  const int64_t count = a[1].constant ? a[1].constant->integer : -1;
  if (count < 0 || !type->is_scalar() || count > most_bytes / layout_of(type).size)
    e.fail(
        "memory on the stack is for a number of scalars known at compile time, of 1 MiB at most");
  return e.stack_alloc(count * layout_of(type).size, type, /*outlives_call=*/true);
}

/// numjit.c_address(function, result type, parameter types): where C code may call a function. It
/// stays valid as long as the code that asks for it.
Operand c_address(Emitter &e, Operands &a) {
  const Type *function = a[0].type;
  if (function->kind != Kind::Function || !function->constant->is_object(ObjectKind::Function))
    e.fail("a C callback is a Python function, not " + function->text);
  FunctionDef &def = *function->constant->object->function;
  std::vector<Fact> facts;
  for (const Type *type : types_behind(a[2].type))
    facts.push_back({type, nullptr});
  Specialization *spec = e.engine.specialize(def, def.options, facts);
  spec->declared_result = type_behind(a[1].type);
  if (!e.engine.result_of(*spec).type)
    throw NotKnownYet{};
  if (e.dry())
    return {types::int64(), nullptr, nullptr, e.position};
  tir::Function *callee = e.engine.code_of(*spec);
  const Type *pointer = types::pointer(types::none());
  tir::Value *value = e.append(tir::Op::FunctionAddress, pointer);
  value->callee = callee;
  return e.pointer_bits({pointer, nullptr, value, e.position});
}

/// Where a status is not 0, an error is pending: it is raised.
void leave_if_failed(Emitter &e, const Operand &status) {
  Operand failed = e.op(Operator::Ne, status, e.i64(0));
  if (e.dry())
    return;
  tir::Block *bad = e.new_block(), *good = e.new_block();
  e.branch(e.code(failed), bad, good, 2);
  e.block = bad;
  e.append(tir::Op::Reraise, types::none());
  e.block = good;
}

/// numjit.call_entry(address, result type, parameter types, tuple of arguments): calls a compiled
/// function as the host does.
Operand call_entry(Emitter &e, Operands &a) {
  const Type *result = type_behind(a[1].type);
  std::vector<const Type *> parameters = types_behind(a[2].type);
  if (a[3].type->params.size() != parameters.size())
    e.fail("the function takes " + std::to_string(parameters.size()) + " arguments, not " +
           std::to_string(a[3].type->params.size()));
  Operands arguments;
  int64_t count = 0;
  for (size_t i = 0; i < parameters.size(); ++i) {
    Operand given = force(e, e.field(a[3], static_cast<int>(i)));
    if (type_conversion(given.type, parameters[i]) == scalar::Conversion::None)
      e.fail("argument " + std::to_string(i + 1) + " of the function has type " +
             parameters[i]->text + ", and cannot be a " + given.type->text);
    arguments.push_back(e.convert(given, parameters[i]));
    count += static_cast<int64_t>(layout_of(parameters[i]).leaves.size());
  }
  Operand in = e.stack_alloc(8 * std::max<int64_t>(count, 1), types::int64());
  int slot = 0;
  for (const Operand &argument : arguments)
    slot = e.store_slots(in, slot, argument);
  const auto leaves = static_cast<int64_t>(layout_of(result).leaves.size());
  Operand out = e.stack_alloc(8 * std::max<int64_t>(leaves, 1), types::int64());
  static const Reference *caller =
      c_function(constants::integer(reinterpret_cast<int64_t>(&nj_call_entry)));
  std::array<Operand, 3> operands{e.cast(a[0], types::int64()), in, out};
  Operand status =
      call_pointer(e, e.address(caller, types::none()), types::scalar(ScalarId::Int32), operands);
  leave_if_failed(e, status);
  Operand first = e.i64(0);
  Operand loaded = load_slots(e, out, first, result, tir::Alias::Stack, true);
  if (!loaded)
    e.fail("a function that returns " + result->text + " cannot be called here",
           "make it return an array, a number or a tuple of these");
  return loaded;
}

/// A function that LLVM IR calls, as (function, result type, parameter types).
tir::Value *entry_of(Emitter &e, const Type *callee) {
  const Type *function = callee->params[0];
  if (function->kind != Kind::Function || !function->constant->is_object(ObjectKind::Function))
    throw InternalError("LLVM IR calls Python functions, not " + function->text);
  FunctionDef &def = *function->constant->object->function;
  std::vector<Fact> facts;
  for (const Type *type : types_behind(callee->params[2]))
    facts.push_back({type, nullptr});
  Specialization *spec = e.engine.specialize(def, def.options, facts);
  spec->declared_result = type_behind(callee->params[1]);
  if (!e.engine.result_of(*spec).type)
    throw NotKnownYet{};
  if (e.dry())
    return nullptr;
  tir::Function *code = e.engine.code_of(*spec);
  tir::Value *value = e.append(tir::Op::FunctionAddress, types::pointer(types::none()));
  value->callee = code;
  value->index = 1;
  return value;
}

/// numjit.call_ir(text, name, result type, parameter types, callees, tuple of arguments): a
/// function of LLVM IR that was written outside.
Operand call_ir(Emitter &e, Operands &a) {
  const std::string &name = a[1].type->constant->text;
  const Type *result = type_behind(a[2].type);
  std::vector<const Type *> parameters = types_behind(a[3].type);
  Operands arguments;
  for (size_t i = 0; i < parameters.size(); ++i) {
    Operand given = e.unliteral(force(e, e.field(a[5], static_cast<int>(i))));
    if (given.type != parameters[i] &&
        type_conversion(given.type, parameters[i]) == scalar::Conversion::None)
      e.fail("No implementation of function " + name + " for argument of type " + given.type->text +
             ": it takes " + parameters[i]->text);
    arguments.push_back(e.convert(given, parameters[i]));
  }
  std::vector<tir::Value *> codes{e.code(e.null_pointer(types::none()))};
  for (const Operand &argument : arguments)
    codes.push_back(e.code(argument));
  for (const Type *callee : a[4].type->params)
    codes.push_back(entry_of(e, callee));
  const Type *status = types::scalar(ScalarId::Int32);
  const Type *both = types::tuple({result, status});
  Operand given{both, nullptr, nullptr, e.position};
  if (!e.dry()) {
    // A call_pointer with a text: the function `name` of LLVM IR, the last `index` operands being
    // the entries that the text declares as name.entry.0, ...
    tir::Value *value = e.function->new_value(tir::Op::CallPointer, both, e.position);
    value->name = name;
    value->reference = references::make(references::text, {}, a[0].type->constant);
    value->index = static_cast<int32_t>(a[4].type->params.size());
    value->operands = std::move(codes);
    given = e.place(value);
  }
  leave_if_failed(e, e.field(given, 1));
  return e.field(given, 0);
}

Operand array_at(Emitter &e, Operands &a, Layout layout) {
  Operand pointer = a[0];
  if (pointer.type->kind != Kind::Pointer)
    e.fail("an array at an address needs a pointer, not " + pointer.type->text);
  const Type *pointee = pointer.type->params[0], *dtype = pointee;
  if (a[2] && a[2].type->kind != Kind::None) {
    dtype = item_of_dtype(a[2]);
    if (!dtype || !points_to(dtype, pointee))
      e.fail("mismatching dtype '" + a[2].type->text + "' for pointer type '" + pointer.type->text +
             "'");
  }
  if (!dtype->is_item())
    e.fail("explicit 'dtype' argument required for a pointer of type " + pointer.type->text);
  Operands shape;
  if (a[1].type->is_tuple())
    for (size_t i = 0; i < a[1].type->params.size(); ++i)
      shape.push_back(e.field(a[1], static_cast<int>(i)));
  else
    shape.push_back(a[1]);
  for (Operand &n : shape) {
    if (!n.type->is_integer())
      e.fail("a shape is an integer or a tuple of integers, not " + a[1].type->text);
    n = e.at_least_zero(e.cast(n, types::int64()));
  }
  const int ndim = static_cast<int>(shape.size());
  return make_array(e, types::array(dtype, ndim, ndim < 2 ? Layout::C : layout),
                    e.ptr_add(pointer, e.i64(0), dtype), e.null_owner(), shape, {});
}
Operand carray(Emitter &e, Operands &a) { return array_at(e, a, Layout::C); }
Operand farray(Emitter &e, Operands &a) { return array_at(e, a, Layout::F); }

const Builtin kForeignRows[] = {
    {"numjit.call_address", "address result parameters name arguments", call_address},
    {"numjit.blas", "routine dtype *", blas},
    {"numjit.blas_value", "routine dtype *", blas_value},
    {"numjit.lapack", "routine dtype *", lapack},
    {"numjit.routine_integer", "routine", routine_integer},
    {"numjit.copy_matrix", "to from", copy_matrix},
    {"numjit.c_address", "function result parameters", c_address},
    {"numjit.pointer_at", "address type", pointer_at},
    {"numjit.stack_cell", "value", stack_cell},
    {"numjit.stack_cells", "type count", stack_cells},
    {"numjit.call_entry", "address result parameters arguments", call_entry},
    {"numjit.call_ir", "text name result parameters callees arguments", call_ir},
    {"numjit.carray", "ptr shape dtype?", carray},
    {"numjit.farray", "ptr shape dtype?", farray},
};

const BuiltinAttribute kForeignAttributes[] = {
    {"Array", "ctypes",
     [](Emitter &e, const Operand &a) {
       return e.make(types::method(a.type, constants::string(std::string(kArrayPointer))), {a});
     }},
    {kArrayPointer, "data",
     [](Emitter &e, const Operand &a) { return e.pointer_bits(e.field(e.field(a, 0), 0)); }},
};

} // namespace

BuiltinTable foreign_builtins() { return kForeignRows; }
AttributeTable foreign_attributes() { return kForeignAttributes; }

Operand item_at(Emitter &e, const Operand &pointer, const Operand &index) {
  const Type *pointee = pointer.type->params[0];
  if (!is_index(index.type) || !pointee->is_item())
    e.fail("No implementation of function getitem for (" + pointer.type->text + ", " +
               index.type->text + ")",
           "carray(pointer, shape) makes an array of what a pointer points to");
  return make_array(e, types::array(pointee, 0, Layout::C),
                    e.ptr_add(pointer,
                              e.index_mul(e.cast(index, types::int64()), e.i64(item_size(pointee))),
                              pointee),
                    e.null_owner(), {}, {});
}

Operand items_pointer(Emitter &e, const Operand &pointer, const Operand &index) {
  return rule_getitem(e, item_at(e, pointer, index), e.tuple({}));
}

} // namespace numjit
