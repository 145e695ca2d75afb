#include "engine/spec/pattern_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <limits>
#include <memory>

#include "engine/spec/compile_rules.h"
#include "engine/spec/keys.h"
#include "engine/spec/map_reader.h"
#include "engine/spec/pattern.h"
#include "engine/spec/place.h"
#include "engine/spec/step_reader.h"
#include "engine/spec/sweep.h"
#include "engine/spec/value_words.h"
#include "engine/text/characters.h"
#include "engine/text/diagnostic.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

/// Of names in namespaces.
constexpr std::string_view name_characters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_:";

constexpr const char* useful_help =
    "the bytes the algorithm needs: {read: ..., write: ...} or {shared: ...}";
constexpr const char* verify_help =
    "a CUDA expression that holds for every element i after one launch";

class HeaderReader : private StepReader {
 public:
  HeaderReader(Pattern& pattern, Diagnostics& diagnostics) : StepReader(pattern, diagnostics) {}

  HeaderReading read(const YamlNode& header) {
    const MapReader reader(header, "the pattern's header", pattern_keys, diagnostics_);
    pattern_.summary = reader.text("summary");
    pattern_.help = reader.text("help");
    pattern_.origin = reader.text("origin");
    if (const YamlNode* family = reader.find("family")) read_family(*family);
    read_names(reader.find("parameters"), reader.find("structs"));
    pattern_.require = read_expressions(reader.find("require"), "require", diagnostics_);
    for (const Expression& condition : pattern_.require) {
      if (is_blameless(condition)) continue;
      check_kind(condition, scope_, ValueKind::boolean, "a requirement", diagnostics_,
                 "write a comparison");
    }
    read_kernel_parameters(reader);
    read_compile_rules(reader.map("compile", compile_keys), pattern_, diagnostics_);
    if (const YamlNode* steps = reader.find("steps")) {
      read_steps(*steps, reader);
    } else {
      reader.require("launch", "launch: {grid: N / BLOCK, block: BLOCK}");
      read_launch(reader.map("launch", launch_keys), pattern_.steps.front().launch);
    }
    read_entries(reader.find("constants"), "constants", "weights: {init: \"1.0f / (i + 1)\"}",
                 diagnostics_, std::bind_front(&HeaderReader::read_constant, this));
    const YamlNode* useful = reader.require("useful", useful_help);
    if (useful != nullptr) read_useful(*useful, reader);
    if (const YamlNode* reference = reader.find("reference")) read_reference(*reference, reader);
    const YamlNode* verify =
        has_reference_ ? reader.find("verify") : reader.require("verify", verify_help);
    if (verify != nullptr) read_verify(*verify);
    read_metrics(reader.find("metrics"));
    return std::move(reading_);
  }

 private:
  void read_family(const YamlNode& node) {
    pattern_.family = read_text(node, "family", diagnostics_).value_or(std::string());
    const std::string_view reason = why_not_a_family(pattern_.family);
    if (!node.is_scalar() || reason.empty()) return;
    diagnostics_.error(
        node.where, fmt::format("'family' {}", reason),
        fmt::format("for example family: coalescing; there are: {}; or a name of your own",
                    fmt::join(known_families, ", ")));
  }

  /// Reads the names an expression can use.
  void read_names(const YamlNode* parameters, const YamlNode* structs) {
    for (const YamlNode* node : {parameters, structs}) {
      lacks_names_ |= node != nullptr && !node->is_map();
    }
    if (parameters != nullptr) {
      for (const auto& [name, value] : parameters->entries) declared_.push_back(name.text);
    }
    read_entries(parameters, "parameters", "BLOCK: {default: 256, min: 32}", diagnostics_,
                 std::bind_front(&HeaderReader::read_parameter, this));
    read_entries(structs, "structs", "Particle: 24", diagnostics_,
                 std::bind_front(&HeaderReader::read_struct, this));
  }

  /// The bounds `min` and `max`, which cannot name parameters.
  std::optional<std::int64_t> read_bound(const MapReader& reader, std::string_view key) {
    const auto expression = reader.expression(key);
    if (!expression) return std::nullopt;
    const auto names = expression->names();
    if (names.empty()) return reader.integer(key);
    return diagnostics_.error(
        expression->where(),
        fmt::format("'{}' must be a number: it cannot name '{}'", key, names[0]),
        "a condition over several parameters stands under require:");
  }

