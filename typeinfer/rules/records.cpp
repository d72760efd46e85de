// Items in memory: how those of arrays are read and written, and the fields of records.
#include "typeinfer/infer/engine.h"
#include "typeinfer/rules/kind_rules.h"

#include <algorithm>

namespace numjit {

namespace {

std::string joined(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// How memory is read where it may lie at any address.
tir::Alias alias_of(bool unaligned) {
  return unaligned ? tir::Alias::Unaligned : tir::Alias::ArrayData;
}

/// Reads what lies at `pointer`: a number, or a record, which stays where it is.
Operand read_item(Emitter &e, const Operand &pointer, const Operand &owner, bool unaligned) {
  const Type *item = pointer.type->params[0];
  if (item->kind == Kind::Record)
    return e.make(item, {e.ptr_add(pointer, e.i64(0), types::scalar(ScalarId::UInt8)), owner});
  if (item->kind == Kind::CharSeq)
    return read_char_seq(e, pointer);
  return e.load(pointer, alias_of(unaligned));
}

void write_item(Emitter &e, const Operand &pointer, const Operand &owner, const Operand &given,
                bool unaligned) {
  const Type *item = pointer.type->params[0];
  Operand value = e.unwrap(given);
  if (item->kind == Kind::Record) {
    Operand to = read_item(e, pointer, owner, unaligned);
    if (value.type->is_tuple() && value.type->params.size() == item->params.size()) {
      for (size_t i = 0; i < item->params.size(); ++i)
        set_record_field(e, to, static_cast<int>(i), e.field(value, static_cast<int>(i)));
      return;
    }
    if (value.type->is_scalar()) { // goes to all fields, as in NumPy
      for (size_t i = 0; i < item->params.size(); ++i)
        set_record_field(e, to, static_cast<int>(i), value);
      return;
    }
    if (value.type != item)
      e.fail("cannot assign a value of type " + value.type->text + " to a " + item->text);
    e.copy(e.field(to, 0), e.field(value, 0), e.i64(item_size(item)));
    return;
  }
  if (item->kind == Kind::CharSeq) {
    write_char_seq(e, pointer, value);
    return;
  }
  e.store(pointer, e.convert(value, item), alias_of(unaligned));
}

/// Where a field lies, and whether it may lie at any address: in packed records, and where the
/// records themselves need not be aligned.
bool is_unaligned_field(const Type *record, int index) {
  const Type *field = record->params[index];
  while (field->kind == Kind::Nested)
    field = field->params[0];
  if (field->kind == Kind::Record)
    return false; // its own fields tell
  const int64_t align = layout_of(field).align;
  return !record->numbers[1] || record->numbers[index + 2] % align || record->numbers[0] % align;
}

} // namespace

Operand array_item(Emitter &e, const Operand &array, const Operand &pointer) {
  return read_item(e, pointer, e.field(array, 1), array.type->unaligned);
}

void set_array_item(Emitter &e, const Operand &array, const Operand &pointer,
                    const Operand &value) {
  write_item(e, pointer, e.field(array, 1), value, array.type->unaligned);
}

// --- records: an address, and the owner of the memory ---

int record_field_index(Emitter &e, const Type *record, const Operand &name) {
  if (name.type->kind == Kind::String) {
    auto found = std::find(record->names.begin(), record->names.end(), name.type->constant->text);
    if (found != record->names.end())
      return static_cast<int>(found - record->names.begin());
    e.fail_as("NumbaKeyError", "Field '" + name.type->constant->text +
                                   "' was not found in record with fields " + "(" +
                                   joined(record->names) + ")");
  }
  if (name.constant && name.constant->kind == ConstKind::Int) {
    const int64_t n = static_cast<int64_t>(record->names.size());
    const int64_t i = name.constant->integer;
    if (i >= -n && i < n)
      return static_cast<int>(i < 0 ? i + n : i);
    e.fail_as("NumbaIndexError", "Requested index " + std::to_string(i) + " is out of range");
  }
  e.fail("No implementation of function getitem for (" + record->text + ", " + name.type->text +
             "): the fields of a record have types of their own, so the name must be known at "
             "compile time",
         "use a literal name, or `for name in literal_unroll(names)`");
}

Operand record_field(Emitter &e, const Operand &record, int index) {
  const Type *type = record.type, *field = type->params[index];
  const Operand offset = e.i64(type->numbers[index + 2]);
  const bool unaligned = is_unaligned_field(type, index);
  if (field->kind != Kind::Nested)
    return read_item(e, e.ptr_add(e.field(record, 0), offset, field), e.field(record, 1),
                     unaligned);
  const Type *dtype = field->params[0];
  Operands shape;
  for (int64_t n : field->numbers)
    shape.push_back(e.i64(n));
  return make_array(
      e, types::array(dtype, static_cast<int>(shape.size()), Layout::C, false, unaligned),
      e.ptr_add(e.field(record, 0), offset, dtype), e.field(record, 1), shape, {});
}

Operand items_record(Emitter &e, const Operand &record, const Operand &name) {
  return record_field(e, record, record_field_index(e, record.type, name));
}

void set_record_field(Emitter &e, const Operand &record, int index, const Operand &value) {
  const Type *type = record.type, *field = type->params[index];
  if (field->kind == Kind::Nested) {
    rule_setitem(e, record_field(e, record, index), e.unit(types::ellipsis()), value);
    return;
  }
  if (field->is_scalar() && value.type->is_complex() && !field->is_complex())
    e.fail("cannot convert " + value.type->text + " to " + field->text);
  write_item(e, e.ptr_add(e.field(record, 0), e.i64(type->numbers[index + 2]), field),
             e.field(record, 1), value, is_unaligned_field(type, index));
}

Operand array_field(Emitter &e, const Operand &array, int index) {
  const Type *type = array.type->dtype(), *field = type->params[index];
  const bool unaligned = is_unaligned_field(type, index);
  Operands shape, strides;
  for (int i = 0; i < array.type->ndim; ++i) {
    shape.push_back(array_shape(e, array, i));
    strides.push_back(array_stride(e, array, i));
  }
  const Type *dtype = field;
  if (field->kind == Kind::Nested) {
    dtype = field->params[0];
    int64_t stride = item_size(field);
    for (int64_t n : field->numbers) {
      stride = n ? stride / n : 0;
      shape.push_back(e.i64(n));
      strides.push_back(e.i64(stride));
    }
  }
  return make_array(e,
                    types::array(dtype, static_cast<int>(shape.size()), Layout::A,
                                 array.type->readonly, unaligned),
                    e.ptr_add(e.field(array, 0), e.i64(type->numbers[index + 2]), dtype),
                    e.field(array, 1), shape, strides);
}

} // namespace numjit
