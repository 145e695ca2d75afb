#include <boost/test/unit_test.hpp>

#include "engine/run/compile_pool.h"
#include "tests/nvrtc_fixture.h"

using namespace sweep;

BOOST_AUTO_TEST_SUITE(compiler_worker, *boost::unit_test::precondition(has_nvrtc))

BOOST_AUTO_TEST_CASE(the_program_is_a_compiler_process_too) {
  CompilerProcesses processes({SWEEP_PROGRAM, "worker", "compiler"});
  CompilerProcess process(processes);
  process.prepare();
  const ProgramSource source = {"template <int N> __global__ void k(int* out) { *out = N; }",
                                {"--gpu-architecture=sm_90"},
                                {"&k<3>"}};
  const NvrtcResult there = process.compile(source);
  const NvrtcResult expected = nvrtc()->compile(source);
  BOOST_TEST(there.ok);
  BOOST_TEST(there.ptx == expected.ptx);
  BOOST_TEST((there.cubin == expected.cubin));
  BOOST_TEST(there.lowered_names == expected.lowered_names, boost::test_tools::per_element());

  const ProgramSource wrong = {"__global__ void k() { oops(); }", {}, {}};
  const NvrtcResult failed = process.compile(wrong);
  BOOST_TEST(!failed.ok);
  BOOST_TEST(failed.log.find("\"oops\" is undefined") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
