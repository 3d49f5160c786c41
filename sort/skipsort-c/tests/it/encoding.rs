//! The encodings of `docs/in-a-dbms.md`: the bytes compare as the values do.

use crate::programs::{Program, compiler};

const PAGE: &str = include_str!("../../docs/in-a-dbms.md");

/// Compares all pairs of values of three columns in both directions.
const CHECK: &str = r#"
#include <skipsort.h>
#include <stdio.h>

struct text { const char *bytes; size_t length; };
static const int64_t integers[] = {INT64_MIN, -256, -1, 0, 1, 255, 256, INT64_MAX};
static const double floats[] = {-1e300, -1.5, -1e-300, 0, 1e-300, 1.5, 256, 1e300};
static const struct text texts[] = {
    {"", 0}, {"\0", 1}, {"\0\0", 2}, {"\0\1", 2}, {"\1", 1}, {"a", 1}, {"a\0", 2}, {"a\0b", 3}, {"aa", 2}, {"b", 1}};
#define COUNT(array) (sizeof(array) / sizeof *(array))
#define ROWS (COUNT(texts) * COUNT(integers) * COUNT(floats))

static unsigned char keys[ROWS][32];
static skipsort_row rows[ROWS];

/* Rows in ascending order of the columns, numbered; descending columns count from their end. */
static int check(int descending) {
    size_t row, n = 0;
    for (size_t t = 0; t < COUNT(texts); t++)
        for (size_t i = 0; i < COUNT(integers); i++)
            for (size_t f = 0; f < COUNT(floats); f++, n++) {
                const size_t at = descending ? COUNT(texts) - 1 - t : t;
                unsigned char *end = put_text(keys[n], (const unsigned char *)texts[at].bytes, texts[at].length);
                if (descending) turn(keys[n], end);
                end = put_double(put_i64(end, integers[i]), floats[f]);
                rows[(n * 7919) % ROWS].key = keys[n];
                rows[(n * 7919) % ROWS].length = (size_t)(end - keys[n]);
                rows[(n * 7919) % ROWS].payload = n;
            }
    if (skipsort_sort(rows, ROWS, NULL) != SKIPSORT_OK) return 0;
    for (row = 0; row < ROWS; row++)
        if (rows[row].payload != row) return 0;
    return 1;
}

int main(void) {
    unsigned char zero[8], minus_zero[8];
    put_double(zero, 0.0);
    put_double(minus_zero, -0.0);
    printf("%d %d %d\n", check(0), check(1), memcmp(zero, minus_zero, 8) == 0);
    return 0;
}
"#;

#[test]
fn bytes_compare_as_columns_do() {
    let Some(cc) = compiler("cc") else { return };
    let page = PAGE.split("```c\n").nth(1).and_then(|rest| rest.split("```").next()).expect("code");
    let program = Program::of_text(&cc, &format!("{page}{CHECK}"), "encoding.c", &["-std=c11"]);
    assert_eq!(program.run(&[]), "1 1 1\n");
}
