#include "engine/cli/completion.h"

#include <algorithm>
#include <exception>
#include <optional>

#include "engine/cli/commands.h"
#include "engine/cli/word_offers.h"

namespace sweep {
namespace {

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
