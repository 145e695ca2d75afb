#include "engine/spec/pattern_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <tuple>

#include "engine/spec/keys.h"
#include "engine/spec/map_reader.h"
#include "engine/spec/pattern_names.h"
#include "engine/spec/sweep.h"
#include "engine/text/diagnostic.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

const char* const header_example =
    "a pattern file starts with /* pattern: and YAML that describes the kernel; "
    "'sweep show pattern stride' prints an example";

Expression zero() {
  return Expression::constant(std::int64_t{0});
}

std::optional<ValueKind> read_parameter_kind(const YamlNode& node, Diagnostics& diagnostics) {
  std::array<std::string_view, parameter_types.size()> names;
  std::ranges::transform(parameter_types, names.begin(), &ParameterType::name);
  constexpr ChoiceWords words = {"a type of parameter", "the types are"};
  const auto chosen = read_choice(node, "type", names, words, diagnostics);
  return chosen ? std::optional(parameter_types.at(*chosen).kind) : std::nullopt;
}

/// The bounds `min` and `max`, which cannot name parameters.
std::optional<std::int64_t> read_bound(const MapReader& reader, std::string_view key,
                                       Diagnostics& diagnostics) {
  const auto expression = reader.expression(key);
  if (!expression) return std::nullopt;
  if (!expression->names().empty()) {
    diagnostics.error(
        expression->where(),
        fmt::format("'{}' must be a number: it cannot name '{}'", key, expression->names().front()),
        "a condition over several parameters stands under require:");
    return std::nullopt;
  }
  if (!check_kind(*expression, scope_of(Bindings{}), ValueKind::integer, fmt::format("'{}'", key),
                  diagnostics)) {
    return std::nullopt;
  }
  const auto value = read_constant(*expression, diagnostics);
  return value ? std::optional(std::get<std::int64_t>(*value)) : std::nullopt;
}

/// The kind of a default such as `true`, `float` or `64 Mi`; the scope holds the parameters before.
std::optional<ValueKind> infer_kind(const Expression& value, const Pattern& pattern,
                                    const HeaderGaps& gaps) {
  if (gaps.concern(value)) return std::nullopt;
  Diagnostics ignored;
  return value.check(scope_of(pattern), ignored);
}

/// The name of a device's figure; empty, with a message, for others.
std::string read_device_figure(const YamlNode& node, Diagnostics& diagnostics) {
  constexpr ChoiceWords words = {"a figure of the device", "the figures are"};
  const auto names = device_figure_names();
  const auto chosen = read_choice(node, "device", names, words, diagnostics);
  return chosen ? std::string(names[*chosen]) : std::string();
}

void read_parameter(const YamlNode& key, const YamlNode& node, Pattern& pattern, HeaderGaps& gaps,
                    Diagnostics& diagnostics) {
  Parameter parameter{key.text, ValueKind::integer, zero(), {}, {}, {}, key.where, {}};
  std::optional<Expression> value;
  std::optional<ValueKind> kind;
  if (node.is_scalar()) {
    value = read_expression(node, key.text, diagnostics);
  } else {
    const MapReader reader(node, fmt::format("the parameter '{}'", key.text), parameter_keys,
                           diagnostics);
    if (node.is_map()) {
      const char* help =
          "for example default: 256, which sweeps that do not name the parameter take";
      if (reader.require("default", help) != nullptr) value = reader.expression("default");
    }
    if (const YamlNode* type = reader.find("type")) kind = read_parameter_kind(*type, diagnostics);
    parameter.min = read_bound(reader, "min", diagnostics);
    parameter.max = read_bound(reader, "max", diagnostics);
    if (const YamlNode* figure = reader.find("device")) {
      parameter.device = read_device_figure(*figure, diagnostics);
    }
    parameter.help = reader.text("help");
  }
  if (value && !kind) kind = infer_kind(*value, pattern, gaps);
  if (kind == ValueKind::word) {
    diagnostics.error(value->where(), fmt::format("the default of '{}' must be an integer, a "
                                                  "boolean or an element type",
                                                  key.text));
    kind.reset();
  }
  if (!kind) gaps.unknown_kinds.push_back(key.text);
  parameter.kind = kind.value_or(ValueKind::integer);
  if (value) parameter.default_value = std::move(*value);
  pattern.parameters.push_back(std::move(parameter));
}

