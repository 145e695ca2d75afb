#include "tests/emulator/machine/test_device.h"

#include <fmt/format.h>

#include <cstring>

#include "engine/emulator/lower/kernel.h"
#include "engine/emulator/machine/launch.h"

namespace sweep::testing {

TestDevice::TestDevice(const std::string& ptx) : program_(ptx) {}

Allocation& TestDevice::words(const std::string& name, const std::vector<std::uint32_t>& values) {
  Allocation& allocation = memory_.allocate(name, values.size() * 4, 4);
  if (!values.empty()) std::memcpy(allocation.host, values.data(), values.size() * 4);
  return allocation;
}

std::vector<std::uint32_t> TestDevice::values(const Allocation& allocation) {
  std::vector<std::uint32_t> words(static_cast<std::size_t>(allocation.bytes / 4));
  if (!words.empty()) std::memcpy(words.data(), allocation.host, words.size() * 4);
  return words;
}

Launch TestDevice::launch(const std::string& entry, const Setting& setting,
                          const std::vector<std::uint64_t>& arguments) {
  kernel_ = lower(program_, entry, best_simd());
  place_variables(program_, kernel_.variables, memory_, variable_addresses_);
  Launch launch;
  launch.kernel = &kernel_;
  launch.memory = &memory_;
  launch.variable_addresses = variable_addresses_;
  launch.grid = setting.grid;
  launch.block = setting.block;
  launch.cluster = setting.cluster;
  launch.is_explicit_cluster = setting.cluster.count() > 1;
  launch.is_cooperative = setting.is_cooperative;
  if (setting.is_cooperative) launch.grid_workspace = memory_.allocate("workspace", 64, 4).base;
  launch.dynamic_shared_bytes = setting.dynamic_shared;
  launch.checks_kernel = setting.checks_kernel;
  launch.instruction_limit = setting.instruction_limit;
  launch.parameters.resize(static_cast<std::size_t>(kernel_.parameter_bytes));
  for (std::size_t i = 0; i < arguments.size() && i < kernel_.parameter_sizes.size(); ++i) {
    std::memcpy(launch.parameters.data() + kernel_.parameter_offsets[i], &arguments[i],
                std::min<std::size_t>(static_cast<std::size_t>(kernel_.parameter_sizes[i]), 8));
  }
  Allocation& copy =
      memory_.allocate("arguments", std::max<std::size_t>(arguments.size(), 1) * 8, 1);
  if (!launch.parameters.empty()) {
    std::memcpy(
        copy.host, launch.parameters.data(),
        std::min<std::size_t>(launch.parameters.size(), static_cast<std::size_t>(copy.bytes)));
  }
  launch.parameters_address = copy.base;
  prepare_launch(launch);
  return launch;
}

std::string kernel_text(std::string_view body, std::string_view module_scope) {
  return fmt::format(R"ptx(.version 9.0
.target sm_90
.address_size 64
{}
.visible .entry k(.param .u64 k_out)
{{
.reg .pred %p<64>;
.reg .b16 %h<64>;
.reg .b32 %r<64>, %me, %id, %result, %t<8>;
.reg .b64 %d<64>, %out, %slot;
.reg .f32 %f<64>;
.reg .f64 %g<64>;
.reg .b128 %q<64>;
ld.param.u64 %out, [k_out];
mov.u32 %t0, %tid.x; mov.u32 %t1, %tid.y; mov.u32 %t2, %tid.z;
mov.u32 %t3, %ntid.x; mov.u32 %t4, %ntid.y; mov.u32 %t5, %ntid.z;
mad.lo.u32 %me, %t2, %t4, %t1;
mad.lo.u32 %me, %me, %t3, %t0;
mul.lo.u32 %t6, %t3, %t4; mul.lo.u32 %t6, %t6, %t5;
mov.u32 %t0, %ctaid.x; mov.u32 %t1, %ctaid.y; mov.u32 %t2, %ctaid.z;
mov.u32 %t3, %nctaid.x; mov.u32 %t4, %nctaid.y;
mad.lo.u32 %id, %t2, %t4, %t1;
mad.lo.u32 %id, %id, %t3, %t0;
mad.lo.u32 %id, %id, %t6, %me;
mad.wide.u32 %slot, %id, 4, %out;
mov.u32 %result, 0;
{}
st.global.u32 [%slot], %result;
ret;
}}
)ptx",
                     module_scope, body);
}

Outcome run_module(const std::string& ptx, const Setting& setting) {
  TestDevice device(ptx);
  const std::size_t threads =
      static_cast<std::size_t>(setting.grid.count() * setting.block.count());
  Allocation& out =
      device.words("out", std::vector<std::uint32_t>(setting.words == 0 ? threads : setting.words));
  if (!setting.is_output_set) {
    out.is_initialised = false;
    out.written = std::make_unique<TouchedBytes>(out.bytes);
  }
  Outcome outcome;
  Launch launch = device.launch("k", setting, {out.base});
  launch.print = [&outcome](const std::string& text) { outcome.printed += text; };
  outcome.count = run_grid(launch, setting.options).count;
  outcome.out = TestDevice::values(out);
  return outcome;
}

Outcome run_body(std::string_view body, const Setting& setting) {
  return run_module(kernel_text(body), setting);
}

std::string fault_of(std::string_view body, const Setting& setting) {
  try {
    run_body(body, setting);
  } catch (const KernelFault& fault) {
    return fault.what();
  }
  return {};
}

}  // namespace sweep::testing
