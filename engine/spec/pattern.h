#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/spec/argument_objects.h"
#include "engine/spec/cuda_scanner.h"
#include "engine/spec/data_file.h"
#include "engine/spec/included_files.h"
#include "engine/spec/own_metric.h"
#include "engine/text/diagnostic.h"
#include "engine/text/expression.h"
#include "engine/text/value.h"

namespace sweep {

/// A named value that is baked into a pattern as a constant.
struct Parameter {
  std::string name;
  ValueKind kind = ValueKind::integer;   ///< integer, boolean, element, or word: a place's name
  Expression default_value = {};         ///< may use the parameters before it
  std::optional<std::int64_t> min = {};  ///< bounds of an integer parameter, inclusive
  std::optional<std::int64_t> max = {};
  std::string help = {};
  Location where = {};
  std::string device = {};  ///< the device's figure that its default stands for
};

/// What it is: "an integer", "a place".
inline std::string_view describe(const Parameter& parameter) {
  return parameter.kind == ValueKind::word ? "a place" : describe(parameter.kind);
}

/// A type of the pattern's own, whose size expressions may ask for.
struct Struct {
  std::string name;
  Expression size;  ///< bytes, may use the structs before it; the compiler checks it
  Location where;

  /// What expressions call its size.
  std::string size_name() const { return "sizeof(" + name + ")"; }
};

/// A piece of CUDA C++ from a pattern's header and the place where it stands.
struct CudaExpression {
  std::string text;
  Location where;
};

/// An array in device memory that the kernel gets a pointer to.
struct Buffer {
  std::string name;
  std::string type = {};   ///< an element type, a parameter of that kind, or a type of the files'
  Expression length = {};  ///< elements
  std::optional<CudaExpression> init = {};  ///< element i's first value; without it bytes of 0xff
  Location where = {};
  Location type_where = {};
  bool is_const = false;              ///< the kernel takes it as a pointer to const
  std::optional<DataFile> file = {};  ///< has its first values, in the place of `init`
  Expression place = Expression::constant(std::string("device"));  ///< a word of `place_names`
  /// Which of the other GPUs that the device reaches, from 1 on, where the place is one's.
  Expression peer = Expression::constant(std::int64_t{1});
};

/// A scalar that the kernel gets by value.
struct Argument {
  std::string name;
  std::string type = {};  ///< a scalar element type
  Expression value = {};
  Location where = {};
  Location type_where = {};
  std::optional<double> decimal = {};  ///< a float's or double's value with a decimal point
};

/// One parameter of a kernel, as CUDA C++ that gives its value or, for a struct, those of its
/// fields that are not zero. It may name the buffers, the scalars and the pattern's parameters.
struct KernelArgument {
  CudaExpression value;
  struct Field {
    std::string name;
    CudaExpression value;
  };
  std::vector<Field> fields = {};
};

/// How far an element may be from what is expected of it: it is right within any of the bounds that
/// are given, which are CUDA expressions over `i`; one that is not is empty. `sweep help pattern`
/// has the formulas.
struct Tolerance {
  struct Bound {
    std::string_view key;  ///< of the header
    CudaExpression value;
  };
  std::vector<Bound> bounds = {};
  std::string accumulate = {};  ///< the type that sums are rounded to; empty: the buffer's
  bool equal_nan = false;       ///< a NaN is right where one is expected
};

/// What holds for every element after exactly one launch.
struct Verification {
  std::string buffer;  ///< the one whose elements `i` runs over
  /// What is to be true or, with a tolerance, the expected value; empty where an array has that.
  CudaExpression condition;
  std::optional<Tolerance> tolerance = {};
  std::optional<DataFile> file = {};  ///< only with a tolerance
  /// The reference's buffer that has the expected values; only with a tolerance.
  std::string reference = {};

