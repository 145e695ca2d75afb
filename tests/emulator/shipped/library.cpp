#include "tests/emulator/shipped/library.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <iterator>
#include <random>

#include "engine/space/enumerate.h"
#include "engine/spec/pattern.h"
#include "engine/text/read_source.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

// Called while static data is initialised.
fs::path root() {
  return SWEEP_SOURCE_DIR;
}

const PatternLibrary& shipped_patterns() {
  static const PatternLibrary library({root() / "patterns"});
  return library;
}

}  // namespace

const std::vector<std::string>& shipped_sweeps() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(root() / "sweeps")) {
      if (entry.path().extension() == ".yaml") found.push_back(entry.path().stem().string());
    }
    std::ranges::sort(found);
    return found;
  }();
  return names;
}

Sweep shipped_sweep(const std::string& name) {
  const fs::path path = root() / "sweeps" / (name + ".yaml");
  return parse_sweep(read_source(path), path, shipped_patterns().lookup(), {});
}

std::vector<Configuration> some_configurations(const Sweep& sweep, std::size_t most) {
  std::vector<Configuration> all = enumerate(sweep).configurations;
  if (all.size() <= most) return all;
  std::vector<Configuration> some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(all[i * (all.size() - 1) / (most - 1)]);
  return some;
}

std::vector<Configuration> drawn_configurations(const Sweep& sweep, std::size_t count) {
  const std::vector<Configuration> all = enumerate(sweep).configurations;
  std::vector<Configuration> drawn;
  std::ranges::sample(all, std::back_inserter(drawn), static_cast<std::ptrdiff_t>(count),
                      std::mt19937(1));
  return drawn;
}

Configuration shipped_configuration(const std::string& pattern, const Bindings& given) {
  Diagnostics diagnostics;
  const PatternPtr found = shipped_patterns().load(pattern, {}, diagnostics);
  BOOST_REQUIRE_MESSAGE(found != nullptr, render(diagnostics));
  return resolve(found, given);
}

}  // namespace sweep
