//! Claims of publications: the table that holds them, the numbers by which plans name them, and why no plan asks some of them.

use humdrum_model::{Claim, Fault};

use super::read::{Table, TableLine, half_a_unit};

/// The claims of a table, whose columns are `post`, `number`, `claim`, `base`, `subject`, `tests`, `condition` and others.
///
/// # Errors
/// Usage when a column is missing, or a number is not the claim's place among those of its post: plans name claims by it.
pub fn claims_tsv(text: &str) -> Result<Vec<Claim>, Fault> {
    let table = Table::read(text, &["post", "number", "claim", "base", "subject", "tests", "condition"])?;
    let mut all: Vec<Claim> = Vec::new();
    for line in table.lines() {
        let own = |name: &str| line.cell(name).to_owned();
        let place = all.iter().filter(|claim| claim.post == line.cell("post")).count() as u32 + 1;
        if line.cell("number").parse() != Ok(place) {
            let what = format!("`{}` is no number of a claim", line.cell("number"));
            return Err(Fault::usage(what)
                .at(format!("{}, {}", own("post"), own("claim")))
                .hint(format!("claims of a post are numbered from 1 on, in their order: type {place}")));
        }
        all.push(Claim {
            post: own("post"),
            number: place,
            claim: own("claim"),
            base: own("base"),
            subject: own("subject"),
            tests: own("tests"),
            condition: own("condition"),
            engine: own("engine"),
            direction: own("direction"),
            metric: own("metric"),
            ratio: size(&line)?,
            answer: None,
            plans: Vec::new(),
            not_asked: None,
        });
    }
    Ok(all)
}

/// The range of ratios that a claim gives, as far as its digits go.
fn size(line: &TableLine<'_>) -> Result<Option<[f64; 2]>, Fault> {
    if line.cell("ratio_lo").is_empty() || line.cell("ratio_hi").is_empty() {
        return Ok(None);
    }
    let low = line.number("ratio_lo")? - half_a_unit(line.cell("ratio_lo"));
    Ok(Some([low, line.number("ratio_hi")? + half_a_unit(line.cell("ratio_hi"))]))
}

/// Notes that the plan at `path` asks the claims that `list` names.
///
/// # Errors
/// Usage for a list of another form, and for claims that do not exist.
pub fn claims_of_plan(claims: &mut [Claim], path: &str, list: &str) -> Result<(), Fault> {
    for place in places(claims, list)? {
        if !claims[place].plans.iter().any(|plan| plan == path) {
            claims[place].plans.push(path.to_owned());
        }
    }
    Ok(())
}

/// Notes why no plan asks some claims: a table of `post`, `numbers` and `reason`. It comes after the plans.
///
/// # Errors
/// As `claims_of_plan`; and usage for a claim that a plan asks, or one without a reason.
pub fn claims_not_asked(claims: &mut [Claim], text: &str) -> Result<(), Fault> {
    for line in Table::read(text, &["post", "numbers", "reason"])?.lines() {
        let list = format!("{} {}", line.cell("post"), line.cell("numbers"));
        let reason = line.cell("reason");
        if reason.trim().is_empty() {
            return Err(Fault::usage(format!("no reason why no plan asks {list}")).hint("write one"));
        }
        for place in places(claims, &list)? {
            let claim = &mut claims[place];
            if let Some(plan) = claim.plans.first() {
                let what = format!(
                    "{} {} has a reason why no plan asks it, and {plan} does",
                    claim.post, claim.number
                );
                return Err(Fault::usage(what).hint("remove one of the two"));
            }
            claim.not_asked = Some(reason.to_owned());
        }
    }
    Ok(())
}