  void check_default(const std::string& parameter, const Expression& value,
                     std::optional<ValueKind> kind) {
    const std::string what = fmt::format("the default of '{}'", parameter);
    for (const std::string& name : value.names()) {
      if (scope_.kind_of(name) || !is_among(declared_, name)) continue;
      diagnostics_.error(value.where(),
                         fmt::format("{} uses '{}', which is not declared before it", what, name));
      return;
    }
    if (is_blameless(value)) return;
    if (kind) {
      check_kind(value, scope_, *kind, what, diagnostics_,
                 kind == ValueKind::boolean ? "write true, false or a comparison" : "");
    } else {
      value.check(scope_, diagnostics_);
    }
  }

  void check_bounds(const Parameter& parameter) {
    const auto refuse = [&](const char* why) {
      diagnostics_.error(parameter.where,
                         fmt::format("'{}' is {}: {}", parameter.name, describe(parameter), why));
    };
    const bool is_integer = parameter.kind == ValueKind::integer;
    if (!is_integer && (parameter.min || parameter.max)) refuse("it has no min or max");
    if (!is_integer && !parameter.device.empty()) refuse("a figure of the device is an integer");
    if (!is_integer && is_among(have_words_, parameter.name)) {
      refuse("'values' says what integers stand for");
    }
    if (parameter.min && parameter.max && *parameter.min > *parameter.max) {
      diagnostics_.error(parameter.where,
                         fmt::format("the min of '{}' is above its max", parameter.name));
    }
  }

  void read_parameter(const YamlNode& key, const YamlNode& node) {
    check_name(key.text, key.where);
    Parameter parameter{key.text};
    parameter.where = key.where;
    std::optional<Expression> value;
    std::optional<ValueKind> kind;
    if (node.is_scalar()) {
      value = read_expression(node, key.text, diagnostics_);
    } else {
      const MapReader reader(node, fmt::format("the parameter '{}'", key.text), parameter_keys,
                             diagnostics_);
      reader.require("default",
                     "for example default: 256, which sweeps that do not name the parameter take");
      value = reader.expression("default");
      const auto type =
          reader.choice("type", parameter_types, "a type of parameter", "the types are");
      if (type) kind = parameter_kinds.at(*type);
      parameter.min = read_bound(reader, "min");
      parameter.max = read_bound(reader, "max");
      const auto figure =
          reader.choice("device", device_figure_names, "a figure of the device", "the figures are");
      if (figure) parameter.device = device_figure_names.at(*figure);
      parameter.help = reader.text("help");
      if (!read_value_words(reader.find("values"), diagnostics_).empty()) {
        have_words_.push_back(key.text);
      }
      if (kind == ValueKind::word && value) {
        read_default_place(*value, std::move(parameter));
        return;
      }
    }
    // A default such as `true`, `float` or `64 Mi` has a kind, and may use the parameters before.
    Diagnostics ignored;
    if (!kind && value && !is_blameless(*value)) kind = value->check(scope_, ignored);
    if (kind == ValueKind::word) {
      diagnostics_.error(value->where(), fmt::format("the default of '{}' must be an integer, a "
                                                     "boolean or an element type",
                                                     key.text));
      kind.reset();
    }
    parameter.kind = kind.value_or(ValueKind::integer);
    if (value) check_default(key.text, *value, kind);
    if (!kind) unknown_kinds_.push_back(key.text);
    if (kind && !lacks_names_) check_bounds(parameter);
    if (value) parameter.default_value = std::move(*value);
    scope_.add(parameter.name, parameter.kind);
    pattern_.parameters.push_back(std::move(parameter));
  }

  /// The default of a parameter of type place is a place's name.
  void read_default_place(const Expression& value, Parameter parameter) {
    parameter.kind = ValueKind::word;
    if (!find_place(value.text())) {
      diagnostics_.error(value.where(), fmt::format("'{}' is not a place", value.text()),
                         suggest(value.text(), known_places(), "the places are"));
    }
    check_bounds(parameter);
    parameter.default_value = Expression::constant(value.text());
    scope_.add(parameter.name, parameter.kind);
    pattern_.parameters.push_back(std::move(parameter));
  }

