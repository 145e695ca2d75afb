#include "engine/cli/word_offers.h"

#include <algorithm>
#include <filesystem>

#include "engine/cli/compute_capability.h"
#include "engine/cli/data_folders.h"
#include "engine/cli/device_choice.h"
#include "engine/cli/find_pattern.h"
#include "engine/cli/find_sweep.h"
#include "engine/cli/sweep_list.h"
#include "engine/emulator/execution/emulator_backend.h"
#include "engine/search/strategy.h"
#include "engine/spec/counters.h"
#include "engine/spec/metric.h"
#include "engine/spec/pattern_library.h"
#include "engine/text/read_source.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

std::vector<Offer> plain(const std::vector<std::string>& words) {
  std::vector<Offer> offers;
  for (const std::string& word : words) offers.push_back({word, {}});
  return offers;
}

Completion words_only(std::vector<Offer> offers) {
  return {std::move(offers), OfferedFiles::nothing, {}, false};
}

Completion with_files(std::vector<Offer> offers, std::vector<std::string> endings) {
  return {std::move(offers), OfferedFiles::of_endings, std::move(endings), false};
}

std::vector<Offer> pattern_offers(const LineSoFar& line) {
  return plain(PatternLibrary(pattern_folders(line.pattern_folders, {})).names());
}

std::vector<Offer> metric_offers() {
  std::vector<Offer> offers;
  for (const MetricDefinition& metric : metric_definitions()) {
    offers.push_back({metric.name, metric.meaning});
  }
  return offers;
}

std::vector<Offer> counter_offers() {
  std::vector<Offer> offers;
  for (const CounterSet& set : counter_sets()) offers.push_back({set.name, set.meaning});
  for (const CounterFormula& formula : counter_formulas()) {
    offers.push_back({formula.metric, find_metric(formula.metric)->meaning});
  }
  return offers;
}

/// One more word of a list with commas; what it has already is not offered again.
Completion listed(std::vector<Offer> offers, const std::string& typed) {
  const std::size_t comma = typed.rfind(',');
  const std::string before = comma == std::string::npos ? "" : typed.substr(0, comma + 1);
  std::erase_if(offers, [&](const Offer& offer) {
    return ("," + before).find("," + offer.word + ",") != std::string::npos;
  });
  for (Offer& offer : offers) offer.word = before + offer.word;
  Completion completion = words_only(std::move(offers));
  completion.goes_on = true;
  return completion;
}

/// The patterns of the sweep or the pattern that the line names, nothing enumerated.
std::vector<PatternPtr> patterns_on(const LineSoFar& line) {
  if (line.operands.empty()) return {};
  const std::string& name = line.operands.front();
  const bool is_pattern = fs::path(name).extension() == ".cu";
  if (!is_pattern) {
    const std::vector<std::string> names = sweep_names();
    std::error_code error;
    if (fs::exists(name, error) || std::ranges::find(names, name) != names.end()) {
      const fs::path file = find_sweep_file(name);
      const PatternLibrary library(pattern_folders(line.pattern_folders, file),
                                   include_folders({{}, line.include_folders}));
      return parse_sweep(read_source(file), file, library.lookup(), {}).patterns;
    }
  }
  return {find_pattern(name, GivenFolders{line.pattern_folders, line.include_folders})};
}

std::vector<Offer> parameter_offers(const std::vector<PatternPtr>& patterns) {
  std::vector<Offer> offers;
  for (const PatternPtr& pattern : patterns) {
    for (const Parameter& parameter : pattern->parameters) {
      const std::string word = parameter.name + '=';
      if (std::ranges::find(offers, word, &Offer::word) != offers.end()) continue;
      offers.push_back({word, parameter.help});
    }
  }
  return offers;
}

std::vector<Offer> value_offers(const Parameter& parameter) {
  switch (parameter.kind) {
    case ValueKind::boolean:
      return plain({"true", "false"});
    case ValueKind::element:
      return plain({ElementType::names().begin(), ElementType::names().end()});
    default:
      return {{parameter.default_value.text(), "the default"}};
  }
}

Completion assignment(const std::string& typed, const LineSoFar& line) {
  const std::vector<PatternPtr> patterns = patterns_on(line);
  const std::size_t equals = typed.find('=');
  Completion completion;
  completion.goes_on = true;
  if (equals == std::string::npos) {
    completion.offers = parameter_offers(patterns);
    return completion;
  }
  const std::string name = typed.substr(0, equals);
  for (const PatternPtr& pattern : patterns) {
    const Parameter* parameter = pattern->find_parameter(name);
    if (parameter == nullptr) continue;
    completion = listed(value_offers(*parameter), typed.substr(equals + 1));
    for (Offer& offer : completion.offers) offer.word = name + '=' + offer.word;
    break;
  }
  std::erase_if(completion.offers,
                [](const Offer& offer) { return offer.word.find(' ') != std::string::npos; });
  return completion;
}

/// `show pattern NAME`
Completion named(const LineSoFar& line) {
  const std::string kind = line.operands.empty() ? "" : line.operands.back();
  if (kind == "pattern") return with_files(pattern_offers(line), {"cu"});
  if (kind == "sweep") return with_files(plain(sweep_names()), {"yaml"});
  if (kind == "metric") return words_only(metric_offers());
  return {};
}

std::vector<Offer> device_offers() {
  return {{"auto", "the first GPU, without one the emulator"},
          {emulator_name, "needs no GPU"},
          {"0", "the first GPU"},
          {"replay:", "a file of recorded results"}};
}

std::vector<Offer> capability_offers() {
  std::vector<std::string> names;
  for (const int model : known_models()) names.push_back(dotted(model));
  return plain(names);
}

}  // namespace

Completion offers_for(const Word& word, const std::string& typed, const LineSoFar& line) {
  switch (word.kind) {
    case WordKind::text:
    case WordKind::number:
      return {};
    case WordKind::choice:
      return words_only(plain(word.choices));
    case WordKind::file:
      return {{}, OfferedFiles::every, {}, false};
    case WordKind::folder:
      return {{}, OfferedFiles::folders, {}, false};
    case WordKind::sweep:
      return with_files(plain(sweep_names()), {"yaml"});
    case WordKind::pattern:
      return with_files(pattern_offers(line), {"cu"});
    case WordKind::source:
      return with_files(plain(sweep_names()), {"yaml", "cu"});
    case WordKind::database:
      return with_files({}, {"db"});
    case WordKind::recording:
      return with_files({}, {"db", "json"});
    case WordKind::named:
      return named(line);
    case WordKind::assignment:
      return assignment(typed, line);
    case WordKind::counters:
      return listed(counter_offers(), typed);
    case WordKind::strategies:
      return listed(plain(strategy_names()), typed);
    case WordKind::metric:
      return words_only(metric_offers());
    case WordKind::device:
      return words_only(device_offers());
    case WordKind::capability:
      return words_only(capability_offers());
  }
  return {};
}

}  // namespace sweep
