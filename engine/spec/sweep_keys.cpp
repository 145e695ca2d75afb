#include "engine/spec/sweep_keys.h"

#include <array>

namespace sweep {
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
