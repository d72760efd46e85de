// np.datetime64 and np.timedelta64: an int64 with a unit in its type. What can be done with them is
// written in Python (library/numpy/times.py) over these few intrinsics.
#include "typeinfer/infer/engine.h"
#include "typeinfer/infer/unify.h"

#include <cctype>
#include <charconv>

namespace numjit {

namespace {

/// numjit.time_value(x): the number of units, an int64; integers pass.
Operand time_value(Emitter &e, Operands &a) {
  Operand x = e.unwrap(a[0]);
  return x.type->is_time() ? e.field(x, 0) : e.cast(x, types::int64());
}

/// The type of a value, of what an array holds, or of what a dtype means.
const Type *time_in(const Operand &a) {
  if (is_arraylike(a.type))
    return a.type->dtype();
  const Type *item = a.type->is_item() ? nullptr : item_of_dtype(a);
  return item ? item : a.type;
}

/// numjit.time_unit(x): NumPy's number of the unit of a value, an array or a dtype.
Operand time_unit(Emitter &e, Operands &a) {
  const Type *type = time_in(a[0]);
  return e.i64(type->is_time() ? type->numbers[0] : static_cast<int64_t>(kGeneric));
}

int unit_argument(Emitter &e, const Operand &a) {
  if (a.type->kind == Kind::String) {
    const int unit = time_unit_named(a.type->constant->text);
    if (unit >= 0)
      return unit;
    e.fail_as("NumbaTypeError", "Invalid datetime unit \"" + a.type->constant->text + "\"");
  }
  if (!a.constant || a.constant->kind != ConstKind::Int)
    e.fail("the unit must be known at compile time");
  return static_cast<int>(a.constant->integer);
}

Operand make_datetime(Emitter &e, Operands &a) {
  return e.make(types::datetime(unit_argument(e, a[1])), {e.cast(a[0], types::int64())});
}
Operand make_timedelta(Emitter &e, Operands &a) {
  return e.make(types::timedelta(unit_argument(e, a[1])), {e.cast(a[0], types::int64())});
}

/// numjit.time_kind(x): "M" of datetime64, "m" of timedelta64 (arrays of them too), else "".
Operand time_kind(Emitter &e, Operands &a) {
  const Type *type = time_in(a[0]);
  return e.constant(constants::string(type->kind == Kind::Datetime    ? "M"
                                      : type->kind == Kind::Timedelta ? "m"
                                                                      : ""));
}

const Builtin kTimeRows[] = {
    {"numjit.time_value", "x", time_value},
    {"numjit.time_unit", "x", time_unit, true},
    {"numjit.time_kind", "x", time_kind, true},
    {"numjit.make_datetime", "value unit", make_datetime},
    {"numjit.make_timedelta", "value unit", make_timedelta},
};

int64_t days_from_civil(int64_t year, int64_t month, int64_t day) {
  year -= month <= 2;
  const int64_t era = (year >= 0 ? year : year - 399) / 400, of_era = year - era * 400;
  const int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

struct Moment {
  int64_t value = 0;
  int unit = kGeneric;
};

/// An integer of so many digits (0: of any number) at the front of a text, and what is behind it.
bool take_number(std::string_view &text, size_t digits, int64_t &value) {
  size_t length = 0;
  while (length < text.size() && std::isdigit(static_cast<unsigned char>(text[length])) &&
         (!digits || length < digits))
    ++length;
  if (!length || (digits && length != digits) || length > 18)
    return false;
  const std::string_view number = text.substr(0, length);
  std::from_chars(number.data(), number.data() + number.size(), value);
  text.remove_prefix(length);
  return true;
}

bool take(std::string_view &text, char c) {
  if (text.empty() || text[0] != c)
    return false;
  text.remove_prefix(1);
  return true;
}

/// "2020-01-31T10:20:30.123" in the unit that its last part has; false if it is no such text.
bool parse_moment(std::string_view text, Moment &moment) {
  if (text == "NaT" || text.empty()) {
    moment.value = INT64_MIN;
    return true;
  }
  auto number = [&](size_t digits, int64_t &value) { return take_number(text, digits, value); };
  auto next = [&](char c) { return take(text, c); };
  const bool negative = next('-');
  int64_t year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0;
  if (!number(0, year))
    return false;
  year = negative ? -year : year;
  moment = {year - 1970, kYear};
  if (!next('-'))
    return text.empty();
  if (!number(2, month) || month < 1 || month > 12)
    return false;
  moment = {(year - 1970) * 12 + month - 1, kMonth};
  if (!next('-'))
    return text.empty();
  if (!number(2, day) || day < 1 || day > 31)
    return false;
  moment = {days_from_civil(year, month, day), kDay};
  if (!next('T') && !next(' '))
    return text.empty();
  if (!number(2, hour) || hour > 23)
    return false;
  moment = {moment.value * 24 + hour, kDay + 1};
  if (!next(':'))
    return text.empty();
  if (!number(2, minute) || minute > 59)
    return false;
  moment = {moment.value * 60 + minute, kDay + 2};
  if (!next(':'))
    return text.empty();
  if (!number(2, second) || second > 59)
    return false;
  moment = {moment.value * 60 + second, kSecond};
  if (!next('.'))
    return text.empty();
  while (!text.empty() && moment.unit < kAttosecond) {
    int64_t part = 0;
    for (int i = 0; i < 3; ++i) {
      int64_t digit = 0;
      if (!text.empty() && !number(1, digit))
        return false;
      part = part * 10 + digit;
    }
    moment = {moment.value * 1000 + part, moment.unit + 1};
  }
  return text.empty();
}

} // namespace

BuiltinTable time_builtins() { return kTimeRows; }

Operand time_constant(Emitter &e, const Type *type, int64_t value) {
  Const made;
  made.kind = ConstKind::Int;
  made.scalar = type->text;
  made.integer = value;
  return e.constant(constants::intern(std::move(made)));
}

Operand make_time(Emitter &e, Kind kind, const Operands &arguments) {
  const bool date = kind == Kind::Datetime;
  const std::string name = date ? "datetime64" : "timedelta64";
  auto type = [&](int unit) { return date ? types::datetime(unit) : types::timedelta(unit); };
  if (arguments.empty())
    return time_constant(e, type(kGeneric), INT64_MIN);
  if (arguments.size() > 2)
    e.fail(name + "() takes at most 2 arguments");
  const int given = arguments.size() > 1 ? unit_argument(e, arguments[1]) : -1;
  Operand x = e.unwrap(arguments[0]);
  if (x.type->kind == Kind::String) {
    Moment moment;
    const std::string &text = x.type->constant->text;
    if (!parse_moment(text, moment) || (!date && moment.unit != kGeneric))
      e.fail_as("NumbaValueError", "Error parsing " + name + " string \"" + text + "\"");
    if (moment.unit == kGeneric && given >= 0)
      moment.unit = given;
    Operand made = time_constant(e, type(moment.unit), moment.value);
    return given < 0 || given == moment.unit
               ? made
               : e.library("numjit.convert_time", {made, e.unit(types::dtype(type(given)))});
  }
  if (x.type->kind == kind) {
    if (given < 0 || given == x.type->numbers[0])
      return x;
    return e.library("numjit.convert_time", {x, e.unit(types::dtype(type(given)))});
  }
  if (x.type->kind == Kind::None)
    return time_constant(e, type(std::max(given, 0)), INT64_MIN);
  if (!x.type->is_integer() && !x.type->is_bool())
    e.fail("Could not convert " + x.type->text + " to " + name);
  if (date && given < 0)
    e.fail_as("NumbaValueError",
              "Converting an integer to a NumPy datetime requires a specified unit");
  const Type *result = type(given < 0 ? static_cast<int>(kGeneric) : given);
  if (x.constant && x.constant->kind == ConstKind::Int)
    return time_constant(e, result, x.constant->integer);
  return e.make(result, {e.cast(x, types::int64())});
}

} // namespace numjit