  void read_struct(const YamlNode& key, const YamlNode& value) {
    check_name(key.text, key.where, true);
    const auto size = read_expression(value, key.text, diagnostics_);
    if (!size) unknown_kinds_.push_back(key.text);
    if (size && !is_blameless(*size)) {
      check_kind(*size, scope_, ValueKind::integer, fmt::format("the size of '{}'", key.text),
                 diagnostics_);
    }
    pattern_.structs.push_back({key.text, size.value_or(Expression()), key.where});
    scope_.add(pattern_.structs.back().size_name(), ValueKind::integer);
  }

  /// Reads what the kernel is called with.
  void read_kernel_parameters(const MapReader& reader) {
    constexpr const char* help = "data: {type: float, length: N, init: \"i\"}";
    const YamlNode* buffers = reader.require("buffers", help);
    reading_.lacks_kernel_parameters =
        buffers == nullptr || !read_entries(buffers, "buffers", help, diagnostics_,
                                            std::bind_front(&HeaderReader::read_buffer, this));
    if (!reading_.lacks_kernel_parameters && pattern_.buffers.empty()) {
      diagnostics_.error(buffers->where, "a pattern needs at least one buffer", help);
      reading_.lacks_kernel_parameters = true;
    }
    Step& step = pattern_.steps.front();
    const bool is_listed = read_kernel(reader, step);
    if (is_listed) return;
    const YamlNode* arguments = reader.find("arguments");
    reading_.lacks_kernel_parameters |=
        !read_entries(arguments, "arguments", "n: {type: int32_t, value: N}", diagnostics_,
                      std::bind_front(&HeaderReader::read_argument, this));
    if (!step.kernel.text.empty()) list_parameters(step);
  }

  /// Where the variable is, and of what type, the compiler knows.
  void read_constant(const YamlNode& key, const YamlNode& node) {
    // A template's may have arguments: mask<T>.
    const std::string_view name = key.text;
    const std::size_t angle = std::min(name.find('<'), name.size());
    if (angle == 0 || is_digit(name.front()) || name.ends_with('>') != (angle < name.size()) ||
        name.substr(0, angle).find_first_not_of(name_characters) != std::string_view::npos) {
      diagnostics_.error(key.where, fmt::format("'{}' names no variable", name),
                         "write its name, with its namespaces: filters::weights");
    }
    const MapReader reader(node, fmt::format("the constant '{}'", name), constant_keys,
                           diagnostics_);
    const YamlNode* init = reader.require("init", "element i's value: init: \"1.0f / (i + 1)\"");
    if (init == nullptr) return;
    if (auto cuda = read_cuda(*init, "init", diagnostics_)) {
      pattern_.constants.push_back({{key.text, key.where}, std::move(*cuda)});
    }
  }

  /// A type's name and its place, if there is one.
  void read_type(const MapReader& reader, std::string& type, Location& where) {
    const YamlNode* node = reader.find("type");
    if (node == nullptr) return;
    type = read_text(*node, "type", diagnostics_).value_or(std::string());
    where = node->where;
  }

  void read_buffer(const YamlNode& key, const YamlNode& node) {
    check_name(key.text, key.where);
    Buffer& buffer = pattern_.buffers.emplace_back(Buffer{key.text});
    buffer.where = buffer.type_where = key.where;
    const MapReader reader(node, fmt::format("the buffer '{}'", key.text), buffer_keys,
                           diagnostics_);
    reader.require("type", "for example type: float, or a parameter of type element, or a struct");
    reader.require("length", "the number of elements, for example length: N");
    read_type(reader, buffer.type, buffer.type_where);
    check_type(buffer);
    take(reader.expression("length"), fmt::format("the length of '{}'", buffer.name), 1,
         buffer.length);
    if (const YamlNode* place = reader.find("place")) read_place(*place, buffer);
    if (auto peer = reader.expression("peer")) {
      take(std::move(peer), fmt::format("the peer of '{}'", buffer.name), 1, buffer.peer);
    }
    const YamlNode* init = reader.find("init");
    if (init == nullptr) return;
    if (!init->is_map()) {
      buffer.init = read_cuda(*init, "init", diagnostics_);
      return;
    }
    const MapReader of_file = reader.map("init", data_file_keys);
    of_file.require("file", "for example init: {file: weights.npy}");
    if (is_known_type(buffer.type)) {
      buffer.file = read_data_keys(of_file, known_types(), diagnostics_);
    } else if (reading_.mistyped.empty()) {
      diagnostics_.error(init->where, fmt::format("the size of '{}' is not known", buffer.type),
                         fmt::format("give it: structs: {{{}: BYTES}}", buffer.type));
    }
  }

