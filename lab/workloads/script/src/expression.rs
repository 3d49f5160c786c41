//! Expressions: words into trees, with pgbench's precedence.
//!
//! ```text
//!   1  OR                     left            6  | # & << >> ~    left; ~ has one side
//!   2  AND                    left            7  + -              left
//!   3  NOT                    one side        8  * / %            left
//!   4  IS ISNULL NOTNULL      behind          9  + - of one side
//!   5  < > = <= >= <> !=      not repeated
//! ```

use humdrum_contract::Outcome;
use humdrum_model::Fault;

use crate::function::{self, Function};
use crate::names::Names;
use crate::operator::Operator;
use crate::source::{Source, meant};
use crate::token::{Placed, Token, tokens};
use crate::value::Value;

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression(pub(crate) Node);

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    Constant(Value),
    Variable(usize),
    Not(Box<Node>),
    Binary(Operator, Box<[Node; 2]>),
    Call(Function, Vec<Node>),
    /// Conditions with their results, and the result if none holds.
    Case(Vec<(Node, Node)>, Box<Node>),
    /// Whether the node's value is this one.
    Is(Box<Node>, Value),
}

/// How deep parentheses and operators of one side may be nested.
const MOST_DEPTH: usize = 100;

impl Expression {
    /// Reads the text between two bytes of a file.
    pub(crate) fn parse(source: &Source<'_>, from: usize, to: usize, names: &mut Names) -> Outcome<Self> {
        let tokens = tokens(source, from, to)?;
        let mut parser = Parser { source, names, tokens: &tokens, at: 0, end: to, depth: 0 };
        let node = parser.binary(1)?;
        match parser.peek() {
            None => Ok(Self(node)),
            Some(token) => Err(parser.fault(format!("the expression ends before {}", shown(token)))),
        }
    }
}

struct Parser<'a> {
    source: &'a Source<'a>,
    names: &'a mut Names,
    tokens: &'a [Placed<'a>],
    at: usize,
    end: usize,
    depth: usize,
}

