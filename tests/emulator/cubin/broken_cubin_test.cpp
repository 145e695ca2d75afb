#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstring>

#include "engine/emulator/cubin/cubin_file.h"
#include "engine/emulator/cubin/kernel_code.h"
#include "tests/emulator/cubin/sample.h"
#include "tests/rapidcheck_case.h"

namespace {

using namespace sweep;
using namespace sweep::testing;

/// Sets the number of `Number`'s size at `offset`.
template <class Number>
void set(std::vector<char>& bytes, std::size_t offset, Number value) {
  for (std::size_t i = 0; i < sizeof(Number); ++i) {
    bytes.at(offset + i) = static_cast<char>(value >> 8 * i & 0xff);
  }
}

/// The number of `Number`'s size at `offset`.
template <class Number>
Number get(const std::vector<char>& bytes, std::size_t offset) {
  Number value{};
  std::memcpy(&value, &bytes.at(offset), sizeof value);
  return value;
}

std::optional<KernelCode> read_sample(const std::vector<char>& cubin) {
  return read_kernel_code(cubin, "sample");
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_is_no_cubin) {
  std::vector<char> cubin = sample_cubin();
  BOOST_TEST(!read_sample({}).has_value());
  BOOST_TEST(!read_sample(std::vector<char>(1000, '\0')).has_value());
  BOOST_TEST(!read_kernel_code(cubin, "other").has_value());
  BOOST_TEST(!read_kernel_code(cubin, "").has_value());
  BOOST_REQUIRE(read_sample(cubin).has_value());
  set<std::uint16_t>(cubin, 18, 62);  // x86-64
  BOOST_TEST(!read_sample(cubin).has_value());
}

BOOST_AUTO_TEST_CASE(an_unknown_architecture_is_not_guessed_at) {
  std::vector<char> cubin = sample_cubin();
  for (const unsigned capability : {50U, 61U, 70U, 72U, 91U, 255U}) {
    set<std::uint32_t>(cubin, 48, 0x06000004 | capability << 8);
    BOOST_TEST(!read_sample(cubin).has_value());
  }
  set<std::uint32_t>(cubin, 48, 0x06000004 | 80 << 8);
  BOOST_TEST(read_sample(cubin).has_value());
  // Before CUDA 13 the architecture stands in the lowest byte.
  cubin[8] = 7;
  set<std::uint32_t>(cubin, 48, 0x005a055a);
  BOOST_TEST(read_sample(cubin).has_value());
}

BOOST_AUTO_TEST_CASE(sizes_that_overflow) {
  const std::vector<char> cubin = sample_cubin();
  const auto table = static_cast<std::size_t>(get<std::uint64_t>(cubin, 40));
  const auto count = get<std::uint16_t>(cubin, 60);
  for (const std::uint64_t value : {~std::uint64_t{0}, ~std::uint64_t{0} - 63, cubin.size() + 0UL,
                                    cubin.size() - 1UL, std::uint64_t{1} << 63}) {
    std::vector<char> broken = cubin;
    set(broken, 40, value);
    BOOST_TEST(!read_sample(broken).has_value());
    for (std::size_t i = 0; i < count; ++i) {
      for (const std::size_t field : {24U, 32U}) {  // where a section's bytes are, and how many
        broken = cubin;
        set(broken, table + i * 64 + field, value);
        read_sample(broken);
      }
    }
  }
  std::vector<char> broken = cubin;
  set<std::uint16_t>(broken, 62, count);  // the section with the names
  BOOST_TEST(!read_sample(broken).has_value());
}

BOOST_AUTO_TEST_CASE(every_truncated_file_is_refused) {
  const std::vector<char> cubin = sample_cubin();
  const auto table = get<std::uint64_t>(cubin, 40);
  const std::uint64_t sections = get<std::uint16_t>(cubin, 60);
  for (std::size_t size = 0; size < cubin.size(); ++size) {
    // Program headers alone may follow the table of sections.
    const bool is_whole = size >= table + sections * 64;
    BOOST_REQUIRE(read_kernel_code({cubin.data(), size}, "sample").has_value() == is_whole);
  }
}

BOOST_AUTO_TEST_CASE(changed_bytes_harm_nobody) {
  const std::vector<char> cubin = sample_cubin();
  const auto size = static_cast<int>(cubin.size());
  check_property(
      [&] {
        std::vector<char> broken = cubin;
        const auto changes = *rc::gen::container<std::vector<std::pair<int, char>>>(
            rc::gen::pair(rc::gen::inRange(0, size), rc::gen::arbitrary<char>()));
        for (const auto& [place, value] : changes) {
          broken[static_cast<std::size_t>(place)] = value;
        }
        broken.resize(static_cast<std::size_t>(*rc::gen::weightedOneOf<int>(
            {{3, rc::gen::just(size)}, {1, rc::gen::inRange(0, size + 1)}})));
        const auto code = read_sample(broken);
        if (!code) return;
        RC_ASSERT(code->accesses.size() <= broken.size() / 16);
      },
      2000);
}

BOOST_AUTO_TEST_CASE(changed_line_tables_harm_nobody) {
  const std::vector<char> cubin = sample_cubin();
  const CubinFile file(cubin);
  const auto lines = file.section(".nv_debug_line_sass");
  BOOST_REQUIRE(!lines.empty());
  const auto begin = static_cast<int>(lines.data() - cubin.data());
  const int end = begin + static_cast<int>(lines.size());
  check_property(
      [&] {
        std::vector<char> broken = cubin;
        const auto changes = *rc::gen::container<std::vector<std::pair<int, char>>>(
            rc::gen::pair(rc::gen::inRange(begin, end), rc::gen::arbitrary<char>()));
        for (const auto& [place, value] : changes) {
          broken[static_cast<std::size_t>(place)] = value;
        }
        const auto code = read_sample(broken);
        RC_ASSERT(code && code->ptx_lines.size() <= broken.size() / 16);
      },
      2000);
}

BOOST_AUTO_TEST_CASE(changed_headers_harm_nobody) {
  // The first 64 bytes, the section table and .nv.info are where a reader can be led astray.
  const std::vector<char> cubin = sample_cubin();
  const auto table = static_cast<int>(get<std::uint64_t>(cubin, 40));
  const int end = table + get<std::uint16_t>(cubin, 60) * 64;
  check_property(
      [&] {
        std::vector<char> broken = cubin;
        const auto changes = *rc::gen::container<std::vector<std::pair<int, char>>>(
            rc::gen::pair(rc::gen::oneOf(rc::gen::inRange(40, 64), rc::gen::inRange(table, end)),
                          rc::gen::element<char>(0, 1, 4, 8, 0x40, 0x7f, -1, -128)));
        for (const auto& [place, value] : changes) {
          broken[static_cast<std::size_t>(place)] = value;
        }
        read_sample(broken);
      },
      2000);
}
