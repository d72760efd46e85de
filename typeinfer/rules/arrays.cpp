// Arrays as values: their parts, how they are made, their attributes, loops over them.
#include "typeinfer/infer/engine.h"
#include "typeinfer/rules/kind_rules.h"
#include "typeinfer/types/units.h"

#include <algorithm>
#include <array>

namespace numjit {

// --- parts: an array is data, owner, shape and (unless contiguous) strides ---

Operand array_shape_tuple(Emitter &e, const Operand &array) { return e.field(array, 2); }

Operand array_shape(Emitter &e, const Operand &array, int axis) {
  if (array.constant && array.constant->is_object(ObjectKind::Array))
    return e.i64(array.constant->object->array->shape[axis]);
  return e.nonneg(e.field(e.field(array, 2), axis));
}

Operand array_stride(Emitter &e, const Operand &array, int axis) {
  const Type *type = array.type;
  Operand stride = e.i64(item_size(type->dtype()));
  switch (type->layout) {
  case Layout::C:
    for (int i = axis + 1; i < type->ndim; ++i)
      stride = e.index_mul(stride, array_shape(e, array, i));
    return stride;
  case Layout::F:
    for (int i = 0; i < axis; ++i)
      stride = e.index_mul(stride, array_shape(e, array, i));
    return stride;
  case Layout::I:
    if (axis == type->ndim - 1)
      return stride;
    [[fallthrough]];
  case Layout::A: return e.field(e.field(array, 3), axis);
  }
  return stride;
}

/// As units_of, of what an expression gives: its axes count from the right.
static int64_t units_of_lazy(const Type *lazy) {
  int64_t units = (int64_t(1) << lazy->ndim) - 1;
  for (const Type *part : lazy->params) {
    if (part->kind != Kind::Lazy && !part->is_array())
      continue;
    const int64_t own = part->is_array() ? types::units_of(part) : units_of_lazy(part);
    if (own < 0)
      return -1;
    const int missing = lazy->ndim - part->ndim;
    units &= (own << missing) | ((int64_t(1) << missing) - 1);
  }
  return units;
}

static int64_t known_units(const Operand &a) {
  if (a.type->kind == Kind::Lazy)
    return units_of_lazy(a.type);
  if (!a.type->is_array())
    return -1;
  if (!a.constant || !a.constant->is_object(ObjectKind::Array))
    return types::units_of(a.type);
  const std::vector<int64_t> &shape = a.constant->object->array->shape;
  int64_t units = 0;
  for (size_t i = 0; i < shape.size(); ++i)
    units |= int64_t(shape[i] == 1) << i;
  return units;
}

Operand make_array(Emitter &e, const Type *type, const Operand &data, const Operand &owner,
                   std::span<const Operand> shape, std::span<const Operand> strides) {
  auto tuple = [&](std::span<const Operand> items) {
    return e.make(types::uniform_tuple(types::int64(), static_cast<int>(items.size())), items);
  };
  if (type->is_contiguous())
    return e.make(type, {data, owner, tuple(shape)});
  return e.make(type, {data, owner, tuple(shape), tuple(strides)});
}

namespace {

Operand array_size(Emitter &e, const Operand &array) {
  Operand size = e.i64(1);
  for (int i = 0; i < array.type->ndim; ++i)
    size = e.index_mul(size, array_shape(e, array, i));
  return e.nonneg(size);
}

/// Shape arguments: an integer or a tuple of integers.
Operands shape_items(Emitter &e, const Operand &shape) {
  Operands items;
  if (shape.type->is_tuple()) {
    for (size_t i = 0; i < shape.type->params.size(); ++i)
      items.push_back(e.field(shape, static_cast<int>(i)));
  } else {
    items.push_back(shape);
  }
  for (Operand &item : items) {
    item = e.unwrap(item);
    if (!item.type->is_integer() && !item.type->is_bool())
      e.fail_as(is_run_time_tuple(shape.type) ? "LiteralTypingError" : "TypingError",
                "a shape is an integer or a tuple of integers, not " + shape.type->text);
    item = e.cast(item, types::int64());
  }
  return items;
}

Operand allocate(Emitter &e, const Operand &shape_argument, const Operand &dtype_argument,
                 const Operand &order, bool zeroed) {
  const Type *dtype = types::float64();
  if (dtype_argument && dtype_argument.type->kind != Kind::None) {
    dtype = item_of_dtype(e, dtype_argument);
    if (!dtype)
      e.fail("no array dtype is known for " + dtype_argument.type->text,
             dtype_argument.type->is_text()
                 ? "a dtype is part of a type: write it in the function, as np.float32 or 'float32'"
                 : "");
  }
  Layout layout = Layout::C;
  if (order && order.type->kind == Kind::String && order.type->constant->text == "F")
    layout = Layout::F;
  Operands shape = shape_items(e, shape_argument);
  if (shape.size() > 32)
    e.fail("arrays have at most 32 dimensions");
  const Type *type =
      types::array(dtype, static_cast<int>(shape.size()), shape.size() < 2 ? Layout::C : layout);
  const int64_t item = item_size(dtype);
  Operand bytes = e.i64(item);
  // The size is computed in floats too, which don't wrap.
  Operand approximate = e.f64(static_cast<double>(item));
  double known = static_cast<double>(item);
  for (Operand &n : shape) {
    if (!e.is_nonneg(n))
      e.raise_if(e.op(Operator::Lt, n, e.i64(0)), "ValueError",
                 "negative dimensions are not allowed");
    n = e.at_least_zero(n);
    bytes = e.index_mul(bytes, n);
    known *= n.constant ? static_cast<double>(n.constant->integer) : 0x1p63;
    if (shape.size() > 1)
      approximate = e.mul(approximate, e.cast(n, types::float64()));
  }
  if (known >= 0x1p46) {
    const Operand too_big = shape.size() > 1
                                ? e.op(Operator::Ge, approximate, e.f64(0x1p63))
                                : e.op(Operator::Gt, shape[0], e.i64(INT64_MAX / item));
    e.raise_if(too_big, "ValueError",
               "array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum "
               "possible size.");
  }
  Operand owner = e.alloc(bytes, zeroed);
  return make_array(e, type, e.owner_data(owner, dtype), owner, shape, {});
}

Operand empty(Emitter &e, Operands &a) { return allocate(e, a[0], a[1], a[2], false); }
Operand zeros(Emitter &e, Operands &a) { return allocate(e, a[0], a[1], a[2], true); }

/// numjit.strided(array, data offset in bytes, shape, strides): any view of an array's memory.
Operand strided(Emitter &e, Operands &a) {
  Operands shape = shape_items(e, a[2]), strides = shape_items(e, a[3]);
  if (shape.size() != strides.size())
    e.fail("shape and strides have different lengths");
  for (Operand &n : shape)
    n = e.at_least_zero(n);
  const Type *type = types::view(a[0].type, static_cast<int>(shape.size()), Layout::A);
  Operand data = e.ptr_add(e.field(a[0], 0), a[1], a[0].type->dtype());
  return make_array(e, type, data, e.field(a[0], 1), shape, strides);
}

/// numjit.contiguous(array, shape): the memory of an array that is known to be contiguous, as C
/// array of a shape.
Operand contiguous(Emitter &e, Operands &a) {
  Operands shape = shape_items(e, a[1]);
  for (Operand &n : shape)
    n = e.at_least_zero(n);
  const Type *type = types::view(a[0].type, static_cast<int>(shape.size()), Layout::C);
  return make_array(e, type, e.field(a[0], 0), e.field(a[0], 1), shape, {});
}

/// numjit.layout_is(array, "C"): known at compile time from the type.
Operand layout_is(Emitter &e, Operands &a) {
  const std::string &text = a[1].type->constant->text;
  const Type *type = a[0].type;
  if (!type->is_array())
    return e.boolean(false);
  const bool holds = (text == "C" && type->layout == Layout::C) ||
                     (text == "F" && type->layout == Layout::F) ||
                     (type->ndim <= 1 && type->is_contiguous());
  return e.boolean(holds);
}

/// numjit.units_of(x): which axes of an array or an expression are of length one, as bits; -1:
/// that is not known. Where a function asks for it, it is compiled for that of its arguments.
Operand units_of(Emitter &e, Operands &a) { return e.i64(known_units(a[0])); }

/// numjit.with_units(array, units): the array, of which that is known from now on.
Operand with_units(Emitter &e, Operands &a) {
  const Type *from = a[0].type;
  if (!from->is_array() || !a[1].constant || a[1].constant->integer < 0)
    return a[0];
  Operands parts;
  for (size_t i = 0; i < from->fields.size(); ++i)
    parts.push_back(e.field(a[0], static_cast<int>(i)));
  return e.make(types::with_units(from, a[1].constant->integer), parts);
}

/// numjit.with_reduced_units(result, x, axes, keepdims): the same of what a reduction of x over the
/// axes in a bit set made.
Operand with_reduced_units(Emitter &e, Operands &a) {
  const int64_t units = known_units(a[1]);
  if (units < 0 || !a[2].constant || !a[3].constant)
    return a[0];
  const int64_t axes = a[2].constant->integer;
  int64_t kept = units | axes;
  if (!a[3].constant->integer) {
    kept = 0;
    for (int axis = 0, to = 0; axis < a[1].type->ndim; ++axis)
      if (!(axes >> axis & 1))
        kept |= (units >> axis & 1) << to++;
  }
  Operands given{a[0], e.i64(kept)};
  return with_units(e, given);
}

/// The bits of a number as one of another type.
Operand reinterpret_number(Emitter &e, const Operand &x, const Type *to) {
  if (!to->is_scalar() || item_size(x.type) != item_size(to))
    e.fail("Changing the dtype of a 0d array is only supported if the itemsize is unchanged: " +
           x.type->text + " has " + std::to_string(item_size(x.type)) + " bytes, " + to->text +
           " has " + std::to_string(item_size(to)));
  Operand slot = e.stack_alloc(item_size(to), x.type);
  e.store(slot, x, tir::Alias::Stack);
  return e.load(e.ptr_add(slot, e.i64(0), to), tir::Alias::Stack);
}

/// numjit.reinterpret(array, dtype): same memory, elements of another type, last axis rescaled
/// (contiguous arrays). Of a number: its bits.
Operand reinterpret(Emitter &e, Operands &a) {
  const Type *from = a[0].type, *dtype = item_of_dtype(a[1]);
  if (!dtype)
    e.fail("view() needs a dtype, not " + a[1].type->text);
  if (from->is_scalar())
    return reinterpret_number(e, a[0], dtype);
  const int64_t old_size = item_size(from->dtype()), new_size = item_size(dtype);
  Layout layout = from->layout;
  Operands shape, strides;
  for (int i = 0; i < from->ndim; ++i) {
    shape.push_back(array_shape(e, a[0], i));
    strides.push_back(array_stride(e, a[0], i));
  }
  if (old_size != new_size) {
    if (from->ndim == 0)
      e.fail("Changing the dtype of a 0d array is only supported if the itemsize is unchanged");
    if (layout != Layout::C && layout != Layout::I) {
      e.raise_if(e.op(Operator::Ne, strides.back(), e.i64(old_size)), "ValueError",
                 "To change to a dtype of a different size, the last axis must be contiguous");
      layout = Layout::A;
    }
    Operand bytes = e.index_mul(shape.back(), e.i64(old_size));
    e.raise_if(e.op(Operator::Ne, e.op(Operator::Mod, bytes, e.i64(new_size)), e.i64(0)),
               "ValueError",
               "When changing to a larger dtype, its size must be a divisor of the total size in "
               "bytes of the last "
               "axis of the array.");
    shape.back() = e.nonneg(e.op(Operator::FloorDiv, bytes, e.i64(new_size)));
    strides.back() = e.i64(new_size);
  }
  const Type *type = types::array(dtype, from->ndim, layout, from->readonly, from->unaligned);
  return make_array(e, type, e.ptr_add(e.field(a[0], 0), e.i64(0), dtype), e.field(a[0], 1), shape,
                    strides);
}

/// numjit.as_readonly(array): the same memory, not to be written through this view.
Operand as_readonly(Emitter &e, Operands &a) {
  const Type *from = a[0].type;
  return e.convert(a[0],
                   types::array(from->dtype(), from->ndim, from->layout, true, from->unaligned));
}

/// numjit.bytes_memory(b): the memory of bytes or a bytearray as an array of uint8.
Operand bytes_memory(Emitter &e, Operands &a) {
  const Type *type =
      types::array(types::scalar(ScalarId::UInt8), 1, Layout::C, a[0].type->readonly);
  const Operands shape{e.field(a[0], 2)};
  return make_array(e, type, e.field(a[0], 0), e.field(a[0], 1), shape, {});
}

/// numjit.memory_bytes(array): the reverse, for a C-contiguous array of uint8 that no one writes
/// to.
Operand memory_bytes(Emitter &e, Operands &a) {
  return e.make(types::bytes(true), {e.field(a[0], 0), e.field(a[0], 1), array_shape(e, a[0], 0)});
}

/// numjit.is_constant(x): whether the value is known now.
Operand is_constant(Emitter &e, Operands &a) {
  return e.boolean(a[0].constant || a[0].type->kind == Kind::None);
}

/// numjit.refuse("why", "a way out", "class", x): a compile-time error where the user's call
/// stands; why ends with the type of x, and may be a tuple of texts.
Operand refuse(Emitter &e, Operands &a) {
  auto text = [&](const Operand &x) -> std::string {
    if (x && x.type->is_tuple()) {
      std::string joined;
      for (const Type *part : x.type->params)
        joined += part->constant ? part->constant->text : part->text;
      return joined;
    }
    if (x && x.type->kind != Kind::String && x.type->kind != Kind::None)
      e.fail("refuse() takes texts that are known at compile time, not " + x.type->text);
    return x && x.type->constant ? x.type->constant->text : std::string();
  };
  e.fail_as(a[2] ? text(a[2]) : "TypingError", text(a[0]) + (a[3] ? a[3].type->text : ""),
            text(a[1]));
}

/// numjit.copy_items(to, i, from, j, n): n elements from position j of a contiguous array to
/// position i of another one with the same dtype; they do not overlap.
Operand copy_items(Emitter &e, Operands &a) {
  const Type *dtype = a[0].type->dtype();
  const Operand size = e.i64(item_size(dtype));
  auto item = [&](const Operand &array, const Operand &index) {
    return e.ptr_add(e.field(array, 0), e.index_mul(index, size), dtype);
  };
  e.copy(item(a[0], a[1]), item(a[2], a[3]), e.index_mul(a[4], size));
  return e.none();
}

Operand same_memory(Emitter &e, Operands &a) {
  if (a[0].type->ndim != a[1].type->ndim || a[0].type->dtype() != a[1].type->dtype())
    return e.boolean(false);
  Operand same =
      e.op(Operator::Eq, e.pointer_bits(e.field(a[0], 0)), e.pointer_bits(e.field(a[1], 0)));
  for (int i = 0; i < a[0].type->ndim; ++i) {
    same =
        e.logical_and(same, e.op(Operator::Eq, array_shape(e, a[0], i), array_shape(e, a[1], i)));
    same =
        e.logical_and(same, e.op(Operator::Eq, array_stride(e, a[0], i), array_stride(e, a[1], i)));
  }
  return same;
}

const Builtin kArrayRows[] = {
    {"numpy.empty", "shape dtype? order?", empty},
    {"numpy.zeros", "shape dtype? order?", zeros},
    {"numjit.strided", "array offset shape strides", strided},
    {"numjit.contiguous", "array shape", contiguous},
    {"numjit.layout_is", "array layout", layout_is},
    {"numjit.units_of", "x", units_of, true},
    {"numjit.with_units", "array units", with_units},
    {"numjit.with_reduced_units", "result x axes keepdims", with_reduced_units, true},
    {"numjit.reinterpret", "array dtype", reinterpret},
    {"numjit.bytes_memory", "b", bytes_memory},
    {"numjit.memory_bytes", "array", memory_bytes},
    {"numjit.as_readonly", "array", as_readonly},
    {"numjit.is_constant", "x", is_constant, true},
    {"numjit.refuse", "why hint? cls? x?", refuse},
    {"numjit.copy_items", "to i from j n", copy_items},
    {"numjit.same_memory", "a b", same_memory},
    {"numjit.array_of_flat", "flat", [](Emitter &e, Operands &a) { return e.field(a[0], 0); }},
};

// --- attributes ---

Operand strides_of(Emitter &e, const Operand &a) {
  Operands items;
  for (int i = 0; i < a.type->ndim; ++i)
    items.push_back(array_stride(e, a, i));
  return e.make(types::uniform_tuple(types::int64(), a.type->ndim), items);
}

Operand transposed(Emitter &e, const Operand &a) {
  const Type *from = a.type;
  if (from->ndim < 2)
    return a;
  const Layout layout = from->layout == Layout::C   ? Layout::F
                        : from->layout == Layout::F ? Layout::C
                                                    : Layout::A;
  Operands shape, strides;
  const int64_t units = types::units_of(from);
  int64_t reversed = units < 0 ? -1 : 0;
  for (int i = from->ndim - 1; i >= 0; --i) {
    if (units >= 0)
      reversed |= (units >> i & 1) << shape.size();
    shape.push_back(array_shape(e, a, i));
    strides.push_back(array_stride(e, a, i));
  }
  const Type *type = types::with_units(types::view(from, from->ndim, layout), reversed);
  return make_array(e, type, e.field(a, 0), e.field(a, 1), shape, strides);
}

/// Real or imaginary parts as a view.
Operand complex_part(Emitter &e, const Operand &a, int part) {
  const Type *dtype = a.type->dtype();
  if (!dtype->is_complex()) {
    if (part == 0)
      return a;
    Operands zeros{e.library("numpy.zeros_like", {a})};
    return as_readonly(e, zeros); // writing there would not change the array
  }
  const Type *to = dtype->bits() == 64 ? types::scalar(ScalarId::Float32) : types::float64();
  Operands shape, strides;
  for (int i = 0; i < a.type->ndim; ++i) {
    shape.push_back(array_shape(e, a, i));
    strides.push_back(array_stride(e, a, i));
  }
  Operand data = e.ptr_add(e.field(a, 0), e.i64(part * item_size(to)), to);
  const Type *type = types::array(to, a.type->ndim, Layout::A, a.type->readonly, a.type->unaligned);
  return make_array(e, type, data, e.field(a, 1), shape, strides);
}

Operand itemsize(Emitter &e, const Operand &a) { return e.i64(item_size(a.type->dtype())); }
Operand flags(Emitter &e, const Operand &a) {
  return e.make(types::method(a.type, constants::string("Flags")), {a});
}

const BuiltinAttribute kArrayAttributes[] = {
    {"Array", "shape", array_shape_tuple},
    {"Array", "strides", strides_of},
    {"Array", "ndim", [](Emitter &e, const Operand &a) { return e.i64(a.type->ndim); }},
    {"Array", "size", array_size},
    {"Array", "itemsize", itemsize},
    {"Array", "nbytes",
     [](Emitter &e, const Operand &a) { return e.index_mul(array_size(e, a), itemsize(e, a)); }},
    {"Array", "dtype",
     [](Emitter &e, const Operand &a) { return e.unit(types::dtype(a.type->dtype())); }},
    {"Array", "T", transposed},
    {"Array", "real", [](Emitter &e, const Operand &a) { return complex_part(e, a, 0); }},
    {"Array", "imag", [](Emitter &e, const Operand &a) { return complex_part(e, a, 1); }},
    {"Array", "flags", flags},
    {"Array", "flat",
     [](Emitter &e, const Operand &a) {
       return e.make(types::method(a.type, constants::string("Flat")), {a});
     }},
    {"Lazy", "ndim", [](Emitter &e, const Operand &a) { return e.i64(a.type->ndim); }},
    {"Lazy", "dtype",
     [](Emitter &e, const Operand &a) { return e.unit(types::dtype(a.type->dtype())); }},
    {"Lazy", "itemsize", itemsize},
    {"Lazy", "shape", lazy_shape},
};

Operand real_part(Emitter &e, const Operand &a) {
  std::array<Operand, 1> one{a};
  return e.scalar(*scalar::by_name("numpy.real"), one, scalar::Form::NumPy);
}
Operand imag_part(Emitter &e, const Operand &a) {
  std::array<Operand, 1> one{a};
  return e.scalar(*scalar::by_name("numpy.imag"), one, scalar::Form::NumPy);
}

const BuiltinAttribute kScalarAttributes[] = {
    {"Integer", "real", [](Emitter &, const Operand &a) { return a; }},
    {"Integer", "imag", imag_part},
    {"Boolean", "real", [](Emitter &e, const Operand &a) { return e.cast(a, types::int64()); }},
    {"Boolean", "imag", [](Emitter &e, const Operand &) { return e.i64(0); }},
    {"Float", "real", [](Emitter &, const Operand &a) { return a; }},
    {"Float", "imag", imag_part},
    {"Complex", "real", real_part},
    {"Complex", "imag", imag_part},
    {"Range", "start", [](Emitter &e, const Operand &a) { return e.field(a, 0); }},
    {"Range", "stop", [](Emitter &e, const Operand &a) { return e.field(a, 1); }},
    {"Range", "step", [](Emitter &e, const Operand &a) { return e.field(a, 2); }},
    {"Slice", "start", [](Emitter &e, const Operand &a) { return slice_part(e, a, 0); }},
    {"Slice", "stop", [](Emitter &e, const Operand &a) { return slice_part(e, a, 1); }},
    {"Slice", "step", [](Emitter &e, const Operand &a) { return slice_part(e, a, 2); }},
};

/// Where the type does not tell, the strides do: axes of length 1 have any, and an array without
/// elements is contiguous.
Operand flag(Emitter &e, const Operand &flags, Layout layout) {
  const Operand array = e.field(flags, 0);
  const int ndim = array.type->ndim;
  if (array.type->layout == layout || (ndim <= 1 && array.type->is_contiguous()))
    return e.boolean(true);
  Operand in_order = e.boolean(true), empty = e.boolean(false);
  Operand expected = e.i64(item_size(array.type->dtype()));
  for (int i = 0; i < ndim; ++i) {
    const int axis = layout == Layout::C ? ndim - 1 - i : i;
    const Operand length = array_shape(e, array, axis), stride = array_stride(e, array, axis);
    in_order = e.logical_and(in_order, e.op(Operator::Or, e.op(Operator::Eq, length, e.i64(1)),
                                            e.op(Operator::Eq, stride, expected)));
    empty = e.op(Operator::Or, empty, e.op(Operator::Eq, length, e.i64(0)));
    expected = e.index_mul(expected, length);
  }
  return e.op(Operator::Or, in_order, empty);
}

const BuiltinAttribute kFlagAttributes[] = {
    {"Flags", "c_contiguous", [](Emitter &e, const Operand &a) { return flag(e, a, Layout::C); }},
    {"Flags", "contiguous", [](Emitter &e, const Operand &a) { return flag(e, a, Layout::C); }},
    {"Flags", "f_contiguous", [](Emitter &e, const Operand &a) { return flag(e, a, Layout::F); }},
    {"Flags", "aligned",
     [](Emitter &e, const Operand &a) { return e.boolean(!a.type->params[0]->unaligned); }},
    {"Flags", "writeable",
     [](Emitter &e, const Operand &a) { return e.boolean(!a.type->params[0]->readonly); }},
};

} // namespace

// --- loops ---

static Operand iter_array(Emitter &e, const Operand &object) {
  if (object.type->ndim == 0)
    e.fail("iteration over a 0-d array");
  return indexed_iter(e, object);
}
static NextResult next_array(Emitter &e, const Operand &it, const Operand *) {
  return indexed_next(e, it, array_shape(e, e.field(it, 0), 0),
                      [&e](const Operand &array, const Operand &index) {
                        return rule_getitem(e, array, e.nonneg(index));
                      });
}
constinit const IterationRules iterate_array{iter_array, next_array, indexed_later};

BuiltinTable array_builtins() { return kArrayRows; }
AttributeTable array_attributes() { return kArrayAttributes; }
AttributeTable scalar_attributes() { return kScalarAttributes; }
AttributeTable flag_attributes() { return kFlagAttributes; }

} // namespace numjit
