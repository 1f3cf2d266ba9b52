//! The lowering rules: declarations, types, and bodies (backend specification, §Lowering Rules to
//! §Broadcasting). What stays a declaration is in `declarations.rs`.

use ast_types::BinaryOp::{Add, Mul};
use expect_test::{Expect, expect};
use mlir_backend::{MlirError, lower_program};
use neuro_hir::build::{self, FunctionBuilder, binary, operation, program};
use neuro_hir::{
    Extent, FunctionTarget, FunctionType, HirConst, HirFunction, HirImpl, HirItem,
    HirStatementKind, HirStruct, HirType, TensorType, Tier,
};
use shared_types::ScalarType::{self, F32, I32};
use shared_types::Span;

/// A host function of these parameters, without a body that lowers.
fn host(name: &str, parameters: Vec<HirType>, result: HirType) -> HirFunction {
    let mut function = FunctionBuilder::new(name, FunctionTarget::Host);
    for ty in parameters {
        function.parameter("p", ty);
    }
    HirFunction {
        result,
        ..function.finish(None)
    }
}

fn text(items: Vec<HirItem>) -> String {
    let tier = Tier::Wrapping;
    lower_program(&neuro_hir::HirProgram { tier, items }).unwrap()
}

fn check(functions: Vec<HirFunction>, expected: Expect) {
    expected.assert_eq(&text(
        functions.into_iter().map(HirItem::Function).collect(),
    ));
}

fn tensor(extents: &[u64]) -> HirType {
    TensorType::new(F32, extents).into()
}

fn dynamic(extents: &[Option<u64>]) -> HirType {
    let extent = |extent: &Option<u64>| extent.map_or(Extent::Dynamic, Extent::Static);
    TensorType::with_extents(F32, extents.iter().map(extent)).into()
}