  /// Whether an array has the expected values, and not an expression.
  bool has_array() const { return file.has_value() || !reference.empty(); }
  /// All pieces of CUDA C++ in it.
  std::vector<CudaExpression> expressions() const;
};

/// A `__constant__` or `__device__` variable of the kernel's files, filled before the first launch.
struct Constant {
  CudaExpression symbol;  ///< what names it, "filters::weights"
  CudaExpression init;    ///< element i's value
};

/// The first bytes of a buffer, whose accesses by a launch persist in L2 (CUDA's access policy
/// window with the properties persisting for hits and streaming for misses).
struct AccessPolicyWindow {
  std::string buffer;
  Expression bytes = {};                     ///< 0: there is no window
  std::optional<Expression> hit_ratio = {};  ///< real, 0 to 1; 1 unless given
  std::optional<Expression> set_aside = {};  ///< bytes of L2; those of the window unless given
};

/// A copy by a copy engine in the place of a launch.
struct EngineCopy {
  std::string from;  ///< a buffer
  std::string to;
  Expression bytes = {};  ///< 0: the kernel is launched
};

struct LaunchShape {
  std::vector<Expression> grid;     ///< one to three extents, in blocks
  std::vector<Expression> block;    ///< one to three extents, in threads
  Expression shared;                ///< dynamic, in bytes
  std::vector<Expression> cluster;  ///< one to three extents, in blocks; none without clusters
  std::optional<Expression> cooperative = {};  ///< whether all blocks must be resident at once
  std::optional<AccessPolicyWindow> window = {};
  std::optional<EngineCopy> copy = {};
};

/// A name that stands for integers one after the other, with a launch for each: to `to`, which is
/// one of them if the steps reach it.
struct Repeat {
  std::string name;
  Expression from = {};
  Expression to = {};
  Expression change = {};         ///< by how much each value changes
  Operation by = Operation::add;  ///< how it does: or multiply, or divide
  Location where = {};
};

/// A kernel with what it is called with, launched once or, with `repeat`, for each combination of
/// its values, the first name's changing last.
struct Step {
  /// What names the kernel, "reduce<T, BLOCK>"; empty where it has the pattern's name.
  CudaExpression kernel = {};
  std::string scope = {};  ///< "lib::", where the kernel's namespace is not said
  /// How many parameters it has, where that chooses it among kernels of its name.
  std::optional<std::size_t> parameter_count = {};
  /// All parameters in the kernel's order; nothing where they are the buffers and the arguments.
  std::optional<std::vector<KernelArgument>> arguments = {};
  std::vector<ArgumentObject> objects = {};  ///< that `arguments` name by object_expression
  LaunchShape launch = {};
  std::vector<Repeat> repeat = {};  ///< its arguments and extents may use the names
};

enum class Architecture { plain, specific, family };
/// What headers call those that are not plain.
inline constexpr std::array<std::string_view, 2> architecture_names = {"specific", "family"};

/// How configurations are compiled, besides what all patterns have in common. Expressions are over
/// the pattern's parameters.
struct CompileRules {
  std::optional<Expression> fast_math;
  std::optional<Expression> max_registers;  ///< of a thread; 0: no limit
  Architecture architecture = Architecture::plain;
  Location architecture_where;
  std::vector<std::string> options;  ///< in NVRTC's long form
  Location options_where;
  struct Macro {
    std::string name;
    Expression value;
  };
  std::vector<Macro> defines;

  bool defines_macro(std::string_view wanted) const {
    return std::ranges::find(defines, wanted, &Macro::name) != defines.end();
  }
};

/// The bytes the algorithm needs to move in one launch.
struct UsefulBytes {
  Expression read;
  Expression write;
  Expression shared;
};

/// A pattern file, parsed and checked. Immutable once loaded.
struct Pattern {
  std::string name;  ///< the file's and, unless `kernel` says another, the kernel's
  std::filesystem::path path;
  SourcePtr source;
  std::string summary;
  std::string help;
  std::string origin;
  std::string family;  ///< what it belongs to; empty when the header does not say
  std::vector<Parameter> parameters;
  std::vector<Struct> structs;
  std::vector<Expression> require;
  std::vector<Buffer> buffers;
  std::vector<Argument> arguments;
  std::vector<Constant> constants;
  CompileRules compile;
  std::vector<Step> steps = {Step()};  ///< launched in this order; together they are one launch
  UsefulBytes useful;
  std::vector<Verification> verify;
  std::vector<OwnMetric> metrics;
  /// Computes what `verify` compares with; null where nothing asks for it. It has the parameters,
  /// buffers, scalars and code that its launches need, and no more.
  std::shared_ptr<const Pattern> reference;
  std::string body;        ///< the CUDA C++ after the header
  IncludedFiles included;  ///< the files that the body includes, and theirs
  /// Where these are looked for besides the folder of the file that includes them.
  std::vector<std::filesystem::path> include_folders;
  std::string included_text;  ///< of those files
  Diagnostics replaced;       ///< notes: what of these parameters replace, or do not
  std::string rules_text;     ///< the sweep's rules of compiling, as databases keep them
  std::size_t body_line = 1;  ///< the line of the file on which the body begins

