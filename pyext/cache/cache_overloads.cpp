#include "pyext/cache/cache_overloads.h"

namespace numjit {

static void write_fact(Encoder &out, const Fact &fact) {
  out.type(fact.type);
  out.constant(fact.constant);
}

static Fact read_fact(Decoder &in) {
  const Type *type = in.type();
  return {type, in.constant()};
}

void write_question(Encoder &out, const OverloadQuestion &question) {
  out.text(question.name);
  out.number(question.of_member | question.literals_first << 1);
  out.number(question.positional.size());
  for (const Fact &fact : question.positional)
    write_fact(out, fact);
  out.number(question.keywords.size());
  for (const auto &[keyword, fact] : question.keywords) {
    out.text(keyword);
    write_fact(out, fact);
  }
}

OverloadQuestion read_question(Decoder &in) {
  OverloadQuestion question;
  question.name = in.text();
  const uint64_t flags = in.number_below(4);
  question.of_member = flags & 1;
  question.literals_first = flags & 2;
  for (uint64_t facts = in.number(); facts > 0; --facts)
    question.positional.push_back(read_fact(in));
  for (uint64_t facts = in.number(); facts > 0; --facts) {
    std::string keyword(in.text());
    question.keywords.emplace_back(std::move(keyword), read_fact(in));
  }
  if (question.of_member && question.positional.empty())
    throw BadBytes("a member of nothing");
  return question;
}

} // namespace numjit