#[test]
fn scalars_and_tensors_keep_their_types() {
    let scalars = ScalarType::ALL.map(HirType::from).to_vec();
    let tensors = vec![
        TensorType::new(ScalarType::Bf16, &[]).into(),
        TensorType::new(ScalarType::Bool, &[2]).into(),
        dynamic(&[Some(3), None]),
    ];
    check(
        vec![
            host("scalars", scalars, HirType::Void),
            host(
                "tensors",
                tensors,
                TensorType::new(ScalarType::U8, &[0, 5]).into(),
            ),
        ],
        expect![[r#"
            module {
              func.func private @scalars(i8, i16, i32, i64, i8, i16, i32, i64, f16, bf16, f32, f64, i1, i32)
              func.func private @tensors(tensor<bf16>, tensor<2xi1>, tensor<3x?xf32>) -> tensor<0x5xi8>
            }
        "#]],
    );
}

#[test]
fn function_values_are_pairs_and_aggregates_pointers() {
    let function = FunctionType {
        parameters: vec![F32.into()],
        result: F32.into(),
    };
    let parameters = vec![
        HirType::Function(Box::new(function)),
        HirType::String,
        HirType::Nominal("Layer".into()),
        HirType::Tuple(vec![F32.into(), I32.into()]),
        HirType::reference(true, I32.into()),
    ];
    check(
        vec![host("f", parameters, I32.into())],
        expect![[r#"
        module {
          func.func private @f(!llvm.struct<(ptr, ptr)>, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
        }
    "#]],
    );
}

#[test]
fn methods_take_a_pointer_and_types_have_no_code() {
    let layer = || HirType::Nominal("Layer".into());
    let span = Span::default();
    let items = vec![
        HirItem::Struct(HirStruct {
            name: "Layer".into(),
            fields: vec![],
            span,
        }),
        HirItem::Const(HirConst {
            name: "SCALE".into(),
            value: build::float(0.5, F32),
            span,
        }),
        HirItem::Impl(HirImpl {
            owner: "Layer".into(),
            methods: vec![
                host(
                    "width",
                    vec![HirType::reference(false, layer())],
                    I32.into(),
                ),
                host("grow", vec![layer(), I32.into()], HirType::Void),
            ],
            span,
        }),
    ];
    expect![[r#"
        module {
          func.func private @Layer.width(!llvm.ptr) -> i32
          func.func private @Layer.grow(!llvm.ptr, i32)
        }
    "#]]
    .assert_eq(&text(items));
}

#[test]
fn void_and_aggregate_elements_are_unsupported() {
    let element = Box::new(HirType::Nominal("Layer".into()));
    let aggregate = TensorType {
        element,
        axes: vec![],
    };
    for ty in [
        HirType::Void,
        aggregate.into(),
        tensor(&[1 << 32, 1 << 32]),
        tensor(&[0, 1 << 32, 1 << 32]),
    ] {
        let function = host("f", vec![ty.clone()], HirType::Void);
        let error = lower_program(&program(Tier::Wrapping, [function])).unwrap_err();
        let expected = MlirError::UnsupportedType {
            ty: ty.to_string(),
            span: Span::default(),
        };
        assert_eq!(error, expected);
    }
}

#[test]
fn unknown_extents_are_read_from_an_operand_that_walks_them() {
    let [a, b] = [dynamic(&[None, Some(1)]), dynamic(&[None])];
    check(
        vec![operation("f", [a, b], |[a, b]| binary(Add, a, b))],
        expect![[r##"
            #map = affine_map<(d0, d1) -> (d0, 0)>
            #map1 = affine_map<(d0, d1) -> (d1)>
            #map2 = affine_map<(d0, d1) -> (d0, d1)>
            module {
              func.func @f(%arg0: tensor<?x1xf32>, %arg1: tensor<?xf32>) -> tensor<?x?xf32> {
                %c0 = arith.constant 0 : index
                %dim = tensor.dim %arg0, %c0 : tensor<?x1xf32>
                %c0_0 = arith.constant 0 : index
                %dim_1 = tensor.dim %arg1, %c0_0 : tensor<?xf32>
                %0 = tensor.empty(%dim, %dim_1) : tensor<?x?xf32>
                %1 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg1 : tensor<?x1xf32>, tensor<?xf32>) outs(%0 : tensor<?x?xf32>) {
                ^bb0(%in: f32, %in_2: f32, %out: f32):
                  %2 = arith.addf %in, %in_2 : f32
                  linalg.yield %2 : f32
                } -> tensor<?x?xf32>
                return %1 : tensor<?x?xf32>
              }
            }
        "##]],
    );
}

/// What is stretched is 1 long there, and says nothing about the result.
#[test]
fn a_stretched_operand_tells_no_extent() {
    let add = |name: &str, a, b| operation(name, [a, b], |[a, b]| binary(Add, a, b));
    let text = text(vec![
        HirItem::Function(add("rows", tensor(&[1]), dynamic(&[None]))),
        HirItem::Function(add("outer", dynamic(&[None, Some(3)]), tensor(&[1, 3]))),
    ]);
    let sizes: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| line.contains("tensor.dim"))
        .collect();
    assert_eq!(
        sizes,
        [
            "%dim = tensor.dim %arg1, %c0 : tensor<?xf32>",
            "%dim = tensor.dim %arg0, %c0 : tensor<?x3xf32>"
        ]
    );
}

#[test]
fn a_return_closes_a_body_as_a_tail_expression_does() {
    let body = |returns: bool| {
        let mut function = FunctionBuilder::new("f", FunctionTarget::HostOperation);
        let a = function.parameter("a", tensor(&[2]));
        let b = function.bind("b", binary(Mul, a.clone(), a.clone()));
        let sum = binary(Add, b, a);
        if !returns {
            return function.finish(Some(sum));
        }
        function.push(HirStatementKind::Return(Some(sum)));
        HirFunction {
            result: tensor(&[2]),
            ..function.finish(None)
        }
    };
    let text = |returns| text(vec![HirItem::Function(body(returns))]);
    assert_eq!(text(true), text(false));
    assert!(text(true).contains("func.func @f("));
}

#[test]
fn bindings_and_borrowed_operands_lower() {
    let mut function = FunctionBuilder::new("f", FunctionTarget::HostOperation);
    let a = function.parameter("a", HirType::reference(false, tensor(&[2])));
    let b = function.parameter("b", HirType::reference(true, tensor(&[2])));
    let sum = function.bind("sum", binary(Add, a, b.clone()));
    check(
        vec![function.finish(Some(binary(Mul, sum, b)))],
        expect![[r##"
            #map = affine_map<(d0) -> (d0)>
            module {
              func.func @f(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) -> tensor<2xf32> {
                %0 = tensor.empty() : tensor<2xf32>
                %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%arg0, %arg1 : tensor<2xf32>, tensor<2xf32>) outs(%0 : tensor<2xf32>) {
                ^bb0(%in: f32, %in_0: f32, %out: f32):
                  %4 = arith.addf %in, %in_0 : f32
                  linalg.yield %4 : f32
                } -> tensor<2xf32>
                %2 = tensor.empty() : tensor<2xf32>
                %3 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%1, %arg1 : tensor<2xf32>, tensor<2xf32>) outs(%2 : tensor<2xf32>) {
                ^bb0(%in: f32, %in_0: f32, %out: f32):
                  %4 = arith.mulf %in, %in_0 : f32
                  linalg.yield %4 : f32
                } -> tensor<2xf32>
                return %3 : tensor<2xf32>
              }
            }
        "##]],
    );
}

/// Halves compute in `f32` and round once for each operation.
#[test]
fn a_half_widens_for_each_operation() {
    let ty = || TensorType::new(ScalarType::F16, &[2]).into();
    let f = operation("f", [ty(), ty(), ty()], |[a, b, c]| {
        binary(Add, binary(Mul, a, b), c)
    });
    check(
        vec![f],
        expect![[r##"
        #map = affine_map<(d0) -> (d0)>
        module {
          func.func @f(%arg0: tensor<2xf16>, %arg1: tensor<2xf16>, %arg2: tensor<2xf16>) -> tensor<2xf16> {
            %0 = tensor.empty() : tensor<2xf16>
            %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%arg0, %arg1 : tensor<2xf16>, tensor<2xf16>) outs(%0 : tensor<2xf16>) {
            ^bb0(%in: f16, %in_0: f16, %out: f16):
              %4 = arith.extf %in : f16 to f32
              %5 = arith.extf %in_0 : f16 to f32
              %6 = arith.mulf %4, %5 : f32
              %7 = arith.truncf %6 : f32 to f16
              linalg.yield %7 : f16
            } -> tensor<2xf16>
            %2 = tensor.empty() : tensor<2xf16>
            %3 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%1, %arg2 : tensor<2xf16>, tensor<2xf16>) outs(%2 : tensor<2xf16>) {
            ^bb0(%in: f16, %in_0: f16, %out: f16):
              %4 = arith.extf %in : f16 to f32
              %5 = arith.extf %in_0 : f16 to f32
              %6 = arith.addf %4, %5 : f32
              %7 = arith.truncf %6 : f32 to f16
              linalg.yield %7 : f16
            } -> tensor<2xf16>
            return %3 : tensor<2xf16>
          }
        }
    "##]],
    );
}
