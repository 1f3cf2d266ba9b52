/// An order of `0..count` that a seed gives, without a list of it.
///
/// Position `i` is `first + i * step`, with a step that has no factor in common with the count.
#[derive(Clone, Copy)]
pub(crate) struct Order {
    count: u64,
    first: u64,
    step: u64,
}

impl Order {
    /// Seed 0 counts up.
    pub(crate) fn new(count: u64, seed: u64) -> Order {
        if count == 0 || seed == 0 {
            return Order {
                count,
                first: 0,
                step: 1,
            };
        }
        let mut step = mix(seed) % count;
        while gcd(step, count) != 1 {
            step = (step + 1) % count;
        }
        Order {
            count,
            first: mix(seed ^ count) % count,
            step,
        }
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = u64> {
        let mut next = self.first;
        (0..self.count).map(move |_| {
            let at = next;
            next = ((u128::from(next) + u128::from(self.step)) % u128::from(self.count)) as u64;
            at
        })
    }
}

/// The finalizer of splitmix64.
fn mix(seed: u64) -> u64 {
    let seed = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let seed = (seed ^ (seed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    seed ^ (seed >> 31)
}

fn gcd(a: u64, b: u64) -> u64 {
    match b {
        0 => a,
        _ => gcd(b, a % b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_position_is_had_once() {
        for count in [0, 1, 2, 3, 12, 64, 97, 1000] {
            for seed in 0..20 {
                let mut found: Vec<u64> = Order::new(count, seed).iter().collect();
                found.sort_unstable();
                assert_eq!(found, (0..count).collect::<Vec<_>>(), "{count} {seed}");
            }
        }
    }

    #[test]
    fn seeds_give_different_orders() {
        let first = |seed| Order::new(1000, seed).iter().take(3).collect::<Vec<_>>();
        assert_eq!(first(0), [0, 1, 2]);
        assert_ne!(first(1), first(2));
    }
}
