#pragma once

namespace numjit {

/// Gives the runtime what only Python can do: counting its objects, signal handlers, print.
void install_hooks();

} // namespace numjit
