#include "engine/run/message_bytes.h"

#include <cstring>

namespace sweep {

void MessageWriter::put_raw(const void* data, std::size_t size) {
  const std::size_t before = bytes_.size();
  bytes_.resize(before + size);
  if (size > 0) std::memcpy(bytes_.data() + before, data, size);
}

void MessageReader::get_raw(void* data, std::size_t size) {
  if (size > rest_.size()) throw std::runtime_error("a message ends too early");
  if (size > 0) std::memcpy(data, rest_.data(), size);
  rest_ = rest_.subspan(size);
}

std::size_t MessageReader::get_size() {
  std::uint64_t size = 0;
  get(size);
  if (size > rest_.size()) throw std::runtime_error("a message ends too early");
  return static_cast<std::size_t>(size);
}

}  // namespace sweep
