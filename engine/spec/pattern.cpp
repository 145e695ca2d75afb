#include "engine/spec/pattern.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <tuple>

#include "engine/spec/compile_rules.h"
#include "engine/spec/cuda_scanner.h"
#include "engine/spec/cuda_slice.h"
#include "engine/spec/included_code.h"
#include "engine/spec/keys.h"
#include "engine/spec/pattern_header.h"
#include "engine/spec/place.h"
#include "engine/text/characters.h"
#include "engine/text/diagnostic.h"
#include "engine/text/read_source.h"
#include "engine/text/value.h"
#include "engine/text/yaml.h"

namespace sweep {
namespace {

const char* const header_example =
    "a pattern file starts with /* pattern: and YAML that describes the kernel; "
    "'sweep show pattern stride' prints an example";

// Words between blanks.
constexpr std::string_view keywords =
    " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t "
    "char32_t char8_t class co_await co_return co_yield compl concept const const_cast "
    "consteval constexpr constinit continue decltype default delete do double dynamic_cast "
    "else enum explicit export extern false float for friend goto if inline int long mutable "
    "namespace new noexcept not not_eq nullptr operator or or_eq private protected public "
    "register reinterpret_cast requires return short signed sizeof static static_assert "
    "static_cast struct switch template this thread_local throw true try typedef typeid "
    "typename union unsigned using virtual void volatile wchar_t while xor xor_eq ";

constexpr std::string_view taken =
    " i threadIdx blockIdx blockDim gridDim warpSize size_t pattern min max ceil_div is_pow2 "
    "log2 splat random_bits random_below permuted ";

}  // namespace

std::vector<CudaExpression> Verification::expressions() const {
  std::vector<CudaExpression> all;
  if (!has_array()) all.push_back(condition);
  if (!tolerance) return all;
  for (const Tolerance::Bound& bound : tolerance->bounds) all.push_back(bound.value);
  return all;
}

std::vector<const DataFile*> Pattern::data_files() const {
  std::vector<const DataFile*> files;
  for (const Buffer& buffer : buffers) {
    if (buffer.file) files.push_back(&*buffer.file);
  }
  for (const Verification& verification : verify) {
    if (verification.file) files.push_back(&*verification.file);
  }
  return files;
}

std::string Pattern::identity() const {
  std::string text = source->text + included_text;
  if (reference != nullptr && reference->included_text != included_text) {
    text += reference->included_text;
  }
  for (const DataFile* file : data_files()) {
    text += fmt::format("\n// {} {}\n", file->name, file->contents());
  }
  return text + rules_text;
}

const Parameter* Pattern::find_parameter(std::string_view wanted) const {
  const auto found = std::ranges::find(parameters, wanted, &Parameter::name);
  return found != parameters.end() ? &*found : nullptr;
}

bool Pattern::declares(std::string_view wanted) const {
  return find_parameter(wanted) != nullptr ||
         std::ranges::find(structs, wanted, &Struct::name) != structs.end();
}

bool Pattern::knows_size(const std::string& type) const {
  return ElementType::find(type) || declares(type);
}

bool Pattern::may_declare(std::string_view type) const {
  const auto is_of_type = [](char c) {
    return is_word(c) || std::string_view(":<>,* ").find(c) != std::string_view::npos;
  };
  std::string_view plain = type.substr(0, type.find_first_of("<*"));
  while (plain.ends_with(' ')) plain.remove_suffix(1);
  if (plain.empty() || is_digit(plain.front()) || !std::ranges::all_of(type, is_of_type))
    return false;
  const Parameter* parameter = find_parameter(plain);
  if (parameter != nullptr && (parameter->kind != ValueKind::element || plain == type))
    return false;
  if (type.ends_with('*') && knows_size(std::string(plain))) return true;
  const std::size_t scope = plain.rfind(':');
  if (scope != std::string_view::npos) plain.remove_prefix(scope + 1);
  const auto has_name = [&](std::string_view text) { return words_in(text).contains(plain); };
  return has_name(body) || std::ranges::any_of(included.files, has_name, &IncludedFile::text);
}

std::vector<std::string> Pattern::parameter_names() const {
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters) names.push_back(parameter.name);
  return names;
}

