//! Tests of which settings a server gets, and which are refused.

use super::*;

#[test]
fn spans_end_before_their_end() {
    let span = Span::from(5, 6, 3).until(8, 0);
    let held = [(5, 6, 2), (5, 6, 3), (5, 7, 44), (8, 0, 0)].map(|(a, b, c)| span.holds(Version(a, b, c)));
    assert_eq!(held, [false, true, true, false]);
    assert!(Span::ALL.holds(Version(99, 1, 2)));
}

const OPTIONS: Options = Options {
    ours: &["port"],
    client: &[("client_zone", &["here", "there"])],
    punctuation: &['_', '-'],
    prefix: "loose_",
    plain: |key| key.replace('-', "_"),
    names_like: "a_b",
    named: &[
        Named { name: "base", about: "", span: Span::ALL, adds: &[("a", "base")], variant: false },
        Named { name: "late", about: "", span: Span::from(2, 0, 0), adds: &[("a", "late")], variant: false },
        Named { name: "over", about: "", span: Span::ALL, adds: &[("b", "over")], variant: true },
    ],
    default: |_| "base",
    common: |_| vec![Line::fixed(Span::ALL, "a", "1"), Line::fixed(Span::from(2, 0, 0), "b", "2")],
    unknown: |name, names| format!("{name} of {names}"),
    unfit: |engine, named, version, fitting| {
        Fault::usage(format!("{} {engine} {version}", named.name)).hint(fitting.to_owned())
    },
};
const SIZING: Sizing = Sizing { memory_bytes: 1 << 30, limit_bytes: None, cpus: 2, connections: 4 };

fn given(settings: &[(&str, &str)], major: u32) -> Outcome<String> {
    let setting = |(key, value): &(&str, &str)| match *key {
        "+" => Setting::Named((*value).into()),
        key => Setting::Value { key: key.into(), value: (*value).into() },
    };
    let settings: Vec<Setting> = settings.iter().map(setting).collect();
    let given = resolve("it", &OPTIONS, &settings, Version(major, 0, 0), &SIZING)?;
    Ok(given.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(" "))
}

#[test]
fn the_default_comes_unless_another_is_named_and_the_user_has_the_last_word() {
    assert_eq!(given(&[], 1).as_deref(), Ok("a=base"));
    assert_eq!(given(&[], 2).as_deref(), Ok("a=base b=2"));
    assert_eq!(given(&[("+", "over")], 1).as_deref(), Ok("a=base b=over"));
    assert_eq!(given(&[("+", "late"), ("+", "over")], 2).as_deref(), Ok("a=late b=over"));
    assert_eq!(given(&[("A", "9"), ("x-y", "1")], 1).as_deref(), Ok("a=9 x_y=1"));
    // A server that does not know the name that was typed must say so.
    assert_eq!(given(&[("loose-x", "1"), ("x", "2")], 1).as_deref(), Ok("a=base x=2"));
}

#[test]
fn what_cannot_be_set_is_refused_with_what_to_type() {
    let refused = |key: &str, value: &str| {
        let fault = given(&[(key, value)], 1).expect_err("refused");
        format!("{} ({})", fault.what, fault.hint.unwrap_or_default())
    };
    assert!(refused("+", "none").ends_with("(none of base, late, over)"));
    assert_eq!(refused("+", "late"), "late it 1.0.0 (base, over)");
    assert!(refused("a b", "1").contains("names are like a_b"));
    assert!(refused("-a", "1").contains("cannot be the name of a it setting"));
    assert!(refused("Loose-Port", "1").contains("set by humdrum itself"));
    assert!(refused("a", "1\nport=2").contains("line break"));
    assert_eq!(refused("Client-Zone", "far"), "Client-Zone cannot be `far` (it is one of here, there)");
}

#[test]
fn the_clients_own_settings_are_apart() {
    let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    let given = [pair("a", "1"), pair("client_zone", "here")];
    assert_eq!(of_client(&OPTIONS, &given), given[1..]);
}
