#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/spec/pattern.h"
#include "engine/text/value.h"

namespace sweep {

/// A header that is there for every pattern without an include path.
struct Header {
  const char* name;
  const char* text;
};

/// The parts of the standard library that kernels use, and their C forms: <cstddef>, <cstdio> and
/// <cassert> are empty, since what they would declare is always there; <climits>, <cstdint>,
/// <cfloat> and <cmath> have their macros. And <sweep/nvcc>: what users' files have with nvcc.
const std::vector<Header>& provided_headers();

/// What every program starts with: fixed-width integer names, `splat<T>(x)` (a T all of whose
/// components are x; T(x) for scalars), and what the generated functions need, under names that
/// begin with sweep_. For the vector types among `types`: componentwise + - * += -= *= and == !=
/// over all components, unless the pattern has an operator of its own for the type.
std::string prelude(const std::set<ElementType>& types);

/// The part of it that includes CUDA's headers, for the types that are not the compiler's own.
std::string element_type_headers(const std::set<ElementType>& types);

/// CUDA source that declares what every pattern may use beyond CUDA and the C library's headers:
/// the vector types' arithmetic, splat, and the functions below.
std::string editor_prelude();

/// CUDA source of what checks with a tolerance need behind the prelude, all under names that begin
/// with sweep_; the formulas stand there.
std::string_view comparing_functions();

/// CUDA source of functions that give the same everywhere and in every version, so that what a
/// kernel, an `init` and a `verify` work out agrees:
///   uint64_t random_bits(seed, i)      the i-th number, from 0, of splitmix64 begun with `seed`
///   uint64_t random_below(n, seed, i)  the same scaled to [0, n); 0 for n = 0
///   uint64_t permuted(i, n, seed)      where a permutation of [0, n) puts i; i itself from n on
std::string_view random_functions();

/// CUDA source of those functions of the header's expressions that its CUDA names and the pattern's
/// files do not: ceil_div, is_pow2.
std::string expression_functions(const Pattern& pattern);

/// CUDA source that writes a kernel's parameters one behind the other, as a launch passes them:
/// `sweep_parameters_of(kernel)` has their types, and `sweep_given<T>::sweep_to(value)` is a value
/// of the type T.
std::string_view packing_functions();

/// CUDA source of `sweep_element<T>::type`: what a variable of type T has elements of.
std::string_view element_types_of_arrays();

inline constexpr std::string_view random_function_names[] = {"permuted", "random_below",
                                                             "random_bits"};

/// Whether the pattern's body, the files beside it that it includes, an `init` or a `verify` names
/// one of them, in a comment or literal too: only then do programs contain them.
bool names_random_function(const Pattern& pattern);

}  // namespace sweep
