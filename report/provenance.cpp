#include "report/provenance.h"

#include <fmt/format.h>

#include "engine/text/units.h"

namespace sweep {
namespace {

using Lines = std::vector<std::pair<std::string, std::string>>;

void join(std::string& text, const std::string& part) {
  if (part.empty()) return;
  if (!text.empty()) text += ", ";
  text += part;
}

std::string describe_device(const Device& device) {
  std::string text = device.name;
  if (device.compute_capability > 0) {
    join(text, fmt::format("compute capability {}.{}", device.compute_capability / 10,
                           device.compute_capability % 10));
  }
  if (device.multiprocessors > 0) {
    join(text, fmt::format("{} multiprocessors", device.multiprocessors));
  }
  return text;
}

std::string describe_memory(const Device& device) {
  std::string text;
  if (device.memory_bytes > 0) join(text, format_bytes(device.memory_bytes));
  if (device.memory_bus_bits > 0 && device.memory_clock_hz > 0) {
    join(text, fmt::format("{} bit at {:.0f} MHz", device.memory_bus_bits,
                           static_cast<double>(device.memory_clock_hz) / 1e6));
  }
  if (device.peak_bandwidth() > 0) {
    join(text,
         fmt::format("theoretical peak {} GB/s", format_figure(device.peak_bandwidth() / 1e9)));
  }
  if (device.l2_bytes > 0) join(text, "L2 cache " + format_bytes(device.l2_bytes));
  return text;
}

std::string describe_driver(const Device& device) {
  std::string text = device.driver;
  if (!device.cuda.empty()) join(text, "CUDA " + device.cuda);
  return text;
}

std::string describe_run(const RunRecord& run) {
  std::string text = fmt::format("{}", run.id);
  if (!run.started.empty()) join(text, "started " + readable_time(run.started));
  if (!run.finished.empty()) {
    join(text, (run.state == RunState::interrupted ? "interrupted " : "finished ") +
                   readable_time(run.finished));
  }
  return text;
}

}  // namespace

std::string readable_time(const std::string& time) {
  if (time.size() != 20 || time[10] != 'T' || !time.ends_with('Z')) return time;
  return time.substr(0, 10) + ' ' + time.substr(11, 8) + " UTC";
}

Lines describe_provenance(const RunRecord& run) {
  const Provenance& provenance = run.provenance;
  const std::string engine =
      provenance.engine_version.empty() ? std::string() : "sweep " + provenance.engine_version;
  Lines lines = {
      {"device", describe_device(provenance.device)},
      {"memory", describe_memory(provenance.device)},
      {"driver", describe_driver(provenance.device)},
      {"compiler", provenance.compiler},
      {"engine", engine},
      {"measuring", provenance.measure},
      {"order", provenance.seed == 0 ? std::string()
                                     : fmt::format("shuffled with the seed {}", provenance.seed)},
      {"host", provenance.host},
      {"run", describe_run(run)}};
  std::erase_if(lines, [](const auto& line) { return line.second.empty(); });
  return lines;
}

DocumentTable provenance_table(const RunRecord& run) {
  DocumentTable table = {{{""}, {""}}, {}};
  for (const auto& [what, text] : describe_provenance(run)) table.rows.push_back({what, text});
  return table;
}

}  // namespace sweep
