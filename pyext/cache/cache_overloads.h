// What overloads of users were asked while code was made, in an entry of the cache. What they
// answered is in the script (cache_script.h).
#pragma once

#include "pyext/read/host.h"
#include "typeinfer/types/codec.h"

namespace numjit {

void write_question(Encoder &out, const OverloadQuestion &question);
OverloadQuestion read_question(Decoder &in);

} // namespace numjit
