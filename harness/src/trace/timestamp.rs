//! Calendar times without a zone, taken as UTC: `2023-11-16 18:17:03.9799600`.

/// Microseconds since 1970, rounded down; `None` if the text is no such time or is before 1970.
pub(super) fn parse_timestamp(text: &str) -> Option<u64> {
    let text = text.trim().trim_end_matches('Z');
    let (date, time) = text.split_once([' ', 'T'])?;
    let [year, month, day] = integers(date, '-')?;
    let (time, fraction) = time.split_once('.').unwrap_or((time, ""));
    let [hour, minute, second] = integers(time, ':')?;
    let in_range = (1970..10_000).contains(&year)
        && (1..=12).contains(&month)
        && (1..=days_of_month(year, month)).contains(&day)
        && hour < 24
        && minute < 60
        && second <= 60;
    if !in_range {
        return None;
    }
    let seconds = ((days_before(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
    Some(seconds * 1_000_000 + micros(fraction)?)
}

fn integers(text: &str, separator: char) -> Option<[u64; 3]> {
    let mut parts = text.split(separator).map(digits);
    let three = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(three)
}

/// Up to nine digits and nothing else: no sign, no blank.
fn digits(text: &str) -> Option<u64> {
    let is_plain = (1..=9).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_plain { text.parse().ok() } else { None }
}

/// The first six digits of a fraction.
fn micros(fraction: &str) -> Option<u64> {
    if fraction.is_empty() {
        return Some(0);
    }
    let whole = digits(fraction)?;
    let length = u32::try_from(fraction.len()).ok()?;
    Some(if length > 6 {
        whole / 10_u64.pow(length - 6)
    } else {
        whole * 10_u64.pow(6 - length)
    })
}

fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn days_of_month(year: u64, month: u64) -> u64 {
    match month {
        2 => 28 + u64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970-01-01 to this day.
fn days_before(year: u64, month: u64, day: u64) -> u64 {
    let leap_days_to = |year: u64| year / 4 - year / 100 + year / 400;
    let years = (year - 1970) * 365 + leap_days_to(year - 1) - leap_days_to(1969);
    let months: u64 = (1..month).map(|month| days_of_month(year, month)).sum();
    years + months + day - 1
}

#[cfg(test)]
mod tests {
    use super::parse_timestamp;

    #[test]
    fn calendar_times_become_microseconds() {
        let expected = [
            ("1970-01-01 00:00:00", Some(0)),
            ("2000-02-29T00:00:00Z", Some(951_782_400_000_000)),
            ("2023-11-16 18:17:03.9799600", Some(1_700_158_623_979_960)),
            ("2023-11-16 18:17:03.5", Some(1_700_158_623_500_000)),
            ("2023-02-29 00:00:00", None),
            ("2023-13-01 00:00:00", None),
            ("2023-01-01 24:00:00", None),
            ("2023-01-01", None),
            ("-2023-01-01 00:00:00", None),
            ("2023-01-01 00:00:0x", None),
        ];
        for (text, micros) in expected {
            assert_eq!(parse_timestamp(text), micros, "{text}");
        }
    }
}
