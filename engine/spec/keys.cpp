#include "engine/spec/keys.h"

#include <array>

namespace sweep {
namespace {

constexpr std::array pattern_table = {
    Key{"summary", ValueForm::text,
        "What the kernel does, in a line; 'sweep list patterns' has it."},
    Key{"family", ValueForm::family,
        "What 'sweep list patterns' shows the pattern under: a known family, or a name of your "
        "own."},
    Key{"help", ValueForm::text, "What the pattern is for, and what to look at; paragraphs."},
    Key{"reference", ValueForm::text,
        "Where the pattern comes from: a paper, a manual, an address."},
    Key{"parameters", ValueForm::parameters,
        "The constants of the kernel: NAME: default, or NAME: {default: 256, min: 32, help: ...}."},
    Key{"structs", ValueForm::structs,
        "The sizes in bytes of types that the file defines, for sizeof in expressions: "
        "Particle: 24."},
    Key{"require", ValueForm::conditions,
        "Conditions that every configuration must satisfy: N % BLOCK == 0."},
    Key{"buffers", ValueForm::buffers,
        "The arrays in device memory that the kernel gets pointers to, in its order.", true},
    Key{"arguments", ValueForm::arguments, "The scalars that the kernel gets after the buffers."},
    Key{"launch", ValueForm::launch, "How many blocks of how many threads: {grid, block, shared}.",
        true},
    Key{"useful", ValueForm::useful,
        "The bytes that the algorithm needs: {read, write}, or {shared}. Bandwidth is these over "
        "time.",
        true},
    Key{"verify", ValueForm::verify,
        "A CUDA expression that holds for every element i after exactly one launch; with several "
        "buffers {buffer: expression} says which one i runs over.",
        true},
};

constexpr std::array parameter_table = {
    Key{"type", ValueForm::parameter_type,
        "element, integer or boolean; what the default is, unless given."},
    Key{"default", ValueForm::expression,
        "The value where a sweep does not name the parameter; may use the parameters before it.",
        true},
    Key{"min", ValueForm::integer, "The smallest value there may be."},
    Key{"max", ValueForm::integer, "The largest value there may be."},
    Key{"device", ValueForm::device_figure,
        "The default is this figure of the device, where it is known."},
    Key{"help", ValueForm::text, "What the parameter means, with its unit."},
};

constexpr std::array buffer_table = {
    Key{"type", ValueForm::element_type,
        "An element type, a parameter of type element, or a struct of the file.", true},
    Key{"length", ValueForm::expression, "The number of elements.", true},
    Key{"init", ValueForm::cuda,
        "A CUDA expression for element i's first value; without it the bytes are 0xff."},
};

constexpr std::array argument_table = {
    Key{"type", ValueForm::element_type, "A scalar element type; int32_t unless given."},
    Key{"value", ValueForm::expression,
        "An expression; of a float or double also a number with a decimal point.", true},
};

constexpr std::array launch_table = {
    Key{"grid", ValueForm::extent, "The blocks: one number, or up to three.", true},
    Key{"block", ValueForm::extent, "The threads of a block: one number, or up to three.", true},
    Key{"shared", ValueForm::expression, "Dynamic shared memory in bytes; 0 unless given."},
};

constexpr std::array useful_table = {
    Key{"read", ValueForm::expression, "Bytes of global memory that have to be read."},
    Key{"write", ValueForm::expression, "Bytes of global memory that have to be written."},
    Key{"shared", ValueForm::expression, "Bytes of shared memory that have to be moved."},
};

}  // namespace

KeyTable pattern_keys() {
  return pattern_table;
}

KeyTable parameter_keys() {
  return parameter_table;
}

KeyTable buffer_keys() {
  return buffer_table;
}

KeyTable argument_keys() {
  return argument_table;
}

KeyTable launch_keys() {
  return launch_table;
}

KeyTable useful_keys() {
  return useful_table;
}

namespace {

constexpr std::array sweep_table = {
    Key{"summary", ValueForm::text, "What the sweep shows, in a line; 'sweep list sweeps' has it."},
    Key{"pattern", ValueForm::pattern_names,
        "The pattern to run, by name: stride. 'sweep list patterns' shows those there are."},
    Key{"patterns", ValueForm::pattern_names,
        "Several patterns: [offset, stride]; then 'pattern' is an axis like any other."},
    Key{"axes", ValueForm::axes,
        "The values to try of each parameter: a value, a list, or {from: 1, to: 32}. Parameters "
        "that are not named keep the pattern's defaults."},
    Key{"zip", ValueForm::axis_groups,
        "Axes that move together, in groups: - {ROWS: [8, 16], TILE: [32, 64]}."},
    Key{"where", ValueForm::conditions,
        "Conditions over parameters; configurations that break one are left out, and counted: "
        "N * sizeof(T) <= 16 Gi."},
    Key{"measure", ValueForm::measure, "How a configuration is timed and what is counted."},
    Key{"tune", ValueForm::tune,
        "Search for the best configuration, in the place of measuring all of them."},
    Key{"emulator", ValueForm::emulator, "What is different where there is no GPU."},
    Key{"expect", ValueForm::expectations,
        "What every point keeps, as comparisons: load_sectors_per_request <= 4. A point that "
        "breaks one makes 'sweep run' end with exit code 1."},
    Key{"report", ValueForm::report, "What the report shows."},
};

constexpr std::array axis_range_table = {
    Key{"from", ValueForm::integer, "The first value.", true},
    Key{"to", ValueForm::integer, "The last value, if the steps reach it.", true},
    Key{"step", ValueForm::integer, "What is added each time; 1 unless given, negative to fall."},
    Key{"multiply", ValueForm::integer, "What each value is multiplied by: 2 for powers of two."},
};

constexpr std::array measure_table = {
    Key{"cache", ValueForm::cache_state,
        "cold: flush the L2 cache before each sample; warm: leave it as the launch before did."},
    Key{"noise", ValueForm::share,
        "Stop when the median is known this well: half its 95 % confidence interval as a share of "
        "it. 0.5 % unless given."},
    Key{"samples", ValueForm::samples, "How many samples are taken: {min: 10, max: 1000}."},
    Key{"seconds", ValueForm::seconds,
        "Stop measuring a configuration after so long; 0.5 unless given."},
    Key{"caches", ValueForm::boolean,
        "Whether the emulator follows the L1 and L2 caches too, for their hit rates."},
    Key{"counters", ValueForm::counters,
        "The hardware counters to read: true for memory, sets, metrics, or NVIDIA's own names; "
        "[memory, dram]."},
};

constexpr std::array samples_table = {
    Key{"min", ValueForm::count, "Samples taken at least; 10 unless given."},
    Key{"max", ValueForm::count, "Samples taken at most; 1000 unless given."},
};

constexpr std::array tune_table = {
    Key{"maximize", ValueForm::metrics,
        "The metric of which more is better: bandwidth. The first objective that the device can "
        "give decides, the others decide among equals."},
    Key{"minimize", ValueForm::metrics, "The metric of which less is better: time."},
    Key{"for_each", ValueForm::names,
        "One search and one winner for each combination of these parameters: [T]."},
    Key{"strategy", ValueForm::strategy,
        "How to choose what to try next; forest unless given. exhaustive tries everything."},
    Key{"budget", ValueForm::budget, "When a search ends."},
    Key{"seed", ValueForm::count, "Decides the random choices of a search; 1 unless given."},
    Key{"cut_off", ValueForm::cut_off,
        "Drop a configuration after its first samples when it is so many times slower than the "
        "best; 1.5 unless given, off for never."},
};

constexpr std::array budget_table = {
    Key{"configurations", ValueForm::count, "End after so many configurations."},
    Key{"seconds", ValueForm::seconds, "End after so long."},
    Key{"no_better", ValueForm::patience,
        "End when the best has not got better for a while: {by: 1 %, in: 50}."},
};

constexpr std::array patience_table = {
    Key{"by", ValueForm::share, "What counts as better: by at least this share."},
    Key{"in", ValueForm::count, "So many configurations in a row; 100 unless given."},
};

constexpr std::array emulator_table = {
    Key{"set", ValueForm::axes,
        "Values that the emulator has instead, usually smaller ones: {N: 1 Mi}."},
};

constexpr std::array expectation_table = {
    Key{"check", ValueForm::condition,
        "A comparison of a metric with a number, a metric or an expression over parameters.", true},
    Key{"where", ValueForm::condition, "Which points are meant: STRIDE == 1."},
};

constexpr std::array report_table = {
    Key{"tables", ValueForm::tables, "A list: - {rows: STRIDE, columns: [T], value: bandwidth}."},
    Key{"charts", ValueForm::charts,
        "A list: - {line: {x: STRIDE, y: bandwidth, series: T}, where: BLOCK == 256}. Without the "
        "key the report chooses; an empty list asks for none."},
};

constexpr std::array table_table = {
    Key{"rows", ValueForm::names, "The parameters whose values are the table's lines.", true},
    Key{"columns", ValueForm::names, "The parameters whose values are the table's columns."},
    Key{"value", ValueForm::metrics,
        "The metric in the cells; of several the first that the device can give.", true},
    Key{"where", ValueForm::condition, "Which points the table is about: BLOCK == 256."},
    Key{"title", ValueForm::text, "What stands above the table."},
};

}  // namespace

KeyTable sweep_keys() {
  return sweep_table;
}

KeyTable axis_range_keys() {
  return axis_range_table;
}

KeyTable measure_keys() {
  return measure_table;
}

KeyTable samples_keys() {
  return samples_table;
}

KeyTable tune_keys() {
  return tune_table;
}

KeyTable budget_keys() {
  return budget_table;
}

KeyTable patience_keys() {
  return patience_table;
}

KeyTable emulator_keys() {
  return emulator_table;
}

KeyTable expectation_keys() {
  return expectation_table;
}

KeyTable report_keys() {
  return report_table;
}

KeyTable table_keys() {
  return table_table;
}

}  // namespace sweep
