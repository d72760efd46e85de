// Strings and bytes: items and parts, loops, operators, and the intrinsics from which
// library/python/strings.py makes the methods. A string is read where it lies; a part of it is a
// view.
#include "typeinfer/rules/strings.h"

#include "runtime/strings.h"
#include "typeinfer/infer/engine.h"
#include "typeinfer/rules/indexing.h"
#include "typeinfer/rules/kind_rules.h"

#include <algorithm>
#include <cstddef>

namespace numjit {

using tir::RuntimeOp;

namespace {

const Type *byte() { return types::scalar(ScalarId::UInt8); }

Operand data(Emitter &e, const Operand &text) { return e.field(text, 0); }
Operand length(Emitter &e, const Operand &text) { return e.nonneg(e.field(text, 2)); }
/// Size of a character.
Operand unit(Emitter &e, const Operand &text) {
  return text.type->kind == Kind::Unicode ? e.nonneg(e.field(text, 3)) : e.i64(1);
}

} // namespace

Operand literal(Emitter &e, const std::string &text) { return e.constant(constants::string(text)); }

void pass_text(Emitter &e, const Operand &text, Operands &arguments) {
  arguments.insert(arguments.end(), {data(e, text), e.field(text, 2), unit(e, text)});
}

static Operand call(Emitter &e, RuntimeOp op, const Type *result,
                    std::initializer_list<Operand> texts,
                    std::initializer_list<Operand> rest = {}) {
  Operands arguments;
  for (const Operand &text : texts)
    pass_text(e, text, arguments);
  arguments.insert(arguments.end(), rest);
  return e.runtime(op, result, arguments);
}

Operand text_in_block(Emitter &e, const Type *type, const Operand &block) {
  Operand header = e.owner_data(block, types::int64());
  auto word = [&](size_t offset) {
    return e.nonneg(e.load(e.ptr_add(header, e.i64(static_cast<int64_t>(offset)), types::int64()),
                           tir::Alias::Any));
  };
  Operand characters = e.ptr_add(header, e.i64(sizeof(nj_text)), byte());
  Operand count = word(offsetof(nj_text, length));
  if (type->kind == Kind::Bytes)
    return e.make(type, {characters, block, count});
  return e.make(type, {characters, block, count, word(offsetof(nj_text, kind))});
}

Operand new_string(Emitter &e, RuntimeOp op, std::initializer_list<Operand> texts,
                   std::initializer_list<Operand> rest) {
  return text_in_block(e, types::unicode(), call(e, op, types::owner(), texts, rest));
}

namespace {

Operand view(Emitter &e, const Operand &text, const Operand &start, const Operand &count) {
  Operand size = unit(e, text);
  Operand first = e.ptr_add(data(e, text), e.index_mul(start, size), byte());
  if (text.type->kind == Kind::Bytes)
    return e.make(text.type, {first, e.field(text, 1), count});
  return e.make(text.type, {first, e.field(text, 1), count, size});
}

std::u32string code_points(std::string_view utf8) {
  std::u32string text;
  for (size_t i = 0; i < utf8.size();) {
    const auto lead = static_cast<uint8_t>(utf8[i]);
    const int more = lead < 0x80 ? 0 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
    uint32_t c = more ? lead & (0x3F >> more) : lead;
    for (int k = 1; k <= more && i + k < utf8.size(); ++k)
      c = c << 6 | (static_cast<uint8_t>(utf8[i + k]) & 0x3F);
    text += static_cast<char32_t>(c);
    i += more + 1;
  }
  return text;
}

template <class Unit>
std::string memory_of(const std::u32string &text) {
  const std::vector<Unit> units(text.begin(), text.end());
  return {reinterpret_cast<const char *>(units.data()), units.size() * sizeof(Unit)};
}

/// What `access` does with the address of a character, for each size that characters have.
template <typename Access>
static Operand at_character(Emitter &e, const Operand &text, const Operand &index, Access access) {
  Operand size = unit(e, text);
  auto with = [&](ScalarId unit) {
    const Type *type = types::scalar(unit);
    return access(e.ptr_add(data(e, text), e.index_mul(index, e.i64(layout_of(type).size)), type),
                  type);
  };
  return e.choose(
      e.op(Operator::Eq, size, e.i64(1)), [&] { return with(ScalarId::UInt8); },
      [&] {
        return e.choose(
            e.op(Operator::Eq, size, e.i64(2)), [&] { return with(ScalarId::UInt16); },
            [&] { return with(ScalarId::UInt32); });
      });
}

/// Reads a character at an index in range as int64.
Operand code_point(Emitter &e, const Operand &text, const Operand &index) {
  return at_character(e, text, index, [&](const Operand &place, const Type *) {
    return e.nonneg(e.cast(e.load(place, tir::Alias::Any), types::int64()));
  });
}

// --- operators ---

Operand is_none(Emitter &e, const Operand &a) {
  return a.type->kind == Kind::Optional ? e.logical_not(e.field(a, 0))
                                        : e.boolean(a.type->kind == Kind::None);
}

/// Against a string known at compile time: often an empty one or a single character.
Operand equals_literal(Emitter &e, const Operand &a, const Operand &known) {
  const std::u32string text = code_points(known.type->constant->text);
  Operand same_length = e.op(Operator::Eq, length(e, a), e.i64(static_cast<int64_t>(text.size())));
  if (text.empty())
    return same_length;
  return e.choose(
      same_length,
      [&] {
        if (text.size() == 1)
          return e.op(Operator::Eq, code_point(e, a, e.i64(0)), e.i64(text[0]));
        return call(e, RuntimeOp::StrEqual, types::boolean(), {a, e.unliteral(known)});
      },
      [&] { return e.boolean(false); });
}

Operand equal(Emitter &e, const Operand &a, const Operand &b) {
  if (a.type->kind == Kind::Optional)
    return e.choose(
        e.field(a, 0), [&] { return equal(e, e.field(a, 1), b); }, [&] { return is_none(e, b); });
  if (b.type->kind == Kind::Optional)
    return equal(e, b, a);
  if (!a.type->is_text() || !b.type->is_text())
    return e.boolean(false);
  if (a.type->kind == Kind::String && b.type->kind == Kind::String)
    return e.boolean(a.type == b.type);
  if (a.type->kind == Kind::String)
    return equals_literal(e, b, a);
  if (b.type->kind == Kind::String)
    return equals_literal(e, a, b);
  return e.choose(
      e.op(Operator::Eq, length(e, a), length(e, b)),
      [&] {
        return call(e, RuntimeOp::StrEqual, types::boolean(), {a, b});
      },
      [&] { return e.boolean(false); });
}

constexpr size_t kSmallSet = 16; ///< characters that are compared one by one

Operand contains_text(Emitter &e, const Operand &part, const Operand &whole) {
  if (!part.type->is_text())
    e.fail("No implementation of function in for (" + part.type->text + ", " + whole.type->text +
               "): 'in <string>' requires string as left operand",
           "make a string of it first: str(...)");
  if (part.type->kind == Kind::String && whole.type->kind == Kind::String)
    return e.boolean(whole.type->constant->text.find(part.type->constant->text) !=
                     std::string::npos);
  auto search = [&] {
    Operand found =
        call(e, RuntimeOp::StrFind, types::int64(), {e.unliteral(whole), e.unliteral(part)},
             {e.i64(0), e.i64(INT64_MAX), e.i64(0)});
    return e.op(Operator::Ge, found, e.i64(0));
  };
  const std::u32string set =
      whole.type->kind == Kind::String ? code_points(whole.type->constant->text) : U"";
  if (set.empty() || set.size() > kSmallSet || part.type->kind == Kind::String)
    return search();
  // `c in "aeiou"`: LLVM makes one test of the comparisons.
  return e.choose(
      e.op(Operator::Eq, length(e, part), e.i64(1)),
      [&] {
        Operand c = code_point(e, part, e.i64(0)), found = e.boolean(false);
        for (const char32_t each : set) {
          Operand same = e.op(Operator::Eq, c, e.i64(each));
          found = found.constant ? same : e.op(Operator::Or, found, same);
        }
        return found;
      },
      search);
}

// --- intrinsics ---

Operand build_string(Emitter &e, Operands &a) { return join_texts(e, a); }

Operand ord(Emitter &e, Operands &a) {
  Operand x = e.unliteral(e.unwrap(a[0]));
  if (x.type->kind != Kind::Unicode && x.type->kind != Kind::Bytes)
    e.fail("No implementation of function ord for (" + x.type->text + "): a string is wanted");
  e.raise_if(e.op(Operator::Ne, length(e, x), e.i64(1)), "TypeError",
             "ord() expected a character, but string of another length found");
  return code_point(e, x, e.i64(0));
}

Operand position(Emitter &e, const Operand &index) { return e.cast(index, types::int64()); }

Operand code_point_rule(Emitter &e, Operands &a) { return code_point(e, a[0], position(e, a[1])); }

/// numjit.new_string(block): the string in a block of the runtime.
Operand string_in(Emitter &e, Operands &a) { return text_in_block(e, types::unicode(), a[0]); }
Operand bytes_in(Emitter &e, Operands &a) { return text_in_block(e, types::bytes(true), a[0]); }
Operand bytearray_in(Emitter &e, Operands &a) {
  return text_in_block(e, types::bytes(false), a[0]);
}
/// numjit.string_list(block): a list of strings that the runtime made.
Operand string_list(Emitter &e, Operands &a) {
  return e.make(types::list(types::unicode()), {a[0]});
}

/// numjit.part(text, start, end): start and end are in range.
Operand part(Emitter &e, Operands &a) {
  Operand text = e.unliteral(a[0]);
  Operand start = position(e, a[1]);
  return view(e, text, start, e.index_add(position(e, a[2]), e.index_mul(start, e.i64(-1))));
}

/// numjit.latin1(c): the string of one character below 256.
Operand latin1(Emitter &e, Operands &a) {
  Operand all = e.runtime(RuntimeOp::Latin1Characters, types::pointer(types::int64()), {});
  return e.make(types::unicode(),
                {e.ptr_add(all, position(e, a[0]), byte()), e.null_owner(), e.i64(1), e.i64(1)});
}

/// numjit.set_byte(bytearray, i, value): i is in range.
Operand set_byte(Emitter &e, Operands &a) {
  e.store(e.ptr_add(data(e, a[0]), position(e, a[1]), byte()), e.cast(a[2], byte()),
          tir::Alias::Any);
  return e.none();
}

/// numjit.set_code_point(string, i, c): i is in range, c fits; nobody else knows the string yet.
Operand set_code_point(Emitter &e, Operands &a) {
  return at_character(e, a[0], position(e, a[1]), [&](const Operand &place, const Type *type) {
    e.store(place, e.cast(a[2], type), tir::Alias::Any);
    return e.none();
  });
}

Operand is_text(Emitter &e, Operands &a) { return e.boolean(a[0].type->is_text()); }

const Builtin kStringRows[] = {
    {"builtins.ord", "c", ord},
    {"numjit.build_string", "*", build_string},
    {"numjit.code_point", "s i", code_point_rule},
    {"numjit.new_string", "block", string_in},
    {"numjit.new_bytes", "block", bytes_in},
    {"numjit.new_bytearray", "block", bytearray_in},
    {"numjit.string_list", "block", string_list},
    {"numjit.part", "text start end", part},
    {"numjit.latin1", "c", latin1},
    {"numjit.set_byte", "b i value", set_byte},
    {"numjit.set_code_point", "s i value", set_code_point},
    {"numjit.is_text", "x", is_text},
};

} // namespace

BuiltinTable string_builtins() { return kStringRows; }

Operand join_texts(Emitter &e, std::span<const Operand> pieces) {
  if (pieces.empty())
    return literal(e, "");
  if (pieces.size() == 1)
    return pieces[0];
  if (std::ranges::all_of(pieces, [](auto &piece) { return piece.type->kind == Kind::String; })) {
    std::string text;
    for (const Operand &piece : pieces)
      text += piece.type->constant->text;
    return literal(e, text);
  }
  // They wait on the stack as the items of a list do.
  Operands texts;
  for (const Operand &piece : pieces)
    texts.push_back(e.unliteral(piece));
  if (texts.size() == 2)
    return new_string(e, RuntimeOp::StrConcat, {texts[0], texts[1]});
  const auto count = static_cast<int64_t>(texts.size());
  Operand memory = e.stack_alloc(count * static_cast<int64_t>(sizeof(nj_string)), types::int64());
  int slot = 0;
  for (const Operand &text : texts)
    slot = e.store_slots(memory, slot, text);
  return new_string(e, RuntimeOp::StrJoin, {e.unliteral(literal(e, ""))}, {memory, e.i64(count)});
}

Operand literal_text(Emitter &e, std::string_view utf8) {
  const std::u32string text = code_points(utf8);
  const char32_t largest = text.empty() ? 0 : *std::max_element(text.begin(), text.end());
  const int64_t kind = largest < 0x100 ? 1 : largest < 0x10000 ? 2 : 4;
  const std::string memory = kind == 1   ? memory_of<uint8_t>(text)
                             : kind == 2 ? memory_of<uint16_t>(text)
                                         : memory_of<uint32_t>(text);
  return e.make(types::unicode(), {e.bytes(memory), e.null_owner(),
                                   e.i64(static_cast<int64_t>(text.size())), e.i64(kind)});
}

Operand text_operator(Emitter &e, Operator oper, const Operand &a, const Operand &b) {
  switch (oper) {
  case Operator::Eq: return equal(e, a, b);
  case Operator::Ne: return e.logical_not(equal(e, a, b));
  case Operator::In: return contains_text(e, a, b);
  default:
    return e.op(oper,
                call(e, RuntimeOp::StrCompare, types::int64(), {e.unliteral(a), e.unliteral(b)}),
                e.i64(0));
  }
}

Operand text_item(Emitter &e, const Operand &text, const Operand &index) {
  if (text.type->kind == Kind::Unicode)
    return view(e, text, index, e.i64(1));
  return e.load(e.ptr_add(data(e, text), index, byte()), tir::Alias::Any);
}

Operand items_text(Emitter &e, const Operand &text, const Operand &index) {
  const bool characters = text.type->kind == Kind::Unicode;
  const char *what = characters ? "string" : text.type->readonly ? "byte" : "bytearray";
  if (is_index(index.type) || index.type->is_bool()) {
    Operand count = length(e, text), at = e.cast(index, types::int64());
    if (!e.is_nonneg(index))
      at = e.select(e.op(Operator::Lt, at, e.i64(0)), e.index_add(at, count), at);
    e.raise_if(e.op(Operator::Ge, e.cast(at, types::uint64()), e.cast(count, types::uint64())),
               "IndexError",
               std::string(text.type->kind == Kind::Bytes && text.type->readonly
                               ? ""
                               : std::string(what) + " ") +
                   "index out of range");
    return text_item(e, text, at);
  }
  if (index.type->kind != Kind::Slice)
    e.fail(std::string(what) + " indices must be integers or slices, not " + index.type->text);
  Extent extent = slice_extent(e, index, length(e, text));
  const bool changes = !characters && !text.type->readonly;
  if (extent.step.constant && extent.step.constant->integer == 1 && !changes)
    return view(e, text, extent.start, extent.count);
  return text_in_block(e, text.type,
                       call(e, RuntimeOp::StrStride, types::owner(), {text},
                            {extent.start, extent.step, extent.count}));
}

/// A character of a text that is known is known, too.
Operand items_string(Emitter &e, const Operand &text, const Operand &index) {
  const std::string &known = text.type->constant->text;
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 128; };
  if (index.constant && index.constant->kind == ConstKind::Int && !index.constant->big &&
      std::ranges::all_of(known, is_ascii)) {
    const auto count = static_cast<int64_t>(known.size());
    const int64_t at = index.constant->integer + (index.constant->integer < 0 ? count : 0);
    if (at >= 0 && at < count)
      return e.constant(constants::string(known.substr(at, 1)));
  }
  return items_text(e, e.unliteral(text), index);
}

