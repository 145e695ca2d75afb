#include "engine/cli/completion/completion.h"

#include <algorithm>
#include <exception>
#include <filesystem>

#include "engine/cli/commands.h"
#include "engine/cli/options/device_options.h"
#include "engine/cli/options/find_sources.h"
#include "engine/emulator/execution/emulator_backend.h"
#include "engine/search/strategy.h"
#include "engine/spec/counters.h"
#include "engine/spec/metric.h"
#include "engine/spec/pattern.h"
#include "engine/text/read_source.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

/// What stands before the word on its command line.
struct LineSoFar {
  std::vector<std::string> operands;
  std::vector<std::string> pattern_folders;  ///< of --patterns
  std::vector<std::string> include_folders;  ///< of --include
};

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
  for (const MetricDefinition& metric : metric_definitions()) {
    if (!metric.counters.empty()) offers.push_back({metric.name, metric.meaning});
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

/// What may stand for `word`, of which `typed` is there; offers that do not begin with it are the
/// caller's to drop. Throws what reading the patterns and sweeps on the line throws.
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
      return words_only(plain(model_names()));
  }
  return {};
}

/// A command line, read up to the word that is to be completed.
class LineReader {
 public:
  LineReader(const CommandLine& line, std::span<const std::string> words)
      : options_(line.described_options()), operands_(line.described_operands()) {
    for (const std::string& word : words) read(word);
  }

  Completion complete(const std::string& typed) const {
    if (pending_ != nullptr) return offers_for(pending_->argument, typed, so_far_);
    if (!options_ended_ && typed.starts_with("--")) {
      const std::size_t equals = typed.find('=');
      if (equals != std::string::npos) return complete_value(typed, equals);
    }
    if (!options_ended_ && (typed.starts_with('-') || operands_.words.empty())) {
      return option_offers();
    }
    const std::size_t place = so_far_.operands.size();
    if (place < operands_.words.size()) return offers_for(operands_.words[place], typed, so_far_);
    if (operands_.any_number) return offers_for(operands_.words.back(), typed, so_far_);
    return options_ended_ ? Completion() : option_offers();
  }

 private:
  void read(const std::string& word) {
    if (pending_ != nullptr) {
      note(*pending_, word);
      pending_ = nullptr;
    } else if (options_ended_ || !word.starts_with('-') || word == "-") {
      so_far_.operands.push_back(word);
    } else if (word == "--") {
      options_ended_ = true;
    } else {
      read_option(word);
    }
  }

  void read_option(const std::string& word) {
    const std::size_t equals = std::min(word.find('='), word.size());
    const OptionOfLine* option = find(word.substr(0, equals));
    if (option == nullptr) return;
    given_.push_back(option->name);
    if (option->argument.placeholder.empty()) return;
    if (equals < word.size()) {
      note(*option, word.substr(equals + 1));
    } else {
      pending_ = option;
    }
  }

  void note(const OptionOfLine& option, const std::string& value) {
    if (option.name == "patterns") so_far_.pattern_folders.push_back(value);
    if (option.name == "include") so_far_.include_folders.push_back(value);
  }

  const OptionOfLine* find(const std::string& word) const {
    const auto found = std::ranges::find_if(options_, [&](const OptionOfLine& option) {
      return word == "--" + option.name ||
             (!option.short_name.empty() && word == "-" + option.short_name);
    });
    return found != options_.end() ? &*found : nullptr;
  }

  /// Of `--option=value`.
  Completion complete_value(const std::string& typed, std::size_t equals) const {
    const OptionOfLine* option = find(typed.substr(0, equals));
    if (option == nullptr || option->argument.placeholder.empty()) return {};
    Completion completion = offers_for(option->argument, typed.substr(equals + 1), so_far_);
    // Shells complete files after an equals sign in ways of their own.
    completion.files = OfferedFiles::nothing;
    for (Offer& offer : completion.offers) {
      offer.word = typed.substr(0, equals + 1) + offer.word;
    }
    return completion;
  }

  Completion option_offers() const {
    Completion completion;
    for (const OptionOfLine& option : options_) {
      const bool is_given = std::ranges::find(given_, option.name) != given_.end();
      if (is_given && !option.may_repeat) continue;
      completion.offers.push_back({"--" + option.name, option.help});
      if (option.short_name.empty()) continue;
      completion.offers.push_back({"-" + option.short_name, option.help});
    }
    return completion;
  }

  std::vector<OptionOfLine> options_;
  OperandsOfLine operands_;
  LineSoFar so_far_;
  std::vector<std::string> given_;
  const OptionOfLine* pending_ = nullptr;  ///< the option whose argument comes next
  bool options_ended_ = false;
};

Completion command_offers() {
  Completion completion;
  for (const Command& command : commands()) {
    completion.offers.push_back({command.name, command.summary});
  }
  completion.offers.push_back({"--help", "what the program does, and its commands"});
  completion.offers.push_back({"--version", "which version this is"});
  return completion;
}

Completion everything(std::span<const std::string> words) {
  if (words.empty()) return {};
  if (words.size() == 1) return command_offers();
  const auto command = std::ranges::find_if(
      commands(), [&](const Command& candidate) { return candidate.name == words.front(); });
  if (command == commands().end()) return {};
  const CommandLine line = command->line();
  return LineReader(line, words.subspan(1, words.size() - 2)).complete(words.back());
}

}  // namespace

Completion complete(std::span<const std::string> words) {
  Completion completion;
  try {
    completion = everything(words);
  } catch (const std::exception&) {
    // A pattern with mistakes on the line: the command will say so when it is run.
    return {};
  }
  std::erase_if(completion.offers,
                [&](const Offer& offer) { return !offer.word.starts_with(words.back()); });
  return completion;
}

}  // namespace sweep
