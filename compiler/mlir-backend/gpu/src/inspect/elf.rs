/// A linked ELF file of 64 bits, least byte first: its sections and what it exports or needs.
pub(super) struct Elf<'b> {
    bytes: &'b [u8],
    sections: Vec<Section>,
}

struct Section {
    kind: u64,
    address: u64,
    offset: u64,
    size: u64,
    /// Of symbols: the section of their names.
    link: u64,
}

pub(super) struct Symbol {
    pub(super) name: String,
    /// The number of its section; 0 where nothing defines it.
    pub(super) section: u64,
    address: u64,
}

const DYNAMIC_SYMBOLS: u64 = 11;
const SYMBOL_BYTES: u64 = 24;

impl<'b> Elf<'b> {
    pub(super) fn read(bytes: &'b [u8]) -> Option<Elf<'b>> {
        bytes.strip_prefix(b"\x7fELF\x02\x01")?;
        let (start, size) = (number(bytes, 40, 8)?, number(bytes, 58, 2)?);
        let sections = (0..number(bytes, 60, 2)?).map(|index| {
            let field = |at, length| number(bytes, start.checked_add(index * size + at)?, length);
            Some(Section {
                kind: field(4, 4)?,
                address: field(16, 8)?,
                offset: field(24, 8)?,
                size: field(32, 8)?,
                link: field(40, 4)?,
            })
        });
        let sections = sections.collect::<Option<Vec<_>>>()?;
        Some(Elf { bytes, sections })
    }

    /// The symbols with names that the loader sees.
    pub(super) fn symbols(&self) -> impl Iterator<Item = Symbol> {
        let tables = self.sections.iter();
        let tables = tables.filter(|section| section.kind == DYNAMIC_SYMBOLS);
        tables.flat_map(|table| {
            let entries = 0..table.size / SYMBOL_BYTES;
            entries.filter_map(|index| self.symbol(table, index))
        })
    }

    fn symbol(&self, table: &Section, index: u64) -> Option<Symbol> {
        let at = table.offset.checked_add(index * SYMBOL_BYTES)?;
        let field = |offset, length| number(self.bytes, at.checked_add(offset)?, length);
        let names = self.sections.get(usize::try_from(table.link).ok()?)?;
        let name = names.offset.checked_add(field(0, 4)?)?;
        let name = self.bytes.get(usize::try_from(name).ok()?..)?;
        let name = name.split(|&byte| byte == 0).next()?;
        let symbol = Symbol {
            name: String::from_utf8_lossy(name).into_owned(),
            section: field(6, 2)?,
            address: field(8, 8)?,
        };
        (!symbol.name.is_empty()).then_some(symbol)
    }

    /// The first four bytes of what a symbol names.
    pub(super) fn word(&self, symbol: &Symbol) -> Option<u32> {
        let section = self.sections.get(usize::try_from(symbol.section).ok()?)?;
        let offset = symbol.address.checked_sub(section.address)?;
        let word = number(self.bytes, section.offset.checked_add(offset)?, 4)?;
        u32::try_from(word).ok()
    }
}

fn number(bytes: &[u8], at: u64, length: u64) -> Option<u64> {
    let start = usize::try_from(at).ok()?;
    let end = usize::try_from(at.checked_add(length)?).ok()?;
    let bytes = bytes.get(start..end)?.iter().rev();
    Some(bytes.fold(0, |number, &byte| number << 8 | u64::from(byte)))
}
