#include "tests/emulator/count/arbitrary_access.h"

#include <rapidcheck.h>

#include <initializer_list>
#include <ostream>
#include <random>
#include <vector>

namespace sweep {

std::ostream& operator<<(std::ostream& out, const WarpAccess& access) {
  out << access.width << " bytes, lanes " << std::hex << access.active << std::dec << ":";
  for (unsigned lane = 0; lane < 32; ++lane)
    if ((access.active >> lane & 1) != 0) out << ' ' << access.address[lane];
  return out;
}

std::ostream& operator<<(std::ostream& out, const GlobalCount& count) {
  return out << count.requests << " requests, " << count.lanes << " lanes, " << count.bytes_wanted
             << " bytes, " << count.transactions << " transactions, " << count.sectors
             << " sectors, " << count.lines << " lines, " << count.tag_wavefronts << " tag and "
             << count.data_wavefronts << " data wavefronts";
}

std::ostream& operator<<(std::ostream& out, const SharedCount& count) {
  return out << count.requests << " requests, " << count.lanes << " lanes, " << count.bytes_wanted
             << " bytes, " << count.wavefronts << " wavefronts, ideal " << count.ideal;
}

namespace testing {
namespace {

/// Draws made from one random number of RapidCheck's: a generator for each of 32 addresses would
/// take most of the test's time.
class Draws {
 public:
  Draws() : engine_(*rc::gen::noShrink(rc::gen::arbitrary<std::uint64_t>())) {}
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(engine_);
  }
  template <class T>
  T one_of(std::initializer_list<T> choices) {
    return *(choices.begin() + between(0, static_cast<std::int64_t>(choices.size()) - 1));
  }

 private:
  std::mt19937_64 engine_;
};

std::uint32_t draw_active(Draws& draws) {
  switch (draws.between(0, 3)) {
    case 0:
      return ~0U;
    case 1:
      return draws.one_of<std::uint32_t>(
          {1, 0xffff, 0xffff0000, 0x55555555, 0x33333333, 0xff00, 0x7fffffff, 0x80000000});
    default:
      return static_cast<std::uint32_t>(draws.between(1, 0xffffffff));
  }
}

WarpAccess draw_affine(Draws& draws, std::uint32_t width) {
  const std::int64_t most = draws.one_of<std::int64_t>({2, 40, 400});
  const std::int64_t base = draws.between(13000, 14000);
  return affine(base * width, draws.between(-most, most) * width, width, draw_active(draws));
}

/// Elements below a limit, so that the limit sets how often they repeat.
WarpAccess draw_gather(Draws& draws, std::uint32_t width) {
  const std::int64_t limit = draws.one_of<std::int64_t>({1, 2, 8, 32, 64, 200, 5000});
  WarpAccess access;
  access.width = width;
  access.active = draw_active(draws);
  for (std::uint64_t& address : access.address)
    address = static_cast<std::uint64_t>(draws.between(0, limit - 1)) * width;
  return access;
}

/// Makes partners' addresses equal, apart from a few.
void pair_up(Draws& draws, WarpAccess& access) {
  const auto distance = draws.one_of({1U, 2U, 4U, 8U, 16U});
  const auto skipped = draws.one_of({32U, 32U, 0U, 5U, 13U, 27U});
  for (unsigned lane = 0; lane < 32; ++lane)
    if ((lane & distance) != 0 && lane != skipped)
      access.address[lane] = access.address[lane ^ distance];
}

}  // namespace

WarpAccess affine(std::int64_t base, std::int64_t step, std::uint32_t width, std::uint32_t active) {
  WarpAccess access;
  access.width = width;
  access.active = active;
  for (std::int64_t lane = 0; lane < 32; ++lane)
    access.address.at(static_cast<std::size_t>(lane)) =
        static_cast<std::uint64_t>(base + lane * step);
  return access;
}

WarpAccess any_access_of(std::uint32_t width) {
  Draws draws;
  if (draws.between(0, 2) == 0) return draw_affine(draws, width);
  WarpAccess access = draw_gather(draws, width);
  if (draws.between(0, 1) == 0) pair_up(draws, access);
  return access;
}

WarpAccess any_access() {
  return any_access_of(*rc::gen::element<std::uint32_t>(1, 2, 4, 8, 16, 32));
}

MemoryModel any_model() {
  std::vector<int> capabilities = known_models();
  for (const int relative : {21, 32, 37, 52, 53, 61, 62, 72, 87, 103, 121})
    capabilities.push_back(relative);
  MemoryModel model;
  model.compute_capability = *rc::gen::elementOf(capabilities);
  model.l1_for_global = *rc::gen::arbitrary<bool>();
  model.banks_of_64_bits = *rc::gen::arbitrary<bool>();
  return model;
}

AccessKind any_kind() {
  return *rc::gen::element(AccessKind::load, AccessKind::store, AccessKind::atomic,
                           AccessKind::increment, AccessKind::compare_and_swap);
}

}  // namespace testing
}  // namespace sweep
