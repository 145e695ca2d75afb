#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "engine/emulator/cubin/kernel_code.h"
#include "engine/jit/program_cache.h"
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

/// The same with the checksum put right, which no mutation would hit on: the one before the
/// contents.
std::string with_checksum(std::string_view bytes) {
  constexpr std::size_t place = 12;
  std::string text(bytes);
  if (text.size() < place + 8) return text;
  const std::string_view contents = std::string_view(text).substr(place + 8);
  const std::uint64_t sum = XXH3_64bits(contents.data(), contents.size());
  std::memcpy(text.data() + place, &sum, sizeof sum);
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
  for (const StoredConfiguration& one : stored.header.configurations) {
    for (const Diagnostic& warning : one.warnings) render(warning);
    read_kernel_code(stored.program.cubin, one.entries.steps.front().kernel);
  }
}

}  // namespace

void read_compiled_program(std::string_view bytes) {
  const MemoryFile file(with_checksum(bytes));
  read_or_refuse([&] { use(read_program(file.get())); });
  read_kernel_code(std::span<const char>(bytes.data(), bytes.size()), "sample");
}

}  // namespace sweep::fuzz
