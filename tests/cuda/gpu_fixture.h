#pragma once

#include <boost/test/unit_test.hpp>
#include <memory>
#include <string>

#include "engine/backend/backend.h"
#include "engine/run/workload.h"
#include "tests/pattern_from_text.h"

namespace sweep {

/// The precondition of every GPU test. Says once why tests are skipped.
boost::test_tools::assertion_result has_gpu(boost::unit_test::test_unit_id);

/// The first GPU.
const Device& first_gpu();

/// A pattern's text compiled for the first GPU, with these values for its integer parameters, as if
/// it stood in `folder`.
Workload compiled_workload(const std::string& name, const std::string& text,
                           const Bindings& given = {}, const std::filesystem::path& folder = {});

}  // namespace sweep
