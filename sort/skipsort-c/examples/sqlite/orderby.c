/* Measures queries that sort, over one table in memory.
 *
 *     orderby time ROWS           a line for each query: name, ms, ms of keys, sort, list, rows and hash
 *     orderby check SEED CASES    what many small queries return, without times (check.c)
 *
 * compare.sh compiles it with SQLite as it is and with the patched one, and compares what both print. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

/* Only `sql` is measured. */
typedef struct query {
    const char *name;
    const char *before;
    const char *sql;
    const char *result;   /* returns what is compared; NULL: `sql` does */
    const char *after;
    unsigned rows_each;   /* not 0: `sql` runs once for so many rows of the table */
} query;

/* Most return no more than the id, so that the sorter has little to carry beside the key. */
static const query QUERIES[] = {
    {"no sort", NULL, "SELECT id FROM t", NULL, NULL, 0},
    {"url", NULL, "SELECT id FROM t ORDER BY url", NULL, NULL, 0},
    {"url in order", NULL, "SELECT id FROM in_order ORDER BY url", NULL, NULL, 0},
    {"uuid", NULL, "SELECT id FROM t ORDER BY uuid", NULL, NULL, 0},
    {"uuid, whole rows", NULL, "SELECT * FROM t ORDER BY uuid", NULL, NULL, 0},
    {"integer", NULL, "SELECT id FROM t ORDER BY number", NULL, NULL, 0},
    {"real", NULL, "SELECT id FROM t ORDER BY score", NULL, NULL, 0},
    {"mixed types", NULL, "SELECT id FROM t ORDER BY mixed", NULL, NULL, 0},
    {"three columns", NULL, "SELECT id FROM t ORDER BY grp DESC NULLS LAST, name, score DESC", NULL, NULL, 0},
    {"nocase", NULL, "SELECT id FROM t ORDER BY name COLLATE NOCASE", NULL, NULL, 0},
    {"group by", NULL, "SELECT name, count(*), sum(number) FROM t GROUP BY name", NULL, NULL, 0},
    {"create index", NULL, "CREATE INDEX i ON t(url)", "SELECT id FROM t INDEXED BY i ORDER BY url",
     "DROP INDEX i", 0},
    {"url, spilled", "PRAGMA cache_size = -2000", "SELECT id FROM t ORDER BY url", NULL,
     "PRAGMA cache_size = -1000000", 0},
    {"10 rows at a time", NULL, "SELECT id FROM few ORDER BY url", NULL, NULL, 10},
};

static const char *const SCHEMA =
    "PRAGMA cache_size = -1000000;"
    "CREATE TABLE t(id INTEGER PRIMARY KEY, url TEXT, uuid TEXT, number INTEGER, grp INTEGER, name TEXT, score REAL,"
    " mixed)";

/* Random numbers go into variables first: C does not say which argument of a call is computed first. */
static void bind_url(sqlite3_stmt *insert, int to, uint64_t *seed) {
    static const char *const HOSTS[] = {"shop", "news", "docs", "forum"};
    static const char *const PATHS[] = {"articles", "products", "users", "archive", "search"};
    /* A few hosts have most rows. */
    int host = (int)random_below(seed, 1 + random_below(seed, 400));
    const char *path = PATHS[random_below(seed, 5)];
    int folder = (int)random_below(seed, 2000);
    unsigned page = (unsigned)random_below(seed, 1 << 24);
    const char *kind = HOSTS[host % 4];
    char *url = sqlite3_mprintf("https://www.%s-%d.example.com/%s/%d/%06x.html", kind, host, path, folder, page);
    sqlite3_bind_text(insert, to, url, -1, sqlite3_free);
}

static void bind_uuid(sqlite3_stmt *insert, int to, uint64_t *seed) {
    uint64_t high = random_next(seed);
    uint64_t low = random_next(seed);
    char *uuid = sqlite3_mprintf("%08llx-%04llx-4%03llx-%04llx-%012llx", high >> 32, high >> 16 & 0xffff, high & 0xfff,
                                 (low >> 48 & 0x3fff) | 0x8000, low & UINT64_C(0xffffffffffff));
    sqlite3_bind_text(insert, to, uuid, -1, sqlite3_free);
}

