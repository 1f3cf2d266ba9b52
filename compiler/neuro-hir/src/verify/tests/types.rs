use super::*;

/// A function with a parameter of this type breaks this rule.
#[track_caller]
fn assert_type(ty: HirType, expected: &str) {
    let mut f = FunctionBuilder::new("f", FunctionTarget::Host);
    f.parameter("a", ty);
    let expected = format!("local `a`: {expected}");
    match expected.as_str() {
        "local `a`: " => assert_errors(&program(f.finish(None)), &[]),
        expected => assert_errors(&program(f.finish(None)), &[expected]),
    }
}

#[test]
fn void_is_a_result_only() {
    let void = "`void` is the type of a result only";
    assert_type(function([], HirType::Void), VALID);
    assert_type(HirType::Void, void);
    assert_type(HirType::reference(false, HirType::Void), void);
    assert_type(HirType::Tuple(vec![HirType::Void]), void);
    assert_type(function([HirType::Void], I32), void);
    let element = Box::new(HirType::Void);
    assert_type(
        HirType::Tensor(TensorType {
            element,
            axes: vec![],
        }),
        void,
    );
}

#[test]
fn structs_are_declared() {
    let ty = HirType::Tuple(vec![HirType::Nominal("A".into())]);
    assert_type(ty, "there is no struct `A`");
}

#[test]
fn elements_are_counted_in_63_bits() {
    assert_type(tensor(U8, &[1 << 62]), VALID);
    assert_type(
        tensor(U8, &[1 << 63]),
        "`Tensor<u8, [9223372036854775808]>` has 2^63 elements or more",
    );
    assert_type(
        tensor(U8, &[0, 1 << 32, 1 << 32]),
        "`Tensor<u8, [0, 4294967296, 4294967296]>` has 2^63 elements or more",
    );
    let unknown = [Extent::Dynamic, Extent::Static(1 << 63)];
    assert_type(TensorType::with_extents(U8, unknown).into(), VALID);
}
