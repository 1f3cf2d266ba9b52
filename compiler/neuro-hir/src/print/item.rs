use super::names::Names;
use super::{Piece, Pieces};
use crate::{
    FunctionTarget, HirConst, HirFunction, HirImpl, HirItem, HirProgram, HirStruct, HirType,
    LocalId, Tier,
};

pub(super) fn program(program: &HirProgram) -> Pieces<'_> {
    let tier = match program.tier {
        Tier::Checked => "tier checked",
        Tier::Wrapping => "tier wrapping",
    };
    let mut pieces = vec![tier.into(), Piece::Line];
    for item in &program.items {
        pieces.push(Piece::Line);
        match item {
            HirItem::Function(function) => pieces.push(Piece::Function(function)),
            HirItem::Impl(block) => methods(block, &mut pieces),
            HirItem::Struct(item) => structure(item, &mut pieces),
            HirItem::Const(item) => constant(item, &mut pieces),
        }
        pieces.push(Piece::Line);
    }
    pieces
}

fn methods<'a>(block: &'a HirImpl, pieces: &mut Pieces<'a>) {
    pieces.extend([format!("impl {} {{", block.owner).into(), Piece::Indent]);
    for (index, method) in block.methods.iter().enumerate() {
        if index > 0 {
            pieces.push(Piece::Line);
        }
        pieces.extend([Piece::Line, Piece::Function(method)]);
    }
    pieces.extend([Piece::Outdent, Piece::Line, "}".into()]);
}

fn structure<'a>(item: &'a HirStruct, pieces: &mut Pieces<'a>) {
    pieces.extend([format!("struct {} {{", item.name).into(), Piece::Indent]);
    for field in &item.fields {
        let field = format!("{}: {}", field.name, field.ty);
        pieces.extend([Piece::Line, field.into()]);
    }
    pieces.extend([Piece::Outdent, Piece::Line, "}".into()]);
}

fn constant<'a>(item: &'a HirConst, pieces: &mut Pieces<'a>) {
    let header = format!("const {}: {} = ", item.name, item.value.ty);
    pieces.extend([header.into(), Piece::Expr(&item.value)]);
}

pub(super) fn function<'a>(function: &'a HirFunction, names: &Names<'a>) -> Pieces<'a> {
    let mut pieces = Vec::new();
    if let Some(target) = target(&function.target) {
        pieces.extend([target.into(), Piece::Line]);
    }
    let parameters = (0..function.parameters().len()).map(|index| LocalId(index as u32));
    let mut header = format!("func {}({})", function.name, names.list(parameters));
    if function.result != HirType::Void {
        header += &format!(" -> {}", function.result);
    }
    header += " ";
    pieces.extend([header.into(), Piece::Block(&function.body)]);
    pieces
}

fn target(target: &FunctionTarget) -> Option<String> {
    match target {
        FunctionTarget::Host => None,
        FunctionTarget::HostOperation => Some("@operation".into()),
        FunctionTarget::FollowsOperands => Some("@operation(follows: operands)".into()),
        FunctionTarget::Gpu { fallback: false } => Some("@gpu".into()),
        FunctionTarget::Gpu { fallback: true } => Some("@gpu(fallback: true)".into()),
        FunctionTarget::Kernel { threads } => Some(format!("@kernel(threads: {threads:?})")),
    }
}
