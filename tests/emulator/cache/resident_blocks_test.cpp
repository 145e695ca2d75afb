#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>
#include <stdexcept>

#include "engine/emulator/cache/device_profile.h"
#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>
#define SWEEP_HAS_CUDA_OCCUPANCY
#endif

namespace data = boost::unit_test::data;

namespace resident_blocks_test {
namespace {

using namespace sweep;

constexpr std::uint64_t Ki = 1024;

struct Case {
  int capability;
  unsigned threads;
  unsigned registers;
  std::uint64_t shared;
  unsigned blocks;

  friend std::ostream& operator<<(std::ostream& out, const Case& row) {
    return out << row.capability << ": " << row.threads << " threads, " << row.registers
               << " registers, " << row.shared << " bytes";
  }
};

const std::vector<Case> cases = {
    // warps and blocks
    {90, 256, 16, 0, 8},
    {90, 1024, 32, 0, 2},
    {90, 32, 16, 0, 32},
    {90, 1, 16, 0, 32},
    {90, 96, 16, 0, 21},
    {90, 1025, 16, 0, 0},
    {90, 0, 16, 0, 0},
    {75, 256, 16, 0, 4},
    {75, 32, 16, 0, 16},
    {89, 64, 16, 0, 24},
    {86, 64, 16, 0, 16},
    {120, 512, 32, 0, 3},
    // registers, in pieces of 8 per thread
    {90, 256, 32, 0, 8},
    {90, 256, 33, 0, 6},
    {90, 256, 40, 0, 6},
    {90, 256, 41, 0, 5},
    {90, 1024, 64, 0, 1},
    {90, 1024, 65, 0, 0},
    {90, 128, 255, 0, 2},
    {90, 32, 256, 0, 0},
    {90, 256, 0, 0, 8},
    {37, 1024, 64, 0, 2},
    {37, 1024, 65, 0, 0},
    {30, 256, 64, 0, 0},
    // shared memory, 1 KiB of it reserved in every block from 8.0 on
    {90, 32, 16, 227 * Ki, 1},
    {90, 32, 16, 227 * Ki + 1, 0},
    {90, 32, 16, 113 * Ki, 2},
    {90, 32, 16, 113 * Ki + 1, 1},
    {90, 256, 16, 48 * Ki, 4},
    {103, 32, 16, 227 * Ki, 1},
    {103, 1024, 32, 0, 2},
    {121, 32, 16, 99 * Ki, 1},
    {121, 32, 16, 99 * Ki + 1, 0},
    {121, 512, 32, 0, 3},
    {80, 32, 16, 163 * Ki, 1},
    {80, 32, 16, 31 * Ki, 5},
    {70, 32, 16, 48 * Ki, 2},
    {70, 32, 16, 96 * Ki, 1},
    {75, 32, 16, 64 * Ki, 1},
    {60, 32, 16, 48 * Ki, 1},
    {60, 32, 16, 32 * Ki, 2},
    {52, 32, 16, 48 * Ki, 2},
    {61, 32, 16, 49 * Ki, 0},
    // The early ones: 1.x gives registers to blocks, 2.x in pieces of 64 to warps.
    {10, 256, 10, 0, 3},
    {10, 256, 11, 0, 2},
    {10, 512, 16, 0, 1},
    {10, 513, 4, 0, 0},
    {13, 256, 16, 0, 4},
    {13, 256, 17, 0, 3},
    {13, 64, 16, 4 * Ki, 4},
    {13, 64, 16, 4 * Ki + 1, 3},
    {20, 256, 20, 0, 6},
    {20, 256, 21, 0, 5},
    {20, 192, 16, 48 * Ki, 1},
    {20, 32, 63, 0, 8},
    {20, 32, 64, 0, 0},
};

}  // namespace

BOOST_DATA_TEST_CASE(blocks_of_a_multiprocessor, data::make(cases), row) {
  const DeviceProfile& profile = builtin_profile(row.capability);
  BOOST_TEST(resident_blocks(profile, row.threads, row.registers, row.shared) == row.blocks);
}

#ifdef SWEEP_HAS_CUDA_OCCUPANCY

namespace {

int nvidias_answer(const DeviceProfile& profile, int threads, int registers, std::size_t shared) {
  cudaOccDeviceProp device;
  device.computeMajor = profile.compute_capability / 10;
  device.computeMinor = profile.compute_capability % 10;
  device.maxThreadsPerBlock = static_cast<int>(profile.max_threads_per_block);
  device.maxThreadsPerMultiprocessor = static_cast<int>(profile.max_threads_per_multiprocessor);
  device.regsPerBlock = static_cast<int>(profile.registers_per_block);
  device.regsPerMultiprocessor = static_cast<int>(profile.registers_per_multiprocessor);
  device.warpSize = 32;
  device.sharedMemPerBlock = 48 * Ki;
  device.sharedMemPerBlockOptin = profile.shared_bytes_per_block;
  device.sharedMemPerMultiprocessor = profile.shared_bytes_per_multiprocessor;
  device.numSms = static_cast<int>(profile.multiprocessors);
  device.reservedSharedMemPerBlock = profile.compute_capability >= 80 ? 1024 : 0;
  cudaOccFuncAttributes kernel;
  kernel.maxThreadsPerBlock = 1024;
  kernel.numRegs = registers;
  kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  kernel.maxDynamicSharedSizeBytes = shared;
  kernel.numBlockBarriers = 1;
  const cudaOccDeviceState state;
  cudaOccResult result{};
  const cudaOccError error =
      cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state, threads, shared);
  BOOST_REQUIRE(error == CUDA_OCC_SUCCESS);
  return result.activeBlocksPerMultiprocessor;
}

}  // namespace

