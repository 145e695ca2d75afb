#include "engine/spec/pattern_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <exception>
#include <limits>
#include <memory>

#include "engine/spec/compile_rules.h"
#include "engine/spec/keys.h"
#include "engine/spec/map_reader.h"
#include "engine/spec/pattern.h"
#include "engine/spec/sweep.h"
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
constexpr const char* steps_help =
    "steps: [{kernel: scan, arguments: [in, out], grid: N / BLOCK, block: BLOCK}]";

class HeaderReader {
 public:
  HeaderReader(Pattern& pattern, Diagnostics& diagnostics)
      : pattern_(pattern), diagnostics_(diagnostics) {}

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
                 &HeaderReader::read_constant);
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

  static bool is_among(const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  }

  /// Whether what is wrong with the expression could be a mistake made elsewhere.
  bool is_blameless(const Expression& expression) const {
    return lacks_names_ || std::ranges::any_of(expression.names(), [&](const std::string& name) {
             return is_among(unknown_kinds_, name);
           });
  }

  /// Keeps an expression that must be an integer.
  void take(std::optional<Expression> expression, std::string what, std::int64_t least,
            Expression& result) {
    if (!expression) return;
    if (!is_blameless(*expression)) {
      check_kind(*expression, scope_, ValueKind::integer, what, diagnostics_);
    }
    result = *expression;
    reading_.figures.push_back({std::move(*expression), std::move(what), least});
  }

  void check_name(const std::string& name, const Location& where, bool is_of_files = false) {
    // What files declare is named already.
    const std::size_t reserved =
        is_of_files ? std::min(name.find_first_not_of('_'), name.size()) : 0;
    const std::string_view reason = why_not_a_name(std::string_view(name).substr(reserved));
    if (!reason.empty() || name == pattern_.name) {
      diagnostics_.error(
          where, fmt::format("'{}' {}", name, reason.empty() ? "is the kernel's name" : reason),
          "choose another name");
    } else if (is_among(reading_.names, name)) {
      diagnostics_.error(where, fmt::format("the name '{}' is used twice", name),
                         "parameters, structs, buffers and arguments share one set of names");
    }
    reading_.names.push_back(name);
  }

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
    read_entries(parameters, "parameters", "BLOCK: {default: 256, min: 32}",
                 &HeaderReader::read_parameter);
    read_entries(structs, "structs", "Particle: 24", &HeaderReader::read_struct);
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
      diagnostics_.error(parameter.where, fmt::format("'{}' is {}: {}", parameter.name,
                                                      describe(parameter.kind), why));
    };
    const bool is_integer = parameter.kind == ValueKind::integer;
    if (!is_integer && (parameter.min || parameter.max)) refuse("it has no min or max");
    if (!is_integer && !parameter.device.empty()) refuse("a figure of the device is an integer");
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
        buffers == nullptr || !read_entries(buffers, "buffers", help, &HeaderReader::read_buffer);
    if (!reading_.lacks_kernel_parameters && pattern_.buffers.empty()) {
      diagnostics_.error(buffers->where, "a pattern needs at least one buffer", help);
      reading_.lacks_kernel_parameters = true;
    }
    Step& step = pattern_.steps.front();
    const bool is_listed = read_kernel(reader, step);
    if (is_listed) return;
    const YamlNode* arguments = reader.find("arguments");
    reading_.lacks_kernel_parameters |= !read_entries(
        arguments, "arguments", "n: {type: int32_t, value: N}", &HeaderReader::read_argument);
    if (!step.kernel.text.empty()) list_parameters(step);
  }

  /// Reads the kernel's name and, if there is a list of them, its arguments; whether there is.
  bool read_kernel(const MapReader& reader, Step& step) {
    if (const YamlNode* kernel = reader.find("kernel")) {
      if (auto name = read_cuda(*kernel, "kernel", diagnostics_)) step.kernel = std::move(*name);
    }
    const YamlNode* arguments = reader.find("arguments");
    if (arguments == nullptr || !arguments->is_sequence()) return false;
    step.arguments = read_items(
        *arguments, [&](const YamlNode& item) { return read_kernel_argument(item, step); });
    return true;
  }

  /// Only the compiler knows the types of the parameters of a kernel that is named.
  void list_parameters(Step& step) const {
    std::vector<KernelArgument>& all = step.arguments.emplace();
    for (const Buffer& buffer : pattern_.buffers) all.push_back({{buffer.name, buffer.where}});
    for (const Argument& scalar : pattern_.arguments) all.push_back({{scalar.name, scalar.where}});
  }

  void read_launch(const MapReader& reader, LaunchShape& launch) {
    launch.grid = read_extent(reader, "grid");
    launch.block = read_extent(reader, "block");
    take(reader.expression("shared"), "shared memory", 0, launch.shared);
    if (reader.find("cluster") != nullptr) launch.cluster = read_extent(reader, "cluster");
    launch.cooperative = reader.expression("cooperative");
    if (!launch.cooperative || is_blameless(*launch.cooperative)) return;
    check_kind(*launch.cooperative, scope_, ValueKind::boolean, "cooperative", diagnostics_,
               "write true, false or a comparison");
  }

  /// Adds an error for each of these keys of a map whose steps have them.
  void refuse_beside_steps(const MapReader& reader, std::initializer_list<const char*> keys) {
    for (const char* key : keys) {
      if (const YamlNode* other = reader.find(key)) {
        diagnostics_.error(other->where, fmt::format("'{}' stands in each of the steps", key),
                           steps_help);
      }
    }
  }

  void read_steps(const YamlNode& node, const MapReader& header) {
    refuse_beside_steps(header, {"kernel", "launch"});
    if (pattern_.steps.front().arguments && node.is_sequence()) {
      diagnostics_.error(header.find("arguments")->where,
                         "a list of arguments stands in each of the steps", steps_help);
    }
    if (std::vector<Step> steps = read_step_list(node); !steps.empty()) {
      pattern_.steps = std::move(steps);
    }
  }

  std::vector<Step> read_step_list(const YamlNode& node) {
    std::vector<Step> steps;
    if (!node.is_sequence() || node.items.empty()) {
      diagnostics_.error(node.where, "'steps' must be a list of launches", steps_help);
      return steps;
    }
    for (const YamlNode& item : node.items) {
      read_step(MapReader(item, "a step", step_keys, diagnostics_), steps.emplace_back());
    }
    return steps;
  }

  void read_step(const MapReader& reader, Step& step) {
    step_ = &step;
    reader.require("kernel", "for example kernel: scan<T>");
    const bool is_listed = read_kernel(reader, step);
    const YamlNode* arguments = reader.find("arguments");
    if (arguments != nullptr && !is_listed) {
      diagnostics_.error(arguments->where, "'arguments' of a step must be a list",
                         "arguments: [in, out, N]");
    }
    if (!is_listed) list_parameters(step);
    const Scope outside = scope_;
    const std::size_t names = reading_.names.size();
    const std::size_t figures = reading_.figures.size();
    read_entries(reader.find("repeat"), "repeat", "distance: {from: 1, to: N / 2, multiply: 2}",
                 &HeaderReader::read_repeat);
    read_launch(reader, step.launch);
    // With the repetition's names it has values only then.
    const bool is_repeated = !step.repeat.empty();
    if (is_repeated) reading_.figures.resize(figures);
    reading_.names.resize(names);
    scope_ = outside;
  }

  /// The launches that compute what is expected; a text says where the pattern comes from.
  void read_reference(const YamlNode& node, const MapReader& header) {
    if (node.is_scalar()) {
      pattern_.origin = header.text("reference");
      return;
    }
    has_reference_ = true;
    reading_.reference_where = node.where;
    const MapReader reader(node, "the reference", reference_keys, diagnostics_);
    if (!node.is_map()) return;
    if (const YamlNode* steps = reader.find("steps")) {
      refuse_beside_steps(reader, {"kernel", "arguments", "grid", "block", "shared", "cluster",
                                   "cooperative", "repeat"});
      reading_.reference = read_step_list(*steps);
    } else {
      read_step(reader, reading_.reference.emplace_back());
    }
  }

  void read_repeat(const YamlNode& key, const YamlNode& node) {
    check_name(key.text, key.where);
    Repeat repeat{key.text};
    repeat.where = key.where;
    const MapReader reader(node, fmt::format("the repetition '{}'", key.text), repeat_keys,
                           diagnostics_);
    const char* const help = "for example {from: 1, to: N / 2, multiply: 2}";
    reader.require("from", help);
    reader.require("to", help);
    const auto read = [&](const char* name, Expression& result) {
      const auto expression = reader.expression(name);
      if (!expression) return;
      if (!is_blameless(*expression)) {
        check_kind(*expression, scope_, ValueKind::integer,
                   fmt::format("'{}' of '{}'", name, key.text), diagnostics_);
      }
      result = *expression;
    };
    read("from", repeat.from);
    read("to", repeat.to);
    repeat.change = Expression::constant(std::int64_t{1});
    constexpr std::array<std::pair<const char*, Operation>, 3> changes = {
        {{"step", Operation::add},
         {"multiply", Operation::multiply},
         {"divide", Operation::divide}}};
    bool is_given = false;
    for (const auto& [name, operation] : changes) {
      const YamlNode* change = reader.find(name);
      if (change == nullptr) continue;
      if (std::exchange(is_given, true)) {
        diagnostics_.error(change->where,
                           "a repetition has one of 'step', 'multiply' and 'divide'");
      }
      repeat.by = operation;
      read(name, repeat.change);
    }
    scope_.add(repeat.name, ValueKind::integer);
    step_->repeat.push_back(std::move(repeat));
  }

  /// The value of an argument or of a struct's field: CUDA C++, or an object.
  std::optional<CudaExpression> read_value(const YamlNode& node, std::string_view what,
                                           Step& step) {
    if (!is_argument_object(node)) return read_cuda(node, what, diagnostics_);
    DeclaredNames declared = {{}, known_types()};
    for (const Buffer& buffer : pattern_.buffers) declared.buffers.push_back(buffer.name);
    const TakeInteger take_integer = [this](std::optional<Expression> expression, std::string name,
                                            std::int64_t least, Expression& result) {
      take(std::move(expression), std::move(name), least, result);
    };
    auto object = read_argument_object(node, declared, take_integer, diagnostics_);
    if (!object) return std::nullopt;
    const std::string text = object_expression(*object, step.objects.size());
    step.objects.push_back(std::move(*object));
    return CudaExpression{text, node.where};
  }

  std::optional<KernelArgument> read_kernel_argument(const YamlNode& node, Step& step) {
    if (node.is_null()) return KernelArgument{{"nullptr", node.where}};
    if (node.is_scalar() || is_argument_object(node)) {
      auto value = read_value(node, "arguments", step);
      return value ? std::optional(KernelArgument{std::move(*value)}) : std::nullopt;
    }
    const MapReader reader(node, "an argument", listed_argument_keys, diagnostics_);
    const YamlNode* fields = reader.require("fields", "fields: {x: 1, data: in}");
    if (fields == nullptr) return std::nullopt;
    if (!fields->is_map() || fields->entries.empty()) {
      return diagnostics_.error(fields->where, "'fields' must be a map of names",
                                "fields: {x: 1, data: in}");
    }
    KernelArgument argument;
    argument.value.where = node.where;
    for_each_entry(*fields, [&](const YamlNode& name, const YamlNode& value) {
      if (auto cuda = read_value(value, name.text, step)) {
        argument.fields.push_back({name.text, std::move(*cuda)});
      }
    });
    return argument;
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

  /// What a buffer's type may be; nothing where that is not known.
  std::vector<std::string> known_types() const {
    std::vector<std::string> known;
    if (lacks_names_) return known;
    for (const Parameter& parameter : pattern_.parameters) {
      if (parameter.kind == ValueKind::element || is_among(unknown_kinds_, parameter.name)) {
        known.push_back(parameter.name);
      }
    }
    for (const Struct& type : pattern_.structs) known.push_back(type.name);
    known.insert(known.end(), ElementType::names().begin(), ElementType::names().end());
    return known;
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
    // `float1` and its like have one component, but are structs.
    const bool is_scalar = type && type->header() == nullptr && type->components() == 1 &&
                           !type->name().ends_with('1');
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

  std::vector<Expression> read_extent(const MapReader& reader, std::string_view key) {
    const YamlNode* node = reader.require(key, "one number, or a list of up to three");
    if (node == nullptr) return {};
    if (node->is_map() ||
        (node->is_sequence() && (node->items.empty() || node->items.size() > 3))) {
      diagnostics_.error(node->where, fmt::format("'{}' takes one to three numbers", key));
      return {};
    }
    std::vector<Expression> extents = read_expressions(node, key, diagnostics_);
    for (Expression& extent : extents) take(extent, fmt::format("the {}", key), 1, extent);
    return extents;
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

  Pattern& pattern_;
  Diagnostics& diagnostics_;
  HeaderReading reading_;
  Scope scope_;                             ///< the parameters and structs so far
  std::vector<std::string> declared_;       ///< all parameters
  std::vector<std::string> unknown_kinds_;  ///< parameters and structs of a kind not known
  bool lacks_names_ = false;                ///< parameters or structs are missing altogether
  bool has_reference_ = false;
  Step* step_ = nullptr;  ///< the one that is read
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
