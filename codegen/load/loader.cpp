// A linker for what LLVM emits for our modules: position-independent ELF for x86-64 in the small
// code model, without exception tables and thread-local variables. Sections are copied into one
// mapping, code and constants first and what is written behind them on pages of its own; functions
// outside are reached through stubs, and variables outside through a table of addresses, as both
// may be more than 2 GB away. All reads are checked: a damaged file is refused.
#include "codegen/load/loader.h"

#include "codegen/load/debugger.h"
#include "codegen/load/profiler.h"
#include "codegen/object.h"
#include "runtime/runtime.h"
#include "typeinfer/errors.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <elf.h>
#include <iterator>
#include <map>
#include <span>
#include <unistd.h>

#include <sys/mman.h>

namespace numjit::codegen {

namespace {

[[noreturn]] void fail(const std::string &why) {
  throw InternalError("machine code cannot be loaded: " + why);
}

size_t round_up(size_t value, size_t unit) { return (value + unit - 1) / unit * unit; }

class LoadedCode final : public MachineCode {
public:
  explicit LoadedCode(size_t bytes) : bytes_(bytes) {
    memory_ = static_cast<char *>(
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (memory_ == MAP_FAILED) {
      memory_ = nullptr;
      throw std::bad_alloc();
    }
  }
  ~LoadedCode() override {
    shown_.reset();
    if (memory_)
      munmap(memory_, bytes_);
  }
  LoadedCode(const LoadedCode &) = delete;
  LoadedCode &operator=(const LoadedCode &) = delete;

  Entry entry() const override { return entry_; }
  size_t code_bytes() const override { return code_bytes_; }
  const nj_place *place(int32_t status) const override {
    const int64_t number = int64_t(status) - 2;
    return places_ && number >= 0 && number < places_->count ? &places_->rows[number] : nullptr;
  }

  char *memory() { return memory_; }
  void finish(size_t executable, void *entry, const void *places, size_t code_bytes) {
    if (mprotect(memory_, executable, PROT_READ | PROT_EXEC) != 0)
      fail("memory cannot be made executable");
    entry_ = reinterpret_cast<Entry>(entry);
    places_ = static_cast<const nj_places *>(places);
    code_bytes_ = code_bytes;
  }
  void show_to_debugger(std::string file) {
    shown_ = std::make_unique<ShownToDebugger>(std::move(file));
  }

private:
  char *memory_ = nullptr;
  size_t bytes_, code_bytes_ = 0;
  Entry entry_ = nullptr;
  const nj_places *places_ = nullptr;
  std::unique_ptr<ShownToDebugger> shown_;
};

class Loader {
public:
  Loader(std::string_view file, const FindSymbol &find) : file_(file), find_(find) {}

  std::shared_ptr<MachineCode> run() {
    read_headers();
    lay_out();
    auto code = std::make_shared<LoadedCode>(std::max<size_t>(total_, 1));
    base_ = code->memory();
    copy_sections();
    for (const Elf64_Shdr &section : sections_)
      if (section.sh_type == SHT_RELA && section.sh_info < sections_.size() &&
          is_loaded(section.sh_info))
        relocate(section);
    void *entry = nullptr, *places = nullptr;
    for (const Elf64_Sym &symbol : symbols_)
      if (symbol.st_shndx != SHN_UNDEF) {
        if (name_of(symbol) == kEntrySymbol)
          entry = address_of(symbol);
        else if (name_of(symbol) == kPlacesSymbol)
          places = address_of(symbol);
      }
    if (!entry)
      fail("it has no entry");
    code->finish(executable_, entry, places, file_.size());
    if (has_debug_info())
      code->show_to_debugger(placed_file());
    if (profiler_wants_names())
      tell_profiler();
    return code;
  }

private:
  struct Outside {
    void *address = nullptr;
    bool known = false, in_table = false, stub = false;
  };
  static constexpr size_t kStub = 8; ///< jmp *table(%rip), padded

  template <class T>
  std::span<const T> array(uint64_t offset, uint64_t bytes) const {
    if (offset > file_.size() || bytes > file_.size() - offset || offset % alignof(T) != 0)
      fail("it is damaged");
    return {reinterpret_cast<const T *>(file_.data() + offset), bytes / sizeof(T)};
  }

  std::string_view text(uint64_t table, uint64_t at) const {
    if (table >= sections_.size())
      fail("it is damaged");
    std::span<const char> all = array<char>(sections_[table].sh_offset, sections_[table].sh_size);
    if (at >= all.size())
      fail("it is damaged");
    return {all.data() + at, strnlen(all.data() + at, all.size() - at)};
  }

