/* Many small queries with random tables, whose results are printed without times: SQLite with the patch must print what
 * it prints without. The seed decides everything, so that a line names its case. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { COLUMNS = 4, COLUMN_KINDS = 8, QUERIES_PER_CASE = 6, LONGEST_SQL = 1000 };

/* What the queries of one case share. */
typedef struct table {
    sqlite3 *db;
    uint64_t seed;
    uint64_t rows;
    int kinds[COLUMNS]; /* what values a column has */
    int nulls_of_8;     /* of 8 values, how many are NULL */
    int threads;        /* workers sort parts of a spilled list: records of equal keys come in any order */
} table;

static uint64_t below(table *of, uint64_t bound) { return random_below(&of->seed, bound); }

/* Not the order of bytes, and unknown to the patch. */
static int compare_reversed(void *unused, int n1, const void *text1, int n2, const void *text2) {
    int order = memcmp(text2, text1, (size_t)(n1 < n2 ? n1 : n2));
    (void)unused;
    return order != 0 ? order : n2 - n1;
}

/* A power of two and its neighbours: where integers and doubles begin to differ, and both ends of 64 bits. */
static sqlite3_int64 edge(table *of) {
    uint64_t value = UINT64_C(1) << below(of, 64);
    value += below(of, 5);
    value -= 2;
    if (below(of, 2)) value = 0 - value;
    return (sqlite3_int64)value;
}

static double edge_real(table *of) {
    static const double VALUES[] = {0.0, -0.0, 0.5, -0.5, 1.5, 5e-324, -5e-324,
                                    1e-300, 0x1p63, -0x1p63, 0x1p64, DBL_MAX, HUGE_VAL, -HUGE_VAL};
    switch (below(of, 3)) {
    case 0: return VALUES[below(of, sizeof VALUES / sizeof *VALUES)];
    case 1: return (double)edge(of);
    default: return (double)edge(of) + (below(of, 2) ? 0.25 : -0.75);
    }
}

/* Bytes of few kinds, so that values are equal, begin with each other and have zeros in them. */
static int random_bytes(table *of, char *to, const char *from, size_t kinds, int most) {
    int length = (int)below(of, (uint64_t)most + 1);
    for (int i = 0; i < length; i++) to[i] = from[below(of, kinds)];
    return length;
}

static void bind_value(table *of, sqlite3_stmt *insert, int to, int kind) {
    static const char LETTERS[] = {'a', 'A', 'b', 'B', '_', ' ', '7', '\xc3', '\xa9'};
    static const char ANY[] = {'a', 'A', ' ', 0, 1, '\xff'};
    char bytes[80];
    int length;
    if (below(of, 8) < (uint64_t)of->nulls_of_8) kind = -1;
    switch (kind) {
    case -1: sqlite3_bind_null(insert, to); break;
    case 0: sqlite3_bind_int64(insert, to, (sqlite3_int64)below(of, 7) - 3); break;
    case 1: sqlite3_bind_int64(insert, to, edge(of)); break;
    case 2: sqlite3_bind_double(insert, to, edge_real(of)); break;
    case 3: bind_value(of, insert, to, 1 + (int)below(of, 2)); break;
    case 4:
        length = random_bytes(of, bytes, LETTERS, sizeof LETTERS, 6);
        sqlite3_bind_text(insert, to, bytes, length, SQLITE_TRANSIENT);
        break;
    case 5:
        memset(bytes, 'p', 60);
        length = 60 + random_bytes(of, bytes + 60, ANY, sizeof ANY, 20);
        sqlite3_bind_text(insert, to, bytes, length, SQLITE_TRANSIENT);
        break;
    case 6:
        length = random_bytes(of, bytes, ANY, sizeof ANY, 5);
        sqlite3_bind_blob(insert, to, bytes, length, SQLITE_TRANSIENT);
        break;
    default: bind_value(of, insert, to, (int)below(of, 7));
    }
}

static void fill(table *of) {
    static const char *const TYPES[] = {"", "INTEGER", "REAL", "TEXT", "NUMERIC"};
    sqlite3_stmt *insert;
    char sql[LONGEST_SQL] = "CREATE TABLE t(id INTEGER PRIMARY KEY";
    for (int column = 0; column < COLUMNS; column++) {
        const char *type = TYPES[below(of, 3) ? 0 : below(of, 5)];
        of->kinds[column] = (int)below(of, COLUMN_KINDS);
        sprintf(sql + strlen(sql), ", c%d %s", column, type);
    }
    run(of->db, strcat(sql, "); BEGIN"));
    insert = prepare(of->db, "INSERT INTO t VALUES(NULL, ?, ?, ?, ?)");
    for (uint64_t row = 0; row < of->rows; row++) {
        for (int column = 0; column < COLUMNS; column++) bind_value(of, insert, column + 1, of->kinds[column]);
        fetch(of->db, insert);
    }
    sqlite3_finalize(insert);
    run(of->db, "COMMIT");
}

