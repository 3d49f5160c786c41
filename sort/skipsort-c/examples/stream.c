/* Sorts the lines of its input with 1 MiB of memory, and files where that is not enough; of equal lines one is printed.
 *
 *     cc examples/stream.c $(pkg-config --cflags --libs skipsort) -o stream && ./stream < lines */
#define _POSIX_C_SOURCE 200809L
#include <skipsort.h>

#include <stdio.h>
#include <stdlib.h>

/* Prints a line, and stops where the output is closed. */
static int print(void *output, const skipsort_record *line) {
    size_t written = fwrite(line->key, 1, line->key_length, output);
    return written != line->key_length || fputc('\n', output) == EOF;
}

int main(void) {
    skipsort_sorter_options options = {1u << 20, NULL, SKIPSORT_DISTINCT, 0, NULL, NULL};
    skipsort_sorter *sorter;
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    int status = skipsort_sorter_new(&options, &sorter);
    while (status == SKIPSORT_OK && (length = getline(&line, &room, stdin)) >= 0) {
        if (length > 0 && line[length - 1] == '\n') length--;
        status = skipsort_sorter_push(sorter, line, (size_t)length, NULL, 0);
    }
    if (status == SKIPSORT_OK) {
        status = skipsort_sorter_each(sorter, print, stdout);
    }
    if (status != SKIPSORT_OK) {
        fprintf(stderr, "stream: %s %s\n", skipsort_strerror(status), skipsort_sorter_message(sorter));
    }
    skipsort_sorter_free(sorter);
    free(line);
    return status == SKIPSORT_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