/// Calls `read(key, value)` for each entry of the map under `key`; false, with a message, when
/// there is no map.
template <class Read>
bool read_entries(const YamlNode& node, std::string_view key, const char* help,
                  Diagnostics& diagnostics, Read read) {
  if (!node.is_map()) {
    diagnostics.error(node.where, fmt::format("'{}' must be a map of names", key), help);
    return false;
  }
  for_each_entry(node, read);
  return true;
}

std::optional<CudaExpression> read_cuda(const YamlNode& node, std::string_view what,
                                        Diagnostics& diagnostics) {
  const auto text = read_text(node, what, diagnostics);
  if (!text) return std::nullopt;
  if (text->find_first_not_of(" \t\r\n") == std::string::npos) {
    diagnostics.error(node.where, fmt::format("'{}' is empty", what));
    return std::nullopt;
  }
  if (node.raw.empty()) return CudaExpression{*text, node.where};
  // Line breaks mean nothing to CUDA, and with them every message finds its line.
  CudaExpression cuda{node.raw, node.where};
  cuda.where.exact = true;
  return cuda;
}

/// A type's name and its place; empty, with messages, when there is none.
std::pair<std::string, Location> read_type(const MapReader& reader, const Location& otherwise,
                                           Diagnostics& diagnostics) {
  const YamlNode* node = reader.find("type");
  if (node == nullptr) return {{}, otherwise};
  return {read_text(*node, "type", diagnostics).value_or(std::string()), node->where};
}

void read_buffer(const YamlNode& key, const YamlNode& node, Pattern& pattern,
                 Diagnostics& diagnostics) {
  Buffer buffer{key.text, {}, zero(), {}, key.where, key.where};
  const MapReader reader(node, fmt::format("the buffer '{}'", key.text), buffer_keys, diagnostics);
  if (node.is_map()) {
    reader.require("type", "for example type: float, or a parameter of type element, or a struct");
    reader.require("length", "the number of elements, for example length: N");
  }
  std::tie(buffer.type, buffer.type_where) = read_type(reader, key.where, diagnostics);
  if (auto length = reader.expression("length")) buffer.length = std::move(*length);
  if (const YamlNode* init = reader.find("init")) {
    buffer.init = read_cuda(*init, "init", diagnostics);
  }
  pattern.buffers.push_back(std::move(buffer));
}

void read_argument(const YamlNode& key, const YamlNode& node, Pattern& pattern,
                   Diagnostics& diagnostics) {
  Argument argument{key.text, "int32_t", zero(), key.where, key.where};
  const MapReader reader(node, fmt::format("the argument '{}'", key.text), argument_keys,
                         diagnostics);
  if (node.is_map()) reader.require("value", "an expression, for example value: N");
  if (reader.find("type") != nullptr || !node.is_map()) {
    std::tie(argument.type, argument.type_where) = read_type(reader, key.where, diagnostics);
  }
  const YamlNode* value = reader.find("value");
  const bool is_floating = argument.type == "float" || argument.type == "double";
  const bool has_point = value != nullptr && value->text.find('.') != std::string::npos;
  if (is_floating && has_point) argument.decimal = parse_decimal(value->text);
  if (!argument.decimal) {
    if (auto expression = reader.expression("value")) argument.value = std::move(*expression);
  }
  pattern.arguments.push_back(std::move(argument));
}

std::vector<Expression> read_extent(const MapReader& reader, std::string_view key,
                                    Diagnostics& diagnostics) {
  const YamlNode* node = reader.require(key, "one number, or a list of up to three");
  if (node == nullptr) return {};
  if (node->is_map() || (node->is_sequence() && (node->items.empty() || node->items.size() > 3))) {
    diagnostics.error(node->where, fmt::format("'{}' takes one to three numbers", key));
    return {};
  }
  return read_expressions(*node, key, diagnostics);
}

void read_launch(const YamlNode& node, Pattern& pattern, Diagnostics& diagnostics) {
  const MapReader reader(node, "launch", launch_keys, diagnostics);
  if (!node.is_map()) return;
  pattern.launch.grid = read_extent(reader, "grid", diagnostics);
  pattern.launch.block = read_extent(reader, "block", diagnostics);
  if (auto shared = reader.expression("shared")) pattern.launch.shared = std::move(*shared);
}

