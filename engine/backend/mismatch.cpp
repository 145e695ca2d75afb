#include "engine/backend/mismatch.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "engine/text/units.h"

namespace sweep {
namespace {

std::string component_text(std::int32_t kind, std::uint64_t bits) {
  switch (kind) {
    case 1:
      return fmt::format("{}", static_cast<std::int64_t>(bits));
    case 2:
      return fmt::format("{}", bits);
    case 3:
      return fmt::format("{}", std::bit_cast<double>(bits));
    case 4:
      return bits != 0 ? "true" : "false";
    default:
      return {};
  }
}

/// A condition written over several lines as one line.
std::string one_line(const std::string& condition) {
  std::string result;
  for (const char c : condition) {
    const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!blank) {
      result += c;
    } else if (!result.empty() && result.back() != ' ') {
      result += ' ';
    }
  }
  return result;
}

}  // namespace

std::string to_string(const ShownValue& value) {
  if (value.kind == 0) return {};
  const auto components = static_cast<std::size_t>(std::clamp(value.components, 1, 4));
  if (components == 1) return component_text(value.kind, value.bits[0]);
  std::string text = "(";
  for (std::size_t component = 0; component < components; ++component) {
    if (component > 0) text += ", ";
    text += component_text(value.kind, value.bits[component]);
  }
  return text + ")";
}

std::string describe_mismatch(const VerificationPlan& plan, const CheckResult& result,
                              std::string_view which) {
  std::string text = fmt::format(
      "wrong result: {} of {} elements of '{}'{} fail the check {}; the first is i = {}",
      format_thousands(result.count), format_thousands(plan.length), plan.buffer, which,
      one_line(plan.condition), result.first);
  const std::string actual = to_string(result.actual);
  const std::string expected = to_string(result.expected);
  if (!actual.empty() && !expected.empty()) {
    text += fmt::format(": {}, expected {}", actual, expected);
  }
  return text;
}

}  // namespace sweep
