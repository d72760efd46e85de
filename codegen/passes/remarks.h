// What the optimiser did to loops and calls, and why not more, with places in the source.
#pragma once

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <string>
#include <vector>

namespace numjit::codegen {

/// Collects LLVM's remarks of the modules of a context, which need debug information.
class Remarks {
public:
  explicit Remarks(llvm::LLVMContext &context);

  /// A line for each remark, then one for each loop of the optimised module and each call in it.
  /// Fields are separated by tabs (pyext/numjit/report.py reads them):
  ///
  ///     remark  pass  name  passed|missed|analysis  places  text
  ///     loop    places  depth  scalar|vector
  ///     call    places  depth  name of what is called
  ///
  /// Places are those of the inlined calls, the innermost first: file|line|column|function, with a
  /// semicolon between them.
  std::string text(const llvm::Module &module) const;

private:
  std::shared_ptr<std::vector<std::string>> found_;
};

} // namespace numjit::codegen
