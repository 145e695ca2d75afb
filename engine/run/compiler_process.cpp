#include <fmt/format.h>

#include <chrono>
#include <system_error>
#include <thread>

#include "engine/run/compile_pool.h"
#include "engine/text/byte_sequence.h"

namespace sweep {
namespace {

/// How long opening NVRTC may take.
constexpr double nvrtc_patience = 60;
/// The system may refuse a process for a moment only.
constexpr int start_attempts = 3;
constexpr std::chrono::milliseconds start_pause{100};
/// A process may be killed for reasons that are not the program's, such as a lack of memory. Of
/// several kernels whoever asks compiles each half again.
int attempts_for(const ProgramSource& source) {
  return source.name_expressions.size() > 1 ? 1 : 2;
}

NvrtcResult given_up(const std::string& why) {
  return {false, "its process " + why, {}, {}, {}};
}

CompileReply compile_reply(ProgramCompiler& compiler, const ProgramSource& source) {
  try {
    return compiler.compile(source);
  } catch (const LibraryError& error) {
    return error.what();
  }
}

}  // namespace

void serve_programs(Channel& channel, ProgramCompiler& compiler) {
  try {
    channel.send({});
    for (;;) {
      const auto source = decode_message<ProgramSource>(channel.receive(Channel::forever));
      channel.send(encode_message(compile_reply(compiler, source)));
    }
  } catch (const ChannelClosed&) {
    // The process that wanted the results is gone or done.
  }
}

CompilerStartFailure::CompilerStartFailure(const std::string& why)
    : LibraryError(fmt::format("no compiler process can be started: {}; 'ulimit -a' shows this "
                               "shell's limits of processes, open files and memory",
                               why)) {}

void CompilerProcesses::start_ahead(unsigned count) {
  try {
    for (; count > 0; --count) {
      auto process = std::make_unique<WorkerProcess>(command_);
      const std::lock_guard lock(mutex_);
      unused_.push_back({std::move(process)});
    }
  } catch (const std::system_error&) {
    // Whoever takes one tries again, and says what is wrong.
  }
}

CompilerProcesses::Taken CompilerProcesses::take() {
  std::unique_lock lock(mutex_);
  if (unused_.empty()) {
    lock.unlock();
    return {std::make_unique<WorkerProcess>(command_)};
  }
  // The one that was given back last, and of those that are starting the first.
  const auto chosen = unused_.back().is_ready ? unused_.end() - 1 : unused_.begin();
  Taken taken = std::move(*chosen);
  unused_.erase(chosen);
  return taken;
}

void CompilerProcesses::give_back(Taken taken) {
  const std::lock_guard lock(mutex_);
  unused_.push_back(std::move(taken));
}

void CompilerProcesses::close() {
  const std::lock_guard lock(mutex_);
  for (const Taken& unused : unused_) unused.process->abandon();
  unused_.clear();
}

CompilerProcess::~CompilerProcess() {
  if (taken_.process != nullptr && !is_busy_) processes_.give_back(std::move(taken_));
}

void CompilerProcess::prepare() {
  for (int left = start_attempts; left > 0; --left) {
    std::string problem;
    try {
      if (taken_.process == nullptr) {
        CompilerProcesses::Taken taken = processes_.take();
        const std::lock_guard lock(mutex_);
        taken_ = std::move(taken);
      }
      if (!taken_.is_ready) receive_reply(nvrtc_patience);
      taken_.is_ready = true;
      return;
    } catch (const std::system_error& error) {
      problem = error.code().message();
    } catch (const ChannelClosed&) {
      problem = "it " + end() + " before it was ready";
    } catch (const ChannelTimeout&) {
      end(true);
      problem = fmt::format("it was not ready after {} s", nvrtc_patience);
    }
    if (left == 1) throw CompilerStartFailure(problem);
    std::this_thread::sleep_for(start_pause);
  }
}

/// Says how the process ended, which it has, or is about to.
std::string CompilerProcess::end(bool kill) {
  const std::lock_guard lock(mutex_);
  if (kill) taken_.process->kill();
  std::string fate = taken_.process->wait();
  taken_ = {};
  is_busy_ = false;
  if (stopped_) throw CompilingStopped();
  return fate;
}

void CompilerProcess::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  if (is_busy_) taken_.process->kill();
}

/// The process' next message, which it is asked for if there is anything to ask.
std::string CompilerProcess::receive_reply(double seconds, const std::string* question) {
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) throw CompilingStopped();
    is_busy_ = true;
  }
  Channel& channel = taken_.process->channel();
  if (question != nullptr) channel.send(*question);
  std::string reply = channel.receive(seconds);
  const std::lock_guard lock(mutex_);
  is_busy_ = false;
  return reply;
}

NvrtcResult CompilerProcess::compile(const ProgramSource& source) {
  const auto begin = std::chrono::steady_clock::now();
  NvrtcResult result = try_to_compile(source);
  ++work_.programs;
  work_.seconds += seconds_since(begin);
  return result;
}

NvrtcResult CompilerProcess::try_to_compile(const ProgramSource& source) {
  const std::string message = encode_message(source);
  std::string fate;
  for (int left = attempts_for(source); left > 0; --left) {
    prepare();
    CompileReply reply;
    try {
      reply = decode_message<CompileReply>(receive_reply(patience_, &message));
    } catch (const CompilingStopped&) {
      throw;
    } catch (const ChannelClosed&) {
      fate = end();
      continue;
    } catch (const ChannelTimeout&) {
      end(true);
      return given_up(fmt::format("had not compiled it after {} s", patience_));
    } catch (const std::runtime_error& error) {
      end(true);
      fate = fmt::format("gave no proper answer: {}", error.what());
      continue;
    }
    if (auto* result = std::get_if<NvrtcResult>(&reply)) return std::move(*result);
    throw LibraryError(std::get<std::string>(reply));
  }
  return given_up(fate);
}

}  // namespace sweep
