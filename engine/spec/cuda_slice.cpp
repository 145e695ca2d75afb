#include "engine/spec/cuda_slice.h"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/spec/cuda_items.h"
#include "engine/spec/cuda_scanner.h"
#include "engine/text/characters.h"

namespace sweep {
namespace {

/// Namespaces that no file of the user's declares.
constexpr std::string_view toolkit_spaces =
    " cooperative_groups cub cuda nv nvcuda std thrust wmma ";

/// What calls a function for the host is one, unless it says that it is for the device; a member
/// may have the name of one.
bool becomes_host(Item& item, const WordSet& host, bool is_member) {
  bool has_changed = false;
  for (Item& member : item.members) has_changed |= becomes_host(member, host, true);
  if (item.is_for_host || item.is_for_device || !item.is_function) return has_changed;
  item.is_for_host = std::ranges::any_of(item.calls, [&](const std::string& word) {
    return host.contains(word) && !(is_member && item.names.contains(word));
  });
  return has_changed || item.is_for_host;
}

void spread_host(std::vector<Item>& items) {
  constexpr int deepest = 32;  // calls of each other
  bool has_changed = true;
  for (int depth = 0; has_changed && depth < deepest; ++depth) {
    has_changed = false;
    WordSet host;
    for (const Item& item : items) {
      if (item.is_for_host) host.insert(item.names.begin(), item.names.end());
    }
    for (Item& item : items) has_changed |= becomes_host(item, host, false);
  }
}

/// What the program's texts declare, as far as their words tell.
class Declared {
 public:
  /// `words`: that the texts introduce, or that are wanted.
  Declared(const CudaItems& files, const Macros& macros, WordSet words)
      : files_(files), macros_(macros), words_(std::move(words)) {
    for (const Item& item : files.items) names_.insert(item.names.begin(), item.names.end());
  }

  /// Whether the name of a namespace, such as "a::b", means something.
  bool has_space(std::string_view space) const {
    const std::string_view root = space.substr(0, space.find(':'));
    return root == "std" ? root == space : is_in_list(toolkit_spaces, root) || has(root);
  }

  /// Whether all that the item names with its scope is declared.
  bool has_all_of(const Item& item) const {
    const bool has_own = std::ranges::all_of(item.scopes, [&](const auto& name) {
      const auto& [scope, member] = name;
      if (is_in_list(toolkit_spaces, scope)) return true;
      const bool is_space = files_.namespaces.contains(scope) && !names_.contains(scope);
      return has(scope) && (!is_space || has(member));
    });
    return has_own && std::ranges::all_of(item.members,
                                          [&](const Item& member) { return has_all_of(member); });
  }

 private:
  bool has(std::string_view word) const {
    return names_.contains(word) || words_.contains(word) || files_.namespaces.contains(word) ||
           macros_.contains(word);
  }

  const CudaItems& files_;
  const Macros& macros_;
  WordSet words_;
  WordSet names_;
};

/// Leaves out what is for types and namespaces of libraries that are not there, like what is for
/// hosts: using-directives, and overloads and specialisations of what there is for others too.
void leave_out_foreign(CudaItems& files, const Declared& declared) {
  std::vector<Item*> foreign;
  WordSet others;
  for (Item& item : files.items) {
    if (!item.space.empty() && !declared.has_space(item.space)) item.is_for_host = true;
    if (item.is_for_host) continue;
    if (declared.has_all_of(item)) {
      others.insert(item.names.begin(), item.names.end());
    } else {
      foreign.push_back(&item);
    }
  }
  for (Item* item : foreign) {
    item->is_for_host = std::ranges::any_of(
        item->names, [&](const std::string& name) { return others.contains(name); });
  }
}

/// Finds what the wanted words need.
class Selection {
 public:
  Selection(std::vector<Item>& items, const Macros& macros) : items_(items), macros_(macros) {
    WordSet types;
    for (const Item& item : items) {
      if (item.is_type) types.insert(item.names.begin(), item.names.end());
    }
    for (Item& item : items) {
      // An operator is there for the types that it takes: the program's, or vectors.
      for (const std::string& word : item.operands) {
        if (types.contains(word) || is_digit(word.back())) item.names.insert(word);
      }
      item.is_kept = item.is_directive && !item.is_for_host;
      if (item.is_for_host) continue;
      for (const std::string& name : item.names) by_name_.emplace(name, &item);
    }
  }

