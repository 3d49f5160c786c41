//! Operators of two values.

use humdrum_contract::Outcome;
use humdrum_model::Fault;

use crate::value::Value;

/// An operator of two values. `>` and `>=` are `<` and `<=` with their sides exchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Add,
    And,
    BitAnd,
    BitOr,
    BitXor,
    Divide,
    Equal,
    Less,
    LessOrEqual,
    Modulo,
    Multiply,
    NotEqual,
    Or,
    ShiftLeft,
    ShiftRight,
    Subtract,
}

impl Operator {
    /// Applies it; a null on either side gives null. AND and OR are computed by `evaluate.rs`, because they may skip their
    /// right side.
    pub(crate) fn apply(self, left: Value, right: Value) -> Outcome<Value> {
        if left == Value::Null || right == Value::Null {
            return Ok(Value::Null);
        }
        match self {
            Self::And => Ok(Value::Bool(left.bool()? && right.bool()?)),
            Self::Or => Ok(Value::Bool(left.bool()? || right.bool()?)),
            Self::BitAnd => Ok(Value::Int(left.int()? & right.int()?)),
            Self::BitOr => Ok(Value::Int(left.int()? | right.int()?)),
            Self::BitXor => Ok(Value::Int(left.int()? ^ right.int()?)),
            // Bits beyond the lowest six of the right side do not count, as on the processors that pgbench runs on.
            Self::ShiftLeft => Ok(Value::Int(left.int()?.wrapping_shl(right.int()? as u32))),
            Self::ShiftRight => Ok(Value::Int(left.int()?.wrapping_shr(right.int()? as u32))),
            Self::Modulo => self.of_ints(left.int()?, right.int()?),
            _ if left.is_double() || right.is_double() => self.of_doubles(left.double()?, right.double()?),
            _ => self.of_ints(left.int()?, right.int()?),
        }
    }

    fn of_doubles(self, left: f64, right: f64) -> Outcome<Value> {
        Ok(match self {
            Self::Add => Value::Double(left + right),
            Self::Subtract => Value::Double(left - right),
            Self::Multiply => Value::Double(left * right),
            Self::Divide => Value::Double(left / right),
            Self::Equal => Value::Bool(left == right),
            Self::NotEqual => Value::Bool(left != right),
            Self::Less => Value::Bool(left < right),
            Self::LessOrEqual => Value::Bool(left <= right),
            _ => return Err(Fault::usage("this operator takes integers")),
        })
    }

    fn of_ints(self, left: i64, right: i64) -> Outcome<Value> {
        let result = match self {
            Self::Equal => return Ok(Value::Bool(left == right)),
            Self::NotEqual => return Ok(Value::Bool(left != right)),
            Self::Less => return Ok(Value::Bool(left < right)),
            Self::LessOrEqual => return Ok(Value::Bool(left <= right)),
            Self::Divide | Self::Modulo if right == 0 => return Err(Fault::usage("division by zero")),
            Self::Add => left.checked_add(right),
            Self::Subtract => left.checked_sub(right),
            Self::Multiply => left.checked_mul(right),
            Self::Divide => left.checked_div(right),
            // The smallest integer modulo -1 is 0; `checked_rem` would refuse it.
            Self::Modulo => Some(left.wrapping_rem(right)),
            _ => return Err(Fault::usage("this operator takes booleans")),
        };
        let overflow =
            || Fault::usage(format!("the result for {left} and {right} is too large for an integer"));
        result.map(Value::Int).ok_or_else(overflow)
    }
}
