#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sweep {

/// The running program, and its folder.
std::filesystem::path program_path();
std::filesystem::path program_folder();

/// Where a CUDA toolkit may be, in the order to look: $SWEEP_CUDA_HOME, $CUDA_HOME, $CUDA_PATH,
/// /usr/local/cuda, and the one found when building.
std::vector<std::filesystem::path> cuda_homes();

/// The names under which to open one of the toolkit's libraries, best first: in the homes that
/// the environment names, beside the program, by the system's search, then in the other homes.
/// `names` are file names such as "libnvrtc.so.13".
std::vector<std::string> library_candidates(const std::vector<std::string>& names);

/// A toolkit's include folder that has `header`, or an empty path: best the toolkit that has
/// `library`, then the homes in their order.
std::filesystem::path find_cuda_include(const std::string& header,
                                        const std::filesystem::path& library);

}  // namespace sweep
