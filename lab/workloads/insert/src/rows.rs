//! The values of a row: a pure function of the seed, the client, and the row's number among the client's rows.

use humdrum_contract::Random;

use crate::schema::COLUMNS;

pub(crate) const REGISTERS: u64 = 1_000;
pub(crate) const CUSTOMERS: u64 = 100_000;
pub(crate) const PRODUCTS: u64 = 10_000;
pub(crate) const PRICES: u64 = 500;

/// Length of `data`.
const DATA: std::ops::RangeInclusive<u64> = 10..=20;

/// Incompressible part of `data`, in eighths of its length: half of 0.75 of it.
const RANDOM_EIGHTHS: u64 = 3;

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Statements of a client that get the same made-up second: about as many as a server does in one.
const STATEMENTS_PER_SECOND: u64 = 20;

/// The first made-up time: 2026-01-01.
const EPOCH_SECONDS: u64 = 1_767_225_600;

/// Makes rows independent of queries, which come from the same seed. Any constant does.
const ROWS: u64 = 0x726f_7773_0000_0001;

/// Writes INSERT statements of one client.
///
/// It does not use `std::fmt`, and writes each byte once to its final place. Making rows is most of a client's work in a
/// bulk load, and the client shares the host with the server.
pub(crate) struct Rows {
    seed: u64,
    /// The statement in ASCII, with room after it. The beginning, which all statements share, is written once.
    text: Vec<u8>,
    head: usize,
    /// A second, and the beginning of all its rows.
    begin: (u64, [u8; BEGIN]),
    /// Whether rows have the wall clock's time, as in the reference, and not a made-up one that each run repeats.
    wall_clock: bool,
}

impl Rows {
    pub(crate) fn new(seed: u64, client: u32, table: &str, wall_clock: bool) -> Self {
        let seed = Random::of(seed ^ ROWS, u64::from(client)).next();
        let text = format!("INSERT INTO {table} ({COLUMNS}) VALUES ").into_bytes();
        Self { seed, head: text.len(), text, begin: (0, begin(0)), wall_clock }
    }

    /// The statement that inserts `count` rows, starting with row number `first`.
    pub(crate) fn statement(&mut self, first: u64, count: u64) -> &str {
        let seconds =
            if self.wall_clock { now() } else { EPOCH_SECONDS + first / STATEMENTS_PER_SECOND / 50 };
        if self.begin.0 != seconds {
            self.begin = (seconds, begin(seconds));
        }
        let most = self.head + count as usize * LONGEST;
        if self.text.len() < most {
            self.text.resize(most, 0);
        }
        let mut end = self.head;
        for number in first..first + count {
            let mut line = Line { bytes: &mut self.text[end..][..LONGEST], len: 0 };
            line.put(self.begin.1);
            row(&mut line, &mut Random::of(self.seed, number));
            end += line.len;
        }
        // Without the comma after the last row.
        str::from_utf8(&self.text[..end - 1]).expect("ASCII")
    }
}

/// `('2026-01-01 00:00:00',`
fn begin(seconds: u64) -> [u8; BEGIN] {
    let text = format!("('{}',", date_and_time(seconds));
    text.as_bytes().try_into().expect("a year of four digits")
}

const BEGIN: usize = 23;

/// Writes the values after the time.
fn row(line: &mut Line<'_>, random: &mut Random) {
    let (register, customer) = (random.below(REGISTERS), random.below(CUSTOMERS));
    let (product, cents) = (random.below(PRODUCTS), random.below(PRICES * 100));
    for value in [register, customer, product] {
        line.number(value as u32);
        line.put(*b",");
    }
    line.number((cents / 100) as u32);
    line.put([b'.', b'0' + (cents / 10 % 10) as u8, b'0' + (cents % 10) as u8, b',', b'\'']);
    let length = DATA.start() + random.below(DATA.end() - DATA.start() + 1);
    let tail = length * RANDOM_EIGHTHS / 8;
    line.put([b'a'; 16]);
    line.len -= 16 - (length - tail) as usize;
    for _ in 0..tail {
        line.put([LETTERS[random.below(64) as usize]]);
    }
    line.put(*b"'),");
}

/// Appends a number in decimal.
pub(crate) fn push_number(text: &mut String, value: u64) {
    let mut digits = [b'0'; 20];
    let mut first = digits.len();
    let mut left = value;
    while left > 0 || first == digits.len() {
        first -= 1;
        digits[first] = b'0' + (left % 10) as u8;
        left /= 10;
    }
    text.push_str(str::from_utf8(&digits[first..]).expect("ASCII"));
}

/// Room for one row, and for bytes after its end that the next row overwrites: three ids and a price of eight bytes
/// each, the longest `data`, and a piece of 16 bytes.
const LONGEST: usize = 128;

/// A row being written.
struct Line<'a> {
    bytes: &'a mut [u8],
    len: usize,
}

impl Line<'_> {
    #[inline]
    fn put<const COUNT: usize>(&mut self, bytes: [u8; COUNT]) {
        self.bytes[self.len..][..COUNT].copy_from_slice(&bytes);
        self.len += COUNT;
    }

    /// Writes a number below 100 million. Its eight digits are computed together as bytes of one word, and leading
    /// zeros are shifted out.
    #[inline]
    fn number(&mut self, value: u32) {
        let digits = digits_of_eight(value);
        // The last digit is kept even if it is zero.
        let leading = (digits | 1 << 56).trailing_zeros() / 8;
        let ascii = (digits | 0x3030_3030_3030_3030) >> (8 * leading);
        self.put(ascii.to_le_bytes());
        self.len -= leading as usize;
    }
}

