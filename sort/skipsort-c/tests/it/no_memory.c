/* Sorts more rows than the memory that the process may have allows; built without sanitizers, which reserve terabytes. */
#define _DEFAULT_SOURCE
#include <skipsort.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#define ROWS 2000000u

int main(void) {
    struct rlimit limit = {96u << 20, 96u << 20};
    skipsort_row *rows = malloc(ROWS * sizeof *rows);
    skipsort_row *first = malloc(ROWS * sizeof *first / 2);
    size_t row;
    if (rows == NULL || first == NULL) return 1;
    for (row = 0; row < ROWS; row++) {
        rows[row].key = &rows[row].payload;
        rows[row].length = sizeof rows[row].payload;
        rows[row].payload = row * 2654435761u;
    }
    if (setrlimit(RLIMIT_AS, &limit) != 0) return 2;
    if (skipsort_sort(rows, ROWS, NULL) != SKIPSORT_NO_MEMORY) return 3;
    if (skipsort_indices32(rows, ROWS, NULL, (uint32_t *)first) != SKIPSORT_NO_MEMORY) return 4;
    if (skipsort_top_k(rows, ROWS, ROWS / 2, first) != SKIPSORT_NO_MEMORY) return 5;
    for (row = 0; row < ROWS; row++) {
        if (rows[row].payload != row * 2654435761u) return 6;
    }
    /* Few rows of many need little, and a bounded scratch does with what it is given. */
    if (skipsort_top_k(rows, ROWS, 10, first) != SKIPSORT_OK) return 7;
    {
        skipsort_options options = {SKIPSORT_UNSTABLE, 0, NULL, NULL, NULL};
        options.scratch = skipsort_scratch_new(1u << 20);
        if (options.scratch == NULL || skipsort_sort(rows, 1000, &options) != SKIPSORT_OK) return 8;
        skipsort_scratch_free(options.scratch);
    }
    puts("no memory, rows as they were");
    return 0;
}
