// Types and constants as bytes, and back. Python objects in them are the business of the caller.
#pragma once

#include "frontend/digest.h"
#include "typeinfer/types/types.h"

#include <functional>
#include <stdexcept>

namespace numjit {

class Encoder {
public:
  using WriteObject = std::function<void(Encoder &, const Object &)>;
  explicit Encoder(WriteObject object) : object_(std::move(object)) {}

  std::string bytes;

  void number(uint64_t value); ///< few bytes for small ones
  void real(double value);
  void text(std::string_view value);
  void digest(const Digest &value);
  void type(const Type *value); ///< may be null
  void types(const std::vector<const Type *> &values);
  void constant(const Const *value); ///< may be null

private:
  WriteObject object_;
};

/// What is decoded is not what an Encoder made.
struct BadBytes : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Decoder {
public:
  /// Reads what WriteObject wrote.
  using ReadObject = std::function<const Object *(Decoder &)>;
  Decoder(std::string_view bytes, ReadObject object) : rest_(bytes), object_(std::move(object)) {}

  uint64_t number();
  uint64_t number_below(uint64_t limit);
  double real();
  std::string_view text();
  Digest digest();
  const Type *type();
  std::vector<const Type *> types();
  const Const *constant();
  bool at_end() const { return rest_.empty(); }

private:
  std::string_view take(size_t count);

  std::string_view rest_;
  ReadObject object_;
  int depth_ = 0;
};

} // namespace numjit
