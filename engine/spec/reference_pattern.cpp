#include <fmt/format.h>

#include <algorithm>

#include "engine/spec/compile_rules.h"
#include "engine/spec/cuda_scanner.h"
#include "engine/spec/cuda_slice.h"
#include "engine/spec/included_code.h"
#include "engine/spec/pattern_header.h"
#include "engine/text/characters.h"

namespace sweep {

namespace {

/// Whether a text may name things that are not among its words.
bool may_hide_names(std::string_view text) {
  if (text.find("##") != std::string_view::npos) return true;
  for (std::size_t at = text.find("\\\n"); at != std::string_view::npos;
       at = text.find("\\\n", at + 1)) {
    const bool is_in_word =
        at > 0 && is_word(text[at - 1]) && at + 2 < text.size() && is_word(text[at + 2]);
    if (is_in_word) return true;
  }
  return false;
}

/// What a launch is computed from.
std::vector<Expression> expressions_of(const Step& step) {
  const LaunchShape& shape = step.launch;
  std::vector<Expression> all = {shape.shared};
  for (const auto* extents : {&shape.grid, &shape.block, &shape.cluster}) {
    all.insert(all.end(), extents->begin(), extents->end());
  }
  if (shape.cooperative) all.push_back(*shape.cooperative);
  if (const auto& window = shape.window) {
    all.push_back(window->bytes);
    if (window->hit_ratio) all.push_back(*window->hit_ratio);
    if (window->set_aside) all.push_back(*window->set_aside);
  }
  for (const Repeat& repeat : step.repeat) {
    all.insert(all.end(), {repeat.from, repeat.to, repeat.change});
  }
  return all;
}

/// The words of all that decides what a pattern computes, but for macros that nothing names; with
/// those of preprocessor lines.
WordSet words_of_pattern(const Pattern& pattern) {
  WordSet words;
  const auto add_code = [&](const std::string& code) {
    words.merge(words_in(code));
    for (const Directive& directive : find_directives(code)) {
      words.merge(words_in(directive.text));
    }
  };
  add_code(pattern.body);
  for (const IncludedFile& file : pattern.included.files) add_code(file.text);
  for (const auto& [text, where] : expressions_of(pattern)) words.merge(words_in(text));
  for (const Buffer& buffer : pattern.buffers) {
    words.merge(words_in(buffer.type + ' ' + buffer.length.text()));
    if (buffer.file) words.merge(words_in(buffer.file->raw_type));
  }
  for (const Argument& argument : pattern.arguments) words.merge(words_in(argument.value.text()));
  for (const Struct& type : pattern.structs) words.merge(words_in(type.size.text()));
  for (const Step& step : pattern.steps) {
    for (const Expression& each : expressions_of(step)) words.merge(words_in(each.text()));
  }
  return words;
}

/// Adds the buffers that a step's kernel takes as pointers to const, or as others, as far as its
/// signature tells.
void add_given(const Pattern& pattern, const Step& step, bool as_const,
               std::vector<std::string>& names) {
  const auto kernel = find_kernel(pattern, step);
  if (!kernel || !step.arguments || kernel->parameters.size() != step.arguments->size()) return;
  for (std::size_t i = 0; i < kernel->parameters.size(); ++i) {
    const std::string& name = (*step.arguments)[i].value.text;
    const bool is_buffer =
        std::ranges::find(pattern.buffers, name, &Buffer::name) != pattern.buffers.end();
    const bool is_new = std::ranges::find(names, name) == names.end();
    if (is_buffer && is_new && kernel->parameters[i].is_const == as_const) names.push_back(name);
  }
}

/// Keeps the buffers and scalars that are `used`, and those that their values need.
void drop_unused(Pattern& reference, WordSet used) {
  for (const Constant& each : reference.constants) used.merge(words_in(each.init.text));
  for (std::size_t known = 0; used.size() != known;) {
    known = used.size();
    for (const Buffer& buffer : reference.buffers) {
      if (buffer.init && used.contains(buffer.name)) used.merge(words_in(buffer.init->text));
    }
  }
  std::erase_if(reference.buffers, [&](const Buffer& each) { return !used.contains(each.name); });
  std::erase_if(reference.arguments,
                [&](const Argument& each) { return !used.contains(each.name); });
}

}  // namespace

PatternPtr fitted_reference(Pattern reference, const Pattern& pattern) {
  reference.compile = pattern.compile;
  reference.compile.fast_math.reset();
  reference.compile.max_registers.reset();
  reference.rules_text = pattern.rules_text;
  WordSet words = words_of_pattern(reference);
  std::vector<CompileRules::Macro>& macros = reference.compile.defines;
  std::erase_if(macros, [&](const auto& macro) { return !words.contains(macro.name); });
  for (const CompileRules::Macro& macro : macros) words.merge(words_in(unquoted(macro.value)));
  bool needs_all = may_hide_names(reference.body);
  for (const IncludedFile& file : reference.included.files) {
    needs_all = needs_all || may_hide_names(file.text);
  }
  reference.parameters = pattern.parameters;
  std::erase_if(reference.parameters, [&](const Parameter& parameter) {
    return !needs_all && !words.contains(parameter.name);
  });
  return std::make_shared<const Pattern>(std::move(reference));
}

void add_reference(Pattern& pattern, const HeaderReading& header, Diagnostics& diagnostics) {
  if (header.reference.empty()) return;
  if (pattern.verify.empty()) {
    std::vector<std::string> written;
    for (const Step& step : header.reference) add_given(pattern, step, false, written);
    // What the kernel only reads cannot become wrong.
    std::erase_if(written, [&](const std::string& name) {
      return std::ranges::find(pattern.buffers, name, &Buffer::name)->is_const;
    });
    for (const std::string& buffer : written) {
      pattern.verify.push_back({buffer, {"", header.reference_where}, Tolerance(), {}, buffer});
    }
    if (written.empty()) {
      diagnostics.error(
          header.reference_where,
          "'verify' must say which buffers are compared with the reference's",
          fmt::format("verify: {{{0}: {{reference: {0}}}}}", pattern.buffers.back().name));
    }
  }
  Pattern reference = pattern;
  // Nothing else may take the one's compiled programs for the other's.
  reference.name += " (reference)";
  reference.steps = header.reference;
  // It is not timed.
  for (Step& step : reference.steps) {
    step.launch.window.reset();
    step.launch.copy.reset();
  }
  reference.verify.clear();
  reference.metrics.clear();
  reference.require.clear();
  reference.useful = {};
  WordSet given;
  for (const auto& [text, where] : kernel_expressions_of(reference)) given.merge(words_in(text));
  for (const Verification& each : pattern.verify) {
    if (each.reference.empty() || given.contains(each.reference)) continue;
    diagnostics.error(each.condition.where,
                      fmt::format("the reference's kernels are not given '{}'", each.reference));
  }
  drop_unused(reference, std::move(given));
  std::vector<std::string> read;
  for (const Step& step : reference.steps) add_given(pattern, step, true, read);
  for (Buffer& buffer : reference.buffers) {
    const auto expressions = kernel_expressions_of(reference);
    const auto mentions = std::ranges::count_if(expressions, [&](const CudaExpression& each) {
      return words_in(each.text).contains(buffer.name);
    });
    buffer.is_const = mentions == 1 && std::ranges::find(read, buffer.name) != read.end();
    buffer.place = Buffer().place;
    buffer.peer = Buffer().peer;
  }
  slice_included(reference, true);
  reference.included_text = joined_text(reference.included);
  pattern.reference = fitted_reference(std::move(reference), pattern);
}

Configuration reference_of(const Configuration& configuration) {
  Configuration result{configuration.pattern->reference, {}};
  for (const Parameter& parameter : result.pattern->parameters) {
    const Value* value = configuration.parameters.find(parameter.name);
    if (value != nullptr) result.parameters.set(parameter.name, *value);
  }
  return result;
}

}  // namespace sweep
