#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/store/record.h"
#include "report/document.h"

namespace sweep {

/// "2025-01-31T12:00:00Z" -> "2025-01-31 12:00:00 UTC"; other texts stay.
std::string readable_time(const std::string& time);

/// What a report says about where a run's figures come from, line by line: "driver" and
/// "580.159.04, CUDA 13.0". What is not known is left out.
std::vector<std::pair<std::string, std::string>> describe_provenance(const RunRecord& run);
/// The same as a table.
DocumentTable provenance_table(const RunRecord& run);

}  // namespace sweep
