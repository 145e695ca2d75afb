#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <set>
#include <vector>

#include "engine/spec/pattern.h"
#include "engine/spec/sweep.h"
#include "engine/text/read_source.h"

namespace data = boost::unit_test::data;
namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(shipped_files)

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

BOOST_AUTO_TEST_CASE(there_are_some) {
  BOOST_TEST(files(patterns, ".cu").size() >= 10u);
  BOOST_TEST(files(sweeps, ".yaml").size() >= 8u);
}

BOOST_DATA_TEST_CASE(every_pattern_is_good, data::make(files(patterns, ".cu"))) {
  sweep::Diagnostics diagnostics;
  const sweep::PatternPtr pattern =
      sweep::parse_pattern(sweep::read_source(sample), sample, diagnostics);
  BOOST_TEST(render(diagnostics) == "");
  BOOST_TEST_REQUIRE(pattern != nullptr);
  BOOST_TEST(!pattern->summary.empty());
  BOOST_TEST(std::ranges::count(sweep::known_families, pattern->family) == 1,
             pattern->family << " is no known family");
  BOOST_TEST(!pattern->help.empty());
  BOOST_TEST(!pattern->origin.empty());
  BOOST_TEST(!pattern->verify.empty());
  for (const sweep::Parameter& parameter : pattern->parameters) {
    if (parameter.kind == sweep::ValueKind::element) continue;
    BOOST_TEST(!parameter.help.empty(), parameter.name << " has no help");
  }
}

BOOST_DATA_TEST_CASE(every_sweep_is_good, data::make(files(sweeps, ".yaml"))) {
  const sweep::PatternLibrary library({patterns});
  try {
    const sweep::Sweep sweep =
        sweep::parse_sweep(sweep::read_source(sample), sample, library.lookup(), {});
    BOOST_TEST(!sweep.summary.empty());
    BOOST_TEST(!sweep.axes.empty());
    // What is tuned is counted for the leading configurations alone.
    BOOST_TEST((sweep.tune.has_value() || !sweep.expect.empty()));
    BOOST_TEST(!sweep.report.tables.empty());
  } catch (const sweep::InputError& error) {
    BOOST_ERROR(error.what());
  }
}

BOOST_AUTO_TEST_CASE(every_pattern_has_a_sweep) {
  const sweep::PatternLibrary library({patterns});
  std::set<std::string> used;
  for (const std::string& path : files(sweeps, ".yaml")) {
    const sweep::Sweep sweep =
        sweep::parse_sweep(sweep::read_source(path), path, library.lookup(), {});
    for (const sweep::PatternPtr& pattern : sweep.patterns) used.insert(pattern->name);
  }
  for (const std::string& path : files(patterns, ".cu")) {
    BOOST_TEST(used.contains(fs::path(path).stem().string()), path << " is in no sweep");
  }
}

BOOST_AUTO_TEST_SUITE_END()
