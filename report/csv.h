#pragma once

#include <string>
#include <string_view>

#include "report/run_analysis.h"

namespace sweep {

/// A text from a file or a message as a field, in quotes where RFC 4180 has them. Spreadsheets
/// compute what begins like a formula, in the wide forms of East Asian writing too (OWASP, "CSV
/// Injection"): an apostrophe before it makes it a text. Figures and integers are no such texts.
std::string csv_text(std::string_view text);

/// All points of a run with everything known about them, as RFC 4180 has it: lines end in CR LF,
/// the first one names the columns.
///
/// Columns: pattern, the parameters by name, status, reason, stopped_by, verdict, each
/// metric as `bandwidth.measured [GB/s]`, for each metric that the hardware counted and the
/// emulator too by how much the latter's figure is larger (`load_sectors.difference [%]`), and the
/// notes, divided by "; ". Numbers are plain and read back exactly; what a point lacks is empty. A
/// text that a spreadsheet would take for a formula has an apostrophe before it.
std::string write_csv(const RunAnalysis& run);

}  // namespace sweep
