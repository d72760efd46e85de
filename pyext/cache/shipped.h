// Entries that came to this process with pickles: the content of files of the cache (cache.h), by
// their keys. They are found and checked as files are. All of it needs the GIL.
#pragma once

#include "frontend/digest.h"

#include <memory>
#include <string>

namespace numjit {

/// Whether any came: without, nothing has to be looked for.
bool any_code_shipped();

/// Keeps an entry; ignores content that is none. The newest 64 MB are kept.
void receive_code(std::string entry);

/// The entry with that key, as it would be in a file; null if none came.
std::shared_ptr<const std::string> shipped_code(const Digest &key);

} // namespace numjit
