//! Keys that people write: words and what is made of them.
//!
//! ```text
//!   words        the  of  the  kitaro  and ...        few words make up most of a text
//!   sentences    the kitaro and mele of the
//!   duplicates   one of rows/100 strings of 20 to 40 letters
//!   email        kitaro.mele@host17.example.org
//!   log_line     2024-05-17T10:00:00.123Z INFO  the kitaro and mele
//!   url          https://www.host17.example.com/mele/kitaro/4711.html
//!   path         /usr/share/mele/kitaro-2.1/src/lib/mele.rs
//! ```

use std::io::Write;

use crate::Keys;
use crate::rng::Rng;

/// Words made of syllables; the frequent ones are short, as in languages.
fn vocabulary(size: usize, rng: &mut Rng) -> Vec<String> {
    const SYLLABLES: &[&str] = &[
        "ka", "to", "mi", "ra", "ne", "shu", "lo", "ve", "an", "er", "in", "st", "th", "on", "qua", "pre",
        "com", "ti", "al", "es", "re", "de", "un", "is", "or",
    ];
    // Making them all would be most of what Miri does.
    let size = if cfg!(miri) { size.min(400) } else { size };
    let syllables = |rank: usize| 1 + (rank + 2).ilog2() as usize / 4;
    (0..size).map(|rank| (0..syllables(rank)).map(|_| rng.pick(SYLLABLES)).collect()).collect()
}

pub(super) fn words(rows: usize, rng: &mut Rng) -> Keys {
    let vocabulary = vocabulary(50_000, rng);
    Keys::build(rows, |_, key| key.extend(vocabulary[rng.zipf(vocabulary.len())].as_bytes()))
}

pub(super) fn sentences(rows: usize, rng: &mut Rng) -> Keys {
    let vocabulary = vocabulary(20_000, rng);
    Keys::build(rows, |_, key| push_words(key, &vocabulary, 3, 12, rng))
}

fn push_words(key: &mut Vec<u8>, vocabulary: &[String], least: usize, most: usize, rng: &mut Rng) {
    for word in 0..least + rng.below(most - least + 1) {
        if word > 0 {
            key.push(b' ');
        }
        key.extend(vocabulary[rng.zipf(vocabulary.len())].as_bytes());
    }
}

pub(super) fn duplicates(rows: usize, rng: &mut Rng) -> Keys {
    let distinct: Vec<Vec<u8>> = (0..rows / 100 + 1)
        .map(|_| (0..20 + rng.below(21)).map(|_| b'a' + rng.below(26) as u8).collect())
        .collect();
    Keys::build(rows, |_, key| key.extend(&distinct[rng.below(distinct.len())]))
}

pub(super) fn email(rows: usize, rng: &mut Rng) -> Keys {
    let names = vocabulary(5_000, rng);
    Keys::build(rows, |_, key| {
        let (first, last) = (&names[rng.below(names.len())], &names[rng.below(names.len())]);
        write!(key, "{first}.{last}@host{}.example.org", rng.zipf(200)).expect("memory");
    })
}

pub(super) fn log_line(rows: usize, rng: &mut Rng) -> Keys {
    let vocabulary = vocabulary(500, rng);
    Keys::build(rows, |_, key| {
        super::database::push_time(key, rng.below(3_000_000));
        write!(key, ".{:03}Z {:5} ", rng.below(1000), rng.pick(&["DEBUG", "INFO", "WARN"])).expect("memory");
        push_words(key, &vocabulary, 3, 8, rng);
    })
}

pub(super) fn url(rows: usize, rng: &mut Rng) -> Keys {
    let vocabulary = vocabulary(3_000, rng);
    Keys::build(rows, |_, key| {
        let host = rng.zipf(2_000);
        write!(key, "https://www.host{host}.example.{}", ["com", "org", "net"][host % 3]).expect("memory");
        for _ in 0..1 + rng.below(4) {
            key.push(b'/');
            key.extend(vocabulary[rng.zipf(vocabulary.len())].as_bytes());
        }
        write!(key, "/{}.html", rng.below(100_000)).expect("memory");
    })
}

pub(super) fn path(rows: usize, rng: &mut Rng) -> Keys {
    let vocabulary = vocabulary(2_000, rng);
    const ROOTS: &[&str] =
        &["/usr/share", "/usr/lib/x86_64-linux-gnu", "/home/user/projects", "/var/lib/data"];
    Keys::build(rows, |_, key| {
        key.extend(rng.pick(ROOTS).as_bytes());
        for _ in 0..2 + rng.below(5) {
            write!(key, "/{}", vocabulary[rng.zipf(60)]).expect("memory");
        }
        let (stem, ending) = (rng.below(vocabulary.len()), rng.pick(&["rs", "c", "h", "py", "txt", "gz"]));
        write!(key, "/{}{}.{ending}", vocabulary[stem], rng.below(1000)).expect("memory");
    })
}
