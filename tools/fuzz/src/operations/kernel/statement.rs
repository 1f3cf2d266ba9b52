//! What a thread does.

use shared_types::ScalarType;

use super::print::Printer;
use crate::operations::closure::Closure;

/// Its expressions read the leaves, the locals and the steps of the loops around it.
#[derive(Clone, Debug)]
pub(super) enum Statement {
    /// `v0 += …`
    Local(Assignment),
    /// `o0[…] = …`
    Write(Assignment),
    Loop {
        /// One of [`LOOPS`].
        kind: &'static str,
        bound: Bound,
        body: Box<Statement>,
    },
    Branch {
        condition: Condition,
        then: Box<Statement>,
        otherwise: Option<Box<Statement>>,
    },
    Return(Condition),
}

/// To a local, or to the thread's element of an output.
#[derive(Clone, Debug)]
pub(super) struct Assignment {
    pub to: usize,
    /// Before the `=`.
    pub operator: &'static str,
    pub value: Closure,
}

#[derive(Clone, Debug)]
pub(super) struct Condition {
    pub comparison: &'static str,
    pub sides: [Closure; 2],
}

/// How often a loop turns.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bound {
    Times(u64),
    /// As the thread's position along an axis says, less than 4 times.
    Thread(usize),
}

pub(super) const LOOPS: [&str; 5] = ["for", "for, inclusive", "for, continue", "while", "loop"];

impl Statement {
    pub fn text(&self, printer: &mut Printer<'_>) -> String {
        match self {
            Statement::Local(assignment) => {
                let place = format!("v{}", assignment.to);
                assignment.text(&place, printer)
            }
            Statement::Write(assignment) => {
                let place = printer.own(assignment.to);
                assignment.text(&place, printer)
            }
            Statement::Loop { kind, bound, body } => {
                let k = printer.step();
                let body = body.text(printer);
                printer.end_step();
                let bound = match bound {
                    Bound::Times(times) => format!("{times}i64"),
                    Bound::Thread(axis) => format!("(i{axis} % 4)"),
                };
                let start = format!("mut {k} = 0i64");
                let next = format!("{k} += 1");
                match *kind {
                    "for" => format!("for {k} in 0..{bound} {{ {body} }}"),
                    "for, inclusive" => format!("for {k} in 0..={bound} {{ {body} }}"),
                    "for, continue" => {
                        format!("for {k} in 0..{bound} {{ if {k} == 1 {{ continue }}; {body} }}")
                    }
                    "while" => format!("{start}; while {k} < {bound} {{ {body}; {next} }}"),
                    _ => {
                        format!("{start}; loop {{ if {k} >= {bound} {{ break }}; {body}; {next} }}")
                    }
                }
            }
            Statement::Branch {
                condition,
                then,
                otherwise,
            } => {
                let (condition, then) = (condition.text(printer), then.text(printer));
                let otherwise = otherwise.as_ref().map(|other| other.text(printer));
                let otherwise = otherwise.map(|other| format!(" else {{ {other} }}"));
                format!(
                    "if {condition} {{ {then} }}{}",
                    otherwise.unwrap_or_default()
                )
            }
            Statement::Return(condition) => format!("if {} {{ return }}", condition.text(printer)),
        }
    }

    /// The same by less; never without the step that it may read.
    pub fn simpler(&self) -> Vec<Statement> {
        match self {
            Statement::Local(assignment) => {
                let simpler = assignment.simpler().into_iter();
                simpler.map(Statement::Local).collect()
            }
            Statement::Write(assignment) => {
                let simpler = assignment.simpler().into_iter();
                simpler.map(Statement::Write).collect()
            }
            &Statement::Loop {
                kind,
                bound,
                ref body,
            } => {
                let with = |kind, bound, body: Statement| Statement::Loop {
                    kind,
                    bound,
                    body: Box::new(body),
                };
                let mut simpler = Vec::new();
                if kind != LOOPS[0] {
                    simpler.push(with(LOOPS[0], bound, (**body).clone()));
                }
                if !matches!(bound, Bound::Times(0 | 1)) {
                    simpler.push(with(kind, Bound::Times(1), (**body).clone()));
                }
                let bodies = body.simpler().into_iter();
                simpler.extend(bodies.map(|body| with(kind, bound, body)));
                simpler
            }
            Statement::Branch {
                condition,
                then,
                otherwise,
            } => {
                let with = |condition: &Condition, then: &Statement, otherwise| Statement::Branch {
                    condition: condition.clone(),
                    then: Box::new(then.clone()),
                    otherwise,
                };
                let mut simpler = vec![(**then).clone()];
                if let Some(other) = otherwise {
                    simpler.push((**other).clone());
                    simpler.push(with(condition, then, None));
                }
                let conditions = condition.simpler().into_iter();
                simpler.extend(conditions.map(|one| with(&one, then, otherwise.clone())));
                let thens = then.simpler().into_iter();
                simpler.extend(thens.map(|then| with(condition, &then, otherwise.clone())));
                simpler
            }
            Statement::Return(condition) => {
                let simpler = condition.simpler().into_iter();
                simpler.map(Statement::Return).collect()
            }
        }
    }
}

impl Assignment {
    fn text(&self, place: &str, printer: &Printer<'_>) -> String {
        format!("{place} {}= {}", self.operator, printer.value(&self.value))
    }

    fn simpler(&self) -> Vec<Assignment> {
        let with = |operator, value| Assignment {
            operator,
            value,
            ..*self
        };
        let mut simpler = Vec::new();
        if !self.operator.is_empty() {
            simpler.push(with("", self.value.clone()));
        }
        let values = self.value.simpler().into_iter();
        simpler.extend(values.map(|value| with(self.operator, value)));
        simpler
    }
}

impl Condition {
    fn text(&self, printer: &Printer<'_>) -> String {
        let [left, right] = self.sides.each_ref().map(|side| printer.value(side));
        format!("{left} {} {right}", self.comparison)
    }

    fn simpler(&self) -> Vec<Condition> {
        let sides = [0, 1].into_iter().flat_map(|at| {
            let values = self.sides[at].simpler().into_iter();
            values.map(move |value| (at, value))
        });
        let with = |(at, value): (usize, Closure)| {
            let mut condition = self.clone();
            condition.sides[at] = value;
            condition
        };
        sides.map(with).collect()
    }
}

/// The type of a loop's step.
pub(super) const STEP: ScalarType = ScalarType::I64;
