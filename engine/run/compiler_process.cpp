#include "engine/run/compiler_process.h"

#include <fmt/format.h>

#include <limits>

#include "engine/run/compile_messages.h"
#include "engine/run/worker_process.h"

namespace sweep {
namespace {

constexpr double forever = std::numeric_limits<double>::infinity();
/// How long opening NVRTC may take.
constexpr double start_patience = 60;
/// After so many failures in succession no further process is started.
constexpr int most_failures = 2;
/// A process may be killed for reasons that are not the program's, such as a lack of memory. Of
/// several kernels whoever asks compiles each half again.
int attempts_for(const ProgramSource& source) {
  return source.name_expressions.size() > 1 ? 1 : 2;
}

NvrtcResult given_up(const std::string& why) {
  NvrtcResult result;
  result.log = "its process " + why;
  return result;
}

/// What compiling gave, or the library's failure, as a message.
Bytes compile_reply(ProgramCompiler& compiler, const ProgramSource& source) {
  try {
    return encode(compiler.compile(source));
  } catch (const LibraryError& error) {
    return encode_failure(error.what());
  }
}

}  // namespace

void serve_programs(Channel& channel, ProgramCompiler& compiler) {
  try {
    channel.send({});
    for (;;) {
      const ProgramSource source = decode_program_source(channel.receive(forever));
      channel.send(compile_reply(compiler, source));
    }
  } catch (const ChannelClosed&) {
    // The process that wanted the results is gone or done.
  }
}

CompilerProcess::CompilerProcess(const std::vector<std::string>& command,
                                 ProgramCompiler& in_this_process, double patience)
    : command_(command), in_this_process_(in_this_process), patience_(patience) {}

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

/// Says how the process ended, which it has, or is about to.
std::string CompilerProcess::end() {
  const std::lock_guard lock(mutex_);
  std::string fate = process_ != nullptr ? process_->wait() : std::string();
  process_.reset();
  if (stopped_) throw CompilingStopped();
  return fate;
}

void CompilerProcess::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  if (process_ != nullptr) process_->kill();
}

/// Whether there is a process that is ready.
bool CompilerProcess::try_start() {
  if (failures_ >= most_failures) return false;
  try {
    start();
    return true;
  } catch (const CompilingStopped&) {
    throw;
  } catch (const std::exception&) {
    // Whatever went wrong: this process compiles instead.
    ++failures_;
    if (process_ != nullptr) process_->kill();
    end();
    return false;
  }
}

void CompilerProcess::prepare() {
  try_start();
}

NvrtcResult CompilerProcess::compile(const ProgramSource& source) {
  std::string fate;
  for (int left = attempts_for(source); left > 0 && try_start(); --left) {
    try {
      process_->channel().send(encode(source));
      CompileReply reply = decode_compile_reply(process_->channel().receive(patience_));
      failures_ = 0;
      if (const auto* failure = std::get_if<std::string>(&reply)) throw LibraryError(*failure);
      return std::move(std::get<NvrtcResult>(reply));
    } catch (const ChannelClosed&) {
      fate = end();
    } catch (const ChannelTimeout&) {
      process_->kill();
      end();
      return given_up(fmt::format("had not compiled it after {} s", patience_));
    } catch (const LibraryError&) {
      throw;
    } catch (const std::exception&) {
      ++failures_;
      process_->kill();
      end();
      break;
    }
  }
  // What killed a compiler must not kill this process too.
  return fate.empty() ? in_this_process_.compile(source) : given_up(fate);
}

}  // namespace sweep
