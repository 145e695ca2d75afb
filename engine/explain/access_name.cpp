#include "engine/explain/access_name.h"

#include <algorithm>

namespace sweep {
namespace {

using Role = SourceAccess::Role;

bool is_in(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

bool fits_role(AccessVerb verb, Role role) {
  if (role == Role::any) return true;
  switch (verb) {
    case AccessVerb::load:
      return role == Role::load || role == Role::update;
    case AccessVerb::store:
      return role == Role::store || role == Role::update;
    case AccessVerb::atomic:
      return role == Role::atomic;
    case AccessVerb::copy:
      return false;
  }
  return false;
}

using Candidates = std::vector<const SourceAccess*>;

/// Whether all are one expression, written once or more often.
bool is_one(const Candidates& candidates) {
  return !candidates.empty() && std::ranges::all_of(candidates, [&](const SourceAccess* other) {
    return other->text == candidates.front()->text;
  });
}

Candidates with_role(const Candidates& candidates, AccessVerb verb) {
  Candidates result;
  std::ranges::copy_if(candidates, std::back_inserter(result),
                       [&](const SourceAccess* access) { return fits_role(verb, access->role); });
  return result;
}

}  // namespace

std::optional<AccessName> name_access(const SourceText& source, const AccessTraits& access,
                                      const std::vector<std::string>& arrays) {
  const bool has_macro =
      std::ranges::find(source.macro_lines, access.line) != source.macro_lines.end();
  if (has_macro) return std::nullopt;
  const auto may_be = [&](const SourceAccess& found) {
    if (found.first_line > access.line || found.last_line < access.line) return false;
    if (access.space == AccessSpace::local) {
      return !is_in(arrays, found.base) && !is_in(source.pointers, found.base) &&
             !found.is_argument;
    }
    if (found.base == access.array) return true;
    return is_in(source.pointers, found.base) && !is_in(arrays, found.base);
  };
  Candidates direct;
  Candidates arguments;
  for (const SourceAccess& found : source.accesses) {
    if (may_be(found)) (found.is_argument ? arguments : direct).push_back(&found);
  }
  for (const Candidates& candidates : {with_role(direct, access.verb), arguments, direct}) {
    if (is_one(candidates))
      return AccessName{candidates.front()->text, candidates.front()->first_line};
    if (candidates.empty()) continue;
    if (access.array.empty()) return std::nullopt;
    return AccessName{access.array + "[...]", access.line};
  }
  return std::nullopt;
}

}  // namespace sweep
