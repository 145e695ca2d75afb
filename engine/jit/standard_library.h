#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sweep {

/// Headers of C++ that CUDA has a form of, which kernels can use: "limits".
bool is_shared_with_host(std::string_view header);

/// CUDA source of namespace std, as far as `texts` name it, and of what <cmath> has for integers;
/// empty where they name nothing. Math functions are those that the compiler declares, so that no
/// call without std:: is ambiguous after `using namespace std`; the rest is CUDA's own form
/// (cuda::std), of those of its headers that the names need, whether they are included or not:
/// nvcc has most of them included by itself. `included`: the standard headers that the texts
/// include, for names that are not known here.
std::string standard_library(const std::vector<std::string_view>& texts,
                             const std::vector<std::string_view>& included,
                             const std::function<bool(std::string_view)>& is_in_toolkit);

}  // namespace sweep
