#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "engine/cuda/range_profiler.h"

using namespace sweep;
namespace data = boost::unit_test::data;
using Kind = CounterFailure::Kind;

BOOST_AUTO_TEST_SUITE(counter_failure)

namespace {

/// A CUptiResult, whether asking again may help, and a word of the way out.
struct FailureCase {
  int result;
  Kind kind;
  std::string way_out;

  friend std::ostream& operator<<(std::ostream& out, const FailureCase& row) {
    return out << row.result;
  }
};

const std::vector<FailureCase> failures = {
    {1, Kind::passing, "another profiler"},
    {8, Kind::too_many_ranges, "fewer"},
    {12, Kind::too_many_ranges, "fewer"},
    {15, Kind::lasting, "SWEEP_CUDA_HOME"},
    {26, Kind::passing, "another profiler"},
    {27, Kind::lasting, "7.5"},
    {31, Kind::passing, "MPS"},
    {33, Kind::lasting, "hypervisor"},
    {35, Kind::lasting, "NVreg_RestrictProfilingToAdminUsers=0"},
    {35, Kind::lasting, "CAP_SYS_ADMIN"},
    {39, Kind::passing, "Nsight"},
    {43, Kind::lasting, "MIG"},
    {45, Kind::lasting, "Windows"},
    {46, Kind::lasting, "libcupti"},
    {999, Kind::passing, "driver"},
};

}  // namespace

BOOST_DATA_TEST_CASE(a_failure_names_the_call_and_the_way_out, data::make(failures)) {
  const CounterFailure failure = cupti_failure(sample.result, "cuptiX", "CUPTI_ERROR_Y");
  const std::string text = failure.what();
  BOOST_TEST(
      text.starts_with("the hardware's counters cannot be read, cuptiX says "
                       "CUPTI_ERROR_Y; "));
  BOOST_TEST(text.find(sample.way_out) != std::string::npos, text);
  BOOST_TEST((failure.kind() == sample.kind));
}

BOOST_AUTO_TEST_SUITE_END()
