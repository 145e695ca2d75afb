#include "engine/run/message_bytes.h"

namespace sweep {

void MessageWriter::put_raw(const void* data, std::size_t size) {
  const std::size_t before = bytes_.size();
  bytes_.resize(before + size);
  if (size > 0) std::memcpy(bytes_.data() + before, data, size);
}

}  // namespace sweep
