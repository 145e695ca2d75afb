#pragma once

#include <array>

#include "engine/cli/options/sources.h"
#include "engine/explain/explanation.h"
#include "report/compare/version_causes.h"

namespace sweep {

/// Two versions of a kernel, A and B, with what is to be measured of both.
struct KernelVersions {
  std::array<PatternPtr, 2> patterns;
  Sweep sweep;  ///< of both, without what it searches for and expects
  /// A's first configuration, B's with the same values, A's second, and so on.
  Space space = {};
  std::vector<std::string> ignored = {};  ///< parameters whose values differ nevertheless
  std::vector<std::string> notes = {};    ///< sentences on what differs between the two spaces
};

/// "A (old/stride.cu)"
std::string name_of(const KernelVersions& versions, std::size_t version);

/// Reads the two patterns and the sweep that the operands name, which may be missing: then nothing
/// varies but what --set says. Throws UsageError for one file twice, and InputError for a sweep of
/// another pattern, for parameters that differ in kind, and where several values are given to a
/// parameter that one version lacks.
KernelVersions read_versions(const GivenOptions& given,
                             const std::vector<Expression>& conditions = {});

/// Fills in the space: the configurations that the constraints of both allow. Throws CommandError
/// when there is none, and what `enumerate` does.
void pair_configurations(KernelVersions& versions, const DeviceFigures& figures,
                         const SpaceLimits& limits);

/// The lines that only one version has, and those whose accesses cost something else, with what
/// they cost by the explanations, of which either may be missing.
std::vector<ChangedFile> changed_files(
    const KernelVersions& versions, const std::array<std::optional<Explanation>, 2>& explanations);

}  // namespace sweep
