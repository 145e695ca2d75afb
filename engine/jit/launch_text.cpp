#include "engine/jit/launch_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/spec/included_files.h"
#include "engine/spec/named_kernel.h"

namespace sweep {
namespace {

/// The name of the function that of a kernel's overloads takes the one of so many parameters.
std::string chooser(std::size_t step) {
  return fmt::format("{}{}_overload", constants_namespace, step);
}

std::string chooser_declaration(std::size_t step, std::size_t parameters) {
  std::vector<std::string> types;
  for (std::size_t i = 0; i < parameters; ++i) types.push_back(fmt::format("sweep_t{}", i));
  return fmt::format(
      "{}constexpr auto {}(void (*sweep_kernel)({})) {{ return sweep_kernel; }}\n",
      types.empty() ? "" : fmt::format("template <class {}> ", fmt::join(types, ", class ")),
      chooser(step), fmt::join(types, ", "));
}

/// What stands before a value of the header's, and it, made a value of the type.
std::string converted(const std::string& before, const std::string& type,
                      const CudaExpression& value) {
  return placed(value.where, before) +
         placed(value.where, fmt::format("sweep_given<{}>::sweep_to(", type)) +
         placed(value.where, value.text) + placed(place_within(value, value.text.size()), ");");
}

}  // namespace

std::string placed(const Location& where, std::string_view text) {
  if (where.source == nullptr) return fmt::format("{}\n", text);
  return fmt::format("#line {} \"{}\"\n{}{}\n", std::max<std::size_t>(where.line, 1),
                     compiler_file_name(where.source->name),
                     std::string(where.column > 0 ? where.column - 1 : 0, ' '), text);
}

Location place_within(const CudaExpression& cuda, std::size_t offset) {
  const std::string_view before = std::string_view(cuda.text).substr(0, offset);
  const std::size_t line_break = before.rfind('\n');
  if (line_break == std::string_view::npos) return cuda.where.shifted(offset, 1);
  const auto lines = static_cast<std::size_t>(std::ranges::count(before, '\n'));
  return {cuda.where.source, cuda.where.line + lines, offset - line_break};
}

std::string declaration_of(const std::string& words, const CudaExpression& value) {
  return placed(value.where, words) + placed(value.where, value.text) +
         placed(place_within(value, value.text.size()), ";");
}

std::string kernel_pointer(std::size_t step) {
  return fmt::format("{}{}_kernel", constants_namespace, step);
}

std::string kernel_declaration(const Pattern& pattern, std::size_t step) {
  const Step& of_step = pattern.steps[step];
  const auto [written, types] = split_kernel(of_step.kernel.text);
  const CudaExpression name = of_step.kernel.text.empty()
                                  ? CudaExpression{pattern.name, {pattern.source, 1, 1, 1}}
                                  : CudaExpression{std::string(written), of_step.kernel.where};
  std::string text;
  std::string cast;
  if (types) {
    cast = fmt::format("static_cast<void (*)({})>(", *types);
  } else if (of_step.parameter_count) {
    text = chooser_declaration(step, *of_step.parameter_count);
    cast = chooser(step) + "(";
  }
  const std::string before =
      fmt::format("constexpr auto {} = {}&{}", kernel_pointer(step), cast, of_step.scope);
  text += placed(name.where, before) + placed(name.where, name.text) +
          placed(place_within(name, name.text.size()), cast.empty() ? ";" : ");");
  return text.append(back_to_generated);
}

std::string packing_kernel(const Pattern& pattern, std::size_t step, const std::string& name,
                           const std::string& parameters) {
  const Step& of_step = pattern.steps[step];
  const std::vector<KernelArgument>& arguments = *of_step.arguments;
  std::string text = fmt::format(
      "extern \"C\" __global__ void {}({}, unsigned char* sweep_to) {{\n"
      "  using sweep_list = decltype(sweep_parameters_of({}));\n",
      name, parameters, kernel_pointer(step));
  text += placed(
      arguments.empty() ? of_step.kernel.where : arguments.front().value.where,
      fmt::format("static_assert(sweep_list::sweep_count == {0}, \"the kernel takes another number "
                  "of parameters than the {0} that the header gives\");",
                  arguments.size()));
  text += "  sweep_u64 sweep_at = 0;\n";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::vector<KernelArgument::Field>& fields = arguments[i].fields;
    const CudaExpression& value = arguments[i].value;
    const std::string type = fmt::format("sweep_parameter<sweep_list, {}>::sweep_type", i);
    text += fields.empty() ? converted(fmt::format("{{ {} sweep_value =", type), type, value)
                           : placed(value.where, fmt::format("{{ {} sweep_value{{}};", type));
    for (const auto& [field, of_field] : fields) {
      const std::string member = "sweep_value." + field;
      text += converted(member + " = ", fmt::format("decltype({})", member), of_field);
    }
    text += fmt::format("{}  sweep_at = sweep_pack(sweep_to, sweep_at, {}, sweep_value); }}\n",
                        back_to_generated, i);
  }
  // sweep_pack and this write a PackedParameters.
  static_assert(offsetof(PackedParameters, parameters) == 8);
  static_assert(offsetof(PackedParameters, count) == 8 + 32768);
  static_assert(std::tuple_size_v<decltype(PackedParameters::places)> == 255);
  return text + "  *reinterpret_cast<sweep_u64*>(sweep_to) = sweep_at;\n}\n";
}

}  // namespace sweep