constexpr const char* useful_help =
    "the bytes the algorithm needs: {read: ..., write: ...} or {shared: ...}";

void read_useful(const YamlNode& node, Pattern& pattern, Diagnostics& diagnostics) {
  if (node.is_scalar()) {
    if (auto read = read_expression(node, "useful", diagnostics)) {
      pattern.useful.read = std::move(*read);
    }
    return;
  }
  const MapReader reader(node, "useful", useful_keys, diagnostics);
  if (node.is_map() && node.entries.empty()) {
    diagnostics.error(node.where, "'useful' is empty", useful_help);
  }
  if (auto read = reader.expression("read")) pattern.useful.read = std::move(*read);
  if (auto write = reader.expression("write")) pattern.useful.write = std::move(*write);
  if (auto shared = reader.expression("shared")) pattern.useful.shared = std::move(*shared);
}

constexpr const char* verify_help =
    "a CUDA expression that holds for every element i after one launch";

void read_verify(const YamlNode& node, Pattern& pattern, Diagnostics& diagnostics) {
  std::vector<std::string> buffers;
  for (const Buffer& buffer : pattern.buffers) buffers.push_back(buffer.name);
  const auto add = [&](const std::string& buffer, const YamlNode& condition) {
    if (auto cuda = read_cuda(condition, "verify", diagnostics)) {
      pattern.verify.push_back({buffer, std::move(*cuda)});
    }
  };
  if (buffers.empty()) return;
  if (node.is_sequence() || (node.is_map() && node.entries.empty())) {
    diagnostics.error(node.where, "'verify' must be an expression, or one for each buffer's name",
                      verify_help);
  } else if (node.is_scalar() && buffers.size() > 1) {
    diagnostics.error(node.where, "'verify' must say which buffer's elements it runs over",
                      fmt::format("write verify: {{{}: \"...\"}}", buffers.back()));
  } else if (node.is_scalar()) {
    add(buffers.front(), node);
  }
  for_each_entry(node, [&](const YamlNode& buffer, const YamlNode& condition) {
    if (std::ranges::find(buffers, buffer.text) != buffers.end()) {
      add(buffer.text, condition);
    } else {
      diagnostics.error(buffer.where, fmt::format("there is no buffer '{}'", buffer.text),
                        suggest(buffer.text, buffers, "the buffers are"));
    }
  });
}

std::string read_family(const YamlNode& node, Diagnostics& diagnostics) {
  std::string family = read_text(node, "family", diagnostics).value_or(std::string());
  if (!node.is_scalar()) return family;
  const std::string_view reason = why_not_a_family(family);
  if (!reason.empty()) {
    diagnostics.error(
        node.where, fmt::format("'family' {}", reason),
        fmt::format("for example family: coalescing; there are: {}; or a name of your own",
                    fmt::join(known_families(), ", ")));
  }
  return family;
}

/// Reads the names an expression can use.
void read_names(const MapReader& reader, Pattern& pattern, HeaderGaps& gaps,
                Diagnostics& diagnostics) {
  if (const YamlNode* parameters = reader.find("parameters")) {
    const auto read = [&](const YamlNode& key, const YamlNode& value) {
      read_parameter(key, value, pattern, gaps, diagnostics);
    };
    if (!read_entries(*parameters, "parameters", "BLOCK: {default: 256, min: 32}", diagnostics,
                      read)) {
      gaps.names = true;
    }
  }
  if (const YamlNode* structs = reader.find("structs")) {
    const auto read = [&](const YamlNode& key, const YamlNode& value) {
      auto size = read_expression(value, key.text, diagnostics);
      if (!size) gaps.unknown_kinds.push_back(key.text);
      pattern.structs.push_back({key.text, std::move(size).value_or(zero()), key.where});
    };
    if (!read_entries(*structs, "structs", "Particle: 24", diagnostics, read)) gaps.names = true;
  }
}

