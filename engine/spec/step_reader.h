#pragma once

#include "engine/spec/pattern_header.h"

namespace sweep {

/// What a pattern's header says so far, and checks of what is read with its names.
class HeaderScope {
 protected:
  HeaderScope(Pattern& pattern, Diagnostics& diagnostics)
      : pattern_(pattern), diagnostics_(diagnostics) {}

  /// Whether what is wrong with the expression could be a mistake made elsewhere.
  bool is_blameless(const Expression& expression) const;
  /// Keeps an expression that must be an integer.
  void take(std::optional<Expression> expression, std::string what, std::int64_t least,
            Expression& result);
  void check_name(const std::string& name, const Location& where, bool is_of_files = false);
  /// What a buffer's type may be; nothing where that is not known.
  std::vector<std::string> known_types() const;
  std::vector<Expression> read_extent(const MapReader& reader, std::string_view key);

  Pattern& pattern_;
  Diagnostics& diagnostics_;
  HeaderReading reading_;
  Scope scope_;                             ///< the parameters and structs so far
  std::vector<std::string> unknown_kinds_;  ///< parameters and structs of a kind not known
  bool lacks_names_ = false;                ///< parameters or structs are missing altogether
  bool has_reference_ = false;
};

/// Reads launches: a pattern's own, its steps, and those of its reference.
class StepReader : protected HeaderScope {
 protected:
  using HeaderScope::HeaderScope;

  /// Reads the kernel's name and, if there is a list of them, its arguments; whether there is.
  bool read_kernel(const MapReader& reader, Step& step);
  /// Only the compiler knows the types of the parameters of a kernel that is named.
  void list_parameters(Step& step) const;
  void read_launch(const MapReader& reader, LaunchShape& launch);
  void read_steps(const YamlNode& node, const MapReader& header);
  /// The launches that compute what is expected; a text says where the pattern comes from.
  void read_reference(const YamlNode& node, const MapReader& header);

 private:
  /// Adds an error for each of these keys of a map whose steps have them.
  void refuse_beside_steps(const MapReader& reader, std::initializer_list<const char*> keys);
  void read_window(const MapReader& reader, AccessPolicyWindow& window);
  void read_copy(const MapReader& reader, EngineCopy& copy);
  /// The name of a buffer under a key that has to be there.
  void read_buffer_name(const MapReader& reader, const char* key, const char* help,
                        std::string& name);
  std::vector<Step> read_step_list(const YamlNode& node);
  void read_step(const MapReader& reader, Step& step);
  Repeat read_repeat(const YamlNode& key, const YamlNode& node);
  /// The value of an argument or of a struct's field: CUDA C++, or an object.
  std::optional<CudaExpression> read_value(const YamlNode& node, std::string_view what, Step& step);
  std::optional<KernelArgument> read_kernel_argument(const YamlNode& node, Step& step);
};

}  // namespace sweep
