/// A sequence of numbers that decides what a generator makes. Past its end all are 0, which every
/// generator takes as its simplest choice: so a shorter sequence is a simpler case.
pub struct Choices<'a> {
    rest: std::slice::Iter<'a, u32>,
}

impl<'a> Choices<'a> {
    pub fn new(numbers: &'a [u32]) -> Self {
        let rest = numbers.iter();
        Choices { rest }
    }

    pub fn number(&mut self) -> u32 {
        self.rest.next().copied().unwrap_or(0)
    }

    /// One of `count` things, which is not 0.
    pub fn index(&mut self, count: usize) -> usize {
        self.number() as usize % count
    }

    pub fn of<T: Copy>(&mut self, things: &[T]) -> T {
        things[self.index(things.len())]
    }

    /// True in `percent` of a hundred cases.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.number() % 100 >= 100 - percent
    }
}
