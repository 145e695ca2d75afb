#include "engine/cuda/module_cache.h"

#include <algorithm>
#include <string_view>

namespace sweep {
namespace {

/// Whether the name of one of the namespaces that hold parameters stands in `text`; they are
/// numbered.
bool names_constants(std::string_view text) {
  for (std::size_t at = text.find(constants_namespace); at != std::string_view::npos;
       at = text.find(constants_namespace, at)) {
    at += constants_namespace.size();
    if (at < text.size() && text[at] >= '0' && text[at] <= '9') return true;
  }
  return false;
}

/// Whether this line of PTX declares a variable in device memory. In an instruction the word
/// follows its opcode; an initialiser may name other variables.
bool declares_variable(std::string_view line) {
  const std::string_view declared = line.substr(0, line.find('='));
  return (declared.starts_with(".global ") ||
          declared.find(" .global ") != std::string_view::npos) &&
         !names_constants(declared);
}

}  // namespace

bool has_device_variables(const Program& program) {
  if (program.ptx.empty()) {
    // The names of the sections that hold them; whether they are constants is not known.
    const std::string_view image(program.cubin.data(), program.cubin.size());
    return image.find(".nv.global") != std::string_view::npos;
  }
  for (std::string_view rest = program.ptx; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    if (declares_variable(line)) return true;
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  return false;
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
