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
 *   - A scratch is used by one call at a time, and not after skipsort_scratch_free.
 *   - The stop callback returns. It does not leave by longjmp or by a C++ exception, and frees nothing that the call
 *     uses.
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
/* The stop callback asked to stop. The rows are all there once, in some order; nothing was written to `out`. */
#define SKIPSORT_STOPPED 4

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

/* What a code means, as a sentence without a full stop; never NULL, never to be freed. */
const char *skipsort_strerror(int status);

/* The version of the library, such as "0.1.0"; never NULL, never to be freed. */
const char *skipsort_version(void);

#ifdef __cplusplus
}
#endif

#endif
