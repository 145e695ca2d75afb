#pragma once

#include <span>
#include <string_view>

#include "engine/spec/pattern.h"

namespace sweep {

/// CUDA source of functions that give the same everywhere and in every version, so that what a
/// kernel, an `init` and a `verify` work out agrees:
///   uint64_t random_bits(seed, i)      the i-th number, from 0, of splitmix64 begun with `seed`
///   uint64_t random_below(n, seed, i)  the same scaled to [0, n); 0 for n = 0
///   uint64_t permuted(i, n, seed)      where a permutation of [0, n) puts i; i itself from n on
std::string_view random_functions();

std::span<const std::string_view> random_function_names();

/// Whether the pattern's body, the files beside it that it includes, an `init` or a `verify` names
/// one of them, in a comment or literal too: only then do programs contain them.
bool names_random_function(const Pattern& pattern);

}  // namespace sweep
