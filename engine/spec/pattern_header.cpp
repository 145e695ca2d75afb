#include "engine/spec/pattern_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <exception>
#include <memory>

#include "engine/spec/keys.h"
#include "engine/spec/map_reader.h"
#include "engine/spec/pattern.h"
#include "engine/spec/sweep.h"
#include "engine/text/diagnostic.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

const char* const header_example =
    "a pattern file starts with /* pattern: and YAML that describes the kernel; "
    "'sweep show pattern stride' prints an example";

constexpr const char* useful_help =
    "the bytes the algorithm needs: {read: ..., write: ...} or {shared: ...}";
constexpr const char* verify_help =
    "a CUDA expression that holds for every element i after one launch";

class HeaderReader {
 public:
  HeaderReader(Pattern& pattern, Diagnostics& diagnostics)
      : pattern_(pattern), diagnostics_(diagnostics) {}

  HeaderGaps read(const YamlNode& header) {
    const MapReader reader(header, "the pattern's header", pattern_keys, diagnostics_);
    if (!header.is_map()) return {true, true, {}};
    pattern_.summary = reader.text("summary");
    pattern_.help = reader.text("help");
    pattern_.reference = reader.text("reference");
    if (const YamlNode* family = reader.find("family")) read_family(*family);
    gaps_.names |= !read_entries(reader.find("parameters"), "parameters",
                                 "BLOCK: {default: 256, min: 32}", &HeaderReader::read_parameter);
    gaps_.names |= !read_entries(reader.find("structs"), "structs", "Particle: 24",
                                 &HeaderReader::read_struct);
    if (const YamlNode* require = reader.find("require")) {
      pattern_.require = read_expressions(*require, "require", diagnostics_);
    }
    read_kernel_parameters(reader);
    const YamlNode* launch = reader.require("launch", "launch: {grid: N / BLOCK, block: BLOCK}");
    if (launch != nullptr) read_launch(*launch);
    const YamlNode* useful = reader.require("useful", useful_help);
    if (useful != nullptr) read_useful(*useful);
    const YamlNode* verify = reader.require("verify", verify_help);
    if (verify != nullptr) read_verify(*verify);
    return std::move(gaps_);
  }

 private:
  using EntryReader = void (HeaderReader::*)(const YamlNode& key, const YamlNode& value);

  /// Reads each entry of the map under `key`, if there is one; false, with a message, for another
  /// node.
  bool read_entries(const YamlNode* node, std::string_view key, const char* help,
                    EntryReader read_entry) {
    if (node == nullptr) return true;
    if (!node->is_map()) {
      diagnostics_.error(node->where, fmt::format("'{}' must be a map of names", key), help);
      return false;
    }
    for_each_entry(*node, [&](const YamlNode& name, const YamlNode& value) {
      (this->*read_entry)(name, value);
    });
    return true;
  }

  void read_family(const YamlNode& node) {
    pattern_.family = read_text(node, "family", diagnostics_).value_or(std::string());
    const std::string_view reason = why_not_a_family(pattern_.family);
    if (!node.is_scalar() || reason.empty()) return;
    diagnostics_.error(
        node.where, fmt::format("'family' {}", reason),
        fmt::format("for example family: coalescing; there are: {}; or a name of your own",
                    fmt::join(known_families(), ", ")));
  }

  /// The bounds `min` and `max`, which cannot name parameters.
  std::optional<std::int64_t> read_bound(const MapReader& reader, std::string_view key) {
    const auto expression = reader.expression(key);
    if (!expression) return std::nullopt;
    if (const auto names = expression->names(); !names.empty()) {
      diagnostics_.error(
          expression->where(),
          fmt::format("'{}' must be a number: it cannot name '{}'", key, names.front()),
          "a condition over several parameters stands under require:");
      return std::nullopt;
    }
    if (!check_kind(*expression, Scope(), ValueKind::integer, fmt::format("'{}'", key),
                    diagnostics_)) {
      return std::nullopt;
    }
    const auto value = read_constant(*expression, diagnostics_);
    return value ? std::optional(std::get<std::int64_t>(*value)) : std::nullopt;
  }