  void tell_profiler() {
    const std::vector<CodeLine> lines =
        profiler_wants_lines() ? code_lines() : std::vector<CodeLine>();
    std::string_view file; // all entries have one name; the file is called as the function is
    for (const Elf64_Sym &symbol : symbols_)
      if (ELF64_ST_TYPE(symbol.st_info) == STT_FILE)
        file = name_of(symbol);
      else if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF) {
        const std::string_view name = name_of(symbol);
        const char *code = address_of(symbol);
        const auto start = reinterpret_cast<uint64_t>(code);
        const auto first = std::ranges::lower_bound(lines, start, {}, &CodeLine::address);
        const auto last =
            std::ranges::lower_bound(lines, start + symbol.st_size, {}, &CodeLine::address);
        name_for_profiler(name == kEntrySymbol ? file : name, code, symbol.st_size, {first, last});
      }
  }

  /// The lines of the whole file, by address in memory.
  std::vector<CodeLine> code_lines() {
    std::vector<CodeLine> lines;
    for (const Elf64_Shdr &section : sections_) {
      if (section.sh_type != SHT_RELA || section.sh_info >= sections_.size())
        continue;
      const Elf64_Shdr &target = sections_[section.sh_info];
      if (text(header_.e_shstrndx, target.sh_name) != ".debug_line")
        continue;
      std::map<size_t, const Elf64_Rela *> by_offset;
      for (const Elf64_Rela &row : array<Elf64_Rela>(section.sh_offset, section.sh_size))
        by_offset[row.r_offset] = &row;
      auto address_at = [&](size_t offset) -> std::optional<uint64_t> {
        const auto found = by_offset.find(offset);
        if (found == by_offset.end() || ELF64_R_SYM(found->second->r_info) >= symbols_.size())
          return std::nullopt;
        const Elf64_Sym &symbol = symbols_[ELF64_R_SYM(found->second->r_info)];
        return reinterpret_cast<uint64_t>(address_of(symbol)) + uint64_t(found->second->r_addend);
      };
      std::span<const char> bytes = array<char>(target.sh_offset, target.sh_size);
      std::ranges::move(read_lines({bytes.data(), bytes.size()}, address_at),
                        std::back_inserter(lines));
    }
    std::ranges::stable_sort(lines, {}, &CodeLine::address);
    return lines;
  }

  bool has_debug_info() const {
    return std::ranges::any_of(sections_, [&](const Elf64_Shdr &section) {
      return text(header_.e_shstrndx, section.sh_name) == ".debug_info";
    });
  }

  /// The file, with the addresses of its sections.
  std::string placed_file() const {
    std::string placed(file_);
    for (size_t i = 0; i < sections_.size(); ++i)
      if (is_loaded(i)) {
        const auto address = reinterpret_cast<uint64_t>(base_ + places_[i]);
        std::memcpy(placed.data() + header_.e_shoff + i * sizeof(Elf64_Shdr) +
                        offsetof(Elf64_Shdr, sh_addr),
                    &address, sizeof address);
      }
    return placed;
  }

  void read_headers() {
    header_ = array<Elf64_Ehdr>(0, sizeof(Elf64_Ehdr))[0];
    if (std::memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0 || header_.e_type != ET_REL ||
        header_.e_machine != EM_X86_64 || header_.e_shentsize != sizeof(Elf64_Shdr))
      fail("it is no object file for this machine");
    sections_ = array<Elf64_Shdr>(header_.e_shoff, uint64_t(header_.e_shnum) * sizeof(Elf64_Shdr));
    for (const Elf64_Shdr &section : sections_)
      if (section.sh_type == SHT_SYMTAB) {
        symbols_ = array<Elf64_Sym>(section.sh_offset, section.sh_size);
        names_ = section.sh_link;
      }
    outside_.resize(symbols_.size());
    places_.resize(sections_.size());
  }

  bool is_loaded(size_t section) const {
    const Elf64_Shdr &row = sections_[section];
    return (row.sh_flags & SHF_ALLOC) && row.sh_type != SHT_X86_64_UNWIND &&
           text(header_.e_shstrndx, row.sh_name) != ".eh_frame";
  }

  void place(bool writable) {
    for (size_t i = 0; i < sections_.size(); ++i) {
      const Elf64_Shdr &section = sections_[i];
      if (!is_loaded(i) || bool(section.sh_flags & SHF_WRITE) != writable)
        continue;
      const uint64_t align = std::max<uint64_t>(section.sh_addralign, 1);
      if (align > 4096 || section.sh_size > (uint64_t(1) << 30))
        fail("it is damaged");
      total_ = round_up(total_, align);
      places_[i] = total_;
      total_ += section.sh_size;
    }
  }

  void lay_out() {
    place(false);
    // One entry of the table and one stub for every symbol there is: few are needed, and they are
    // small.
    table_ = round_up(total_, 8);
    stubs_ = table_ + 8 * symbols_.size();
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    executable_ = total_ = round_up(stubs_ + kStub * symbols_.size(), page);
    place(true);
    total_ = round_up(total_, page);
  }

  void copy_sections() {
    for (size_t i = 0; i < sections_.size(); ++i)
      if (is_loaded(i) && sections_[i].sh_type != SHT_NOBITS) {
        std::span<const char> bytes = array<char>(sections_[i].sh_offset, sections_[i].sh_size);
        std::copy(bytes.begin(), bytes.end(), base_ + places_[i]);
      }
  }

