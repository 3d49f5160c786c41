//! Published shares of dead rows beside measured ones. A share is an absolute figure of one release: it has no base, no
//! interval and no verdict.

use humdrum_model::{Beside, Fault, OtherFigure, Published, Share, ShareRow};

use super::read::{Columns, Table, TableLine, half_a_unit};
use super::release;

/// The metric in tables of published figures.
const METRIC: &str = "n_dead_tup_ratio";

/// The column of shares in a table of steps.
const SHARE: &str = "dead_share";

/// The columns that a table of steps must have.
const COLUMNS: [&str; 3] = ["subject", "step", SHARE];

/// Whether a published figure is the share of dead rows of one release.
pub fn is_share(figure: &OtherFigure) -> bool {
    figure.metric == METRIC && figure.base.is_empty()
}

/// Whether a text is a table of steps (`steps.tsv`) with a column of shares.
pub fn has_shares(text: &str) -> bool {
    Columns::read(text.lines().next().unwrap_or(""), &COLUMNS).is_ok()
}

/// Sets each published share among `others` beside those of tables of steps, each of which comes with the name of its host. A
/// subject stands for the releases of the series that its label names; one with a label of the user's own stands for none. Of
/// several tables of a host, the last that has a subject counts. Figures of which nothing was measured stay where they are.
///
/// # Errors
/// Usage when a table lacks a column that is needed, or a share is no number.
pub fn add_shares(
    mut found: Beside,
    others: &[OtherFigure],
    tables: &[(String, String)],
) -> Result<Beside, Fault> {
    if tables.is_empty() {
        return Ok(found);
    }
    let mut rows = Vec::new();
    for figure in others.iter().filter(|other| is_share(other)) {
        rows.push((figure, ShareRow { published: share(figure)?, measured: Vec::new() }));
    }
    for (host, text) in tables {
        add_table(&mut rows, host, text)?;
    }
    rows.retain(|(_, row)| !row.measured.is_empty());
    found.other_metrics.retain(|other| !rows.iter().any(|(figure, _)| *figure == other));
    found.dead_rows = rows.into_iter().map(|(_, row)| row).collect();
    Ok(found)
}

/// The published figure as a number.
fn share(figure: &OtherFigure) -> Result<Published, Fault> {
    let ratio = figure.value.parse().ok().filter(|number: &f64| number.is_finite());
    let ratio = ratio.ok_or_else(|| {
        let of = format!("{} {} after {}", figure.engine, figure.subject, figure.test);
        Fault::usage(format!("the published {METRIC} of {of} is `{}`, which is no number", figure.value))
    })?;
    Ok(Published { ratio, rounding: half_a_unit(&figure.value), ..figure.head() })
}

fn add_table(rows: &mut [(&OtherFigure, ShareRow)], host: &str, text: &str) -> Result<(), Fault> {
    let table = Table::read(text, &COLUMNS)?;
    for line in table.lines().filter(|line| !line.cell(SHARE).is_empty()) {
        let share = line.number(SHARE).map_err(|fault| fault.at(host))?;
        let own = Share { host: host.to_owned(), subject: line.cell("subject").to_owned(), share };
        for (_, row) in rows.iter_mut().filter(|(_, row)| is_of(&line, &row.published)) {
            match row.measured.iter_mut().find(|known| known.is_of_one_subject(&own)) {
                Some(known) => known.share = share,
                None => row.measured.push(own.clone()),
            }
        }
    }
    Ok(())
}

fn is_of(line: &TableLine<'_>, published: &Published) -> bool {
    let Some((engine, release, _)) = release::parts(line.cell("subject")) else { return false };
    let depth = release::depth([&release.to_owned(), &published.subject]);
    engine == published.engine
        && line.cell("step") == published.test
        && release::is_same_series(depth, release, &published.subject)
}

#[cfg(test)]
mod tests {
    use super::super::beside_published;
    use super::super::read::published_tsv;
    use super::super::tests::own;
    use super::*;

