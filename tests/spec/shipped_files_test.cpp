#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <vector>

#include "engine/spec/pattern_library.h"
#include "engine/text/read_source.h"

namespace data = boost::unit_test::data;
namespace fs = std::filesystem;

namespace {

const fs::path patterns = fs::path(SWEEP_SOURCE_DIR) / "patterns";
const fs::path sweeps = fs::path(SWEEP_SOURCE_DIR) / "sweeps";

/// The files of `folder` with this ending, as paths.
std::vector<std::string> files(const fs::path& folder, const std::string& ending) {
  std::vector<std::string> result;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ending) result.push_back(entry.path().string());
  }
  std::ranges::sort(result);
  return result;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(shipped_files)

BOOST_AUTO_TEST_CASE(there_are_some) {
  BOOST_TEST(files(patterns, ".cu").size() >= 3u);
  BOOST_TEST(files(sweeps, ".yaml").size() >= 3u);
}

BOOST_DATA_TEST_CASE(every_pattern_is_good, data::make(files(patterns, ".cu"))) {
  sweep::Diagnostics diagnostics;
  const sweep::PatternPtr pattern =
      sweep::parse_pattern(sweep::read_source(sample), sample, diagnostics);
  BOOST_TEST(render(diagnostics) == "");
  BOOST_TEST_REQUIRE(pattern != nullptr);
  BOOST_TEST(!pattern->summary.empty());
}

BOOST_DATA_TEST_CASE(every_sweep_is_good, data::make(files(sweeps, ".yaml"))) {
  const sweep::PatternLibrary library({patterns});
  try {
    const sweep::Sweep sweep =
        sweep::parse_sweep(sweep::read_source(sample), sample, library.lookup(), {});
    BOOST_TEST(!sweep.summary.empty());
    BOOST_TEST(!sweep.axes.empty());
  } catch (const sweep::InputError& error) {
    BOOST_ERROR(error.what());
  }
}

BOOST_AUTO_TEST_SUITE_END()
