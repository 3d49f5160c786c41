//! Releases by their numbers.

/// The numbers of a release: `8.0.33` is [8, 0, 33]. What is no number ends them.
pub(super) fn numbers(release: &str) -> Vec<u32> {
    release.split('.').map_while(|part| part.parse().ok()).collect()
}

/// Whether two releases are the same, or differ only in the last of their numbers; one of them may lack that (`9.7`).
pub(super) fn is_same_series(one: &str, other: &str) -> bool {
    let (own, others) = (numbers(one), numbers(other));
    let series = own.len().max(others.len()).saturating_sub(1);
    one == other
        || (series > 0 && own.len() >= series && others.len() >= series && own[..series] == others[..series])
}

/// The engine, the release and the settings of a label as subjects are typed: `mysql@8.0.33+gtid`.
fn parts(label: &str) -> Option<(&str, &str, &str)> {
    let (engine, rest) = label.split_once('@')?;
    let end = rest.find('+').unwrap_or(rest.len());
    let (release, settings) = rest.split_at(end);
    (!numbers(release).is_empty()).then_some((engine, release, settings))
}

/// Two releases of one engine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair<'l> {
    pub(super) engine: &'l str,
    pub(super) base: &'l str,
    pub(super) subject: &'l str,
    /// The subject's settings, or the base's where it has none.
    pub(super) settings: &'l str,
}

/// The releases that two labels name; none where one names no release, or the engines differ.
pub(super) fn pair<'l>(base: &'l str, subject: &'l str) -> Option<Pair<'l>> {
    let ((engine, base, base_settings), (subject_engine, subject, settings)) =
        (parts(base)?, parts(subject)?);
    let settings = if settings.is_empty() { base_settings } else { settings };
    (engine == subject_engine).then_some(Pair { engine, base, subject, settings })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_are_all_numbers_but_the_last() {
        for (one, other, same) in [
            ("8.0.33", "8.0.45", true),
            ("8.0.33", "8.4.8", false),
            ("17.7", "17.0", true),
            ("17.7", "18.1", false),
            ("9", "9", true),
            ("9.7", "9.7.0", true),
            ("8", "8.0.45", false),
            ("9", "8", false),
            ("late 17.x", "17.0", false),
        ] {
            assert_eq!(is_same_series(one, other), same, "{one} and {other}");
        }
    }

    #[test]
    fn labels_have_parts() {
        assert_eq!(parts("mysql@8.0.33+gtid+x"), Some(("mysql", "8.0.33", "+gtid+x")));
        assert_eq!(parts("postgres@17.7"), Some(("postgres", "17.7", "")));
        assert_eq!((parts("new"), parts("postgres@/opt/pg")), (None, None));
    }
}
