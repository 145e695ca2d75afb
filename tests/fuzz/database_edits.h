#pragma once

#include <string>
#include <string_view>

namespace sweep::fuzz {

/// The bytes of a valid results database with edits, which are lines that begin with `~`; a value
/// goes on until the next of them. Constraints do not hold, and an edit that SQLite refuses is
/// left out. The first letter says which database: `t` is that of a search, `e` of the emulator,
/// any other of a comparison.
///
///     ~TABLE.COLUMN ROW VALUE   gives the row at this place another value
///     ~+TABLE.COLUMN ROW VALUE  adds the same row with this value
///     ~-TABLE ROW               takes it out
///
/// A VALUE is `'` and a text, `null`, a number, or else the bytes of a blob.
std::string edited_database(std::string_view edits);

}  // namespace sweep::fuzz
