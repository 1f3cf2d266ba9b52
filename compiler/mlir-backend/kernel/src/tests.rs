//! The text of kernels, without the places in the source.

mod functions;

use ast_types::BinaryOp::{Div, Lt};
use expect_test::{Expect, expect};
use mlir_gpu::{Chip, Vendor};
use neuro_hir::build::{FunctionBuilder, binary, block, element, expr, integer, program};
use neuro_hir::{
    FunctionTarget, GridIndex, HirExprKind, HirFunction, HirStatementKind, HirType, TensorType,
    Tier,
};
use shared_types::ScalarType::{I32, I64};

use crate::{Failures, lower};

/// `if thread_id.x < 5 { out[thread_id.x] = n / out[0] }`.
fn quotient() -> HirFunction {
    let threads = vec![4];
    let mut k = FunctionBuilder::new("k", FunctionTarget::Kernel { threads });
    let n = k.parameter("n", I32);
    let out = HirType::reference(true, TensorType::new(I32, &[5]).into());
    let out = k.parameter("out", out);
    let of = GridIndex::Thread;
    let at = || expr(HirExprKind::GridIndex { of, axis: 0 }, I64);
    let value = binary(Div, n, element(out.clone(), [integer(0, I64)]));
    let place = element(out, [at()]);
    let then = block([HirStatementKind::Assign { place, value }], None);
    let condition = Box::new(binary(Lt, at(), integer(5, I64)));
    let otherwise = None;
    let kind = HirExprKind::If {
        condition,
        then,
        otherwise,
    };
    k.push(HirStatementKind::Expr(expr(kind, HirType::Void)));
    k.finish(None)
}

fn text(kernel: HirFunction, vendor: Vendor, failures: Failures) -> String {
    let chip = match vendor {
        Vendor::Nvidia => "sm_90",
        Vendor::Amd => "gfx942",
    };
    let program = program(Tier::Wrapping, [kernel]);
    let chip = Chip::find(vendor, chip).unwrap();
    let (text, _) = lower(&program, "f_", chip, failures).unwrap();
    without_places(&text)
}

fn without_places(text: &str) -> String {
    let lines = text.lines().map(|line| match line.split_once(" loc(") {
        Some((operation, _)) => format!("{operation}\n"),
        None => format!("{line}\n"),
    });
    lines.collect()
}

fn shows(vendor: Vendor, failures: Failures, expected: Expect) {
    expected.assert_eq(&text(quotient(), vendor, failures));
}

