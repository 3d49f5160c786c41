/* All memory of the library comes from functions that count and that can refuse, and goes back with the same numbers. */
#include <skipsort.h>

#include <stdlib.h>
#include <string.h>

#include "check.h"

#define ROWS 20000u
#define SMALL 65536u

/* Before each block stands where malloc's begins, and how many bytes and which alignment were asked for. */
typedef struct head {
    void *start;
    size_t bytes, alignment;
} head;

typedef struct counts {
    size_t blocks, bytes, refused, wrong;
    int refuse; /* blocks that are not small */
} counts;

static void *give(void *context, size_t bytes, size_t alignment) {
    counts *all = context;
    char *start, *block;
    head before;
    if (all->refuse && bytes > SMALL) {
        all->refused++;
        return NULL;
    }
    start = malloc(sizeof before + alignment + bytes);
    if (start == NULL) return NULL;
    block = start + sizeof before;
    while ((uintptr_t)block % alignment != 0) block++;
    before.start = start;
    before.bytes = bytes;
    before.alignment = alignment;
    memcpy(block - sizeof before, &before, sizeof before);
    memset(block, 0xa5, bytes);
    all->blocks++;
    all->bytes += bytes;
    return block;
}

static void take_back(void *context, void *block, size_t bytes, size_t alignment) {
    counts *all = context;
    head before;
    memcpy(&before, (char *)block - sizeof before, sizeof before);
    all->wrong += before.bytes != bytes || before.alignment != alignment;
    all->blocks--;
    all->bytes -= bytes;
    free(before.start);
}

static int in_order(const skipsort_row *rows) {
    size_t row;
    for (row = 1; row < ROWS; row++) {
        if (memcmp(rows[row - 1].key, rows[row].key, 8) > 0) return 0;
    }
    return 1;
}

static void mix(skipsort_row *rows, unsigned char (*keys)[8]) {
    size_t row, byte;
    for (row = 0; row < ROWS; row++) {
        uint64_t value = (row + 1) * UINT64_C(0x9e3779b97f4a7c15);
        for (byte = 0; byte < 8; byte++) keys[row][byte] = (unsigned char)(value >> 8 * byte);
        rows[row].key = keys[row];
        rows[row].length = 8;
        rows[row].payload = row;
    }
}

static int sorters(void) {
    skipsort_sorter_options options = {1u << 20, NULL, 0, 0, NULL, NULL};
    skipsort_sorter *sorter;
    skipsort_record record;
    uint32_t number;
    CHECK(skipsort_sorter_new(&options, &sorter) == SKIPSORT_OK);
    for (number = 0; number < 100000; number++) {
        uint32_t key = number * 2654435761u;
        CHECK(skipsort_sorter_push(sorter, &key, sizeof key, NULL, 0) == SKIPSORT_OK);
    }
    CHECK(skipsort_sorter_finish(sorter) == SKIPSORT_OK);
    for (number = 0; skipsort_sorter_next(sorter, &record) == SKIPSORT_OK; number++) {}
    CHECK(number == 100000);
    skipsort_sorter_free(sorter);
    return 0;
}

int main(void) {
    static skipsort_row rows[ROWS];
    static unsigned char keys[ROWS][8];
    static counts all;
    skipsort_allocator none = {NULL, NULL, NULL}, ours = {give, take_back, &all};
    skipsort_options options = {0, 2, NULL, NULL, NULL};
    size_t kept;
    CHECK(skipsort_use_allocator(NULL) == SKIPSORT_BAD_ARGUMENT);
    CHECK(skipsort_use_allocator(&none) == SKIPSORT_BAD_ARGUMENT);
    CHECK(skipsort_use_allocator(&ours) == SKIPSORT_OK);
    CHECK(skipsort_use_allocator(&ours) == SKIPSORT_BAD_ARGUMENT);

    mix(rows, keys);
    options.scratch = skipsort_scratch_new(0);
    CHECK(options.scratch != NULL && skipsort_sort(rows, ROWS, &options) == SKIPSORT_OK && in_order(rows));
    /* What the scratch says it holds is there. */
    CHECK(all.bytes >= skipsort_scratch_bytes(options.scratch) && skipsort_scratch_bytes(options.scratch) >= 16 * ROWS);
    skipsort_scratch_free(options.scratch);
    options.scratch = NULL;
    CHECK(sorters() == 0);
    kept = all.bytes;
    CHECK(kept < 4096);

    /* Refused memory is a code, and rows are as they were. */
    mix(rows, keys);
    all.refuse = 1;
    CHECK(skipsort_sort(rows, ROWS, NULL) == SKIPSORT_NO_MEMORY && all.refused > 0);
    CHECK(rows[7].payload == 7 && !in_order(rows));
    {
        skipsort_sorter *sorter;
        CHECK(skipsort_sorter_new(NULL, &sorter) == SKIPSORT_NO_MEMORY && sorter == NULL);
    }
    all.refuse = 0;
    CHECK(skipsort_sort(rows, ROWS, NULL) == SKIPSORT_OK && in_order(rows));
    CHECK(all.bytes == kept && all.wrong == 0);
    puts("all memory came back");
    return 0;
}
