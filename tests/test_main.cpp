#define BOOST_TEST_MODULE sweep
#include <boost/test/unit_test.hpp>