  /// All files that buffers are filled with or compared with.
  std::vector<const DataFile*> data_files() const;
  /// What tells its results from those of any other pattern: its text, that of the files that it
  /// includes, and a hash of each data file's contents.
  std::string identity() const;
  const Parameter* find_parameter(std::string_view name) const;
  std::vector<std::string> parameter_names() const;
  /// Whether this is the name of a parameter or of a struct.
  bool declares(std::string_view name) const;
  /// Whether the header says how large a buffer's elements of this type are; else the compiler
  /// does.
  bool knows_size(const std::string& type) const;
  /// Whether the pattern's files may declare what this type, with template arguments and `*`, is
  /// made of.
  bool may_declare(std::string_view type) const;
};
using PatternPtr = std::shared_ptr<const Pattern>;

/// Why an integer lies outside its parameter's bounds, or a word is no place, as a sentence; empty
/// when neither is so.
std::string why_out_of_bounds(const Parameter& parameter, const Value& value);

/// Parses a pattern file, whose name is the pattern's; null, with as many messages as can be found
/// at once, when it has mistakes. It may include what read_included_files finds.
PatternPtr parse_pattern(const SourcePtr& source, const std::filesystem::path& path,
                         Diagnostics& diagnostics,
                         const std::vector<std::filesystem::path>& include_folders = {});

/// The pieces of CUDA C++ in a pattern's header.
std::vector<CudaExpression> expressions_of(const Pattern& pattern);
/// Of those, what names the kernel and lists its arguments.
std::vector<CudaExpression> kernel_expressions_of(const Pattern& pattern);

/// The names that a pattern's expressions may use: its parameters and its structs' sizes.
Scope scope_of(const Pattern& pattern);

/// One value for every parameter of one pattern, in the order the pattern declares them.
struct Configuration {
  PatternPtr pattern;
  Bindings parameters;
};

/// The configuration's reference, which its pattern has: equal ones compute the same.
Configuration reference_of(const Configuration& configuration);

/// "stride STRIDE=4 T=float ..."
std::string to_string(const Configuration& configuration);

/// Fills in what `given` leaves open with the pattern's defaults, and ignores other names. Throws
/// InputError when a default has no value, or a value lies outside its parameter's bounds.
Configuration resolve(const PatternPtr& pattern, const Bindings& given);

/// The configuration's parameters and its structs' sizes ("sizeof(NAME)"): what the pattern's
/// expressions are evaluated with.
Bindings environment_of(const Configuration& configuration);

/// Computes the metrics of one's own of the configuration's point (see own_metric.h).
void derive_metrics(std::span<const OwnMetric> own, const Configuration& configuration,
                    std::vector<Metric>& metrics);
/// Why a file does not hold what the buffer needs in a configuration, as a sentence about both;
/// empty where it does.
std::string why_not_fitting(const DataFile& file, const Buffer& buffer,
                            const Bindings& environment);
/// The same of a buffer of the reference's that `buffer` is to be compared with.
std::string why_not_fitting(const Buffer& expected, const Buffer& buffer,
                            const Bindings& environment);

/// The families that there are names for, in the order in which lists show them. A pattern may name
/// a family of its own.
inline constexpr std::array<std::string_view, 10> known_families = {
    "coalescing", "structures",  "transpose", "shared memory", "streams",
    "irregular",  "collectives", "hierarchy", "links",         "execution"};

/// Why a header cannot have `text` for a family, as in "is empty"; empty when it can.
std::string_view why_not_a_family(std::string_view text);

/// Patterns that belong together, by name.
struct PatternFamily {
  std::string name;  ///< "other" for patterns without one
  std::vector<PatternPtr> patterns;
};

/// The patterns by family, each family's in the order given: the known families first, in their
/// order, then others by name, and "other" last.
std::vector<PatternFamily> by_family(std::span<const PatternPtr> patterns);

/// Gives the pattern of a name, or null after adding to the diagnostics at `where`.
using PatternLookup =
    std::function<PatternPtr(const std::string& name, const Location& where, Diagnostics&)>;

/// The pattern files of some folders, found by name. Earlier folders win.
class PatternLibrary {
 public:
  /// Folders that are not there are skipped. `include_folders` are those whose files patterns may
  /// include besides those of their own folder.
  explicit PatternLibrary(std::vector<std::filesystem::path> folders,
                          std::vector<std::filesystem::path> include_folders = {});

  /// The names there are, sorted.
  std::vector<std::string> names() const;
  /// The file of a pattern, or an empty path.
  std::filesystem::path find(const std::string& name) const;
  const std::vector<std::filesystem::path>& folders() const { return folders_; }

  /// Reads and parses a pattern. When it is not there or has mistakes, adds to the diagnostics and
  /// returns null; `where` is the place that names it. A link that leads out of its folder and of
  /// `include_folders` is not followed.
  PatternPtr load(const std::string& name, const Location& where, Diagnostics& diagnostics) const;

  /// `load` as parse_sweep wants it. The library must outlive it.
  PatternLookup lookup() const;

 private:
  std::vector<std::filesystem::path> folders_;
  std::vector<std::filesystem::path> include_folders_;
  std::map<std::string, std::filesystem::path> files_;
};

}  // namespace sweep
