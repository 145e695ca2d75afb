#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/spec/sweep.h"
#include "engine/text/diagnostic.h"
#include "tests/spec/spec_case.h"

namespace sweep::testing {

/// The text of a pattern NAME with these parameters, each a line of YAML, and further header lines.
inline std::string pattern_with(const std::string& name, const std::vector<std::string>& parameters,
                                const std::string& more = {}) {
  std::string text = "/* pattern:\nparameters:\n";
  for (const std::string& parameter : parameters) text += "  " + parameter + '\n';
  return text + more +
         "buffers: {data: {type: float, length: 1}}\n"
         "launch: {grid: 1, block: 1}\n"
         "useful: 4\n"
         "verify: \"true\"\n"
         "*/\n"
         "__global__ void " +
         name + "(float* data) {}\n";
}

/// `stride` has STRIDE, T, BLOCK and N, `tile` has ROWS, COLUMNS, PADDED, T and N.
inline std::map<std::string, PatternPtr> example_patterns() {
  const std::map<std::string, std::string> texts = {
      {"stride", pattern_with("stride",
                              {"T: float", "STRIDE: {default: 1, min: 0}",
                               "BLOCK: {default: 256, min: 32, max: 1024}", "N: 1 Mi"},
                              "structs: {Pair: 2 * sizeof(T)}\n")},
      {"tile",
       pattern_with("tile", {"T: float", "ROWS: {default: 8, min: 1}",
                             "COLUMNS: {default: ROWS, min: 1}", "PADDED: true", "N: 1 Ki"})}};
  std::map<std::string, PatternPtr> patterns;
  for (const auto& [name, text] : texts) patterns.emplace(name, good_pattern(text, name));
  return patterns;
}

/// Finds a pattern among `patterns`, which must outlive what is returned.
inline PatternLookup lookup_in(const std::map<std::string, PatternPtr>& patterns) {
  return [&patterns](const std::string& name, const Location& where, Diagnostics& diagnostics) {
    const auto found = patterns.find(name);
    if (found != patterns.end()) return found->second;
    std::vector<std::string> names;
    for (const auto& [known, pattern] : patterns) names.push_back(known);
    diagnostics.error(where, "there is no pattern '" + name + "'", did_you_mean(name, names));
    return PatternPtr();
  };
}

/// The sweep in `text`, over the example patterns, with some `--set` arguments.
inline Sweep read_sweep(const std::string& text, const std::vector<std::string>& settings = {}) {
  static const std::map<std::string, PatternPtr> patterns = example_patterns();
  std::vector<SourcePtr> overrides;
  for (const std::string& setting : settings) overrides.push_back(source_of(setting, "--set"));
  return parse_sweep(source_of(text), "sweeps/example.yaml", lookup_in(patterns), overrides);
}

/// The messages that `read_sweep` throws; empty when it does not.
inline std::string sweep_messages(const std::string& text,
                                  const std::vector<std::string>& settings = {}) {
  try {
    read_sweep(text, settings);
    return {};
  } catch (const InputError& error) {
    return messages(error.diagnostics());
  }
}

/// "STRIDE=1,2 T=float (ROWS,COLUMNS)=8:32,16:64"
inline std::string shown(const std::vector<Axis>& axes) {
  std::string result;
  for (const Axis& axis : axes) {
    std::string names;
    for (const std::string& name : axis.names) names += (names.empty() ? "" : ",") + name;
    if (axis.names.size() > 1) names = '(' + names + ')';
    std::string rows;
    for (const std::vector<Value>& row : axis.rows) {
      std::string values;
      for (const Value& value : row) values += (values.empty() ? "" : ":") + to_string(value);
      rows += (rows.empty() ? "" : ",") + values;
    }
    result += (result.empty() ? "" : " ") + names + '=' + rows;
  }
  return result;
}

}  // namespace sweep::testing
