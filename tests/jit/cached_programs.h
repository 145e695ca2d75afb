#pragma once

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/jit/program_cache.h"
#include "tests/pattern_from_text.h"
#include "tests/temporary_folder.h"

namespace sweep::testing {

/// A cache in a folder of its own, and what to put into it.
struct CachedPrograms {
  static constexpr const char* identity = "a compiler and its options";

  TemporaryFolder folder;
  CacheSettings settings{folder.path() / "cache" / "sweep"};
  PatternPtr pattern = pattern_named("strided");

  static std::string pattern_text(const std::string& name, const std::string& body = {}) {
    return "/* pattern:\nparameters: {STRIDE: 1, T: {type: element, default: float}}\nbuffers:\n" +
           std::string("  data: {type: T, length: 64 * STRIDE}\nlaunch: {grid: 1, block: 64}\n") +
           "useful: {read: 256}\nverify: \"true\"\n*/\n" + body + "__global__ void " + name +
           "(T* data) {}\n";
  }
  static PatternPtr pattern_named(const std::string& name, const std::string& body = {}) {
    return pattern_from_text(name, pattern_text(name, body));
  }

  std::vector<Configuration> strides(std::initializer_list<std::int64_t> values) const {
    return configurations_with(pattern, "STRIDE", values);
  }

  static std::shared_ptr<const Program> program(const std::string& ptx, std::size_t cubin = 1000) {
    Program program;
    for (std::size_t i = 0; i < cubin; ++i) program.cubin.push_back(static_cast<char>(i * 7 + 3));
    program.ptx = ptx;
    return std::make_shared<const Program>(std::move(program));
  }

  /// The configurations as members of one program.
  static std::vector<CompileOutcome> compiled(std::size_t count,
                                              const std::shared_ptr<const Program>& program) {
    std::vector<CompileOutcome> outcomes;
    for (std::size_t i = 0; i < count; ++i) {
      CompiledConfiguration one;
      one.program = program;
      one.entries.steps.front().kernel = "kernel" + std::to_string(i);
      one.entries.init = {"init" + std::to_string(i), ""};
      one.entries.check = {"check" + std::to_string(i)};
      outcomes.emplace_back(std::move(one));
    }
    return outcomes;
  }

  /// Adds these strides as one program with this PTX.
  void add(std::initializer_list<std::int64_t> values, const std::string& ptx) const {
    ProgramCache cache(settings);
    const std::vector<Configuration> configurations = strides(values);
    cache.add(configurations, compiled(configurations.size(), program(ptx)), identity);
    BOOST_TEST(cache.problem() == "");
  }

  /// The PTX that a new cache finds for a stride; "-" when it finds nothing.
  std::string find(std::int64_t stride) const {
    ProgramCache cache(settings);
    return find(cache, stride);
  }
  std::string find(ProgramCache& cache, std::int64_t stride) const {
    const std::vector<Configuration> one = strides({stride});
    const auto found = cache.find(one, identity);
    return found.at(0) ? found[0]->program->ptx : std::string("-");
  }

  /// The plain files in the cache, in the order of their names.
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> result;
    std::error_code error;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(settings.folder, error)) {
      if (entry.is_regular_file()) result.push_back(entry.path());
    }
    std::ranges::sort(result);
    return result;
  }
};

}  // namespace sweep::testing