std::string why_out_of_bounds(const Parameter& parameter, const Value& value) {
  if (const auto* word = std::get_if<std::string>(&value); word != nullptr && !find_place(*word)) {
    return fmt::format("{} = {} is not a place", parameter.name, *word);
  }
  const auto* number = std::get_if<std::int64_t>(&value);
  if (number == nullptr) return {};
  if (parameter.min && *number < *parameter.min) {
    return fmt::format("{} = {} is below the min of {}", parameter.name, *number, *parameter.min);
  }
  if (parameter.max && *number > *parameter.max) {
    return fmt::format("{} = {} is above the max of {}", parameter.name, *number, *parameter.max);
  }
  return {};
}

std::optional<PatternLayout> find_header(const SourcePtr& source, Diagnostics& diagnostics) {
  const std::string_view text = source->text;
  std::size_t at = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  for (;;) {
    at = std::min(text.find_first_not_of(" \t\r\n", at), text.size());
    if (!text.substr(at).starts_with("//")) break;
    at = std::min(text.find('\n', at), text.size());
  }
  const Location file{source, 0, 0, 1};
  if (!text.substr(at).starts_with("/*")) {
    return diagnostics.error(file, "this is not a pattern: it does not start with a header comment",
                             header_example);
  }
  const std::size_t close = text.find("*/", at + 2);
  const Location comment = location_at(source, at, 2);
  if (close == std::string_view::npos) {
    return diagnostics.error(comment, "this comment is never closed", "end the header with */");
  }
  constexpr std::string_view mark = "pattern:";
  const std::size_t word = text.find_first_not_of(" \t\r\n", at + 2);
  if (!text.substr(word).starts_with(mark)) {
    return diagnostics.error(
        comment, "this is not a pattern: its first comment does not start with 'pattern:'",
        header_example);
  }
  return PatternLayout{word + mark.size(), close, close + 2, comment};
}

std::optional<YamlNode> read_stored_header(const std::string& text, Diagnostics& diagnostics) {
  const auto source = std::make_shared<Source>(Source{"the stored pattern", text});
  const auto layout = find_header(source, diagnostics);
  if (!layout) return std::nullopt;
  auto header = read_yaml(source, layout->header_begin, layout->header_end, diagnostics);
  return header && header->is_map() ? std::move(header) : std::nullopt;
}

std::vector<CudaExpression> expressions_of(const Pattern& pattern) {
  std::vector<CudaExpression> expressions = kernel_expressions_of(pattern);
  for (const Buffer& buffer : pattern.buffers) {
    if (buffer.init) expressions.push_back(*buffer.init);
  }
  for (const Verification& check : pattern.verify) {
    for (CudaExpression& each : check.expressions()) expressions.push_back(std::move(each));
  }
  for (const Constant& constant : pattern.constants) {
    expressions.insert(expressions.end(), {constant.symbol, constant.init});
  }
  return expressions;
}

std::vector<CudaExpression> kernel_expressions_of(const Pattern& pattern) {
  std::vector<CudaExpression> expressions;
  for (const Step& step : pattern.steps) {
    if (!step.kernel.text.empty()) expressions.push_back(step.kernel);
    if (!step.arguments) continue;
    for (const KernelArgument& argument : *step.arguments) {
      if (argument.fields.empty()) expressions.push_back(argument.value);
      for (const KernelArgument::Field& field : argument.fields) expressions.push_back(field.value);
    }
  }
  return expressions;
}

