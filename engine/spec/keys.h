#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/value.h"

namespace sweep {

/// What may stand under a key, as the schema for editors has it. The parsers check the same and
/// more, and say more about a mistake.
enum class ValueForm {
  plain,           ///< a text, a piece of CUDA C++, or an expression over parameters
  names,           ///< of parameters or patterns, or conditions: one, or a list
  metrics,         ///< one, or a list of at least one
  boolean,         ///< true or false
  integer,         ///< a constant: 256, 64 Mi
  count,           ///< a constant from 1 on
  seconds,         ///< a decimal number above 0
  share,           ///< 0.005 or 0.5 %
  cut_off,         ///< a decimal number above 1, or off
  count_or_off,    ///< a constant from 1 on, or off
  cache_state,     ///< cold or warm
  strategy,        ///< a search strategy
  counters,        ///< what to ask the hardware's counters for
  element_type,    ///< an element type, or a name that stands for one
  parameter_type,  ///< element, integer, boolean, place
  device_figure,   ///< what a device has
  family,          ///< of patterns
  extent,          ///< one to three expressions
  dimensions,      ///< one to five expressions
  fill,            ///< zero or nan
  address_mode,    ///< of textures
  filter,          ///< point or linear
  read_mode,       ///< element or normalized_float
  axis_scale,      ///< of parameters
  value_scale,     ///< of metrics
  map,             ///< of the keys that the table names, as in the forms below
  not_empty_map,
  tune,
  tables,        ///< a list of maps
  charts,        ///< likewise
  expectations,  ///< one comparison, {check, where}, or a list
  axes,          ///< NAME: values
  axis_groups,   ///< a list of NAME: values
  parameters,    ///< NAME: default, or NAME: a map
  structs,       ///< NAME: bytes
  value_words,   ///< NUMBER: a text
  buffers,       ///< NAME: a map
  init,          ///< a CUDA expression, or a map
  arguments,     ///< NAME: a map, or a list
  listed_arguments,
  fields,        ///< NAME: a CUDA expression
  steps,         ///< a list of maps
  reference,     ///< a map, or a text: where the pattern comes from
  repeats,       ///< NAME: a map
  own_metrics,   ///< NAME: an expression, or NAME: a map
  better,        ///< which of two values of a metric is the better one
  constants,     ///< NAME, perhaps in a namespace: a map
  macros,        ///< NAME: value, or a list of parameters
  architecture,  ///< specific or family
  useful,        ///< an expression, or a map
  verify,        ///< a CUDA expression, or NAME: one, or NAME: a map
};

struct Key;
/// All keys that a map may have.
using KeyTable = std::span<const Key>;

/// A key of a map in a sweep file or in a pattern's header.
struct Key {
  std::string_view name;
  ValueForm form;
  std::string_view help;  ///< what an editor shows: a sentence, often with an example
  bool is_required = false;
  KeyTable keys = {};  ///< of the map under it
};

inline std::vector<std::string> names_of(KeyTable table) {
  std::vector<std::string> names;
  for (const Key& key : table) names.emplace_back(key.name);
  return names;
}

/// How large what patterns and sweeps say may be; text_limits.h bounds the texts themselves. `sweep
/// help limits` lists them.
namespace spec_limits {

constexpr std::size_t axis_values = 1'000'000;
constexpr std::size_t tables = 100;
constexpr std::size_t charts = 100;
constexpr double measure_seconds = 86'400;  ///< for a configuration: a day
constexpr std::int64_t samples = 1'000'000;
constexpr double tune_seconds = 31'536'000;  ///< for a search: a year
constexpr std::size_t name_bytes = 255;      ///< of a parameter, an axis, a struct, a buffer

// Of a pattern's CUDA source: past these the compiler takes gigabytes, or ends with its process.
constexpr std::size_t line_bytes = 64U << 10U;
constexpr std::size_t bracket_depth = 500;  ///< parentheses, brackets and braces in each other

// Of what a pattern includes.
constexpr std::size_t included_bytes = 64U << 20U;  ///< all files together
constexpr std::size_t inclusions = 100'000;         ///< of files, each as often as it is read

}  // namespace spec_limits

/// What a parameter's `type` may be, and the kinds of value that it means.
inline constexpr std::array<std::string_view, 4> parameter_types = {"element", "integer", "boolean",
                                                                    "place"};
inline constexpr std::array parameter_kinds = {ValueKind::element, ValueKind::integer,
                                               ValueKind::boolean, ValueKind::word};

// The keys of sweep files, of patterns' headers and of the maps in them: what the parsers accept,
// and what editors offer.

/// {from: 1, to: 32}
inline constexpr Key axis_range_keys[] = {
    {"from", ValueForm::integer, "The first value.", true},
    {"to", ValueForm::integer, "The last value, if the steps reach it.", true},
    {"step", ValueForm::integer, "What is added each time; 1 unless given, negative to fall."},
    {"multiply", ValueForm::integer, "What each value is multiplied by: 2 for powers of two."},
};

/// Of measure.
inline constexpr Key samples_keys[] = {
    {"min", ValueForm::count, "Samples taken at least; 10 unless given."},
    {"max", ValueForm::count, "Samples taken at most; 1000 unless given."},
};

inline constexpr Key measure_keys[] = {
    {"cache", ValueForm::cache_state,
     "cold: flush the L2 cache before each sample; warm: leave it as the launch before did."},
    {"noise", ValueForm::share,
     "Stop when the median is known this well: half its 95 % confidence interval as a share of "
     "it. 0.5 % unless given."},
    {"samples", ValueForm::map, "How many samples are taken: {min: 10, max: 1000}.", false,
     samples_keys},
    {"seconds", ValueForm::seconds,
     "Stop measuring a configuration after so long; 0.5 unless given."},
    {"caches", ValueForm::boolean,
     "Whether the emulator follows the L1 and L2 caches too, for their hit rates."},
    {"energy", ValueForm::seconds,
     "Repeat launches for so long, to measure the energy of one; without the key 1 where a table, "
     "a "
     "chart, tune, expect or a metric of one's own names energy, else not at all."},
    {"counters", ValueForm::counters,
     "The hardware counters to read: true for memory, sets, metrics, or NVIDIA's own names; "
     "[memory, dram]."},
};

/// Of budget: no_better.
inline constexpr Key patience_keys[] = {
    {"by", ValueForm::share, "What counts as better: by at least this share."},
    {"in", ValueForm::count, "So many configurations in a row; 100 unless given."},
};

inline constexpr Key budget_keys[] = {
    {"configurations", ValueForm::count, "End after so many configurations."},
    {"seconds", ValueForm::seconds, "End after so long."},
    {"no_better", ValueForm::map,
     "End when the best has not got better for a while: {by: 1 %, in: 50}.", false, patience_keys},
};

inline constexpr Key tune_keys[] = {
    {"maximize", ValueForm::metrics,
     "The metric of which more is better: bandwidth. The first objective that the device can "
     "give decides, the others decide among equals."},
    {"minimize", ValueForm::metrics, "The metric of which less is better: time."},
    {"for_each", ValueForm::names,
     "One search and one winner for each combination of these parameters: [T]."},
    {"strategy", ValueForm::strategy,
     "How to choose what to try next; bayesian unless given. exhaustive tries everything."},
    {"budget", ValueForm::not_empty_map, "When a search ends.", false, budget_keys},
    {"seed", ValueForm::count, "Decides the random choices of a search; 1 unless given."},
    {"cut_off", ValueForm::cut_off,
     "Drop a configuration after its first samples when it is so many times slower than the "
     "best; 1.5 unless given, off for never."},
    {"predictions", ValueForm::count_or_off,
     "On a GPU with --profile: predict so many configurations before the search, which "
     "begins with the best of them; off unless given."},
};

inline constexpr Key emulator_keys[] = {
    {"set", ValueForm::axes,
     "Values that the emulator has instead, usually smaller ones: {N: 1 Mi}."},
};

inline constexpr Key expectation_keys[] = {
    {"check", ValueForm::plain,
     "A comparison of a metric with a number, a metric or an expression over parameters.", true},
    {"where", ValueForm::plain, "Which points are meant: STRIDE == 1."},
};

// Of a chart that is of this kind.
inline constexpr Key x_key = {"x", ValueForm::names,
                              "the parameter whose values stand along the x axis", true};
inline constexpr Key facet_key = {"facet", ValueForm::names,
                                  "the parameters that get a panel for each of their values"};
inline constexpr Key series_key = {"series", ValueForm::names,
                                   "the parameters that get a colour for each of their values"};
inline constexpr Key metric_axis_key = {
    "y", ValueForm::metrics, "a metric, for example bandwidth; of a list the first there is", true};
inline constexpr Key metric_scale_key = {"y_scale", ValueForm::value_scale,
                                         "how figures become heights"};

inline constexpr Key bar_keys[] = {x_key, metric_axis_key, series_key, facet_key, metric_scale_key};

inline constexpr Key line_keys[] = {
    x_key,
    metric_axis_key,
    series_key,
    facet_key,
    {"x_scale", ValueForm::axis_scale, "how the values of x become places"},
    metric_scale_key,
    {"caches", ValueForm::boolean, "whether x is a range in bytes: shows where L1 and L2 end"}};

inline constexpr Key heatmap_keys[] = {
    x_key,
    {"y", ValueForm::names, "the parameter whose values stand along the y axis", true},
    {"value", ValueForm::metrics, metric_axis_key.help, true},
    facet_key,
    {"value_scale", ValueForm::value_scale, "how figures become colours"}};

inline constexpr std::string_view scatter_axis_help =
    "a metric, for example time, or time.predicted for that origin alone; of a list the first "
    "there is";
inline constexpr Key scatter_keys[] = {
    {"x", ValueForm::metrics, scatter_axis_help, true},
    {"y", ValueForm::metrics, scatter_axis_help, true},
    series_key,
    facet_key,
    {"x_scale", ValueForm::value_scale, "how the figures of x become places"},
    metric_scale_key};

/// Of an item of `charts`; of the four kinds exactly one is needed.
inline constexpr Key chart_keys[] = {
    {"line", ValueForm::map, "lines: {x: STRIDE, y: bandwidth, series: T}", false, line_keys},
    {"bar", ValueForm::map, "bars: {x: T, y: bandwidth, series: BLOCK}", false, bar_keys},
    {"heatmap", ValueForm::map, "colours: {x: STRIDE, y: BLOCK, value: bandwidth}", false,
     heatmap_keys},
    {"scatter", ValueForm::map, "points: {x: time.measured, y: time.predicted, series: T}", false,
     scatter_keys},
    {"where", ValueForm::plain, "which points are drawn, for example BLOCK == 256"},
    {"title", ValueForm::plain, "the chart's title"},
};

/// Of an item of `tables`.
inline constexpr Key table_keys[] = {
    {"rows", ValueForm::names, "The parameters whose values are the table's lines.", true},
    {"columns", ValueForm::names, "The parameters whose values are the table's columns."},
    {"value", ValueForm::metrics,
     "The metric in the cells; of several the first that the device can give.", true},
    {"where", ValueForm::plain, "Which points the table is about: BLOCK == 256."},
    {"title", ValueForm::plain, "What stands above the table."},
};

inline constexpr Key report_keys[] = {
    {"tables", ValueForm::tables, "A list: - {rows: STRIDE, columns: [T], value: bandwidth}.",
     false, table_keys},
    {"charts", ValueForm::charts,
     "A list: - {line: {x: STRIDE, y: bandwidth, series: T}, where: BLOCK == 256}. Without the "
     "key the report chooses; an empty list asks for none.",
     false, chart_keys},
};

/// Of a metric of one's own.
inline constexpr Key own_metric_keys[] = {
    {"value", ValueForm::plain,
     "An expression over parameters and metrics, in floating point: 2 * M * N * K / time / 1e9. "
     "Metrics come in base units: s, B/s, Hz, J, and shares from 0 to 1.",
     true},
    {"unit", ValueForm::plain, "What the value is in, as reports show it: GFLOP/s."},
    {"better", ValueForm::better, "higher or lower, whichever is better; neither unless given."},
    {"help", ValueForm::plain, "What the metric means; 'sweep list metrics SWEEP' has it."},
};

// Of compile. A sweep's has the same keys but for `include`, which stands first for that.
inline constexpr Key compile_keys[] = {
    {"include", ValueForm::names,
     "Folders to look for included files in, from the pattern's own: [src, ../common]."},
    {"fast_math", ValueForm::plain,
     "Whether to compile with --use_fast_math: true, or an expression over parameters."},
    {"max_registers", ValueForm::plain,
     "The most registers a thread may have: a number or an expression over parameters; 0: as many "
     "as the compiler likes."},
    {"architecture", ValueForm::architecture,
     "specific compiles for the device's own features (sm_90a), family for those of its family "
     "(sm_100f)."},
    {"options", ValueForm::names, "Further options of NVRTC's: [--fmad=false, -Xptxas -dlcm=cg]."},
    {"defines", ValueForm::macros,
     "Macros that the code sees: {TILE_DIM: TILE, FAST: true}, or a list of parameters that are "
     "to be macros too: [TILE]. One that is false is not defined."},
};

/// Of a sweep.
inline constexpr KeyTable sweep_compile_keys = KeyTable(compile_keys).subspan(1);

inline constexpr Key sweep_keys[] = {
    {"summary", ValueForm::plain, "What the sweep shows, in a line; 'sweep list sweeps' has it."},
    {"pattern", ValueForm::names,
     "The pattern to run, by name: stride. 'sweep list patterns' shows those there are."},
    {"patterns", ValueForm::names,
     "Several patterns: [offset, stride]; then 'pattern' is an axis like any other."},
    {"axes", ValueForm::axes,
     "The values to try of each parameter: a value, a list, or {from: 1, to: 32}. Parameters "
     "that are not named keep the pattern's defaults."},
    {"zip", ValueForm::axis_groups,
     "Axes that move together, in groups: - {ROWS: [8, 16], TILE: [32, 64]}."},
    {"where", ValueForm::names,
     "Conditions over parameters; configurations that break one are left out, and counted: "
     "N * sizeof(T) <= 16 Gi."},
    {"compile", ValueForm::map, "How all patterns are compiled, besides what they say themselves.",
     false, sweep_compile_keys},
    {"measure", ValueForm::map, "How a configuration is timed and what is counted.", false,
     measure_keys},
    {"metrics", ValueForm::own_metrics,
     "Metrics of your own, over parameters and metrics: gflops: {value: 2 * N / time / 1e9, unit: "
     "GFLOP/s, better: higher}.",
     false, own_metric_keys},
    {"tune", ValueForm::tune,
     "Search for the best configuration, in the place of measuring all of them.", false, tune_keys},
    {"emulator", ValueForm::map, "What is different where there is no GPU.", false, emulator_keys},
    {"expect", ValueForm::expectations,
     "What every point keeps, as comparisons: load_sectors_per_request <= 4. A point that "
     "breaks one makes 'sweep run' end with exit code 1.",
     false, expectation_keys},
    {"report", ValueForm::map, "What the report shows.", false, report_keys},
};

inline constexpr Key parameter_keys[] = {
    {"type", ValueForm::parameter_type,
     "element, integer, boolean or place; what the default is, unless given."},
    {"default", ValueForm::plain,
     "The value where a sweep does not name the parameter; may use the parameters before it.",
     true},
    {"min", ValueForm::integer, "The smallest value there may be."},
    {"max", ValueForm::integer, "The largest value there may be."},
    {"device", ValueForm::device_figure,
     "The default is this figure of the device, where it is known."},
    {"help", ValueForm::plain, "What the parameter means, with its unit."},
    {"values", ValueForm::value_words,
     "What an integer's values stand for, which reports show beside them: {0: cached, 1: "
     "streaming}."},
};

/// Of an array in a file.
inline constexpr Key raw_type_key = {
    "type", ValueForm::element_type,
    "What raw bytes are: an element type, a parameter of that kind, or a struct."};

/// Of init.
inline constexpr Key data_file_keys[] = {
    {"file", ValueForm::plain,
     "The first values: a .npy file of NumPy's, or raw bytes, in or below the pattern's folder.",
     true},
    raw_type_key,
};

inline constexpr Key buffer_keys[] = {
    {"type", ValueForm::element_type,
     "An element type, a parameter of type element, or a struct of the file.", true},
    {"length", ValueForm::plain, "The number of elements.", true},
    {"init", ValueForm::init,
     "A CUDA expression for element i's first value, or {file: weights.npy}; without it the bytes "
     "are 0xff.",
     false, data_file_keys},
    {"place", ValueForm::plain,
     "Where it lies: device (unless given), peer, host, host_write_combined, managed, "
     "managed_peer, managed_host, compressed, or a parameter of type place."},
    {"peer", ValueForm::plain,
     "Which other GPU, where the place is one's: 1 (unless given) for the next one that this GPU "
     "reaches."},
};

inline constexpr Key argument_keys[] = {
    {"type", ValueForm::element_type, "A scalar element type; int32_t unless given."},
    {"value", ValueForm::plain,
     "An expression; of a float or double also a number with a decimal point.", true},
};

/// Of an argument in a list.
inline constexpr Key listed_argument_keys[] = {
    {"fields", ValueForm::fields, "A struct's fields that are not zero: NAME: CUDA expression.",
     true},
};

// Of a launch, which a step has too.
inline constexpr Key grid_key = {"grid", ValueForm::extent,
                                 "The blocks: one number, or up to three.", true};
inline constexpr Key block_key = {"block", ValueForm::extent,
                                  "The threads of a block: one number, or up to three.", true};
inline constexpr Key shared_key = {"shared", ValueForm::plain,
                                   "Dynamic shared memory in bytes; 0 unless given."};
inline constexpr Key cluster_key = {
    "cluster", ValueForm::extent,
    "The blocks of a cluster: one number, or up to three; the grid is a multiple of them."};
inline constexpr Key cooperative_key = {
    "cooperative", ValueForm::plain,
    "true where blocks wait for each other (grid.sync()): all must be resident at once."};

inline constexpr Key access_policy_window_keys[] = {
    {"buffer", ValueForm::plain, "The buffer that the window begins with.", true},
    {"bytes", ValueForm::plain, "How far it reaches; 0: there is no window.", true},
    {"hit_ratio", ValueForm::plain,
     "The share of the window's accesses that persist, in floating point: 0.5, PERCENT / 100; 1 "
     "unless given."},
    {"set_aside", ValueForm::plain,
     "The bytes of L2 that are set aside for persisting accesses; those of the window unless "
     "given, as far as the device goes."},
};
inline constexpr Key access_policy_window_key = {
    "access_policy_window", ValueForm::map,
    "What persists in L2 from launch to launch: {buffer: table, bytes: WINDOW}.", false,
    access_policy_window_keys};

inline constexpr Key copy_engine_keys[] = {
    {"from", ValueForm::plain, "The buffer whose first bytes are copied.", true},
    {"to", ValueForm::plain, "The buffer that they are copied to.", true},
    {"bytes", ValueForm::plain, "How many; 0: the kernel is launched.", true},
};
inline constexpr Key copy_engine_key = {
    "copy_engine", ValueForm::map,
    "A copy by a GPU's copy engine in the place of the launch, whose kernel does the same: {from: "
    "in, to: out, bytes: ENGINE ? N * sizeof(T) : 0}.",
    false, copy_engine_keys};

inline constexpr Key launch_keys[] = {grid_key,       block_key,       shared_key,
                                      cluster_key,    cooperative_key, access_policy_window_key,
                                      copy_engine_key};

/// {from: 1, to: N / 2, multiply: 2}
inline constexpr Key repeat_keys[] = {
    {"from", ValueForm::plain, "The first value.", true},
    {"to", ValueForm::plain, "The last value, if the steps reach it.", true},
    {"step", ValueForm::plain, "What is added each time; 1 unless given, negative to fall."},
    {"multiply", ValueForm::plain, "What each value is multiplied by: 2 for powers of two."},
    {"divide", ValueForm::plain, "What each value is divided by, rounding down: 2 to halve it."},
};

inline constexpr Key step_kernel_key = {
    "kernel", ValueForm::plain, "The kernel: scan<T>, of this file or of one that it includes.",
    true};
inline constexpr Key step_arguments_key = {
    "arguments", ValueForm::listed_arguments,
    "What it takes, in its order, as CUDA expressions; the buffers and scalars unless given.",
    false, listed_argument_keys};
inline constexpr Key repeat_key = {
    "repeat", ValueForm::repeats,
    "NAME: {from, to, step or multiply}: a launch for each value of NAME, which the arguments and "
    "extents may use.",
    false, repeat_keys};

inline constexpr Key step_keys[] = {step_kernel_key, step_arguments_key, grid_key,
                                    block_key,       shared_key,         cluster_key,
                                    cooperative_key, repeat_key,         access_policy_window_key,
                                    copy_engine_key};

/// Of reference: those of its only step, or `steps`.
constexpr Key not_required(Key key) {
  key.is_required = false;
  return key;
}
inline constexpr Key reference_keys[] = {
    not_required(step_kernel_key),
    step_arguments_key,
    not_required(grid_key),
    not_required(block_key),
    shared_key,
    cluster_key,
    cooperative_key,
    repeat_key,
    {"steps", ValueForm::steps, "Several launches in the place of one, as the pattern's own.",
     false, step_keys},
};

inline constexpr Key constant_keys[] = {
    {"init", ValueForm::plain, "A CUDA expression for element i's value.", true},
};

inline constexpr Key useful_keys[] = {
    {"read", ValueForm::plain, "Bytes of global memory that have to be read."},
    {"write", ValueForm::plain, "Bytes of global memory that have to be written."},
    {"shared", ValueForm::plain, "Bytes of shared memory that have to be moved."},
};

/// Of verify. Of bounds an element has to keep one; they are CUDA expressions over i.
inline constexpr Key tolerance_keys[] = {
    {"absolute", ValueForm::plain, "A difference that is allowed: 1e-6."},
    {"relative", ValueForm::plain, "The same as a share of the expected value: 1e-5."},
    {"ulps", ValueForm::plain, "The same in steps between numbers of the buffer's type: 4."},
    {"length", ValueForm::plain,
     "How many terms the kernel adds up for an element: K. Allows the rounding of so many sums."},
    {"scale", ValueForm::plain,
     "With length: the sum of the terms' magnitudes; that of the expected value unless given."},
    {"accumulate", ValueForm::element_type,
     "With length: the type that the kernel adds up in; the buffer's unless given."},
    {"equal_nan", ValueForm::boolean, "Whether a NaN is right where a NaN is expected."},
};

/// Of a buffer under verify: `equals`, `file` or `reference`.
inline constexpr Key verify_keys[] = {
    {"equals", ValueForm::plain, "A CUDA expression for element i's expected value."},
    {"file", ValueForm::plain,
     "The expected values: a .npy file of NumPy's, or raw bytes, in or below the pattern's "
     "folder."},
    raw_type_key,
    {"reference", ValueForm::plain,
     "The buffer that has the expected values after the reference; that of the same name unless "
     "given."},
    {"tolerance", ValueForm::not_empty_map,
     "How far an element may be from what is expected: {relative: 1e-5, absolute: 1e-8}.", false,
     tolerance_keys},
};

inline constexpr Key pattern_keys[] = {
    {"summary", ValueForm::plain, "What the kernel does, in a line; 'sweep list patterns' has it."},
    {"family", ValueForm::family,
     "What 'sweep list patterns' shows the pattern under: a known family, or a name of your "
     "own."},
    {"help", ValueForm::plain, "What the pattern is for, and what to look at; paragraphs."},
    {"origin", ValueForm::plain, "Where the pattern comes from: a paper, a manual, an address."},
    {"parameters", ValueForm::parameters,
     "The constants of the kernel: NAME: default, or NAME: {default: 256, min: 32, help: ...}.",
     false, parameter_keys},
    {"structs", ValueForm::structs,
     "The sizes in bytes of types that the file defines, where expressions name sizeof(Particle): "
     "Particle: 24."},
    {"require", ValueForm::names,
     "Conditions that every configuration must satisfy: N % BLOCK == 0."},
    {"buffers", ValueForm::buffers,
     "The arrays in device memory that the kernel gets pointers to, in its order.", true,
     buffer_keys},
    {"kernel", ValueForm::plain,
     "The kernel, where it has another name than the file: reduce<T, BLOCK>, of this file or of "
     "one that it includes; of overloaded ones with its types: fill(int*, int)."},
    {"arguments", ValueForm::arguments,
     "The scalars that the kernel gets after the buffers: NAME: {type, value}. Or a list of all "
     "that it gets, in its order, as CUDA expressions: [in, out, N]; {fields: {x: 1}} is a struct, "
     "{tensor: in, box: [64, 8]} a tensor map, {texture: in} a texture.",
     false, argument_keys},
    {"compile", ValueForm::map,
     "How to compile it: {fast_math: true, max_registers: 64, defines: {TILE_DIM: TILE}}.", false,
     compile_keys},
    {"constants", ValueForm::constants,
     "__constant__ and __device__ variables that are filled before the first launch: NAME: "
     "{init: 1.0f / (i + 1)}.",
     false, constant_keys},
    {"launch", ValueForm::map, "How many blocks of how many threads: {grid, block, shared}.", false,
     launch_keys},
    {"steps", ValueForm::steps,
     "Several launches in the place of one: a list of {kernel, arguments, grid, block}. Together "
     "they are timed and counted as one.",
     false, step_keys},
    {"useful", ValueForm::useful,
     "The bytes that the algorithm needs: {read, write}, or {shared}. Bandwidth is these over "
     "time.",
     true, useful_keys},
    {"metrics", ValueForm::own_metrics,
     "Metrics of the pattern's own, over its parameters and other metrics: gflops: {value: 2 * N / "
     "time / 1e9, unit: GFLOP/s, better: higher}.",
     false, own_metric_keys},
    {"reference", ValueForm::reference,
     "A plain kernel that computes what is expected, on buffers of its own: {kernel, arguments, "
     "grid, block}, or {steps}. It runs once for equal inputs. A text says where the pattern comes "
     "from, as `origin` does.",
     false, reference_keys},
    {"verify", ValueForm::verify,
     "A CUDA expression that holds for every element i after exactly one launch; with several "
     "buffers {buffer: expression} says which one i runs over. {buffer: {equals, tolerance}}, "
     "{buffer: {file, tolerance}} and {buffer: {reference, tolerance}} compare with expected "
     "values. Not needed with a reference, whose results are then compared exactly.",
     false, verify_keys},
};

// JSON Schemas (draft-07) for editors, which complete keys and values by them and show what each
// means. They are made from these tables; what the parsers accept, they do, but the parsers see
// more mistakes: in expressions, and in names of parameters.

/// Of a sweep file.
std::string sweep_schema();
/// Of the YAML in a pattern's header.
std::string pattern_schema();

}  // namespace sweep
