use super::{Function, Passing, Source};

/// Who takes what in a function. The results stand after the last node.
pub(super) struct Uses<'f> {
    function: &'f Function,
}

impl<'f> Uses<'f> {
    pub fn new(function: &'f Function) -> Self {
        Uses { function }
    }

    /// The nodes that take a value, once for each time.
    pub fn of(&self, value: Source) -> Vec<usize> {
        let nodes = self.function.nodes.iter().enumerate();
        let nodes = nodes.flat_map(|(at, node)| {
            let takes = node
                .operands
                .iter()
                .filter(move |&&operand| operand == value);
            takes.map(move |_| at)
        });
        let end = self.function.nodes.len();
        let results = self.function.results.iter();
        let results = results.filter(|&&result| result == value).map(|_| end);
        nodes.chain(results).collect()
    }

    pub fn is_used_once(&self, value: Source) -> bool {
        self.of(value).len() == 1
    }

    /// Whether a node's value stands within what takes it: one place does, and nothing is
    /// assigned between the two.
    pub fn is_inline(&self, at: usize) -> bool {
        let node = &self.function.nodes[at];
        let is_assignment = |at: usize| self.function.nodes[at].operation.assigns();
        let members = node.operation.members();
        if node.operation.is_name() {
            return true;
        }
        if node.bound || is_assignment(at) || members == 0 {
            return false;
        }
        if members > 1 {
            return self.is_whole_result(at, members);
        }
        let value = Source::Node(at, 0);
        let is_captured = self.function.nodes.iter().any(|node| {
            let captured = node.operands.iter().skip(node.operation.first_capture());
            captured.into_iter().any(|&operand| operand == value)
        });
        match self.of(value)[..] {
            [user] => !is_captured && !(at + 1..user).any(is_assignment),
            _ => false,
        }
    }

    /// Whether the members of a tuple, in order, are what the function gives, and nothing else
    /// takes them.
    fn is_whole_result(&self, at: usize, members: usize) -> bool {
        let all = (0..members).map(|member| Source::Node(at, member));
        let end = self.function.nodes.len();
        self.function.results.iter().copied().eq(all.clone())
            && all.into_iter().all(|member| self.of(member) == [end])
            && !self.function.nodes[at + 1..]
                .iter()
                .any(|node| node.operation.assigns())
    }

    /// Whether the function gives what its last expression computes, and nothing else.
    pub fn ends_in_operation(&self) -> bool {
        match self.function.results[..] {
            [Source::Node(at, 0)] | [Source::Node(at, 0), Source::Node(_, 1)] => {
                self.is_inline(at) && !self.function.nodes[at].operation.is_name()
            }
            _ => false,
        }
    }

    /// Whether an assignment goes on in the variable that its target stands for: nothing reads the
    /// value that it had after that.
    pub fn is_in_place(&self, at: usize) -> bool {
        let target = self.function.nodes[at].operands[0];
        let is_variable = match target {
            Source::Parameter(parameter) => {
                self.function.parameters[parameter].passing == Passing::BorrowedMut
            }
            Source::Node(node, _) => self.function.nodes[node].operation.assigns(),
            Source::Number(..) => false,
        };
        is_variable && self.of(target).iter().all(|&user| user <= at)
    }

    /// The variable that holds an assignment's result.
    pub fn variable(&self, at: usize) -> String {
        match self.function.nodes[at].operands[0] {
            Source::Parameter(parameter) if self.is_in_place(at) => format!("p{parameter}"),
            Source::Node(node, _) if self.is_in_place(at) => self.variable(node),
            _ => format!("n{at}"),
        }
    }
}
