//! Plainer elements.

use crate::contents::Contents;
use crate::program::{Function, Parameter};

/// Zeros, ones, what the command line can make, or a list, more and more of it zeros.
pub fn plainer(function: &Function) -> Vec<Function> {
    let mut simpler = Vec::new();
    for (at, parameter) in function.parameters.iter().enumerate() {
        for contents in plainer_contents(parameter) {
            let mut function = function.clone();
            function.parameters[at].contents = contents;
            simpler.push(function);
        }
    }
    simpler
}

fn plainer_contents(parameter: &Parameter) -> Vec<Contents> {
    let plain = [Contents::Zeros, Contents::Ones, Contents::Random];
    match &parameter.contents {
        Contents::Zeros => vec![],
        Contents::Ones => plain[..1].to_vec(),
        Contents::Random => plain[..2].to_vec(),
        drawn @ Contents::Drawn { .. } => {
            let bits = drawn.bits(parameter.ty.scalar, parameter.ty.extents());
            [&plain[..], &[Contents::Listed(bits)]].concat()
        }
        Contents::Listed(bits) => {
            let zeroed = zeroed(bits).into_iter().map(Contents::Listed);
            plain.into_iter().chain(zeroed).collect()
        }
    }
}

/// The list with zeros in place of a part, from all of it to one element.
fn zeroed(bits: &[u64]) -> Vec<Vec<u64>> {
    let mut all = Vec::new();
    let mut size = bits.len();
    // Of a long list only the greater parts: each is a compile.
    while size > 0 && bits.len() / size <= 64 {
        for start in (0..bits.len()).step_by(size) {
            let part = start..(start + size).min(bits.len());
            if bits[part.clone()].iter().any(|&bits| bits != 0) {
                let mut zeroed = bits.to_vec();
                zeroed[part].fill(0);
                all.push(zeroed);
            }
        }
        size /= 2;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_become_zero_the_greatest_first() {
        let lists = zeroed(&[1, 0, 2]);
        assert_eq!(lists, [vec![0, 0, 0], vec![0, 0, 2], vec![1, 0, 0]]);
    }
}
