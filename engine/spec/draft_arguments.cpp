#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "engine/spec/kernel_draft.h"
#include "engine/text/characters.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

/// As expressions have it: in one word.
std::string element_name(const std::string& type) {
  const bool is_word = type.find(' ') == std::string::npos && ElementType::find(type);
  return is_word ? type : canonical_type(type);
}

/// A number that may do where only its name is known.
std::int64_t usual_value(std::string_view name) {
  switch (scalar_role(name)) {
    case ScalarRole::block:
      return 256;
    case ScalarRole::tile:
      return in_small_letters(std::string(name)).starts_with("tile") ? 16 : 4;
    case ScalarRole::repeats:
      return 10;
    case ScalarRole::place:
      return 0;
    case ScalarRole::extent:
      return 64;
    default:
      return 1;
  }
}

/// "n * sizeof(float)" -> "n", for elements of a type or, of a template's, of its usual one.
std::string elements_of(const std::string& bytes, const std::string& type,
                        const std::string& usual) {
  if (type == "uint8_t") return bytes;
  for (const std::string& each : {type, usual}) {
    const std::string size = "sizeof(" + each + ")";
    const std::string behind = " * " + size;
    const std::string before = size + " * ";
    std::string rest;
    if (bytes.ends_with(behind)) rest = bytes.substr(0, bytes.size() - behind.size());
    if (bytes.starts_with(before)) rest = bytes.substr(before.size());
    if (!rest.empty() && as_factor(rest) == rest) return without_parentheses(rest);
  }
  return fmt::format("({}) / sizeof({})", bytes, type);
}

}  // namespace

void KernelDraft::read_template() {
  const std::string scope = kernel_.scope.empty() ? "" : kernel_.scope + "::";
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < kernel_.template_parameters.size(); ++i) {
    const TemplateParameter& parameter = kernel_.template_parameters[i];
    const CudaTokens given =
        i < launch_.template_arguments.size() ? launch_.template_arguments[i] : CudaTokens();
    auto text = parameter.type == "typename" ? type_argument(parameter, given)
                                             : value_argument(parameter, given);
    if (!text) break;
    texts.push_back(std::move(*text));
  }
  kernel.text = scope + kernel_.name;
  if (kernel_.is_template) kernel.text += fmt::format("<{}>", fmt::join(texts, ", "));
}

std::optional<std::string> KernelDraft::type_argument(const TemplateParameter& parameter,
                                                      CudaTokens given) {
  std::string wanted(code_of(given));
  if (wanted.empty()) wanted = parameter.default_value;
  const std::string type = host_.type_behind(wanted);
  const bool is_element = ElementType::find(canonical_type(type)).has_value();
  // A template parameter of the function that launches stands for a type, too.
  const auto declared =
      std::ranges::adjacent_find(launch_.before, [&](std::string_view one, std::string_view other) {
        return (one == "typename" || one == "class") && other == wanted;
      });
  const bool is_unknown = wanted.empty() || declared != launch_.before.end();
  if (parameter.is_pack || (!is_element && !is_unknown)) {
    if (given.empty()) return std::nullopt;
    types_.emplace(parameter.name, wanted);
    return wanted;
  }
  const std::string name = fresh(parameter.name.empty() ? "T" : parameter.name);
  const std::string value = is_element ? element_name(type) : "float";
  const bool is_pointee = std::ranges::any_of(kernel_.parameters, [&](const auto& each) {
    return each.type.find(parameter.name) != std::string::npos;
  });
  parameters.push_back({name,
                        {fmt::format("{{type: element, default: {}}}", value),
                         is_element || is_pointee ? "" : "the type of " + name}});
  defaults_.set(name, *ElementType::find(value));
  types_.emplace(parameter.name, name);
  names_.emplace(parameter.name, name);
  if (!given.empty()) map_host_name(given, name);
  return name;
}

std::optional<std::string> KernelDraft::value_argument(const TemplateParameter& parameter,
                                                       CudaTokens given) {
  const std::string type = host_.type_behind(parameter.type);
  const std::string text(code_of(given));
  if (type == "bool") {
    const bool value = (text.empty() ? parameter.default_value : text) == "true";
    const std::string name = fresh(parameter.name);
    parameters.push_back({name, {value ? "true" : "false"}});
    defaults_.set(name, value);
    map_host_name(given, name);
    return name;
  }
  if (!is_integer_type(type) || parameter.is_pack) {
    if (given.empty() && !parameter.default_value.empty()) return std::nullopt;
    if (!given.empty()) return text;
    kernel.mark = appended(kernel.mark, "the template argument " + parameter.name, ", ");
    return parameter.type == "auto" ? "0" : fmt::format("{}(0)", parameter.type);
  }
  auto value = constant_of(given);
  const bool is_followed = value.has_value();
  if (!value) {
    const auto own = host_.expression(parameter.default_value);
    if (own) value = value_of(*own);
  }
  const bool is_known = is_followed || (value && given.empty());
  const std::string name = add_number(parameter.name, value.value_or(usual_value(parameter.name)),
                                      is_known ? "" : "the value of " + parameter.name);
  map_host_name(given, name);
  names_.emplace(parameter.name, name);
  template_numbers_.push_back({parameter.name, name});
  return name;
}

