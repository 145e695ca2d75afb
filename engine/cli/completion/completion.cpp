#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iostream>

#include "engine/cli/commands.h"
#include "engine/cli/commands/executor.h"
#include "engine/cli/commands/new_from.h"
#include "engine/cli/options/output.h"
#include "engine/cli/options/sources.h"
#include "engine/search/strategy.h"
#include "engine/spec/metric.h"
#include "engine/spec/place.h"
#include "engine/spec/report_layout.h"
#include "engine/spec/value_words.h"
#include "engine/store/store.h"
#include "engine/text/characters.h"
#include "engine/text/diagnostic.h"
#include "engine/text/read_source.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

/// A word that may stand where the cursor is.
struct Offer {
  std::string word;
  std::string meaning = {};  ///< a few words; may be empty
};

/// What may stand at the end of a command line.
struct Completion {
  std::vector<Offer> offers = {};
  std::string files = {};  ///< what the shell adds: "files", "files yaml cu", "folders", nothing
  bool goes_on = false;    ///< no space after the word: what is offered is not all of it
};

/// What stands before the word on its command line, and the word as far as it is there.
struct LineSoFar {
  std::vector<std::string> operands = {};
  GivenFolders folders = {};
  std::string kernel_file = {};
  std::string typed = {};
};

std::vector<Offer> plain(const std::vector<std::string>& words) {
  std::vector<Offer> offers;
  for (const std::string& word : words) offers.push_back({word});
  return offers;
}

