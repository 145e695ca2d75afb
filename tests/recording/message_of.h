#pragma once

#include <string>

#include "engine/text/read_source.h"

namespace sweep::testing {

/// What a FileError that `work` throws says; empty when it throws none.
template <class Work>
std::string message_of(const Work& work) {
  try {
    work();
  } catch (const FileError& error) {
    return error.what();
  }
  return {};
}

}  // namespace sweep::testing
