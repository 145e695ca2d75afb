#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/spec/cuda_scanner.h"

namespace sweep {

using WordSet = std::set<std::string, std::less<>>;

/// Adds the identifiers and keywords of code without comments.
void add_words(std::string_view code, WordSet& words);

/// Adds the names behind words that introduce some: class, typename, using, ...
void add_introduced(std::string_view code, WordSet& words);

/// Where lambda functions have marks, which NVRTC does not know: `[=] __device__ (int i)`.
std::vector<Extent> lambda_marks(std::string_view code);

/// Whether the word says that a function or variable is for devices, or for both.
bool marks_device(std::string_view word);
/// Whether it is a word of the compiler's in a declaration: __restrict__, __declspec.
bool is_attribute(std::string_view word);
/// Whether it is a word of one of C++'s own types.
bool is_builtin_type(std::string_view word);

/// Whether only hosts have what the word means, so that a function that names it is for them. What
/// others use as a name too counts as a call or a template: `next` is what follows it.
bool is_host_word(std::string_view word, std::string_view next);

/// What is known of a macro from all its definitions.
struct Macro {
  WordSet words = {};      ///< of what it stands for
  std::string first = {};  ///< the first of them
  /// It stands for `template void f<int>()`, which is for hosts.
  bool is_instantiation = false;
  bool is_call = false;  ///< it begins with a call, as what registers something with a library does
  /// It stands for something that ends in a semicolon or a brace: none follows where it is used.
  bool ends_item = false;
};
using Macros = std::map<std::string, Macro, std::less<>>;

/// The macros of a program's files.
Macros macros_of(const std::vector<std::string_view>& files);

/// Those that stand for a word that marks_device, or for one that does.
WordSet device_macros(const Macros& macros);

}  // namespace sweep
