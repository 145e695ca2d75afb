#include "engine/run/compiler_process.h"

#include <limits>

#include "engine/run/compile_messages.h"
#include "engine/run/worker_process.h"

namespace sweep {
namespace {

/// A compiler needs as long as it needs.
constexpr double forever = std::numeric_limits<double>::infinity();
/// How long opening NVRTC may take.
constexpr double start_patience = 60;
/// After so many failures in succession no further process is started.
constexpr int most_failures = 2;

}  // namespace

void serve_programs(Channel& channel, ProgramCompiler& compiler) {
  try {
    channel.send({});
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
  if (process_ != nullptr) return;
  auto process = std::make_unique<WorkerProcess>(command_);
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) throw CompilingStopped();
    process_ = std::move(process);
  }
  process_->channel().receive(start_patience);
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

/// Whether the action succeeded; the process does not survive its failure.
template <class Action>
bool CompilerProcess::attempt(const Action& action) {
  if (failures_ >= most_failures) return false;
  try {
    action();
    return true;
  } catch (const CompilingStopped&) {
    throw;
  } catch (const std::exception&) {
    // Whatever went wrong: this process compiles instead, and finds what is wrong with a program.
    ++failures_;
    end();
    return false;
  }
}

void CompilerProcess::prepare() {
  attempt([&] { start(); });
}

NvrtcResult CompilerProcess::compile(const ProgramSource& source) {
  NvrtcResult result;
  const auto compile_there = [&] {
    start();
    process_->channel().send(encode(source));
    result = decode_nvrtc_result(process_->channel().receive(forever));
    failures_ = 0;
  };
  return attempt(compile_there) ? result : in_this_process_.compile(source);
}

}  // namespace sweep
