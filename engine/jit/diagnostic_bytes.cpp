#include "engine/jit/diagnostic_bytes.h"

#include "engine/jit/byte_sequence.h"

namespace sweep {
namespace {

enum class Place : std::uint8_t { nowhere, given_source, other_source };

Place place_of(const SourcePtr& where, const SourcePtr& source) {
  if (where == nullptr) return Place::nowhere;
  const bool is_given = where == source || (source != nullptr && where->name == source->name &&
                                            where->text == source->text);
  return is_given ? Place::given_source : Place::other_source;
}

void put(ByteWriter& bytes, const Location& where, const SourcePtr& source) {
  const Place place = place_of(where.source, source);
  bytes.number(static_cast<std::uint8_t>(place));
  if (place == Place::other_source) {
    bytes.text(where.source->name);
    bytes.text(where.source->text);
  }
  bytes.number(std::uint64_t{where.line});
  bytes.number(std::uint64_t{where.column});
  bytes.number(std::uint64_t{where.length});
  bytes.number(static_cast<std::uint8_t>(where.exact ? 1 : 0));
}

SourcePtr get_source(ByteReader& bytes, const SourcePtr& source) {
  switch (static_cast<Place>(bytes.number<std::uint8_t>())) {
    case Place::nowhere:
      return nullptr;
    case Place::given_source:
      return source;
    case Place::other_source: {
      std::string name(bytes.text());
      std::string text(bytes.text());
      return std::make_shared<const Source>(Source{std::move(name), std::move(text)});
    }
  }
  throw DamagedBytes("a place is of no known kind");
}

Location get_location(ByteReader& bytes, const SourcePtr& source) {
  Location where;
  where.source = get_source(bytes, source);
  where.line = bytes.number<std::uint64_t>();
  where.column = bytes.number<std::uint64_t>();
  where.length = bytes.number<std::uint64_t>();
  where.exact = bytes.number<std::uint8_t>() != 0;
  return where;
}

Severity get_severity(ByteReader& bytes) {
  const auto severity = static_cast<Severity>(bytes.number<std::uint8_t>());
  switch (severity) {
    case Severity::error:
    case Severity::warning:
    case Severity::note:
      return severity;
  }
  throw DamagedBytes("a message is of no known severity");
}

}  // namespace

std::string diagnostic_bytes(const Diagnostics& diagnostics, const SourcePtr& source) {
  ByteWriter bytes;
  bytes.number(std::uint64_t{diagnostics.list().size()});
  for (const Diagnostic& diagnostic : diagnostics.list()) {
    bytes.number(static_cast<std::uint8_t>(diagnostic.severity));
    put(bytes, diagnostic.where, source);
    bytes.text(diagnostic.message);
    bytes.text(diagnostic.help);
  }
  return bytes.take();
}

Diagnostics diagnostics_of(std::string_view text, const SourcePtr& source) {
  ByteReader bytes(text);
  Diagnostics diagnostics;
  for (auto left = bytes.number<std::uint64_t>(); left > 0; --left) {
    Diagnostic diagnostic;
    diagnostic.severity = get_severity(bytes);
    diagnostic.where = get_location(bytes, source);
    diagnostic.message = bytes.text();
    diagnostic.help = bytes.text();
    diagnostics.add(std::move(diagnostic));
  }
  return diagnostics;
}

}  // namespace sweep
