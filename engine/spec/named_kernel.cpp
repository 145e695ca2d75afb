#include "engine/spec/named_kernel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "engine/text/characters.h"

namespace sweep {
namespace {

/// "const float*, int"
std::string types_of(const KernelDeclaration& kernel) {
  std::vector<std::string> types;
  for (const KernelParameter& each : kernel.parameters) {
    types.push_back((each.is_const ? "const " : "") + each.type);
  }
  return fmt::format("{}", fmt::join(types, ", "));
}

bool have_same_types(const KernelDeclaration& one, const KernelDeclaration& other) {
  const auto canonical = [](const KernelParameter& parameter) {
    std::string_view type = parameter.type;
    std::size_t stars = 0;
    for (; type.ends_with('*'); type.remove_suffix(1)) ++stars;
    return (parameter.is_const ? "const " : "") + canonical_type(type) + std::string(stars, '*');
  };
  return std::ranges::equal(one.parameters, other.parameters, {}, canonical, canonical);
}

/// Takes from another declaration of the same kernel what the first one leaves out.
void complete(KernelDeclaration& kernel, const KernelDeclaration& other) {
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    KernelParameter& parameter = kernel.parameters[i];
    if (parameter.default_value.empty())
      parameter.default_value = other.parameters[i].default_value;
    if (parameter.name.empty()) parameter.name = other.parameters[i].name;
  }
}

/// The namespaces that stand in front of a kernel's name: "a::b".
std::string_view scope_in(std::string_view name) {
  name = name.substr(0, name.find('<'));
  const std::size_t colon = name.rfind("::");
  return colon == std::string_view::npos ? std::string_view() : name.substr(0, colon);
}

}  // namespace

KernelText split_kernel(std::string_view text) {
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  if (!text.ends_with(')')) return {text, std::nullopt};
  int depth = 0;
  for (std::size_t at = text.size(); at-- > 0;) {
    if (text[at] == ')') ++depth;
    if (text[at] != '(' || --depth != 0) continue;
    const std::string_view types = text.substr(at + 1, text.size() - at - 2);
    text = text.substr(0, at);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return {text, types};
  }
  return {text, std::nullopt};
}

std::string kernel_name(const Pattern& pattern, const Step& step) {
  std::string_view text = split_kernel(step.kernel.text).name;
  if (text.empty()) return pattern.name;
  text = text.substr(0, text.find('<'));
  const std::size_t scope = text.rfind(':');
  if (scope != std::string_view::npos) text.remove_prefix(scope + 1);
  return std::string(word_at(text, skip_space(text, 0)));
}

std::vector<KernelDeclaration> kernels_of(const Pattern& pattern) {
  std::vector<std::string_view> texts = {pattern.body};
  for (const IncludedFile& file : pattern.included.files) texts.push_back(file.text);
  std::vector<std::string> macros;
  for (const std::string_view text : texts) {
    for (std::string& macro : kernel_macros(text)) macros.push_back(std::move(macro));
  }
  std::vector<KernelDeclaration> kernels;
  for (const std::string_view text : texts) {
    for (KernelDeclaration& kernel : find_kernels(text, macros)) {
      kernels.push_back(std::move(kernel));
    }
  }
  return kernels;
}

bool may_hide_kernels(const Pattern& pattern) {
  const std::string text = pattern.body + joined_text(pattern.included);
  if (text.find("##") != std::string::npos) return true;
  const std::vector<std::string> known = kernel_macros(text);
  return std::ranges::any_of(find_directives(text), [&](const Directive& directive) {
    return directive.text.find("__global__") != std::string::npos &&
           std::ranges::find(known, defined_macro(directive)) == known.end();
  });
}

