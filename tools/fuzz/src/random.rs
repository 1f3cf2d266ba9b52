/// A generator of 64 bits a step, splitmix64: the same numbers of a seed everywhere, for ever.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// One for each number of a seed's, far from one another.
    pub fn of(seed: u64, number: u64) -> Self {
        let start = Random(seed).bits();
        let start = Random(start ^ number).bits();
        Random(start)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ bits >> 31
    }

    /// From 0; `count` is not 0.
    pub fn below(&mut self, count: usize) -> usize {
        (self.bits() % count as u64) as usize
    }

    /// One of some things, of which there is at least one.
    pub fn one<T: Clone>(&mut self, things: &[T]) -> T {
        things[self.below(things.len())].clone()
    }

    /// True in `percent` of a hundred cases.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.bits() % 100 < percent
    }

    /// One of some things, as often as its weight says.
    pub fn weighted<T: Clone>(&mut self, things: &[(usize, T)]) -> T {
        let total: usize = things.iter().map(|(weight, _)| weight).sum();
        let mut place = self.below(total);
        for (weight, thing) in things {
            match place.checked_sub(*weight) {
                Some(rest) => place = rest,
                None => return thing.clone(),
            }
        }
        things[0].1.clone()
    }

    pub fn shuffle<T>(&mut self, things: &mut [T]) {
        for last in (1..things.len()).rev() {
            things.swap(last, self.below(last + 1));
        }
    }
}