  /// Those there are, and the parameters so far that stand for one.
  std::vector<std::string> known_places() const {
    std::vector<std::string> known(place_names.begin(), place_names.end());
    for (const Parameter& parameter : pattern_.parameters) {
      if (parameter.kind == ValueKind::word) known.push_back(parameter.name);
    }
    return known;
  }

  /// A place's name, or an expression that comes to one.
  void read_place(const YamlNode& node, Buffer& buffer) {
    const auto text = read_text(node, "place", diagnostics_);
    if (!text) return;
    if (find_place(*text)) {
      buffer.place = Expression::constant(*text);
      return;
    }
    const auto place = Expression::parse(*text, node.where, diagnostics_);
    if (!place || is_blameless(*place)) return;
    const bool is_unknown_word = place->root().operation == Operation::name &&
                                 !scope_.kind_of(*text) && !ElementType::find(*text);
    Diagnostics ignored;
    if (!is_unknown_word && place->check(scope_, ignored) == ValueKind::word) {
      buffer.place = *place;
      return;
    }
    if (!is_unknown_word && !place->check(scope_, diagnostics_)) return;
    diagnostics_.error(node.where, fmt::format("'{}' is not a place", *text),
                       suggest(*text, known_places(), "the places are"));
  }

  /// Also where that is not to be told.
  bool is_known_type(const std::string& type) const {
    return type.empty() || lacks_names_ || ElementType::find(type) || is_among(known_types(), type);
  }

  void check_type(const Buffer& buffer) {
    if (is_known_type(buffer.type) || pattern_.may_declare(buffer.type)) return;
    const std::string meant = did_you_mean(buffer.type, known_types());
    // Headers of the toolkit have types, too.
    if (meant.empty() && !pattern_.included.foreign.empty() &&
        why_not_a_name(buffer.type).empty()) {
      return;
    }
    reading_.mistyped.push_back(buffer.name);
    diagnostics_.error(
        buffer.type_where,
        fmt::format("the buffer '{}' has the unknown type '{}'", buffer.name, buffer.type),
        meant.empty()
            ? "it is no element type, and neither the pattern nor a file that it includes "
              "has a type of that name"
            : meant);
  }

  void check_type(const Argument& argument) {
    const auto type = ElementType::find(argument.type);
    const bool is_scalar = type && type->header() == nullptr && !type->is_vector();
    if (argument.type.empty() || is_scalar) return;
    reading_.mistyped.push_back(argument.name);
    diagnostics_.error(argument.type_where,
                       fmt::format("'{}' is not a type that an argument can have", argument.type),
                       "use an integer type, bool, float or double");
  }

  void read_argument(const YamlNode& key, const YamlNode& node) {
    check_name(key.text, key.where);
    Argument& argument = pattern_.arguments.emplace_back(Argument{key.text});
    argument.where = argument.type_where = key.where;
    const MapReader reader(node, fmt::format("the argument '{}'", key.text), argument_keys,
                           diagnostics_);
    if (node.is_map()) argument.type = "int32_t";
    reader.require("value", "an expression, for example value: N");
    read_type(reader, argument.type, argument.type_where);
    check_type(argument);
    const YamlNode* value = reader.find("value");
    const bool is_floating = argument.type == "float" || argument.type == "double";
    const bool has_point = value != nullptr && value->text.find('.') != std::string::npos;
    if (is_floating && has_point) argument.decimal = parse_decimal(value->text);
    if (argument.decimal) return;
    if (argument.type == "bool") {
      const auto truth = reader.expression("value");
      if (truth && !is_blameless(*truth)) {
        check_kind(*truth, scope_, ValueKind::boolean, "a bool", diagnostics_,
                   "write true, false or a comparison");
      }
      argument.value = truth.value_or(Expression());
      return;
    }
    take(reader.expression("value"), fmt::format("the value of '{}'", argument.name),
         std::numeric_limits<std::int64_t>::min(), argument.value);
  }

