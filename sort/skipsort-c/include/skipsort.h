/* skipsort: sorts rows by the bytes of their keys.
 *
 *     skipsort_row rows[] = {{"pear", 4, 1}, {"fig", 3, 2}};
 *     int status = skipsort_sort(rows, 2, NULL);
 *
 * Keys are compared as unsigned bytes, as memcmp does; of two keys of which one begins with the other, the shorter
 * is first. Every function that returns int returns one of the codes below.
 *
 * Duties of the caller, in every call. The library checks what it can, which is said at each code; where it cannot,
 * breaking one of these is undefined behaviour:
 *
 *   - An array has as many elements as the call says. Of no elements it may be NULL.
 *   - The `length` bytes at `key` of each row are readable. Of length 0 the key may be NULL.
 *   - Nobody writes to the rows, the keys or the options while the call runs. An array that the call writes (rows of
 *     a sort, `out`) is not read by others either, and overlaps neither the keys nor another argument. Keys may
 *     overlap each other.
 *   - A scratch or a sorter is used by one call at a time, and not after it has been freed.
 *   - Callbacks return. They do not leave by longjmp or by a C++ exception, free nothing that the call uses, and call
 *     no function with the call's own sorter.
 *
 * Calls of different threads are independent of each other. No function may be called from a signal handler. */
#ifndef SKIPSORT_H
#define SKIPSORT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Done. */
#define SKIPSORT_OK 0
/* The memory that the call needs could not be had. The rows are as they were. This is found out before the sort
 * begins. Small allocations follow (the stack of pending groups, tables of threads); where one of these fails, the
 * process ends, as in every Rust program. */
#define SKIPSORT_NO_MEMORY 1
/* An argument that cannot be right; nothing was done:
 * an array that is NULL or not aligned but has elements; a key that is NULL but has a length; a count or a length of
 * more than PTRDIFF_MAX bytes; more than 2^32 rows for 32-bit row numbers; a flag that does not exist; a scratch that
 * another call is using; a stop callback with several threads; more than 1024 threads. */
#define SKIPSORT_BAD_ARGUMENT 2
/* The library has a bug: please report it. It has printed a message to the standard error output. The rows are all
 * there once, in some order; what `out` holds is undefined. */
#define SKIPSORT_PANIC 3
/* A callback asked to stop. Rows of an array are all there once, in some order; nothing was written to `out`. */
#define SKIPSORT_STOPPED 4
/* A sorter's file could not be written or read, or was not as it had been written; skipsort_sorter_message says more. */
#define SKIPSORT_STORAGE 5
/* No row is left. */
#define SKIPSORT_END 6

/* One row: 24 bytes where pointers have 8. */
typedef struct skipsort_row {
    const void *key;
    size_t length;    /* of the key, in bytes */
    uint64_t payload; /* yours: moved along, never read */
} skipsort_row;

/* Memory that is kept from call to call. */
typedef struct skipsort_scratch skipsort_scratch;

/* Flags of skipsort_options. */
#define SKIPSORT_DESCENDING 1u /* largest key first; equal keys still in their order */
#define SKIPSORT_UNSTABLE 2u   /* equal keys in any order: saves time and memory where a scratch is bounded */

/* Asked now and then on the thread of the call; anything but 0 stops the sort. */
typedef int (*skipsort_stop)(void *context);

/* How to sort. A NULL instead of a pointer to it means the same as one that is all zero: ascending, stable, on one
 * thread, with memory that is freed at the end, never stopped. */
typedef struct skipsort_options {
    uint32_t flags;
    uint32_t threads;          /* 0 means 1; with fewer rows than pay, one is used */
    skipsort_scratch *scratch; /* NULL: memory of the call's own */
    skipsort_stop stop;        /* NULL: never; else `threads` is 0 or 1 */
    void *context;             /* handed to `stop` */
} skipsort_options;

/* Sorts rows in place; 32 bytes of scratch memory for each row. */
int skipsort_sort(skipsort_row *rows, size_t count, const skipsort_options *options);

/* Writes the numbers of the rows in order to `out`, which has room for `count`; the rows stay where they are.
 * Memory as for skipsort_sort, and the size of `out` once more. */
int skipsort_indices32(const skipsort_row *rows, size_t count, const skipsort_options *options, uint32_t *out);
int skipsort_indices64(const skipsort_row *rows, size_t count, const skipsort_options *options, uint64_t *out);

/* Writes the `k` smallest rows in order to `out`, or all if there are fewer; of equal keys the first rows, in their
 * order. `out` has room for the smaller one of `k` and `count`, and does not overlap `rows`.
 * Memory: 32 bytes for each row of `rows` and 24 for each of `out`; but only 64 for each of `out`, if `k` is at most 80
 * and there are 2^14 rows or more. */
int skipsort_top_k(const skipsort_row *rows, size_t count, size_t k, skipsort_row *out);

/* A scratch that holds nothing yet. With most_bytes of 0 it takes what sorts need, 32 bytes for each row, and keeps
 * it. Otherwise it holds at most so many bytes: a sort then takes 16 bytes for each row and 512 KiB, if 32 do not fit,
 * and where these do not fit either it compares rows in place, for which a stable sort allocates 8 bytes for each row
 * beside the scratch. NULL if there is no memory. */
skipsort_scratch *skipsort_scratch_new(size_t most_bytes);

