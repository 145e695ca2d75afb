#include "engine/run/anchor.h"

namespace sweep {

void AnchorSchedule::on_anchor(double begin, double end) {
  last_cost_ = end - begin;
  if (last_end_) spent_ += last_cost_;
  last_end_ = end;
  points_ = 0;
}

bool AnchorSchedule::has_time(double now, double share) const {
  return spent_ + last_cost_ <= share * (now - start_);
}

bool AnchorSchedule::is_due(double now) const {
  return last_end_ && points_ >= rules_.points && now - *last_end_ >= rules_.seconds &&
         has_time(now, rules_.share);
}

bool AnchorSchedule::is_due_at_end(double now) const {
  return last_end_ && points_ > 0 && has_time(now, rules_.share_at_end);
}

}  // namespace sweep
