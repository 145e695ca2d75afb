#pragma once

#include <filesystem>
#include <vector>

#include "engine/jit/nvrtc.h"
#include "engine/spec/pattern.h"

namespace sweep {

/// Headers in place of those that the pattern and its files include and that NVRTC cannot read, or
/// that are not in `toolkit`, its folder of headers (empty: there is none):
///   - of the host: the C library, MPI, cuBLAS, ...: empty, since no kernel can use them
///   - of the standard library: CUDA's own forms (cuda::std) as std, where the program names std
///   - <cub/cub.cuh>: those of its headers that are for device code
///   - what is found nowhere, if a file that the pattern includes names it: empty; if something of
///     it is needed, the compiler says so
std::vector<SourceHeader> stand_in_headers(const Pattern& pattern,
                                           const std::filesystem::path& toolkit);

/// Headers that a program compiled by nvcc has without naming them, or by way of one of the host's,
/// if the pattern includes files and names what these headers define: "math.h", "cuda_bf16.h".
std::vector<std::string> implied_headers(const Pattern& pattern);

/// The functions of CUDA's that make a vector and that the pattern names: "make_float4". Overloads
/// of them in a configuration's namespace would hide them there.
std::vector<std::string> vector_makers(const Pattern& pattern);

/// A note for each header that the pattern's errors may come from: it was found nowhere.
Diagnostics missing_headers(const Pattern& pattern, const std::filesystem::path& toolkit);

/// Whether NVRTC's --minimal takes away nothing that the pattern may use: the types and functions
/// of CUDA's runtime and textures, which CUB needs too.
bool minimal_suffices(const Pattern& pattern);

/// Whether the pattern includes cooperative groups and names nothing of CUDA's standard library,
/// which their headers otherwise read: 25 times the text, for functions over cuda::atomic alone.
bool has_plain_cooperative_groups(const Pattern& pattern);

/// Whether a header is known to leave the engine's names alone: one that the engine provides, or
/// one of CUDA's.
bool is_known_header(std::string_view name);

}  // namespace sweep
