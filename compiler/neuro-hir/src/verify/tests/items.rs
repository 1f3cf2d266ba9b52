use super::*;

fn structure(name: &str, fields: &[(&str, HirType)]) -> HirItem {
    let field = |(name, ty): &(&str, HirType)| HirField {
        name: (*name).into(),
        ty: ty.clone(),
    };
    HirItem::Struct(HirStruct {
        name: name.into(),
        fields: fields.iter().map(field).collect(),
        span: Span::default(),
    })
}

fn constant(name: &str, value: HirExpr) -> HirItem {
    HirItem::Const(HirConst {
        name: name.into(),
        value,
        span: Span::default(),
    })
}

fn methods(owner: &str, methods: Vec<HirFunction>) -> HirItem {
    HirItem::Impl(HirImpl {
        owner: owner.into(),
        methods,
        span: Span::default(),
    })
}

fn empty(name: &str) -> HirFunction {
    FunctionBuilder::new(name, FunctionTarget::Host).finish(None)
}

/// A function of one parameter.
fn taking(name: &str, ty: HirType, target: FunctionTarget) -> HirFunction {
    let mut f = FunctionBuilder::new(name, target);
    f.parameter("self", ty);
    f.finish(None)
}

#[track_caller]
fn assert_items(items: impl Into<Vec<HirItem>>, expected: &[&str]) {
    let tier = Tier::Checked;
    let items = items.into();
    assert_errors(&HirProgram { tier, items }, expected);
}

#[test]
fn names_are_unique() {
    let one = || integer(1, I32);
    let a = || HirType::Nominal("A".into());
    let method = || taking("m", a(), FunctionTarget::Host);
    assert_items(
        [
            HirItem::Function(empty("a")),
            constant("b", one()),
            structure("A", &[("a", I32.into()), ("m", I32.into())]),
            methods("A", vec![method()]),
        ],
        &[],
    );
    let twice = "there are two functions or constants `a`";
    let functions = [HirItem::Function(empty("a")), HirItem::Function(empty("a"))];
    assert_items(functions, &[twice]);
    assert_items(
        [HirItem::Function(empty("a")), constant("a", one())],
        &[twice],
    );
    let structs = [structure("A", &[]), structure("A", &[])];
    assert_items(structs, &["there are two structs `A`"]);
    let fields = [("a", I32.into()), ("a", F32.into())];
    assert_items([structure("A", &fields)], &["there are two fields `a`"]);
    let blocks = [
        structure("A", &[]),
        methods("A", vec![method()]),
        methods("A", vec![method()]),
    ];
    assert_items(blocks, &["there are two methods `A.m`"]);
}

#[test]
fn methods_belong_to_structs() {
    let owner = || HirType::Nominal("A".into());
    let behind = HirType::reference(true, owner());
    let method = |ty| taking("m", ty, FunctionTarget::Host);
    let a = || structure("A", &[]);
    assert_items([a(), methods("A", vec![method(behind)])], &[]);
    let receiver = "the first parameter of method `m` is no `A`";
    assert_items([a(), methods("A", vec![method(I32.into())])], &[receiver]);
    assert_items([a(), methods("A", vec![empty("m")])], &[receiver]);
    let undeclared = "there is no struct `A`";
    assert_items([methods("A", vec![])], &[undeclared]);
    let kernel = taking("m", owner(), FunctionTarget::Kernel { threads: vec![1] });
    let grid = "function `m`: a kernel takes a `&mut` tensor, whose extents are its grid";
    assert_items(
        [a(), methods("A", vec![kernel])],
        &["method `m` is a kernel", grid],
    );
}