  /// The type that a map says, or the kind of a default such as `true`, `float` or `64 Mi`, which
  /// may use the parameters before.
  std::optional<ValueKind> kind_of_parameter(const YamlNode* type,
                                             const std::optional<Expression>& value) {
    if (type != nullptr) {
      std::array<std::string_view, parameter_types.size()> names;
      std::ranges::transform(parameter_types, names.begin(), &ParameterType::name);
      const auto chosen =
          read_choice(*type, "type", names, "a type of parameter", "the types are", diagnostics_);
      if (chosen) return parameter_types.at(*chosen).kind;
    }
    if (!value || gaps_.concern(*value)) return std::nullopt;
    Diagnostics ignored;
    return value->check(scope_of(pattern_), ignored);
  }

  void read_parameter(const YamlNode& key, const YamlNode& node) {
    Parameter parameter{key.text};
    parameter.where = key.where;
    std::optional<Expression> value;
    const YamlNode* type = nullptr;
    if (node.is_scalar()) {
      value = read_expression(node, key.text, diagnostics_);
    } else {
      const MapReader reader(node, fmt::format("the parameter '{}'", key.text), parameter_keys,
                             diagnostics_);
      if (node.is_map()) {
        reader.require(
            "default",
            "for example default: 256, which sweeps that do not name the parameter take");
      }
      value = reader.expression("default");
      type = reader.find("type");
      parameter.min = read_bound(reader, "min");
      parameter.max = read_bound(reader, "max");
      if (const YamlNode* figure = reader.find("device")) {
        const auto names = device_figure_names();
        const auto chosen = read_choice(*figure, "device", names, "a figure of the device",
                                        "the figures are", diagnostics_);
        if (chosen) parameter.device = names[*chosen];
      }
      parameter.help = reader.text("help");
    }
    auto kind = kind_of_parameter(type, value);
    if (kind == ValueKind::word) {
      diagnostics_.error(value->where(), fmt::format("the default of '{}' must be an integer, a "
                                                     "boolean or an element type",
                                                     key.text));
      kind.reset();
    }
    if (!kind) gaps_.unknown_kinds.push_back(key.text);
    parameter.kind = kind.value_or(ValueKind::integer);
    if (value) parameter.default_value = std::move(*value);
    pattern_.parameters.push_back(std::move(parameter));
  }

  void read_struct(const YamlNode& key, const YamlNode& value) {
    auto size = read_expression(value, key.text, diagnostics_);
    if (!size) gaps_.unknown_kinds.push_back(key.text);
    pattern_.structs.push_back({key.text, std::move(size).value_or(Expression()), key.where});
  }

  /// Reads what the kernel is called with.
  void read_kernel_parameters(const MapReader& reader) {
    constexpr const char* help = "data: {type: float, length: N, init: \"i\"}";
    const YamlNode* buffers = reader.require("buffers", help);
    gaps_.kernel_parameters =
        buffers == nullptr || !read_entries(buffers, "buffers", help, &HeaderReader::read_buffer);
    if (!gaps_.kernel_parameters && pattern_.buffers.empty()) {
      diagnostics_.error(buffers->where, "a pattern needs at least one buffer", help);
      gaps_.kernel_parameters = true;
    }
    gaps_.kernel_parameters |=
        !read_entries(reader.find("arguments"), "arguments", "n: {type: int32_t, value: N}",
                      &HeaderReader::read_argument);
  }

  /// A type's name and its place, if there is one.
  void read_type(const MapReader& reader, std::string& type, Location& where) {
    const YamlNode* node = reader.find("type");
    if (node == nullptr) return;
    type = read_text(*node, "type", diagnostics_).value_or(std::string());
    where = node->where;
  }

  std::optional<CudaExpression> read_cuda(const YamlNode& node, std::string_view what) {
    const auto text = read_text(node, what, diagnostics_);
    if (!text) return std::nullopt;
    if (text->find_first_not_of(" \t\r\n") == std::string::npos) {
      diagnostics_.error(node.where, fmt::format("'{}' is empty", what));
      return std::nullopt;
    }
    if (node.raw.empty()) return CudaExpression{*text, node.where};
    // Line breaks mean nothing to CUDA, and with them every message finds its line.
    CudaExpression cuda{node.raw, node.where};
    cuda.where.exact = true;
    return cuda;
  }

