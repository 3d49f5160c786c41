//! Expressions of GitHub (`${{ steps.check.outputs.code }}`): whether they are well formed, and what they refer to.

/// What an expression names: a context's field (`["inputs", "engine"]`) or a function (`["always()"]`).
pub(super) type Name = Vec<String>;

/// The names in all expressions of a text.
///
/// # Errors
/// What is no expression, one without an end, an end without a beginning.
pub(super) fn names_in(text: &str) -> Result<Vec<Name>, String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${{") {
        outside(before)?;
        let (inner, after) = after.split_once("}}").ok_or_else(|| format!("`${{{{{after}` has no end"))?;
        found.extend(names_of(inner)?);
        rest = after;
    }
    outside(rest)?;
    Ok(found)
}

fn outside(text: &str) -> Result<(), String> {
    match text.contains("}}") {
        true => Err(format!("`{text}` ends an expression that did not begin")),
        false => Ok(()),
    }
}

/// The names in an expression without its signs, as `if:` has it.
///
/// # Errors
/// What is no expression.
pub(super) fn names_of(expression: &str) -> Result<Vec<Name>, String> {
    let mut reader = Reader { rest: expression.trim(), found: Vec::new() };
    let read = reader.expression();
    match read {
        true if reader.rest.is_empty() => Ok(reader.found),
        _ => Err(format!("`{}` is no expression: at `{}`", expression.trim(), reader.rest)),
    }
}

const OPERATORS: [&str; 8] = ["==", "!=", "<=", ">=", "&&", "||", "<", ">"];

/// Precedence does not matter to what is read here. Each method says whether there was what it reads.
struct Reader<'t> {
    rest: &'t str,
    found: Vec<Name>,
}

impl<'t> Reader<'t> {
    fn expression(&mut self) -> bool {
        if !self.operand() {
            return false;
        }
        match OPERATORS.iter().any(|sign| self.sign(sign)) {
            true => self.expression(),
            false => true,
        }
    }

    fn operand(&mut self) -> bool {
        while !self.rest.starts_with("!=") && self.sign("!") {}
        if self.sign("(") {
            return self.expression() && self.sign(")");
        }
        self.literal() || self.named()
    }

    fn literal(&mut self) -> bool {
        if let Some(after) = self.rest.strip_prefix('\'') {
            // A quote in a text is written twice, which reads as two texts side by side.
            let Some((_, after)) = after.split_once('\'') else { return false };
            let again = after.starts_with('\'');
            self.rest = if again { after } else { after.trim_start() };
            return !again || self.literal();
        }
        let number = self.rest.starts_with(|c: char| c.is_ascii_digit() || c == '-');
        number && !self.take(|c| c.is_ascii_alphanumeric() || ".-+".contains(c)).is_empty()
    }

    fn named(&mut self) -> bool {
        let name = self.name();
        if matches!(name, "true" | "false" | "null") {
            return true;
        }
        if name.is_empty() {
            return false;
        }
        if self.sign("(") {
            self.found.push(vec![format!("{name}()")]);
            return self.sign(")") || (self.arguments() && self.sign(")"));
        }
        let mut names = vec![name.to_owned()];
        loop {
            if self.sign(".") {
                let name = if self.sign("*") { "*" } else { self.name() };
                if name.is_empty() {
                    return false;
                }
                names.push(name.to_owned());
            } else if self.sign("[") {
                if !(self.expression() && self.sign("]")) {
                    return false;
                }
                names.push("*".to_owned());
            } else {
                self.found.push(names);
                return true;
            }
        }
    }

    fn arguments(&mut self) -> bool {
        self.expression() && (!self.sign(",") || self.arguments())
    }

    fn name(&mut self) -> &'t str {
        match self.rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            true => self.take(|c| c.is_ascii_alphanumeric() || "_-".contains(c)),
            false => "",
        }
    }

    fn take(&mut self, of: impl Fn(char) -> bool) -> &'t str {
        let end = self.rest.find(|c| !of(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        taken
    }

    fn sign(&mut self, sign: &str) -> bool {
        let after = self.rest.strip_prefix(sign);
        self.rest = after.map_or(self.rest, str::trim_start);
        after.is_some()
    }
}

#[test]
fn expressions_are_read_or_refused() {
    let names = |text: &str| {
        let all = names_in(text).unwrap_or_else(|error| panic!("{error}"));
        all.iter().map(|name| name.join(".")).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names("a-${{ runner.os }}-${{inputs.base}}"), "runner.os inputs.base");
    assert_eq!(
        names("${{ always() && steps.check.outputs.results != '' }}"),
        "always() steps.check.outputs.results"
    );
    assert_eq!(
        names("${{ !(github.event['a'].b == 'it''s') || contains(env.X, 1.5) }}"),
        "github.event.*.b contains() env.X"
    );
    assert_eq!(names("no expression, $HOME and ${x}"), "");
    for bad in [
        "${{ inputs.base }",
        "${{ inputs.base",
        "inputs.base }}",
        "${{ }}",
        "${{ a b }}",
        "${{ a.  }}",
        "${{ (a }}",
        "${{ 'a }}",
        "${{ a && }}",
        "${{ f(a, ) }}",
        "${{ a == \"b\" }}",
    ] {
        assert!(names_in(bad).is_err(), "{bad}");
    }
}
