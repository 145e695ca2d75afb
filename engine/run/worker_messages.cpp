#include "engine/run/worker_messages.h"

#include <nlohmann/json.hpp>

namespace sweep {

using Json = nlohmann::json;

namespace {

Json to_json(const Device& device) {
  return {{"backend", device.backend},
          {"index", device.index},
          {"name", device.name},
          {"uuid", device.uuid},
          {"compute_capability", device.compute_capability},
          {"multiprocessors", device.multiprocessors},
          {"l2_bytes", device.l2_bytes},
          {"memory_bytes", device.memory_bytes},
          {"memory_clock_hz", device.memory_clock_hz},
          {"memory_bus_bits", device.memory_bus_bits},
          {"driver", device.driver},
          {"cuda", device.cuda}};
}

Device device_from(const Json& json) {
  Device device;
  json.at("backend").get_to(device.backend);
  json.at("index").get_to(device.index);
  json.at("name").get_to(device.name);
  json.at("uuid").get_to(device.uuid);
  json.at("compute_capability").get_to(device.compute_capability);
  json.at("multiprocessors").get_to(device.multiprocessors);
  json.at("l2_bytes").get_to(device.l2_bytes);
  json.at("memory_bytes").get_to(device.memory_bytes);
  json.at("memory_clock_hz").get_to(device.memory_clock_hz);
  json.at("memory_bus_bits").get_to(device.memory_bus_bits);
  json.at("driver").get_to(device.driver);
  json.at("cuda").get_to(device.cuda);
  return device;
}

Json to_json(const Extent3& extent) {
  return {extent.x, extent.y, extent.z};
}

Extent3 extent_from(const Json& json) {
  return {json.at(0).get<std::uint32_t>(), json.at(1).get<std::uint32_t>(),
          json.at(2).get<std::uint32_t>()};
}

Json binary(const void* data, std::size_t size) {
  const auto* bytes = static_cast<const std::uint8_t*>(data);
  return Json::binary(Bytes(bytes, bytes + size));
}

Json to_json(const Program& program) {
  return {{"cubin", binary(program.cubin.data(), program.cubin.size())},
          {"ptx", program.cubin.empty() ? program.ptx : std::string()}};
}

std::shared_ptr<const Program> program_from(const Json& json) {
  auto program = std::make_shared<Program>();
  const Bytes& cubin = json.at("cubin").get_binary();
  program->cubin.assign(cubin.begin(), cubin.end());
  json.at("ptx").get_to(program->ptx);
  return program;
}

Json to_json(const Workload& workload) {
  Json json = {{"kernel", workload.kernel_entry},  {"grid", to_json(workload.grid)},
               {"block", to_json(workload.block)}, {"shared", workload.shared_bytes},
               {"buffers", Json::array()},         {"scalars", Json::array()},
               {"verify", Json::array()}};
  for (const BufferPlan& buffer : workload.buffers) {
    json["buffers"].push_back({buffer.name, buffer.length, buffer.bytes, buffer.init_entry});
  }
  for (const std::vector<std::byte>& scalar : workload.scalars) {
    json["scalars"].push_back(binary(scalar.data(), scalar.size()));
  }
  for (const VerificationPlan& plan : workload.verify) {
    json["verify"].push_back({plan.check_entry, plan.length, plan.buffer, plan.condition});
  }
  return json;
}

Workload workload_from(const Json& json) {
  Workload workload;
  json.at("kernel").get_to(workload.kernel_entry);
  workload.grid = extent_from(json.at("grid"));
  workload.block = extent_from(json.at("block"));
  json.at("shared").get_to(workload.shared_bytes);
  for (const Json& buffer : json.at("buffers")) {
    workload.buffers.push_back({buffer.at(0).get<std::string>(), buffer.at(1).get<std::uint64_t>(),
                                buffer.at(2).get<std::uint64_t>(),
                                buffer.at(3).get<std::string>()});
  }
  for (const Json& scalar : json.at("scalars")) {
    const Bytes& bytes = scalar.get_binary();
    std::vector<std::byte> copy;
    for (const std::uint8_t byte : bytes) copy.push_back(std::byte{byte});
    workload.scalars.push_back(std::move(copy));
  }
  for (const Json& plan : json.at("verify")) {
    workload.verify.push_back({plan.at(0).get<std::string>(), plan.at(1).get<std::uint64_t>(),
                               plan.at(2).get<std::string>(), plan.at(3).get<std::string>()});
  }
  return workload;
}

Json to_json(const MeasureRules& rules) {
  return {{"warm", rules.cache == CacheState::warm},
          {"noise", rules.noise},
          {"min_samples", rules.min_samples},
          {"max_samples", rules.max_samples},
          {"seconds", rules.seconds},
          {"caches", rules.caches}};
}

MeasureRules rules_from(const Json& json) {
  MeasureRules rules;
  rules.cache = json.at("warm").get<bool>() ? CacheState::warm : CacheState::cold;
  json.at("noise").get_to(rules.noise);
  json.at("min_samples").get_to(rules.min_samples);
  json.at("max_samples").get_to(rules.max_samples);
  json.at("seconds").get_to(rules.seconds);
  json.at("caches").get_to(rules.caches);
  return rules;
}

Json to_json(const SampleRecord& sample) {
  return {sample.seconds, sample.sm_clock_hz, to_string(sample.mark)};
}

SampleRecord sample_from(const Json& json) {
  const auto mark = find_sample_mark(json.at(2).get<std::string>());
  return {json.at(0).get<double>(), json.at(1).get<double>(), mark.value_or(SampleMark::plain)};
}

Json to_json(const PhaseTimes& times) {
  Json json = Json::array();
  for (std::size_t i = 0; i < phase_count; ++i) json.push_back(times[static_cast<Phase>(i)]);
  return json;
}

PhaseTimes times_from(const Json& json) {
  PhaseTimes times;
  for (std::size_t i = 0; i < phase_count; ++i) {
    json.at(i).get_to(times[static_cast<Phase>(i)]);
  }
  return times;
}

Json to_json(const PointRecord& point) {
  Json json = {{"failed", point.status == PointStatus::failed},
               {"reason", point.reason},
               {"stopped_by", point.stopped_by},
               {"samples", Json::array()},
               {"metrics", Json::array()},
               {"notes", point.notes}};
  for (const SampleRecord& sample : point.samples) json["samples"].push_back(to_json(sample));
  for (const Metric& metric : point.metrics) {
    json["metrics"].push_back({metric.name, to_string(metric.origin), metric.value});
  }
  return json;
}

PointRecord point_from(const Json& json) {
  PointRecord point;
  point.status = json.at("failed").get<bool>() ? PointStatus::failed : PointStatus::ok;
  json.at("reason").get_to(point.reason);
  json.at("stopped_by").get_to(point.stopped_by);
  for (const Json& sample : json.at("samples")) point.samples.push_back(sample_from(sample));
  for (const Json& metric : json.at("metrics")) {
    const auto origin = find_origin(metric.at(1).get<std::string>());
    point.metrics.push_back({metric.at(0).get<std::string>(), origin.value_or(Origin::measured),
                             metric.at(2).get<double>()});
  }
  json.at("notes").get_to(point.notes);
  return point;
}

Json parse(std::span<const std::uint8_t> message) {
  return Json::from_msgpack(message.begin(), message.end());
}

}  // namespace

Bytes encode(const WorkerHello& hello) {
  return Json::to_msgpack(Json{{"device", to_json(hello.device)}, {"error", hello.error}});
}

Bytes encode(const WorkerJob& job, bool with_program) {
  Json json = {{"workload", to_json(job.workload)},
               {"rules", to_json(job.rules)},
               {"useful_device", job.useful.device},
               {"useful_shared", job.useful.shared}};
  if (with_program) json["program"] = to_json(*job.workload.program);
  return Json::to_msgpack(json);
}

Bytes encode(const WorkerAlive& alive) {
  return Json::to_msgpack(Json{{"step", alive.step}});
}

Bytes encode(const WorkerResult& result) {
  return Json::to_msgpack(Json{{"point", to_json(result.measurement.point)},
                               {"times", to_json(result.measurement.times)},
                               {"busy", result.measurement.busy_seconds},
                               {"usable", result.usable}});
}

WorkerHello decode_hello(std::span<const std::uint8_t> message) {
  const Json json = parse(message);
  return {device_from(json.at("device")), json.at("error").get<std::string>()};
}

WorkerJob decode_job(std::span<const std::uint8_t> message,
                     const std::shared_ptr<const Program>& previous) {
  const Json json = parse(message);
  WorkerJob job{workload_from(json.at("workload")),
                rules_from(json.at("rules")),
                {json.at("useful_device").get<std::uint64_t>(),
                 json.at("useful_shared").get<std::uint64_t>()}};
  job.workload.program = json.contains("program") ? program_from(json.at("program")) : previous;
  if (job.workload.program == nullptr) throw std::runtime_error("a job without a program");
  return job;
}

std::variant<WorkerAlive, WorkerResult> decode_reply(std::span<const std::uint8_t> message) {
  const Json json = parse(message);
  if (!json.contains("point")) return WorkerAlive{json.at("step").get<std::string>()};
  Measurement measurement = {point_from(json.at("point")), times_from(json.at("times")),
                             json.at("busy").get<double>()};
  return WorkerResult{std::move(measurement), json.at("usable").get<bool>()};
}

}  // namespace sweep
