#include "engine/cli/findings.h"

#include <fmt/format.h>

#include <utility>

#include "engine/text/characters.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

/// A message's place and words without their figures.
std::string gist_of(const Diagnostic& message) {
  std::string words = message.message;
  std::erase_if(words, is_digit);
  const Location& where = message.where;
  return fmt::format("{}:{}:{}: {}", where.source->name, where.line, where.column, words);
}

}  // namespace

void Findings::add(Diagnostic message, const Configuration& configuration) {
  if (message.where.source == nullptr) message.where.source = configuration.pattern->source;
  const auto [known, is_new] = known_.try_emplace(gist_of(message), findings_.size());
  if (is_new) findings_.push_back({std::move(message), &configuration, nullptr, 0});
  Finding& finding = findings_[known->second];
  if (finding.last != &configuration) ++finding.configurations;
  finding.last = &configuration;
}

Diagnostics Findings::conclude(std::size_t examined, std::string_view remark) const {
  Diagnostics result;
  for (const Finding& finding : findings_) {
    Diagnostic message = finding.message;
    if (message.severity == Severity::error) {
      if (!message.help.empty()) message.help += "; ";
      const std::string first = to_string(*finding.first);
      message.help += finding.configurations == 1
                          ? fmt::format("seen with {}", first)
                          : fmt::format("seen in {} of {} configurations, first with {}",
                                        format_thousands(finding.configurations),
                                        format_thousands(examined), first);
      message.help += remark;
    }
    result.add(std::move(message));
  }
  return result;
}

}  // namespace sweep
