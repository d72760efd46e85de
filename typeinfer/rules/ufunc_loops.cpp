// What @vectorize, @guvectorize and @stencil need of the compiler: the inner loops that NumPy
// calls, user functions as element-wise expressions, and the types of their results.
#include "typeinfer/infer/engine.h"
#include "typeinfer/infer/unify.h"
#include "typeinfer/rules/array_expressions.h"

namespace numjit {

namespace {

std::vector<const Type *> types_behind(const Operand &tuple) {
  std::vector<const Type *> found;
  for (const Type *item : tuple.type->params) {
    if (item->kind != Kind::Function || !item->constant->is_object(ObjectKind::Type))
      throw InternalError("expected a type object, not " + item->text);
    found.push_back(static_cast<const Type *>(item->constant->object->type));
  }
  return found;
}

const std::string &text_behind(const Operand &a) { return a.type->constant->text; }

/// Item `k` of a table of 8-byte items.
Operand table_item(Emitter &e, const Operand &table, size_t k, const Type *type) {
  const Operand at = e.ptr_add(table, e.i64(8 * static_cast<int64_t>(k)), type);
  return e.load(at, tir::Alias::Any);
}

Operand call_kernel(Emitter &e, const Operand &kernel, Operands arguments) {
  Operand result = rule_call(e, kernel, CallArguments{std::move(arguments), {}});
  return result.type->kind == Kind::Enum ? e.unwrap(result) : result;
}

/// The kernel is at fault, not the library's loop around it.
[[noreturn]] void fail_in(const Operand &kernel, const std::string &message,
                          const std::string &hint = {}) {
  const FunctionDef *def = kernel.type->constant->object->function;
  throw CompileError("TypingError", message, {{def, {}, {}}}, hint);
}

/// The element at an address that NumPy gives: a number, or a record, which stays there.
Operand element_at(Emitter &e, const Operand &pointer) {
  const Type *type = pointer.type->params[0];
  if (type->kind != Kind::Record)
    return e.load(pointer, tir::Alias::ArrayData);
  const Type *array = types::array(type, 1, Layout::C);
  return array_item(e, make_array(e, array, pointer, e.null_owner(), {{e.i64(1)}}, {}), pointer);
}

/// Where the elements of one operand of a ufunc lie.
struct Elements {
  char code; // c: contiguous, s: with a stride, 0: one for all, a: the one that is accumulated
  const Type *type;
  Operand base, stride;

