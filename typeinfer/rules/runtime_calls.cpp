// Calls of the runtime by name, so that a function of the library can be a thin layer over a C
// function without a rule of its own.
#include "runtime/random.h"
#include "typeinfer/errors.h"
#include "typeinfer/infer/engine.h"

#include <algorithm>

namespace numjit {

namespace {

const tir::RuntimeOpRow *row_named(std::string_view symbol) {
  for (size_t i = 0; i < tir::runtime_op_count(); ++i)
    if (const auto &row = tir::runtime_op_row(static_cast<tir::RuntimeOp>(i)); row.symbol == symbol)
      return &row;
  return nullptr;
}

const Type *type_of_letter(char letter) {
  switch (letter) {
  case 'b': return types::scalar(ScalarId::Bool);
  case 'i': return types::int64();
  case 'u': return types::uint64();
  case 'd': return types::float64();
  case 'f': return types::scalar(ScalarId::Float32);
  case 'p': return types::pointer(types::int64());
  case 'o': return types::owner();
  default: return types::none();
  }
}

/// An argument as the row's letter wants it: an array or a list as pointer to its data, a tuple of
/// integers as pointer to int64s on the stack, a dtype as NumPy's character.
Operand argument(Emitter &e, char letter, Operand a) {
  a = e.unwrap(a);
  if (letter == 'p' && a.type->is_array())
    return e.field(a, 0);
  if (letter == 'p' && a.type->kind == Kind::List)
    return list_item_pointer(e, a, e.i64(0));
  if (letter == 'o' && a.type->kind != Kind::Owner)
    return e.field(a, 0);
  if (letter == 'p' && a.type->is_tuple()) {
    const auto count = static_cast<int64_t>(a.type->params.size());
    Operand memory = e.stack_alloc(8 * std::max<int64_t>(count, 1), types::int64());
    e.store_slots(memory, 0, a);
    return memory;
  }
  if (a.type->kind == Kind::DType) {
    if (!a.type->params[0]->is_scalar())
      e.fail("No implementation of this function for arrays of " + a.type->params[0]->text,
             "use their fields, or view them as numbers");
    return e.i64(scalar_row(a.type->params[0]->scalar).numpy_char);
  }
  const Type *type = type_of_letter(letter);
  if (type->is_scalar()) {
    if (!a.type->is_scalar() || (a.type->is_complex() && !type->is_complex()) ||
        (a.type->is_float() && !type->is_float()))
      e.fail("No implementation of function for argument of type " + a.type->text,
             type->is_float() ? "a number is wanted here" : "an integer is wanted here");
    return e.cast(a, type);
  }
  if (letter == 'p' && a.type->kind != Kind::Pointer)
    e.fail("No implementation of function for argument of type " + a.type->text,
           "a string is wanted here");
  return a;
}

bool is_string(const Type *type) {
  return type->kind == Kind::Unicode || type->kind == Kind::Bytes;
}

/// A string is pointer, length and size of a character ("pii"), with its owner where the row asks
/// for that ("poii"). Bytes are characters of size 1, or pointer and length ("pi" at the end).
void add_string(Emitter &e, const Operand &x, std::string_view letters, Operands &arguments) {
  arguments.push_back(e.field(x, 0));
  size_t at = 1;
  if (letters.size() > 1 && letters[1] == 'o') {
    arguments.push_back(e.field(x, 1));
    ++at;
  }
  arguments.push_back(e.field(x, 2));
  if (x.type->kind == Kind::Unicode)
    arguments.push_back(e.field(x, 3));
  else if (letters.size() > at + 1)
    arguments.push_back(e.i64(1));
}

/// numjit.call_runtime(symbol, *arguments): a row of runtime_ops.def.
Operand call_runtime(Emitter &e, Operands &a) {
  const tir::RuntimeOpRow *row = row_named(a[0].type->constant->text);
  if (!row)
    throw InternalError("no runtime function " + a[0].type->constant->text);
  std::string_view letters = row->parameters;
  Operands arguments;
  for (size_t i = 1; i < a.size(); ++i) {
    const size_t before = arguments.size();
    if (Operand x = e.unliteral(e.unwrap(a[i])); is_string(x.type))
      add_string(e, x, letters, arguments);
    else if (!letters.empty())
      arguments.push_back(argument(e, letters[0], x));
    letters.remove_prefix(std::min(arguments.size() - before, letters.size()));
  }
  if (!letters.empty() || arguments.size() != std::string_view(row->parameters).size())
    throw InternalError("wrong number of arguments for " + a[0].type->constant->text);
  return e.runtime(row->id, type_of_letter(row->result), arguments);
}

/// numjit.distribution(name): its number in the runtime.
Operand distribution(Emitter &e, Operands &a) {
  int64_t count;
  const nj_distribution *rows = nj_distributions(&count);
  for (int64_t i = 0; i < count; ++i)
    if (rows[i].name == a[0].type->constant->text)
      return e.i64(i);
  throw InternalError("no distribution " + a[0].type->constant->text);
}

/// numjit.writable(array): the array, which the runtime is going to change.
Operand writable(Emitter &e, Operands &a) {
  if (a[0].type->readonly)
    e.fail("Cannot modify readonly array of type: " + a[0].type->text);
  return a[0];
}

const Builtin kRuntimeRows[] = {
    {"numjit.call_runtime", "symbol *", call_runtime},
    {"numjit.distribution", "name", distribution},
    {"numjit.writable", "array", writable},
};

} // namespace

BuiltinTable runtime_builtins() { return kRuntimeRows; }

} // namespace numjit