/// The eight digits of a number below 100 million, the first in the lowest byte. The number is divided into halves, then
/// pairs, then digits. Each division multiplies and shifts all parts of the word at once. 10486 / 2^20 is near enough to
/// 1/100 below 10,000, and 103 / 2^10 to 1/10 below 100.
#[inline]
fn digits_of_eight(value: u32) -> u64 {
    let halves = u64::from(value / 10_000) | u64::from(value % 10_000) << 32;
    let hundreds = ((halves * 10_486) >> 20) & 0x0000_007f_0000_007f;
    let pairs = hundreds | (halves - hundreds * 100) << 16;
    let tens = ((pairs * 103) >> 10) & 0x000f_000f_000f_000f;
    tens | (pairs - tens * 10) << 8
}

fn now() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// `2026-01-01 00:00:00`, from seconds since 1970 (the civil calendar after Hinnant, "chrono-compatible low-level date
/// algorithms", 2013).
fn date_and_time(seconds: u64) -> String {
    let (days, left) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (left / 3600, left / 60 % 60, left % 60);
    format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_statements_and_another_gives_others() {
        let statement = |seed, client| Rows::new(seed, client, "pi1", false).statement(700, 5).to_owned();
        assert_eq!(statement(1, 0), statement(1, 0));
        assert_ne!(statement(1, 0), statement(2, 0));
        assert_ne!(statement(1, 0), statement(1, 1));
        let mut rows = Rows::new(1, 0, "pi1", false);
        let whole = rows.statement(700, 2).to_owned();
        let second = rows.statement(701, 1);
        assert!(
            whole
                .ends_with(second.split_once(" VALUES ").expect("values").1.split_once(',').expect("rest").1)
        );
    }

    #[test]
    fn numbers_are_written_as_they_are() {
        let mut random = Random::new(3);
        let drawn: Vec<u64> = (0..100_000).map(|bits| random.below(1 << (bits % 26 + 1))).collect();
        let edges = (0..8).flat_map(|power| [10_u64.pow(power) - 1, 10_u64.pow(power)]).chain([99_999_999]);
        for value in edges.chain(0..100_000).chain(drawn) {
            let mut bytes = [0; LONGEST];
            let mut line = Line { bytes: &mut bytes, len: 0 };
            line.number(value as u32);
            let len = line.len;
            assert_eq!(&bytes[..len], value.to_string().as_bytes());
        }
        for value in [0, 9, 10, u64::MAX] {
            let mut text = String::from("id ");
            push_number(&mut text, value);
            assert_eq!(text, format!("id {value}"));
        }
    }

    /// A change in how rows are written must not change the rows, because they are part of the data.
    #[test]
    fn rows_are_what_the_formatting_machinery_would_write() {
        let naive = |seed: u64, number: u64| {
            let mut random = Random::of(Random::of(seed ^ ROWS, 4).next(), number);
            let mut below = |bound| random.below(bound);
            let (register, customer) = (below(REGISTERS), below(CUSTOMERS));
            let (product, price) = (below(PRODUCTS), below(PRICES * 100));
            let length = 10 + below(11);
            let tail = (length as f64 * 0.375) as u64;
            let random_part: String = (0..tail).map(|_| LETTERS[below(64) as usize] as char).collect();
            let data = format!("{}{random_part}", "a".repeat((length - tail) as usize));
            let (time, price) = (date_and_time(EPOCH_SECONDS), price as f64 / 100.0);
            format!("('{time}',{register},{customer},{product},{price:.2},'{data}')")
        };
        let mut rows = Rows::new(9, 4, "pi1", false);
        for (first, count) in [(0, 1), (3, 7), (500, 400), (10, 2)] {
            let expected: Vec<String> = (first..first + count).map(|number| naive(9, number)).collect();
            assert_eq!(
                rows.statement(first, count).split_once(" VALUES ").expect("values").1,
                expected.join(",")
            );
        }
    }

    #[test]
    fn rows_are_as_wide_as_the_references() {
        let mut rows = Rows::new(7, 0, "pi3", false);
        let text = rows.statement(0, 1000).to_owned();
        assert!(text.starts_with("INSERT INTO pi3 (dateandtime,"));
        let data: Vec<&str> = text.split('\'').skip(3).step_by(4).collect();
        assert_eq!(data.len(), 1000);
        assert!(data.iter().all(|data| (10..=20).contains(&data.len())));
        let mean = data.iter().map(|data| data.len()).sum::<usize>() as f64 / 1000.0;
        assert!((14.5..15.5).contains(&mean), "{mean}");
    }

    #[test]
    fn dates_are_the_calendars() {
        let shown = [0, 951_782_400, 1_767_225_600, 1_767_225_600 + 59 * 86_400 + 86_399].map(date_and_time);
        assert_eq!(
            shown,
            ["1970-01-01 00:00:00", "2000-02-29 00:00:00", "2026-01-01 00:00:00", "2026-03-01 23:59:59"]
        );
    }
}
