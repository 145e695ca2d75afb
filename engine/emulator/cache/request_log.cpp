#include "engine/emulator/cache/request_log.h"

#include <numeric>

namespace sweep {
namespace {

constexpr unsigned bits_of_byte = 7;  // that carry a number; the eighth says that more follow
constexpr std::uint64_t more = 0x80;
constexpr unsigned run_bit = 1;

/// Small numbers of either sign as small numbers.
std::uint64_t folded(std::uint64_t difference) {
  return difference << 1U ^ (difference >> 63U != 0 ? ~std::uint64_t{0} : 0);
}

std::uint64_t unfolded(std::uint64_t number) {
  return number >> 1U ^ ((number & 1U) != 0 ? ~std::uint64_t{0} : 0);
}

}  // namespace

void RequestLog::put(std::uint64_t number) {
  for (; number >= more; number >>= bits_of_byte) {
    bytes_.push_back(static_cast<std::uint8_t>(number | more));
  }
  bytes_.push_back(static_cast<std::uint8_t>(number));
}

void RequestLog::add(RequestKind kind, bool waits, std::span<const std::uint64_t> sectors,
                     std::span<const std::uint32_t> partial_bytes, std::uint64_t repeats) {
  const bool is_run = sectors.back() - sectors.front() == sectors.size() - 1;
  bytes_.push_back(static_cast<std::uint8_t>(static_cast<unsigned>(kind) << 2U |
                                             (waits ? waits_bit : 0U) | (is_run ? run_bit : 0U)));
  bytes_.push_back(static_cast<std::uint8_t>(sectors.size()));
  if (kind == RequestKind::atomic) put(repeats);
  put(folded(sectors.front() - last_));
  last_ = sectors.front();
  for (std::size_t i = 1; i < sectors.size() && !is_run; ++i) put(sectors[i] - sectors[i - 1]);
  for (const std::uint32_t bytes : partial_bytes) put(bytes);
}

std::uint64_t RequestLog::Reader::number() {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += bits_of_byte) {
    const std::uint64_t byte = bytes_[at_++];
    value |= (byte & ~more) << shift;
    if (byte < more) return value;
  }
}

void RequestLog::Reader::next(Request& request) {
  const unsigned head = bytes_[at_++];
  request.kind = static_cast<RequestKind>(head >> 2U);
  request.waits = (head & waits_bit) != 0;
  request.count = bytes_[at_++];
  request.repeats = request.kind == RequestKind::atomic ? number() : 0;
  last_ += unfolded(number());
  request.sectors[0] = last_;
  const auto end = request.sectors.begin() + static_cast<std::ptrdiff_t>(request.count);
  if ((head & run_bit) != 0) {
    std::iota(request.sectors.begin(), end, last_);
  } else {
    for (std::size_t i = 1; i < request.count; ++i) {
      request.sectors[i] = request.sectors[i - 1] + number();
    }
  }
  if (request.kind != RequestKind::partial_store) return;
  for (std::size_t i = 0; i < request.count; ++i) {
    request.partial_bytes[i] = static_cast<std::uint32_t>(number());
  }
}

}  // namespace sweep
