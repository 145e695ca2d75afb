#include "engine/spec/kernel_use.h"

#include <algorithm>
#include <array>

#include "engine/text/characters.h"

namespace sweep {
namespace {

std::string_view token_at(CudaTokens tokens, std::size_t at) {
  return at < tokens.size() ? tokens[at] : std::string_view(" ");
}

/// What the tokens behind an element, its members apart, do with it.
PointerUse use_before(CudaTokens body, std::size_t at) {
  while (token_at(body, at) == "." || token_at(body, at) == "[") {
    at = body[at] == "." ? at + 2 : after_matching(body, at, "]").value_or(body.size());
  }
  const std::string_view next = token_at(body, at);
  const std::string_view after_next = token_at(body, at + 1);
  if (next == "=") return {after_next == "=", after_next != "="};
  const bool is_operator = std::string_view("+-*/%&|^").find(next) != std::string_view::npos;
  const bool changes =
      is_operator &&
      (after_next == "=" || (next == after_next && next != "&" && next != "|" && next != "*"));
  const bool shifts =
      (next == "<" || next == ">") && after_next == next && token_at(body, at + 2) == "=";
  return {true, changes || shifts};
}

PointerUse use_at(CudaTokens body, std::size_t at) {
  const std::string_view before = at > 0 ? body[at - 1] : std::string_view(" ");
  const std::string_view second = at > 1 ? body[at - 2] : std::string_view(" ");
  if (before == "*" && !is_word(second.front()) && second != ")" && second != "]") {
    return use_before(body, at + 1);
  }
  // Its address goes elsewhere.
  if (token_at(body, at + 1) != "[" || before == "&") return {true, true};
  PointerUse use = use_before(body, at + 1);
  if ((before == "+" || before == "-") && second == before) use = {true, true};
  return use;
}

/// The axes that `threadIdx` and the like are asked for: 1 for x alone.
std::size_t axes_of(CudaTokens body, std::string_view variable) {
  std::size_t axes = 0;
  for (std::size_t at = 0; at + 2 < body.size(); ++at) {
    if (body[at] != variable || body[at + 1] != ".") continue;
    const std::size_t axis = std::string_view("xyz").find(body[at + 2]);
    if (axis < 3) axes = std::max(axes, axis + 1);
  }
  return axes;
}

/// Words by which a name is understood: whole, or as a part.
struct RoleRow {
  ScalarRole role;
  std::string_view whole;  ///< between blanks
  std::string_view parts;
};
constexpr std::array role_rows = {
    RoleRow{ScalarRole::repeats, " t steps ", " iter step repeat times epoch "},
    RoleRow{ScalarRole::tile, "", " per_thread perthread "},
    RoleRow{ScalarRole::block, " bs tpb nt ", " block thread "},
    RoleRow{ScalarRole::stride, " ld lda ldb ldc ldx ldy ", " stride pitch leading "},
    RoleRow{ScalarRole::place, " start begin first id ", " offset idx index seed shift flag rank "},
    RoleRow{ScalarRole::tile, " vec bm bn bk tm tn tk wm wn wk ",
            " tile unroll per_ coarse radius warp vec "},
    RoleRow{ScalarRole::extent,
            " n m k w h b c d l s ni nj nk nl nm nx ny nz hs nh oc ic hw x y z dx dy dz np nn ",
            " size len num count total width height depth rows cols columns dim elem batch channel "
            "length points vertices nodes edges particles atoms samples hidden vocab heads tokens "
            "seq nnz max "},
};

template <class Test>
bool any_word(std::string_view words, Test test) {
  for (std::size_t at = skip_space(words, 0); at < words.size(); at = skip_space(words, at)) {
    const std::string_view word = word_at(words, at);
    if (test(word)) return true;
    at += word.size();
  }
  return false;
}

}  // namespace

PointerUse pointer_use(CudaTokens body, std::string_view pointer, bool is_const) {
  PointerUse use;
  for (std::size_t at = 0; at < body.size(); ++at) {
    if (body[at] != pointer || (at > 0 && body[at - 1] == ".")) continue;
    const PointerUse here = use_at(body, at);
    use.is_read |= here.is_read;
    use.is_written |= here.is_written;
  }
  if (is_const) return {true, false};
  return use.is_read || use.is_written ? use : PointerUse{true, true};
}

ThreadUse thread_use(CudaTokens body) {
  ThreadUse use;
  use.thread_axes =
      std::max<std::size_t>({axes_of(body, "threadIdx"), axes_of(body, "blockDim"), 1});
  use.block_axes = std::max<std::size_t>(axes_of(body, "blockIdx"), 1);
  const auto block_size = std::ranges::find_if(body, [](std::string_view word) {
    return word == "blockDim" || word == "group_dim" || word == "num_threads";
  });
  use.asks_block_size = block_size != body.end();
  for (std::size_t at = 0; at + 3 < body.size(); ++at) {
    if (body[at] != "blockIdx" || token_at(body, at + 2) != "x") continue;
    const bool is_multiplied = body[at + 3] == "*" || (at > 0 && body[at - 1] == "*") ||
                               (body[at + 3] == ")" && token_at(body, at + 4) == "*");
    use.numbers_elements |= is_multiplied;
  }
  use.numbers_elements |= std::ranges::find(body, "this_grid") != body.end();
  return use;
}

std::optional<std::string> dynamic_shared_type(CudaTokens body) {
  for (std::size_t at = 0; at + 1 < body.size(); ++at) {
    if (body[at] != "extern") continue;
    const CudaTokens rest = body.subspan(at);
    const auto open = std::ranges::find(rest, "[");
    std::string type;
    for (auto word = rest.begin() + 1; word < open - 1; ++word) {
      if (*word == "(") {
        while (word < open - 1 && *word != ")") ++word;
        continue;
      }
      if (word->starts_with("__") || *word == "volatile" || *word == "alignas") continue;
      type += (type.empty() ? "" : " ") + std::string(*word);
    }
    return type;
  }
  return std::nullopt;
}

ScalarRole scalar_role(std::string_view name) {
  const std::string small = in_small_letters(std::string(name));
  for (const RoleRow& row : role_rows) {
    if (any_word(row.whole, [&](std::string_view word) { return small == word; })) return row.role;
    const auto is_part = [&](std::string_view word) {
      return small.find(word) != std::string::npos;
    };
    if (any_word(row.parts, is_part)) return row.role;
  }
  const bool counts = small.size() > 2 && (small.starts_with("n_") || name.starts_with("N") ||
                                           (name[0] == 'n' && to_small(name[1]) != name[1]));
  return counts ? ScalarRole::extent : ScalarRole::other;
}

std::optional<std::size_t> extent_axis(std::string_view name) {
  const std::string small = in_small_letters(std::string(name));
  constexpr std::array<std::string_view, 3> words = {" width cols columns nx w n nj x dx ",
                                                     " height rows ny h m ni y dy ",
                                                     " depth nz batch b k nk z dz "};
  for (std::size_t axis = 0; axis < words.size(); ++axis) {
    if (any_word(words.at(axis), [&](std::string_view word) {
          return small == word || (word.size() > 3 && small.find(word) != std::string::npos);
        })) {
      return axis;
    }
  }
  return std::nullopt;
}

}  // namespace sweep
