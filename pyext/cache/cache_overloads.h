// What overloads of users were asked while code was made, and what they answered, in an entry of
// the cache. Functions that were chosen are lines of the script (cache_script.h), as more is read
// from them; the other answers follow it.
#pragma once

#include "pyext/read/host.h"
#include "typeinfer/types/codec.h"

namespace numjit {

void write_question(Encoder &out, const OverloadQuestion &question);
OverloadQuestion read_question(Decoder &in);

/// All answers but the functions.
void write_plain_answers(Encoder &out, const std::vector<OverloadAnswer> &answers);
/// Whether the overloads of this process give the answers that were written. Needs the GIL.
bool answers_are_the_same(Decoder &in);

} // namespace numjit