/* Bytes held; 0 of NULL and of one in use. */
size_t skipsort_scratch_bytes(const skipsort_scratch *scratch);

/* Frees a scratch; does nothing with NULL. */
void skipsort_scratch_free(skipsort_scratch *scratch);

/* Sorts rows that come one by one and leave in order one by one, as many as a folder can keep; equal keys in the order
 * in which they came. On Linux alone:
 *
 *     skipsort_sorter *sorter;
 *     skipsort_record record;
 *     int status = skipsort_sorter_new(NULL, &sorter);
 *     while (status == SKIPSORT_OK && more(&row)) {
 *         status = skipsort_sorter_push(sorter, row.key, row.key_length, row.rest, row.rest_length);
 *     }
 *     if (status == SKIPSORT_OK) status = skipsort_sorter_finish(sorter);
 *     while (status == SKIPSORT_OK && (status = skipsort_sorter_next(sorter, &record)) == SKIPSORT_OK) use(&record);
 *     if (status != SKIPSORT_END) complain(status, skipsort_sorter_message(sorter));
 *     skipsort_sorter_free(sorter);
 *
 * SKIPSORT_NO_MEMORY, _STORAGE, _PANIC, and _STOPPED by the stop callback, end a sorter: each later call says the same. */
typedef struct skipsort_sorter skipsort_sorter;

/* A row that leaves. The pointers are never NULL, and may be read until the next call with the sorter. */
typedef struct skipsort_record {
    const void *key;
    size_t key_length; /* in bytes */
    const void *payload;
    size_t payload_length;
} skipsort_record;

/* Flag of skipsort_sorter_options. */
#define SKIPSORT_DISTINCT 4u /* of rows with equal keys only the first comes out */

/* What a sorter may use. A NULL instead of a pointer to it means the same as one that is all zero.
 * Memory: the sorter holds at most `memory_bytes`, a tenth more and 16 MB, unless one row is larger. It reserves address
 * space of twice as much, and writes only what it needs of it. */
typedef struct skipsort_sorter_options {
    size_t memory_bytes; /* 0 means 64 MiB */
    const char *folder;  /* where files go, which have no name; copied. NULL: what TMPDIR says, else /tmp */
    uint32_t flags;
    uint32_t threads;    /* 0 means 1; more sort what is in memory; rows come out on the caller's */
    skipsort_stop stop;  /* asked once in some thousand rows by every call; NULL: never; else `threads` is 0 or 1 */
    void *context;       /* handed to `stop` */
} skipsort_sorter_options;

/* Makes a sorter without rows; NULL in `out` where it fails. Nothing is written to the folder before memory is full. */
int skipsort_sorter_new(const skipsort_sorter_options *options, skipsort_sorter **out);

/* Takes a row, of which it makes a copy; key and payload have less than 4 GiB each. When the memory is full it sorts what
 * is there and writes it to a file. SKIPSORT_BAD_ARGUMENT after skipsort_sorter_finish. */
int skipsort_sorter_push(skipsort_sorter *sorter, const void *key, size_t key_length, const void *payload,
                         size_t payload_length);

/* Sorts, or begins to merge files: no more rows come. Called again it does nothing. */
int skipsort_sorter_finish(skipsort_sorter *sorter);

/* Writes the next row in order to `out`, or ends with SKIPSORT_END. SKIPSORT_BAD_ARGUMENT before finish. */
int skipsort_sorter_next(skipsort_sorter *sorter, skipsort_record *out);

/* Takes a row, which may be read until it returns; anything but 0 stops. */
typedef int (*skipsort_take)(void *context, const skipsort_record *record);

/* Finishes, and gives all rows that are left to `take`, in order, on the thread of the call. SKIPSORT_STOPPED if `take`
 * asks for it: the rest can still be had, by this function or skipsort_sorter_next. */
int skipsort_sorter_each(skipsort_sorter *sorter, skipsort_take take, void *context);

/* What ended the sorter, with the file's folder and the system's reason; empty if nothing has. Never NULL, and there
 * until the sorter is freed. */
const char *skipsort_sorter_message(const skipsort_sorter *sorter);

/* Frees a sorter and its files, at any time; does nothing with NULL. */
void skipsort_sorter_free(skipsort_sorter *sorter);

/* Where the library's memory comes from, if not from malloc. Several threads may call both functions at a time.
 * `allocate` gives a block of at least so many bytes at a multiple of `alignment`, a power of two, or NULL. `release`
 * gets a block with the numbers that `allocate` was called with. Blocks outlive calls: a scratch, a sorter, and what the
 * Rust runtime keeps for a thread. So they come from memory that lasts as long as the process, not as long as a query. */
typedef struct skipsort_allocator {
    void *(*allocate)(void *context, size_t bytes, size_t alignment);
    void (*release)(void *context, void *block, size_t bytes, size_t alignment);
    void *context;
} skipsort_allocator;

/* Takes all memory from these functions from now on. Once in a process, before any other function of the library has
 * been called, while no other call runs; SKIPSORT_BAD_ARGUMENT if the library holds memory already. Of what `allocator`
 * leads to it makes a copy. */
int skipsort_use_allocator(const skipsort_allocator *allocator);

/* What a code means, as a sentence without a full stop; never NULL, never to be freed. */
const char *skipsort_strerror(int status);

/* The version of the library, such as "0.1.0"; never NULL, never to be freed. */
const char *skipsort_version(void);

#ifdef __cplusplus
}
#endif

#endif
