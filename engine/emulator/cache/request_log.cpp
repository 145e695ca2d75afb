#include "engine/emulator/cache/request_log.h"

#include <array>

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

/// Writes a number; where it ends.
std::uint8_t* put(std::uint8_t* at, std::uint64_t number) {
  for (; number >= more; number >>= bits_of_byte) *at++ = static_cast<std::uint8_t>(number | more);
  *at++ = static_cast<std::uint8_t>(number);
  return at;
}

/// Reads a number from `at` on, which then is behind it.
std::uint64_t take(const std::uint8_t*& at) {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += bits_of_byte) {
    const std::uint64_t byte = *at++;
    value |= (byte & ~more) << shift;
    if (byte < more) return value;
  }
}

}  // namespace

void RequestLog::add(RequestKind kind, bool waits, std::span<const std::uint64_t> sectors,
                     std::span<const std::uint32_t> partial_bytes, std::uint64_t repeats) {
  const bool is_run = sectors.back() - sectors.front() == sectors.size() - 1;
  constexpr std::size_t most_of_number = 10;
  constexpr std::size_t most = 2 + (2 + 2 * Request::most_sectors) * most_of_number;
  std::array<std::uint8_t, most> room;  // NOLINT: filled up to `end`
  std::uint8_t* end = room.data();
  *end++ = static_cast<std::uint8_t>(static_cast<unsigned>(kind) << 2U | (waits ? waits_bit : 0U) |
                                     (is_run ? run_bit : 0U));
  *end++ = static_cast<std::uint8_t>(sectors.size());
  if (kind == RequestKind::atomic) end = put(end, repeats);
  end = put(end, folded(sectors.front() - last_));
  last_ = sectors.front();
  for (std::size_t i = 1; i < sectors.size() && !is_run; ++i) {
    end = put(end, sectors[i] - sectors[i - 1]);
  }
  for (const std::uint32_t bytes : partial_bytes) end = put(end, bytes);
  bytes_.insert(bytes_.end(), room.data(), end);
}

void RequestLog::Reader::next(Request& request) {
  const std::uint8_t* at = bytes_.data() + at_;
  const unsigned head = *at++;
  const std::size_t count = *at++;
  request.kind = static_cast<RequestKind>(head >> 2U);
  request.waits = (head & waits_bit) != 0;
  request.count = count;
  request.repeats = request.kind == RequestKind::atomic ? take(at) : 0;
  std::uint64_t sector = last_ + unfolded(take(at));
  last_ = sector;
  request.sectors[0] = sector;
  const bool is_run = (head & run_bit) != 0;
  for (std::size_t i = 1; i < count; ++i) {
    sector += is_run ? 1 : take(at);
    request.sectors[i] = sector;
  }
  if (request.kind == RequestKind::partial_store) {
    for (std::size_t i = 0; i < count; ++i) {
      request.partial_bytes[i] = static_cast<std::uint32_t>(take(at));
    }
  }
  at_ = static_cast<std::size_t>(at - bytes_.data());
}

}  // namespace sweep
