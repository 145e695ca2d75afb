#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/spec/cuda_words.h"

namespace sweep {

/// Every identifier and keyword of CUDA code, without those in comments, literals and preprocessor
/// lines.
WordSet words_in(std::string_view cuda);

/// The texts of a program's files without what no kernel needs: of each file what stands at the
/// scope of a namespace is kept if `wanted`, or what is kept for it, names it; the rest is blanked.
/// So a file with host code, which NVRTC cannot compile, can be included as it stands. Functions
/// for the host alone are left out, whatever names them: those without __device__, __global__,
/// constexpr or a macro that has one of these, if they launch kernels or call what CUDA and the
/// standard library give to hosts; of classes that are kept, such members. So are overloads and
/// specialisations for what the files do not declare, and using-directives for it. Line breaks and
/// preprocessor lines stay, so every place in a message is the file's. A file whose brackets do not
/// match is kept whole.
std::vector<std::string> slice(const std::vector<std::string_view>& files, const WordSet& wanted);

}  // namespace sweep
