#include "codegen/load/debugger.h"

#include <cstdint>
#include <mutex>

// Names, layout and order of the steps are gdb's ("JIT Interface" in its manual): it sets a
// breakpoint in the function, and reads the list when it stops there.
extern "C" {

struct jit_code_entry {
  jit_code_entry *next_entry, *prev_entry;
  const char *symfile_addr;
  uint64_t symfile_size;
};

struct jit_descriptor {
  uint32_t version, action_flag;
  jit_code_entry *relevant_entry, *first_entry;
};

// NOLINTBEGIN(bugprone-reserved-identifier): gdb looks for these
__attribute__((visibility("default"), used))
jit_descriptor __jit_debug_descriptor = {1, 0, nullptr, nullptr};

__attribute__((visibility("default"), noinline, used)) void __jit_debug_register_code() {
  __asm__ volatile("" ::"r"(&__jit_debug_descriptor) : "memory");
}
// NOLINTEND(bugprone-reserved-identifier)
}

namespace numjit::codegen {

namespace {

enum Action : uint32_t { kRegister = 1, kUnregister = 2 };

std::mutex &list_mutex() {
  static auto *const mutex = new std::mutex;
  return *mutex;
}

void tell(Action action, jit_code_entry *entry) {
  __jit_debug_descriptor.action_flag = action;
  __jit_debug_descriptor.relevant_entry = entry;
  __jit_debug_register_code();
}

} // namespace

struct ShownToDebugger::Entry : jit_code_entry {};

ShownToDebugger::ShownToDebugger(std::string file)
    : file_(std::move(file)), entry_(new Entry{{nullptr, nullptr, file_.data(), file_.size()}}) {
  std::lock_guard lock(list_mutex());
  entry_->next_entry = __jit_debug_descriptor.first_entry;
  if (entry_->next_entry)
    entry_->next_entry->prev_entry = entry_;
  __jit_debug_descriptor.first_entry = entry_;
  tell(kRegister, entry_);
}

ShownToDebugger::~ShownToDebugger() {
  std::lock_guard lock(list_mutex());
  if (entry_->prev_entry)
    entry_->prev_entry->next_entry = entry_->next_entry;
  else
    __jit_debug_descriptor.first_entry = entry_->next_entry;
  if (entry_->next_entry)
    entry_->next_entry->prev_entry = entry_->prev_entry;
  tell(kUnregister, entry_);
  delete entry_;
}

} // namespace numjit::codegen
