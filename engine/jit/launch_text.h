#pragma once

#include <string>
#include <string_view>

#include "engine/spec/pattern.h"

namespace sweep {

/// What follows has no place that a user knows.
inline constexpr const char* back_to_generated = "#line 1 \"generated\"\n";

/// A line of its own that the compiler sees at `where`, if that is a place.
std::string placed(const Location& where, std::string_view text);

/// Where the character at `offset` of a CUDA expression stands in its file.
Location place_within(const CudaExpression& cuda, std::size_t offset);

/// The words of a declaration and the value that an expression gives, at its place.
std::string declaration_of(const std::string& words, const CudaExpression& value);

/// The pointer to a step's kernel that is named.
std::string kernel_pointer(std::size_t step);

/// Declares that pointer, whatever names the kernel: the compiler instantiates it where this
/// stands.
std::string kernel_declaration(const Pattern& pattern, std::size_t step);

/// The kernel `name`, of one thread, that writes what a step's kernel is called with: it has these
/// parameters and then `unsigned char*` (see write_translation_unit).
std::string packing_kernel(const Pattern& pattern, std::size_t step, const std::string& name,
                           const std::string& parameters);

}  // namespace sweep