  Operand at(Emitter &e, const Operand &i) const {
    if (code == '0' || code == 'a')
      return base;
    const Operand step = code == 'c' ? e.i64(item_size(type)) : stride;
    return e.ptr_add(base, e.index_mul(i, step), type);
  }
};

/// numjit.ufunc_loop(kernel, types, codes, args, count, steps): an inner loop of NumPy's.
/// `codes` has a letter for each operand, see Elements; the last operand is the result.
Operand ufunc_loop(Emitter &e, Operands &a) {
  const Operand kernel = a[0];
  const std::vector<const Type *> all = types_behind(a[1]);
  const std::string &codes = text_behind(a[2]);
  std::vector<Elements> operands;
  for (size_t k = 0; k < all.size(); ++k) {
    Operand base = table_item(e, a[3], k, types::pointer(all[k]));
    Operand stride = codes[k] == 's' ? table_item(e, a[5], k, types::int64()) : Operand{};
    operands.push_back({codes[k], all[k], base, stride});
  }
  const Elements &out = operands.back();
  Operands once(operands.size()); // operands that do not change
  Operand sum;
  for (size_t k = 0; k < operands.size(); ++k)
    if (codes[k] == '0')
      once[k] = element_at(e, operands[k].base);
  if (out.code == 'a') {
    sum = e.stack_alloc(16, out.type);
    e.store(sum, e.load(out.base, tir::Alias::ArrayData), tir::Alias::Stack);
  }
  e.loop(table_item(e, a[4], 0, types::int64()), [&](const Operand &i) {
    Operands arguments;
    for (size_t k = 0; k + 1 < operands.size(); ++k)
      arguments.push_back(once[k]                   ? once[k]
                          : operands[k].code == 'a' ? e.load(sum, tir::Alias::Stack)
                                                    : element_at(e, operands[k].at(e, i)));
    Operand result = e.unwrap(call_kernel(e, kernel, std::move(arguments)));
    if (out.type->kind == Kind::Record && result.type == out.type)
      return e.copy(out.at(e, i), e.field(result, 0), e.i64(item_size(out.type)));
    const bool times = result.type->is_time() && out.type->is_time() &&
                       type_conversion(result.type, out.type) != scalar::Conversion::None;
    if (!times && (!result.type->is_scalar() || !out.type->is_scalar() ||
                   (result.type->is_complex() && !out.type->is_complex())))
      fail_in(kernel, "No conversion from " + result.type->text + " to " + out.type->text +
                          " for the result of " + kernel.type->constant->object->name);
    result = times ? e.convert(result, out.type) : e.cast(result, out.type);
    if (sum)
      e.store(sum, result, tir::Alias::Stack);
    else
      e.store(out.at(e, i), result, tir::Alias::ArrayData);
  });
  if (sum)
    e.store(out.base, e.load(sum, tir::Alias::Stack), tir::Alias::ArrayData);
  return e.none();
}

/// numjit.gufunc_loop(kernel, types, core, contiguous, args, dimensions, steps): an inner loop of
/// a generalised ufunc. `core` has a tuple for each operand: which of the core dimensions it has.
Operand gufunc_loop(Emitter &e, Operands &a) {
  const Operand kernel = a[0];
  const std::vector<const Type *> all = types_behind(a[1]);
  const bool contiguous = a[3].constant->integer != 0;
  Operands bases, steps;
  std::vector<Operands> shapes, strides;
  size_t next = all.size(); // strides of core dimensions follow those of the loop
  for (size_t k = 0; k < all.size(); ++k) {
    const Type *dtype = all[k]->is_array() ? all[k]->dtype() : all[k];
    bases.push_back(table_item(e, a[4], k, types::pointer(dtype)));
    steps.push_back(table_item(e, a[6], k, types::int64()));
    Operands &shape = shapes.emplace_back(), &stride = strides.emplace_back();
    for (const Const *dimension : a[2].constant->items[k]->items) {
      shape.push_back(e.nonneg(table_item(e, a[5], 1 + dimension->integer, types::int64())));
      stride.push_back(table_item(e, a[6], next++, types::int64()));
    }
    if (shape.empty() && all[k]->is_array()) { // a scalar that the kernel sees as array
      shape.push_back(e.i64(1));
      stride.push_back(e.i64(item_size(dtype)));
    }
  }
  e.loop(table_item(e, a[5], 0, types::int64()), [&](const Operand &i) {
    Operands arguments;
    for (size_t k = 0; k < all.size(); ++k) {
      const Type *dtype = all[k]->is_array() ? all[k]->dtype() : all[k];
      Operand data = e.ptr_add(bases[k], e.index_mul(i, steps[k]), dtype);
      if (!all[k]->is_array()) {
        arguments.push_back(element_at(e, data));
        continue;
      }
      const Type *type = types::array(dtype, all[k]->ndim, contiguous ? Layout::C : Layout::A);
      arguments.push_back(make_array(e, type, data, e.null_owner(), shapes[k], strides[k]));
    }
    Operand result = call_kernel(e, kernel, std::move(arguments));
    if (result.type->kind != Kind::None)
      fail_in(kernel, "gufunc kernel must have void return type, not " + result.type->text,
              "write the results into the arrays of the last parameters");
  });
  return e.none();
}

/// numjit.result_type(kernel, x, ...): the dtype of what the kernel returns for arguments, which
/// are not evaluated.
Operand kernel_result_type(Emitter &e, Operands &a) {
  // A dry emitter infers the call and makes no code of it.
  Emitter dry(e.engine, e.def, e.options());
  dry.position = e.position;
  Operands arguments;
  for (size_t k = 1; k < a.size(); ++k)
    arguments.push_back({a[k].type, a[k].constant, nullptr, a[k].position});
  const Operand result = call_kernel(dry, a[0], std::move(arguments));
  if (!result.type->is_item())
    e.fail(result.type->text + " cannot be represented as a NumPy dtype: " +
           a[0].type->constant->object->name + " must give a number");
  return e.unit(types::dtype(result.type));
}

/// numjit.relative_item(array, index): an element at indices that are known not to be negative.
Operand relative_item(Emitter &e, Operands &a) {
  Operands items;
  for (size_t k = 0; k < a[1].type->params.size(); ++k) {
    Operand index = e.field(a[1], static_cast<int>(k));
    items.push_back(index.type->is_integer() ? e.nonneg(e.cast(index, types::int64())) : index);
  }
  return rule_getitem(e, a[0], items.size() == 1 ? items[0] : e.tuple(items));
}

/// Whether NumPy's safe casting takes an operand to a type. Literals are weak: only their kind
/// counts.
bool is_safe(const Operand &a, const Type *to) {
  const Type *from = is_arraylike(a.type) ? a.type->dtype() : a.type;
  if (a.type->is_scalar() && a.constant && a.constant->scalar.empty() && !from->is_bool()) {
    if (from->is_integer())
      return !to->is_bool() && (a.constant->integer >= 0 || !to->is_unsigned());
    return from->is_complex() ? to->is_complex() : to->is_float() || to->is_complex();
  }
  if (!from->is_scalar() || !to->is_scalar())
    return type_conversion(from, to) != scalar::Conversion::None;
  return scalar::promote(from, to) == to && (to->is_bool() == from->is_bool() || !to->is_bool());
}

/// The first signature (argument types, then the result) that all operands can be cast to safely.
std::vector<const Type *> choose_signature(Emitter &e, const Operand &kernel,
                                           const Operand &signatures,
                                           std::span<const Operand> operands) {
  std::string given, known;
  for (const Operand &a : operands)
    given += (given.empty() ? "" : ", ") + a.type->text;
  for (size_t k = 0; k < signatures.type->params.size(); ++k) {
    std::vector<const Type *> types = types_behind(e.field(signatures, static_cast<int>(k)));
    bool fits = types.size() == operands.size() + 1;
    for (size_t i = 0; fits && i < operands.size(); ++i)
      fits = is_safe(operands[i], types[i]);
    if (fits)
      return types;
    std::string text;
    for (size_t i = 0; i + 1 < types.size(); ++i)
      text += (i ? ", " : "") + types[i]->text;
    known += (known.empty() ? "(" : ", (") + text + ")";
  }
  const std::string name = kernel.type->constant->object->name;
  e.fail("No implementation of function " + name + " found for signature " + name + "(" + given +
             "): the arguments could not be safely cast to any of its signatures",
         "it is compiled for " + known);
}

/// numjit.map_elements(kernel, signatures, x, ...): a user's function of scalars on scalars and
/// arrays; unevaluated for arrays. No signatures: for the types of the operands.
Operand map_elements(Emitter &e, Operands &a) {
  const Operand kernel = a[0];
  Operands operands(a.begin() + 2, a.end());
  int ndim = -1;
  for (Operand &x : operands) {
    x = e.unwrap(x);
    if (x.type->is_tuple() || x.type->kind == Kind::List)
      x = e.library("numpy.asarray", {x});
    if (is_arraylike(x.type))
      ndim = std::max<int>(ndim, x.type->ndim);
    else if (!x.type->is_item())
      e.fail("No implementation of function " + kernel.type->constant->object->name +
             " for argument of type " + x.type->text);
  }
  const Type *result = nullptr;
  if (!a[1].type->params.empty()) {
    const std::vector<const Type *> chosen = choose_signature(e, kernel, a[1], operands);
    for (size_t k = 0; k < operands.size(); ++k)
      operands[k] = convert_elements(e, operands[k], chosen[k]);
    result = chosen.back();
  }
  // Its constants are no part of the kernel's type.
  std::vector<const Type *> types{kernel.type};
  Operands scalars{kernel}, fields{kernel};
  for (const Operand &x : operands) {
    const Type *type = is_arraylike(x.type) ? x.type->dtype() : x.type;
    scalars.push_back({type, nullptr, nullptr, x.position});
    fields.push_back(x);
    types.push_back(x.type);
  }
  if (ndim < 0) {
    Operand value = call_kernel(e, kernel, std::move(operands));
    if (!value.type->is_item())
      e.fail(value.type->text + " cannot be represented as a NumPy dtype");
    return result ? e.cast(value, result) : value;
  }
  const Type *dtype = kernel_result_type(e, scalars).type->params[0];
  Operand lazy = e.make(types::lazy(kCallExpression, types, dtype, ndim), fields);
  return as_item(e, result ? convert_elements(e, lazy, result) : lazy);
}

const Builtin kUfuncRows[] = {
    {"numjit.ufunc_loop", "kernel types codes args count steps", ufunc_loop},
    {"numjit.gufunc_loop", "kernel types core contiguous args dimensions steps", gufunc_loop},
    {"numjit.result_type", "kernel *", kernel_result_type},
    {"numjit.relative_item", "array index", relative_item},
    {"numjit.map_elements", "kernel signatures *", map_elements, true},
};

} // namespace

Operand apply_expression(Emitter &e, const Type *lazy, std::span<const Operand> operands) {
  if (lazy->expression != kCallExpression)
    return e.scalar(row_of(lazy), operands, form_of(lazy));
  return call_kernel(e, operands[0], Operands(operands.begin() + 1, operands.end()));
}

BuiltinTable ufunc_builtins() { return kUfuncRows; }

} // namespace numjit
