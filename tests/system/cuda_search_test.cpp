#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "engine/system/dynamic_library.h"
#include "tests/changed_environment.h"
#include "tests/temporary_folder.h"

using namespace sweep;
namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(cuda_search)

namespace {

/// Python's environment with what wheels of NVIDIA's have installed.
class PythonEnvironment {
 public:
  PythonEnvironment() {
    for (const char* variable : {"SWEEP_CUDA_HOME", "CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX"}) {
      environment_.unset(variable);
    }
    environment_.set("HOME", (folder_.path() / "home").string());
    environment_.set("PATH", "");
    environment_.unset("VIRTUAL_ENV");
  }

  /// Puts an empty file there; gives its path.
  fs::path put(const std::string& file) {
    const fs::path path = folder_.path() / file;
    fs::create_directories(path.parent_path());
    folder_.write(file, "");
    return path;
  }
  void set(const char* variable, const std::string& folder) {
    environment_.set(variable, (folder_.path() / folder).string());
  }
  fs::path path() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
  ChangedEnvironment environment_;
};

std::size_t place_of(const fs::path& library) {
  const auto all = library_candidates({library.filename().string()});
  return static_cast<std::size_t>(std::ranges::find(all, library.string()) - all.begin());
}

bool is_looked_for(const fs::path& library) {
  return place_of(library) < library_candidates({library.filename().string()}).size();
}

}  // namespace

BOOST_AUTO_TEST_CASE(wheels_of_an_active_environment_are_searched) {
  PythonEnvironment python;
  const std::string wheels = "venv/lib/python3.11/site-packages/nvidia/";
  const fs::path newer = python.put(wheels + "cu13/lib/libnvrtc.so.13");
  const fs::path older = python.put(wheels + "cuda_nvrtc/lib/libnvrtc.so.12");
  BOOST_TEST(!is_looked_for(newer));
  python.set("VIRTUAL_ENV", "venv");
  BOOST_TEST(is_looked_for(newer));
  BOOST_TEST(is_looked_for(older));
}

BOOST_AUTO_TEST_CASE(so_are_those_of_the_first_python_and_of_the_user) {
  PythonEnvironment python;
  python.put("venv/bin/python3");
  const fs::path first =
      python.put("venv/lib/python3.12/site-packages/nvidia/cu13/lib/libnvrtc.so.13");
  const fs::path users =
      python.put("home/.local/lib/python3.9/site-packages/nvidia/cu13/lib/libnvrtc.so.13");
  BOOST_TEST(!is_looked_for(first));
  python.set("PATH", "venv/bin");
  BOOST_TEST(place_of(first) < place_of(users));
  BOOST_TEST(is_looked_for(users));
}

BOOST_AUTO_TEST_CASE(a_toolkit_that_is_named_goes_before_wheels) {
  PythonEnvironment python;
  const fs::path wheel =
      python.put("venv/lib/python3.11/site-packages/nvidia/cu13/lib/libnvrtc.so.13");
  const fs::path named = python.put("toolkit/lib64/libnvrtc.so.13");
  python.set("VIRTUAL_ENV", "venv");
  python.set("CUDA_HOME", "toolkit");
  BOOST_TEST(place_of(named) == 0U);
  BOOST_TEST(place_of(named) < place_of("/usr/local/cuda/lib64/libnvrtc.so.13"));
  BOOST_TEST(place_of("/usr/local/cuda/lib64/libnvrtc.so.13") < place_of(wheel));
}

BOOST_AUTO_TEST_CASE(headers_belong_to_the_library_in_wheels_too) {
  PythonEnvironment python;
  const std::string wheels = "venv/lib/python3.11/site-packages/nvidia/";
  const fs::path older = python.put(wheels + "cuda_nvrtc/lib/libnvrtc.so.12");
  const fs::path header = python.put(wheels + "cuda_runtime/include/cuda_fp16.h");
  const fs::path target = python.put(wheels + "cuda_cccl/include/nv/target");
  const fs::path include = find_cuda_include("cuda_fp16.h", older);
  BOOST_TEST(include == header.parent_path());
  BOOST_TEST(cccl_include(include) == target.parent_path().parent_path());

  const fs::path newer = python.put(wheels + "cu13/lib/libnvrtc.so.13");
  python.put(wheels + "cu13/include/cuda_fp16.h");
  python.put(wheels + "cu13/include/cccl/nv/target");
  const fs::path all = find_cuda_include("cuda_fp16.h", newer);
  BOOST_TEST(all == newer.parent_path().parent_path() / "include");
  BOOST_TEST(cccl_include(all) == all / "cccl");
}

BOOST_AUTO_TEST_SUITE_END()
