//! Slices: positions, known or at run time, and ranges.

use std::sync::Arc;

use super::{ANY, Names, Operation, Place};
use crate::generate::{Maker, Want};
use crate::program::{Operand, Source, Type};

pub const NAMES: Names = &[
    ("slice", ANY),
    ("slice, reversed", ANY),
    ("slice, run-time position", ANY),
];

#[derive(Clone, Debug)]
struct Slice(Vec<Entry>);

/// What the slice takes of an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Entry {
    /// Also where it is 0: the axis goes.
    Position(u64),
    /// The same at a position that is the next operand.
    RunTime,
    Whole,
    /// The end is left out, but in the text where that says `..=`.
    Range {
        start: u64,
        end: u64,
        inclusive: bool,
        reversed: bool,
    },
}

impl Operation for Slice {
    fn name(&self) -> &'static str {
        let is_reversed = |entry: &Entry| matches!(entry, Entry::Range { reversed: true, .. });
        if self.0.contains(&Entry::RunTime) {
            "slice, run-time position"
        } else if self.0.iter().any(is_reversed) {
            "slice, reversed"
        } else {
            "slice"
        }
    }

    fn results(&self, operands: &[Type]) -> Option<Vec<Type>> {
        let (source, positions) = operands.split_first()?;
        if source.shape.as_ref()?.len() != self.0.len() {
            return None;
        }
        let mut positions = positions.iter();
        let mut shape = Vec::new();
        let mut is_slice = false;
        for (entry, &extent) in self.0.iter().zip(source.extents()) {
            match *entry {
                Entry::Position(position) if position < extent => {}
                Entry::Position(_) => return None,
                Entry::RunTime => {
                    let position = positions.next()?;
                    if position.is_tensor() || !position.scalar.is_integer() {
                        return None;
                    }
                }
                Entry::Whole => {
                    is_slice = true;
                    shape.push(extent);
                }
                Entry::Range { start, end, .. } => {
                    if start > end || end > extent {
                        return None;
                    }
                    is_slice = true;
                    shape.push(end - start);
                }
            }
        }
        // Without a range it is an element.
        (is_slice && positions.next().is_none()).then(|| vec![source.with_shape(&shape)])
    }

    fn print(&self, operands: &[Operand], _: &str) -> String {
        let mut positions = operands[1..].iter();
        let entries = self.0.iter().zip(operands[0].ty.extents());
        let entries = entries.map(|(entry, &extent)| match entry {
            Entry::RunTime => positions
                .next()
                .map_or_else(String::new, |position| position.text.clone()),
            entry => entry.text(extent),
        });
        let entries: Vec<String> = entries.collect();
        format!("{}[{}]", operands[0].receiver, entries.join(", "))
    }

    /// Only a caller checks a position.
    fn place(&self) -> Place {
        match self.0.contains(&Entry::RunTime) {
            true => Place::Host,
            false => Place::Anywhere,
        }
    }

    fn simpler(&self) -> Vec<Arc<dyn Operation>> {
        let replaced = |at: usize, entry: Entry| {
            let mut entries = self.0.clone();
            entries[at] = entry;
            Arc::new(Slice(entries)) as Arc<dyn Operation>
        };
        let mut simpler = Vec::new();
        for (at, &entry) in self.0.iter().enumerate() {
            if let Entry::Range {
                start,
                end,
                inclusive,
                reversed,
            } = entry
            {
                simpler.push(replaced(at, Entry::Whole));
                if inclusive || reversed {
                    let (inclusive, reversed) = (false, false);
                    simpler.push(replaced(
                        at,
                        Entry::Range {
                            start,
                            end,
                            inclusive,
                            reversed,
                        },
                    ));
                }
            }
            if let Entry::Position(1..) = entry {
                simpler.push(replaced(at, Entry::Position(0)));
            }
        }
        simpler
    }

    fn with_extent(&self, from: u64, to: u64) -> Option<Arc<dyn Operation>> {
        let smaller = |entry: &Entry| match *entry {
            Entry::Position(position) if to < from => {
                Entry::Position(position.min(to.saturating_sub(1)))
            }
            Entry::Range {
                start,
                end,
                inclusive,
                reversed,
            } if end - start == from => {
                let end = start + to;
                Entry::Range {
                    start,
                    end,
                    inclusive: inclusive && to > 0,
                    reversed,
                }
            }
            Entry::Range {
                start,
                end,
                inclusive,
                reversed,
            } if end <= from => {
                let start = start.min(to);
                let end = end.clamp(start, to.max(start));
                Entry::Range {
                    start,
                    end,
                    inclusive: inclusive && end > start,
                    reversed,
                }
            }
            entry => entry,
        };
        let entries: Vec<Entry> = self.0.iter().map(smaller).collect();
        (entries != self.0).then(|| Arc::new(Slice(entries)) as Arc<dyn Operation>)
    }
}

impl Entry {
    fn text(self, extent: u64) -> String {
        match self {
            Entry::Position(position) => position.to_string(),
            Entry::RunTime => String::new(),
            Entry::Whole => "..".into(),
            Entry::Range {
                start,
                end,
                inclusive,
                reversed,
            } => {
                let range = if inclusive {
                    format!("{start}..={}", end - 1)
                } else if start == 0 && !reversed {
                    format!("..{end}")
                } else if end == extent && !reversed {
                    format!("{start}..")
                } else {
                    format!("{start}..{end}")
                };
                match reversed {
                    true => format!("({range}).rev()"),
                    false => range,
                }
            }
        }
    }

    fn make(maker: &mut Maker<'_>, extent: u64) -> Entry {
        let within = |maker: &mut Maker<'_>| maker.random.below(extent as usize + 1) as u64;
        match maker.random.below(10) {
            0 | 1 if extent > 0 => Entry::Position(maker.random.below(extent as usize) as u64),
            2 => Entry::RunTime,
            3 | 4 => Entry::Whole,
            5 => Entry::Range {
                start: 0,
                end: extent,
                inclusive: false,
                reversed: true,
            },
            _ => {
                let (a, b) = (within(maker), within(maker));
                let (start, end) = (a.min(b), a.max(b));
                Entry::Range {
                    start,
                    end,
                    inclusive: end > start && maker.random.chance(40),
                    reversed: maker.random.chance(40),
                }
            }
        }
    }
}

pub fn make(maker: &mut Maker<'_>) -> Option<()> {
    let source = maker.tensor(|ty| ty.rank() > 0)?;
    let ty = maker.type_of(source);
    let mut entries: Vec<Entry> = ty
        .extents()
        .iter()
        .map(|&extent| Entry::make(maker, extent))
        .collect();
    if entries
        .iter()
        .all(|entry| matches!(entry, Entry::Position(_) | Entry::RunTime))
    {
        entries[0] = Entry::Whole;
    }
    let mut operands = vec![source];
    for (entry, &extent) in entries.iter().zip(ty.extents()) {
        if *entry == Entry::RunTime {
            operands.push(position(maker, extent));
        }
    }
    maker.add(Slice(entries), &operands)
}

/// A position at run time, mostly one that the axis has.
pub fn position(maker: &mut Maker<'_>, extent: u64) -> Source {
    let scalar = maker.random.one(&maker.integers());
    let known = maker.pick(|ty| !ty.is_tensor() && ty.scalar.is_integer());
    match known {
        Some(known) if maker.random.chance(20) => known,
        _ => maker.parameter(Type::scalar(scalar), Want::Position(extent)),
    }
}
