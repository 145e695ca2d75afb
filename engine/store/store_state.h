#pragma once

#include <memory>

#include "engine/store/point_rows.h"
#include "engine/store/sqlite.h"
#include "engine/store/store.h"

namespace sweep {

struct Store::State {
  explicit State(std::unique_ptr<sqlite::Database> opened)
      : database(std::move(opened)), points(*database) {}

  std::unique_ptr<sqlite::Database> database;
  PointRows points;
};

}  // namespace sweep