/// Where the claims of a list `POST 1-3,7` are.
fn places(claims: &[Claim], list: &str) -> Result<Vec<usize>, Fault> {
    let form = || {
        Fault::usage(format!("`{list}` names no claims"))
            .hint("write a post and numbers of its claims: POST 1-3,7")
    };
    let (post, numbers) = list.trim().split_once(' ').ok_or_else(form)?;
    let last = claims.iter().filter(|claim| claim.post == post).count() as u32;
    if last == 0 {
        let mut posts: Vec<&str> = claims.iter().map(|claim| &*claim.post).collect();
        posts.dedup();
        let hint = format!("posts are {}", posts.join(", "));
        return Err(Fault::usage(format!("no claim is of the post `{post}`")).hint(hint));
    }
    let mut found = Vec::new();
    for part in numbers.split(',').map(str::trim) {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let (Ok(from), Ok(to)) = (from.parse::<u32>(), to.parse::<u32>()) else { return Err(form()) };
        if from == 0 || from > to {
            return Err(form());
        }
        if to > last {
            let hint = format!("its claims are 1 to {last}");
            return Err(Fault::usage(format!("{post} has no claim {to}")).hint(hint));
        }
        let wanted = |claim: &Claim| claim.post == post && (from..=to).contains(&claim.number);
        found.extend(claims.iter().enumerate().filter(|(_, claim)| wanted(claim)).map(|(place, _)| place));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "post\tnumber\tclaim\tbase\tsubject\ttests\tcondition\n\
        a\t1\tone\t1\t2\tscan\tcached\n\
        a\t2\ttwo\t1\t2\tscan\tcached\n\
        b\t1\tthree\t1\t2\tscan\tcached\n\
        a\t3\tfour\t1\t2\tscan\tcached\n";

    fn claims() -> Vec<Claim> {
        claims_tsv(TABLE).expect("claims")
    }

    #[test]
    fn plans_and_reasons_share_the_claims_out() {
        let mut claims = claims();
        claims_of_plan(&mut claims, "p.toml", "a 1-2").expect("asked");
        claims_of_plan(&mut claims, "q.toml", "a 2").expect("asked");
        claims_of_plan(&mut claims, "q.toml", "a 1,2").expect("asked twice counts once");
        claims_not_asked(&mut claims, "post\tnumbers\treason\nb\t1\tno such host\n").expect("a reason");
        assert_eq!(claims[1].plans, ["p.toml", "q.toml"]);
        assert_eq!(claims[2].not_asked.as_deref(), Some("no such host"));
        let left: Vec<&str> =
            claims.iter().filter(|claim| claim.is_left_over()).map(|claim| &*claim.claim).collect();
        assert_eq!(left, ["four"]);
    }

    #[test]
    fn what_does_not_exist_is_refused_with_what_does() {
        let refused = |list: &str| {
            let fault = claims_of_plan(&mut claims(), "p.toml", list).expect_err("refused");
            format!("{fault}; {}", fault.hint.clone().unwrap_or_default())
        };
        assert!(refused("a 2-4").contains("a has no claim 4; its claims are 1 to 3"));
        assert!(refused("c 1").contains("no claim is of the post `c`; posts are a, b"), "{}", refused("c 1"));
        for form in ["a", "a x", "a 0", "a 3-2", "a 1,,2", ""] {
            assert!(refused(form).contains("POST 1-3,7"), "{form}: {}", refused(form));
        }
    }

    #[test]
    fn a_claim_is_either_asked_or_has_a_reason() {
        let mut claims = claims();
        claims_of_plan(&mut claims, "p.toml", "a 1").expect("asked");
        let table = |rest: &str| format!("post\tnumbers\treason\n{rest}\n");
        let fault = claims_not_asked(&mut claims, &table("a\t1-2\tno host")).expect_err("both");
        assert!(
            fault.to_string().contains("a 1 has a reason why no plan asks it, and p.toml does"),
            "{fault}"
        );
        assert!(claims_not_asked(&mut claims, &table("a\t2\t ")).is_err());
    }

    #[test]
    fn numbers_are_places() {
        let fault = claims_tsv(&TABLE.replace("a\t3", "a\t4")).expect_err("a gap");
        assert!(fault.hint.as_deref().is_some_and(|hint| hint.ends_with("type 3")), "{fault:?}");
    }
}