Marked KernelDraft::integer_argument(const std::string& name, CudaTokens host) {
  if (std::string own = extent_named(name); !own.empty()) return {own};
  if (const auto text = host_.expression(host, launch_, names_)) {
    // Units and functions are a pattern's alone.
    if (value_of(*text) && text->find("ceil_div") == std::string::npos) return {*text};
  }
  const std::string mark = "the value of " + name;
  if (scalar_role(name) == ScalarRole::stride && !extents_.empty()) return {extent_along(0), mark};
  return {std::to_string(usual_value(name)), mark};
}

Marked KernelDraft::argument(const KernelParameter& parameter, CudaTokens host) {
  std::string type = parameter.type;
  const std::string name = parameter.name.empty() ? "value" : parameter.name;
  // The launch leaves it out: a number is a value of its own.
  if (host.empty() && !parameter.default_value.empty() && is_digit(parameter.default_value[0])) {
    return {parameter.default_value};
  }
  if (const auto fields = host_.fields_of(type_of(type)); fields && !fields->empty()) {
    return class_argument(*fields, name);
  }
  return field_argument(type, name, parameter.is_const, host);
}

Marked KernelDraft::field_argument(const std::string& declared, const std::string& name,
                                   bool is_const, CudaTokens host) {
  std::string type = type_of(declared);
  if (type == "CUtensorMap" || type == "CUtensorMap*") {
    return object_argument("tensor", name, ", box: 32", "its shape, box and swizzle");
  }
  if (type == "cudaTextureObject_t" || type == "CUtexObject") {
    return object_argument("texture", name, "", "its shape, address mode and filter");
  }
  if (type.ends_with('*')) {
    type.pop_back();
    return pointer_argument(type, name, is_const, host);
  }
  const std::string given(code_of(host));
  const bool is_literal = !host.empty() && is_digit(host[0].front()) &&
                          std::ranges::all_of(given, [](char c) { return is_word(c) || c == '.'; });
  if (type == "bool") {
    const bool is_known = given == "true" || given == "false";
    return {is_known ? given : "false", is_known ? "" : "the value of " + name};
  }
  if (is_integer_type(type)) return integer_argument(name, host);
  const std::string mark = "the value of " + name;
  if (type == "float" || type == "double") {
    if (is_literal) return {given};
    return {type == "float" ? "1.0f" : "1.0", mark};
  }
  const bool is_own_element = defaults_.find(type) != nullptr;
  if (const auto element = ElementType::find(canonical_type(type)); element || is_own_element) {
    return is_literal ? Marked{fmt::format("splat<{}>({})", type, given)}
                      : Marked{fmt::format("splat<{}>(1)", type), mark};
  }
  return {"{}", fmt::format("the value of {}, a {}", name, declared)};
}

Marked KernelDraft::class_argument(const std::vector<ClassField>& fields, const std::string& name) {
  std::string list;
  std::string mark;
  for (const ClassField& field : fields) {
    const bool is_array = field.type.ends_with("[]");
    const Marked value = is_array ? Marked{} : field_argument(field.type, field.name, false, {});
    if (is_array || value.text == "{}") {
      mark = appended(mark, field.name, ", ");
      continue;
    }
    list +=
        fmt::format("{}{}: {}", list.empty() ? "" : ", ", field.name, argument_text(value.text));
    if (!value.mark.empty()) mark = appended(mark, field.name, ", ");
  }
  if (!mark.empty()) mark = fmt::format("the fields {} of {}", mark, name);
  if (list.empty()) return {"{}", mark};
  return {fmt::format("{{fields: {{{}}}}}", list), mark};
}

Marked KernelDraft::pointer_argument(const std::string& pointee, const std::string& name,
                                     bool is_const, CudaTokens host) {
  if (pointee.ends_with('*') || pointee.find('(') != std::string::npos) {
    return {"nullptr", fmt::format("{} is a pointer to pointers", name)};
  }
  if (host.size() == 1 && (host[0] == "nullptr" || host[0] == "NULL")) return {"nullptr"};
  DraftBuffer buffer;
  buffer.name = fresh(name);
  buffer.host = host;
  buffer.use = pointer_use(body_, name, is_const);
  const std::string type = type_of(pointee);
  bool needs_cast = true;
  if (defaults_.find(type) != nullptr) {
    buffer.type = type;
    needs_cast = false;
  } else if (ElementType::find(type)) {
    buffer.type = type;
    needs_cast = false;
  } else if (const auto size = size_of(type)) {
    buffer.type = type;
    buffer.bytes_each = *size;
    needs_cast = false;
  } else {
    take_foreign_type(type, buffer);
    needs_cast = type != "void";
  }
  // Template parameters of other names have the pattern's.
  std::string cast = pointee;
  if (const auto known = types_.find(pointee); known != types_.end()) cast = known->second;
  const std::string argument = needs_cast ? fmt::format("({}*){}", cast, buffer.name) : buffer.name;
  buffer.init = init_of(buffer);
  buffers.push_back(std::move(buffer));
  return {argument};
}

