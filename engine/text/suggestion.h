#pragma once

#include <span>
#include <string>
#include <string_view>

namespace sweep {

/// Edits (insert, delete, replace, swap neighbours) that turn `a` into `b`, ignoring case.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// "did you mean 'X'?" for the candidate closest to `word`; empty when none is close.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

/// `did_you_mean`, or else "PREFIX: a, b, c" with the candidates there are.
std::string suggest(std::string_view word, std::span<const std::string> candidates,
                    std::string_view prefix);

}  // namespace sweep
