/* Sorts its arguments: their order, the last one, the first one.
 *
 *     cc examples/sort.c $(pkg-config --cflags --libs skipsort) -o sort && ./sort pear apple fig */
#include <skipsort.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed(const char *what, int status) {
    fprintf(stderr, "%s: %s\n", what, skipsort_strerror(status));
    return EXIT_FAILURE;
}

int main(int argc, char **argv) {
    size_t count = argc > 1 ? (size_t)argc - 1 : 0;
    skipsort_row *rows = calloc(count + 1, sizeof *rows);
    skipsort_row first;
    skipsort_options options = {0, 0, NULL, NULL, NULL};
    uint32_t *order = calloc(count + 1, sizeof *order);
    int status = SKIPSORT_NO_MEMORY;
    size_t i;
    if (rows == NULL || order == NULL || count == 0) {
        goto done;
    }
    for (i = 0; i < count; i++) {
        rows[i].key = argv[i + 1];
        rows[i].length = strlen(argv[i + 1]);
        rows[i].payload = i + 1;
    }

    /* Row numbers, largest key first; the rows stay where they are. */
    options.flags = SKIPSORT_DESCENDING;
    status = skipsort_indices32(rows, count, &options, order);
    if (status != SKIPSORT_OK) goto done;

    /* The smallest row of all. */
    status = skipsort_top_k(rows, count, 1, &first);
    if (status != SKIPSORT_OK) goto done;

    {
        const char *last = argv[order[0] + 1];
        /* In place: equal keys stay in their order. */
        status = skipsort_sort(rows, count, NULL);
        if (status != SKIPSORT_OK) goto done;
        for (i = 0; i < count; i++) {
            printf("%d %s\n", (int)rows[i].payload, (const char *)rows[i].key);
        }
        printf("last: %s\nfirst: %s\n", last, (const char *)first.key);
    }
done:
    free(order);
    free(rows);
    return status == SKIPSORT_OK || count == 0 ? EXIT_SUCCESS : failed("sort", status);
}
