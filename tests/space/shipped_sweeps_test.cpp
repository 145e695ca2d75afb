#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "engine/space/enumerate.h"
#include "engine/spec/pattern.h"
#include "engine/text/read_source.h"

namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(shipped_sweeps)

BOOST_AUTO_TEST_CASE(each_has_configurations_that_can_be_run) {
  const fs::path root = SWEEP_SOURCE_DIR;
  const sweep::PatternLibrary library({root / "patterns"});
  int count = 0;
  for (const auto& entry : fs::directory_iterator(root / "sweeps")) {
    if (entry.path().extension() != ".yaml") continue;
    BOOST_TEST_CONTEXT(entry.path()) {
      const sweep::Space space = enumerate(
          sweep::parse_sweep(sweep::read_source(entry.path()), entry.path(), library.lookup(), {}));
      BOOST_TEST(!space.configurations.empty());
      for (const sweep::Configuration& configuration : space.configurations) {
        BOOST_TEST_INFO(to_string(configuration));
        const sweep::Bindings environment = environment_of(configuration);
        for (const sweep::Buffer& buffer : configuration.pattern->buffers) {
          BOOST_TEST(buffer.length.evaluate_integer(environment) > 0);
        }
        std::int64_t threads = 1;
        for (const sweep::Expression& extent : configuration.pattern->steps.front().launch.block) {
          threads *= extent.evaluate_integer(environment);
        }
        BOOST_TEST((threads >= 1 && threads <= 1024));
        for (const sweep::Expression& extent : configuration.pattern->steps.front().launch.grid) {
          BOOST_TEST(extent.evaluate_integer(environment) > 0);
        }
      }
    }
    ++count;
  }
  BOOST_TEST(count >= 8);
}

BOOST_AUTO_TEST_SUITE_END()
