//! Dates and times of day as seconds since 1970 and back, in the calendar of today. No time zone takes part: a moment is the
//! text that a column of type DATE or TIMESTAMP holds.

/// Seconds of a day.
pub(crate) const DAY: i64 = 86_400;

/// Days since 1970-01-01 (Howard Hinnant, "chrono-compatible low-level date algorithms": years begin in March, so that the
/// leap day ends one).
pub(crate) fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, month) = (year.div_euclid(400), (month + 9) % 12);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * month + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Year, month and day.
pub(crate) fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + i64::from(month <= 2), month, day)
}

/// As a column holds it: `2026-01-31`, or with the time of day `2026-01-31 23:59:59`.
pub(crate) fn text(seconds: i64, is_date: bool) -> String {
    let (year, month, day) = date(seconds.div_euclid(DAY));
    let clock = seconds.rem_euclid(DAY);
    let date = format!("{year:04}-{month:02}-{day:02}");
    if is_date {
        return date;
    }
    format!("{date} {:02}:{:02}:{:02}", clock / 3600, clock / 60 % 60, clock % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_dates_are_inverse() {
        assert_eq!((days(1970, 1, 1), days(2000, 3, 1), days(1969, 12, 31)), (0, 11_017, -1));
        for day in (-800_000..800_000).step_by(13) {
            let (year, month, of_month) = date(day);
            assert_eq!(days(year, month, of_month), day);
        }
        assert_eq!(date(days(2024, 2, 29) + 1), (2024, 3, 1));
    }

    #[test]
    fn moments_are_written_as_columns_hold_them() {
        let moment = days(2026, 1, 31) * DAY + 86_399;
        assert_eq!(text(moment, true), "2026-01-31");
        assert_eq!(text(moment, false), "2026-01-31 23:59:59");
    }
}
