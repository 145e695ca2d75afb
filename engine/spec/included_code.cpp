#include "engine/spec/included_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "engine/spec/compile_rules.h"
#include "engine/spec/cuda_items.h"
#include "engine/spec/cuda_scanner.h"
#include "engine/spec/cuda_slice.h"
#include "engine/spec/named_kernel.h"
#include "engine/text/characters.h"

namespace sweep {
namespace {

void blank(std::string& text, std::size_t begin, std::size_t end) {
  for (std::size_t at = begin; at < end; ++at) {
    if (text[at] != '\n') text[at] = ' ';
  }
}

/// Says that a declaration gave way, or whatever `what` says of a parameter.
void note_parameter(const IncludedFile& file, std::size_t offset, const std::string& name,
                    Diagnostics& notes, const char* what = "{} is the pattern's parameter here") {
  const auto source = std::make_shared<const Source>(Source{file.name, file.text});
  notes.add({Severity::note, location_at(source, offset, name.size()),
             fmt::format(fmt::runtime(what), name), ""});
}

/// Takes over what included files define as macros and the pattern gives a value: such a parameter
/// is a macro of the configuration's, and the file's own definition is left out.
void take_over_macros(Pattern& pattern, Diagnostics& diagnostics) {
  for (IncludedFile& file : pattern.included.files) {
    std::string asked;  // the macro that the line before asks for
    for (const Directive& directive : find_directives(file.text)) {
      const std::string name = defined_macro(directive);
      const std::string before =
          std::exchange(asked, directive.name == "ifndef" ? directive.text : std::string());
      const bool is_like_function =
          !name.empty() && directive.text.find(name + "(") != std::string::npos;
      const Parameter* parameter = pattern.find_parameter(name);
      const bool is_given = pattern.compile.defines_macro(name);
      if (is_like_function || (parameter == nullptr && !is_given)) continue;
      const bool is_asked_for = before.find(name) != std::string::npos;
      if (parameter != nullptr && !is_asked_for) {
        note_parameter(file, file.text.find(name, directive.offset), name, pattern.replaced);
      }
      if (!is_given) {
        auto value = Expression::parse(name, parameter->where, diagnostics);
        if (value) pattern.compile.defines.push_back({name, std::move(*value)});
      }
      blank(file.text, directive.offset, directive.offset + directive.length);
    }
  }
}

/// A declaration of one name that a parameter can replace.
struct Replaceable {
  std::size_t name = 0;   ///< its token
  bool is_whole = false;  ///< nothing else is declared with it
};

/// Where the tokens declare a constant, an enumerator or another name for a type.
std::optional<Replaceable> find_replaceable(CudaTokens tokens, std::string_view name) {
  const bool is_enum = tokens.front() == "enum" || has_at(tokens, 1, "enum");
  const bool is_alias = has_at(tokens, 0, "using") && has_at(tokens, 1, name);
  const bool is_typedef = tokens.front() == "typedef";
  const bool is_constant = has_token(tokens, "const") || has_token(tokens, "constexpr");
  const bool is_of_device = has_token(tokens, "__device__") || has_token(tokens, "__constant__") ||
                            has_token(tokens, "__managed__");
  if (is_alias) return Replaceable{1, true};
  const bool is_other = has_at(tokens, 0, "template") || has_at(tokens, 0, "struct") ||
                        has_at(tokens, 0, "class") || has_at(tokens, 0, "union");
  if (is_other || (is_of_device && !is_constant)) return std::nullopt;
  int depth = 0;
  bool is_alone = true;
  std::optional<std::size_t> found;
  for (std::size_t at = 0; at + 1 < tokens.size(); ++at) {
    const std::string_view token = tokens[at];
    const std::string_view next = tokens[at + 1];
    if (token == "(" || token == "{" || token == "[") ++depth;
    if (token == ")" || token == "}" || token == "]") --depth;
    is_alone = is_alone && (depth > 0 || token != ",");
    if (token != name || depth != (is_enum && !is_typedef ? 1 : 0)) continue;
    const bool is_declared = is_enum ? next == "=" || next == "," || next == "}"
                             : is_typedef
                                 ? next == ";"
                                 : next == "=" || next == "{" || next == ";" || next == ",";
    if (is_declared && !found) found = at;
  }
  if (!found) return std::nullopt;
  return Replaceable{*found, is_alone && !is_enum};
}

/// Takes over the constants and types of the files that stand in the configurations' namespaces.
/// What declares more than the parameter's name keeps its values: there it has another name.
void take_over_constants(Pattern& pattern, const std::set<std::string_view>& libraries) {
  std::vector<IncludedFile>& files = pattern.included.files;
  std::vector<std::string> codes;
  std::vector<std::string_view> texts;
  for (const IncludedFile& file : files) {
    codes.push_back(blank_non_code(file.text));
    texts.push_back(file.text);
  }
  for (const Item& item : read_items(texts, macros_of(texts)).items) {
    IncludedFile& file = files[item.file];
    if (item.is_function || libraries.contains(file.name)) continue;
    const std::string_view code = codes[item.file];
    const std::vector<std::string_view> tokens =
        cuda_tokens(code.substr(item.begin, item.end - item.begin));
    const auto offset_of = [&](std::size_t token) {
      return static_cast<std::size_t>(tokens[token].data() - code.data());
    };
    for (const Parameter& parameter : pattern.parameters) {
      const std::string& name = parameter.name;
      if (!item.names.contains(name)) continue;
      const auto found = find_replaceable(tokens, name);
      if (!found) continue;
      note_parameter(file, offset_of(found->name), name, pattern.replaced);
      if (found->is_whole) {
        blank(file.text, item.begin, item.end);
      } else {
        file.text[offset_of(found->name)] = '_';
      }
    }
  }
}

/// The files that are included in angle brackets, and theirs.
std::set<std::string_view> libraries_of(const IncludedFiles& included) {
  std::set<std::string_view> libraries;
  const auto note = [&](const std::vector<IncludeName>& names, bool is_library) {
    for (const IncludeName& name : names) {
      if (is_library || name.is_angled) libraries.insert(name.target);
    }
  };
  note(included.in_body, false);
  for (std::size_t known = included.files.size() + 1; libraries.size() != known;) {
    known = libraries.size();
    for (const IncludedFile& file : included.files) note(file.names, libraries.contains(file.name));
  }
  return libraries;
}

}  // namespace

void give_way_to_parameters(Pattern& pattern, Diagnostics& diagnostics) {
  if (pattern.included.files.empty()) return;
  take_over_macros(pattern, diagnostics);
  take_over_constants(pattern, libraries_of(pattern.included));
}

void slice_included(Pattern& pattern, bool slices_body) {
  std::vector<std::string*> own;
  if (slices_body) own.push_back(&pattern.body);
  for (IncludedFile& file : pattern.included.files) own.push_back(&file.text);
  if (own.empty()) return;
  WordSet wanted;
  if (!slices_body) wanted = words_in(pattern.body);
  for (const Step& step : pattern.steps) wanted.insert(kernel_name(pattern, step));
  for (const auto& [text, where] : expressions_of(pattern)) wanted.merge(words_in(text));
  for (const Buffer& buffer : pattern.buffers) wanted.merge(words_in(buffer.type));
  for (const Struct& type : pattern.structs) wanted.insert(type.name);
  for (const auto& macro : pattern.compile.defines) wanted.merge(words_in(unquoted(macro.value)));
  std::vector<std::string_view> texts;
  for (const std::string* text : own) texts.push_back(*text);
  std::vector<std::string> sliced = slice(texts, wanted);
  for (std::size_t i = 0; i < own.size(); ++i) *own[i] = std::move(sliced[i]);
}

void note_hidden_parameters(Pattern& pattern) {
  for (const IncludedFile& file : pattern.included.files) {
    const std::string code = blank_non_code(file.text);
    const std::vector<std::string_view> tokens = cuda_tokens(code);
    for (std::size_t at = 2; at + 3 < tokens.size(); ++at) {
      const bool is_constant = tokens[at - 2] == "const" || tokens[at - 2] == "constexpr";
      const bool has_number = tokens[at + 1] == "=" && is_digit(tokens[at + 2].front());
      if (!is_constant || !has_number || tokens[at + 3] != ";") continue;
      const Parameter* parameter = pattern.find_parameter(tokens[at]);
      if (parameter == nullptr) continue;
      note_parameter(file, static_cast<std::size_t>(tokens[at].data() - code.data()),
                     parameter->name, pattern.replaced,
                     "{} is a constant of its own here, and not the pattern's parameter");
    }
  }
}

}  // namespace sweep
