// The table of types: printing, layouts, parsing.
#include "typeinfer/types/types.h"

#include <gtest/gtest.h>

#include <thread>

using namespace numjit;

namespace {

const Const *object(ObjectKind kind, const char *name, std::vector<std::string> fields = {}) {
  auto *object = new Object; // rows live as long as the process
  object->kind = kind;
  object->name = name;
  object->fields = std::move(fields);
  return constants::object(object);
}

TEST(Types, AreInterned) {
  EXPECT_EQ(types::array(types::float64(), 2, Layout::C),
            types::array(types::float64(), 2, Layout::C));
  EXPECT_NE(types::array(types::float64(), 2, Layout::C),
            types::array(types::float64(), 2, Layout::F));
  EXPECT_NE(types::array(types::float64(), 2, Layout::C),
            types::array(types::float64(), 2, Layout::C, true));
  EXPECT_EQ(types::tuple({types::int64(), types::int64()}),
            types::uniform_tuple(types::int64(), 2));
  EXPECT_EQ(types::optional(types::optional(types::int64())), types::optional(types::int64()));
  EXPECT_EQ(types::optional(types::none()), types::none());
  // Layouts that mean the same are one row.
  EXPECT_EQ(types::array(types::float64(), 1, Layout::F),
            types::array(types::float64(), 1, Layout::C));
  EXPECT_EQ(types::array(types::float64(), 0, Layout::A),
            types::array(types::float64(), 0, Layout::C));
  EXPECT_NE(types::array(types::float64(), 1, Layout::A),
            types::array(types::float64(), 1, Layout::C));
  EXPECT_NE(types::lazy(1, {types::int64()}, types::int64(), 1),
            types::lazy(1, {types::int64()}, types::float64(), 1));
}

TEST(Types, OfRecords) {
  const Type *i32 = types::scalar(ScalarId::Int32), *f64 = types::float64();
  const Type *packed = types::record({"x", "y"}, {i32, f64}, {0, 4}, 12, false);
  EXPECT_EQ(packed->text, "Record(x[type=int32;offset=0],y[type=float64;offset=4];12;False)");
  EXPECT_EQ(packed, types::record({"x", "y"}, {i32, f64}, {0, 4}, 12, false));
  EXPECT_NE(packed, types::record({"x", "y"}, {i32, f64}, {0, 8}, 16, true));
  // As a value an address and an owner, as an element the memory itself.
  EXPECT_EQ(layout_of(packed).leaves.size(), 2u);
  EXPECT_TRUE(packed->counted);
  EXPECT_EQ(item_size(packed), 12);
  const Type *nested = types::nested(packed, {2, 3});
  EXPECT_EQ(item_size(nested), 72);
  EXPECT_EQ(types::array(packed, 1, Layout::C)->text,
            "unaligned array(" + packed->text + ", 1d, C)");
  EXPECT_EQ(types::array(packed, 1, Layout::C, false, true), types::array(packed, 1, Layout::C));
  EXPECT_NE(types::array(f64, 1, Layout::A, false, true), types::array(f64, 1, Layout::A));
}

TEST(Types, OfTimes) {
  const Type *seconds = types::datetime(kSecond);
  EXPECT_EQ(seconds->text, "datetime64[s]");
  EXPECT_EQ(types::timedelta(kGeneric)->text, "timedelta64[]");
  EXPECT_EQ(types::item_named("M8[s]"), seconds);
  EXPECT_EQ(types::item_named("datetime64[fortnight]"), nullptr);
  EXPECT_EQ(types::parse("array(datetime64[s], 1d, C)").type, types::array(seconds, 1, Layout::C));
  EXPECT_EQ(item_size(seconds), 8);
}

TEST(Types, FieldsOfStructs) {
  const Const *cls = object(ObjectKind::DataClass, "module.Body", {"a", "b", "c"});
  const Type *body = types::structure(
      cls, {types::boolean(), types::float64(), types::array(types::float64(), 1, Layout::C)});
  EXPECT_EQ(body->text, "Body(bool, float64, array(float64, 1d, C))");
  EXPECT_EQ(field_offset(body, 0), 0);
  EXPECT_EQ(field_offset(body, 1), 8);
  EXPECT_EQ(field_offset(body, 2), 16);
  EXPECT_TRUE(types::instance(cls, body)->counted);
}

TEST(Types, AreMadeByManyThreads) {
  std::vector<const Type *> made[4];
  std::vector<std::thread> threads;
  for (auto &mine : made)
    threads.emplace_back([&mine] {
      for (int i = 0; i < 200; ++i)
        mine.push_back(types::uniform_tuple(types::array(types::int64(), i % 30, Layout::A), i));
    });
  for (std::thread &thread : threads)
    thread.join();
  for (auto &mine : made)
    EXPECT_EQ(mine, made[0]);
}

TEST(Types, PrintAsNumbaPrintsThem) {
  const Type *i64 = types::int64(), *f64 = types::float64();
  const Const *point = object(ObjectKind::NamedTupleClass, "module.Point", {"x", "y"});
  const std::pair<const Type *, const char *> cases[] = {
      {types::boolean(), "bool"},
      {types::none(), "none"},
      {types::array(f64, 2, Layout::C), "array(float64, 2d, C)"},
      {types::array(f64, 2, Layout::F), "array(float64, 2d, F)"},
      {types::array(f64, 2, Layout::A), "array(float64, 2d, A)"},
      {types::array(f64, 2, Layout::I), "array(float64, 2d, A)"},
      {types::array(f64, 1, Layout::C, true), "readonly array(float64, 1d, C)"},
      {types::tuple({}), "Tuple()"},
      {types::uniform_tuple(i64, 1), "UniTuple(int64 x 1)"},
      {types::uniform_tuple(i64, 2), "UniTuple(int64 x 2)"},
      {types::tuple({i64, f64}), "Tuple(int64, float64)"},
      {types::named_tuple(point, {i64, i64}), "Point(int64 x 2)"},
      {types::named_tuple(point, {i64, f64}), "Point(int64, float64)"},
      {types::optional(i64), "OptionalType(int64)"},
      {types::list(f64), "reflected list(float64)"},
      {types::list(f64, true), "ListType[float64]"},
      {types::dict(i64, f64), "DictType[int64,float64]"},
      {types::set(i64), "reflected set(int64)"},
      {types::set(i64, true), "SetType[int64]"},
      {types::frozen_set(i64), "frozenset(int64)"},
      {types::dict_view(types::dict(i64, f64), constants::string("items")),
       "dict_items(DictType[int64,float64])"},
      {types::range(i64, types::Stride::One), "range_state_int64"},
      {types::slice(i64, i64, types::none()), "slice<a:b>"},
      {types::slice(types::none(), types::none(), i64), "slice<a:b:c>"},
      {types::dtype(f64), "dtype(float64)"},
      {types::pointer(f64), "float64*"},
      {types::ellipsis(), "..."},
      {types::iterator(types::list(f64), {i64}), "iter(reflected list(float64))"},
      {types::enumerate(types::list(f64)), "enumerate(reflected list(float64))"},
      {types::lazy(3, {types::array(f64, 1, Layout::A)}, f64, 1), "array(float64, 1d, C)"},
      {types::module(object(ObjectKind::Module, "numpy")), "Module(numpy)"},
      {types::function(object(ObjectKind::Builtin, "math.sin")), "Function(math.sin)"},
      {types::function(object(ObjectKind::Class, "numpy.float32")), "class(float32)"},
      {types::exception(object(ObjectKind::ExceptionClass, "builtins.ValueError"), {i64}),
       "ValueError"},
      {types::string(constants::string("abc")), "Literal[str](abc)"},
  };
  for (const auto &[type, text] : cases)
    EXPECT_EQ(type->text, text);
}

TEST(Types, ParseWhatTheyPrint) {
  const Type *i64 = types::int64(), *f64 = types::float64();
  std::vector<const Type *> all = {
      types::none(),
      types::owner(),
      types::undefined(),
      types::ellipsis(),
      types::optional(i64),
      types::tuple({}),
      types::tuple({i64}),
      types::tuple({i64, f64}),
      types::uniform_tuple(i64, 3),
      types::tuple({types::tuple({i64, f64}), types::uniform_tuple(f64, 2)}),
      types::list(types::list(i64)),
      types::list(types::set(i64), true),
      types::set(types::tuple({i64, f64})),
      types::set(i64, true),
      types::frozen_set(types::frozen_set(i64)),
      types::dict(types::tuple({i64, f64}), types::list(i64)),
      types::dict_view(types::dict(i64, f64), constants::string("keys")),
      types::dict_view(types::dict(i64, f64), constants::string("values")),
      types::range(i64, types::Stride::One),
      types::range(types::scalar(ScalarId::UInt8), types::Stride::Any),
      types::slice(i64, types::none(), i64),
      types::iterator(types::list(f64), {types::list(f64), i64}),
      types::enumerate(types::list(f64)),
      types::zip({types::list(f64), types::range(i64, types::Stride::Any)}),
      types::dtype(f64),
      types::pointer(types::pointer(f64)),
      types::pointer(types::owner())};
  for (int i = 0; i < kScalarCount; ++i)
    all.push_back(types::scalar(static_cast<ScalarId>(i)));
  for (Layout layout : {Layout::C, Layout::F, Layout::A, Layout::I})
    for (int ndim = 0; ndim < 4; ++ndim)
      for (bool readonly : {false, true})
        all.push_back(types::array(f64, ndim, layout, readonly));
  for (const Type *type : all) {
    types::ParseResult result = types::parse(type->precise);
    EXPECT_EQ(result.type, type) << type->precise << ": " << result.error;
  }
}

TEST(Types, ParseSignatureForms) {
  const Type *f64 = types::float64(), *i64 = types::int64();
  const std::pair<const char *, const Type *> cases[] = {
      {"f8", f64},
      {" double ", f64},
      {"intp", i64},
      {"boolean", types::boolean()},
      {"void", types::none()},
      {"float64[:]", types::array(f64, 1, Layout::A)},
      {"f8[::1]", types::array(f64, 1, Layout::C)},
      {"float64[:, ::1]", types::array(f64, 2, Layout::C)},
      {"float64[::1, :]", types::array(f64, 2, Layout::F)},
      {"float64[:,:,:]", types::array(f64, 3, Layout::A)},
      {"Array(float64, 2, 'C')", types::array(f64, 2, Layout::C)},
      {"Array(float64, 2, \"A\", True)", types::array(f64, 2, Layout::A, true)},
      {"Array(float64, 2, 'A', readonly=True, aligned=True)",
       types::array(f64, 2, Layout::A, true)},
      {"Tuple((int64, float64))", types::tuple({i64, f64})},
      {"Tuple([int64, float64])", types::tuple({i64, f64})},
      {"Tuple(())", types::tuple({})},
      {"UniTuple(int64, 3)", types::uniform_tuple(i64, 3)},
      {"Optional(int64)", types::optional(i64)},
      {"List(int64)", types::list(i64)},
      {"Tuple((float64[:], UniTuple(i8, 2)))",
       types::tuple({types::array(f64, 1, Layout::A), types::uniform_tuple(i64, 2)})},
  };
  for (const auto &[text, type] : cases) {
    types::ParseResult result = types::parse(text);
    EXPECT_EQ(result.type, type) << text << ": " << result.error;
  }
}

TEST(Types, ParseSignatures) {
  types::SignatureResult both = types::parse_signature("int32(int32, float64[:])");
  EXPECT_EQ(both.error, "");
  EXPECT_EQ(both.result, types::scalar(ScalarId::Int32));
  EXPECT_EQ(both.params.size(), 2u);
  types::SignatureResult only = types::parse_signature("(f8,)");
  EXPECT_EQ(only.error, "");
  EXPECT_EQ(only.result, nullptr);
  EXPECT_EQ(only.params, std::vector{types::float64()});
  EXPECT_EQ(types::parse_signature("void()").result, types::none());
  EXPECT_NE(types::parse_signature("int32").error, "");
}

TEST(Types, ParseErrorsPointIntoTheText) {
  const std::tuple<const char *, size_t, const char *> cases[] = {
      {"flaot64", 0, "unknown type 'flaot64'"},
      {"float64[:", 9, "expected ']'"},
      {"Tuple((int64, foo))", 14, "unknown type 'foo'"},
      {"int64 int64", 6, "unexpected text after the type"},
      {"float64[:, ::1, :]", 18, "only the first or the last axis can be contiguous"},
      {"", 0, "expected a type"},
  };
  for (const auto &[text, position, message] : cases) {
    types::ParseResult result = types::parse(text);
    EXPECT_EQ(result.type, nullptr) << text;
    EXPECT_EQ(result.error, message) << text;
    EXPECT_EQ(result.position, position) << text;
  }
}

TEST(Types, KnowTheirFields) {
  const Type *i64 = types::int64();
  const Type *c = types::array(types::float64(), 2, Layout::C);
  EXPECT_EQ(c->fields, (std::vector<const Type *>{types::pointer(types::float64()), types::owner(),
                                                  types::uniform_tuple(i64, 2)}));
  EXPECT_EQ(types::array(types::float64(), 2, Layout::I)->fields.size(), 4u);
  EXPECT_TRUE(c->counted);
  EXPECT_TRUE(types::tuple({i64, c})->counted);
  EXPECT_FALSE(types::tuple({i64, types::pointer(types::float64())})->counted);
  EXPECT_EQ(types::range(i64, types::Stride::One)->fields.size(), 3u);
  EXPECT_EQ(types::slice(i64, types::none(), i64)->fields.size(), 2u);
  EXPECT_EQ(types::optional(i64)->fields[0], types::boolean());
  EXPECT_EQ(types::lazy(1, {c}, types::float64(), 2)->dtype(), types::float64());
  EXPECT_EQ(types::enumerate(c)->fields, (std::vector<const Type *>{i64, c}));
}

TEST(Types, HaveLayouts) {
  const TypeLayout &array = layout_of(types::array(types::float64(), 2, Layout::C));
  ASSERT_EQ(array.leaves.size(), 4u);
  EXPECT_EQ(array.leaves[0].leaf, Leaf::Ptr);
  EXPECT_FALSE(array.leaves[0].owner);
  EXPECT_TRUE(array.leaves[1].owner);
  EXPECT_EQ(array.leaves[3].offset, 24u);
  EXPECT_EQ(array.size, 32u);

  // As struct { bool; struct { int8_t; double; }; float _Complex; } in C.
  const Type *i8 = types::scalar(ScalarId::Int8);
  const TypeLayout &mixed =
      layout_of(types::tuple({types::boolean(), types::tuple({i8, types::float64()}),
                              types::scalar(ScalarId::Complex64)}));
  std::vector<uint32_t> offsets;
  for (const LeafInfo &leaf : mixed.leaves)
    offsets.push_back(leaf.offset);
  EXPECT_EQ(offsets, (std::vector<uint32_t>{0, 8, 16, 24, 28}));
  EXPECT_EQ(mixed.size, 32u);
  EXPECT_EQ(mixed.align, 8u);
  EXPECT_EQ(layout_of(types::none()).leaves.size(), 0u);
  EXPECT_EQ(layout_of(types::scalar(ScalarId::Complex128)).size, 16u);
}

} // namespace
