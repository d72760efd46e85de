#include "pyext/call/versions.h"

#include "pyext/call/dispatcher_state.h"
#include "pyext/read/dispatchers.h"

#include <algorithm>
#include <iterator>

namespace numjit {

namespace {

/// Callers that are compiled later find what names meant in this version.
template <class IsNeeded>
void note_version(const FunctionDef &function, const std::vector<const Type *> &arguments,
                  const Snapshot &names, IsNeeded is_needed) {
  std::vector<const void *> types(arguments.begin(), arguments.end());
  const auto own = names.find(&function);
  if (own == names.end() ||
      std::ranges::find(function.versions, types, &Version::arguments) != function.versions.end())
    return;
  Snapshot others;
  std::ranges::copy_if(names, std::inserter(others, others.end()),
                       [&](const auto &each) { return is_needed(each.first); });
  function.versions.push_back(
      {std::move(types), own->second, std::make_shared<const Snapshot>(std::move(others))});
}

/// Tells the functions that compiled code calls for which types they were compiled with it.
void note_called(std::vector<CalledFunction> &called, const Snapshot &names) {
  for (CalledFunction &each : called) {
    auto *dispatcher = static_cast<PyObject *>(each.function->dispatcher);
    if (!dispatcher_check(dispatcher))
      continue;
    note_version(*each.function, each.arguments, names,
                 [&](const FunctionDef *other) { return each.others.contains(other); });
    std::vector<CalledFunction> &known =
        reinterpret_cast<DispatcherObject *>(dispatcher)->state->called;
    if (std::ranges::find(known, each.arguments, &CalledFunction::arguments) == known.end())
      known.push_back(std::move(each));
  }
}

} // namespace

void note_versions(const FunctionDef &function, const std::vector<const Type *> &arguments,
                   Compiled &compiled) {
  note_version(function, arguments, compiled.snapshot,
               [](const FunctionDef *other) { return !other->dispatcher; });
  note_called(compiled.called, compiled.snapshot);
}

} // namespace numjit
