// Random programs leave the same memory on the machine and on the reference.

#include "tests/emulator/machine/random_program.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cstring>

#include "engine/emulator/lower/kernel.h"
#include "tests/emulator/machine/reference.h"
#include "tests/emulator/machine/test_device.h"

namespace sweep::testing {

static std::ostream& operator<<(std::ostream& out, const Flavour& flavour) {
  return out << flavour.name;
}

BOOST_AUTO_TEST_SUITE(random_programs)

namespace {

constexpr Flavour flavours[] = {
    {"straight lines", false, false, false, 40},
    {"structured", true, false, false, 20},
    {"with jumps", true, true, false, 20},
    {"with meetings", true, true, true, 25},
};

struct Result {
  std::vector<std::byte> out;
  LaunchCount count;
  std::string message;
};

Result run_on_machine(const RandomProgram& program, const GridOptions& options, Simd simd,
                      std::uint64_t& address, bool checks_kernel = true) {
  Result result;
  try {
    TestDevice device(program.ptx);
    Allocation& out = device.memory().allocate("out", program.out_bytes, 4);
    address = out.base;
    Setting setting;
    setting.grid = program.grid;
    setting.block = program.block;
    setting.checks_kernel = checks_kernel;
    setting.options = options;
    Launch launch = device.launch("k", setting, {out.base});
    const ptx::Module module(program.ptx);
    const Kernel kernel = lower(module, "k", simd);
    launch.kernel = &kernel;
    plan_execution(launch);
    result.count = run_grid(launch, options).count;
    result.out.assign(out.host, out.host + out.bytes);
  } catch (const std::exception& error) {
    result.message = error.what();
  }
  return result;
}

/// Runs the program for the lanes of `mask` alone.
void run_lanes(const RandomProgram& program, std::uint32_t mask, std::vector<std::byte>& memory) {
  const std::string place = "mov.u32 %result, 0;\n";
  const std::string exits = "mov.u32 %t7, %laneid; shr.u32 %t7, " + std::to_string(mask) +
                            ", %t7; and.b32 %t7, %t7, 1; setp.eq.u32 %p63, %t7, 0; @%p63 exit;\n";
  std::string text = program.ptx;
  text.insert(text.find(place) + place.size(), exits);
  TestDevice device(text);
  Allocation& out = device.memory().allocate("out", program.out_bytes, 4);
  std::memcpy(out.host, memory.data(), memory.size());
  Setting setting;
  setting.grid = program.grid;
  setting.block = program.block;
  run_grid(device.launch("k", setting, {out.base}), {});
  std::memcpy(memory.data(), out.host, memory.size());
}

std::vector<LaunchCount> counts_of_blocks(const RandomProgram& program) {
  TestDevice device(program.ptx);
  Allocation& out = device.memory().allocate("out", program.out_bytes, 4);
  Setting setting;
  setting.grid = program.grid;
  setting.block = program.block;
  const Launch launch = device.launch("k", setting, {out.base});
  std::vector<std::uint64_t> blocks;
  for (std::uint64_t i = program.grid.count(); i > 0; --i) blocks.push_back(i - 1);
  return run_blocks(launch, blocks, {});
}

/// Where two memories differ first; empty when they do not.
std::string difference(const std::vector<std::byte>& expected, const Result& got) {
  if (!got.message.empty()) return got.message;
  for (std::size_t i = 0; i + 4 <= expected.size(); i += 4) {
    if (std::memcmp(&expected[i], &got.out[i], 4) == 0) continue;
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    std::memcpy(&a, &expected[i], 4);
    std::memcpy(&b, &got.out[i], 4);
    return "word " + std::to_string(i / 4) + " is " + std::to_string(b) + ", not " +
           std::to_string(a);
  }
  return {};
}

}  // namespace

/// SWEEP_RANDOM_PROGRAMS asks for another number of programs, SWEEP_RANDOM_SEED for others.
BOOST_DATA_TEST_CASE(leave_the_memory_of_the_reference, boost::unit_test::data::make(flavours),
                     flavour) {
  const std::uint64_t count = from_environment("SWEEP_RANDOM_PROGRAMS", 40);
  const std::uint64_t first = from_environment("SWEEP_RANDOM_SEED", 1);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    std::mt19937_64 random(seed);
    const RandomProgram program = random_program(random, flavour);
    std::uint64_t address = 0;
    const Simd simd = seed % 2 == 0 ? Simd::baseline : best_simd();
    const Result plain = run_on_machine(program, {}, simd, address);
    std::vector<std::byte> expected(static_cast<std::size_t>(program.out_bytes));
    const ptx::Module module(program.ptx);
    run_reference(module, program.grid, program.block, address, expected);
    const std::string wrong = difference(expected, plain);
    if (!wrong.empty()) {
      BOOST_TEST_MESSAGE(program.ptx);
      BOOST_FAIL("seed " << seed << ": " << wrong);
    }
    GridOptions in_order;
    in_order.on_end = [](std::uint64_t /*cluster*/) {};
    const Result other = run_on_machine(program, in_order, simd, address);
    BOOST_TEST(difference(expected, other) == "", "in order, seed " << seed);
    BOOST_TEST((other.count == plain.count), "counts in order, seed " << seed);
    const Result unchecked = run_on_machine(program, {}, simd, address, false);
    BOOST_TEST(difference(expected, unchecked) == "", "unchecked, seed " << seed);
    BOOST_TEST((unchecked.count == plain.count), "counts unchecked, seed " << seed);
  }
}

/// The lanes of a mask, then the others: as all together, when nobody reads what others write.
BOOST_DATA_TEST_CASE(do_not_depend_on_which_lanes_run_together,
                     boost::unit_test::data::make(flavours) ^
                         boost::unit_test::data::make({1, 1, 1, 0}),
                     flavour, is_free) {
  if (is_free == 0) return;
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    std::mt19937_64 random(seed);
    const RandomProgram program = random_program(random, flavour);
    std::uint64_t address = 0;
    const Result whole = run_on_machine(program, {}, best_simd(), address);
    std::uint32_t mask = static_cast<std::uint32_t>(random());
    std::vector<std::uint32_t> parts = {mask, ~mask};
    if (seed % 5 == 0) {
      parts.clear();
      for (unsigned lane = 0; lane < 32; ++lane) parts.push_back(1U << lane);
    }
    std::vector<std::byte> memory(static_cast<std::size_t>(program.out_bytes));
    for (const std::uint32_t part : parts) run_lanes(program, part, memory);
    BOOST_TEST(difference(memory, whole) == "", "seed " << seed);
  }
}

BOOST_DATA_TEST_CASE(count_the_same_block_by_block_and_on_several_threads,
                     boost::unit_test::data::make(flavours), flavour) {
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    std::mt19937_64 random(seed);
    RandomProgram program = random_program(random, flavour);
    program.grid.y = 4;
    program.out_bytes *= 4;
    std::uint64_t address = 0;
    const Result whole = run_on_machine(program, {}, best_simd(), address);
    GridOptions several;
    several.threads = 3;
    const Result shared_out = run_on_machine(program, several, best_simd(), address);
    BOOST_TEST(difference(whole.out, shared_out) == "", "seed " << seed);
    BOOST_TEST((shared_out.count == whole.count), "seed " << seed);
    LaunchCount sum;
    for (const LaunchCount& count : counts_of_blocks(program)) sum += count;
    BOOST_TEST((sum == whole.count), "seed " << seed);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