  void read_buffer(const YamlNode& key, const YamlNode& node) {
    Buffer& buffer = pattern_.buffers.emplace_back(Buffer{key.text});
    buffer.where = buffer.type_where = key.where;
    const MapReader reader(node, fmt::format("the buffer '{}'", key.text), buffer_keys,
                           diagnostics_);
    if (node.is_map()) {
      reader.require("type",
                     "for example type: float, or a parameter of type element, or a struct");
      reader.require("length", "the number of elements, for example length: N");
    }
    read_type(reader, buffer.type, buffer.type_where);
    if (auto length = reader.expression("length")) buffer.length = std::move(*length);
    if (const YamlNode* init = reader.find("init")) buffer.init = read_cuda(*init, "init");
  }

  void read_argument(const YamlNode& key, const YamlNode& node) {
    Argument& argument = pattern_.arguments.emplace_back(Argument{key.text});
    argument.where = argument.type_where = key.where;
    const MapReader reader(node, fmt::format("the argument '{}'", key.text), argument_keys,
                           diagnostics_);
    if (node.is_map()) {
      argument.type = "int32_t";
      reader.require("value", "an expression, for example value: N");
    }
    read_type(reader, argument.type, argument.type_where);
    const YamlNode* value = reader.find("value");
    const bool is_floating = argument.type == "float" || argument.type == "double";
    const bool has_point = value != nullptr && value->text.find('.') != std::string::npos;
    if (is_floating && has_point) argument.decimal = parse_decimal(value->text);
    if (argument.decimal) return;
    if (auto expression = reader.expression("value")) argument.value = std::move(*expression);
  }

  std::vector<Expression> read_extent(const MapReader& reader, std::string_view key) {
    const YamlNode* node = reader.require(key, "one number, or a list of up to three");
    if (node == nullptr) return {};
    if (node->is_map() ||
        (node->is_sequence() && (node->items.empty() || node->items.size() > 3))) {
      diagnostics_.error(node->where, fmt::format("'{}' takes one to three numbers", key));
      return {};
    }
    return read_expressions(*node, key, diagnostics_);
  }

  void read_launch(const YamlNode& node) {
    const MapReader reader(node, "launch", launch_keys, diagnostics_);
    if (!node.is_map()) return;
    pattern_.launch.grid = read_extent(reader, "grid");
    pattern_.launch.block = read_extent(reader, "block");
    if (auto shared = reader.expression("shared")) pattern_.launch.shared = std::move(*shared);
  }

  void read_useful(const YamlNode& node) {
    UsefulBytes& useful = pattern_.useful;
    if (node.is_scalar()) {
      if (auto read = read_expression(node, "useful", diagnostics_)) useful.read = *read;
      return;
    }
    const MapReader reader(node, "useful", useful_keys, diagnostics_);
    if (node.is_map() && node.entries.empty()) {
      diagnostics_.error(node.where, "'useful' is empty", useful_help);
    }
    if (auto read = reader.expression("read")) useful.read = std::move(*read);
    if (auto write = reader.expression("write")) useful.write = std::move(*write);
    if (auto shared = reader.expression("shared")) useful.shared = std::move(*shared);
  }

  void read_verify(const YamlNode& node) {
    std::vector<std::string> buffers;
    for (const Buffer& buffer : pattern_.buffers) buffers.push_back(buffer.name);
    const auto add = [&](const std::string& buffer, const YamlNode& condition) {
      if (auto cuda = read_cuda(condition, "verify")) {
        pattern_.verify.push_back({buffer, std::move(*cuda)});
      }
    };
    if (buffers.empty()) return;
    if (node.is_sequence() || (node.is_map() && node.entries.empty())) {
      diagnostics_.error(
          node.where, "'verify' must be an expression, or one for each buffer's name", verify_help);
    } else if (node.is_scalar() && buffers.size() > 1) {
      diagnostics_.error(node.where, "'verify' must say which buffer's elements it runs over",
                         fmt::format("write verify: {{{}: \"...\"}}", buffers.back()));
    } else if (node.is_scalar()) {
      add(buffers.front(), node);
    }
    for_each_entry(node, [&](const YamlNode& buffer, const YamlNode& condition) {
      if (std::ranges::find(buffers, buffer.text) != buffers.end()) {
        add(buffer.text, condition);
      } else {
        diagnostics_.error(buffer.where, fmt::format("there is no buffer '{}'", buffer.text),
                           suggest(buffer.text, buffers, "the buffers are"));
      }
    });
  }

  Pattern& pattern_;
  Diagnostics& diagnostics_;
  HeaderGaps gaps_;
};

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
  const Location comment = location_at(source, at, 2);
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
  return HeaderReader(pattern, diagnostics).read(header);
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