std::vector<Offer> metric_offers() {
  std::vector<Offer> offers;
  for (const MetricDefinition& metric : metric_definitions()) {
    offers.push_back({metric.name, metric.meaning});
  }
  for (const MetricDefinition* metric : own_metric_definitions()) {
    offers.push_back({metric->name, metric->meaning});
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
  const std::string before = typed.substr(0, typed.rfind(',') + 1);
  std::erase_if(offers, [&](const Offer& offer) {
    return ("," + before).find("," + offer.word + ",") != std::string::npos;
  });
  for (Offer& offer : offers) offer.word = before + offer.word;
  return {std::move(offers), {}, true};
}

/// The patterns of the sweep or the pattern that the line names, nothing enumerated.
std::vector<PatternPtr> patterns_on(const LineSoFar& line) {
  if (line.operands.empty()) return {};
  const std::string& name = line.operands.front();
  std::error_code error;
  const bool is_pattern = fs::path(name).extension() == ".cu";
  if (!is_pattern && (fs::exists(name, error) || is_among(sweep_names(), name))) {
    const fs::path file = find_sweep_file(name);
    const PatternLibrary library = pattern_library(line.folders, file);
    return parse_sweep(read_source(file), file, library.lookup(), {}).patterns;
  }
  return {find_pattern(name, line.folders)};
}

std::vector<Offer> value_offers(const Pattern& pattern, const Parameter& parameter) {
  if (parameter.kind == ValueKind::boolean) return plain({"true", "false"});
  if (parameter.kind == ValueKind::element) {
    return plain({ElementType::names().begin(), ElementType::names().end()});
  }
  if (parameter.kind == ValueKind::word) return plain({place_names.begin(), place_names.end()});
  std::vector<Offer> offers;
  for (const auto& [number, word] : words_of_pattern(pattern.source->text)[parameter.name]) {
    offers.push_back({std::to_string(number), word});
  }
  if (!offers.empty()) return offers;
  offers.push_back({parameter.default_value.text(), "the default"});
  const auto add = [&](const std::optional<std::int64_t>& bound, const char* meaning) {
    const std::string text = bound ? std::to_string(*bound) : "";
    if (bound && text != offers.front().word) offers.push_back({text, meaning});
  };
  add(parameter.min, "the least");
  add(parameter.max, "the most");
  return offers;
}

/// NAME=VALUES
Completion assignment_words(const LineSoFar& line) {
  Completion completion = {.goes_on = true};
  const std::size_t equals = line.typed.find('=');
  for (const PatternPtr& pattern : patterns_on(line)) {
    for (const Parameter& parameter : pattern->parameters) {
      const std::string word = parameter.name + '=';
      if (equals == std::string::npos) {
        const bool is_there =
            std::ranges::find(completion.offers, word, &Offer::word) != completion.offers.end();
        if (!is_there) completion.offers.push_back({word, parameter.help});
      } else if (completion.offers.empty() && line.typed.starts_with(word)) {
        completion = listed(value_offers(*pattern, parameter), line.typed.substr(equals + 1));
        for (Offer& offer : completion.offers) offer.word = word + offer.word;
      }
    }
  }
  if (equals == std::string::npos) return completion;
  std::erase_if(completion.offers,
                [](const Offer& offer) { return offer.word.find(' ') != std::string::npos; });
  return completion;
}

/// The newest run of the database that the line names, if it names one.
struct NewestRun {
  std::string sweep_text;
  std::string pattern_text;  ///< of its first point; empty without any
};
std::optional<NewestRun> newest_run_on(const LineSoFar& line) {
  const fs::path database = find_database(line.operands.front());
  if (database.extension() != ".db") return std::nullopt;
  const Store store(database, Store::Mode::read_only);
  const std::vector<RunRecord> runs = store.runs();
  if (runs.empty()) return NewestRun();
  const auto first = store.point(runs.back().id, 0);
  return NewestRun{runs.back().provenance.sweep_text,
                   first ? first->point.key.pattern_text : std::string()};
}

/// Makes known what metrics of its own the sweep or the newest run has that the line names.
void define_metrics_on(const LineSoFar& line) {
  if (line.operands.empty()) return;
  try {
    if (const auto run = newest_run_on(line)) {
      if (!run->pattern_text.empty()) define_metrics_of_pattern(run->pattern_text);
      if (!run->sweep_text.empty()) read_stored_sweep(run->sweep_text);
    } else {
      for (const PatternPtr& pattern : patterns_on(line)) define_own_metrics(pattern->metrics);
    }
  } catch (const std::exception&) {
    // The metrics there always are can be offered.
  }
}

/// The parameters of what the line names: a pattern, a sweep, or results.
std::vector<Offer> parameter_offers(const LineSoFar& line) {
  std::vector<Offer> offers;
  if (line.operands.empty()) return offers;
  if (const auto run = newest_run_on(line)) {
    for (const auto& [name, words] : words_of_pattern(run->pattern_text)) offers.push_back({name});
    return offers;
  }
  for (const PatternPtr& pattern : patterns_on(line)) {
    for (const Parameter& parameter : pattern->parameters) {
      const bool is_there = std::ranges::find(offers, parameter.name, &Offer::word) != offers.end();
      if (!is_there) offers.push_back({parameter.name, parameter.help});
    }
  }
  return offers;
}

/// The last word of a condition.
Completion condition_words(const LineSoFar& line) {
  Completion completion = {parameter_offers(line), {}, true};
  completion.offers.push_back({"pattern", "the pattern's name"});
  std::size_t begin = line.typed.size();
  while (begin > 0 && is_word(line.typed[begin - 1])) --begin;
  for (Offer& offer : completion.offers) offer.word.insert(0, line.typed, 0, begin);
  return completion;
}

/// Of a pattern, sweep or metric, or what a list is of, as the operand before it says.
Completion named_words(const std::string& kind, const LineSoFar& line) {
  if (kind == "pattern") {
    return {plain(pattern_library({line.folders.patterns, {}}).names()), "files cu"};
  }
  if (kind == "sweep" || kind == "metrics" || kind == "slurm" || kind == "github" ||
      kind == "gitlab")
    return {plain(sweep_names()), "files yaml"};
  if (kind == "runs") return {{}, "files db"};
  if (kind == "editor") return {{}, "files cu"};
  return {kind == "metric" ? metric_offers() : std::vector<Offer>()};
}

Completion metric_words(const LineSoFar& line) {
  define_metrics_on(line);
  return named_words("metric", line);
}

/// What the placeholders of options and operands stand for. Throws what reading the patterns and
/// sweeps on the line throws.
struct Placeholder {
  std::string_view name;
  Completion (*complete)(const LineSoFar& line) = nullptr;  ///< null: nothing is offered
  const char* files = "";                                   ///< that the shell adds, without it
};

constexpr std::array placeholder_rows = {
    Placeholder{"CC", [](const LineSoFar&) { return Completion{plain(model_names())}; }},
    Placeholder{"COMPARED", nullptr, "files db cu csv"},
    Placeholder{"CONDITION", condition_words},
    Placeholder{"COUNTERS",
                [](const LineSoFar& line) { return listed(counter_offers(), line.typed); }},
    Placeholder{"DATABASE", nullptr, "files db"},
    Placeholder{"DEVICE",
                [](const LineSoFar&) {
                  return Completion{{{"auto", "the first GPU, without one the emulator"},
                                     {emulator_name, "needs no GPU"},
                                     {"0", "the first GPU"},
                                     {"all", "all GPUs, which share the work"},
                                     {"replay:", "a file of recorded results"}}};
                }},
    Placeholder{"DIR", nullptr, "folders"},
    Placeholder{"FILE", nullptr, "files"},
    Placeholder{"GPU",
                [](const LineSoFar&) {
                  return Completion{plain(shipped_profile_names()), "files yaml"};
                }},
    Placeholder{"I/N",
                [](const LineSoFar&) {
                  return Completion{{{"1/8", "the first of eight shares"},
                                     {"slurm", "that of this task of a Slurm job array"}}};
                }},
    Placeholder{
        "KERNEL",
        [](const LineSoFar& line) { return Completion{plain(kernel_names(line.kernel_file))}; }},
    Placeholder{"METRIC", metric_words},
    Placeholder{"METRICS", metric_words},
    Placeholder{"N"},
    Placeholder{"NAME",
                [](const LineSoFar& line) {
                  return named_words(line.operands.empty() ? "" : line.operands.back(), line);
                }},
    Placeholder{"NAME=VALUE", assignment_words},
    Placeholder{"NAME=VALUES", assignment_words},
    Placeholder{"NAMES",
                [](const LineSoFar& line) { return listed(parameter_offers(line), line.typed); }},
    Placeholder{"NUMBER"},
    Placeholder{"OLD=NEW",
                [](const LineSoFar& line) {
                  Completion completion = {parameter_offers(line), {}, true};
                  for (Offer& offer : completion.offers) offer.word += '=';
                  return completion;
                }},
    Placeholder{"PATTERN", [](const LineSoFar& line) { return named_words("pattern", line); }},
    Placeholder{"PERCENT"},
    Placeholder{"RECORDING", nullptr, "files db json"},
    Placeholder{"SOURCE",
                [](const LineSoFar&) {
                  return Completion{plain(sweep_names()), "files yaml cu"};
                }},
    Placeholder{"STRATEGIES",
                [](const LineSoFar& line) { return listed(plain(strategy_names()), line.typed); }},
    Placeholder{"SWEEP", [](const LineSoFar& line) { return named_words("sweep", line); }},
};

const Placeholder* find_placeholder(const std::string& name) {
  const auto* found = std::ranges::find(placeholder_rows, name, &Placeholder::name);
  return found != placeholder_rows.end() ? found : nullptr;
}

/// What may stand for `word`; offers that do not begin with what is typed are the caller's to drop.
Completion offers_for(const Word& word, const LineSoFar& line) {
  if (!word.choices.empty()) return {plain(word.choices)};
  const Placeholder* found = find_placeholder(word.placeholder);
  if (found == nullptr) return {};
  return found->complete != nullptr ? found->complete(line) : Completion{{}, found->files};
}

const OptionOfLine* find_option(const CommandLine& line, const std::string& word) {
  for (const OptionOfLine& option : line.options) {
    const bool is_short = !option.short_name.empty() && word == "-" + option.short_name;
    if (is_short || word == "--" + option.name) return &option;
  }
  return nullptr;
}

Completion option_offers(const CommandLine& line, const std::vector<std::string>& given) {
  Completion completion;
  for (const OptionOfLine& option : line.options) {
    if (is_among(given, option.name) && !option.may_repeat) continue;
    completion.offers.push_back({"--" + option.name, option.help});
    if (option.short_name.empty()) continue;
    completion.offers.push_back({"-" + option.short_name, option.help});
  }
  return completion;
}

/// Completes the last of a command's words.
Completion complete_line(const CommandLine& line, std::span<const std::string> words) {
  LineSoFar so_far;
  std::vector<std::string> given;
  const OptionOfLine* pending = nullptr;  // whose argument comes next
  bool options_ended = false;
  const auto note = [&](const OptionOfLine& option, const std::string& value) {
    if (option.name == "patterns") so_far.folders.patterns.push_back(value);
    if (option.name == "from") so_far.kernel_file = value;
    if (option.name == "include") so_far.folders.includes.push_back(value);
  };
  for (const std::string& word : words.first(words.size() - 1)) {
    const std::size_t equals = std::min(word.find('='), word.size());
    if (pending != nullptr) {
      note(*std::exchange(pending, nullptr), word);
    } else if (options_ended || !word.starts_with('-') || word == "-") {
      so_far.operands.push_back(word);
    } else if (word == "--") {
      options_ended = true;
    } else if (const auto* option = find_option(line, word.substr(0, equals)); option != nullptr) {
      given.push_back(option->name);
      if (option->argument.placeholder.empty()) continue;
      if (equals == word.size()) pending = option;
      if (equals < word.size()) note(*option, word.substr(equals + 1));
    }
  }
  const std::string& typed = so_far.typed = words.back();
  if (pending != nullptr) return offers_for(pending->argument, so_far);
  const std::size_t equals = typed.find('=');
  if (!options_ended && typed.starts_with("--") && equals != std::string::npos) {
    const std::string before = typed.substr(0, equals + 1);
    const OptionOfLine* option = find_option(line, typed.substr(0, equals));
    if (option == nullptr || option->argument.placeholder.empty()) return {};
    so_far.typed.erase(0, before.size());
    Completion completion = offers_for(option->argument, so_far);
    // Shells complete files after an equals sign in ways of their own.
    completion.files.clear();
    for (Offer& offer : completion.offers) offer.word = before + offer.word;
    return completion;
  }
  const OperandsOfLine& operands = line.operands_taken;
  if (!options_ended && (typed.starts_with('-') || operands.words.empty())) {
    return option_offers(line, given);
  }
  const std::size_t place = so_far.operands.size();
  if (place < operands.words.size()) return offers_for(operands.words[place], so_far);
  if (operands.any_number) return offers_for(operands.words.back(), so_far);
  return options_ended ? Completion() : option_offers(line, given);
}

/// Completes the last of `words`, which may be empty; the others stand between the program's name
/// and it. Knows the commands' tables, the patterns and sweeps there are, and the parameters of
/// those on the line. Never fails: where it does not know it offers nothing.
Completion complete(std::span<const std::string> words) {
  if (words.empty()) return {};
  Completion completion;
  if (words.size() == 1) {
    for (const Command& command : commands()) {
      completion.offers.push_back({command.name, command.summary});
    }
    completion.offers.push_back({"--help", "what the program does, and its commands"});
    completion.offers.push_back({"--version", "which version this is"});
  } else if (const auto command = std::ranges::find(commands(), words.front(), &Command::name);
             command != commands().end()) {
    try {
      completion = complete_line(command->line(), words.subspan(1));
    } catch (const std::exception&) {
      // A pattern with mistakes on the line: the command will say so when it is run.
      return {};
    }
  }
  std::erase_if(completion.offers,
                [&](const Offer& offer) { return !offer.word.starts_with(words.back()); });
  return completion;
}

/// In one line, and no longer than a shell shows beside a word.
std::string short_meaning(std::string text) {
  for (char& c : text) c = c == '\t' || c == '\n' ? ' ' : c;
  constexpr std::size_t longest = 72;
  if (text.size() <= longest) return text;
  const std::size_t end = text.rfind(' ', longest);
  return text.substr(0, end == std::string::npos ? longest : end) + " ...";
}

CommandLine completion_line() {
  CommandLine line("sweep completion [OPTIONS] bash|zsh|fish",
                   "Writes the script that lets a shell complete commands, options, their values,\n"
                   "patterns, sweeps and parameters. For this shell:\n"
                   "  bash:  source <(sweep completion bash)\n"
                   "  zsh:   source <(sweep completion zsh)     after compinit\n"
                   "  fish:  sweep completion fish | source\n"
                   "For good: put that line into ~/.bashrc, ~/.zshrc or\n"
                   "~/.config/fish/config.fish. An installed sweep has the scripts in place.");
  add_output_option(line);
  line.operands({"bash|zsh|fish"}, 1, "for which shell? for example: sweep completion bash");
  return line;
}

int completion_main(const GivenOptions& given) {
  const std::string& shell = given.operands().front();
  std::vector<std::string> shells;
  for (const EmbeddedFile& script : completion_scripts()) {
    shells.emplace_back(script.name);
    if (script.name != shell) continue;
    write_result(given_output(given), std::string(script.text));
    return exit_done;
  }
  throw UsageError("there is no completion for '{}'; {}", shell,
                   suggest(shell, shells, "the shells are"));
}

}  // namespace

bool can_complete(const std::string& placeholder) {
  return find_placeholder(placeholder) != nullptr;
}

const Command completion_command = {"completion",
                                    "write the script by which bash, zsh or fish complete",
                                    completion_line, completion_main};

int complete_command(const Arguments& arguments) {
  const Completion completion = complete(arguments);
  const char* const words = completion.goes_on ? "goes-on" : "words";
  std::cout << (completion.files.empty() ? words : completion.files) << '\n';
  for (const Offer& offer : completion.offers) {
    std::cout << offer.word << '\t' << short_meaning(offer.meaning) << '\n';
  }
  return exit_done;
}

}  // namespace sweep
