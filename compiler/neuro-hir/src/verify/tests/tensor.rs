use super::*;

fn op(op: TensorOp, ty: impl Into<HirType>) -> HirExpr {
    build::tensor(op, ty)
}

#[test]
fn literals_and_fills_have_static_shapes() {
    let literal = |values: Vec<HirExpr>, ty: HirType| op(TensorOp::Literal(values), ty);
    let x = || p("x");
    let unknown = TensorType::with_extents(F32, [Extent::Dynamic]);
    let fill = |fill, ty: HirType| op(TensorOp::Fill(fill), ty);
    assert_exprs([
        (literal(vec![x(), x()], tensor(F32, &[2, 1])), VALID),
        (literal(vec![], tensor(F32, &[0, 3])), VALID),
        (
            literal(vec![x()], tensor(F32, &[2])),
            "1 elements do not make a `Tensor<f32, [2]>`",
        ),
        (
            literal(vec![p("i")], tensor(F32, &[1])),
            "the element is of type `f32`, not `i32`",
        ),
        (
            literal(vec![x()], F32.into()),
            "this is a tensor, not `f32`",
        ),
        (
            literal(vec![x()], unknown.clone().into()),
            "the extents of `Tensor<f32, [?]>` are not known",
        ),
        (fill(Fill::Ones, tensor(Bool, &[2])), VALID),
        (
            fill(Fill::Zeros, unknown.into()),
            "the extents of `Tensor<f32, [?]>` are not known",
        ),
        (fill(Fill::Identity, tensor(I32, &[2, 3])), VALID),
        (
            fill(Fill::Identity, tensor(I32, &[2])),
            "an identity has rank 2, not that of `Tensor<i32, [2]>`",
        ),
        (
            fill(Fill::Zeros, tensor(Char, &[2])),
            "a fill is of numbers or `bool`, not a `Tensor<char, [2]>`",
        ),
        (op(TensorOp::Scalar(boxed("x")), tensor(F32, &[])), VALID),
        (
            op(TensorOp::Scalar(boxed("s")), tensor(F32, &[])),
            "`string` is no scalar",
        ),
    ]);
}

#[test]
fn moves_keep_the_type() {
    let to = |ty: HirType| {
        let device = Device::Gpu(0);
        let operand = boxed("t23");
        op(TensorOp::ToDevice { operand, device }, ty)
    };
    assert_exprs([
        (
            op(TensorOp::Clone(boxed("t23")), tensor(F32, &[2, 3])),
            VALID,
        ),
        (
            op(TensorOp::Clone(boxed("t23")), reference(F32, &[2, 3])),
            "this is of type `Tensor<f32, [2, 3]>`, not `&Tensor<f32, [2, 3]>`",
        ),
        (
            op(TensorOp::Clone(boxed("x")), F32),
            "the operand is a tensor, not `f32`",
        ),
        (to(tensor(F32, &[2, 3])), VALID),
        (
            to(tensor(F32, &[3])),
            "this is of type `Tensor<f32, [2, 3]>`, not `Tensor<f32, [3]>`",
        ),
    ]);
}

#[test]
fn an_element_has_an_index_an_axis() {
    assert_exprs([
        (build::element(p("t23"), [p("i"), p("u")]), VALID),
        (build::element(p("t0"), []), VALID),
        (build::element(p("t?3"), [p("i"), p("i")]), VALID),
        (
            build::element(p("t23"), [p("i")]),
            "`Tensor<f32, [2, 3]>` takes 2 entries, not 1",
        ),
        (
            build::element(p("t3"), [p("x")]),
            "an index is an integer, not `f32`",
        ),
        (
            build::element(p("x"), []),
            "the operand is a tensor, not `f32`",
        ),
        (
            stated(build::element(p("t3"), [p("i")]), F64),
            "this is of type `f32`, not `f64`",
        ),
    ]);
}

