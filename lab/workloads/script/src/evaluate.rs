//! Computes expressions over the variables of an operation.

use std::fmt::Write;

use humdrum_contract::{Outcome, Random};
use humdrum_model::Fault;

use crate::draw::{self, Range};
use crate::expression::{Expression, Node};
use crate::function::Function;
use crate::hash;
use crate::names::Names;
use crate::operator::Operator;
use crate::permute::permute;
use crate::value::Value;

/// The values of a script's variables and the random numbers of one operation.
#[derive(Clone, Debug)]
pub struct Variables {
    /// Their names.
    names: Names,
    /// By variable, in the order of `Names`.
    pub values: Vec<Value>,
    /// Beside each double and each text, what is sent to the server.
    pub(crate) texts: Vec<String>,
    /// The operation's own numbers.
    pub random: Random,
}

impl Variables {
    /// None of them is set.
    pub fn new(names: &Names, random: Random) -> Self {
        let count = names.all().len();
        let (values, texts) = (vec![Value::Unset; count], vec![String::new(); count]);
        Self { names: names.clone(), values, texts, random }
    }

    /// Assigns a value.
    pub(crate) fn set(&mut self, variable: usize, value: Value) {
        self.values[variable] = value;
        if let Value::Double(_) = value {
            let text = &mut self.texts[variable];
            text.clear();
            // Writing to a String cannot fail.
            let _ = write!(text, "{value}");
        }
    }

    /// Assigns a text of an answer.
    pub(crate) fn set_text(&mut self, variable: usize, text: &str) {
        self.values[variable] = Value::Text;
        text.clone_into(&mut self.texts[variable]);
    }

    /// The fault of a variable that has no value yet.
    pub(crate) fn unset(&self, variable: usize) -> Fault {
        let name = &self.names.all()[variable];
        Fault::usage(format!("the variable `{name}` has no value here"))
            .hint(format!("set it on every way to this place: \\set {name} …, or a column `{name}` of an answer that \\gset keeps"))
    }

    fn read(&self, variable: usize) -> Outcome<Value> {
        match self.values[variable] {
            Value::Unset => Err(self.unset(variable)),
            Value::Text => {
                let (name, text) = (&self.names.all()[variable], &self.texts[variable]);
                Value::of_text(text)
                    .ok_or_else(|| Fault::usage(format!("`{text}`, the value of `{name}`, is no number")))
            }
            value => Ok(value),
        }
    }
}

/// The seed of `hash` without one, `:default_seed`: always the same, so that runs and subjects can be compared.
pub(crate) const DEFAULT_SEED: i64 = 0;

impl Expression {
    /// The value.
    ///
    /// # Errors
    /// Usage: a variable that has no value, a value of a wrong type, a result that is too large, division by zero, a bad range or parameter.
    pub fn evaluate(&self, variables: &mut Variables) -> Outcome<Value> {
        value(&self.0, variables)
    }
}

fn value(node: &Node, variables: &mut Variables) -> Outcome<Value> {
    match node {
        Node::Constant(value) => Ok(*value),
        Node::Variable(number) => variables.read(*number),
        Node::Not(inner) => match value(inner, variables)? {
            Value::Null => Ok(Value::Null),
            inner => Ok(Value::Bool(!inner.bool()?)),
        },
        Node::Is(inner, wanted) => Ok(Value::Bool(value(inner, variables)? == *wanted)),
        Node::Binary(operator, sides) => binary(*operator, sides, variables),
        Node::Call(function, arguments) => call(*function, arguments, variables),
        Node::Case(branches, otherwise) => {
            for (condition, result) in branches {
                if value(condition, variables)?.holds() {
                    return value(result, variables);
                }
            }
            value(otherwise, variables)
        }
    }
}

