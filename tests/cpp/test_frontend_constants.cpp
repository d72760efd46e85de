// Interned constants and their text.
#include "frontend/constant.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <thread>

using namespace numjit;

namespace {

Const complex_row(double real, double imag) {
  Const row;
  row.kind = ConstKind::Complex;
  row.real = real;
  row.imag = imag;
  return row;
}

TEST(Constants, EqualOnesAreOneRow) {
  EXPECT_EQ(constants::integer(5), constants::integer(5));
  EXPECT_EQ(constants::string("a"), constants::string("a"));
  EXPECT_EQ(constants::none(), constants::intern({}));
  EXPECT_EQ(constants::tuple({constants::integer(1), constants::none()}),
            constants::tuple({constants::integer(1), constants::none()}));
}

TEST(Constants, TypesAndBitsCount) {
  EXPECT_NE(constants::integer(1), constants::boolean(true));
  EXPECT_NE(constants::integer(1), constants::floating(1));
  EXPECT_NE(constants::floating(0.0), constants::floating(-0.0));
  EXPECT_EQ(constants::floating(std::nan("")), constants::floating(std::nan("")));
  Const int32;
  int32.kind = ConstKind::Int;
  int32.scalar = "int32";
  int32.integer = 1;
  EXPECT_NE(constants::intern(int32), constants::integer(1));
  Object first, second;
  EXPECT_NE(constants::object(&first), constants::object(&second));
}

TEST(Constants, AreInternedByManyThreads) {
  std::vector<const Const *> rows[4];
  std::vector<std::thread> threads;
  for (auto &mine : rows)
    threads.emplace_back([&mine] {
      for (int i = 0; i < 2000; ++i)
        mine.push_back(constants::tuple({constants::integer(i), constants::floating(i)}));
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const auto &mine : rows)
    EXPECT_EQ(mine, rows[0]);
}

TEST(Constants, PrintAsInPython) {
  EXPECT_EQ(to_string(*constants::none()), "None");
  EXPECT_EQ(to_string(*constants::boolean(true)), "True");
  EXPECT_EQ(to_string(*constants::ellipsis()), "Ellipsis");
  EXPECT_EQ(to_string(*constants::integer(-7)), "-7");
  EXPECT_EQ(to_string(*constants::floating(0.1)), "0.1");
  EXPECT_EQ(to_string(*constants::floating(100)), "100.0");
  EXPECT_EQ(to_string(*constants::floating(1e15)), "1000000000000000.0");
  EXPECT_EQ(to_string(*constants::floating(1e22)), "1e+22");
  EXPECT_EQ(to_string(*constants::floating(-std::numeric_limits<double>::infinity())), "-inf");
  EXPECT_EQ(to_string(*constants::string("it's\n")), "\"it's\\n\"");
  EXPECT_EQ(to_string(*constants::string("a\\b")), "'a\\\\b'");
  EXPECT_EQ(to_string(*constants::tuple({})), "()");
  EXPECT_EQ(to_string(*constants::tuple({constants::integer(1)})), "(1,)");
  EXPECT_EQ(to_string(*constants::intern(complex_row(0, 2))), "2j");
  EXPECT_EQ(to_string(*constants::intern(complex_row(1.5, -2))), "(1.5-2j)");
  Const big;
  big.kind = ConstKind::Int;
  big.is_unsigned = true;
  big.integer = -1;
  EXPECT_EQ(to_string(*constants::intern(big)), "18446744073709551615");
  Const scalar;
  scalar.kind = ConstKind::Float;
  scalar.scalar = "float32";
  scalar.real = 2.5;
  EXPECT_EQ(to_string(*constants::intern(scalar)), "float32(2.5)");
  Const bytes;
  bytes.kind = ConstKind::Bytes;
  bytes.text = std::string("a\0'", 3);
  EXPECT_EQ(to_string(*constants::intern(bytes)), "b'a\\x00\\''");
}

} // namespace