PatternPtr parse_pattern(const SourcePtr& source, const std::filesystem::path& path,
                         Diagnostics& diagnostics,
                         const std::vector<std::filesystem::path>& include_folders) {
  Diagnostics found;
  auto pattern = std::make_shared<Pattern>();
  pattern->name = path.stem().string();
  pattern->path = path;
  pattern->source = source;
  const auto layout = check_text(source, 0, source->text.size(), TextKind::code, found)
                          ? find_header(source, found)
                          : std::nullopt;
  if (layout && check_code_shape(source, layout->body_begin, found)) {
    pattern->body = source->text.substr(layout->body_begin);
    pattern->body_line = location_at(source, layout->body_begin).line;
    auto header = read_yaml(source, layout->header_begin, layout->header_end, found);
    pattern->include_folders = include_folders;
    if (header) {
      for (auto& folder : header_include_folders(*header, path, include_folders, found)) {
        pattern->include_folders.push_back(std::move(folder));
      }
    }
    pattern->included =
        read_included_files(source, layout->body_begin, path, pattern->include_folders, found);
    if (header) {
      if (header->is_null()) header->where = layout->where;
      HeaderReading reading = read_header(*header, *pattern, found);
      const auto read_file = [&](std::optional<DataFile>& file) {
        if (file) read_data_file(*file, path, include_folders, found);
      };
      for (Buffer& buffer : pattern->buffers) read_file(buffer.file);
      for (Verification& check : pattern->verify) read_file(check.file);
      for (const auto& [text, where] : expressions_of(*pattern)) {
        check_expression_shape(text, where, found);
        // An expression stands on lines of its own in what is compiled.
        if (!may_hold_directive(text)) continue;
        found.error(where, "an expression can hold no preprocessor line",
                    "put it into the pattern's code");
      }
      check_pattern(*pattern, reading, found);
      give_way_to_parameters(*pattern, found);
      if (!found.has_errors()) add_reference(*pattern, reading, found);
      slice_included(*pattern, pattern->reference != nullptr);
      note_hidden_parameters(*pattern);
      pattern->included_text = joined_text(pattern->included);
    }
  }
  diagnostics.add_all(in_reading_order(found));
  return found.has_errors() ? nullptr : pattern;
}

Scope scope_of(const Pattern& pattern) {
  Scope scope;
  for (const Parameter& parameter : pattern.parameters) scope.add(parameter.name, parameter.kind);
  for (const Struct& type : pattern.structs) scope.add(type.size_name(), ValueKind::integer);
  return scope;
}

std::string to_string(const Configuration& configuration) {
  const std::string parameters = to_string(configuration.parameters);
  return configuration.pattern->name + (parameters.empty() ? "" : " ") + parameters;
}

Configuration resolve(const PatternPtr& pattern, const Bindings& given) {
  Configuration configuration{pattern, {}};
  for (const Parameter& parameter : pattern->parameters) {
    const Value* value = given.find(parameter.name);
    Value chosen =
        value != nullptr ? *value : parameter.default_value.evaluate(configuration.parameters);
    std::string violation = why_out_of_bounds(parameter, chosen);
    if (!violation.empty()) throw InputError(parameter.where, std::move(violation));
    configuration.parameters.set(parameter.name, std::move(chosen));
  }
  return configuration;
}

Bindings environment_of(const Configuration& configuration) {
  Bindings environment = configuration.parameters;
  for (const Struct& type : configuration.pattern->structs) {
    environment.set(type.size_name(), type.size.evaluate_integer(environment));
  }
  return environment;
}

void derive_metrics(std::span<const OwnMetric> own, const Configuration& configuration,
                    std::vector<Metric>& metrics) {
  if (own.empty()) return;
  Bindings environment = environment_of(configuration);
  environment.set("pattern", configuration.pattern->name);
  derive_metrics(own, environment, metrics);
}

std::string why_not_fitting(const DataFile& file, const Buffer& buffer,
                            const Bindings& environment) {
  return why_not_fitting(
      file, fmt::format("the buffer '{}'", buffer.name), type_of(buffer.type, environment),
      static_cast<std::uint64_t>(buffer.length.evaluate_integer(environment)), environment);
}

std::string why_not_fitting(const Buffer& expected, const Buffer& buffer,
                            const Bindings& environment) {
  const auto length_of = [&](const Buffer& each) {
    return each.length.evaluate_integer(environment);
  };
  const auto components_of = [&](const Buffer& each) {
    const auto element = type_of(each.type, environment).element;
    return element ? element->components() : 0;
  };
  const bool is_alike =
      length_of(expected) == length_of(buffer) && components_of(expected) == components_of(buffer);
  if (is_alike) return {};
  return fmt::format("the reference's '{}' has {} elements of type {}, but '{}' has {} of type {}",
                     expected.name, length_of(expected), expected.type, buffer.name,
                     length_of(buffer), buffer.type);
}