/// AND and OR leave out their right side if the left one decides, or is null.
fn binary(operator: Operator, sides: &[Node; 2], variables: &mut Variables) -> Outcome<Value> {
    let left = value(&sides[0], variables)?;
    let decided = match operator {
        Operator::And | Operator::Or if left == Value::Null => true,
        Operator::And => !left.bool()?,
        Operator::Or => left.bool()?,
        _ => false,
    };
    if decided {
        return Ok(left);
    }
    operator.apply(left, value(&sides[1], variables)?)
}

/// A null argument gives null.
fn call(function: Function, arguments: &[Node], variables: &mut Variables) -> Outcome<Value> {
    // No call but those of LEAST and GREATEST has more arguments, and no heap is needed for so few.
    let mut few = [Value::Null; 3];
    let mut many = Vec::new();
    let values = if let Some(few) = few.get_mut(..arguments.len()) {
        few
    } else {
        many.resize(arguments.len(), Value::Null);
        &mut many[..]
    };
    for (slot, argument) in values.iter_mut().zip(arguments) {
        *slot = value(argument, variables)?;
    }
    if values.contains(&Value::Null) {
        return Ok(Value::Null);
    }
    apply(function, values, &mut variables.random)
}

fn apply(function: Function, values: &[Value], random: &mut Random) -> Outcome<Value> {
    let first = || values.first().copied().unwrap_or(Value::Null);
    let second = || values.get(1).copied().unwrap_or(Value::Int(DEFAULT_SEED));
    Ok(match function {
        Function::Abs => match first() {
            Value::Int(value) => Value::Int(value.wrapping_abs()),
            other => Value::Double(other.double()?.abs()),
        },
        Function::Double => Value::Double(first().double()?),
        Function::Exp => Value::Double(first().double()?.exp()),
        Function::Greatest => extreme(values, i64::max, f64::max)?,
        Function::Least => extreme(values, i64::min, f64::min)?,
        Function::HashFnv1a => Value::Int(hash::fnv1a(first().int()?, second().int()?)),
        Function::HashMurmur2 => Value::Int(hash::murmur2(first().int()?, second().int()?)),
        Function::Int => Value::Int(first().int()?),
        Function::Ln => Value::Double(first().double()?.ln()),
        Function::Mod => Operator::Modulo.apply(first(), second())?,
        Function::Permute => Value::Int(permuted(values)?),
        Function::Pi => Value::Double(std::f64::consts::PI),
        Function::Power => Value::Double(first().double()?.powf(second().double()?)),
        Function::Sqrt => Value::Double(first().double()?.sqrt()),
        Function::Random
        | Function::RandomExponential
        | Function::RandomGaussian
        | Function::RandomZipfian => Value::Int(draw(function, values, random)?),
    })
}

fn permuted(values: &[Value]) -> Outcome<i64> {
    let size = values[1].int()?;
    if size <= 0 {
        return Err(Fault::usage(format!("the size of a permutation must be greater than 0, not {size}")));
    }
    let seed = values.get(2).map_or(Ok(DEFAULT_SEED), |seed| seed.int())?;
    Ok(permute(values[0].int()?, size, seed))
}

fn draw(function: Function, values: &[Value], random: &mut Random) -> Outcome<i64> {
    let range = Range::of(values[0].int()?, values[1].int()?)?;
    let parameter = || values.get(2).map_or(Ok(0.0), |value| value.double());
    match function {
        Function::RandomExponential => draw::exponential(random, range, parameter()?),
        Function::RandomGaussian => draw::gaussian(random, range, parameter()?),
        Function::RandomZipfian => draw::zipfian(random, range, parameter()?),
        _ => Ok(draw::uniform(random, range)),
    }
}

/// A double if any value is one.
fn extreme(values: &[Value], ints: fn(i64, i64) -> i64, doubles: fn(f64, f64) -> f64) -> Outcome<Value> {
    if values.iter().any(|value| value.is_double()) {
        let mut best = values[0].double()?;
        for value in &values[1..] {
            best = doubles(best, value.double()?);
        }
        return Ok(Value::Double(best));
    }
    let mut best = values[0].int()?;
    for value in &values[1..] {
        best = ints(best, value.int()?);
    }
    Ok(Value::Int(best))
}
