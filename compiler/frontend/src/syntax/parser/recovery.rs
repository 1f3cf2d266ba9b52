use super::{Parsed, Parser};
use crate::syntax::token::TokenKind;

impl Parser<'_> {
    /// Skips to the next item: one begins on a line of its own.
    pub(super) fn skip_to_item(&mut self) {
        while !self.at(TokenKind::End) {
            let token = self.token();
            if token.after_newline && token.kind.starts_item() {
                return;
            }
            self.bump();
        }
    }

    /// Skips to the next statement of the block, or to its closing brace, which stays. Fails where
    /// the file ends or an item begins: the block is broken.
    pub(super) fn skip_to_statement(&mut self) -> Parsed<()> {
        let mut open = 0usize;
        let start = self.next;
        loop {
            let token = self.token();
            let moved = self.next > start;
            match token.kind {
                TokenKind::End => return Err(super::Failed),
                kind if token.after_newline && kind.starts_item() && kind != TokenKind::At => {
                    return Err(super::Failed);
                }
                TokenKind::CloseBrace if open == 0 => return Ok(()),
                TokenKind::Semicolon if open == 0 => {
                    self.bump();
                    return Ok(());
                }
                _ if moved && token.after_newline && open == 0 => return Ok(()),
                TokenKind::OpenParen | TokenKind::OpenBracket | TokenKind::OpenBrace => open += 1,
                TokenKind::CloseParen | TokenKind::CloseBracket | TokenKind::CloseBrace => {
                    open = open.saturating_sub(1);
                }
                _ => {}
            }
            self.bump();
        }
    }

    /// The column of a byte, in bytes from 0.
    pub(super) fn column(&self, byte: u32) -> u32 {
        let before = &self.text.as_bytes()[..byte as usize];
        let line = before
            .iter()
            .rposition(|&b| b == b'\n')
            .map_or(0, |at| at + 1);
        byte - line as u32
    }
}
