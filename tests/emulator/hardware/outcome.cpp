#include "tests/emulator/hardware/outcome.h"

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sweep::testing {

std::string hash_of(std::span<const std::byte> bytes) {
  return fmt::format("{:016x}", XXH3_64bits(bytes.data(), bytes.size()));
}

std::string hashes_of(const Outcome& outcome) {
  std::string text;
  for (std::size_t i = 0; i < outcome.buffers.size(); ++i) {
    if (outcome.buffers[i] == "approximate") continue;
    if (!text.empty()) text += ' ';
    text += outcome.buffers[i] + ':' + hash_of(outcome.memory[i]);
  }
  return text;
}

}  // namespace sweep::testing