  /// Marks the items that the words need, and those that these need.
  void keep(const WordSet& wanted) {
    want(wanted);
    while (!open_.empty()) {
      const std::string word = std::move(open_.back());
      open_.pop_back();
      if (const auto macro = macros_.find(word); macro != macros_.end()) want(macro->second.words);
      const auto [first, last] = by_name_.equal_range(word);
      for (auto each = first; each != last; ++each) {
        if (!std::exchange(each->second->is_kept, true)) want_all_of(*each->second);
      }
    }
    keep_conditions();
  }

 private:
  void want(const WordSet& words) {
    for (const std::string& word : words) {
      if (known_.insert(word).second) open_.push_back(word);
    }
  }

  void want_all_of(const Item& item) {
    want(item.words);
    for (const Item& member : item.members) {
      if (!member.is_for_host) want_all_of(member);
    }
  }

  /// Those of what is kept.
  void keep_conditions() {
    WordSet left_out;
    for (const Item& item : items_) {
      if (!item.is_kept) left_out.insert(item.names.begin(), item.names.end());
    }
    for (Item& item : items_) {
      if (!item.is_condition) continue;
      item.is_kept = std::ranges::none_of(
          item.words, [&](const std::string& word) { return left_out.contains(word); });
    }
  }

  std::vector<Item>& items_;
  const Macros& macros_;
  std::multimap<std::string_view, Item*> by_name_;
  WordSet known_;
  std::vector<std::string> open_;
};

/// What files add to std and nothing is kept of: within a configuration's namespace it would be
/// another std.
std::vector<StdBlock> unused_blocks(const CudaItems& found) {
  std::vector<std::size_t> kept = {0};  // items before each
  for (const Item& item : found.items) kept.push_back(kept.back() + (item.is_kept ? 1 : 0));
  const auto kept_before = [&](std::size_t file, std::size_t offset) {
    const auto behind = std::ranges::partition_point(found.items, [&](const Item& item) {
      return std::pair(item.file, item.begin) < std::pair(file, offset);
    });
    return kept[static_cast<std::size_t>(behind - found.items.begin())];
  };
  std::vector<StdBlock> unused;
  for (const StdBlock& block : found.in_std) {
    const bool is_used = kept_before(block.file, block.begin) != kept_before(block.file, block.end);
    if (!is_used) unused.push_back(block);
  }
  return unused;
}

/// Blanks what is left out of one file.
class Eraser {
 public:
  explicit Eraser(std::string_view text) : text_(text), directives_(find_directives(text)) {}

  void erase(const Item& item) {
    if (!item.is_kept) return erase(item.begin, item.end);
    erase_members(item);
  }

  void erase(std::size_t begin, std::size_t end) {
    auto directive = std::ranges::lower_bound(directives_, begin, {}, &Directive::offset);
    for (std::size_t at = begin; at < end; ++at) {
      if (directive != directives_.end() && at == directive->offset) {
        at += directive->length - 1;
        ++directive;
      } else if (text_[at] != '\n') {
        text_[at] = ' ';
      }
    }
  }

  std::string text() && { return std::move(text_); }

 private:
  void erase_members(const Item& item) {
    for (const Item& member : item.members) {
      if (member.is_for_host) {
        erase(member.begin, member.end);
      } else {
        erase_members(member);
      }
    }
  }

  std::string text_;
  std::vector<Directive> directives_;
};

}  // namespace

WordSet words_in(std::string_view cuda) {
  WordSet words;
  add_words(blank_non_code(cuda), words);
  return words;
}

std::vector<std::string> slice(const std::vector<std::string_view>& files, const WordSet& wanted) {
  const Macros macros = macros_of(files);
  CudaItems found = read_items(files, macros);
  WordSet all_wanted = wanted;
  for (const std::size_t file : found.whole) all_wanted.merge(words_in(files[file]));
  spread_host(found.items);
  WordSet known = all_wanted;
  for (const std::string_view text : files) add_introduced(blank_non_code(text), known);
  leave_out_foreign(found, Declared(found, macros, std::move(known)));
  Selection(found.items, macros).keep(all_wanted);
  std::vector<Eraser> erasers(files.begin(), files.end());
  for (const Item& item : found.items) erasers[item.file].erase(item);
  for (const StdBlock& block : unused_blocks(found))
    erasers[block.file].erase(block.begin, block.end);
  std::vector<std::string> result;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string code = blank_non_code(files[i]);
    for (const Extent& mark : lambda_marks(code)) erasers[i].erase(mark.begin, mark.end);
    result.push_back(std::move(erasers[i]).text());
  }
  return result;
}

}  // namespace sweep
