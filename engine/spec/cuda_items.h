#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/spec/cuda_words.h"

namespace sweep {

/// A declaration or definition at the scope of a namespace, or of a class.
struct Item {
  std::size_t file = 0;
  std::size_t begin = 0;  ///< in the file
  std::size_t end = 0;
  WordSet names = {};  ///< that it may declare
  WordSet words = {};  ///< that it is written with, without those of `members`
  WordSet calls = {};  ///< words before parentheses or angle brackets, but for members of objects
  std::set<std::pair<std::string, std::string>> scopes = {};  ///< "a" and "b" of each a::b
  bool is_for_host = false;
  bool is_for_device = false;
  bool is_kernel = false;
  bool is_function = false;
  bool is_type = false;
  bool is_condition = false;       ///< a static_assert
  bool is_directive = false;       ///< using namespace
  std::string space = {};          ///< that a using-directive or a namespace's other name names
  WordSet operands = {};           ///< of an operator: the words of its parameters
  std::vector<Item> members = {};  ///< of a class
  bool is_kept = false;
};

/// What a file adds to namespace std.
struct StdBlock {
  std::size_t file = 0;
  std::size_t begin = 0;  ///< in the file, of the word `namespace`
  std::size_t end = 0;
};

/// What the files of a program consist of.
struct CudaItems {
  std::vector<Item> items = {};
  WordSet namespaces = {};  ///< that the files open
  std::vector<StdBlock> in_std = {};
  std::vector<std::size_t> whole = {};  ///< the files whose brackets do not match
};

CudaItems read_items(const std::vector<std::string_view>& files, const Macros& macros);

}  // namespace sweep
