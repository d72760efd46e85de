// The threads of parallel loops.
#pragma once

#include <cstdint>
#include <functional>

namespace numjit::pool {

/// Between these two the pool is in use, with `threads` together with the calling one. False: there
/// are none.
bool enter(int64_t threads);
void leave();

/// Has one of the threads run a task, soon. Between enter and leave, or in a task.
void enqueue(std::function<void()> task);

} // namespace numjit::pool
