#pragma once

#include "engine/store/sqlite.h"

namespace sweep {

/// Brings the samples and metrics that versions 1 and 2 of the schema keep in rows of their own
/// into the points. The tables of version 3 must be there beside them; call it within a
/// transaction.
void gather_figures(sqlite::Database& database);

}  // namespace sweep
