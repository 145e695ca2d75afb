#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/jit/compiler.h"
#include "tests/contains.h"
#include "tests/pattern_from_text.h"

namespace sweep {

/// A pattern whose kernels tell their K by their PTX; 13, 141 and so on do not compile.
inline PatternPtr telling_pattern(const std::string& name) {
  return pattern_from_text(
      name,
      "/* pattern:\nparameters: {K: 1}\nbuffers: {data: {type: int, length: 64, init: \"i\"}}\n"
      "launch: {grid: 1, block: 64}\nuseful: {read: 256}\nverify: \"data[i] >= 0\"\n*/\n"
      "static_assert(K % 128 != 13, \"unlucky\");\n__global__ void " +
          name + "(int* data) { data[threadIdx.x] = 1000000 + K; }\n");
}

/// Configurations of two such patterns in turns, `in_a_row` of each, K being their place.
inline std::vector<Configuration> telling_configurations(std::size_t count, std::size_t in_a_row) {
  const std::vector<PatternPtr> patterns = {telling_pattern("one"), telling_pattern("two")};
  std::vector<Configuration> result;
  for (std::size_t i = 0; i < count; ++i) {
    const PatternPtr& pattern = patterns[i / in_a_row % 2];
    result.push_back(resolve(pattern, integers({{"K", static_cast<std::int64_t>(i)}})));
  }
  return result;
}

/// Whether the outcome is that of such a configuration.
inline bool is_outcome_of(const Configuration& configuration, const CompileOutcome& outcome) {
  const auto k = std::get<std::int64_t>(*configuration.parameters.find("K"));
  if (k % 128 == 13) {
    const auto* failure = std::get_if<CompileFailure>(&outcome);
    return failure != nullptr && failure->errors.error_count() == 1 &&
           contains(render(failure->errors), "unlucky");
  }
  const auto* compiled = std::get_if<CompiledConfiguration>(&outcome);
  if (compiled == nullptr) return false;
  const std::string& ptx = compiled->program->ptx;
  const std::size_t entry = ptx.find(".entry " + compiled->entries.steps.front().kernel);
  if (entry == std::string::npos) return false;
  const std::size_t constant = ptx.find("1000", entry);
  return constant != std::string::npos && ptx.substr(constant, 7) == std::to_string(1000000 + k) &&
         contains(compiled->entries.steps.front().kernel, configuration.pattern->name);
}

}  // namespace sweep
