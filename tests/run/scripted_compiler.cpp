#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>

#include "engine/run/compile_pool.h"
#include "engine/run/worker_process.h"
#include "engine/system/dynamic_library.h"

using namespace sweep;

namespace {

/// Does what a program's text says; tells the text and the process back.
class ScriptedCompiler : public ProgramCompiler {
 public:
  NvrtcResult compile(const ProgramSource& source) override {
    if (source.text == "crash") raise(SIGKILL);
    if (source.text == "exit") std::_Exit(7);
    if (source.text == "library") throw LibraryError("no such option");
    if (source.text == "hang") {
      for (;;) pause();
    }
    NvrtcResult result;
    result.ok = true;
    result.log = std::to_string(getpid());
    result.ptx = source.text;
    result.lowered_names = source.name_expressions;
    return result;
  }
};

/// NVRTC, which dies before its second program.
class MortalCompiler : public ProgramCompiler {
 public:
  NvrtcResult compile(const ProgramSource& source) override {
    if (++programs_ == 2) raise(SIGKILL);
    return nvrtc_.compile(source);
  }

 private:
  Nvrtc nvrtc_;
  int programs_ = 0;
};

}  // namespace

int main(int /*count*/, char** words) {
  const std::string what = words[1];
  Channel channel(WorkerProcess::child_channel);
  if (what == "nvrtc") {
    Nvrtc compiler;
    serve_programs(channel, compiler);
  } else if (what == "mortal") {
    MortalCompiler compiler;
    serve_programs(channel, compiler);
  } else if (what == "nonsense") {
    channel.send({});
    channel.receive(1e6);
    channel.send("nonsense");
  } else {
    ScriptedCompiler compiler;
    serve_programs(channel, compiler);
  }
}