BOOST_AUTO_TEST_CASE(agrees_with_the_toolkits_header) {
  BOOST_TEST(builtin_profiles().size() > 5U);
  for (const DeviceProfile& profile : builtin_profiles()) {
    const int capability = profile.compute_capability;
    if (capability < 30) continue;  // the header begins with Kepler
    const int most_registers = capability == 30 ? 63 : 255;
    for (int threads = 1; threads <= 1024; threads += 31) {
      for (int registers = 0; registers <= most_registers; registers += 3) {
        for (const std::size_t shared : {0U, 1U, 3000U, 9000U, 49152U, 70000U, 101376U, 232448U}) {
          const auto blocks = resident_blocks(profile, static_cast<unsigned>(threads),
                                              static_cast<unsigned>(registers), shared);
          const int expected = nvidias_answer(profile, threads, registers, shared);
          if (static_cast<int>(blocks) == expected) continue;
          BOOST_FAIL("capability " << capability << ", " << threads << " threads, " << registers
                                   << " registers, " << shared << " bytes: " << blocks
                                   << " blocks, the header says " << expected);
        }
      }
    }
  }
}

#endif

namespace {

struct Division {
  int capability;
  unsigned blocks;
  std::uint64_t shared;
  std::uint64_t l1;

  friend std::ostream& operator<<(std::ostream& out, const Division& row) {
    return out << row.capability << ": " << row.blocks << " x " << row.shared << " bytes";
  }
};

const std::vector<Division> divisions = {
    {10, 1, 0, 0},
    {20, 1, 0, 16 * Ki},
    {35, 8, 1 * Ki, 16 * Ki},
    {37, 8, 1 * Ki, 16 * Ki},
    {52, 1, 48 * Ki, 24 * Ki},
    {61, 1, 0, 48 * Ki},
    {70, 8, 0, 128 * Ki},
    {70, 1, 1, 120 * Ki},
    {70, 1, 96 * Ki, 32 * Ki},
    {75, 8, 0, 64 * Ki},
    {75, 2, 32 * Ki, 32 * Ki},
    {80, 2, 31 * Ki, 128 * Ki},
    {80, 2, 32 * Ki, 92 * Ki},
    {90, 8, 0, 248 * Ki},
    {90, 32, 0, 224 * Ki},
    {90, 1, 227 * Ki, 28 * Ki},
    {90, 4, 48 * Ki, 60 * Ki},
    {89, 1, 99 * Ki, 28 * Ki},
};

}  // namespace

BOOST_DATA_TEST_CASE(what_shared_memory_leaves, data::make(divisions), row) {
  BOOST_TEST(l1_bytes_beside(builtin_profile(row.capability), row.blocks, row.shared) == row.l1);
}

BOOST_AUTO_TEST_CASE(builtin_profiles_are_whole) {
  const std::vector<int> expected = {10, 11, 12, 13, 20, 21, 30, 35,  37,  50,  52, 60,
                                     61, 70, 75, 80, 86, 89, 90, 100, 103, 120, 121};
  BOOST_TEST(builtin_profiles().size() == expected.size());
  for (const int capability : expected) {
    const DeviceProfile& profile = builtin_profile(capability);
    BOOST_TEST_CONTEXT(profile.name) {
      BOOST_TEST(profile.multiprocessors > 0U);
      BOOST_TEST(profile.max_threads_per_multiprocessor % 32 == 0U);
      BOOST_TEST(profile.max_threads_per_block <= profile.max_threads_per_multiprocessor);
      BOOST_TEST(profile.shared_bytes_per_block <= profile.shared_bytes_per_multiprocessor);
      BOOST_TEST(profile.registers_per_block <= profile.registers_per_multiprocessor);
      BOOST_TEST((profile.l2_bytes > 0) == (capability >= 20));
      BOOST_TEST(profile.l2_bytes % 128 == 0U);
      BOOST_TEST(resident_blocks(profile, 32, 16, 0) == profile.max_blocks_per_multiprocessor);
    }
  }
  BOOST_CHECK_THROW(builtin_profile(91), std::invalid_argument);
}

}  // namespace resident_blocks_test
