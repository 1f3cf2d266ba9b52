//! Element-wise operations and products as MLIR text, and as IR without copies.

use ast_types::BinaryOp::{Add, MatMul, Mul};
use expect_test::{Expect, expect};
use neuro_hir::build::{binary, operation, program};
use neuro_hir::{HirFunction, HirType, TensorType, Tier};
use shared_types::ScalarType::F32;

fn tensor(extents: &[u64]) -> HirType {
    TensorType::new(F32, extents).into()
}

fn check(function: HirFunction, expected: Expect) {
    let text = mlir_backend::lower_program(&program(Tier::Wrapping, [function])).unwrap();
    expected.assert_eq(&text);
}

#[test]
fn an_operator_is_one_generic() {
    let f = operation("f", [tensor(&[2, 3]), tensor(&[2, 3])], |[a, b]| {
        binary(Add, a, b)
    });
    check(
        f,
        expect![[r##"
        #map = affine_map<(d0, d1) -> (d0, d1)>
        module {
          func.func @f(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
            %0 = tensor.empty() : tensor<2x3xf32>
            %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg1 : tensor<2x3xf32>, tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) {
            ^bb0(%in: f32, %in_0: f32, %out: f32):
              %2 = arith.addf %in, %in_0 : f32
              linalg.yield %2 : f32
            } -> tensor<2x3xf32>
            return %1 : tensor<2x3xf32>
          }
        }
    "##]],
    );
}

#[test]
fn a_product_is_a_fill_and_a_contraction() {
    let f = operation("f", [tensor(&[2, 3]), tensor(&[3, 4])], |[a, b]| {
        binary(MatMul, a, b)
    });
    check(
        f,
        expect![[r##"
        #map = affine_map<(d0, d1) -> ()>
        #map1 = affine_map<(d0, d1) -> (d0, d1)>
        #map2 = affine_map<(d0, d1, d2) -> (d0, d2)>
        #map3 = affine_map<(d0, d1, d2) -> (d2, d1)>
        #map4 = affine_map<(d0, d1, d2) -> (d0, d1)>
        module {
          func.func @f(%arg0: tensor<2x3xf32>, %arg1: tensor<3x4xf32>) -> tensor<2x4xf32> {
            %0 = tensor.empty() : tensor<2x4xf32>
            %cst = arith.constant 0.000000e+00 : f32
            %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst : f32) outs(%0 : tensor<2x4xf32>) {
            ^bb0(%in: f32, %out: f32):
              linalg.yield %in : f32
            } -> tensor<2x4xf32>
            %2 = linalg.generic {indexing_maps = [#map2, #map3, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<2x3xf32>, tensor<3x4xf32>) outs(%1 : tensor<2x4xf32>) {
            ^bb0(%in: f32, %in_0: f32, %out: f32):
              %3 = arith.mulf %in, %in_0 : f32
              %4 = arith.addf %out, %3 : f32
              linalg.yield %4 : f32
            } -> tensor<2x4xf32>
            return %2 : tensor<2x4xf32>
          }
        }
    "##]],
    );
}

#[test]
fn a_body_without_a_need_copies_and_allocates_nothing() {
    let square = || tensor(&[8, 8]);
    let fused = operation("f", [square(), square(), square()], |[a, b, c]| {
        binary(Mul, binary(Add, a, b), c)
    });
    let product = operation("g", [square(), square()], |[a, b]| binary(MatMul, a, b));
    let ir = mlir_backend::lower_for_link(&program(Tier::Wrapping, [fused, product])).unwrap();
    for name in ["malloc", "memcpy", "memrefCopy"] {
        assert!(!ir.llvm_ir.contains(name), "{name}:\n{}", ir.llvm_ir);
    }
    let symbols: Vec<_> = ir.bodies.iter().map(|body| body.symbol.as_str()).collect();
    assert_eq!(symbols, ["__neuro_mlir_f", "__neuro_mlir_g"]);
}