#[test]
fn structs_are_made_and_read_by_their_fields() {
    let a = || HirType::Nominal("A".into());
    let check = |expr: HirExpr, expected: &[&str]| {
        let declared = structure("A", &[("n", I32.into()), ("x", F32.into())]);
        let f = host([HirStatementKind::Expr(expr)]);
        assert_items([declared, HirItem::Function(f)], expected);
    };
    let make = |values| build::expr(HirExprKind::Struct(values), a());
    let field = |operand, name: &str, ty: ScalarType| {
        let operand = Box::new(operand);
        let name = name.into();
        build::expr(HirExprKind::Field { operand, name }, ty)
    };
    let made = || make(vec![p("i"), p("x")]);
    check(made(), &[]);
    check(make(vec![p("i")]), &["`A` has 2 fields, not 1"]);
    check(
        make(vec![p("x"), p("x")]),
        &["field `n` is of type `i32`, not `f32`"],
    );
    check(stated(made(), I32), &["`i32` is no struct"]);
    check(field(made(), "x", F32), &[]);
    check(field(borrow(false, made()), "n", I32), &[]);
    check(
        field(made(), "x", I32),
        &["this is of type `f32`, not `i32`"],
    );
    check(field(made(), "y", F32), &["`A` has no field `y`"]);
    check(field(p("i"), "y", F32), &["`i32` has no field `y`"]);
    let void = "field `n`: `void` is the type of a result only";
    assert_items([structure("A", &[("n", HirType::Void)])], &[void]);
}

#[test]
fn constants_are_made_of_earlier_ones() {
    let named = |name: &str| build::expr(HirExprKind::Constant(name.into()), I32);
    let one = || integer(1, I32);
    let sum = binary(BinaryOp::Add, named("A"), one());
    assert_items([constant("A", one()), constant("B", sum)], &[]);
    let values = TensorOp::Literal(vec![one(), one()]);
    let tensor = build::tensor(values, tensor(I32, &[2]));
    assert_items([constant("A", tensor)], &[]);
    let later = "constant `B` does not stand before `A`";
    assert_items([constant("A", named("B")), constant("B", one())], &[later]);
    let itself = "constant `A` does not stand before `A`";
    assert_items([constant("A", named("A"))], &[itself]);
    let call = build::call(&empty("f"), []);
    let open = "the value of `A` is not constant here";
    assert_items(
        [HirItem::Function(empty("f")), constant("A", call)],
        &[open],
    );
}

#[test]
fn parameters_are_locals() {
    let mut f = empty("f");
    f.parameter_count = 1;
    assert_errors(&program(f), &["function `f` has 1 parameters but 0 locals"]);
}

#[test]
fn kernels_have_a_block_and_a_grid() {
    let out = || HirType::reference(true, tensor(F32, &[4]));
    let kernel = |threads: &[u32], ty| {
        let threads = threads.to_vec();
        taking("k", ty, FunctionTarget::Kernel { threads })
    };
    let check = |function, expected: &[&str]| assert_errors(&program(function), expected);
    check(kernel(&[1024], out()), &[]);
    check(kernel(&[16, 16, 4], out()), &[]);
    let extents = |n| format!("function `k`: a kernel's block has 1 to 3 extents, not {n}");
    check(kernel(&[], out()), &[&extents(0)]);
    check(kernel(&[1, 1, 1, 1], out()), &[&extents(4)]);
    let count = |threads| {
        format!("function `k`: a kernel's block has 1 to 1024 threads, not those of {threads}")
    };
    check(kernel(&[0, 5], out()), &[&count("[0, 5]")]);
    check(kernel(&[32, 33], out()), &[&count("[32, 33]")]);
    check(
        kernel(&[1 << 16, 1 << 16], out()),
        &[&count("[65536, 65536]")],
    );
    let grid = "function `k`: a kernel takes a `&mut` tensor, whose extents are its grid";
    check(kernel(&[1], reference(F32, &[4])), &[grid]);
    check(kernel(&[1], HirType::reference(true, I32.into())), &[grid]);
    let mut returning = kernel(&[1], out());
    returning.result = I32.into();
    returning.body = build::block([], Some(integer(1, I32)));
    check(
        returning,
        &["function `k`: a kernel returns nothing, not `i32`"],
    );
}

#[test]
fn every_breach_is_told_with_its_place() {
    let at = |start| Span {
        start,
        ..Span::default()
    };
    let mut first = unary(UnaryOp::Not, integer(1, I32));
    first.span = at(10);
    let mut second = integer(300, U8);
    second.span = at(20);
    let function = host([
        HirStatementKind::Expr(first),
        HirStatementKind::Expr(second),
    ]);
    let errors = program(function).verify().unwrap_err();
    let places: Vec<_> = errors.iter().map(|error| error.span.start).collect();
    assert_eq!(places, [10, 20]);
}
