// numjit-opt: typed IR through passes, as text.
//
//   numjit-opt FILE [--lines FIRST:LAST] [WORD...]
//
// Lines that begin with `;` are comments. A word is the name of a pass; `all` (the whole list); a
// part of a pass (kParts); `llvm-raw`, `llvm` or `asm` (the module after code generation, last);
// `target=cuda` or `target=simulator`, `race-check` or `no-polls`. The module is verified before
// and after each pass. Exit codes: 0, 1 the module is broken, 2 the command line or the text is
// wrong.
#include "codegen/compiler.h"
#include "typeinfer/errors.h"
#include "typeinfer/passes/frames.h"
#include "typeinfer/passes/inline.h"
#include "typeinfer/passes/passes.h"
#include "typeinfer/passes/simplify.h"

#include <charconv>
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

using namespace numjit;

namespace {

struct Options {
  const char *file = nullptr;
  size_t first_line = 1, last_line = ~size_t(0);
  std::vector<std::string> words;
};

/// Takes a number from the front of a text.
bool take_number(std::string_view &text, size_t &number) {
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<size_t>(rest - text.data()));
  return error == std::errc();
}

/// FIRST:LAST
bool parse_lines(std::string_view text, Options &options) {
  if (!take_number(text, options.first_line) || !text.starts_with(':'))
    return false;
  text.remove_prefix(1);
  return take_number(text, options.last_line) && text.empty();
}

bool parse(int argc, char **argv, Options &options) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--lines") {
      ++i;
      if (i == argc || !parse_lines(argv[i], options))
        return false;
    } else if (!options.file) {
      options.file = argv[i];
    } else {
      options.words.push_back(word);
    }
  }
  return options.file != nullptr;
}

/// The wanted lines of the file; others, and comments, are empty, so that line numbers hold.
bool read(const Options &options, std::string &text) {
  std::ifstream file(options.file);
  std::string line;
  for (size_t number = 1; std::getline(file, line); ++number) {
    const bool wanted = number >= options.first_line && number <= options.last_line;
    text += (wanted && !line.starts_with(';') ? line : "") + "\n";
  }
  return file.eof();
}

void check(const tir::Function &function, const std::string &when) {
  if (const std::string broken = tir::verify(function); !broken.empty())
    throw InternalError("typed IR is broken " + when + ": " + broken + "\n" + print(function));
}

void check(const tir::Module &module, const std::string &when) {
  for (const auto &function : module.functions)
    check(*function, when);
}

const passes::Pass *pass_named(const std::string &name) {
  for (const passes::Pass &pass : passes::all_passes())
    if (pass.name == name)
      return &pass;
  return nullptr;
}

void inline_calls(tir::Function &function) {
  std::vector<tir::Value *> calls;
  for (tir::Block *block : function.blocks)
    for (tir::Value *value : block->values)
      if (value->op == tir::Op::Call && tir::may_inline(function, *value))
        calls.push_back(value);
  for (tir::Value *call : calls)
    tir::inline_call(function, *call);
  passes::remove_unreachable(function);
}

/// Parts of the pass `generators`, and of `cleanup`.
struct Part {
  const char *name;
  void (*run)(tir::Function &function);
};
constexpr Part kParts[] = {
    {"inline-calls", inline_calls},
    {"promote-frames", [](tir::Function &function) { passes::promote_frames(function); }},
    {"thread-jumps", [](tir::Function &function) { passes::thread_jumps(function); }},
    {"tidy", [](tir::Function &function) { passes::tidy(function); }},
};

bool run_part(tir::Module &module, const std::string &word) {
  for (const Part &part : kParts) {
    if (word != part.name)
      continue;
    for (const auto &function : module.functions)
      part.run(*function);
    check(module, "after " + word);
    return true;
  }
  return false;
}

/// False: there is no such word.
bool run_word(tir::Module &module, const std::string &word, passes::PassOptions &options) {
  if (word == "target=cuda")
    module.target = tir::Target::Cuda;
  else if (word == "target=simulator")
    module.target = tir::Target::Simulator;
  else if (word == "race-check")
    module.simulated.race_check = true;
  else if (word == "no-polls")
    options.polls = false;
  else if (word == "all")
    passes::run_passes(module, options);
  else if (const passes::Pass *pass = pass_named(word)) {
    pass->run(module, options);
    check(module, "after " + word);
  } else {
    return run_part(module, word);
  }
  return true;
}

std::string text_of(const tir::Module &module, const std::string &last) {
  if (last == "llvm-raw" || last == "llvm")
    return codegen::llvm_text(module, last == "llvm");
  return last == "asm" ? codegen::assembly_text(module) : print(module);
}

int run(const Options &options) {
  std::string text;
  if (!read(options, text)) {
    std::fprintf(stderr, "%s: cannot be read\n", options.file);
    return 2;
  }
  tir::ParseError error;
  std::unique_ptr<tir::Module> module = tir::parse(text, error);
  if (!module) {
    std::fprintf(stderr, "%s:%d: %s\n", options.file, static_cast<int>(error.line),
                 error.message.c_str());
    return 2;
  }
  check(*module, "as written");
  passes::PassOptions pass_options;
  std::string last;
  for (const std::string &word : options.words) {
    last = word;
    if (word != "llvm-raw" && word != "llvm" && word != "asm" &&
        !run_word(*module, word, pass_options)) {
      std::fprintf(stderr, "there is no pass %s\n", word.c_str());
      return 2;
    }
  }
  std::fputs(text_of(*module, last).c_str(), stdout);
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    std::fputs("usage: numjit-opt FILE [--lines FIRST:LAST] [WORD...]\n", stderr);
    return 2;
  }
  try {
    return run(options);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
