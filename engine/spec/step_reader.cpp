#include "engine/spec/step_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/spec/argument_objects.h"
#include "engine/spec/keys.h"
#include "engine/spec/map_reader.h"
#include "engine/text/characters.h"

namespace sweep {
namespace {

constexpr const char* steps_help =
    "steps: [{kernel: scan, arguments: [in, out], grid: N / BLOCK, block: BLOCK}]";

}  // namespace

bool HeaderScope::is_blameless(const Expression& expression) const {
  return lacks_names_ || std::ranges::any_of(expression.names(), [&](const std::string& name) {
           return is_among(unknown_kinds_, name);
         });
}

void HeaderScope::take(std::optional<Expression> expression, std::string what, std::int64_t least,
                       Expression& result) {
  if (!expression) return;
  if (!is_blameless(*expression)) {
    check_kind(*expression, scope_, ValueKind::integer, what, diagnostics_);
  }
  result = *expression;
  reading_.figures.push_back({std::move(*expression), std::move(what), least});
}

void HeaderScope::check_name(const std::string& name, const Location& where, bool is_of_files) {
  // What files declare is named already.
  const std::size_t reserved = is_of_files ? std::min(name.find_first_not_of('_'), name.size()) : 0;
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

std::vector<std::string> HeaderScope::known_types() const {
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

std::vector<Expression> HeaderScope::read_extent(const MapReader& reader, std::string_view key) {
  const YamlNode* node = reader.require(key, "one number, or a list of up to three");
  if (node == nullptr) return {};
  if (node->is_map() || (node->is_sequence() && (node->items.empty() || node->items.size() > 3))) {
    diagnostics_.error(node->where, fmt::format("'{}' takes one to three numbers", key));
    return {};
  }
  std::vector<Expression> extents = read_expressions(node, key, diagnostics_);
  for (Expression& extent : extents) take(extent, fmt::format("the {}", key), 1, extent);
  return extents;
}

bool StepReader::read_kernel(const MapReader& reader, Step& step) {
  if (const YamlNode* kernel = reader.find("kernel")) {
    if (auto name = read_cuda(*kernel, "kernel", diagnostics_)) step.kernel = std::move(*name);
  }
  const YamlNode* arguments = reader.find("arguments");
  if (arguments == nullptr || !arguments->is_sequence()) return false;
  step.arguments = read_items(
      *arguments, [&](const YamlNode& item) { return read_kernel_argument(item, step); });
  return true;
}

void StepReader::list_parameters(Step& step) const {
  std::vector<KernelArgument>& all = step.arguments.emplace();
  for (const Buffer& buffer : pattern_.buffers) all.push_back({{buffer.name, buffer.where}});
  for (const Argument& scalar : pattern_.arguments) all.push_back({{scalar.name, scalar.where}});
}

void StepReader::read_launch(const MapReader& reader, LaunchShape& launch) {
  launch.grid = read_extent(reader, "grid");
  launch.block = read_extent(reader, "block");
  take(reader.expression("shared"), "shared memory", 0, launch.shared);
  if (reader.find("cluster") != nullptr) launch.cluster = read_extent(reader, "cluster");
  if (reader.find("access_policy_window") != nullptr) {
    read_window(reader.map("access_policy_window", access_policy_window_keys),
                launch.window.emplace());
  }
  if (reader.find("copy_engine") != nullptr) {
    read_copy(reader.map("copy_engine", copy_engine_keys), launch.copy.emplace());
  }
  launch.cooperative = reader.expression("cooperative");
  if (!launch.cooperative || is_blameless(*launch.cooperative)) return;
  check_kind(*launch.cooperative, scope_, ValueKind::boolean, "cooperative", diagnostics_,
             "write true, false or a comparison");
}

void StepReader::read_window(const MapReader& reader, AccessPolicyWindow& window) {
  constexpr const char* help = "access_policy_window: {buffer: table, bytes: 16 Mi}";
  reader.require("bytes", help);
  take(reader.expression("bytes"), "the access policy window", 0, window.bytes);
  if (auto set_aside = reader.expression("set_aside")) {
    take(std::move(set_aside), "the set-aside of L2", 0, window.set_aside.emplace());
  }
  if (const YamlNode* hit_ratio = reader.find("hit_ratio")) {
    window.hit_ratio = read_real_expression(*hit_ratio, "hit_ratio", diagnostics_);
  }
  if (window.hit_ratio && !is_blameless(*window.hit_ratio)) {
    check_kind(*window.hit_ratio, scope_, ValueKind::integer, "hit_ratio", diagnostics_);
  }
  read_buffer_name(reader, "buffer", help, window.buffer);
}

void StepReader::read_copy(const MapReader& reader, EngineCopy& copy) {
  constexpr const char* help = "copy_engine: {from: in, to: out, bytes: N * sizeof(T)}";
  reader.require("bytes", help);
  take(reader.expression("bytes"), "what the copy engine copies", 0, copy.bytes);
  read_buffer_name(reader, "from", help, copy.from);
  read_buffer_name(reader, "to", help, copy.to);
}

void StepReader::read_buffer_name(const MapReader& reader, const char* key, const char* help,
                                  std::string& name) {
  const YamlNode* buffer = reader.require(key, help);
  if (buffer == nullptr) return;
  name = read_text(*buffer, key, diagnostics_).value_or(std::string());
  std::vector<std::string> names;
  for (const Buffer& each : pattern_.buffers) names.push_back(each.name);
  if (names.empty() || is_among(names, name)) return;
  diagnostics_.error(buffer->where, fmt::format("there is no buffer '{}'", name),
                     suggest(name, names, "the buffers are"));
}

void StepReader::read_steps(const YamlNode& node, const MapReader& header) {
  refuse_beside_steps(header, {"kernel", "launch"});
  if (pattern_.steps.front().arguments && node.is_sequence()) {
    diagnostics_.error(header.find("arguments")->where,
                       "a list of arguments stands in each of the steps", steps_help);
  }
  if (std::vector<Step> steps = read_step_list(node); !steps.empty()) {
    pattern_.steps = std::move(steps);
  }
}

void StepReader::read_reference(const YamlNode& node, const MapReader& header) {
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

void StepReader::refuse_beside_steps(const MapReader& reader,
                                     std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    if (const YamlNode* other = reader.find(key)) {
      diagnostics_.error(other->where, fmt::format("'{}' stands in each of the steps", key),
                         steps_help);
    }
  }
}

std::vector<Step> StepReader::read_step_list(const YamlNode& node) {
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

void StepReader::read_step(const MapReader& reader, Step& step) {
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
               diagnostics_, [&](const YamlNode& key, const YamlNode& value) {
                 step.repeat.push_back(read_repeat(key, value));
               });
  read_launch(reader, step.launch);
  // With the repetition's names it has values only then.
  const bool is_repeated = !step.repeat.empty();
  if (is_repeated) reading_.figures.resize(figures);
  reading_.names.resize(names);
  scope_ = outside;
}

Repeat StepReader::read_repeat(const YamlNode& key, const YamlNode& node) {
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
      {{"step", Operation::add}, {"multiply", Operation::multiply}, {"divide", Operation::divide}}};
  bool is_given = false;
  for (const auto& [name, operation] : changes) {
    const YamlNode* change = reader.find(name);
    if (change == nullptr) continue;
    if (std::exchange(is_given, true)) {
      diagnostics_.error(change->where, "a repetition has one of 'step', 'multiply' and 'divide'");
    }
    repeat.by = operation;
    read(name, repeat.change);
  }
  scope_.add(repeat.name, ValueKind::integer);
  return repeat;
}

std::optional<CudaExpression> StepReader::read_value(const YamlNode& node, std::string_view what,
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

std::optional<KernelArgument> StepReader::read_kernel_argument(const YamlNode& node, Step& step) {
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

}  // namespace sweep