/// Operators with their precedence and whether their sides are exchanged.
const OPERATORS: [(&str, Operator, u8, bool); 19] = [
    ("or", Operator::Or, 1, false),
    ("and", Operator::And, 2, false),
    ("<", Operator::Less, 5, false),
    (">", Operator::Less, 5, true),
    ("<=", Operator::LessOrEqual, 5, false),
    (">=", Operator::LessOrEqual, 5, true),
    ("=", Operator::Equal, 5, false),
    ("<>", Operator::NotEqual, 5, false),
    ("!=", Operator::NotEqual, 5, false),
    ("|", Operator::BitOr, 6, false),
    ("#", Operator::BitXor, 6, false),
    ("&", Operator::BitAnd, 6, false),
    ("<<", Operator::ShiftLeft, 6, false),
    (">>", Operator::ShiftRight, 6, false),
    ("+", Operator::Add, 7, false),
    ("-", Operator::Subtract, 7, false),
    ("*", Operator::Multiply, 8, false),
    ("/", Operator::Divide, 8, false),
    ("%", Operator::Modulo, 8, false),
];

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<Token<'a>> {
        self.tokens.get(self.at).map(|(_, token)| *token)
    }

    fn fault(&self, what: impl Into<String>) -> Fault {
        self.source.fault(self.tokens.get(self.at).map_or(self.end, |(offset, _)| *offset), what)
    }

    /// Takes a keyword or sign if it is next.
    fn takes(&mut self, text: &str) -> bool {
        let found = self.peek().is_some_and(|token| is(token, text));
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, text: &str) -> Outcome<()> {
        if self.takes(text) {
            return Ok(());
        }
        let place =
            self.peek().map_or_else(|| "at the end".to_owned(), |token| format!("before {}", shown(token)));
        Err(self.fault(format!("`{text}` is missing {place}")))
    }

    /// Operators of a precedence, or a higher one, and their sides.
    fn binary(&mut self, least: u8) -> Outcome<Node> {
        let mut left = self.operand()?;
        let mut most = u8::MAX;
        loop {
            if least <= 4 && self.peek().is_some_and(|token| is_test(token)) {
                left = self.is_test(left)?;
                // A test ends with its last word, so that any operator may follow: `1 is null * 2` is `(1 is null) * 2`.
                most = u8::MAX;
                continue;
            }
            let Some((operator, level, exchanged)) = self.peek().and_then(operator) else { return Ok(left) };
            if level < least {
                return Ok(left);
            }
            if level == 5 && most <= 5 {
                return Err(self
                    .fault("comparisons do not follow one another")
                    .hint("write a < b and b < c"));
            }
            self.at += 1;
            let right = self.binary(level + 1)?;
            left = Node::Binary(operator, Box::new(if exchanged { [right, left] } else { [left, right] }));
            // After a looser operator, a comparison can only be part of its right side.
            most = if level == 5 { 5 } else { most };
        }
    }

    /// `IS [NOT] NULL`, `IS [NOT] TRUE`, `ISNULL`, `NOTNULL`.
    fn is_test(&mut self, left: Node) -> Outcome<Node> {
        let (left, null) = (Box::new(left), Value::Null);
        if self.takes("isnull") {
            return Ok(Node::Is(left, null));
        }
        if self.takes("notnull") {
            return Ok(Node::Not(Box::new(Node::Is(left, null))));
        }
        self.expect("is")?;
        let negated = self.takes("not");
        let Some(value) = self.literal() else {
            return Err(self.fault("`IS` is followed by null, true or false"));
        };
        let node = Node::Is(left, value);
        Ok(if negated { Node::Not(Box::new(node)) } else { node })
    }

    fn literal(&mut self) -> Option<Value> {
        let known = [("null", Value::Null), ("true", Value::Bool(true)), ("false", Value::Bool(false))];
        known.into_iter().find(|(word, _)| self.takes(word)).map(|(_, value)| value)
    }

    fn operand(&mut self) -> Outcome<Node> {
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return Err(self.fault(format!("the expression is nested more than {MOST_DEPTH} deep")));
        }
        let node = self.operand_within()?;
        self.depth -= 1;
        Ok(node)
    }

    fn operand_within(&mut self) -> Outcome<Node> {
        if self.takes("(") {
            let node = self.binary(1)?;
            return self.expect(")").map(|()| node);
        }
        if self.takes("not") {
            return Ok(Node::Not(Box::new(self.binary(4)?)));
        }
        if self.takes("~") {
            let all = Node::Constant(Value::Int(-1));
            return Ok(Node::Binary(Operator::BitXor, Box::new([all, self.binary(7)?])));
        }
        if self.takes("+") {
            return self.binary(9);
        }
        if self.takes("-") {
            if self.peek() == Some(Token::IntBeyond) {
                self.at += 1;
                return Ok(Node::Constant(Value::Int(i64::MIN)));
            }
            let zero = Node::Constant(Value::Int(0));
            return Ok(Node::Binary(Operator::Subtract, Box::new([zero, self.binary(9)?])));
        }
        if self.takes("case") {
            return self.case();
        }
        self.literal().map_or_else(|| self.leaf(), |value| Ok(Node::Constant(value)))
    }

    fn case(&mut self) -> Outcome<Node> {
        let mut branches = Vec::new();
        while self.takes("when") {
            let condition = self.binary(1)?;
            self.expect("then")?;
            branches.push((condition, self.binary(1)?));
        }
        if branches.is_empty() {
            self.expect("when")?;
        }
        let otherwise = if self.takes("else") { self.binary(1)? } else { Node::Constant(Value::Null) };
        self.expect("end")?;
        Ok(Node::Case(branches, Box::new(otherwise)))
    }

    fn leaf(&mut self) -> Outcome<Node> {
        let Some(&(offset, token)) = self.tokens.get(self.at) else {
            return Err(self.fault("a value is missing at the end of the expression"));
        };
        let node = match token {
            Token::Int(value) => Node::Constant(Value::Int(value)),
            Token::Double(value) => Node::Constant(Value::Double(value)),
            Token::Variable(name) => Node::Variable(self.names.read(name, self.source, offset)?),
            Token::Word(name) => return self.call(name),
            Token::IntBeyond => return Err(self.fault("the number 9223372036854775808 is too large")),
            Token::Sign(_) => return Err(self.fault(format!("a value is missing before {}", shown(token)))),
        };
        self.at += 1;
        Ok(node)
    }

    fn call(&mut self, name: &str) -> Outcome<Node> {
        let Some(entry) = function::find(name) else { return Err(self.unknown(name)) };
        let start = self.at;
        self.at += 1;
        self.expect("(")?;
        let mut arguments = Vec::new();
        if !self.takes(")") {
            arguments.push(self.binary(1)?);
            while self.takes(",") {
                arguments.push(self.binary(1)?);
            }
            self.expect(")")?;
        }
        if (entry.least..=entry.most).contains(&arguments.len()) {
            return Ok(Node::Call(entry.function, arguments));
        }
        self.at = start;
        Err(self.fault(format!("{} takes {}, not {}", entry.name, entry.takes(), arguments.len())))
    }

    fn unknown(&self, name: &str) -> Fault {
        let refused = function::NOT_OFFERED.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        if let Some((known, why)) = refused {
            return self.fault(format!("the function {known} of pgbench is not offered")).hint(*why);
        }
        if self.tokens.get(self.at + 1).is_none_or(|(_, next)| *next != Token::Sign("(")) {
            let fault = self.fault(format!("`{name}` is not a value"));
            return fault.hint(format!("a variable is written with a colon: :{name}"));
        }
        let fault = self.fault(format!("no function `{name}`"));
        match meant(name, function::TABLE.iter().map(|entry| entry.name)) {
            Some(near) => fault.hint(format!("did you mean {near}()?")),
            None => {
                let known: Vec<&str> = function::TABLE.iter().map(|entry| entry.name).collect();
                fault.hint(format!("functions are {}", known.join(", ")))
            }
        }
    }
}

fn is(token: Token<'_>, text: &str) -> bool {
    match token {
        Token::Word(word) => word.eq_ignore_ascii_case(text),
        Token::Sign(sign) => sign == text,
        _ => false,
    }
}

fn is_test(token: Token<'_>) -> bool {
    ["is", "isnull", "notnull"].iter().any(|word| is(token, word))
}

fn operator(token: Token<'_>) -> Option<(Operator, u8, bool)> {
    let found = OPERATORS.iter().find(|(text, ..)| is(token, text));
    found.map(|&(_, operator, level, exchanged)| (operator, level, exchanged))
}

fn shown(token: Token<'_>) -> String {
    match token {
        Token::Int(value) => format!("`{value}`"),
        Token::IntBeyond => "`9223372036854775808`".to_owned(),
        Token::Double(value) => format!("`{value}`"),
        Token::Variable(name) => format!("`:{name}`"),
        Token::Word(text) => format!("`{text}`"),
        Token::Sign(text) => format!("`{text}`"),
    }
}
