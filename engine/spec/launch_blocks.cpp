#include "engine/spec/launch_blocks.h"

#include <exception>
#include <memory>

#include "engine/spec/configuration.h"
#include "engine/spec/pattern_header.h"

namespace sweep {

std::optional<double> launch_blocks(const std::string& pattern_text, const Bindings& parameters) {
  try {
    Diagnostics ignored;
    const auto source = std::make_shared<Source>(Source{"the stored pattern", pattern_text});
    const auto layout = find_header(source, ignored);
    if (!layout) return std::nullopt;
    const auto header = read_yaml(source, layout->header_begin, layout->header_end, ignored);
    if (!header || !header->is_map()) return std::nullopt;
    const auto pattern = std::make_shared<Pattern>();
    read_header(*header, *pattern, ignored);
    if (pattern->launch.grid.empty()) return std::nullopt;
    const Bindings environment = environment_of(Configuration{pattern, parameters});
    double blocks = 1;
    for (const Expression& extent : pattern->launch.grid) {
      blocks *= static_cast<double>(extent.evaluate_integer(environment));
    }
    return blocks > 0 ? std::optional(blocks) : std::nullopt;
  } catch (const std::exception&) {
    return std::nullopt;  // A database may hold anything.
  }
}

}  // namespace sweep
