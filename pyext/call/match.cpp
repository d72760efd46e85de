// Which of several explicit signatures a call is converted to.
#include "pyext/call/dispatcher_state.h"
#include "typeinfer/infer/unify.h"

#include <array>

namespace numjit {

namespace {

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
  std::array<int, 3> best_rating{};
  for (const auto &candidate : dispatcher->state->specializations) {
    const auto rating = conversion_rating(arguments, candidate->arguments());
    if (candidate->callable() || !rating)
      continue;
    if (best.empty() || *rating < best_rating) {
      best = {candidate.get()};
      best_rating = *rating;
    } else if (*rating == best_rating) {
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