std::string_view why_not_a_name(std::string_view name) {
  if (name.size() > spec_limits::name_bytes) return "is longer than 255 characters";
  if (name.empty() || !std::ranges::all_of(name, is_word) || is_digit(name.front())) {
    return "is not a name: use letters, digits and _, a letter first";
  }
  if (is_in_list(keywords, name)) return "is a word of C++";
  if (ElementType::find(name)) return "is an element type";
  if (is_in_list(taken, name)) return "has another meaning in a pattern";
  if (name.starts_with("__") || name.starts_with("sweep_")) return "is reserved";
  return {};
}

std::string_view why_not_a_family(std::string_view text) {
  constexpr std::ptrdiff_t longest = 40;
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return "is empty";
  if (std::ranges::any_of(text, [](const char& c) { return is_control({&c, 1}); }))
    return "must be one line of plain text";
  if (std::ranges::count_if(text, std::not_fn(continues_character)) > longest)
    return "is longer than 40 characters";
  return {};
}

std::vector<PatternFamily> by_family(std::span<const PatternPtr> patterns) {
  std::map<std::tuple<bool, std::ptrdiff_t, std::string>, std::vector<PatternPtr>> ranked;
  for (const PatternPtr& pattern : patterns) {
    const std::string name = pattern->family.empty() ? "other" : pattern->family;
    const auto place = std::ranges::find(known_families, name) - known_families.begin();
    ranked[{name == "other", place, name}].push_back(pattern);
  }
  std::vector<PatternFamily> families;
  for (auto& [rank, members] : ranked) families.push_back({std::get<2>(rank), std::move(members)});
  return families;
}

PatternLibrary::PatternLibrary(std::vector<std::filesystem::path> folders,
                               std::vector<std::filesystem::path> include_folders)
    : folders_(std::move(folders)), include_folders_(std::move(include_folders)) {
  for (const std::filesystem::path& folder : folders_) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
      if (entry.path().extension() != ".cu" || !entry.is_regular_file(error)) continue;
      files_.emplace(entry.path().stem().string(), entry.path());
    }
  }
}

std::vector<std::string> PatternLibrary::names() const {
  std::vector<std::string> result;
  for (const auto& [name, path] : files_) result.push_back(name);
  return result;
}

std::filesystem::path PatternLibrary::find(const std::string& name) const {
  const auto found = files_.find(name);
  return found != files_.end() ? found->second : std::filesystem::path();
}

PatternPtr PatternLibrary::load(const std::string& name, const Location& where,
                                Diagnostics& diagnostics) const {
  const std::filesystem::path path = find(name);
  if (path.empty()) {
    std::string help = did_you_mean(name, names());
    if (help.empty()) {
      std::vector<std::string> searched;
      for (const std::filesystem::path& folder : folders_) searched.push_back(folder.string());
      help = searched.empty()
                 ? "--patterns DIR adds a folder of pattern files"
                 : fmt::format("searched for {}.cu in: {}; --patterns DIR adds a folder", name,
                               fmt::join(searched, ", "));
    }
    diagnostics.error(where, fmt::format("there is no pattern '{}'", name), help);
    return nullptr;
  }
  const auto holds = [&](const std::filesystem::path& folder) { return lies_in(path, folder); };
  std::error_code unknown;
  if (std::filesystem::exists(path, unknown) && !holds(path.parent_path()) &&
      std::ranges::none_of(include_folders_, holds)) {
    diagnostics.error(where, fmt::format("{} is a link out of its folder", path.string()),
                      "--include DIR lets patterns read the files of a folder");
    return nullptr;
  }
  try {
    return parse_pattern(read_source(path), path, diagnostics, include_folders_);
  } catch (const FileError& error) {
    diagnostics.error(where, error.what());
    return nullptr;
  }
}

PatternLookup PatternLibrary::lookup() const {
  return [this](const std::string& name, const Location& where, Diagnostics& diagnostics) {
    return load(name, where, diagnostics);
  };
}

}  // namespace sweep
