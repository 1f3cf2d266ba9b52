//! Loops, slots, and functions that kernels call.

use ast_types::BinaryOp::{Add, Mul};
use expect_test::expect;
use mlir_gpu::Vendor;
use neuro_hir::build::{FunctionBuilder, binary, block, element, expr, integer, local, program};
use neuro_hir::{
    FunctionTarget, FunctionType, HirClosure, HirExpr, HirExprKind, HirFunction, HirStatementKind,
    HirType, TensorType, Tier,
};
use shared_types::ScalarType::{F32, I32};

use super::{text, without_places};
use crate::{Failures, Functions};

/// Of the loops and the slots.
#[test]
fn a_sum_is_a_slot() {
    let threads = vec![1];
    let mut k = FunctionBuilder::new("k", FunctionTarget::Kernel { threads });
    let out = HirType::reference(true, TensorType::new(F32, &[]).into());
    let out = k.parameter("out", out);
    let sum = k.bind_mutable("sum", integer(0, I32));
    let local = k.declare("i", I32, false);
    let add = HirStatementKind::CompoundAssign {
        op: Add,
        place: sum.clone(),
        value: neuro_hir::build::local(local, I32),
    };
    k.push(HirStatementKind::For {
        local,
        start: integer(1, I32),
        end: integer(9, I32),
        inclusive: false,
        body: block([add], None),
    });
    k.push(HirStatementKind::Assign {
        place: element(out, []),
        value: expr(HirExprKind::Cast(Box::new(sum)), F32),
    });
    let text = text(k.finish(None), Vendor::Amd, Failures::Stop);
    expect![[r#"
        func.func @"f_k"(%p0: memref<f32>) {
          %grid0 = arith.constant 1 : index
          %grid1 = arith.constant 1 : index
          %grid2 = arith.constant 1 : index
          %block0 = arith.constant 1 : index
          %block1 = arith.constant 1 : index
          %block2 = arith.constant 1 : index
          gpu.launch blocks(%b0, %b1, %b2) in (%grids0 = %grid0, %grids1 = %grid1, %grids2 = %grid2) threads(%t0, %t1, %t2) in (%blocks0 = %block0, %blocks1 = %block1, %blocks2 = %block2) {
          %2 = arith.index_cast %b0 : index to i64
          %3 = arith.index_cast %t0 : index to i64
          %4 = arith.constant 1 : i64
          %5 = arith.muli %2, %4 : i64
          %6 = arith.addi %5, %3 : i64
          %8 = memref.alloca() : memref<i32, #gpu.address_space<private>>
          %19 = memref.alloca() : memref<i32, #gpu.address_space<private>>
          %21 = memref.alloca() : memref<i32, #gpu.address_space<private>>
          cf.br ^b30
        ^b30:
          %7 = arith.constant 0 : i32
          memref.store %7, %8[] : memref<i32, #gpu.address_space<private>>
          %9 = arith.constant 1 : i32
          %10 = arith.constant 9 : i32
          %16 = arith.cmpi slt, %9, %10 : i32
          cf.cond_br %16, ^b11, ^b15
        ^b11:
          %17 = arith.constant 1 : i32
          %18 = arith.subi %10, %17 : i32
          memref.store %9, %19[] : memref<i32, #gpu.address_space<private>>
          cf.br ^b12
        ^b12:
          %20 = memref.load %19[] : memref<i32, #gpu.address_space<private>>
          memref.store %20, %21[] : memref<i32, #gpu.address_space<private>>
          %22 = memref.load %21[] : memref<i32, #gpu.address_space<private>>
          %23 = memref.load %8[] : memref<i32, #gpu.address_space<private>>
          %24 = arith.addi %23, %22 : i32
          memref.store %24, %8[] : memref<i32, #gpu.address_space<private>>
          cf.br ^b13
        ^b13:
          %25 = memref.load %19[] : memref<i32, #gpu.address_space<private>>
          %26 = arith.cmpi ne, %25, %18 : i32
          cf.cond_br %26, ^b14, ^b15
        ^b14:
          %27 = arith.addi %25, %17 : i32
          memref.store %27, %19[] : memref<i32, #gpu.address_space<private>>
          cf.br ^b12
        ^b15:
          %28 = memref.load %8[] : memref<i32, #gpu.address_space<private>>
          %29 = arith.sitofp %28 : i32 to f32
          memref.store %29, %p0[] : memref<f32>
          cf.br ^b1
        ^b1:
          gpu.terminator
          }
          return
        }
    "#]].assert_eq(&text);
}

#[test]
fn an_empty_grid_is_no_launch() {
    let threads = vec![8];
    let mut k = FunctionBuilder::new("k", FunctionTarget::Kernel { threads });
    let out = HirType::reference(true, TensorType::new(F32, &[0, 3]).into());
    k.parameter("out", out);
    let text = text(k.finish(None), Vendor::Amd, Failures::Stop);
    expect![[r#"
        func.func @"f_k"(%p0: memref<0x3xf32>) {
          return
        }
    "#]]
    .assert_eq(&text);
}

/// `func f(k: i32) { |x: i32| -> i32 { x * k } }`, and its closure.
fn closure() -> (HirFunction, HirExpr) {
    let mut f = FunctionBuilder::new("f", FunctionTarget::Host);
    f.parameter("k", I32);
    let x = f.declare("x", I32, false);
    let k = neuro_hir::LocalId(0);
    let signature = FunctionType {
        parameters: vec![I32.into()],
        result: I32.into(),
    };
    let body = block([], Some(binary(Mul, local(x, I32), local(k, I32))));
    let closure = HirClosure {
        parameters: vec![x],
        captures: vec![k],
        signature: signature.clone(),
        body,
    };
    let ty = HirType::Function(Box::new(signature));
    (f.finish(None), expr(HirExprKind::Closure(closure), ty))
}

fn function_text(tier: Tier) -> String {
    let (f, closure) = closure();
    let program = program(tier, [f.clone()]);
    let functions = Functions::new(&program, "g_");
    let found = functions.find(&f, &closure).unwrap();
    assert_eq!(found.symbol, "g_f.0");
    assert_eq!(found.captures[0].name, "k");
    assert_eq!(found.checks.len(), usize::from(tier == Tier::Checked));
    without_places(&functions.text())
}

#[test]
fn a_function_takes_what_it_captures() {
    expect![[r#"
        func.func private @"g_f.0"(%p0: i32, %p1: i32) -> i32 attributes {llvm.linkage = #llvm.linkage<internal>, llvm.always_inline} {
          %2 = memref.alloca() : memref<i32, #gpu.address_space<private>>
          %3 = memref.alloca() : memref<i32, #gpu.address_space<private>>
          %4 = memref.alloca() : memref<i32, #gpu.address_space<private>>
          cf.br ^b10
        ^b10:
          memref.store %p0, %2[] : memref<i32, #gpu.address_space<private>>
          memref.store %p1, %3[] : memref<i32, #gpu.address_space<private>>
          %6 = memref.load %3[] : memref<i32, #gpu.address_space<private>>
          %7 = memref.load %2[] : memref<i32, #gpu.address_space<private>>
          %8 = arith.muli %6, %7 : i32
          memref.store %8, %4[] : memref<i32, #gpu.address_space<private>>
          cf.br ^b5
        ^b5:
          %9 = memref.load %4[] : memref<i32, #gpu.address_space<private>>
          func.return %9 : i32
        }
    "#]].assert_eq(&function_text(Tier::Wrapping));
}

#[test]
fn a_function_gives_the_check_that_failed() {
    expect![[r#"
        func.func private @"g_f.0"(%p0: i32, %p1: i32) -> (i32, i64) attributes {llvm.linkage = #llvm.linkage<internal>, llvm.always_inline} {
          %2 = memref.alloca() : memref<i32, #gpu.address_space<private>>
          %3 = memref.alloca() : memref<i32, #gpu.address_space<private>>
          %4 = memref.alloca() : memref<i32, #gpu.address_space<private>>
          cf.br ^b17
        ^b17:
          memref.store %p0, %2[] : memref<i32, #gpu.address_space<private>>
          memref.store %p1, %3[] : memref<i32, #gpu.address_space<private>>
          %6 = memref.load %3[] : memref<i32, #gpu.address_space<private>>
          %7 = memref.load %2[] : memref<i32, #gpu.address_space<private>>
          %8 = "llvm.intr.smul.with.overflow"(%6, %7) : (i32, i32) -> !llvm.struct<(i32, i1)>
          %9 = llvm.extractvalue %8[0] : !llvm.struct<(i32, i1)>
          %10 = llvm.extractvalue %8[1] : !llvm.struct<(i32, i1)>
          %12 = arith.constant 1 : i64
          cf.cond_br %10, ^b11(%12 : i64), ^b13
        ^b13:
          memref.store %9, %4[] : memref<i32, #gpu.address_space<private>>
          cf.br ^b5
        ^b5:
          %14 = memref.load %4[] : memref<i32, #gpu.address_space<private>>
          %15 = arith.constant 0 : i64
          func.return %14, %15 : i32, i64
        ^b11(%check: i64):
          %16 = arith.constant 0 : i32
          func.return %16, %check : i32, i64
        }
    "#]].assert_eq(&function_text(Tier::Checked));
}

/// What is known when it runs only.
#[test]
fn a_parameter_that_nobody_passes_is_not_found() {
    let (_, closure) = closure();
    let mut each = FunctionBuilder::new("each", FunctionTarget::FollowsOperands);
    let parameter = each.parameter("f", closure.ty);
    let each = each.finish(None);
    let program = program(Tier::Wrapping, [each.clone()]);
    let functions = Functions::new(&program, "g_");
    let refused = functions.find(&each, &parameter).unwrap_err();
    assert_eq!(refused.name, "each");
    assert_eq!(refused.reason, "a function that is known when it runs only");
    assert_eq!(functions.text(), "");
}
