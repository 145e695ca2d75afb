#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/spec/cuda_scanner.h"
#include "engine/spec/pattern.h"

namespace sweep {

/// What a header's `kernel` says: "lib::reduce<T, BLOCK>(const T*, int)".
struct KernelText {
  std::string_view name;                  ///< with its namespaces and template arguments
  std::optional<std::string_view> types;  ///< of its parameters, which choose among overloads
};
KernelText split_kernel(std::string_view text);

/// What a step's kernel is called, without namespaces and template arguments.
std::string kernel_name(const Pattern& pattern, const Step& step);

/// The kernels that the pattern's file and those that it includes declare.
std::vector<KernelDeclaration> kernels_of(const Pattern& pattern);

/// Whether a kernel may be there although kernels_of does not have it: by pasted words or by a
/// macro with parameters.
bool may_hide_kernels(const Pattern& pattern);

/// The kernels of the step's name, in its namespace if it says one: each with other parameters.
std::vector<KernelDeclaration> overloads_of(const Pattern& pattern, const Step& step);

/// The one of them that the step means: by the types that it gives or, without, by the number of
/// its arguments. Nothing where the text alone does not tell.
std::optional<KernelDeclaration> find_kernel(const Pattern& pattern, const Step& step);

/// Whether the kernel can be given so many arguments.
bool takes(const KernelDeclaration& kernel, std::size_t arguments);

/// The namespace that has the kernel that the step means or, where the text does not tell, all
/// kernels of its name, as in "lib::"; empty where the step says one, and where there is none.
std::string implied_scope(const Pattern& pattern, const Step& step);

/// "template <class T> reduce(const T* in, T* out, int n)"
std::string to_string(const KernelDeclaration& kernel);

/// What to write for `kernel` to mean one of those: "write reduce(float*) or reduce(int*)".
std::string how_to_choose(const std::vector<KernelDeclaration>& overloads, std::string_view name);

}  // namespace sweep
