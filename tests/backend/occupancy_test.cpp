#include "engine/backend/occupancy.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <map>
#include <ostream>
#include <string>

namespace data = boost::unit_test::data;
using namespace sweep;

BOOST_AUTO_TEST_SUITE(occupancy)

namespace {

/// An H200's.
constexpr MultiprocessorSizes sizes = {.compute_capability = 90,
                                       .threads = 2048,
                                       .blocks = 32,
                                       .shared_bytes = 228 * 1024,
                                       .shared_bytes_per_block = 227 * 1024};

struct LimitCase {
  const char* what;
  BlockNeeds needs;
  std::uint64_t slots;
  std::uint64_t warps;
  std::uint64_t shared;
  std::uint64_t registers;

  friend std::ostream& operator<<(std::ostream& out, const LimitCase& row) {
    return out << row.what;
  }
};

// By the occupancy calculator of Nsight Compute.
const std::vector<LimitCase> limits = {
    {"small blocks", {.threads = 32, .registers_per_thread = 16}, 32, 64, 228, 128},
    {"registers", {.threads = 256, .registers_per_thread = 128}, 32, 8, 228, 2},
    {"shared memory",
     {.threads = 128, .registers_per_thread = 32, .static_shared_bytes = 48 * 1024},
     32,
     16,
     4,
     16},
    {"both kinds of it",
     {.threads = 128,
      .registers_per_thread = 32,
      .static_shared_bytes = 1024,
      .dynamic_shared_bytes = 99 * 1024},
     32,
     16,
     2,
     16},
    {"too many threads", {.threads = 2048, .registers_per_thread = 32}, 0, 0, 0, 0},
};

std::map<std::string, double> by_name(const std::vector<Metric>& metrics) {
  std::map<std::string, double> values;
  for (const Metric& metric : metrics) values[metric.name] = metric.value;
  return values;
}

}  // namespace

BOOST_DATA_TEST_CASE(every_resource_has_a_limit, data::make(limits)) {
  const BlockLimits found = block_limits(sizes, sample.needs);
  BOOST_TEST(found.by_slots == sample.slots);
  BOOST_TEST(found.by_warps == sample.warps);
  BOOST_TEST(found.by_shared == sample.shared);
  BOOST_TEST(found.by_registers == sample.registers);
  BOOST_TEST(found.least() ==
             std::min({sample.slots, sample.warps, sample.shared, sample.registers}));
}

BOOST_AUTO_TEST_CASE(metrics_say_what_limits_the_occupancy) {
  const std::vector<ResidentKernel> kernels = {
      {{.threads = 64, .registers_per_thread = 32}, 8},
      {{.threads = 256, .registers_per_thread = 128, .local_bytes_per_thread = 40}, 1}};
  const auto metrics = by_name(resource_metrics(sizes, kernels, Origin::emulated));
  BOOST_TEST(metrics.at("registers") == 128);
  BOOST_TEST(metrics.at("local_bytes") == 40);
  BOOST_TEST(metrics.at("resident_blocks") == 1);
  BOOST_TEST(metrics.at("occupancy") == 12.5);
  BOOST_TEST(metrics.at("blocks_by_registers") == 2);
  BOOST_TEST(metrics.at("blocks_by_warps") == 8);
  BOOST_TEST(!metrics.contains("blocks_by_shared"));
  for (const auto& [name, value] : metrics) BOOST_TEST((find_metric(name) != nullptr), name);
}

BOOST_AUTO_TEST_SUITE_END()
