#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/emulator/cubin/cubin_file.h"

namespace sweep {

/// Which lines of the PTX text a function's instructions come from, as ptxas notes it in
/// `.nv_debug_line_sass` where the program was compiled with line information: a line number
/// program of DWARF 2 ("Line Number Information"), whose lines are those of the text that the
/// compiler gives out.
class PtxLines {
 public:
  PtxLines() = default;
  PtxLines(const CubinFile& file, std::string_view function);

  bool empty() const { return rows_.empty(); }
  /// The line that the instruction at this byte of the function comes from; 0: none.
  std::uint32_t at(std::uint64_t address) const;

 private:
  struct Row {
    std::uint64_t address = 0;
    std::uint32_t line = 0;  ///< from there on
  };

  std::vector<Row> rows_;  ///< by address, rising
};

}  // namespace sweep