static NextResult next_text(Emitter &e, const Operand &it, const Operand *) {
  return indexed_next(
      e, it, length(e, e.field(it, 0)),
      [&e](const Operand &text, const Operand &index) { return text_item(e, text, index); });
}
constinit const IterationRules iterate_text{indexed_iter, next_text, indexed_later};

static Operand iter_string(Emitter &e, const Operand &text) {
  return rule_iter(e, e.unliteral(text));
}
constinit const IterationRules iterate_string{iter_string, no_next, no_later};

bool fits_char_seq(const Type *value, const Type *item) {
  return item->kind == Kind::CharSeq &&
         (item->params[0]->bits() == 8 ? value->kind == Kind::Bytes : value->is_text());
}

namespace {
/// The arguments "pii" for an item in memory.
Operands char_seq_memory(Emitter &e, const Operand &pointer) {
  const Type *item = pointer.type->params[0];
  return {pointer, e.i64(item->constant->integer), e.i64(item->params[0]->bits() / 8)};
}
/// In a kernel on a GPU: each character of a text that is known, and zeros behind it.
void write_known_characters(Emitter &e, const Operand &pointer, const Operand &value) {
  const Type *item = pointer.type->params[0];
  const bool narrow = item->params[0]->bits() == 8;
  const Const *known = value.type->constant ? value.type->constant : value.constant;
  if (!known || (known->kind != ConstKind::Str && known->kind != ConstKind::Bytes))
    e.fail("No implementation of function for a text that is not known at compile time, in a "
           "kernel",
           "assign a literal");
  const std::u32string text =
      narrow ? std::u32string(known->text.begin(), known->text.end()) : code_points(known->text);
  const int64_t width = narrow ? 1 : 4;
  const Type *byte = types::scalar(ScalarId::UInt8); // fields may be anywhere
  for (int64_t i = 0; i < item->constant->integer * width; ++i) {
    const auto at = static_cast<size_t>(i / width);
    const char32_t c = at < text.size() ? text[at] : 0;
    e.store(e.ptr_add(pointer, e.i64(i), byte), e.cast(e.i64(c >> (8 * (i % width)) & 0xFF), byte),
            tir::Alias::Any);
  }
}
} // namespace

Operand read_char_seq(Emitter &e, const Operand &pointer) {
  const bool characters = pointer.type->params[0]->params[0]->bits() == 32;
  Operand block = e.runtime(RuntimeOp::CharSeqRead, types::owner(), char_seq_memory(e, pointer));
  return text_in_block(e, characters ? types::unicode() : types::bytes(true), block);
}

void write_char_seq(Emitter &e, const Operand &pointer, const Operand &value) {
  const Type *item = pointer.type->params[0];
  if (!fits_char_seq(value.type, item))
    e.fail("cannot assign a value of type " + value.type->text + " to items of type " + item->text,
           item->params[0]->bits() == 8 ? "assign bytes" : "assign a string");
  if (e.engine.module.target == tir::Target::Cuda) {
    write_known_characters(e, pointer, value);
    return;
  }
  Operands arguments = char_seq_memory(e, pointer);
  pass_text(e, e.unliteral(value), arguments);
  e.runtime(RuntimeOp::CharSeqWrite, types::none(), arguments);
}

} // namespace numjit
