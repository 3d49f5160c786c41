/* Calls every function of the header once and checks what it did. */
#include <skipsort.h>

#include <string.h>

#include "check.h"

static int count_calls(void *context) {
    ++*(int *)context;
    return 0;
}

static int stop_now(void *context) {
    (void)context;
    return 1;
}

static int take_one(void *context, const skipsort_record *record) {
    *(size_t *)context += record->key_length;
    return 1;
}

static int streams(void) {
    skipsort_sorter_options options = {1u << 16, NULL, SKIPSORT_DISTINCT, 2, NULL, NULL};
    skipsort_sorter *sorter;
    skipsort_record record;
    size_t bytes = 0;
    CHECK(skipsort_sorter_new(&options, &sorter) == SKIPSORT_OK && sorter != NULL);
    CHECK(skipsort_sorter_push(sorter, "pear", 4, "1", 1) == SKIPSORT_OK);
    CHECK(skipsort_sorter_push(sorter, "fig", 3, "2", 1) == SKIPSORT_OK);
    CHECK(skipsort_sorter_push(sorter, "pear", 4, "3", 1) == SKIPSORT_OK);
    CHECK(skipsort_sorter_next(sorter, &record) == SKIPSORT_BAD_ARGUMENT);
    CHECK(skipsort_sorter_each(sorter, take_one, &bytes) == SKIPSORT_STOPPED && bytes == 3);
    CHECK(skipsort_sorter_finish(sorter) == SKIPSORT_OK);
    CHECK(skipsort_sorter_next(sorter, &record) == SKIPSORT_OK);
    CHECK(record.key_length == 4 && memcmp(record.key, "pear", 4) == 0);
    CHECK(record.payload_length == 1 && memcmp(record.payload, "1", 1) == 0);
    CHECK(skipsort_sorter_next(sorter, &record) == SKIPSORT_END);
    CHECK(strcmp(skipsort_sorter_message(sorter), "") == 0);
    skipsort_sorter_free(sorter);
    return 0;
}

int main(void) {
    skipsort_row rows[] = {{"pear", 4, 0}, {"apple", 5, 1}, {NULL, 0, 2}, {"apple", 5, 3}};
    skipsort_row first[2];
    uint32_t small[4];
    uint64_t large[4];
    int calls = 0;
    skipsort_options options = {0, 0, NULL, NULL, NULL};
    skipsort_scratch *scratch = skipsort_scratch_new(0);
    CHECK(scratch != NULL && skipsort_scratch_bytes(scratch) == 0);
    options.flags = SKIPSORT_DESCENDING | SKIPSORT_UNSTABLE;
    options.threads = 2;
    options.scratch = scratch;
    CHECK(skipsort_indices32(rows, 4, &options, small) == SKIPSORT_OK);
    CHECK(small[0] == 0 && small[3] == 2);
    CHECK(skipsort_indices64(rows, 4, NULL, large) == SKIPSORT_OK);
    CHECK(large[0] == 2 && large[1] == 1 && large[2] == 3 && large[3] == 0);
    CHECK(skipsort_top_k(rows, 4, 2, first) == SKIPSORT_OK);
    CHECK(first[0].payload == 2 && first[1].payload == 1);
    options.flags = 0;
    options.threads = 1;
    options.stop = count_calls;
    options.context = &calls;
    CHECK(skipsort_sort(rows, 4, &options) == SKIPSORT_OK && calls > 0);
    CHECK(rows[0].payload == 2 && rows[1].payload == 1 && rows[2].payload == 3 && rows[3].payload == 0);
    options.stop = stop_now;
    CHECK(skipsort_sort(rows, 4, &options) == SKIPSORT_STOPPED);
    CHECK(strcmp(skipsort_strerror(SKIPSORT_OK), "done") == 0);
    CHECK(skipsort_version()[0] >= '0' && skipsort_version()[0] <= '9');
    skipsort_scratch_free(scratch);
    CHECK(streams() == 0);
    /* Too late: the library has been used. `allocator.c` is in time. */
    CHECK(skipsort_use_allocator(NULL) == SKIPSORT_BAD_ARGUMENT);
    puts("all functions called");
    return 0;
}
