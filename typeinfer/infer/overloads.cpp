#include "typeinfer/infer/overloads.h"

#include "typeinfer/infer/engine.h"

#include <algorithm>

namespace numjit {

namespace {

/// The fact of an argument as an overload sees it: element-wise expressions are arrays.
Fact evaluated(Emitter &e, const Operand &argument) {
  DryScope dry(e);
  return force(e, argument).fact();
}

/// An argument of which the type alone is known.
Operand hide_value(Emitter &e, const Operand &argument) {
  DryScope dry(e);
  Operand hidden = e.unliteral(force(e, argument));
  if (holds_value(hidden.type))
    hidden.constant = nullptr;
  return hidden;
}

/// The choice among the overloads of one name for the arguments of one call. An overload is asked
/// with plain types; if what it returns asks for a value, literally(x), it is asked again with the
/// literal type of that argument.
class OverloadCall {
public:
  OverloadCall(Emitter &e, const std::string &name, CallArguments &arguments)
      : e_(e), name_(name), arguments_(arguments) {
    for (const Operand &a : arguments.positional)
      facts_.push_back(evaluated(e, a));
    for (const auto &[keyword, a] : arguments.keywords)
      facts_.push_back(evaluated(e, a));
  }

  Host::Choice choose() {
    Host::Choice plain = choose(facts_, false);
    if (const Host::Choice informed = choose_by_initial_values(plain); informed.function)
      return informed;
    std::vector<size_t> known;
    for (size_t i = 0; i < facts_.size(); ++i)
      if (hide_value(e_, argument(arguments_, i)).fact() != facts_[i])
        known.push_back(i);
    if (!plain.function || known.empty() || !wants_value(*plain.function, hide_all_but({})))
      return plain;
    std::vector<std::vector<size_t>> choices;
    for (size_t i : known)
      choices.push_back({i});
    if (known.size() > 1)
      choices.push_back(known);
    for (const std::vector<size_t> &shown : choices) {
      CallArguments given = hide_all_but(shown);
      if (wants_value(*plain.function, given)) // of another argument: callbacks do not see these
        continue;
      std::vector<Fact> facts;
      for (size_t i = 0; i < facts_.size(); ++i)
        facts.push_back(argument(given, i).fact());
      const Host::Choice choice = choose(facts, true);
      if (choice.function && wants_value(*choice.function, std::move(given)))
        continue;
      if (choice.function) // values of literal types are known in it
        e_.engine.specialize_on_constants(*choice.function, facts_);
      if (choice.function || choice.wrong)
        return choice;
    }
    return plain;
  }

  std::string types() const {
    std::string text;
    for (size_t i = 0; i < facts_.size(); ++i) {
      text += i ? ", " : "";
      if (i >= arguments_.positional.size())
        text += arguments_.keywords[i - arguments_.positional.size()].first + "=";
      text += facts_[i].type->text;
    }
    return text;
  }

private:
  /// The positional arguments, then those with keywords.
  static Operand &argument(CallArguments &arguments, size_t index) {
    const size_t count = arguments.positional.size();
    return index < count ? arguments.positional[index] : arguments.keywords[index - count].second;
  }

  CallArguments hide_all_but(const std::vector<size_t> &shown) {
    CallArguments given = arguments_;
    for (size_t i = 0; i < facts_.size(); ++i) {
      Operand &a = argument(given, i);
      if (std::ranges::find(shown, i) == shown.end())
        a = hide_value(e_, a);
      else
        a = {facts_[i].type, facts_[i].constant, nullptr, a.position};
    }
    return given;
  }

  Host::Choice choose(const std::vector<Fact> &facts, bool literals_first) {
    const size_t count = arguments_.positional.size();
    const std::vector<Fact> positional(facts.begin(), facts.begin() + count);
    Host::Keywords keywords;
    for (size_t i = count; i < facts.size(); ++i)
      keywords.emplace_back(arguments_.keywords[i - count].first, facts[i]);
    Host &host = e_.engine.host;
    Host::Choice choice;
    if (e_.on_device() && host.has_overloads(name_ + "@cuda"))
      choice = host.choose_overload(name_ + "@cuda", positional, keywords, literals_first);
    if (!choice.function && !choice.wrong && host.has_overloads(name_))
      choice = host.choose_overload(name_, positional, keywords, literals_first);
    return choice;
  }

  /// The choice where overloads see what containers are written down with: `x.initial_value`. That
  /// is so once an overload has answered with a function that calls literally().
  Host::Choice choose_by_initial_values(const Host::Choice &plain) {
    std::vector<Fact> facts = facts_;
    for (size_t i = 0; i < facts.size(); ++i)
      if (const Const *initial = argument(arguments_, i).initial)
        facts[i].constant = initial;
    if (facts == facts_ || !plain.function ||
        std::ranges::find(plain.function->code.names, "literally") ==
            plain.function->code.names.end())
      return {};
    return choose(facts, true);
  }

  /// Whether a function asks for the value of an argument that is not shown to it. Other errors are
  /// found when it is called.
  bool wants_value(FunctionDef &function, CallArguments given) {
    DryScope dry(e_);
    try {
      call_function(e_, function, {}, std::move(given));
    } catch (const CompileError &error) {
      return error.cls == "LiteralTypingError";
    } catch (const NotKnownYet &) {
    } catch (const EndlessRecursion &) { // a value that is hidden may end it
    }
    return false;
  }

  Emitter &e_;
  const std::string &name_;
  CallArguments &arguments_;
  std::vector<Fact> facts_; ///< as argument() counts them
};

} // namespace

/// What overloads said, but for those that are for other types (numjit.extending writes the lines).
static std::string complaints(const std::string &tried) {
  std::string found;
  for (size_t begin = 0; begin < tried.size();) {
    const size_t end = std::min(tried.find('\n', begin), tried.size());
    const std::string line = tried.substr(begin, end - begin);
    if (!line.ends_with(": not for these types"))
      found += (found.empty() ? "" : "\n") + line;
    begin = end + 1;
  }
  return found;
}

bool call_overload(Emitter &e, const std::string &name, CallArguments &arguments, Operand &result,
                   std::string *said) {
  OverloadCall call(e, name, arguments);
  const Host::Choice choice = call.choose();
  if (choice.function) {
    for (Operand &a : arguments.positional)
      a = force(e, a);
    for (auto &[keyword, a] : arguments.keywords)
      a = force(e, a);
    result = call_function(e, *choice.function, {}, std::move(arguments));
    return true;
  }
  if (choice.wrong)
    e.fail(choice.tried);
  if (find_builtin(name) || scalar::by_name(name) || name.starts_with("operator.") ||
      e.engine.host.library(name)) {
    if (said)
      *said = complaints(choice.tried);
    return false;
  }
  // "method .name" is how a method is registered; users know it by its name.
  const size_t space = name.find(' ');
  const std::string shown = space == std::string::npos ? name : name.substr(space + 2);
  e.fail_as(choice.asks_for_literals ? "LiteralTypingError" : "TypingError",
            "No implementation of function " + shown + " found for signature " + shown + "(" +
                call.types() + ")" + (choice.tried.empty() ? "" : "\n" + choice.tried));
}

bool call_operator_overload(Emitter &e, std::string_view name, Operands operands, Operand &result,
                            std::string *said) {
  if (e.def->is_library) // what the library computes with are its own values
    return false;
  const std::string full = "operator." + std::string(name);
  if (!e.engine.host.has_overloads(full))
    return false;
  CallArguments arguments;
  arguments.positional = std::move(operands);
  return call_overload(e, full, arguments, result, said);
}

} // namespace numjit
