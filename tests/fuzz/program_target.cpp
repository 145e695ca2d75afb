#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "engine/emulator/cubin/kernel_code.h"
#include "engine/jit/program_file.h"
#include "engine/text/byte_sequence.h"
#include "tests/fuzz/targets.h"

namespace sweep::fuzz {
namespace {

/// The bytes as an open file without a name.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : file_(memfd_create("program", MFD_CLOEXEC)) {
    if (file_ < 0 || write(file_, bytes.data(), bytes.size()) != ssize_t(bytes.size())) {
      throw std::system_error(errno, std::generic_category());
    }
  }
  ~MemoryFile() { close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int get() const { return file_; }

 private:
  int file_;
};

void put(std::string& text, std::size_t at, std::uint64_t value) {
  std::memcpy(text.data() + at, &value, sizeof value);
}

std::uint64_t get(const std::string& text, std::size_t at) {
  std::uint64_t value = 0;
  std::memcpy(&value, text.data() + at, sizeof value);
  return value;
}

/// The same with sizes and checksums put right, which no mutation would hit on: those at the
/// header's begin, of what follows it, and the one behind it.
std::string with_checksums(std::string_view bytes) {
  constexpr std::size_t preamble = 20;
  constexpr std::size_t contents = preamble;
  std::string text(bytes);
  if (text.size() < preamble + 8) return text;
  const std::uint64_t header = get(text, 12);
  if (header < 32 || header > text.size() - preamble - 8) return text;
  const std::string_view behind = std::string_view(text).substr(preamble + header + 8);
  const std::uint64_t cubin = std::min<std::uint64_t>(get(text, contents), behind.size());
  const std::uint64_t cubin_sum = XXH3_64bits(behind.data(), cubin);
  const std::uint64_t ptx_sum = XXH3_64bits(behind.data() + cubin, behind.size() - cubin);
  const std::uint64_t ptx = behind.size() - cubin;
  put(text, contents, cubin);
  put(text, contents + 8, cubin_sum);
  put(text, contents + 16, ptx);
  put(text, contents + 24, ptx_sum);
  put(text, preamble + header, XXH3_64bits(text.data(), preamble + header));
  return text;
}

template <class Read>
void read_or_refuse(Read read) {
  try {
    read();
  } catch (const DamagedBytes&) {
  }
}

void use(const StoredProgram& stored) {
  const auto source = std::make_shared<const Source>(Source{"kernel.cu", "text\nof a pattern\n"});
  for (const StoredConfiguration& one : stored.header.configurations) {
    read_or_refuse([&] { render(diagnostics_of(one.warnings, source)); });
    read_kernel_code(stored.program.cubin, one.kernel_entry);
  }
}

}  // namespace

void read_compiled_program(std::string_view bytes) {
  const MemoryFile file(with_checksums(bytes));
  read_or_refuse([&] { read_program_header(file.get()); });
  read_or_refuse([&] { use(read_program(file.get())); });
  const auto source = std::make_shared<const Source>(Source{"kernel.cu", "text\nof a pattern\n"});
  read_or_refuse([&] { render(diagnostics_of(bytes, source)); });
  read_kernel_code(std::span<const char>(bytes.data(), bytes.size()), "sample");
}

}  // namespace sweep::fuzz
