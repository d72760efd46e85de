#include "pyext/call/versions.h"

#include "pyext/call/dispatcher_state.h"
#include "pyext/read/dispatchers.h"

#include <algorithm>

namespace numjit {

namespace {

/// What names meant in a compilation.
struct Names {
  explicit Names(const Snapshot &snapshot) : all(snapshot) {
    Snapshot others;
    for (const auto &[function, names] : snapshot)
      if (!function->dispatcher)
        others.emplace(function, names);
    of_others = std::make_shared<const Snapshot>(std::move(others));
  }

  const Snapshot &all;
  std::shared_ptr<const Snapshot> of_others;
};

/// Callers that are compiled later find what names meant in this version.
void note_version(const FunctionDef &function, const std::vector<const Type *> &arguments,
                  const Names &names) {
  std::vector<const void *> types(arguments.begin(), arguments.end());
  const auto own = names.all.find(&function);
  if (own == names.all.end() ||
      std::ranges::find(function.versions, types, &Version::arguments) != function.versions.end())
    return;
  function.versions.push_back({std::move(types), own->second, names.of_others});
}

/// Tells the functions that compiled code calls for which types they were compiled with it.
void note_called(std::vector<CalledFunction> &called, const Names &names) {
  for (CalledFunction &each : called) {
    auto *dispatcher = static_cast<PyObject *>(each.function->dispatcher);
    if (!dispatcher_check(dispatcher))
      continue;
    note_version(*each.function, each.arguments, names);
    std::vector<CalledFunction> &known =
        reinterpret_cast<DispatcherObject *>(dispatcher)->state->called;
    if (std::ranges::find(known, each.arguments, &CalledFunction::arguments) == known.end())
      known.push_back(std::move(each));
  }
}

} // namespace

void note_versions(const FunctionDef &function, const std::vector<const Type *> &arguments,
                   Compiled &compiled) {
  const Names names(compiled.snapshot);
  note_version(function, arguments, names);
  note_called(compiled.called, names);
}

} // namespace numjit