  void read_useful(const YamlNode& node, const MapReader& header) {
    UsefulBytes& useful = pattern_.useful;
    if (node.is_scalar()) {
      take(read_expression(node, "useful", diagnostics_), "useful read", 0, useful.read);
      return;
    }
    const MapReader reader = header.map("useful", useful_keys);
    if (node.is_map() && node.entries.empty()) {
      diagnostics_.error(node.where, "'useful' is empty", useful_help);
    }
    take(reader.expression("read"), "useful read", 0, useful.read);
    take(reader.expression("write"), "useful write", 0, useful.write);
    take(reader.expression("shared"), "useful shared", 0, useful.shared);
  }

  void read_verify(const YamlNode& node) {
    std::vector<std::string> buffers;
    for (const Buffer& buffer : pattern_.buffers) buffers.push_back(buffer.name);
    if (buffers.empty()) return;
    const auto add = [&](const YamlNode& buffer, const YamlNode& condition) {
      if (!is_among(buffers, buffer.text)) {
        diagnostics_.error(buffer.where, fmt::format("there is no buffer '{}'", buffer.text),
                           suggest(buffer.text, buffers, "the buffers are"));
      } else if (condition.is_map()) {
        auto comparison = read_comparison(pattern_, buffer.text, condition, known_types(),
                                          has_reference_, diagnostics_);
        if (comparison) pattern_.verify.push_back(std::move(*comparison));
      } else if (has_reference_ && condition.text == "reference") {
        diagnostics_.error(condition.where, "'verify' takes the reference's buffer here",
                           fmt::format("write {{reference: {}}}", buffer.text));
      } else if (auto cuda = read_cuda(condition, "verify", diagnostics_)) {
        pattern_.verify.push_back({buffer.text, std::move(*cuda)});
      }
    };
    if (node.is_sequence() || (node.is_map() && node.entries.empty())) {
      diagnostics_.error(
          node.where, "'verify' must be an expression, or one for each buffer's name", verify_help);
    } else if (node.is_scalar() && buffers.size() > 1) {
      diagnostics_.error(node.where, "'verify' must say which buffer's elements it runs over",
                         fmt::format("write verify: {{{}: \"...\"}}", buffers.back()));
    } else if (node.is_scalar()) {
      YamlNode buffer;
      buffer.text = buffers.front();
      add(buffer, node);
    }
    for_each_entry(node, add);
  }

  void read_metrics(const YamlNode* node) {
    pattern_.metrics = read_own_metrics(node, diagnostics_);
    const bool is_blamed_already = std::ranges::any_of(
        pattern_.metrics, [&](const OwnMetric& metric) { return is_blameless(metric.value); });
    if (!is_blamed_already) check_own_metrics(pattern_.metrics, {}, scope_, diagnostics_);
  }

  std::vector<std::string> declared_;    ///< all parameters
  std::vector<std::string> have_words_;  ///< parameters with `values`
};

}  // namespace

HeaderReading read_header(const YamlNode& header, Pattern& pattern, Diagnostics& diagnostics) {
  return HeaderReader(pattern, diagnostics).read(header);
}

std::optional<double> launch_blocks(const std::string& pattern_text, const Bindings& parameters) {
  try {
    Diagnostics ignored;
    const auto source = std::make_shared<Source>(Source{"the stored pattern", pattern_text});
    const auto layout = find_header(source, ignored);
    const auto header = layout
                            ? read_yaml(source, layout->header_begin, layout->header_end, ignored)
                            : std::nullopt;
    if (!header) return std::nullopt;
    const auto pattern = std::make_shared<Pattern>();
    read_header(*header, *pattern, ignored);
    if (pattern->steps.size() != 1 || !pattern->steps.front().repeat.empty()) return std::nullopt;
    const std::vector<Expression>& grid = pattern->steps.front().launch.grid;
    if (grid.empty()) return std::nullopt;
    const Bindings environment = environment_of(Configuration{pattern, parameters});
    double blocks = 1;
    for (const Expression& extent : grid) {
      blocks *= static_cast<double>(extent.evaluate_integer(environment));
    }
    return blocks > 0 ? std::optional(blocks) : std::nullopt;
  } catch (const std::exception&) {
    return std::nullopt;  // A database may hold anything.
  }
}

}  // namespace sweep
