#pragma once

#include <span>
#include <string>

#include "engine/spec/pattern.h"

namespace sweep {

/// A Markdown page for people who look for a pattern: by family, what each is for, its parameters
/// and where it comes from. Links to the patterns' files are right for a page that stands beside
/// them.
std::string write_pattern_page(std::span<const PatternPtr> patterns);

}  // namespace sweep
