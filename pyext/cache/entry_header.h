// What an entry of the cache begins with: what it is, its key, and a digest of the rest.
#pragma once

#include "frontend/digest.h"

#include <string>
#include <string_view>

namespace numjit {

std::string header_of(const Digest &key, std::string_view content);

/// Whether it is the entry with this key, and whole; takes the header off.
bool take_header(std::string &content, const Digest &key);

/// The key (in hexadecimal) that the content of a file begins with; empty if that is no entry.
std::string key_of_entry(std::string_view content);

} // namespace numjit
