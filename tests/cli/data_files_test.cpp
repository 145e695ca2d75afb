// Patterns whose data stand in files.
#include <boost/test/unit_test.hpp>

#include "tests/cli/compiler_precondition.h"
#include "tests/cli/program.h"
#include "tests/contains.h"
#include "tests/numpy_file.h"
#include "tests/temporary_folder.h"

using namespace sweep;

namespace data_files {
namespace {

struct Folder {
  Folder() {
    folder.write("mine/twice.cu",
                 "/* pattern:\nbuffers:\n  in: {type: float, length: 256, init: {file: in.npy}}\n"
                 "  out: {type: float, length: 256}\nlaunch: {grid: 1, block: 256}\n"
                 "useful: {read: 1024}\nverify:\n  out:\n    file: out.npy\n"
                 "    tolerance: {relative: 1e-3}\n*/\n"
                 "__global__ void twice(const float* in, float* out) {\n"
                 "  out[threadIdx.x] = 2 * in[threadIdx.x];\n}\n");
    folder.write("mine/twice.yaml", "pattern: twice\n");
    write("mine/in.npy", 1);
    write("mine/out.npy", 2);
  }
  void write(const char* name, float value) const {
    folder.write(name, npy("'<f4'", "(256,)", bytes_in(std::vector<float>(256, value))));
  }
  Outcome run() const {
    return run_program({"run", "mine/twice.yaml", "--device", "emulator"}, folder.path());
  }

  TemporaryFolder folder;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(data_files_suite, Folder, *boost::unit_test::precondition(has_compiler))

BOOST_AUTO_TEST_CASE(a_point_is_measured_anew_where_a_file_has_changed) {
  BOOST_TEST(contains(run().err, "1 point measured, 0 failed; 0 reused"));
  BOOST_TEST(contains(run().err, "0 points measured, 0 failed; 1 reused"));
  write("mine/in.npy", 1.0001F);
  BOOST_TEST(contains(run().err, "1 point measured, 0 failed; 0 reused"));
  write("mine/out.npy", 2.0001F);
  BOOST_TEST(contains(run().err, "1 point measured, 0 failed; 0 reused"));
  write("mine/in.npy", 1);
  write("mine/out.npy", 2);
  BOOST_TEST(contains(run().err, "0 points measured, 0 failed; 1 reused"));
}

BOOST_AUTO_TEST_CASE(a_wrong_result_says_by_how_much_at_the_files_place) {
  write("mine/out.npy", 3);
  const Outcome check = run_program({"check", "--run", "mine/twice.cu"}, folder.path());
  BOOST_TEST(contains(check.err,
                      "twice.cu:9:11: error: wrong result: 256 of 256 elements of 'out' fail the "
                      "check out[i] == out.npy to within relative: 1e-3; the first is i = 0: 2, "
                      "expected 3, off by 1 where 0.003 is allowed; none is off by more"),
             check.err);
  const Outcome failed = run();
  BOOST_TEST(contains(failed.out + failed.err, "expected 3, off by 1"), failed.out + failed.err);
}

BOOST_AUTO_TEST_CASE(a_file_outside_is_read_where_the_user_allows_its_folder) {
  std::filesystem::rename(folder.path() / "mine/in.npy", folder.path() / "in.npy");
  const Outcome refused = run_program({"check", "mine/twice.cu"}, folder.path());
  BOOST_TEST(refused.code != 0);
  BOOST_TEST(contains(refused.err, "there is no file in.npy in the pattern's folder"));
  const Outcome allowed =
      run_program({"check", "--run", "--include", ".", "mine/twice.cu"}, folder.path());
  BOOST_TEST(allowed.code == 0, allowed.err);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace data_files