std::vector<KernelDeclaration> overloads_of(const Pattern& pattern, const Step& step) {
  std::vector<KernelDeclaration> all = kernels_of(pattern);
  const std::string name = kernel_name(pattern, step);
  std::erase_if(all, [&](const KernelDeclaration& kernel) { return kernel.name != name; });
  const std::string_view scope = scope_in(split_kernel(step.kernel.text).name);
  const auto is_elsewhere = [&](const KernelDeclaration& kernel) { return kernel.scope != scope; };
  const bool is_found = !scope.empty() && !std::ranges::all_of(all, is_elsewhere);
  if (is_found) std::erase_if(all, is_elsewhere);
  std::vector<KernelDeclaration> overloads;
  for (KernelDeclaration& kernel : all) {
    const auto known = std::ranges::find_if(overloads, [&](const KernelDeclaration& other) {
      return other.scope == kernel.scope && have_same_types(other, kernel);
    });
    if (known == overloads.end()) {
      overloads.push_back(std::move(kernel));
    } else {
      complete(*known, kernel);
    }
  }
  return overloads;
}

bool takes(const KernelDeclaration& kernel, std::size_t arguments) {
  const std::vector<KernelParameter>& all = kernel.parameters;
  if (std::ranges::any_of(all, &KernelParameter::is_pack)) return true;
  const auto needed = std::ranges::find_if(
      all, [](const KernelParameter& each) { return !each.default_value.empty(); });
  return arguments <= all.size() && arguments >= static_cast<std::size_t>(needed - all.begin());
}

std::optional<KernelDeclaration> find_kernel(const Pattern& pattern, const Step& step) {
  std::vector<KernelDeclaration> all = overloads_of(pattern, step);
  const auto types = split_kernel(step.kernel.text).types;
  if (all.size() > 1 && types) {
    const auto wanted = find_kernels(fmt::format("__global__ void wanted({});", *types));
    std::erase_if(all, [&](const KernelDeclaration& kernel) {
      return wanted.empty() || !have_same_types(kernel, wanted.front());
    });
  } else if (all.size() > 1 && step.arguments) {
    // Once it is chosen, default values are among the arguments.
    std::erase_if(all, [&](const KernelDeclaration& kernel) {
      return step.parameter_count ? kernel.parameters.size() != *step.parameter_count
                                  : !takes(kernel, step.arguments->size());
    });
  }
  return all.size() == 1 ? std::optional(std::move(all.front())) : std::nullopt;
}

std::string implied_scope(const Pattern& pattern, const Step& step) {
  if (!scope_in(split_kernel(step.kernel.text).name).empty()) return {};
  std::set<std::string> scopes;
  if (auto kernel = find_kernel(pattern, step)) {
    scopes.insert(std::move(kernel->scope));
  } else {
    for (KernelDeclaration& each : overloads_of(pattern, step)) {
      scopes.insert(std::move(each.scope));
    }
  }
  const bool is_plain = scopes.size() == 1 && std::ranges::all_of(*scopes.begin(), [](char c) {
                          return is_word(c) || c == ':';
                        });
  return is_plain && !scopes.begin()->empty() ? *scopes.begin() + "::" : std::string();
}

std::string to_string(const KernelDeclaration& kernel) {
  std::vector<std::string> parameters;
  for (const KernelParameter& each : kernel.parameters) {
    parameters.push_back(fmt::format("{}{}{}{}{}", each.is_const ? "const " : "", each.type,
                                     each.name.empty() ? "" : " ", each.name,
                                     each.default_value.empty() ? "" : " = " + each.default_value));
  }
  std::vector<std::string> head;
  for (const TemplateParameter& each : kernel.template_parameters) {
    head.push_back(fmt::format("{}{}{}{}{}", each.type,
                               each.is_pack && each.type == "typename" ? "..." : "",
                               each.name.empty() ? "" : " ", each.name,
                               each.default_value.empty() ? "" : " = " + each.default_value));
  }
  return fmt::format("{}{}({})",
                     head.empty() ? "" : fmt::format("template <{}> ", fmt::join(head, ", ")),
                     kernel.name, fmt::join(parameters, ", "));
}

std::string how_to_choose(const std::vector<KernelDeclaration>& overloads, std::string_view name) {
  std::vector<std::string> choices;
  for (const KernelDeclaration& kernel : overloads) {
    const bool is_elsewhere = scope_in(name).empty() && !kernel.scope.empty();
    choices.push_back(
        fmt::format("{}{}({})", is_elsewhere ? kernel.scope + "::" : "", name, types_of(kernel)));
  }
  return fmt::format("write {}", fmt::join(choices, ", or "));
}

}  // namespace sweep
