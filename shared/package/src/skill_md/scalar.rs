//! Plain scalars by the core schema of YAML 1.2: `true` and `false` are the only booleans, dates are text.

use std::borrow::Cow;

use granit_parser::ScalarStyle;
use serde_json::{Number, Value};

pub(super) fn resolve(text: Cow<'_, str>, style: ScalarStyle) -> Value {
    if !matches!(style, ScalarStyle::Plain) {
        return Value::String(text.into_owned());
    }
    match text.as_ref() {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        plain => number(plain).map_or_else(|| Value::String(text.into_owned()), Value::Number),
    }
}

/// The value of a number that JSON can hold; infinities and integers beyond 64 bits stay text.
fn number(text: &str) -> Option<Number> {
    if let Some(digits) = text.strip_prefix("0x") {
        return radix(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return radix(digits, 8);
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    let shaped = is_digits(whole) && is_digits(fraction) && is_digits(exponent) && !exponent.is_empty();
    if !shaped || (whole.is_empty() && fraction.is_empty()) {
        return None;
    }
    if is_digits(unsigned) {
        let text = text.strip_prefix('+').unwrap_or(text);
        return text.parse::<u64>().map(Number::from).or_else(|_| text.parse::<i64>().map(Number::from)).ok();
    }
    Number::from_f64(text.parse().ok()?)
}

fn radix(digits: &str, radix: u32) -> Option<Number> {
    let shaped = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
    shaped.then(|| u64::from_str_radix(digits, radix).ok()).flatten().map(Number::from)
}