#[test]
fn slices_stay_inside() {
    let range = |start, extent| SliceAxis::Range {
        start,
        extent,
        reversed: true,
    };
    let at = |position| SliceAxis::Position(position);
    let slice = |name: &str, axes: Vec<SliceAxis>, extents: &[u64]| {
        let tensor_ = boxed(name);
        op(
            TensorOp::Slice {
                tensor: tensor_,
                axes,
            },
            tensor(F32, extents),
        )
    };
    assert_exprs([
        (slice("t23", vec![at(p("i")), range(1, 2)], &[2]), VALID),
        (slice("t23", vec![range(2, 0), range(0, 3)], &[0, 3]), VALID),
        (slice("t3", vec![at(integer(2, I64))], &[]), VALID),
        (
            slice("t3", vec![at(integer(3, I64))], &[]),
            "position 3 is outside of axis 0 of extent 3",
        ),
        (
            slice("t3", vec![at(integer(-1, I64))], &[]),
            "position -1 is outside of axis 0 of extent 3",
        ),
        (
            slice("t3", vec![at(p("x"))], &[]),
            "an index is an integer, not `f32`",
        ),
        (
            slice("t3", vec![range(2, 2)], &[2]),
            "a range of 2 from 2 is outside of axis 0 of extent 3",
        ),
        (
            slice("t3", vec![range(u64::MAX, 2)], &[2]),
            "a range of 2 from 18446744073709551615 is outside of axis 0 of extent 3",
        ),
        (
            slice("t23", vec![range(0, 1)], &[1]),
            "`Tensor<f32, [2, 3]>` takes 2 entries, not 1",
        ),
        (
            slice("t?3", vec![range(0, 1), range(0, 3)], &[1, 3]),
            "axis 0 of `Tensor<f32, [?, 3]>` has no known extent to slice",
        ),
        (
            slice("t3", vec![range(0, 2)], &[3]),
            "this is of type `Tensor<f32, [2]>`, not `Tensor<f32, [3]>`",
        ),
    ]);
}

#[test]
fn permutations_take_each_axis_once() {
    let permute = |axes: &[usize], extents: &[u64]| {
        let axes = axes.to_vec();
        let operand = boxed("t23");
        op(TensorOp::Permute { operand, axes }, tensor(F32, extents))
    };
    assert_exprs([
        (permute(&[1, 0], &[3, 2]), VALID),
        (
            permute(&[1, 0], &[2, 3]),
            "this is of type `Tensor<f32, [3, 2]>`, not `Tensor<f32, [2, 3]>`",
        ),
        (
            permute(&[0, 0], &[2, 2]),
            "[0, 0] is no permutation of the axes of `Tensor<f32, [2, 3]>`",
        ),
        (
            permute(&[0], &[2]),
            "[0] is no permutation of the axes of `Tensor<f32, [2, 3]>`",
        ),
        (
            permute(&[0, 2], &[2]),
            "[0, 2] is no permutation of the axes of `Tensor<f32, [2, 3]>`",
        ),
    ]);
}

#[test]
fn reshapes_keep_the_number_of_elements() {
    let reshape = |name, ty: HirType| op(TensorOp::Reshape(boxed(name)), ty);
    assert_exprs([
        (reshape("t23", tensor(F32, &[6, 1])), VALID),
        (reshape("t03", tensor(F32, &[0])), VALID),
        (
            reshape("t23", tensor(F32, &[5])),
            "`Tensor<f32, [2, 3]>` does not reshape to `Tensor<f32, [5]>`",
        ),
        (
            reshape("t23", tensor(I32, &[6])),
            "`Tensor<f32, [2, 3]>` does not reshape to `Tensor<i32, [6]>`",
        ),
        (
            reshape("t?3", tensor(F32, &[6])),
            "`Tensor<f32, [?, 3]>` does not reshape to `Tensor<f32, [6]>`",
        ),
    ]);
}

