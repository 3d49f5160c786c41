/* Calls every function of the header once and checks what it did. */
#include <skipsort.h>

#include <stdio.h>
#include <string.h>

#define CHECK(what)                                             \
    do {                                                        \
        if (!(what)) {                                          \
            fprintf(stderr, "line %d: %s\n", __LINE__, #what);  \
            return 1;                                           \
        }                                                       \
    } while (0)

static int count_calls(void *context) {
    ++*(int *)context;
    return 0;
}

static int stop_now(void *context) {
    (void)context;
    return 1;
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
    puts("all functions called");
    return 0;
}
