#include "engine/store/sqlite.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>

#include "engine/store/store.h"
#include "tests/store/database_folder.h"

namespace sweep::testing {
namespace {
namespace sqlite_types {

using sqlite::Access;
using sqlite::Database;
using sqlite::Statement;
using sqlite::Transaction;

struct Fixture : DatabaseFolder {
  Database database{path, Access::write, std::chrono::milliseconds(20)};

  Fixture() { database.execute("CREATE TABLE t (number, text TEXT)"); }
  std::int64_t rows() { return database.integer("SELECT count(*) FROM t"); }
  /// What a StoreError for this file says when it has this fault.
  auto says(StoreFault fault, const std::string& what) const {
    return [=, this](const StoreError& error) {
      BOOST_TEST(error.what() == message(what));
      return error.fault() == fault;
    };
  }
};

}  // namespace sqlite_types

BOOST_FIXTURE_TEST_SUITE(sqlite_types, sqlite_types::Fixture)

BOOST_AUTO_TEST_CASE(values_come_back_as_bound) {
  Statement insert(database, "INSERT INTO t VALUES (?, ?)");
  const std::string bytes("a\0\xff'", 4);
  insert.bind(0.1, bytes).run();
  insert.bind(std::int64_t{-1} << 62, std::string_view()).run();
  insert.bind(std::nan(""), "").run();

  Statement select(database, "SELECT number, text FROM t ORDER BY rowid");
  BOOST_REQUIRE(select.step());
  BOOST_TEST(select.real(0) == 0.1);
  BOOST_TEST(select.text(1) == bytes);
  BOOST_REQUIRE(select.step());
  BOOST_TEST(select.integer(0) == std::int64_t{-1} << 62);
  BOOST_TEST(select.text(1) == "");
  BOOST_REQUIRE(select.step());
  BOOST_TEST(std::isnan(select.real(0)));
  BOOST_TEST(!select.step());
}

BOOST_AUTO_TEST_CASE(a_transaction_that_is_not_committed_never_happened) {
  {
    const Transaction transaction(database, Transaction::Kind::write);
    database.execute("INSERT INTO t VALUES (1, 'a')");
  }
  BOOST_TEST(rows() == 0);
  {
    Transaction transaction(database, Transaction::Kind::write);
    database.execute("INSERT INTO t VALUES (1, 'a')");
    transaction.commit();
  }
  BOOST_TEST(rows() == 1);
}

BOOST_AUTO_TEST_CASE(a_full_disk_is_named_and_costs_only_the_transaction) {
  database.execute("INSERT INTO t VALUES (1, 'kept')");
  database.execute("PRAGMA max_page_count = 4");
  const auto fill = [&] {
    Transaction transaction(database, Transaction::Kind::write);
    Statement(database, "INSERT INTO t VALUES (2, ?)").bind(std::string(100000, 'x')).run();
    transaction.commit();
  };
  BOOST_CHECK_EXCEPTION(fill(), StoreError,
                        says(StoreFault::failing,
                             "cannot be written: the disk is full; what it "
                             "holds already is kept"));
  BOOST_TEST(rows() == 1);
  database.execute("PRAGMA max_page_count = 1000");
  fill();
  BOOST_TEST(rows() == 2);
}

BOOST_AUTO_TEST_CASE(a_statement_amid_its_rows_lets_go_of_them_at_its_end) {
  database.execute("PRAGMA journal_mode = WAL");
  database.execute("INSERT INTO t VALUES (1, 'a'), (2, 'b')");
  Database other(path, Access::write);
  for (int i = 0; i < 2; ++i) {
    Statement select(database, "SELECT number FROM t");
    BOOST_TEST(select.step());
    other.execute("INSERT INTO t VALUES (3, 'c')");
    BOOST_TEST(rows() == 2 + i);
  }
  BOOST_TEST(rows() == 4);
}

BOOST_AUTO_TEST_CASE(a_lock_that_lasts_is_an_error) {
  Database other(path, Access::write);
  {
    const Transaction transaction(other, Transaction::Kind::write);
    BOOST_CHECK_EXCEPTION(Transaction(database, Transaction::Kind::write), StoreError,
                          says(StoreFault::locked, "is locked by another process"));
  }
  BOOST_CHECK_NO_THROW(Transaction(database, Transaction::Kind::write));
}

BOOST_AUTO_TEST_CASE(tables_that_are_not_as_they_should_be_are_damage) {
  BOOST_CHECK_EXCEPTION(Statement(database, "SELECT absent FROM t"), StoreError,
                        says(StoreFault::damaged,
                             "is damaged (no such column: absent); `sqlite3 FILE .recover` may "
                             "save what is readable"));
}

BOOST_AUTO_TEST_CASE(foreign_keys_hold) {
  database.execute("CREATE TABLE parent (id INTEGER PRIMARY KEY)");
  database.execute("CREATE TABLE child (id REFERENCES parent (id))");
  BOOST_CHECK_THROW(database.execute("INSERT INTO child VALUES (1)"), StoreError);
}

BOOST_AUTO_TEST_CASE(reading_does_not_write) {
  Database reader(path, Access::read);
  BOOST_CHECK_EXCEPTION(
      reader.execute("DELETE FROM t"), StoreError,
      says(StoreFault::inaccessible, "cannot be written: the file or its folder is read-only"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
