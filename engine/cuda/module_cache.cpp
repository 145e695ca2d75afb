#include "engine/cuda/module_cache.h"

#include <string_view>

namespace sweep {

bool has_device_variables(const Program& program) {
  if (!program.cubin.empty()) {
    // The names of the sections that hold them.
    const std::string_view image(program.cubin.data(), program.cubin.size());
    return image.find(".nv.global") != std::string_view::npos;
  }
  // A declaration; in an instruction the word follows its opcode.
  return program.ptx.find("\n.global ") != std::string::npos ||
         program.ptx.find(" .global ") != std::string::npos;
}

const Module& ModuleCache::get(const std::shared_ptr<const Program>& program) {
  if (const Loaded* loaded = modules_.find(program); loaded != nullptr && loaded->reusable) {
    return loaded->module;
  }
  modules_.erase(program);
  Loaded loaded{load_module(program->cubin.empty() ? static_cast<const void*>(program->ptx.c_str())
                                                   : program->cubin.data()),
                !has_device_variables(*program)};
  ++loads_;
  return modules_.insert(program, std::move(loaded)).module;
}

}  // namespace sweep
