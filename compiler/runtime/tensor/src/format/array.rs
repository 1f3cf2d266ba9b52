use super::elements;
use crate::Tensor;

/// A larger tensor is shown by its edges.
const THRESHOLD: usize = 1000;
/// How many positions an edge has.
const EDGE: usize = 3;
const LINE_WIDTH: usize = 75;

/// As `print` shows a NumPy array: nested brackets, lines of at most 75 characters, a tensor of
/// more than 1,000 elements summarized by the first and last three along each axis. Rank 0 is
/// the scalar's text.
pub fn tensor(tensor: &Tensor) -> String {
    text(tensor, Some(LINE_WIDTH))
}

/// The same in a single line, however long.
pub fn one_line(tensor: &Tensor) -> String {
    text(tensor, None)
}

fn text(tensor: &Tensor, width: Option<usize>) -> String {
    if tensor.is_empty() {
        return "[]".to_string();
    }
    if tensor.rank() == 0 {
        return tensor.get(0).map(super::scalar).unwrap_or_default();
    }
    let shown = Shown::new(tensor);
    let words = elements(tensor, &shown.positions());
    shown.brackets(&words, width)
}

/// The positions that are shown of each axis.
struct Shown {
    shape: Vec<usize>,
    axes: Vec<Vec<usize>>,
}

impl Shown {
    fn new(tensor: &Tensor) -> Shown {
        let summarize = tensor.len() > THRESHOLD;
        let shape: Vec<usize> = tensor
            .shape()
            .iter()
            .map(|&extent| extent as usize)
            .collect();
        let shown = |&extent: &usize| {
            if summarize && extent > 2 * EDGE {
                (0..EDGE).chain(extent - EDGE..extent).collect()
            } else {
                (0..extent).collect()
            }
        };
        let axes = shape.iter().map(shown).collect();
        Shown { shape, axes }
    }

    /// Row-major.
    fn positions(&self) -> Vec<usize> {
        let mut positions = vec![0];
        for (axis, &extent) in self.axes.iter().zip(&self.shape) {
            let inner = |&outer: &usize| axis.iter().map(move |&at| outer * extent + at);
            positions = positions.iter().flat_map(inner).collect();
        }
        positions
    }

    /// Whether `...` stands before the shown position number `at` of an axis.
    fn gap(&self, axis: usize, at: usize) -> bool {
        at == EDGE && self.axes[axis].len() < self.shape[axis]
    }

    /// The rows of words in brackets. `width` is that of a line, where lines are broken.
    fn brackets(&self, words: &[String], width: Option<usize>) -> String {
        let last = self.axes.len() - 1;
        let mut text = "[".repeat(last);
        let mut at = vec![0; last];
        for row in words.chunks_exact(self.axes[last].len()) {
            text += &self.row(row, last, width);
            // Step to the next row: `axis` is the outermost one that moves.
            let moves = |&axis: &usize| at[axis] + 1 < self.axes[axis].len();
            let Some(axis) = (0..last).rev().find(moves) else {
                break;
            };
            at[axis] += 1;
            at[axis + 1..].fill(0);
            let inner = last - axis;
            let separator = match width {
                Some(_) => "\n".repeat(inner) + &" ".repeat(axis + 1),
                None => " ".to_string(),
            };
            text += &"]".repeat(inner - 1);
            if self.gap(axis, at[axis]) {
                text += &format!("{separator}...");
            }
            text += &separator;
            text += &"[".repeat(inner - 1);
        }
        text + &"]".repeat(last)
    }

    /// The words of the last axis in brackets, broken into lines that align after the bracket.
    fn row(&self, words: &[String], last: usize, width: Option<usize>) -> String {
        // The closing brackets must fit, too; where none of the line is left, a word is a line.
        let limit = width.map(|width| width.saturating_sub(last + 1));
        let indent = last + 1;
        let mut text = "[".to_string();
        let mut column = indent;
        let mut add = |text: &mut String, word: &str, first: bool| {
            let length = word.chars().count();
            let space = usize::from(!first);
            if !first && limit.is_some_and(|limit| column + space + length > limit) {
                text.truncate(text.trim_end().len());
                text.push('\n');
                *text += &" ".repeat(indent);
                column = indent;
            } else if !first {
                text.push(' ');
                column += 1;
            }
            *text += word;
            column += length;
        };
        for (at, word) in words.iter().enumerate() {
            if self.gap(last, at) {
                add(&mut text, "...", false);
            }
            add(&mut text, word, at == 0);
        }
        text.push(']');
        text
    }
}
