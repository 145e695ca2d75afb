#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace sweep {

/// What a request wants of the caches.
enum class RequestKind : std::uint8_t {
  load,
  bypassing_load,  ///< past L1: .cg, .cv, volatile
  store,           ///< of whole sectors
  partial_store,   ///< of some of each sector's bytes
  atomic,
  prefetch,  ///< into L2
};

/// Sectors from here on are of a block's local memory, the first of which is this one.
constexpr std::uint64_t local_sectors = std::uint64_t{1} << 55U;

/// A warp's request: its different sectors (address / 32), rising. Addresses are below 2^58.
struct Request {
  /// 32 lanes of 16 bytes that are aligned to nothing.
  static constexpr std::size_t most_sectors = 64;

  RequestKind kind = RequestKind::load;
  bool waits = false;  ///< until all that the warp has asked for before has come
  /// Of an atomic: how often sectors are asked for beyond once each.
  std::uint64_t repeats = 0;
  std::size_t count = 0;
  std::array<std::uint64_t, most_sectors> sectors{};
  /// Of a partial store what it stores of each of them: a bit for each byte.
  std::array<std::uint32_t, most_sectors> partial_bytes{};

  std::span<const std::uint64_t> all() const { return std::span(sectors).first(count); }
};

/// The requests of a warp in their order: some 3 bytes for one whose sectors lie side by side, and
/// as many for each sector of another; up to 5 more for each sector of a partial store.
class RequestLog {
 public:
  /// Of at most Request::most_sectors sectors, and at least one; only a partial store has partial
  /// bytes, for each sector, and only an atomic has repeats.
  void add(RequestKind kind, bool waits, std::span<const std::uint64_t> sectors,
           std::span<const std::uint32_t> partial_bytes = {}, std::uint64_t repeats = 0);

  std::size_t bytes() const { return bytes_.size(); }

  /// Reads the requests of a log one after the other.
  class Reader {
   public:
    explicit Reader(RequestLog log) : bytes_(std::move(log.bytes_)) {}
    bool is_at_end() const { return at_ == bytes_.size(); }
    /// Of the next request; must not be at the end.
    bool waits() const { return (bytes_[at_] & waits_bit) != 0; }
    /// Must not be at the end.
    void next(Request& request);

   private:
    std::vector<std::uint8_t> bytes_;
    std::size_t at_ = 0;
    std::uint64_t last_ = 0;  ///< first sector of the request before
  };

 private:
  static constexpr unsigned waits_bit = 2;

  std::vector<std::uint8_t> bytes_;
  std::uint64_t last_ = 0;
};

}  // namespace sweep
