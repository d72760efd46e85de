// Which of several explicit signatures a call is converted to.
#include "pyext/dispatcher_state.h"
#include "typeinfer/unify.h"

#include <array>

namespace numjit {

namespace {

using scalar::Conversion;

/// How many arguments need each kind of conversion, the worst kind first: the smallest rating wins.
using Rating = std::array<int, 3>;

bool rate(const std::vector<const Type *> &from, const std::vector<const Type *> &to,
          Rating &rating) {
  if (from.size() != to.size())
    return false;
  rating = {};
  for (size_t i = 0; i < from.size(); ++i)
    switch (type_conversion(from[i], to[i])) {
    case Conversion::Exact: break;
    case Conversion::Promote: ++rating[2]; break;
    case Conversion::Safe: ++rating[1]; break;
    case Conversion::Unsafe: ++rating[0]; break;
    case Conversion::None: return false;
    }
  return true;
}

std::string listed(const std::vector<const Type *> &types) {
  std::string text;
  for (const Type *type : types)
    text += (text.empty() ? "" : ", ") + type->text;
  return text;
}

/// The signatures, one a line.
template <class List>
std::string choices(const List &specializations) {
  std::string text;
  for (const auto &each : specializations)
    if (each->result())
      text += "\n(" + listed(each->arguments()) + ") -> " + each->result()->text;
  return text;
}

} // namespace

Specialization *best_match(const DispatcherObject *dispatcher,
                           const std::vector<const Type *> &arguments) {
  std::vector<Specialization *> best;
  Rating best_rating{};
  for (const auto &candidate : dispatcher->state->specializations) {
    Rating rating;
    if (candidate->callable() || !rate(arguments, candidate->arguments(), rating))
      continue;
    if (best.empty() || rating < best_rating) {
      best = {candidate.get()};
      best_rating = rating;
    } else if (rating == best_rating) {
      best.push_back(candidate.get());
    }
  }
  if (best.size() == 1)
    return best[0];
  if (best.empty()) {
    std::string accepted = choices(dispatcher->state->specializations);
    PyErr_Format(PyExc_TypeError, "No matching definition for argument type(s) %s%s%s",
                 listed(arguments).c_str(),
                 accepted.empty() ? "" : "; accepted are:", accepted.c_str());
    return nullptr;
  }
  PyErr_Format(PyExc_TypeError, "Ambiguous overloading for %R (%s):%s", dispatcher->function,
               listed(arguments).c_str(), choices(best).c_str());
  return nullptr;
}

} // namespace numjit
