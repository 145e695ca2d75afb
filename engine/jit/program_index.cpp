#include "engine/jit/program_index.h"

namespace sweep {

void ProgramIndex::add(std::shared_ptr<IndexedProgram> program) {
  forget(program->name);
  for (std::size_t i = 0; i < program->parameters.size(); ++i) {
    const auto known = places_.find(program->parameters[i]);
    if (known != places_.end()) {
      if (known->second.program->written_ns > program->written_ns) continue;
      places_.erase(known);
    }
    places_.emplace(program->parameters[i], Place{program, i});
  }
  programs_[program->name] = std::move(program);
}

void ProgramIndex::forget(const std::string& name) {
  const auto found = programs_.find(name);
  if (found == programs_.end()) return;
  for (const std::string& parameters : found->second->parameters) {
    const auto place = places_.find(parameters);
    if (place != places_.end() && place->second.program == found->second) places_.erase(place);
  }
  programs_.erase(found);
}

const ProgramIndex::Place* ProgramIndex::find(std::string_view parameters) const {
  const auto found = places_.find(parameters);
  return found == places_.end() ? nullptr : &found->second;
}

}  // namespace sweep
