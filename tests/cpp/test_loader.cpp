// Portable machine code: what one process emits is loaded again, and damaged files are refused.
#include "codegen/load/loader.h"
#include "codegen/load/symbols.h"
#include "frontend/digest.h"
#include "tests/cpp/codegen_test.h"
#include "typeinfer/types/codec.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>

using namespace numjit;

namespace {

constexpr const char *kText = R"(
function @f(x: float64) -> float64 may_raise {
b0:
  %0: float64 = param.0
  %1: float64 = const 1
  %2: bool = scalar.gt %0, %1
  branch %2, b1, b2
b1: from b0
  %3: float64 = call @rare(%0)
  return %3
b2: from b0
  %4: float64 = scalar.sin %0
  return %4
}

function @rare(x: float64) -> float64 may_raise inline_never rare {
b0:
  %0: float64 = param.0
  %1: float64 = const 100
  %2: float64 = scalar.mul %0, %1
  return %2
}
)";

std::shared_ptr<tir::Module> module_of(const char *text) { return parse_verified(text); }

/// Counts what is asked for; keeps rare functions in memory as the cache does on disk.
class Store : public codegen::RareCode {
public:
  explicit Store(const char *text) : text_(text) {}
  std::shared_ptr<const tir::Module> module() override {
    ++inferred;
    return module_of(text_);
  }
  bool find(size_t function, codegen::Object &object) override {
    if (parts.size() <= function || parts[function].file.empty())
      return false;
    object = parts[function];
    return true;
  }
  void keep(size_t function, const codegen::Object &object) override {
    parts.resize(std::max(parts.size(), function + 1));
    parts[function] = object;
  }

  std::vector<codegen::Object> parts;
  int inferred = 0;

private:
  const char *text_;
};

double call(codegen::MachineCode &code, double x) {
  const Slots arguments(x);
  uint64_t result = 0;
  EXPECT_EQ(code.entry()(arguments.slots.data(), &result), 0);
  return std::bit_cast<double>(result);
}

TEST(Loader, PortableCodeIsLoadedAgain) {
  auto store = std::make_shared<Store>(kText);
  codegen::Object object;
  auto first = codegen::compile_portable(*module_of(kText), store, object);
  EXPECT_EQ(call(*first, 0.5), std::sin(0.5));
  first.reset();
  auto second = codegen::load_portable(object, store);
  EXPECT_EQ(call(*second, 0.5), std::sin(0.5));
  EXPECT_EQ(store->inferred, 0);
  EXPECT_EQ(call(*second, 2), 200); // made when it is called, and kept
  EXPECT_EQ(store->inferred, 1);
  auto third = codegen::load_portable(object, store);
  EXPECT_EQ(call(*third, 3), 300);
  EXPECT_EQ(store->inferred, 1);
}

TEST(Loader, DamagedFilesAreRefusedOrLoaded) {
  codegen::Object object;
  codegen::compile_portable(*module_of(kText), std::make_shared<Store>(kText), object);
  auto try_to_load = [](const std::string &file) {
    try {
      codegen::load_file(file,
                         [](std::string_view) { return reinterpret_cast<void *>(&std::abort); });
    } catch (const InternalError &) {  // refused
    } catch (const std::bad_alloc &) { // a section of a gigabyte
    }
  };
  for (size_t size = 0; size < object.file.size(); size += 3)
    try_to_load(object.file.substr(0, size));
  std::mt19937 chance(3);
  for (int i = 0; i < 20000; ++i) {
    std::string file = object.file;
    for (int flips = 1 + static_cast<int>(chance() % 3); flips > 0; --flips)
      file[chance() % file.size()] ^= static_cast<char>(1 << chance() % 8);
    try_to_load(file);
  }
}

TEST(Loader, AMissingSymbolIsNamed) {
  codegen::Object object;
  codegen::compile_portable(*module_of(kText), std::make_shared<Store>(kText), object);
  try {
    codegen::load_file(object.file, [](std::string_view) { return nullptr; });
    FAIL();
  } catch (const InternalError &error) {
    EXPECT_NE(std::string(error.what()).find("there is no "), std::string::npos) << error.what();
  }
}

// --- bytes of types and constants ----------------------------------------------------------------

TEST(Codec, TypesComeBack) {
  const Const *items[] = {constants::integer(-5),    constants::floating(-0.0),
                          constants::string("text"), constants::none(),
                          constants::ellipsis(),     constants::boolean(true)};
  const Type *types[] = {
      types::int64(),
      types::none(),
      types::array(types::float64(), 2, Layout::F, true),
      types::tuple({types::int64(), types::list(types::optional(types::boolean()))}),
      types::range(types::int64(), types::Stride::One),
      types::string(constants::string("name")),
      types::slice(types::none(), types::int64(), types::none()),
      types::lazy(3, {types::array(types::float64(), 1, Layout::C)}, types::float64(), 1),
      types::pointer(types::owner()),
      types::maybe(types::int64()),
  };
  Encoder out([](Encoder &, const Object &) { FAIL(); });
  for (const Type *type : types)
    out.type(type);
  for (const Const *item : items)
    out.constant(item);
  out.constant(constants::tuple({items[0], constants::tuple({items[2]})}));
  Decoder in(out.bytes, [](Decoder &) -> const Object * { return nullptr; });
  for (const Type *type : types)
    EXPECT_EQ(in.type(), type) << type->precise;
  for (const Const *item : items)
    EXPECT_EQ(in.constant(), item);
  EXPECT_EQ(in.constant(), constants::tuple({items[0], constants::tuple({items[2]})}));
  EXPECT_TRUE(in.at_end());
}

TEST(Digest, TellsDataApart) {
  EXPECT_EQ(digest_of("abc"), digest_of(std::string("abc")));
  std::vector<Digest> digests;
  for (size_t length = 0; length < 40; ++length)
    digests.push_back(digest_of(std::string(length, '\0')));
  for (size_t bit = 0; bit < 320; ++bit) {
    std::string data(40, '\0');
    data[bit / 8] = static_cast<char>(1 << bit % 8);
    digests.push_back(digest_of(data));
  }
  std::sort(digests.begin(), digests.end());
  EXPECT_EQ(std::adjacent_find(digests.begin(), digests.end()), digests.end());
  EXPECT_EQ(digests.front().hex().size(), 32u);
}

} // namespace
