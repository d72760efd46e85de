#pragma once

namespace numjit {

/// Sets the runtime's hooks into Python: counts of its objects, signal handlers, print.
void install_hooks();

} // namespace numjit
