/* What the test programs check with: the first thing that is not so ends the function with 1, and is named. */
#include <stdio.h>

#define CHECK(what)                                             \
    do {                                                        \
        if (!(what)) {                                          \
            fprintf(stderr, "line %d: %s\n", __LINE__, #what);  \
            return 1;                                           \
        }                                                       \
    } while (0)
