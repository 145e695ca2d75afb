#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace sweep {

/// Databases that do not belong together; the message says which, and why.
class MergeRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The merging was told to stop.
class MergeStopped : public std::runtime_error {
 public:
  MergeStopped() : std::runtime_error("the merging was stopped") {}
};

struct MergeRequest {
  std::vector<std::filesystem::path> sources;
  std::filesystem::path output;  ///< what it holds already is merged too
  std::string command;           ///< the command line, for the merged run
  const std::atomic<bool>& stop;
  std::function<void()> on_merged = {};  ///< after each database
};

/// Makes one database of several that hold runs of one sweep: all their runs, with where each comes
/// from, and a merged run with the points of the newest run of each at their places in the whole
/// space. A run that several databases hold is taken once, from where it went furthest. Of several
/// points of one configuration the merged run has a successful one before a failed one, then that
/// of the run that finished and is newest. Gives what there is to say about it, in sentences.
///
/// The output is written beside its place, as OUTPUT.merging, and takes it when it is whole: until
/// then, and after any error, what is there stays as it is, and the same call begins anew.
/// Rows go from file to file within SQLite, one database after the other, so that memory does not
/// grow with their number.
///
/// Throws MergeRefused, MergeStopped, and StoreError for a file that cannot be read or written.
std::vector<std::string> merge_databases(const MergeRequest& request);

}  // namespace sweep
