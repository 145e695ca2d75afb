#pragma once

#include <string>

#include "engine/store/record.h"

// Random inputs for RapidCheck properties; to be called within one.
namespace sweep::testing {

std::string arbitrary_bytes();
/// Short texts of the characters that a careless encoding trips over.
std::string arbitrary_tricky_text();
/// Every kind of double, NaN, infinities and -0.0 included.
double arbitrary_double();
Bindings arbitrary_parameters();
PointKey arbitrary_key();
PointRecord arbitrary_point();
TuningRecord arbitrary_tuning();

/// Whether two records are equal bit for bit; a NaN equals any NaN.
bool identical(const PointRecord& a, const PointRecord& b);
bool identical(const TuningRecord& a, const TuningRecord& b);

}  // namespace sweep::testing
