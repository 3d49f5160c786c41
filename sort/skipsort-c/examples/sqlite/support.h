/* What the measurement and the check share: SQL that must work, checksums of results, random numbers, and how long the
 * patched sorter spends on what. */
#ifndef SUPPORT_H
#define SUPPORT_H

#include <stdint.h>

#include "sqlite3.h"

/* Ends the program unless the status is SQLITE_OK. */
void must(sqlite3 *db, int status, const char *what);

/* Runs statements whose rows nobody needs. */
void run(sqlite3 *db, const char *sql);

sqlite3_stmt *prepare(sqlite3 *db, const char *sql);

/* Rows of a result, and a hash of their values and types, which depends on the order. */
typedef struct result {
    uint64_t rows;
    uint64_t hash;
} result;

/* Runs a statement to its end, and resets it. */
result fetch(sqlite3 *db, sqlite3_stmt *statement);

/* A generator's state is one number, so that a seed gives the same rows to both builds. */
uint64_t random_next(uint64_t *state);
uint64_t random_below(uint64_t *state, uint64_t bound);

double now_ms(void);

/* What the sorter did on this thread. All stays 0 without the patch. */
typedef struct phases {
    double keys_ms;  /* the keys were encoded */
    double sort_ms;  /* skipsort_sort ran */
    double link_ms;  /* records became a list again */
    uint64_t sorted; /* lists sorted by skipsort */
    uint64_t merged; /* lists left to the merge sort */
} phases;

extern _Thread_local phases sorter_phases;

/* The patched SQLite is compiled with -DSKIPSORT_PHASE=sorter_phase and calls this. */
void sorter_phase(const char *name);

/* Puts our allocator below SQLite; before SQLite is used. */
void install_memory(void);

/* Whether that allocator refuses the block of rows and keys, from now on. */
void refuse_memory(int refuse);

/* The subcommand `check`. */
int check(uint64_t first, uint64_t cases);

#endif
