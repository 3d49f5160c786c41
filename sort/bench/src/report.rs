//! Tables for people, JSON for programs.

use crate::args::Plan;
use crate::measure::{Column, Record};
use crate::processor;
use crate::stats::{geomean, median};

/// What the figures hold for, before the first of them.
pub(crate) fn head(plan: &Plan) {
    if !plan.json {
        println!("# {}", processor::describe());
    }
}

/// One set, as soon as it is done.
pub(crate) fn set(record: &Record, plan: &Plan) {
    if plan.json {
        return println!("{}", json(record));
    }
    let sorts = if record.sorts > 1 { format!(" in each of {} sorts", record.sorts) } else { String::new() };
    println!(
        "{}  {} rows{sorts}, {:.1} bytes per key, {:.1} of them distinguish it",
        record.set, record.rows, record.bytes_per_key, record.distinguishing_per_key
    );
    let base = record.columns.iter().find(|column| column.rival.name == plan.rivals[0].name);
    let base = base.map_or(f64::NAN, |column| median(samples(column, plan)).mid);
    for column in &record.columns {
        let time = median(samples(column, plan));
        println!(
            "  {:24} {:8.1} ns/row  [{:.1} {:.1}]  {:6.2}",
            column.rival.name,
            time.mid,
            time.low,
            time.high,
            time.mid / base
        );
    }
}

/// Geometric means over the sets on which a rival ran.
pub(crate) fn summary(records: &[Record], plan: &Plan) {
    if plan.json || records.len() < 2 {
        return;
    }
    let clock = if plan.wall { "elapsed" } else { "thread CPU" };
    println!(
        "geometric mean over {} sets, {clock} time of the rival / {}",
        records.len(),
        plan.rivals[0].name
    );
    for rival in &plan.rivals {
        let ratios: Vec<f64> = records.iter().filter_map(|record| ratio(record, rival.name, plan)).collect();
        println!("  {:24} {:6.2}  over {} sets", rival.name, geomean(ratios.iter().copied()), ratios.len());
    }
    let best: Vec<f64> = records.iter().filter_map(|record| best(record, plan)).collect();
    if !best.is_empty() {
        let least = best.iter().copied().fold(f64::INFINITY, f64::min);
        println!("  {:24} {:6.2}  at least {least:.2}", "best of each set", geomean(best.into_iter()));
    }
}

fn samples<'a>(column: &'a Column, plan: &Plan) -> &'a [f64] {
    if plan.wall { &column.wall } else { &column.cpu }
}

fn ratio(record: &Record, rival: &str, plan: &Plan) -> Option<f64> {
    let time = |name: &str| {
        let column = record.columns.iter().find(|column| column.rival.name == name)?;
        Some(median(samples(column, plan)).mid)
    };
    Some(time(rival)? / time(plan.rivals[0].name)?)
}

/// The best that is not one of ours, against the first.
fn best(record: &Record, plan: &Plan) -> Option<f64> {
    let foreign = plan.rivals.iter().filter(|rival| !rival.name.starts_with("skipsort"));
    foreign.filter_map(|rival| ratio(record, rival.name, plan)).min_by(f64::total_cmp)
}

fn json(record: &Record) -> String {
    let columns: Vec<String> = record.columns.iter().map(column_json).collect();
    format!(
        r#"{{"processor":{},"set":{},"rows":{},"sorts":{},"bytes_per_key":{},"distinguishing_per_key":{},"rivals":[{}]}}"#,
        text(&processor::describe()),
        text(&record.set),
        record.rows,
        record.sorts,
        record.bytes_per_key,
        record.distinguishing_per_key,
        columns.join(",")
    )
}

fn column_json(column: &Column) -> String {
    format!(
        r#"{{"name":{},"unit":"ns/row","cpu":{:?},"wall":{:?}}}"#,
        text(column.rival.name),
        column.cpu,
        column.wall
    )
}

fn text(text: &str) -> String {
    let escaped: String = text.chars().flat_map(escape).collect();
    format!("\"{escaped}\"")
}

fn escape(letter: char) -> Vec<char> {
    match letter {
        '"' | '\\' => vec!['\\', letter],
        control if control < ' ' => format!("\\u{:04x}", control as u32).chars().collect(),
        other => vec![other],
    }
}
