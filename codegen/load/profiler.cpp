// NUMJIT_PERF=1: perf's map, a text file with a line for each function. NUMJIT_PERF=dump: a
// jitdump, which has the machine code and its lines as well, so that `perf annotate` can show both.
// Formats: tools/perf/Documentation/jit-interface.txt and jitdump-specification.txt of Linux.
#include "codegen/load/profiler.h"

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <elf.h>
#include <mutex>
#include <string>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/syscall.h>

namespace numjit::codegen {

namespace {

enum class Wanted { Nothing, Map, Dump };

Wanted wanted() {
  static const Wanted answer = [] {
    const char *value = std::getenv("NUMJIT_PERF");
    const std::string_view text = value ? value : "";
    if (text.empty() || text == "0")
      return Wanted::Nothing;
    return text == "dump" ? Wanted::Dump : Wanted::Map;
  }();
  return answer;
}

/// `perf record -k 1` stamps its samples by this clock.
uint64_t now() {
  timespec time = {};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return uint64_t(time.tv_sec) * 1'000'000'000 + uint64_t(time.tv_nsec);
}

struct DumpHeader {
  uint32_t magic = 0x4A695444, version = 1, bytes = sizeof(DumpHeader), machine = EM_X86_64;
  uint32_t padding = 0, process = 0;
  uint64_t time = 0, flags = 0;
};

/// The lines of the function that follows.
struct DumpedLines {
  uint32_t kind = 2 /* JIT_CODE_DEBUG_INFO */, bytes = 0;
  uint64_t time = 0, code = 0, count = 0;
};

struct DumpedLine { // with the file's name behind it
  uint64_t address = 0;
  uint32_t line = 0, discriminator = 0;
};

struct DumpedFunction {
  uint32_t kind = 0 /* JIT_CODE_LOAD */, bytes = 0;
  uint64_t time = 0;
  uint32_t process = 0, thread = 0;
  uint64_t address = 0, code = 0, size = 0, number = 0;
};

/// The file of this process; null if it cannot be written. A child of a fork has one of its own.
class File {
public:
  void add(std::string_view name, const char *code, size_t bytes, std::span<const CodeLine> lines) {
    const std::lock_guard lock(mutex_);
    if (process_ != getpid())
      open();
    if (!file_)
      return;
    if (wanted() == Wanted::Map) {
      std::fprintf(file_, "%" PRIxPTR " %zx numjit::%.*s\n", reinterpret_cast<uintptr_t>(code),
                   bytes, int(name.size()), name.data());
    } else {
      if (!lines.empty())
        dump_lines(code, lines);
      dump(name, code, bytes);
    }
    std::fflush(file_);
  }

private:
  void open() {
    // What the parent of a fork has opened is the parent's; nothing of it waits in a buffer.
    process_ = getpid();
    functions_ = 0;
    const std::string number = std::to_string(process_);
    if (wanted() == Wanted::Map) {
      file_ = std::fopen(("/tmp/perf-" + number + ".map").c_str(), "ae");
      return;
    }
    file_ = std::fopen(("jit-" + number + ".dump").c_str(), "w+e");
    if (!file_)
      return;
    const DumpHeader header = {.process = uint32_t(process_), .time = now()};
    std::fwrite(&header, sizeof header, 1, file_);
    std::fflush(file_);
    // perf learns of the file by this mapping, which it records as it does those of libraries.
    // It stays until the process ends.
    if (mmap(nullptr, size_t(sysconf(_SC_PAGESIZE)), PROT_READ | PROT_EXEC, MAP_PRIVATE,
             fileno(file_), 0) == MAP_FAILED) { // a file system without programs
      std::fclose(file_);
      file_ = nullptr;
    }
  }

  void dump_lines(const char *code, std::span<const CodeLine> lines) {
    size_t bytes = sizeof(DumpedLines);
    for (const CodeLine &each : lines)
      bytes += sizeof(DumpedLine) + each.file.size() + 1;
    const DumpedLines head = {
        .bytes = uint32_t(bytes),
        .time = now(),
        .code = uint64_t(reinterpret_cast<uintptr_t>(code)),
        .count = lines.size(),
    };
    std::fwrite(&head, sizeof head, 1, file_);
    for (const CodeLine &each : lines) {
      const DumpedLine row = {.address = each.address, .line = each.line};
      std::fwrite(&row, sizeof row, 1, file_);
      std::fwrite(each.file.c_str(), each.file.size() + 1, 1, file_);
    }
  }

  void dump(std::string_view name, const char *code, size_t bytes) {
    const std::string full = "numjit::" + std::string(name);
    const auto address = uint64_t(reinterpret_cast<uintptr_t>(code));
    const DumpedFunction row = {
        .bytes = uint32_t(sizeof(DumpedFunction) + full.size() + 1 + bytes),
        .time = now(),
        .process = uint32_t(process_),
        .thread = uint32_t(syscall(SYS_gettid)),
        .address = address,
        .code = address,
        .size = bytes,
        .number = functions_++,
    };
    std::fwrite(&row, sizeof row, 1, file_);
    std::fwrite(full.c_str(), full.size() + 1, 1, file_);
    std::fwrite(code, bytes, 1, file_);
  }

  std::mutex mutex_;
  pid_t process_ = 0;
  std::FILE *file_ = nullptr;
  uint64_t functions_ = 0;
};

} // namespace

bool profiler_wants_names() { return wanted() != Wanted::Nothing; }
bool profiler_wants_lines() { return wanted() == Wanted::Dump; }

void name_for_profiler(std::string_view name, const char *code, size_t bytes,
                       std::span<const CodeLine> lines) {
  static File &file = *new File; // functions may be compiled while the process ends
  file.add(name, code, bytes, lines);
}

} // namespace numjit::codegen