#[test]
fn nvidia_asserts() {
    shows(
        Vendor::Nvidia,
        Failures::Stop,
        expect![[r#"
        func.func @"f_k"(%p0: i32, %p1: memref<5xi32>) {
          %grid0 = arith.constant 2 : index
          %grid1 = arith.constant 1 : index
          %grid2 = arith.constant 1 : index
          %block0 = arith.constant 4 : index
          %block1 = arith.constant 1 : index
          %block2 = arith.constant 1 : index
          gpu.launch blocks(%b0, %b1, %b2) in (%grids0 = %grid0, %grids1 = %grid1, %grids2 = %grid2) threads(%t0, %t1, %t2) in (%blocks0 = %block0, %blocks1 = %block1, %blocks2 = %block2) {
          %2 = memref.alloca() : memref<i32, #gpu.address_space<private>>
          %3 = arith.index_cast %b0 : index to i64
          %4 = arith.index_cast %t0 : index to i64
          %5 = arith.constant 4 : i64
          %6 = arith.muli %3, %5 : i64
          %7 = arith.addi %6, %4 : i64
          cf.br ^b38
        ^b38:
          memref.store %p0, %2[] : memref<i32, #gpu.address_space<private>>
          %8 = arith.constant 5 : i64
          %9 = arith.cmpi slt, %7, %8 : i64
          cf.cond_br %9, ^b10, ^b11
        ^b10:
          %13 = memref.load %2[] : memref<i32, #gpu.address_space<private>>
          %14 = arith.constant 0 : i64
          %15 = arith.constant 5 : i64
          %16 = arith.cmpi uge, %14, %15 : i64
          %17 = arith.constant true
          %18 = arith.xori %16, %17 : i1
          cf.assert %18, "an index is out of range for axis 0 of extent 5"
          %19 = arith.index_cast %14 : i64 to index
          %20 = memref.load %p1[%19] : memref<5xi32>
          %21 = arith.constant 0 : i32
          %22 = arith.cmpi eq, %20, %21 : i32
          %23 = arith.constant true
          %24 = arith.xori %22, %23 : i1
          cf.assert %24, "division by zero in `/`"
          %25 = arith.constant -2147483648 : i32
          %26 = arith.constant -1 : i32
          %27 = arith.cmpi eq, %13, %25 : i32
          %28 = arith.cmpi eq, %20, %26 : i32
          %29 = arith.andi %27, %28 : i1
          %30 = arith.constant 1 : i32
          %31 = arith.select %29, %30, %20 : i32
          %32 = arith.divsi %13, %31 : i32
          %33 = arith.constant 5 : i64
          %34 = arith.cmpi uge, %7, %33 : i64
          %35 = arith.constant true
          %36 = arith.xori %34, %35 : i1
          cf.assert %36, "an index is out of range for axis 0 of extent 5"
          %37 = arith.index_cast %7 : i64 to index
          memref.store %32, %p1[%37] : memref<5xi32>
          cf.br ^b12
        ^b11:
          cf.br ^b12
        ^b12:
          cf.br ^b1
        ^b1:
          gpu.terminator
          }
          return
        }
    "#]],
    );
}

#[test]
fn amd_traps() {
    shows(
        Vendor::Amd,
        Failures::Stop,
        expect![[r#"
        func.func @"f_k"(%p0: i32, %p1: memref<5xi32>) {
          %grid0 = arith.constant 2 : index
          %grid1 = arith.constant 1 : index
          %grid2 = arith.constant 1 : index
          %block0 = arith.constant 4 : index
          %block1 = arith.constant 1 : index
          %block2 = arith.constant 1 : index
          gpu.launch blocks(%b0, %b1, %b2) in (%grids0 = %grid0, %grids1 = %grid1, %grids2 = %grid2) threads(%t0, %t1, %t2) in (%blocks0 = %block0, %blocks1 = %block1, %blocks2 = %block2) {
          %2 = memref.alloca() : memref<i32, #gpu.address_space<private>>
          %3 = arith.index_cast %b0 : index to i64
          %4 = arith.index_cast %t0 : index to i64
          %5 = arith.constant 4 : i64
          %6 = arith.muli %3, %5 : i64
          %7 = arith.addi %6, %4 : i64
          cf.br ^b36
        ^b36:
          memref.store %p0, %2[] : memref<i32, #gpu.address_space<private>>
          %8 = arith.constant 5 : i64
          %9 = arith.cmpi slt, %7, %8 : i64
          cf.cond_br %9, ^b10, ^b11
        ^b10:
          %13 = memref.load %2[] : memref<i32, #gpu.address_space<private>>
          %14 = arith.constant 0 : i64
          %15 = arith.constant 5 : i64
          %16 = arith.cmpi uge, %14, %15 : i64
          cf.cond_br %16, ^b17, ^b18
        ^b18:
          %19 = arith.index_cast %14 : i64 to index
          %20 = memref.load %p1[%19] : memref<5xi32>
          %21 = arith.constant 0 : i32
          %22 = arith.cmpi eq, %20, %21 : i32
          cf.cond_br %22, ^b17, ^b23
        ^b23:
          %24 = arith.constant -2147483648 : i32
          %25 = arith.constant -1 : i32
          %26 = arith.cmpi eq, %13, %24 : i32
          %27 = arith.cmpi eq, %20, %25 : i32
          %28 = arith.andi %26, %27 : i1
          %29 = arith.constant 1 : i32
          %30 = arith.select %28, %29, %20 : i32
          %31 = arith.divsi %13, %30 : i32
          %32 = arith.constant 5 : i64
          %33 = arith.cmpi uge, %7, %32 : i64
          cf.cond_br %33, ^b17, ^b34
        ^b34:
          %35 = arith.index_cast %7 : i64 to index
          memref.store %31, %p1[%35] : memref<5xi32>
          cf.br ^b12
        ^b11:
          cf.br ^b12
        ^b12:
          cf.br ^b1
        ^b17:
          "llvm.intr.trap"() : () -> ()
          cf.br ^b1
        ^b1:
          gpu.terminator
          }
          return
        }
    "#]],
    );
}

#[test]
fn an_engine_has_a_report() {
    shows(
        Vendor::Nvidia,
        Failures::Report,
        expect![[r#"
            func.func @"f_k"(%p0: i32, %p1: memref<5xi32>, %report: memref<4xi64>) {
              %grid0 = arith.constant 2 : index
              %grid1 = arith.constant 1 : index
              %grid2 = arith.constant 1 : index
              %block0 = arith.constant 4 : index
              %block1 = arith.constant 1 : index
              %block2 = arith.constant 1 : index
              gpu.launch blocks(%b0, %b1, %b2) in (%grids0 = %grid0, %grids1 = %grid1, %grids2 = %grid2) threads(%t0, %t1, %t2) in (%blocks0 = %block0, %blocks1 = %block1, %blocks2 = %block2) {
              %2 = memref.alloca() : memref<i32, #gpu.address_space<private>>
              %3 = arith.index_cast %b0 : index to i64
              %4 = arith.index_cast %t0 : index to i64
              %5 = arith.constant 4 : i64
              %6 = arith.muli %3, %5 : i64
              %7 = arith.addi %6, %4 : i64
              cf.br ^b72
            ^b72:
              memref.store %p0, %2[] : memref<i32, #gpu.address_space<private>>
              %8 = arith.constant 5 : i64
              %9 = arith.cmpi slt, %7, %8 : i64
              cf.cond_br %9, ^b10, ^b11
            ^b10:
              %13 = memref.load %2[] : memref<i32, #gpu.address_space<private>>
              %14 = arith.constant 0 : i64
              %15 = arith.constant 5 : i64
              %16 = arith.cmpi uge, %14, %15 : i64
              %18 = arith.constant 1 : i64
              cf.cond_br %16, ^b17(%18, %14 : i64, i64), ^b19
            ^b19:
              %20 = arith.index_cast %14 : i64 to index
              %21 = memref.load %p1[%20] : memref<5xi32>
              %22 = arith.constant 0 : i32
              %23 = arith.cmpi eq, %21, %22 : i32
              %24 = arith.constant 2 : i64
              %25 = arith.constant 0 : i64
              cf.cond_br %23, ^b17(%24, %25 : i64, i64), ^b26
            ^b26:
              %27 = arith.constant -2147483648 : i32
              %28 = arith.constant -1 : i32
              %29 = arith.cmpi eq, %13, %27 : i32
              %30 = arith.cmpi eq, %21, %28 : i32
              %31 = arith.andi %29, %30 : i1
              %32 = arith.constant 1 : i32
              %33 = arith.select %31, %32, %21 : i32
              %34 = arith.divsi %13, %33 : i32
              %35 = arith.constant 5 : i64
              %36 = arith.cmpi uge, %7, %35 : i64
              %37 = arith.constant 3 : i64
              cf.cond_br %36, ^b17(%37, %7 : i64, i64), ^b38
            ^b38:
              %39 = arith.index_cast %7 : i64 to index
              memref.store %34, %p1[%39] : memref<5xi32>
              cf.br ^b12
            ^b11:
              cf.br ^b12
            ^b12:
              cf.br ^b1
            ^b17(%check: i64, %index: i64):
              %40 = arith.constant 12 : i64
              %41 = arith.shli %7, %40 : i64
              %42 = arith.ori %41, %check : i64
              %43 = arith.constant 0 : index
              %44 = memref.atomic_rmw minu %42, %report[%43] : (i64, memref<4xi64>) -> i64
              %45 = arith.constant 0 : i64
              %46 = arith.shrui %index, %45 : i64
              %47 = arith.constant 16777215 : i64
              %48 = arith.andi %46, %47 : i64
              %49 = arith.constant 24 : i64
              %50 = arith.shli %7, %49 : i64
              %51 = arith.ori %50, %48 : i64
              %52 = arith.constant 1 : index
              %53 = memref.atomic_rmw minu %51, %report[%52] : (i64, memref<4xi64>) -> i64
              %54 = arith.constant 24 : i64
              %55 = arith.shrui %index, %54 : i64
              %56 = arith.constant 16777215 : i64
              %57 = arith.andi %55, %56 : i64
              %58 = arith.constant 24 : i64
              %59 = arith.shli %7, %58 : i64
              %60 = arith.ori %59, %57 : i64
              %61 = arith.constant 2 : index
              %62 = memref.atomic_rmw minu %60, %report[%61] : (i64, memref<4xi64>) -> i64
              %63 = arith.constant 48 : i64
              %64 = arith.shrui %index, %63 : i64
              %65 = arith.constant 16777215 : i64
              %66 = arith.andi %64, %65 : i64
              %67 = arith.constant 24 : i64
              %68 = arith.shli %7, %67 : i64
              %69 = arith.ori %68, %66 : i64
              %70 = arith.constant 3 : index
              %71 = memref.atomic_rmw minu %69, %report[%70] : (i64, memref<4xi64>) -> i64
              cf.br ^b1
            ^b1:
              gpu.terminator
              }
              return
            }
        "#]],
    );
}
