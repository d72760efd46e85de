// numjit-filecheck: LLVM's FileCheck for the stage tests.
//
//   numjit-filecheck CHECKFILE --input INPUT [--prefix P] [--lines FIRST:LAST]
//
// INPUT may be `-`. With --lines only those lines of CHECKFILE hold checks; the others count as
// empty ones, so that the diagnosis names the true line of the file. Exit codes: 0 the input
// matches, 1 it does not, 2 the command line or a file is at fault.

#include <llvm/ADT/SmallString.h>
#include <llvm/FileCheck/FileCheck.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include <string>

namespace {

using llvm::StringRef;

struct Options {
  StringRef check_file, input, prefix = "CHECK";
  unsigned first_line = 1, last_line = ~0u;
};

bool parse(int argc, char **argv, Options &options) {
  for (int i = 1; i < argc; ++i) {
    StringRef word = argv[i];
    if (!word.starts_with("--")) {
      if (!options.check_file.empty())
        return false;
      options.check_file = word;
      continue;
    }
    if (++i == argc)
      return false;
    StringRef value = argv[i];
    if (word == "--input") {
      options.input = value;
    } else if (word == "--prefix") {
      options.prefix = value;
    } else if (word == "--lines") {
      auto [first, last] = value.split(':');
      if (first.getAsInteger(10, options.first_line) || last.getAsInteger(10, options.last_line))
        return false;
    } else {
      return false;
    }
  }
  return !options.check_file.empty() && !options.input.empty();
}

std::string only_lines(StringRef text, unsigned first, unsigned last) {
  std::string kept;
  for (unsigned line = 1; !text.empty(); ++line) {
    auto [head, rest] = text.split('\n');
    if (line >= first && line <= last)
      kept += head;
    kept += '\n';
    text = rest;
  }
  return kept;
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    llvm::errs() << "usage: numjit-filecheck CHECKFILE --input INPUT [--prefix P]"
                    " [--lines FIRST:LAST]\n";
    return 2;
  }
  auto check_text = llvm::MemoryBuffer::getFile(options.check_file, /*IsText=*/true);
  auto input_text = llvm::MemoryBuffer::getFileOrSTDIN(options.input, /*IsText=*/true);
  for (auto [name, text] :
       {std::pair{options.check_file, &check_text}, {options.input, &input_text}})
    if (!*text) {
      llvm::errs() << name << ": " << text->getError().message() << "\n";
      return 2;
    }

  llvm::FileCheckRequest request;
  request.CheckPrefixes = {options.prefix};
  llvm::FileCheck checker(request);
  if (!checker.ValidateCheckPrefixes())
    return 2;

  llvm::SourceMgr sources;
  auto add = [&](const llvm::MemoryBuffer &text, StringRef name) {
    llvm::SmallString<4096> scratch;
    StringRef canonical = checker.CanonicalizeFile(const_cast<llvm::MemoryBuffer &>(text), scratch);
    auto copy = llvm::MemoryBuffer::getMemBufferCopy(canonical, name);
    StringRef buffer = copy->getBuffer();
    sources.AddNewSourceBuffer(std::move(copy), llvm::SMLoc());
    return buffer;
  };
  auto section = llvm::MemoryBuffer::getMemBufferCopy(
      only_lines((*check_text)->getBuffer(), options.first_line, options.last_line),
      options.check_file);
  if (checker.readCheckFile(sources, add(*section, options.check_file)))
    return 2;
  StringRef input_name = options.input == "-" ? StringRef("<dump>") : options.input;
  return checker.checkInput(sources, add(**input_text, input_name)) ? 0 : 1;
}
