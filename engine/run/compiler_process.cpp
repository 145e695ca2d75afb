#include "engine/run/compiler_process.h"

#include <limits>

#include "engine/run/compile_messages.h"
#include "engine/run/worker_process.h"

namespace sweep {
namespace {

/// A compiler needs as long as it needs.
constexpr double forever = std::numeric_limits<double>::infinity();
/// After so many failures in succession no further process is started.
constexpr int most_failures = 2;

}  // namespace

void serve_programs(Channel& channel, ProgramCompiler& compiler) {
  try {
    for (;;) {
      const ProgramSource source = decode_program_source(channel.receive(forever));
      channel.send(encode(compiler.compile(source)));
    }
  } catch (const ChannelClosed&) {
    // The process that wanted the results is gone or done.
  }
}

CompilerProcess::CompilerProcess(const std::vector<std::string>& command,
                                 ProgramCompiler& in_this_process)
    : command_(command), in_this_process_(in_this_process) {}

CompilerProcess::~CompilerProcess() = default;

void CompilerProcess::start() {
  auto process = std::make_unique<WorkerProcess>(command_, child_channel);
  const std::lock_guard lock(mutex_);
  if (stopped_) throw CompilingStopped();
  process_ = std::move(process);
}

void CompilerProcess::end() {
  const std::lock_guard lock(mutex_);
  process_.reset();
  if (stopped_) throw CompilingStopped();
}

void CompilerProcess::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  if (process_ != nullptr) process_->kill();
}

NvrtcResult CompilerProcess::compile_in_process(const ProgramSource& source) {
  if (process_ == nullptr) start();
  process_->channel().send(encode(source));
  return decode_nvrtc_result(process_->channel().receive(forever));
}

NvrtcResult CompilerProcess::compile(const ProgramSource& source) {
  if (failures_ < most_failures) {
    try {
      NvrtcResult result = compile_in_process(source);
      failures_ = 0;
      return result;
    } catch (const CompilingStopped&) {
      throw;
    } catch (const std::exception&) {
      // Whatever went wrong, the program is compiled below, where its own errors are thrown.
      ++failures_;
      end();
    }
  }
  return in_this_process_.compile(source);
}

}  // namespace sweep