/* Appends what to sort by. An index has no NULLS LAST, and GROUP BY no direction. */
static void append_terms(table *of, char *sql, int directions, int nulls) {
    static const char *const COLLATIONS[] = {"BINARY", "NOCASE", "RTRIM", "reversed"};
    int terms = 1 + (int)below(of, COLUMNS);
    for (int term = 0; term < terms; term++) {
        sprintf(sql + strlen(sql), "%sc%d", term == 0 ? "" : ", ", (int)below(of, COLUMNS));
        if (below(of, 2)) sprintf(sql + strlen(sql), " COLLATE %s", COLLATIONS[below(of, below(of, 4) ? 3 : 4)]);
        if (directions && below(of, 2)) strcat(sql, " DESC");
        if (nulls && below(of, 2)) strcat(sql, below(of, 2) ? " NULLS LAST" : " NULLS FIRST");
    }
}

/* Runs a statement that may fail, and prints how it went. */
static void show(table *of, const char *sql) {
    sqlite3_stmt *statement = prepare(of->db, sql);
    result got = {0, 0};
    int status;
    while ((status = sqlite3_step(statement)) == SQLITE_ROW) got.rows++;
    sqlite3_reset(statement);
    if (status == SQLITE_DONE) got = fetch(of->db, statement);
    sqlite3_finalize(statement);
    printf("  %s: %d, %llu rows %016llx\n", sql, status, (unsigned long long)got.rows, (unsigned long long)got.hash);
}

/* The integrity check compares neighbours in the index, and the index with the table. */
static void index_query(table *of, int unique) {
    char sql[LONGEST_SQL];
    sprintf(sql, "CREATE %sINDEX i ON t(", unique ? "UNIQUE " : "");
    append_terms(of, sql, 1, 0);
    printf("  %s): %d\n", sql, sqlite3_exec(of->db, strcat(sql, ")"), NULL, NULL, NULL));
    show(of, "PRAGMA integrity_check");
    run(of->db, "DROP INDEX IF EXISTS i");
}

static void query(table *of) {
    char sql[LONGEST_SQL];
    switch (below(of, 6)) {
    case 0: index_query(of, 0); return;
    case 1: index_query(of, 1); return;
    case 2:
        sprintf(sql, "SELECT %s FROM t GROUP BY ", of->threads ? "count(*), sum(id)" : "group_concat(id)");
        append_terms(of, sql, 0, 0);
        break;
    case 3:
        strcpy(sql, "SELECT id, row_number() OVER (ORDER BY ");
        append_terms(of, sql, 1, 1);
        strcat(sql, of->threads ? ", id) FROM t" : ") FROM t");
        break;
    default:
        strcpy(sql, below(of, 2) ? "SELECT id FROM t ORDER BY " : "SELECT * FROM t ORDER BY ");
        append_terms(of, sql, 1, 1);
        if (of->threads) strcat(sql, ", id");
    }
    show(of, sql);
}

static void open_database(table *of) {
    static const char *const ENCODINGS[] = {"UTF-8", "UTF-8", "UTF-16le", "UTF-16be"};
    char sql[LONGEST_SQL];
    must(NULL, sqlite3_shutdown(), "shutdown");
    /* A list of a page can spill, instead of one of 250 pages. */
    must(NULL, sqlite3_config(SQLITE_CONFIG_PMASZ, 1), "PMA size");
    /* Each record is an allocation of its own, or all of a list are one. */
    must(NULL, sqlite3_config(SQLITE_CONFIG_SMALL_MALLOC, (int)below(of, 2)), "small allocations");
    refuse_memory(below(of, 8) == 0);
    must(NULL, sqlite3_open(":memory:", &of->db), "open");
    must(of->db, sqlite3_create_collation(of->db, "reversed", SQLITE_UTF8, NULL, compare_reversed), "collation");
    of->threads = below(of, 4) == 0;
    sprintf(sql, "PRAGMA encoding = '%s'; PRAGMA cache_size = %d; PRAGMA temp_store = %d; PRAGMA threads = %d",
            ENCODINGS[below(of, 4)], below(of, 2) ? 1 : 10000, below(of, 4) ? 1 : 2, of->threads ? 2 : 0);
    run(of->db, sql);
}

int check(uint64_t first, uint64_t cases) {
    static const uint64_t SIZES[] = {0, 1, 2, 3, 7, 20, 100, 500, 2000, 4000};
    install_memory();
    for (uint64_t number = first; number < first + cases; number++) {
        table of = {0};
        of.seed = number;
        open_database(&of);
        of.rows = SIZES[below(&of, sizeof SIZES / sizeof *SIZES)];
        of.nulls_of_8 = (int)below(&of, 2) * (int)below(&of, 8);
        printf("case %llu: %llu rows\n", (unsigned long long)number, (unsigned long long)of.rows);
        fill(&of);
        for (int each = 0; each < QUERIES_PER_CASE; each++) query(&of);
        must(of.db, sqlite3_close(of.db), "close");
    }
    fprintf(stderr, "%llu lists sorted by skipsort, %llu merged\n", (unsigned long long)sorter_phases.sorted,
            (unsigned long long)sorter_phases.merged);
    return EXIT_SUCCESS;
}
