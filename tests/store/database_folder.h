#pragma once

#include <filesystem>
#include <string>

#include "engine/store/store.h"
#include "tests/temporary_folder.h"

namespace sweep::testing {

/// A folder of its own with the path of a database in it, which is not there yet.
struct DatabaseFolder {
  TemporaryFolder folder;
  std::filesystem::path path = folder.path() / "a.db";

  /// The message that says `what` of the database.
  std::string message(const std::string& what) const {
    return "the file '" + path.string() + "' " + what;
  }
};

/// The same with the database open as a store.
struct OpenStore : DatabaseFolder {
  Store store{path, Store::Mode::read_write};
};

}  // namespace sweep::testing
