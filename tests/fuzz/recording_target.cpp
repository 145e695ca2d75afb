#include <stdexcept>
#include <string>
#include <vector>

#include "engine/recording/recording.h"
#include "engine/search/search_space.h"
#include "engine/text/read_source.h"
#include "tests/fuzz/targets.h"

namespace sweep::fuzz {
namespace {

/// What comparing strategies asks a recording for.
void use(const Recording& recording) {
  find_metric(recording, recording.origin.objective);
  std::vector<Bindings> configurations;
  for (const RecordedEntry& entry : recording.entries) {
    to_string(entry.configuration);
    for (const Metric& metric : entry.metrics) figure_of(entry, metric.name, metric.origin);
    configurations.push_back(entry.configuration);
  }
  const RecordingLookup lookup(recording.entries, parameter_names(recording.entries));
  for (const Bindings& configuration : configurations) lookup.find(configuration);
  try {
    encode(configurations);
  } catch (const std::invalid_argument&) {
    // Configurations that cannot be searched are refused by name.
  }
}

template <class Read>
void read_or_refuse(Read read, std::string_view text) {
  try {
    use(read(text, "results.json"));
  } catch (const FileError&) {
  }
}

}  // namespace

void read_recorded_results(std::string_view bytes) {
  read_or_refuse(read_t4, bytes);
  read_or_refuse(read_kernel_tuner_cache, bytes);
  read_or_refuse(read_ncu, bytes);
}

}  // namespace sweep::fuzz