#[test]
fn reductions_fold_numbers() {
    let reduce = |op, name, axis| build::reduce(op, p(name), axis);
    let result = "this is of type `Tensor<f32, []>`, not `f32`";
    assert_exprs([
        (reduce(Reduction::Sum, "i23", Some(1)), VALID),
        (reduce(Reduction::Sum, "t23", None), VALID),
        (reduce(Reduction::Sum, "t?3", Some(0)), VALID),
        (reduce(Reduction::Mean, "t03", None), VALID),
        (reduce(Reduction::Max, "t03", Some(1)), VALID),
        (reduce(Reduction::Max, "t0", None), VALID),
        (stated(reduce(Reduction::Sum, "t23", None), F32), result),
        (
            reduce(Reduction::Sum, "t23", Some(2)),
            "`Tensor<f32, [2, 3]>` has no axis 2",
        ),
        (
            reduce(Reduction::Sum, "b23", None),
            "`sum` does not apply to `Tensor<bool, [2, 3]>`",
        ),
        (
            reduce(Reduction::Mean, "i23", None),
            "`mean` does not apply to `Tensor<i32, [2, 3]>`",
        ),
        (
            reduce(Reduction::Max, "c23", None),
            "`max` does not apply to `Tensor<char, [2, 3]>`",
        ),
        (
            reduce(Reduction::Max, "t03", Some(0)),
            "`max` may fold an empty run of `Tensor<f32, [0, 3]>`",
        ),
        (
            reduce(Reduction::Min, "t03", None),
            "`min` may fold an empty run of `Tensor<f32, [0, 3]>`",
        ),
        (
            reduce(Reduction::Min, "t?3", Some(0)),
            "`min` may fold an empty run of `Tensor<f32, [?, 3]>`",
        ),
    ]);
}

#[test]
fn sorts_order_numbers() {
    let sort = |name, axis, ty| {
        let descending = false;
        let operand = boxed(name);
        let sort = TensorOp::Sort {
            operand,
            axis,
            descending,
        };
        op(sort, ty)
    };
    let argsort = |operand, ty| {
        let descending = true;
        let axis = 0;
        let argsort = TensorOp::ArgSort {
            operand,
            axis,
            descending,
        };
        op(argsort, ty)
    };
    let long = build::tensor(TensorOp::Fill(Fill::Zeros), tensor(I8, &[(1 << 31) + 1]));
    assert_exprs([
        (sort("i23", 1, tensor(I32, &[2, 3])), VALID),
        (sort("t?3", 0, p("t?3").ty.referent().clone()), VALID),
        (
            sort("b23", 1, tensor(Bool, &[2, 3])),
            "`Tensor<bool, [2, 3]>` has no order",
        ),
        (
            sort("c23", 1, tensor(Char, &[2, 3])),
            "`Tensor<char, [2, 3]>` has no order",
        ),
        (
            sort("i23", 2, tensor(I32, &[2, 3])),
            "`Tensor<i32, [2, 3]>` has no axis 2",
        ),
        (argsort(boxed("t23"), tensor(I32, &[2, 3])), VALID),
        (
            argsort(boxed("t23"), tensor(I64, &[2, 3])),
            "this is of type `Tensor<i32, [2, 3]>`, not `Tensor<i64, [2, 3]>`",
        ),
        (
            argsort(Box::new(long), tensor(I32, &[(1 << 31) + 1])),
            "an `i32` does not hold the positions of axis 0 of `Tensor<i8, [2147483649]>`",
        ),
    ]);
}

#[test]
fn the_top_is_a_pair() {
    let top = |name, k, extents: &[u64]| {
        let axis = 0;
        let operand = boxed(name);
        let ty = HirType::Tuple(vec![tensor(F32, extents), tensor(I32, extents)]);
        op(TensorOp::TopK { operand, axis, k }, ty)
    };
    assert_exprs([
        (top("t23", 0, &[0, 3]), VALID),
        (top("t23", 2, &[2, 3]), VALID),
        (
            top("t23", 3, &[3, 3]),
            "axis 0 of `Tensor<f32, [2, 3]>` is not known to have 3 positions",
        ),
        (
            top("t?3", 1, &[1, 3]),
            "axis 0 of `Tensor<f32, [?, 3]>` is not known to have 1 positions",
        ),
        (
            stated(top("t3", 1, &[1]), tensor(F32, &[1])),
            "this is of type `(Tensor<f32, [1]>, Tensor<i32, [1]>)`, not `Tensor<f32, [1]>`",
        ),
    ]);
}

