#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>

namespace sweep {

struct RunStage;

/// What the threads share that work for the devices of a run, one for each. One thread at a time
/// has the turn, and with it the store, the observer and whatever else they share; it gives the
/// turn away while its device works.
class DeviceTeam {
 public:
  /// The thread that makes it has the turn.
  void take_turn();
  void give_turn();
  /// Gives the turn away until another thread tells of something.
  void wait();
  void tell();

  /// Works without the turn.
  template <class Work>
  auto aside(const Work& work) {
    const Change change(*this, &DeviceTeam::give_turn, &DeviceTeam::take_turn);
    return work();
  }
  /// Works with the turn, in a thread that has it not.
  template <class Work>
  auto in_turn(const Work& work) {
    const Change change(*this, &DeviceTeam::take_turn, &DeviceTeam::give_turn);
    return work();
  }

  // With the turn:
  std::size_t devices = 1;  ///< that have not fallen out
  bool is_over = false;     ///< something went wrong that ends the run

 private:
  /// Does one thing now and the other at its end, also by an exception.
  struct Change {
    using Step = void (DeviceTeam::*)();
    Change(DeviceTeam& of, Step now, Step then) : team(of), at_end(then) { (team.*now)(); }
    ~Change() { (team.*at_end)(); }
    Change(const Change&) = delete;
    Change& operator=(const Change&) = delete;
    DeviceTeam& team;
    Step at_end;
  };

  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_taken_ = true;
  std::uint64_t news_ = 0;
};

/// Does `work` for the stage's device and each further one of the request, all at the same time,
/// with a stage of its own for each. Where it throws DeviceError, that device has fallen out: the
/// run's notes say so, and the others go on; if it was the last, or for other exceptions, the rest
/// ends at its next point and the exception is thrown here. What the stages sum up is then the
/// first one's, which has a device that is left.
void on_every_device(RunStage& stage, const std::function<void(RunStage& own)>& work);

/// Measures four of the run's points on every device, all at the same time and in several rounds,
/// and one of them also on each device alone: records how many times as long each device takes as
/// the first one, and as it does alone. Nothing with one device. A run that measured nothing takes
/// this over from an earlier run of exactly the same points.
void compare_devices(RunStage& stage);

}  // namespace sweep
