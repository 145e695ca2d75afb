#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/value.h"

namespace sweep {

/// What may stand under a key, as the schema for editors has it (editor_schema.h). The parsers
/// check the same and more, and say more about a mistake.
enum class ValueForm {
  text,            ///< a sentence
  cuda,            ///< a piece of CUDA C++
  expression,      ///< a number, a word, or an expression over parameters
  condition,       ///< an expression that holds or does not
  conditions,      ///< one, or a list
  name,            ///< of a parameter
  names,           ///< of parameters: one, or a list
  pattern_name,    ///< of a pattern
  pattern_names,   ///< one, or a list
  metric,          ///< one metric
  metrics,         ///< one, or a list of at least one
  boolean,         ///< true or false
  integer,         ///< a constant: 256, 64 Mi
  count,           ///< a constant from 1 on
  seconds,         ///< a decimal number above 0
  share,           ///< 0.005 or 0.5 %
  cut_off,         ///< a decimal number above 1, or off
  cache_state,     ///< cold or warm
  strategy,        ///< a search strategy
  counters,        ///< what to ask the hardware's counters for
  element_type,    ///< an element type, or a name that stands for one
  parameter_type,  ///< element, integer, boolean
  device_figure,   ///< what a device has
  family,          ///< of patterns
  extent,          ///< one to three expressions
  axes,            ///< NAME: values
  axis_groups,     ///< a list of NAME: values
  expectations,    ///< one comparison, {check, where}, or a list
  parameters,      ///< NAME: default, or NAME: a map
  structs,         ///< NAME: bytes
  buffers,         ///< NAME: a map
  arguments,       ///< NAME: a map
  useful,          ///< an expression, or a map
  verify,          ///< a CUDA expression, or one per buffer
  measure,         ///< the map of that name, here and below
  samples,
  tune,
  budget,
  patience,
  emulator,
  report,
  tables,
  charts,
  launch,
};

/// A key of a map in a sweep file or in a pattern's header.
struct Key {
  std::string_view name;
  ValueForm form;
  std::string_view help;  ///< what an editor shows: a sentence, often with an example
  bool is_required = false;
};

/// All keys that a map may have.
using KeyTable = std::span<const Key>;

inline std::vector<std::string> names_of(KeyTable table) {
  std::vector<std::string> names;
  for (const Key& key : table) names.emplace_back(key.name);
  return names;
}

// The keys of a pattern's header and of the maps in it: what the parser accepts, and what editors
// offer.

KeyTable pattern_keys();
KeyTable parameter_keys();
KeyTable buffer_keys();
KeyTable argument_keys();
KeyTable launch_keys();
KeyTable useful_keys();

/// What a parameter's `type` may be.
struct ParameterType {
  std::string_view name;
  ValueKind kind;
};
inline constexpr std::array parameter_types = {ParameterType{"element", ValueKind::element},
                                               ParameterType{"integer", ValueKind::integer},
                                               ParameterType{"boolean", ValueKind::boolean}};

// The keys of a sweep file and of the maps in it: what the parsers accept, and what editors offer.

KeyTable sweep_keys();
KeyTable axis_range_keys();  ///< {from: 1, to: 32}
KeyTable measure_keys();
KeyTable samples_keys();  ///< of measure
KeyTable tune_keys();
KeyTable budget_keys();    ///< of tune
KeyTable patience_keys();  ///< of budget: no_better
KeyTable emulator_keys();
KeyTable expectation_keys();
KeyTable report_keys();
KeyTable table_keys();  ///< of a table in report

}  // namespace sweep