#[test]
fn einsum_letters_agree() {
    let einsum = |inputs: &[&str], output: &str, operands: &[&str], ty: HirType| {
        let einsum = Einsum {
            inputs: inputs
                .iter()
                .map(|letters| letters.chars().collect())
                .collect(),
            output: output.chars().collect(),
            operands: operands.iter().map(|name| p(name)).collect(),
        };
        op(TensorOp::Einsum(einsum), ty)
    };
    let t = tensor(F32, &[2, 4]);
    assert_exprs([
        (
            einsum(&["ij", "jk"], "ik", &["t23", "t34"], t.clone()),
            VALID,
        ),
        (
            einsum(&["ij", "ij"], "", &["t?3", "t?3"], tensor(F32, &[])),
            VALID,
        ),
        (
            einsum(&["ij"], "ik", &["t23", "t34"], t.clone()),
            "there are letters for 1 operands, not 2",
        ),
        (einsum(&[], "", &[], t.clone()), "`einsum` takes an operand"),
        (
            einsum(&["ijk"], "i", &["t23"], t.clone()),
            "`Tensor<f32, [2, 3]>` takes 2 entries, not 3",
        ),
        (
            einsum(&["ij", "ij"], "i", &["t23", "t34"], t.clone()),
            "`i` has two extents, 2 and 3",
        ),
        (
            einsum(&["ij", "ij"], "i", &["t23", "t?3"], t.clone()),
            "`i` has two extents, 2 and ?",
        ),
        (
            einsum(&["ij"], "ii", &["t23"], t.clone()),
            "`i` stands twice in the output",
        ),
        (
            einsum(&["ij"], "k", &["t23"], t.clone()),
            "`k` stands in no input",
        ),
        (
            einsum(&["ij", "ij"], "i", &["t23", "i23"], t.clone()),
            "the elements of `Tensor<f32, [2, 3]>` and `Tensor<i32, [2, 3]>` differ",
        ),
        (
            einsum(&["ij"], "i", &["b23"], t.clone()),
            "`einsum` does not apply to `Tensor<bool, [2, 3]>`",
        ),
        (
            einsum(&["ij"], "ji", &["t23"], t),
            "this is of type `Tensor<f32, [3, 2]>`, not `Tensor<f32, [2, 4]>`",
        ),
    ]);
}

#[test]
fn traversals_take_functions_of_elements() {
    let map = |operand, function| op(TensorOp::Map { operand, function }, tensor(F32, &[2, 3]));
    let zip = |left, right, function| {
        let zip = TensorOp::Zip {
            left,
            right,
            function,
        };
        op(zip, tensor(F32, &[2, 3]))
    };
    let fold = |operand, initial, function| {
        let fold = TensorOp::Fold {
            operand,
            initial,
            function,
        };
        op(fold, tensor(F32, &[]))
    };
    let (one, two) = (|| boxed("f32f32"), || boxed("f32f32f32"));
    assert_exprs([
        (map(boxed("t23"), one()), VALID),
        (map(boxed("t23"), boxed("x")), "`f32` is no function"),
        (
            map(boxed("i23"), one()),
            "the function's parameter is of type `f32`, not `i32`",
        ),
        (
            map(boxed("t23"), two()),
            "the function takes 2 arguments, not 1",
        ),
        (
            map(boxed("t3"), one()),
            "this is of type `Tensor<f32, [3]>`, not `Tensor<f32, [2, 3]>`",
        ),
        (zip(boxed("t23"), boxed("m23"), two()), VALID),
        (
            zip(boxed("t23"), boxed("t3"), two()),
            "the shapes of `Tensor<f32, [2, 3]>` and `Tensor<f32, [3]>` differ",
        ),
        (
            zip(boxed("t23"), boxed("i23"), two()),
            "the function's parameter is of type `f32`, not `i32`",
        ),
        (fold(boxed("t23"), boxed("x"), two()), VALID),
        (
            fold(boxed("t23"), boxed("i"), two()),
            "the function's parameter is of type `f32`, not `i32`",
        ),
        (
            fold(boxed("t23"), boxed("x"), one()),
            "the function takes 1 arguments, not 2",
        ),
    ]);
}