static void bind_name(sqlite3_stmt *insert, int to, uint64_t *seed) {
    static const char *const STARTS[] = {"An", "be", "Ca", "do", "El", "fi", "Gre", "ha", "In", "jo", "Ka", "lu"};
    static const char *const MIDDLES[] = {"ra", "li", "mon", "tes", "vi", "na", "do", "ber"};
    const char *start = STARTS[random_below(seed, 12)];
    const char *middle = MIDDLES[random_below(seed, 8)];
    const char *end = MIDDLES[random_below(seed, 8)];
    int number = (int)random_below(seed, 100);
    sqlite3_bind_text(insert, to, sqlite3_mprintf("%s%s%s%d", start, middle, end, number), -1, sqlite3_free);
}

static void bind_mixed(sqlite3_stmt *insert, int to, uint64_t *seed) {
    switch (random_below(seed, 5)) {
    case 0: sqlite3_bind_null(insert, to); break;
    case 1: sqlite3_bind_int64(insert, to, (sqlite3_int64)random_below(seed, 1000000)); break;
    case 2: sqlite3_bind_double(insert, to, (double)random_below(seed, 100000000) / 100); break;
    case 3: bind_uuid(insert, to, seed); break;
    default: {
        uint64_t bytes = random_next(seed);
        sqlite3_bind_blob(insert, to, &bytes, sizeof bytes, SQLITE_TRANSIENT);
    }
    }
}

static void fill(sqlite3 *db, uint64_t rows) {
    uint64_t seed = 1;
    sqlite3_stmt *insert;
    run(db, SCHEMA);
    run(db, "BEGIN");
    insert = prepare(db, "INSERT INTO t VALUES(NULL, ?, ?, ?, ?, ?, ?, ?)");
    for (uint64_t row = 0; row < rows; row++) {
        bind_url(insert, 1, &seed);
        bind_uuid(insert, 2, &seed);
        sqlite3_bind_int64(insert, 3, (sqlite3_int64)(random_next(&seed) >> 20));
        if (random_below(&seed, 10) == 0) {
            sqlite3_bind_null(insert, 4);
        } else {
            sqlite3_bind_int64(insert, 4, (sqlite3_int64)random_below(&seed, 100));
        }
        bind_name(insert, 5, &seed);
        sqlite3_bind_double(insert, 6, (double)random_below(&seed, 100000) / 100);
        bind_mixed(insert, 7, &seed);
        fetch(db, insert);
    }
    sqlite3_finalize(insert);
    run(db, "CREATE TABLE few AS SELECT id, url FROM t LIMIT 10;"
            "CREATE TABLE in_order AS SELECT id, url FROM t ORDER BY url;"
            "COMMIT");
}

static void measure(sqlite3 *db, const query *what, uint64_t rows) {
    uint64_t times = what->rows_each == 0 ? 1 : rows / what->rows_each;
    phases before, after;
    result got = {0, 0};
    sqlite3_stmt *statement;
    double began, took;
    if (what->before != NULL) run(db, what->before);
    statement = prepare(db, what->sql);
    before = sorter_phases;
    began = now_ms();
    for (uint64_t time = 0; time < times; time++) got = fetch(db, statement);
    took = now_ms() - began;
    after = sorter_phases;
    sqlite3_finalize(statement);
    if (what->result != NULL) {
        statement = prepare(db, what->result);
        got = fetch(db, statement);
        sqlite3_finalize(statement);
    }
    if (what->after != NULL) run(db, what->after);
    printf("%s\t%.1f\t%.1f\t%.1f\t%.1f\t%llu %016llx\n", what->name, took, after.keys_ms - before.keys_ms,
           after.sort_ms - before.sort_ms, after.link_ms - before.link_ms, (unsigned long long)got.rows,
           (unsigned long long)got.hash);
}

int main(int argc, char **argv) {
    uint64_t number = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    if (argc == 4 && strcmp(argv[1], "check") == 0) return check(number, strtoull(argv[3], NULL, 10));
    if (argc == 3 && strcmp(argv[1], "time") == 0 && number > 0) {
        sqlite3 *db;
        must(NULL, sqlite3_open(":memory:", &db), "open");
        fill(db, number);
        for (size_t at = 0; at < sizeof QUERIES / sizeof *QUERIES; at++) measure(db, &QUERIES[at], number);
        sqlite3_close(db);
        return EXIT_SUCCESS;
    }
    fprintf(stderr, "usage: orderby time ROWS, or orderby check SEED CASES\n");
    return EXIT_FAILURE;
}