Marked KernelDraft::object_argument(const char* kind, const std::string& name, const char* keys,
                                    const char* mark) {
  DraftBuffer buffer;
  buffer.name = fresh(name);
  buffer.type = "float";
  buffer.mark = "its type and length";
  buffer.use.is_read = true;
  buffer.init = init_of(buffer);
  Marked argument = {fmt::format("{{{}: {}{}}}", kind, buffer.name, keys), mark};
  buffers.push_back(std::move(buffer));
  return argument;
}

void KernelDraft::take_foreign_type(const std::string& type, DraftBuffer& buffer) {
  constexpr std::array vectors = {
      std::pair{"cuComplex", "float2"}, std::pair{"cuFloatComplex", "float2"},
      std::pair{"cufftComplex", "float2"}, std::pair{"cuDoubleComplex", "double2"},
      std::pair{"cufftDoubleComplex", "double2"}};
  for (const auto& [foreign, element] : vectors) {
    if (type == foreign) buffer.type = element;
  }
  if (!buffer.type.empty()) return;
  buffer.type = "uint8_t";
  constexpr std::int64_t generous = 64;
  buffer.bytes_each = type == "void" ? 8 : generous;
  buffer.mark = fmt::format("its length in bytes: {} is taken for a {}", buffer.bytes_each, type);
}

std::optional<std::int64_t> KernelDraft::size_of(const std::string& type) const {
  const auto fields = host_.fields_of(type);
  if (!fields || fields->empty()) return std::nullopt;
  std::int64_t size = 0;
  std::int64_t widest = 1;
  for (const ClassField& field : *fields) {
    const auto element = ElementType::find(canonical_type(type_of(field.type)));
    const bool is_pointer = field.type.ends_with('*');
    if (!element && !is_pointer) return std::nullopt;
    const auto bytes = is_pointer ? 8 : static_cast<std::int64_t>(element->size());
    const std::int64_t alignment = is_pointer ? 8 : static_cast<std::int64_t>(element->alignment());
    size = ((size + alignment - 1) / alignment) * alignment + bytes;
    widest = std::max(widest, alignment);
  }
  return ((size + widest - 1) / widest) * widest;
}

/// Some values for what is read.
std::string KernelDraft::init_of(const DraftBuffer& buffer) const {
  if (!buffer.use.is_read) return {};
  if (buffer.type == "uint8_t") return "0";
  if (buffer.type == "bool") return "i % 2";
  if (buffer.bytes_each > 0) return "{}";
  const auto element = ElementType::find(buffer.type);
  const bool is_scalar = element && element->components() == 1;
  return is_scalar ? "i % 101" : fmt::format("splat<{}>(i % 101)", buffer.type);
}

void KernelDraft::read_length(DraftBuffer& buffer) {
  const auto bytes = host_.allocated_bytes(buffer.host, launch_, names_);
  constexpr std::int64_t most = 4 * Gi;
  if (bytes) {
    const Value* of_template = defaults_.find(buffer.type);
    const std::string usual = of_template != nullptr ? to_string(*of_template) : buffer.type;
    buffer.length = {elements_of(without_parentheses(*bytes), buffer.type, usual)};
    const auto value = value_of(buffer.length.text);
    if (value && *value > 0 && *value <= most) {
      buffer.mark.clear();
      return;
    }
  }
  const std::string each = buffer.type == "uint8_t" && buffer.bytes_each > 1
                               ? fmt::format(" * {}", buffer.bytes_each)
                               : std::string();
  buffer.length = {as_factor(usual_length()) + each,
                   buffer.mark.empty() ? "its length" : buffer.mark};
}

std::string KernelDraft::usual_length() const {
  if (extents_.empty()) return elements_;
  std::vector<std::string> factors;
  std::int64_t product = 1;
  constexpr std::int64_t most = 64 * Mi;
  for (const Extent& each : extents_) {
    const std::int64_t value = value_of(each.name).value_or(1);
    if (value > most / product) continue;
    product *= value;
    factors.push_back(each.name);
  }
  if (factors.empty()) factors.push_back(extents_[0].name);
  const bool is_small = value_of(factors[0]).value_or(0) <= 8 * Ki;
  if (extents_.size() == 1 && is_square() && is_small) factors.push_back(factors[0]);
  return fmt::format("{}", fmt::join(factors, " * "));
}

}  // namespace sweep