    const PUBLISHED: &str = "engine\tbase\tsubject\ttest\tmetric\tvalue\n\
        fake\t\t12.22\tl.i1\tn_dead_tup_ratio\t0.065\n\
        fake\t\t18.3\tl.i1\tn_dead_tup_ratio\t0.035\n\
        fake\t\t17.1\tl.i1\tn_dead_tup_ratio\t0.040\n\
        fake\t12.22\t18.3\tl.i1\tn_dead_tup_ratio\t0.54\n\
        fake\t12.22\t18.3\tl.i1\trqps\t1.10\n";

    /// What stands beside the shares of a published table, where the engine has a ratio of another test.
    fn beside(published: &str, steps: &[&str]) -> Result<Beside, Fault> {
        let (_, others) = published_tsv(published).expect("a table");
        let tables: Vec<(String, String)> =
            steps.iter().map(|text| ("a".to_owned(), (*text).to_owned())).collect();
        add_shares(beside_published(&[], &[own("a", "scan", 1.0)], &others), &others, &tables)
    }

    #[test]
    fn shares_stand_beside_those_of_the_same_series_and_step() {
        let steps = "subject\tstep\tdead_share\nfake@12.22\tl.i0\t0\nfake@12.22\tl.i1\t0.0714\n\
            fake@18\tl.i1\t0.0311\nfake@17.7\tl.i1\t\nother@18\tl.i1\t0.5\nmine\tl.i1\t0.5\n";
        assert!(has_shares(steps) && !has_shares(PUBLISHED) && !has_shares(""));
        let found = beside(PUBLISHED, &[steps]).expect("tables");
        let shares: Vec<(&str, f64, &str, f64)> = found
            .dead_rows
            .iter()
            .map(|row| {
                let ShareRow { published, measured } = row;
                (&*published.subject, published.ratio, &*measured[0].subject, measured[0].share)
            })
            .collect();
        assert_eq!(shares, [("12.22", 0.065, "fake@12.22", 0.0714), ("18.3", 0.035, "fake@18", 0.0311)]);
        assert!(found.dead_rows.iter().all(|row| row.measured.len() == 1));
        assert_eq!(found.dead_rows[0].published.rounding, 0.000_5);
    }

    /// A figure is either beside a measured one or not comparable, and counted among those that are no ratios in both cases.
    #[test]
    fn shares_that_were_not_measured_are_of_another_metric() {
        let none = beside(PUBLISHED, &[]).expect("a table");
        assert_eq!((none.other_metrics.len(), none.other_figures, none.dead_rows.len()), (4, 4, 0));
        let steps = "subject\tstep\tdead_share\nfake@18.6\tl.i1\t0.0311\n";
        let found = beside(PUBLISHED, &[steps]).expect("tables");
        let left: Vec<(&str, &str)> =
            found.other_metrics.iter().map(|one| (one.subject.as_str(), one.value.as_str())).collect();
        assert_eq!(left, [("12.22", "0.065"), ("17.1", "0.040"), ("18.3", "0.54")], "a ratio of shares");
        assert_eq!((found.other_figures, found.dead_rows.len()), (4, 1));
    }

    #[test]
    fn of_several_tables_of_a_host_the_last_one_counts() {
        let steps =
            ["0.1", "0.2"].map(|share| format!("subject\tstep\tdead_share\nfake@18\tl.i1\t{share}\n"));
        let found = beside(PUBLISHED, &[&steps[0], &steps[1]]).expect("tables");
        let measured = &found.dead_rows[0].measured;
        assert_eq!((measured.len(), measured[0].share), (1, 0.2));
    }

    #[test]
    fn a_damaged_share_is_named() {
        let damaged = "subject\tstep\tdead_share\nfake@12.22\tl.i1\tmany\n";
        let fault = beside(PUBLISHED, &[damaged]).expect_err("no number");
        assert!(fault.to_string().contains("line 2: `dead_share` is `many`"), "{fault}");
        let published = PUBLISHED.replace("0.035", "few");
        let fault = beside(&published, &["subject\tstep\tdead_share\n"]).expect_err("no number");
        assert!(fault.what.contains("n_dead_tup_ratio of fake 18.3 after l.i1 is `few`"), "{}", fault.what);
        assert!(beside(&published, &[]).is_ok(), "nothing is compared with it");
    }
}
