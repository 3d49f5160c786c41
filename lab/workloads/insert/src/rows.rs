//! What is in a row: a pure function of the seed, the client and the row's number in that client's life.

use humdrum_contract::Random;

use crate::schema::COLUMNS;

pub(crate) const REGISTERS: u64 = 1_000;
pub(crate) const CUSTOMERS: u64 = 100_000;
pub(crate) const PRODUCTS: u64 = 10_000;
pub(crate) const PRICES: u64 = 500;

/// Length of `data`.
const DATA: std::ops::RangeInclusive<u64> = 10..=20;

/// Part of `data` that does not compress: 0.75 of the length, and half of that.
const RANDOM_PART: f64 = 0.75 * 0.5;

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Statements of a client that share a second, where time is made up: about what a server does in one.
const STATEMENTS_PER_SECOND: u64 = 20;

/// Where made-up time begins: 2026-01-01.
const EPOCH_SECONDS: u64 = 1_767_225_600;

/// Keeps rows apart from queries, which come from the same seed. Any constant does.
const ROWS: u64 = 0x726f_7773_0000_0001;

/// Writes INSERT statements of one client.
pub(crate) struct Rows {
    seed: u64,
    head: String,
    text: String,
    /// What every row of a second begins with.
    begin: (u64, String),
    /// The wall clock's time, as the reference has it, rather than one that is the same at every run.
    wall_clock: bool,
}

impl Rows {
    pub(crate) fn new(seed: u64, client: u32, table: &str, wall_clock: bool) -> Self {
        let seed = Random::of(seed ^ ROWS, u64::from(client)).next();
        let head = format!("INSERT INTO {table} ({COLUMNS}) VALUES ");
        Self { seed, head, text: String::new(), begin: Default::default(), wall_clock }
    }

    /// The statement that inserts `count` rows from row number `first` on.
    pub(crate) fn statement(&mut self, first: u64, count: u64) -> &str {
        let seconds =
            if self.wall_clock { now() } else { EPOCH_SECONDS + first / STATEMENTS_PER_SECOND / 50 };
        if self.begin.0 != seconds {
            self.begin = (seconds, format!("('{}',", date_and_time(seconds)));
        }
        self.text.clear();
        self.text.push_str(&self.head);
        for number in first..first + count {
            if number > first {
                self.text.push(',');
            }
            self.text.push_str(&self.begin.1);
            row(&mut self.text, &mut Random::of(self.seed, number));
        }
        &self.text
    }
}

/// What follows the time. Without the formatting machinery, and put together in a piece of the stack: making rows is most of
/// what a client does in a bulk load, and it shares the host with the server.
fn row(text: &mut String, random: &mut Random) {
    let (register, customer) = (random.below(REGISTERS), random.below(CUSTOMERS));
    let (product, cents) = (random.below(PRODUCTS), random.below(PRICES * 100));
    let mut line = Line { bytes: [0; LONGEST], len: 0 };
    for value in [register, customer, product] {
        line.number(value);
        line.push(b',');
    }
    line.number(cents / 100);
    line.push(b'.');
    line.push(b'0' + (cents / 10 % 10) as u8);
    line.push(b'0' + (cents % 10) as u8);
    line.push(b',');
    line.push(b'\'');
    let length = DATA.start() + random.below(DATA.end() - DATA.start() + 1);
    let tail = (length as f64 * RANDOM_PART) as u64;
    for _ in tail..length {
        line.push(b'a');
    }
    for _ in 0..tail {
        line.push(LETTERS[random.below(64) as usize]);
    }
    line.push(b'\'');
    line.push(b')');
    text.push_str(str::from_utf8(&line.bytes[..line.len]).expect("ASCII"));
}

/// More than three ids of at most five digits, a price, and the longest `data`.
const LONGEST: usize = 64;

struct Line {
    bytes: [u8; LONGEST],
    len: usize,
}

impl Line {
    fn push(&mut self, byte: u8) {
        self.bytes[self.len] = byte;
        self.len += 1;
    }

    fn number(&mut self, value: u64) {
        let digits = value.checked_ilog10().unwrap_or(0) as usize + 1;
        let mut left = value;
        for place in self.bytes[self.len..][..digits].iter_mut().rev() {
            *place = b'0' + (left % 10) as u8;
            left /= 10;
        }
        self.len += digits;
    }
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
        let written = |value| {
            let mut line = Line { bytes: [0; LONGEST], len: 0 };
            line.number(value);
            String::from_utf8(line.bytes[..line.len].to_vec()).expect("ASCII")
        };
        for value in [0, 9, 10, 99, 100, 49_999, 100_000, u64::MAX] {
            assert_eq!(written(value), value.to_string());
        }
        let mut rows = Rows::new(1, 0, "pi1", false);
        for line in rows.statement(0, 500).split_once(" VALUES ").expect("values").1.split("),(") {
            let price = line.split(',').nth(4).expect("a price");
            let (whole, part) = price.split_once('.').expect("cents");
            assert!(part.len() == 2 && whole.parse::<u64>().expect("a number") < PRICES, "{line}");
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
