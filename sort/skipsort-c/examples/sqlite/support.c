/* See support.h. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void must(sqlite3 *db, int status, const char *what) {
    if (status != SQLITE_OK) {
        fprintf(stderr, "%s: %s\n", what, db == NULL ? sqlite3_errstr(status) : sqlite3_errmsg(db));
        exit(EXIT_FAILURE);
    }
}

void run(sqlite3 *db, const char *sql) { must(db, sqlite3_exec(db, sql, NULL, NULL, NULL), sql); }

sqlite3_stmt *prepare(sqlite3 *db, const char *sql) {
    sqlite3_stmt *statement;
    must(db, sqlite3_prepare_v2(db, sql, -1, &statement, NULL), sql);
    return statement;
}

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

static uint64_t mix_bytes(uint64_t hash, const unsigned char *bytes, size_t length) {
    uint64_t word;
    size_t at = 0;
    for (; at + sizeof word <= length; at += sizeof word) {
        memcpy(&word, bytes + at, sizeof word);
        hash = mix(hash, word);
    }
    for (; at < length; at++) hash = mix(hash, bytes[at]);
    return mix(hash, length);
}

static uint64_t mix_column(uint64_t hash, sqlite3_stmt *statement, int column) {
    int type = sqlite3_column_type(statement, column);
    hash = mix(hash, (uint64_t)type);
    if (type == SQLITE_INTEGER) return mix(hash, (uint64_t)sqlite3_column_int64(statement, column));
    if (type == SQLITE_FLOAT) {
        double value = sqlite3_column_double(statement, column);
        return mix_bytes(hash, (const unsigned char *)&value, sizeof value);
    }
    if (type == SQLITE_NULL) return hash;
    {
        const unsigned char *bytes = sqlite3_column_blob(statement, column);
        return mix_bytes(hash, bytes, (size_t)sqlite3_column_bytes(statement, column));
    }
}

result fetch(sqlite3 *db, sqlite3_stmt *statement) {
    result all = {0, 0};
    int columns = sqlite3_column_count(statement);
    while (sqlite3_step(statement) == SQLITE_ROW) {
        all.rows++;
        for (int column = 0; column < columns; column++) all.hash = mix_column(all.hash, statement, column);
    }
    must(db, sqlite3_reset(statement), sqlite3_sql(statement));
    return all;
}

/* SplitMix64. */
uint64_t random_next(uint64_t *state) {
    uint64_t value = *state += UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return value ^ value >> 31;
}

uint64_t random_below(uint64_t *state, uint64_t bound) { return random_next(state) % bound; }

double now_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

_Thread_local phases sorter_phases;
static _Thread_local double *phase;
static _Thread_local double phase_began;

static sqlite3_mem_methods memory;
static int refusing;
/* The first allocation after the phase `keys` has begun is that of rows and keys. */
static _Thread_local int refuse_next;

void sorter_phase(const char *name) {
    double now = now_ms();
    if (phase != NULL) *phase += now - phase_began;
    phase_began = now;
    phase = NULL;
    refuse_next = 0;
    if (strcmp(name, "keys") == 0) {
        phase = &sorter_phases.keys_ms;
        refuse_next = refusing;
    } else if (strcmp(name, "sort") == 0) {
        phase = &sorter_phases.sort_ms;
    } else if (strcmp(name, "link") == 0) {
        phase = &sorter_phases.link_ms;
    } else if (strcmp(name, "done") == 0) {
        sorter_phases.sorted++;
    } else {
        sorter_phases.merged++;
    }
}

static void *allocate(int bytes) {
    if (refuse_next) {
        refuse_next = 0;
        return NULL;
    }
    return memory.xMalloc(bytes);
}

void install_memory(void) {
    sqlite3_mem_methods ours;
    must(NULL, sqlite3_config(SQLITE_CONFIG_GETMALLOC, &memory), "memory");
    ours = memory;
    ours.xMalloc = allocate;
    must(NULL, sqlite3_config(SQLITE_CONFIG_MALLOC, &ours), "memory");
}

void refuse_memory(int refuse) { refusing = refuse; }
