//! What was in the functions that ran, so that nothing is missed without a word.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use shared_types::ScalarType;

use crate::generate::{self, Domain};
use crate::operations;
use crate::program::{Function, Source};

/// How many functions had what.
#[derive(Clone, Debug)]
pub struct Coverage {
    domain: Domain,
    /// By operation, and the element type of its first operand, or of its result.
    operations: BTreeMap<(&'static str, ScalarType), u64>,
    features: BTreeMap<String, u64>,
}

impl Coverage {
    /// Of no function yet.
    pub fn new(domain: Domain) -> Self {
        Coverage {
            domain,
            operations: BTreeMap::new(),
            features: BTreeMap::new(),
        }
    }

    pub fn add(&mut self, function: &Function) {
        let mut operations = BTreeSet::new();
        let mut features = BTreeSet::new();
        let types = function.types().unwrap_or_default();
        for (node, results) in function.nodes.iter().zip(&types) {
            let operands = node.operands.iter();
            let operands: Vec<_> = operands
                .filter_map(|&source| function.type_in(&types, source))
                .collect();
            if let Some(ty) = operands.first().or(results.first()) {
                operations.insert((node.operation.name(), ty.scalar));
            }
            for ty in operands.iter().chain(results).filter(|ty| ty.is_tensor()) {
                features.insert(format!("rank {}", ty.rank()));
                features.extend(ty.extents().iter().filter_map(|&extent| listed(extent)));
            }
            if let (&[left, right], [ty]) = (&node.operands[..], &results[..])
                && let [a, b] = &operands[..]
                && operations::broadcasts(node.operation.name())
            {
                let stretched = |operand: &crate::program::Type| {
                    operand.is_tensor() && operand.shape != ty.shape
                };
                let side = |operand, source, side: &str| match source {
                    Source::Number(..) => Some(format!("{side}: literal")),
                    _ if !crate::program::Type::is_tensor(operand) => {
                        Some(format!("{side}: scalar"))
                    }
                    _ if stretched(operand) => Some(format!("{side}: stretched")),
                    _ => None,
                };
                features.extend(side(a, left, "left"));
                features.extend(side(b, right, "right"));
            }
        }
        let names: Vec<&str> = function
            .nodes
            .iter()
            .map(|node| node.operation.name())
            .collect();
        if names.contains(&"@, packed") {
            let beside = names
                .iter()
                .filter_map(|name| operations::scheduled_family(name));
            features.extend(beside.map(|family| format!("packed beside a {family}")));
        }
        features.insert(format!("style: {}", function.style.name()));
        for parameter in function
            .parameters
            .iter()
            .filter(|parameter| parameter.ty.is_tensor())
        {
            features.insert(format!("passed: {:?}", parameter.passing));
            if parameter.aliased {
                features.insert("type alias".into());
            }
            if parameter.named {
                features.insert("named axes".into());
            }
        }
        features.insert(format!("operations: {}", function.nodes.len()));
        if function.results.len() > 1 {
            features.insert("tuple result".into());
        }
        for name in operations {
            *self.operations.entry(name).or_default() += 1;
        }
        for feature in features {
            self.count(feature);
        }
    }

    /// One more function has a feature that shows when it runs.
    pub fn count(&mut self, feature: impl Into<String>) {
        *self.features.entry(feature.into()).or_default() += 1;
    }

    pub fn operations(&self) -> usize {
        let names: BTreeSet<&str> = self.operations.keys().map(|(name, _)| *name).collect();
        names.len()
    }

    pub fn has(&self, feature: &str) -> bool {
        self.features.contains_key(feature)
    }

    /// The operations that no function had, with their types.
    pub fn missing(&self) -> Vec<(&'static str, ScalarType)> {
        let expected = operations::names(self.domain)
            .into_iter()
            .flat_map(|(name, is_of)| {
                let types = generate::types()
                    .into_iter()
                    .filter(move |&scalar| is_of(scalar));
                types.map(move |scalar| (name, scalar))
            });
        expected
            .filter(|key| !self.operations.contains_key(key))
            .collect()
    }
}

/// An extent that is at an edge of some algorithm.
fn listed(extent: u64) -> Option<String> {
    let edges = [
        0, 1, 2, 3, 7, 31, 64, 255, 256, 257, 4095, 4096, 4097, 10_007, 65_537, 524_289, 1_048_577,
    ];
    edges.contains(&extent).then(|| format!("extent {extent}"))
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let types = generate::types();
        write!(f, "{:<26}", "programs with")?;
        types
            .iter()
            .try_for_each(|scalar| write!(f, "{:>7}", scalar.name()))?;
        writeln!(f)?;
        for (name, is_of) in operations::names(self.domain) {
            write!(f, "{name:<26}")?;
            for &scalar in &types {
                match self.operations.get(&(name, scalar)) {
                    Some(count) => write!(f, "{count:>7}")?,
                    None if is_of(scalar) => write!(f, "{:>7}", "none")?,
                    None => write!(f, "{:>7}", "")?,
                }
            }
            writeln!(f)?;
        }
        for (feature, count) in &self.features {
            writeln!(f, "{feature:<26}{count:>7}")?;
        }
        Ok(())
    }
}
