#include "engine/spec/pattern_draft.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/text/characters.h"

namespace sweep {

std::string yaml_text(std::string_view text) {
  const auto is_plain = [](char c) {
    return is_word(c) || std::string_view(" +-*/().").find(c) != std::string_view::npos;
  };
  const bool needs_no_quotes = !text.empty() && std::ranges::all_of(text, is_plain) &&
                               text.back() != ' ' &&
                               (is_word(text.front()) || text.front() == '(' ||
                                (text.front() == '-' && text.size() > 1 && text[1] != ' '));
  if (needs_no_quotes) return std::string(text);
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string argument_text(std::string_view text) {
  // `{}` and other lists of initialisers are CUDA.
  const bool is_map = text.starts_with("{fields: ") || text.starts_with("{tensor: ") ||
                      text.starts_with("{texture: ");
  return is_map ? std::string(text) : yaml_text(text);
}

namespace {

/// The bytes of all buffers that are read, or written, each element once.
Marked bytes_used(const std::vector<DraftBuffer>& buffers, bool PointerUse::*is_used) {
  std::vector<std::pair<std::string, int>> terms;
  for (const DraftBuffer& buffer : buffers) {
    if (!(buffer.use.*is_used)) continue;
    std::string bytes = as_factor(buffer.length.text);
    if (buffer.type != "uint8_t") {
      bytes += " * " + (buffer.bytes_each > 0 ? std::to_string(buffer.bytes_each)
                                              : "sizeof(" + buffer.type + ")");
    }
    const auto same = std::ranges::find(terms, bytes, &std::pair<std::string, int>::first);
    if (same != terms.end()) {
      ++same->second;
    } else {
      terms.emplace_back(bytes, 1);
    }
  }
  std::string text;
  for (const auto& [bytes, count] : terms) {
    text = appended(text, count == 1 ? bytes : fmt::format("{} * {}", count, bytes), " + ");
  }
  return {text.empty() ? "0" : text, "the bytes that the algorithm needs, here each element once"};
}

/// The buffer that a check is most likely to be about.
std::string checked_buffer(const std::vector<DraftBuffer>& buffers) {
  for (const bool may_be_read : {false, true}) {
    for (const DraftBuffer& buffer : buffers) {
      if (buffer.use.is_written && (may_be_read || !buffer.use.is_read)) return buffer.name;
    }
  }
  return buffers.empty() ? "unused" : buffers.back().name;
}

/// Lines of a header.
class HeaderLines {
 public:
  void add(const std::string& line, const std::string& mark = {}) {
    text_ += line;
    if (!mark.empty()) text_ += fmt::format("  {}{}", fill_in_mark, mark);
    text_ += '\n';
  }

  /// A value, or a list of several on one line.
  void add_extent(const std::string& key, const std::vector<Marked>& values) {
    std::vector<std::string> texts;
    for (const Marked& each : values) texts.push_back(yaml_text(each.text));
    add(texts.size() == 1 ? fmt::format("  {}: {}", key, texts[0])
                          : fmt::format("  {}: [{}]", key, fmt::join(texts, ", ")),
        values.back().mark);
  }

  std::string text() && { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace

std::string draft_pattern(const DraftRequest& request) {
  const KernelDraft draft(request);
  HeaderLines lines;
  lines.add("/* pattern:");
  lines.add(fmt::format(
      "# A pattern for a kernel of {}. Each comment with 'fill in:' marks a guess:", request.file));
  lines.add("# put in what is right and take the comment away. 'sweep check' lists those left.");
  lines.add("summary: " + yaml_text(request.kernel.name + " of " + request.file));
  if (!draft.parameters.empty()) lines.add("parameters:");
  for (const DraftParameter& each : draft.parameters) {
    lines.add(fmt::format("  {}: {}", each.name, each.value.text), each.value.mark);
  }
  for (const std::string& name : draft.constant_memory) {
    lines.add(fmt::format("{}{} in constant memory, which the host fills and is zero here",
                          fill_in_mark, name));
  }
  lines.add("buffers:");
  for (const DraftBuffer& each : draft.buffers) {
    const std::string init = each.init.empty() ? "" : ", init: " + yaml_text(each.init);
    lines.add(fmt::format("  {}: {{type: {}, length: {}{}}}", each.name, each.type,
                          yaml_text(each.length.text), init),
              each.length.mark);
  }
  if (draft.buffers.empty()) {
    lines.add("  unused: {type: int, length: 1}", "the kernel takes no pointer, a pattern has one");
  }
  lines.add("kernel: " + yaml_text(draft.kernel.text), draft.kernel.mark);
  lines.add(draft.arguments.empty() ? "arguments: []" : "arguments:");
  for (const Marked& each : draft.arguments) {
    lines.add("  - " + argument_text(each.text), each.mark);
  }
  lines.add("launch:");
  lines.add_extent("grid", draft.grid);
  lines.add_extent("block", draft.block);
  if (!draft.shared.text.empty()) lines.add_extent("shared", {draft.shared});
  const Marked read = bytes_used(draft.buffers, &PointerUse::is_read);
  lines.add("useful:", read.mark);
  lines.add("  read: " + yaml_text(read.text));
  lines.add("  write: " + yaml_text(bytes_used(draft.buffers, &PointerUse::is_written).text));
  const std::string checked = checked_buffer(draft.buffers);
  lines.add(fmt::format("verify: {{{}: \"true\"}}", checked),
            fmt::format("what holds for each i after one launch: \"{}[i] == ...\"", checked));
  lines.add("*/");
  lines.add(fmt::format("#include \"{}\"", request.include));
  return std::move(lines).text();
}

Diagnostics notes_on(const Pattern& pattern) {
  Diagnostics notes = pattern.replaced;
  const std::string_view header = std::string_view(pattern.source->text)
                                      .substr(0, pattern.source->text.size() - pattern.body.size());
  for (std::size_t at = header.find(fill_in_mark); at != std::string_view::npos;
       at = header.find(fill_in_mark, at + 1)) {
    const std::size_t end = std::min(header.find_first_of("\r\n", at), header.size());
    const std::string_view what = header.substr(at, end - at).substr(fill_in_mark.size());
    notes.add({Severity::note,
               location_at(pattern.source, at, end - at),
               "left to fill in: " + std::string(what),
               {}});
  }
  return notes;
}

}  // namespace sweep
