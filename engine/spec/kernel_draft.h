#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/spec/cuda_scanner.h"
#include "engine/spec/host_code.h"
#include "engine/spec/kernel_use.h"
#include "engine/text/value.h"

namespace sweep {

/// A kernel for which a pattern is wanted.
struct DraftRequest {
  std::string pattern;  ///< the new pattern's name
  std::string include;  ///< how its body names the kernel's file
  std::string file;     ///< the same as readers are told it
  const HostCode& host;
  const KernelDeclaration& kernel;
};

/// A piece of a header, and what its reader has to put in; empty for nothing.
struct Marked {
  std::string text;
  std::string mark = {};
};

struct DraftParameter {
  std::string name;
  Marked value;  ///< what stands behind the name
};

struct DraftBuffer {
  std::string name;
  std::string type;
  std::string mark = {};  ///< about the type
  PointerUse use = {};
  CudaTokens host = {};         ///< the pointer that a launch gives
  std::string init = {};        ///< empty for none
  Marked length = {};           ///< elements
  std::int64_t bytes_each = 0;  ///< of an element, where the header has no `sizeof` for it
};

/// What a pattern for an existing kernel says, as far as the source tells; the rest is guessed by
/// names, and marked. The request must outlive it.
class KernelDraft {
 public:
  explicit KernelDraft(const DraftRequest& request);

  // In the order in which a header has them.
  std::vector<DraftParameter> parameters = {};
  std::vector<std::string> constant_memory = {};  ///< that the kernel names
  std::vector<DraftBuffer> buffers = {};
  Marked kernel = {};
  std::vector<Marked> arguments = {};
  std::vector<Marked> grid = {};
  std::vector<Marked> block = {};
  Marked shared = {};  ///< empty for none

 private:
  struct Extent {
    std::string declared;  ///< its name in the kernel
    std::string name;      ///< the parameter's
  };
  struct Replaced {
    std::size_t axis;
    std::int64_t value;
    std::string name;
  };

  // Names and values: kernel_draft.cpp
  /// The first launch of which most can be followed.
  void choose_launch();
  CudaTokens launch_argument(std::size_t index) const;
  /// Lets what the host calls this be the pattern's name in what follows.
  void map_host_name(CudaTokens host, const std::string& name);
  /// The name or one like it that means nothing else.
  std::string fresh(std::string name);
  std::optional<std::int64_t> value_of(const std::string& text) const;
  /// What the host gives for a whole number.
  std::optional<std::int64_t> constant_of(CudaTokens host) const;
  std::string add_number(const std::string& wanted, std::int64_t value, std::string mark = {},
                         std::string_view bounds = {});
  /// The type that a kernel's parameter has, with the pattern's names for those of the template.
  std::string type_of(const std::string& declared) const;
  bool is_extent(const std::string& type, const std::string& name) const;
  /// How many extents there are whose values nothing says.
  void count_extents();
  /// So that all together are about a million.
  std::int64_t usual_extent() const;
  /// Whether one extent is along both axes of a matrix.
  bool is_square() const;
  void note_extent(const std::string& type, const std::string& name, CudaTokens host);
  std::string extent_named(std::string_view name) const;
  /// The extent along an axis, as far as names tell; empty where there is none.
  std::string extent_along(std::size_t axis) const;

  // What the kernel is called with: draft_arguments.cpp
  void read_template();
  /// Nothing where the template's own default is to stay, and with it what follows.
  std::optional<std::string> type_argument(const TemplateParameter& parameter, CudaTokens given);
  std::optional<std::string> value_argument(const TemplateParameter& parameter, CudaTokens given);
  /// What a number of the kernel's is given, as CUDA.
  Marked integer_argument(const std::string& name, CudaTokens host);
  Marked argument(const KernelParameter& parameter, CudaTokens host);
  Marked field_argument(const std::string& declared, const std::string& name, bool is_const,
                        CudaTokens host);
  Marked class_argument(const std::vector<ClassField>& fields, const std::string& name);
  Marked pointer_argument(const std::string& pointee, const std::string& name, bool is_const,
                          CudaTokens host);
  /// A tensor map or texture of a buffer of its own; `keys` stand behind its name.
  Marked object_argument(const char* kind, const std::string& name, const char* keys,
                         const char* mark);
  /// A type that is no element: the buffer has its bytes.
  void take_foreign_type(const std::string& type, DraftBuffer& buffer);
  /// A struct's bytes, where all its fields are numbers and pointers.
  std::optional<std::int64_t> size_of(const std::string& type) const;
  std::string init_of(const DraftBuffer& buffer) const;
  void read_length(DraftBuffer& buffer);
  /// All extents together; of one that is along both axes its square.
  std::string usual_length() const;

  // Its launch: draft_launch.cpp
  void read_block();
  /// The template's parameter that stands for so many threads, as far as its name tells.
  std::string template_block(std::int64_t threads) const;
  /// Names it, and its products with the template's other numbers, in the launch's expressions.
  void replace_template_numbers(const std::string& block_size, std::int64_t threads);
  /// Whether the launch names the block's size by a constant that the kernel is written with.
  bool is_constant_of_kernel(std::size_t axis, std::size_t axes) const;
  std::vector<std::string> block_without_launch(std::string& mark);
  void read_grid();
  std::string template_extent() const;
  void read_shared();

  const DraftRequest& request_;
  const HostCode& host_;
  const KernelDeclaration& kernel_;
  std::vector<std::string_view> body_tokens_;
  CudaTokens body_;
  ThreadUse use_;
  KernelLaunch launch_;
  std::set<std::string> taken_;
  NamesForHost names_;
  std::map<std::string, std::string> types_;  ///< of the template: those that the pattern has
  Bindings defaults_;
  std::vector<Extent> extents_;
  std::size_t unknown_extents_ = 0;
  std::vector<Extent> template_numbers_;
  std::string elements_;            ///< how many there are, where the kernel has no extent
  std::vector<Replaced> replaced_;  ///< numbers of the launch that are parameters
};

/// Both with a sign between them; the other where one is empty.
std::string appended(std::string text, const std::string& more, std::string_view by);
/// The text as a factor of a product.
std::string as_factor(const std::string& text);
/// The text as a value of YAML's, in quotes where it needs them.
std::string yaml_text(std::string_view text);
/// The same of an argument, which may be a map of its own: "{fields: {x: 1}}".
std::string argument_text(std::string_view text);
/// Whether the type is an integer's: "unsigned int".
bool is_integer_type(const std::string& type);

}  // namespace sweep
