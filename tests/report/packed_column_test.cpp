#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "report/html/page_parts.h"

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(packed_column)

namespace {

using Json = nlohmann::ordered_json;

BOOST_AUTO_TEST_CASE(few_points_are_lists) {
  const std::vector<std::int64_t> places = {0, -1, 70};
  BOOST_TEST(packed_places(places).dump() == "[0,-1,70]");
  BOOST_TEST(packed_figures({Json(1.5), Json(nullptr)}).dump() == "[1.5,null]");
}

BOOST_AUTO_TEST_CASE(many_places_are_one_text) {
  std::vector<std::int64_t> places(most_plain_points + 1, -1);
  places[1] = 0;
  places[2] = 62;
  BOOST_TEST(packed_places(places)["digits"] == 1);
  BOOST_TEST(packed_places(places)["text"].get<std::string>().substr(0, 4) == "01_0");
  places[3] = 63;
  places[4] = 4094;
  BOOST_TEST(packed_places(places)["digits"] == 2);
  BOOST_TEST(packed_places(places)["text"].get<std::string>().substr(0, 12) == "00010_10__00");
}

BOOST_AUTO_TEST_CASE(many_figures_of_few_kinds_stand_once) {
  std::vector<Json> figures(most_plain_points + 1, Json(2.5));
  figures[1] = nullptr;
  figures[2] = "inf";
  const Json packed = packed_figures(figures);
  BOOST_TEST(packed["values"].dump() == "[2.5,null,\"inf\"]");
  BOOST_TEST(packed["places"]["text"].get<std::string>().substr(0, 4) == "1231");
}

BOOST_AUTO_TEST_CASE(many_figures_of_many_kinds_stay_a_list) {
  std::vector<Json> figures;
  for (std::size_t i = 0; i <= most_plain_points; ++i) figures.emplace_back(i);
  BOOST_TEST(packed_figures(figures).size() == figures.size());
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()
}  // namespace sweep::testing
