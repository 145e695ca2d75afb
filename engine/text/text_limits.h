#pragma once

#include <cstddef>
#include <cstdint>

/// How large texts from strangers may be. All are far beyond what a person writes; past them a
/// message says what is too large, where, and how large it may be. `sweep help limits` lists them.
namespace sweep::text_limits {

constexpr std::uintmax_t file_bytes = 16U << 20U;  ///< of a pattern, a sweep, or an included file
constexpr int pipe_seconds = 10;  ///< without a byte, after which a pipe counts as silent

// Of a YAML document.
constexpr std::size_t depth = 100;               ///< collections within each other
constexpr std::size_t nodes = 2'000'000;         ///< values, keys and collections
constexpr std::size_t alias_nodes = 100'000;     ///< that anchors and aliases copy
constexpr std::size_t alias_bytes = 16U << 20U;  ///< of the scalars among those
constexpr std::size_t map_keys = 1000;
constexpr std::size_t scalar_bytes = 64U << 10U;

// Of an expression.
constexpr int expression_depth = 200;
constexpr int expression_operators = 1000;

// Of messages.
constexpr std::size_t most_messages = 100;     ///< of each severity that are shown
constexpr std::size_t message_bytes = 4096;    ///< of a sentence
constexpr std::size_t suggestion_bytes = 100;  ///< a longer word is no misspelt name
constexpr std::size_t shown_candidates = 100;  ///< of the names that there are

}  // namespace sweep::text_limits