  std::string_view name_of(const Elf64_Sym &symbol) const { return text(names_, symbol.st_name); }

  char *address_of(const Elf64_Sym &symbol) {
    if (symbol.st_shndx == SHN_ABS)
      return reinterpret_cast<char *>(symbol.st_value);
    if (symbol.st_shndx == SHN_UNDEF) {
      Outside &row = outside_[&symbol - symbols_.data()];
      if (!row.known) {
        row.address = find_(name_of(symbol));
        row.known = true;
        if (!row.address)
          fail("there is no " + std::string(name_of(symbol)));
      }
      return static_cast<char *>(row.address);
    }
    if (symbol.st_shndx >= sections_.size() || !is_loaded(symbol.st_shndx) ||
        symbol.st_value > sections_[symbol.st_shndx].sh_size)
      fail("it is damaged");
    return base_ + places_[symbol.st_shndx] + symbol.st_value;
  }

  /// The symbol's entry in the table of addresses.
  char *in_table(const Elf64_Sym &symbol) {
    const size_t number = &symbol - symbols_.data();
    char *entry = base_ + table_ + 8 * number;
    if (!std::exchange(outside_[number].in_table, true)) {
      const char *address = address_of(symbol);
      std::memcpy(entry, &address, 8);
    }
    return entry;
  }

  /// Code nearby that goes on at the symbol.
  char *stub_of(const Elf64_Sym &symbol) {
    const size_t number = &symbol - symbols_.data();
    char *stub = base_ + stubs_ + kStub * number;
    if (!std::exchange(outside_[number].stub, true)) {
      const char *entry = in_table(symbol);
      const auto distance = static_cast<int32_t>(entry - (stub + 6));
      const unsigned char jump[2] = {0xff, 0x25};
      std::memcpy(stub, jump, 2);
      std::memcpy(stub + 2, &distance, 4);
    }
    return stub;
  }

  void relocate(const Elf64_Shdr &section) {
    const Elf64_Shdr &target = sections_[section.sh_info];
    for (const Elf64_Rela &row : array<Elf64_Rela>(section.sh_offset, section.sh_size)) {
      const size_t number = ELF64_R_SYM(row.r_info);
      const uint32_t type = ELF64_R_TYPE(row.r_info);
      const size_t width = type == R_X86_64_64 || type == R_X86_64_PC64 ? 8 : 4;
      if (number >= symbols_.size() || target.sh_type == SHT_NOBITS ||
          row.r_offset > target.sh_size || target.sh_size - row.r_offset < width)
        fail("it is damaged");
      char *at = base_ + places_[section.sh_info] + row.r_offset;
      // Modulo 2^64, as ELF has it: a damaged file may say anything.
      const auto value = static_cast<int64_t>(uint64_t(value_of(type, symbols_[number], at)) +
                                              uint64_t(row.r_addend));
      if (width == 4 && value != static_cast<int32_t>(value))
        fail("a distance is too large");
      std::memcpy(at, &value, width);
    }
  }

  int64_t value_of(uint32_t type, const Elf64_Sym &symbol, char *at) {
    switch (type) {
    case R_X86_64_64: return reinterpret_cast<int64_t>(address_of(symbol));
    case R_X86_64_PC32:
    case R_X86_64_PC64: return address_of(symbol) - at;
    case R_X86_64_PLT32: {
      char *address = address_of(symbol);
      const int64_t distance = address - at;
      const bool near = distance >= INT32_MIN + 4096 && distance <= INT32_MAX - 4096;
      return near ? distance : stub_of(symbol) - at;
    }
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX: return in_table(symbol) - at;
    default: fail("it has a relocation of type " + std::to_string(type));
    }
  }

  std::string_view file_;
  const FindSymbol &find_;
  Elf64_Ehdr header_ = {};
  std::span<const Elf64_Shdr> sections_;
  std::span<const Elf64_Sym> symbols_;
  size_t names_ = 0;                  ///< section with the symbols' names
  std::vector<size_t> places_;        ///< by section, in memory
  std::vector<Outside> outside_;      ///< by symbol
  size_t table_ = 0, stubs_ = 0;      ///< in memory
  size_t executable_ = 0, total_ = 0; ///< bytes
  char *base_ = nullptr;
};

} // namespace

std::shared_ptr<MachineCode> load_file(std::string_view file, const FindSymbol &find) {
  if (reinterpret_cast<uintptr_t>(file.data()) % alignof(Elf64_Ehdr) != 0) {
    // What a file holds before its code may leave it at an odd address.
    std::vector<uint64_t> aligned((file.size() + 7) / 8);
    std::memcpy(aligned.data(), file.data(), file.size());
    return Loader({reinterpret_cast<const char *>(aligned.data()), file.size()}, find).run();
  }
  return Loader(file, find).run();
}

} // namespace numjit::codegen
