//! How many operations ran on a device, and why the others did not, as a trace says it.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// Where the operations of some runs on an engine with a device ran, each counted once a run: one
/// within the function of a traversal would outweigh all others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    on_device: u64,
    /// By reason.
    on_host: BTreeMap<String, u64>,
}

/// Of a hundred operations with elements that kernels compute, at least so many run on a device.
const LEAST: u64 = 90;

/// Why an operation runs on the host that no kernel is promised of: its elements, or the lines that it
/// prints in order.
const OF_THE_HOST: [&str; 3] = [
    "no kernel computes half precision",
    "no kernel works on `bool` elements",
    "a `print`",
];

impl Share {
    /// One more operation ran. `place` is what a trace has of it after the engine's name: `device 2`,
    /// or `host 0 REASON`; of an engine without a device it has no reason, and is not counted.
    pub fn add(&mut self, place: &str) {
        let mut words = place.splitn(3, ' ');
        match (words.next(), words.nth(1)) {
            (Some("device"), _) => self.on_device += 1,
            (_, Some(reason)) => {
                // Without the type that it is about.
                let reason = reason
                    .split_once("`: ")
                    .map_or(reason, |(_, reason)| reason);
                *self.on_host.entry(reason.to_string()).or_default() += 1;
            }
            (_, None) => {}
        }
    }

    pub fn merge(&mut self, other: &Share) {
        self.on_device += other.on_device;
        for (reason, count) in &other.on_host {
            *self.on_host.entry(reason.clone()).or_default() += count;
        }
    }

    /// Whether too few of the operations on `f32`, `f64` and integers ran on the device.
    pub fn is_low(&self) -> bool {
        self.on_device * 100 < LEAST * self.promised()
    }

    /// The operations with elements that kernels compute, but for those that print.
    fn promised(&self) -> u64 {
        let of_host = |reason: &String| OF_THE_HOST.contains(&reason.as_str());
        let on_host = self.on_host.iter();
        let on_host = on_host.filter(|(reason, _)| !of_host(reason));
        self.on_device + on_host.map(|(_, count)| count).sum::<u64>()
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (on_device, promised) = (self.on_device, self.promised());
        let percent = 100.0 * on_device as f64 / promised.max(1) as f64;
        writeln!(
            f,
            "{on_device} of {promised} operations on f32, f64 and integers ran on the device, {percent:.1} %; on the host:"
        )?;
        self.on_host
            .iter()
            .try_for_each(|(reason, count)| writeln!(f, "{count:>9} {reason}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_is_counted() {
        let mut share = Share::default();
        for _ in 0..9 {
            share.add("device 2");
        }
        share.add("host 0");
        share.add("host 0 `&Tensor<f16, [8]>`: no kernel computes half precision");
        share.add("host 0 a scalar `of` it");
        assert!(!share.is_low());
        let mut twice = share.clone();
        twice.merge(&share);
        twice.add("host 0 a scalar `of` it");
        assert!(twice.is_low());
        assert_eq!(
            twice.to_string(),
            "18 of 21 operations on f32, f64 and integers ran on the device, 85.7 %; on the host:\n        \
             3 a scalar `of` it\n        2 no kernel computes half precision\n"
        );
    }
}
