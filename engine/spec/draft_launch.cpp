#include <fmt/format.h>

#include <algorithm>

#include "engine/spec/kernel_draft.h"
#include "engine/text/characters.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

/// The name, or a product of names, in place of a number of a text: "(n + 256 - 1) / 256" with
/// BLOCK for 256.
std::string with_name_for(std::int64_t number, const std::string& name, std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = end_of_word(text, at);
    const std::string_view word = text.substr(at, std::max<std::size_t>(end - at, 1));
    if (word == std::to_string(number)) {
      result += std::ranges::all_of(name, is_word) ? name : "(" + name + ")";
    } else if (word == std::to_string(number - 1)) {
      result += "(" + name + " - 1)";
    } else {
      result += word;
    }
    at += word.size();
  }
  return result;
}

std::string block_name(std::size_t axis, std::size_t axes) {
  return axes == 1 ? "BLOCK" : fmt::format("BLOCK_{}", "XYZ"[axis]);
}

}  // namespace

void KernelDraft::read_block() {
  std::vector<std::string> given = host_.extents(launch_.block, launch_, names_);
  std::string mark;
  if (!std::ranges::all_of(given,
                           [&](const auto& each) { return value_of(each).value_or(0) > 0; })) {
    given.clear();
  }
  if (given.empty()) {
    given = block_without_launch(mark);
    if (use_.asks_block_size) mark.clear();
  }
  for (std::size_t axis = 0; axis < given.size(); ++axis) {
    const std::string& text = given[axis];
    const std::int64_t value = value_of(text).value_or(1);
    const bool is_name = std::ranges::any_of(text, is_letter);
    if (const std::string own = template_block(value); given.size() == 1 && !own.empty()) {
      block.push_back({own});
      replace_template_numbers(own, value);
      continue;
    }
    if (is_name || !use_.asks_block_size || value <= 1 ||
        is_constant_of_kernel(axis, given.size())) {
      block.push_back({is_name ? text : std::to_string(value)});
      continue;
    }
    const std::string name = add_number(block_name(axis, given.size()), value, {},
                                        given.size() == 1 ? "min: 1, max: 1024" : "min: 1");
    block.push_back({name});
    replaced_.push_back({axis, value, name});
    if (given.size() == 1) map_host_name(launch_.block, name);
    if (launch_.block.size() == 1) {
      names_.emplace(fmt::format("{}.{}", launch_.block[0], "xyz"[axis]), name);
    }
  }
  block.back().mark = mark;
}

std::string KernelDraft::template_block(std::int64_t threads) const {
  for (const auto& [declared, name] : template_numbers_) {
    if (scalar_role(declared) == ScalarRole::block && value_of(name) == threads) return name;
  }
  return {};
}

void KernelDraft::replace_template_numbers(const std::string& block_size, std::int64_t threads) {
  for (const auto& [declared, name] : template_numbers_) {
    const std::int64_t factor = value_of(name).value_or(1);
    if (name == block_size || factor <= 1) continue;
    replaced_.push_back({0, threads * factor, fmt::format("{} * {}", block_size, name)});
  }
  replaced_.push_back({0, threads, block_size});
}

bool KernelDraft::is_constant_of_kernel(std::size_t axis, std::size_t axes) const {
  if (axes != 1 || axis != 0 || launch_.block.size() != 1) return false;
  return host_.declares(launch_.block[0]) &&
         std::ranges::find(body_, launch_.block[0]) != body_.end();
}

std::vector<std::string> KernelDraft::block_without_launch(std::string& mark) {
  const auto bounds = host_.expression(kernel_.launch_bounds, names_);
  if (bounds && value_of(*bounds).value_or(0) > 0 && use_.thread_axes == 1) return {*bounds};
  mark = "the threads that the kernel needs";
  for (const auto& [declared, name] : template_numbers_) {
    if (scalar_role(declared) == ScalarRole::block && use_.thread_axes == 1) return {name};
  }
  std::string side;
  for (const std::string_view word : body_) {
    const ScalarRole role = scalar_role(word);
    const bool is_size =
        role == ScalarRole::block || (role == ScalarRole::tile && !use_.asks_block_size);
    if (!side.empty() || !is_size || !is_word(word.front())) continue;
    if (!host_.declares(word) && !names_.contains(word)) continue;
    const auto text = host_.expression(word, names_);
    const std::int64_t value = text ? value_of(*text).value_or(0) : 0;
    const std::int64_t all = use_.thread_axes == 1 ? value : value * value;
    if (value >= 4 && all <= 1024) side = *text;
  }
  if (use_.thread_axes == 3) return {"8", "8", "4"};
  if (side.empty()) side = use_.thread_axes == 1 ? "256" : "16";
  return std::vector<std::string>(use_.thread_axes, side);
}

void KernelDraft::read_grid() {
  std::vector<std::string> given = host_.extents(launch_.grid, launch_, names_);
  for (std::size_t axis = 0; axis < given.size(); ++axis) {
    for (const auto& [along, value, name] : replaced_) {
      if (along == axis && value >= 8) given[axis] = with_name_for(value, name, given[axis]);
    }
  }
  const bool is_good = std::ranges::all_of(given, [&](const std::string& each) {
    const std::int64_t blocks = value_of(each).value_or(0);
    return blocks > 0 && blocks <= 64 * Mi;
  });
  if (!given.empty() && is_good) {
    for (std::string& each : given) grid.push_back({std::move(each)});
  }
  const bool is_needed = grid.empty() || extents_.empty();
  const bool has_size = !extents_.empty() || !template_extent().empty();
  if (is_needed && !has_size) {
    elements_ = add_number("N", 1 * Mi, "how many elements there are");
  } else if (extents_.empty()) {
    elements_ = template_extent();
  }
  if (!grid.empty()) return;
  const std::size_t axes = std::max(use_.block_axes, block.size());
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const std::string extent = extents_.empty() ? elements_ : extent_along(axis);
    const bool is_divided = axis < block.size() && (use_.numbers_elements || use_.thread_axes > 1);
    grid.push_back({is_divided ? fmt::format("ceil_div({}, {})", extent, block[axis].text)
                    : axis < use_.block_axes ? extent
                                             : "1"});
  }
  grid.back().mark = "the blocks that the kernel needs";
}

std::string KernelDraft::template_extent() const {
  for (const auto& [declared, name] : template_numbers_) {
    if (scalar_role(declared) == ScalarRole::extent) return name;
  }
  return {};
}

void KernelDraft::read_shared() {
  const auto type = dynamic_shared_type(body_);
  const auto given = host_.expression(launch_.shared, launch_, names_);
  const auto value = given ? value_of(*given) : std::nullopt;
  if (value && *value >= 0) {
    if (*value > 0) shared = {*given};
    for (const auto& [axis, number, name] : replaced_) {
      if (number >= 8) shared.text = with_name_for(number, name, shared.text);
    }
    return;
  }
  if (!type) return;
  const std::string element = canonical_type(type_of(*type));
  std::string threads;
  for (const Marked& each : block) threads = appended(threads, as_factor(each.text), " * ");
  const bool is_known = defaults_.find(type_of(*type)) != nullptr;
  const std::string size = is_known                     ? "sizeof(" + type_of(*type) + ")"
                           : ElementType::find(element) ? "sizeof(" + element + ")"
                                                        : "16";
  shared = {fmt::format("{} * {}", threads, size), "the bytes of dynamic shared memory"};
}

}  // namespace sweep