/// Reads what the kernel is called with.
void read_kernel_parameters(const MapReader& reader, Pattern& pattern, HeaderGaps& gaps,
                            Diagnostics& diagnostics) {
  constexpr const char* help = "data: {type: float, length: N, init: \"i\"}";
  const auto read = [&](const YamlNode& key, const YamlNode& value) {
    read_buffer(key, value, pattern, diagnostics);
  };
  const YamlNode* buffers = reader.require("buffers", help);
  if (buffers == nullptr || !read_entries(*buffers, "buffers", help, diagnostics, read)) {
    gaps.kernel_parameters = true;
  } else if (pattern.buffers.empty()) {
    diagnostics.error(buffers->where, "a pattern needs at least one buffer", help);
    gaps.kernel_parameters = true;
  }
  if (const YamlNode* arguments = reader.find("arguments")) {
    const auto read_one = [&](const YamlNode& key, const YamlNode& value) {
      read_argument(key, value, pattern, diagnostics);
    };
    if (!read_entries(*arguments, "arguments", "n: {type: int32_t, value: N}", diagnostics,
                      read_one)) {
      gaps.kernel_parameters = true;
    }
  }
}

}  // namespace

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
    diagnostics.error(file, "this is not a pattern: it does not start with a header comment",
                      header_example);
    return std::nullopt;
  }
  const std::size_t close = text.find("*/", at + 2);
  const auto line = static_cast<std::size_t>(
      std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1);
  const Location comment{source, line, at - offset_of_line(text, line) + 1, 2};
  if (close == std::string_view::npos) {
    diagnostics.error(comment, "this comment is never closed", "end the header with */");
    return std::nullopt;
  }
  constexpr std::string_view mark = "pattern:";
  const std::size_t word = text.find_first_not_of(" \t\r\n", at + 2);
  if (!text.substr(word).starts_with(mark)) {
    diagnostics.error(comment,
                      "this is not a pattern: its first comment does not start with 'pattern:'",
                      header_example);
    return std::nullopt;
  }
  return PatternLayout{word + mark.size(), close, close + 2, comment};
}

bool HeaderGaps::concern(const Expression& expression) const {
  return names || std::ranges::any_of(expression.names(), [&](const std::string& name) {
           return std::ranges::find(unknown_kinds, name) != unknown_kinds.end();
         });
}

HeaderGaps read_header(const YamlNode& header, Pattern& pattern, Diagnostics& diagnostics) {
  HeaderGaps gaps;
  const MapReader reader(header, "the pattern's header", pattern_keys, diagnostics);
  if (!header.is_map()) return {true, true, {}};
  pattern.summary = reader.text("summary");
  pattern.help = reader.text("help");
  pattern.reference = reader.text("reference");
  if (const YamlNode* family = reader.find("family")) {
    pattern.family = read_family(*family, diagnostics);
  }
  read_names(reader, pattern, gaps, diagnostics);
  if (const YamlNode* require = reader.find("require")) {
    pattern.require = read_expressions(*require, "require", diagnostics);
  }
  read_kernel_parameters(reader, pattern, gaps, diagnostics);
  const YamlNode* launch = reader.require("launch", "launch: {grid: N / BLOCK, block: BLOCK}");
  if (launch != nullptr) read_launch(*launch, pattern, diagnostics);
  const YamlNode* useful = reader.require("useful", useful_help);
  if (useful != nullptr) read_useful(*useful, pattern, diagnostics);
  const YamlNode* verify = reader.require("verify", verify_help);
  if (verify != nullptr) read_verify(*verify, pattern, diagnostics);
  return gaps;
}

std::optional<double> launch_blocks(const std::string& pattern_text, const Bindings& parameters) {
  try {
    Diagnostics ignored;
    const auto source = std::make_shared<Source>(Source{"the stored pattern", pattern_text});
    const auto layout = find_header(source, ignored);
    if (!layout) return std::nullopt;
    const auto header = read_yaml(source, layout->header_begin, layout->header_end, ignored);
    if (!header || !header->is_map()) return std::nullopt;
    const auto pattern = std::make_shared<Pattern>();
    read_header(*header, *pattern, ignored);
    if (pattern->launch.grid.empty()) return std::nullopt;
    const Bindings environment = environment_of(Configuration{pattern, parameters});
    double blocks = 1;
    for (const Expression& extent : pattern->launch.grid) {
      blocks *= static_cast<double>(extent.evaluate_integer(environment));
    }
    return blocks > 0 ? std::optional(blocks) : std::nullopt;
  } catch (const std::exception&) {
    return std::nullopt;  // A database may hold anything.
  }
}

}  // namespace sweep
