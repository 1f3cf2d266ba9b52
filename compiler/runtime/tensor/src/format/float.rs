use super::decimal::{Decimal, Printed};
use crate::{Element, Tensor};

/// The most digits after the point in a tensor's text.
const PRECISION: usize = 8;

/// A scalar's text: all its digits, in scientific form below 1e-4 and from a size on that goes
/// with the type's precision.
pub(super) fn scalar<T: Printed>(value: T) -> String {
    let exact = value.exact();
    if !exact.is_finite() {
        return not_finite(exact);
    }
    let sign = sign(exact);
    let limit = if T::PRECISION == f64::PRECISION {
        16
    } else {
        T::PRECISION
    };
    if exact == 0.0 || (1e-4..10f64.powi(limit)).contains(&exact.abs()) {
        let (whole, fraction) = value.shortest().parts();
        let fraction = if fraction.is_empty() { "0" } else { &fraction };
        return format!("{sign}{whole}.{fraction}");
    }
    let (whole, fraction, exponent) = value.shortest().scientific_parts();
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{whole}{point}{fraction}{}", power(exponent, 2))
}

/// The elements at these positions, all in one form, their points in one column.
pub(super) fn column<T: Printed + Element>(tensor: &Tensor, positions: &[usize]) -> Vec<String> {
    let all: &[T] = tensor.as_slice().unwrap_or_default();
    let values: Vec<T> = positions.iter().map(|&at| all[at]).collect();
    let form = Form::of(&values);
    let texts: Vec<Text> = values.iter().map(|&value| Text::new(value, form)).collect();
    let layout = Layout::new(&texts);
    texts.iter().map(|text| layout.apply(text)).collect()
}

/// How all elements are written.
#[derive(Clone, Copy)]
enum Form {
    Positional,
    /// With so many digits after the first.
    Scientific(usize),
}

impl Form {
    fn of<T: Printed>(values: &[T]) -> Form {
        if !needs_exponent(values) {
            return Form::Positional;
        }
        let finite = values.iter().filter(|value| value.exact().is_finite());
        let digits = finite.map(|value| {
            // Rounding to the limit may leave zeros, which do not count.
            let shortest = value.shortest();
            match shortest.scientific_digits() {
                digits if digits <= PRECISION => digits,
                _ => shortest
                    .scientific(value.exact().abs(), PRECISION)
                    .scientific_digits(),
            }
        });
        Form::Scientific(digits.max().unwrap_or(0))
    }
}

/// Large, tiny, or of too many sizes to stand in a column.
fn needs_exponent<T: Printed>(values: &[T]) -> bool {
    let size = |value: &T| value.exact().abs();
    let sizes = values
        .iter()
        .filter(|value| size(value) > 0.0 && size(value).is_finite());
    let by_size = |a: &&T, b: &&T| size(a).total_cmp(&size(b));
    let (Some(&least), Some(&largest)) = (sizes.clone().min_by(by_size), sizes.max_by(by_size))
    else {
        return false;
    };
    size(&largest) >= 10f64.powi(T::PRECISION.min(8))
        || size(&least) < T::nearest(1e-4)
        || T::ratio(largest, least).abs() > 1000.0
}

/// A number cut at its point, or a word.
enum Text {
    Number {
        whole: String,
        fraction: String,
        exponent: Option<i32>,
    },
    Word(String),
}

impl Text {
    fn new<T: Printed>(value: T, form: Form) -> Text {
        let exact = value.exact();
        if !exact.is_finite() {
            return Text::Word(not_finite(exact));
        }
        let shortest: Decimal = value.shortest();
        let (whole, fraction, exponent) = match form {
            Form::Positional => {
                let (whole, fraction) = shortest.positional(exact.abs(), PRECISION).parts();
                (whole, fraction, None)
            }
            Form::Scientific(digits) => {
                let rounded = shortest.scientific(exact.abs(), digits);
                let (whole, fraction, exponent) = rounded.scientific_parts();
                (whole, format!("{fraction:0<digits$}"), Some(exponent))
            }
        };
        Text::Number {
            whole: format!("{}{whole}", sign(exact)),
            fraction,
            exponent,
        }
    }
}

/// The widths of the columns left and right of the point.
#[derive(Default)]
struct Layout {
    left: usize,
    fraction: usize,
    exponent_digits: usize,
    /// The fraction and the exponent, without the point.
    right: usize,
}

impl Layout {
    fn new(texts: &[Text]) -> Layout {
        let mut layout = Layout::default();
        for text in texts {
            if let Text::Number {
                whole,
                fraction,
                exponent,
            } = text
            {
                layout.left = layout.left.max(whole.len());
                layout.fraction = layout.fraction.max(fraction.len());
                if let Some(exponent) = exponent {
                    let digits = exponent.unsigned_abs().to_string().len().max(2);
                    layout.exponent_digits = layout.exponent_digits.max(digits);
                }
            }
        }
        let exponent = match layout.exponent_digits {
            0 => 0,
            digits => digits + "e+".len(),
        };
        layout.right = layout.fraction + exponent;
        for text in texts {
            if let Text::Word(word) = text {
                layout.left = layout.left.max(word.len().saturating_sub(layout.right + 1));
            }
        }
        layout
    }

    fn apply(&self, text: &Text) -> String {
        let Layout {
            left,
            fraction: width,
            right,
            exponent_digits,
        } = *self;
        match text {
            Text::Number {
                whole,
                fraction,
                exponent: None,
            } => format!("{whole:>left$}.{fraction:<width$}"),
            Text::Number {
                whole,
                fraction,
                exponent: Some(exponent),
            } => {
                let power = power(*exponent, exponent_digits);
                format!("{whole:>left$}.{fraction}{power}")
            }
            Text::Word(word) => format!("{word:>width$}", width = left + 1 + right),
        }
    }
}

fn sign(value: f64) -> &'static str {
    if value.is_sign_negative() { "-" } else { "" }
}

fn not_finite(value: f64) -> String {
    if value.is_nan() {
        "nan".to_string()
    } else {
        format!("{}inf", sign(value))
    }
}

/// `e-05`, of at least so many digits.
fn power(exponent: i32, digits: usize) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("e{sign}{:0>digits$}", exponent.unsigned_abs())
}
