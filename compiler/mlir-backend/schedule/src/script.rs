//! The text of transform scripts.

use std::fmt::Write;

/// A transform script while it is written.
#[derive(Default)]
pub(crate) struct Script {
    text: String,
    /// Handles made so far.
    handles: usize,
}

/// The operations that a handle of the script stands for.
pub(crate) type Handle = String;

pub(crate) const ANY: &str = "!transform.any_op";

impl Script {
    /// A module with one named sequence over `%function`.
    pub(crate) fn finish(self) -> String {
        format!(
            "module attributes {{transform.with_named_sequence}} {{\n\
             transform.named_sequence @schedule(%function: !transform.any_op) {{\n\
             {}transform.yield\n}}\n}}\n",
            self.text
        )
    }

    pub(crate) fn line(&mut self, text: impl AsRef<str>) {
        self.text.push_str(text.as_ref());
        self.text.push('\n');
    }

    pub(crate) fn handle(&mut self) -> Handle {
        self.handles += 1;
        format!("%h{}", self.handles)
    }

    pub(crate) fn tagged(&mut self, tag: &str) -> Handle {
        let handle = self.handle();
        self.line(format!(
            "{handle} = transform.structured.match attributes {{{tag}}} in %function : ({ANY}) -> {ANY}"
        ));
        handle
    }

    /// Loops of so many positions a step around the operation; 0 makes no loop. Gives the
    /// operation within.
    pub(crate) fn tile(
        &mut self,
        operation: &Handle,
        sizes: &[u64],
        order: Option<&[usize]>,
    ) -> Handle {
        let order = order.map_or(String::new(), |order| format!(" interchange = {order:?}"));
        self.loops("tile_using_for", operation, sizes, &order).0
    }

    /// The same by any of the transforms that tile, with its options. Gives the loops as well,
    /// from the outside in.
    pub(crate) fn loops(
        &mut self,
        transform: &str,
        operation: &Handle,
        sizes: &[u64],
        options: &str,
    ) -> (Handle, Vec<Handle>) {
        let count = sizes.iter().filter(|&&size| size > 0).count();
        if count == 0 {
            return (operation.clone(), Vec::new());
        }
        let inner = self.handle();
        let loops: Vec<Handle> = (0..count).map(|_| self.handle()).collect();
        let types = vec![ANY; count + 1].join(", ");
        let results = loops.join(", ");
        self.line(format!(
            "{inner}, {results} = transform.structured.{transform} {operation} \
             tile_sizes {sizes:?}{options} : ({ANY}) -> ({types})"
        ));
        (inner, loops)
    }

    /// The loop that is nearest around an operation.
    pub(crate) fn loop_around(&mut self, operation: &Handle) -> Handle {
        let around = self.handle();
        self.line(format!(
            "{around} = transform.get_parent_op {operation} {{op_name = \"scf.for\"}} : ({ANY}) -> {ANY}"
        ));
        around
    }

    pub(crate) fn patterns(&mut self, patterns: &[&str]) {
        let mut text = String::new();
        for pattern in patterns {
            let _ = write!(text, " transform.apply_patterns.{pattern}");
        }
        self.line(format!(
            "transform.apply_patterns to %function {{{text} }} : {ANY}"
        ));
    }

    /// The pieces, each cut after so many positions along an axis.
    pub(crate) fn split(&mut self, pieces: Vec<Handle>, axis: usize, after: u64) -> Vec<Handle> {
        let mut halves = Vec::new();
        for piece in pieces {
            if after == 0 {
                halves.push(piece);
                continue;
            }
            let [both, first, second] = [self.handle(), self.handle(), self.handle()];
            self.line(format!(
                "{both} = transform.structured.split {piece} after {after} \
                 {{dimension = {axis}}} : {ANY}"
            ));
            self.line(format!(
                "{first}, {second} = transform.split_handle {both} : ({ANY}) -> ({ANY}, {ANY})"
            ));
            halves.extend([first, second]);
        }
        halves
    }
}
