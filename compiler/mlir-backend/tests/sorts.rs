//! The MLIR of the sorts that a body to link does: loops over buffers (numerics, §Sorts).

use expect_test::{Expect, expect};
use mlir_backend::internal;
use neuro_hir::build::{operation, program, tensor};
use neuro_hir::{HirExpr, HirProgram, HirType, TensorOp, TensorType, Tier};
use shared_types::ScalarType::{I32, U8};

fn of_u8(extent: u64) -> HirType {
    TensorType::new(U8, &[extent]).into()
}

fn f(extent: u64, result: HirType, op: impl FnOnce(Box<HirExpr>) -> TensorOp) -> HirProgram {
    let function = operation("f", [of_u8(extent)], |[operand]| {
        tensor(op(Box::new(operand)), result)
    });
    program(Tier::Checked, [function])
}

fn sort(extent: u64) -> HirProgram {
    f(extent, of_u8(extent), |operand| TensorOp::Sort {
        operand,
        axis: 0,
        descending: false,
    })
}

fn check(program: &HirProgram, expected: Expect) {
    expected.assert_eq(&internal::link_mlir(program).unwrap());
}

#[test]
fn a_short_run_sorts_by_counting() {
    check(
        &sort(255),
        expect![[r#"
        module {
          func.func @__neuro_mlir_f(%arg0: tensor<255xi8>) -> tensor<255xi8> {
            %0 = bufferization.to_buffer %arg0 read_only : tensor<255xi8> to memref<255xi8>
            %alloc = memref.alloc() : memref<255xi8>
            %alloc_0 = memref.alloc() : memref<255xi8>
            %alloc_1 = memref.alloc() : memref<255xi32>
            %c0 = arith.constant 0 : index
            %c1 = arith.constant 1 : index
            %c1_2 = arith.constant 1 : index
            scf.for %arg1 = %c0 to %c1 step %c1_2 {
              %c255 = arith.constant 255 : index
              %2 = arith.muli %arg1, %c255 : index
              %c255_3 = arith.constant 255 : index
              %3 = arith.muli %arg1, %c255_3 : index
              %c0_4 = arith.constant 0 : index
              %c255_5 = arith.constant 255 : index
              %c1_6 = arith.constant 1 : index
              scf.for %arg2 = %c0_4 to %c255_5 step %c1_6 {
                %4 = arith.addi %2, %arg2 : index
                %5 = memref.load %0[%4] : memref<255xi8>
                memref.store %5, %alloc_0[%arg2] : memref<255xi8>
              }
              %c0_7 = arith.constant 0 : index
              %c255_8 = arith.constant 255 : index
              %c1_9 = arith.constant 1 : index
              scf.for %arg2 = %c0_7 to %c255_8 step %c1_9 {
                %4 = memref.load %alloc_0[%arg2] : memref<255xi8>
                %c0_13 = arith.constant 0 : index
                %c0_i32 = arith.constant 0 : i32
                %c1_14 = arith.constant 1 : index
                %5 = scf.for %arg3 = %c0_13 to %arg2 step %c1_14 iter_args(%arg4 = %c0_i32) -> (i32) {
                  %6 = memref.load %alloc_0[%arg3] : memref<255xi8>
                  %7 = arith.cmpi ule, %6, %4 : i8
                  %8 = arith.extui %7 : i1 to i32
                  %c1_i32 = arith.constant 1 : i32
                  %9 = arith.subi %c1_i32, %8 : i32
                  %10 = memref.load %alloc_1[%arg3] : memref<255xi32>
                  %11 = arith.addi %10, %9 : i32
                  memref.store %11, %alloc_1[%arg3] : memref<255xi32>
                  %12 = arith.addi %arg4, %8 : i32
                  scf.yield %12 : i32
                }
                memref.store %5, %alloc_1[%arg2] : memref<255xi32>
              }
              %c0_10 = arith.constant 0 : index
              %c255_11 = arith.constant 255 : index
              %c1_12 = arith.constant 1 : index
              scf.for %arg2 = %c0_10 to %c255_11 step %c1_12 {
                %4 = memref.load %alloc_1[%arg2] : memref<255xi32>
                %5 = arith.index_castui %4 : i32 to index
                %6 = arith.addi %2, %arg2 : index
                %7 = memref.load %0[%6] : memref<255xi8>
                %8 = arith.addi %3, %5 : index
                memref.store %7, %alloc[%8] : memref<255xi8>
              }
            }
            %1 = bufferization.to_tensor %alloc restrict : memref<255xi8> to tensor<255xi8>
            return %1 : tensor<255xi8>
          }
        }
    "#]],
    );
}

#[test]
fn a_long_run_sorts_by_radix() {
    check(
        &sort(256),
        expect![[r#"
            module {
              func.func @__neuro_mlir_f(%arg0: tensor<256xi8>) -> tensor<256xi8> {
                %0 = bufferization.to_buffer %arg0 read_only : tensor<256xi8> to memref<256xi8>
                %alloc = memref.alloc() : memref<256xi8>
                %alloc_0 = memref.alloc() : memref<2x256xi8>
                %alloc_1 = memref.alloc() : memref<1x256xindex>
                %c0 = arith.constant 0 : index
                %c1 = arith.constant 1 : index
                %c1_2 = arith.constant 1 : index
                scf.for %arg1 = %c0 to %c1 step %c1_2 {
                  %c256 = arith.constant 256 : index
                  %2 = arith.muli %arg1, %c256 : index
                  %c256_3 = arith.constant 256 : index
                  %3 = arith.muli %arg1, %c256_3 : index
                  %c0_4 = arith.constant 0 : index
                  %c1_5 = arith.constant 1 : index
                  %4 = arith.addi %2, %c0_4 : index
                  %5 = memref.load %0[%4] : memref<256xi8>
                  %false = arith.constant false
                  %c0_i8 = arith.constant 0 : i8
                  %c256_6 = arith.constant 256 : index
                  %c1_7 = arith.constant 1 : index
                  %6:3 = scf.for %arg2 = %c1_5 to %c256_6 step %c1_7 iter_args(%arg3 = %c0_i8, %arg4 = %false, %arg5 = %false) -> (i8, i1, i1) {
                    %9 = arith.addi %2, %arg2 : index
                    %10 = memref.load %0[%9] : memref<256xi8>
                    %11 = arith.subi %arg2, %c1_5 : index
                    %12 = arith.addi %2, %11 : index
                    %13 = memref.load %0[%12] : memref<256xi8>
                    %14 = arith.xori %10, %5 : i8
                    %15 = arith.cmpi ult, %10, %13 : i8
                    %16 = arith.cmpi ugt, %10, %13 : i8
                    %17 = arith.ori %arg3, %14 : i8
                    %18 = arith.ori %arg4, %15 : i1
                    %19 = arith.ori %arg5, %16 : i1
                    scf.yield %17, %18, %19 : i8, i1, i1
                  }
                  %true = arith.constant true
                  %7 = arith.xori %6#1, %true : i1
                  %true_8 = arith.constant true
                  %8 = arith.xori %6#2, %true_8 : i1
                  scf.if %7 {
                    %c0_9 = arith.constant 0 : index
                    %c256_10 = arith.constant 256 : index
                    %c1_11 = arith.constant 1 : index
                    scf.for %arg2 = %c0_9 to %c256_10 step %c1_11 {
                      %9 = arith.addi %2, %arg2 : index
                      %10 = memref.load %0[%9] : memref<256xi8>
                      %11 = arith.addi %3, %arg2 : index
                      memref.store %10, %alloc[%11] : memref<256xi8>
                    }
                  } else {
                    scf.if %8 {
                      %c256_9 = arith.constant 256 : index
                      %9 = scf.while (%arg2 = %c256_9) : (index) -> index {
                        %c0_10 = arith.constant 0 : index
                        %10 = arith.cmpi ugt, %arg2, %c0_10 : index
                        scf.condition(%10) %arg2 : index
                      } do {
                      ^bb0(%arg2: index):
                        %c1_10 = arith.constant 1 : index
                        %10 = arith.subi %arg2, %c1_10 : index
                        %11 = arith.addi %2, %10 : index
                        %12 = memref.load %0[%11] : memref<256xi8>
                        %13 = scf.while (%arg3 = %10) : (index) -> index {
                          %c0_14 = arith.constant 0 : index
                          %c1_15 = arith.constant 1 : index
                          %18 = arith.cmpi ugt, %arg3, %c0_14 : index
                          %19 = arith.maxui %arg3, %c1_15 : index
                          %20 = arith.subi %19, %c1_15 : index
                          %21 = arith.addi %2, %20 : index
                          %22 = memref.load %0[%21] : memref<256xi8>
                          %23 = arith.cmpi eq, %22, %12 : i8
                          %24 = arith.andi %18, %23 : i1
                          scf.condition(%24) %arg3 : index
                        } do {
                        ^bb0(%arg3: index):
                          %c1_14 = arith.constant 1 : index
                          %18 = arith.subi %arg3, %c1_14 : index
                          scf.yield %18 : index
                        }
                        %c256_11 = arith.constant 256 : index
                        %14 = arith.subi %c256_11, %arg2 : index
                        %c256_12 = arith.constant 256 : index
                        %15 = arith.subi %c256_12, %14 : index
                        %16 = arith.addi %13, %15 : index
                        %17 = arith.minui %arg2, %16 : index
                        %c1_13 = arith.constant 1 : index
                        scf.for %arg3 = %13 to %17 step %c1_13 {
                          %18 = arith.subi %arg3, %13 : index
                          %19 = arith.addi %14, %18 : index
                          %20 = arith.addi %2, %arg3 : index
                          %21 = memref.load %0[%20] : memref<256xi8>
                          %22 = arith.addi %3, %19 : index
                          memref.store %21, %alloc[%22] : memref<256xi8>
                        }
                        scf.yield %13 : index
                      }
                    } else {
                      %c0_9 = arith.constant 0 : index
                      %c0_10 = arith.constant 0 : index
                      %c1_11 = arith.constant 1 : index
                      %c1_12 = arith.constant 1 : index
                      scf.for %arg2 = %c0_10 to %c1_11 step %c1_12 {
                        %c0_23 = arith.constant 0 : index
                        %c256_24 = arith.constant 256 : index
                        %c1_25 = arith.constant 1 : index
                        scf.for %arg3 = %c0_23 to %c256_24 step %c1_25 {
                          memref.store %c0_9, %alloc_1[%arg2, %arg3] : memref<1x256xindex>
                        }
                      }
                      %c0_13 = arith.constant 0 : index
                      %c256_14 = arith.constant 256 : index
                      %c1_15 = arith.constant 1 : index
                      scf.for %arg2 = %c0_13 to %c256_14 step %c1_15 {
                        %10 = arith.addi %2, %arg2 : index
                        %11 = memref.load %0[%10] : memref<256xi8>
                        memref.store %11, %alloc_0[%c0_9, %arg2] : memref<2x256xi8>
                        %c0_23 = arith.constant 0 : index
                        %c1_24 = arith.constant 1 : index
                        %c1_25 = arith.constant 1 : index
                        scf.for %arg3 = %c0_23 to %c1_24 step %c1_25 {
                          %c8 = arith.constant 8 : index
                          %12 = arith.muli %arg3, %c8 : index
                          %13 = arith.index_cast %12 : index to i8
                          %14 = arith.shrui %6#0, %13 : i8
                          %c-1_i8 = arith.constant -1 : i8
                          %15 = arith.andi %14, %c-1_i8 : i8
                          %16 = arith.index_castui %15 : i8 to index
                          %c0_26 = arith.constant 0 : index
                          %17 = arith.cmpi ne, %16, %c0_26 : index
                          scf.if %17 {
                            %c8_27 = arith.constant 8 : index
                            %18 = arith.muli %arg3, %c8_27 : index
                            %19 = arith.index_cast %18 : index to i8
                            %20 = arith.shrui %11, %19 : i8
                            %c-1_i8_28 = arith.constant -1 : i8
                            %21 = arith.andi %20, %c-1_i8_28 : i8
                            %22 = arith.index_castui %21 : i8 to index
                            %23 = memref.load %alloc_1[%arg3, %22] : memref<1x256xindex>
                            %c1_29 = arith.constant 1 : index
                            %24 = arith.addi %23, %c1_29 : index
                            memref.store %24, %alloc_1[%arg3, %22] : memref<1x256xindex>
                          }
                        }
                      }
                      %c0_16 = arith.constant 0 : index
                      %c1_17 = arith.constant 1 : index
                      %c0_18 = arith.constant 0 : index
                      %c1_19 = arith.constant 1 : index
                      %9 = scf.for %arg2 = %c0_16 to %c1_17 step %c1_19 iter_args(%arg3 = %c0_18) -> (index) {
                        %c8 = arith.constant 8 : index
                        %10 = arith.muli %arg2, %c8 : index
                        %11 = arith.index_cast %10 : index to i8
                        %12 = arith.shrui %6#0, %11 : i8
                        %c-1_i8 = arith.constant -1 : i8
                        %13 = arith.andi %12, %c-1_i8 : i8
                        %14 = arith.index_castui %13 : i8 to index
                        %c0_23 = arith.constant 0 : index
                        %15 = arith.cmpi ne, %14, %c0_23 : index
                        %c1_24 = arith.constant 1 : index
                        %16 = arith.xori %arg3, %c1_24 : index
                        scf.if %15 {
                          %c0_25 = arith.constant 0 : index
                          %c256_26 = arith.constant 256 : index
                          %c0_27 = arith.constant 0 : index
                          %c1_28 = arith.constant 1 : index
                          %18 = scf.for %arg4 = %c0_25 to %c256_26 step %c1_28 iter_args(%arg5 = %c0_27) -> (index) {
                            %19 = memref.load %alloc_1[%arg2, %arg4] : memref<1x256xindex>
                            memref.store %arg5, %alloc_1[%arg2, %arg4] : memref<1x256xindex>
                            %20 = arith.addi %arg5, %19 : index
                            scf.yield %20 : index
                          }
                          %c0_29 = arith.constant 0 : index
                          %c256_30 = arith.constant 256 : index
                          %c1_31 = arith.constant 1 : index
                          scf.for %arg4 = %c0_29 to %c256_30 step %c1_31 {
                            %19 = memref.load %alloc_0[%arg3, %arg4] : memref<2x256xi8>
                            %c8_32 = arith.constant 8 : index
                            %20 = arith.muli %arg2, %c8_32 : index
                            %21 = arith.index_cast %20 : index to i8
                            %22 = arith.shrui %19, %21 : i8
                            %c-1_i8_33 = arith.constant -1 : i8
                            %23 = arith.andi %22, %c-1_i8_33 : i8
                            %24 = arith.index_castui %23 : i8 to index
                            %25 = memref.load %alloc_1[%arg2, %24] : memref<1x256xindex>
                            %c1_34 = arith.constant 1 : index
                            %26 = arith.addi %25, %c1_34 : index
                            memref.store %26, %alloc_1[%arg2, %24] : memref<1x256xindex>
                            memref.store %19, %alloc_0[%16, %25] : memref<2x256xi8>
                          }
                        }
                        %17 = arith.select %15, %16, %arg3 : index
                        scf.yield %17 : index
                      }
                      %c0_20 = arith.constant 0 : index
                      %c256_21 = arith.constant 256 : index
                      %c1_22 = arith.constant 1 : index
                      scf.for %arg2 = %c0_20 to %c256_21 step %c1_22 {
                        %10 = memref.load %alloc_0[%9, %arg2] : memref<2x256xi8>
                        %11 = arith.addi %3, %arg2 : index
                        memref.store %10, %alloc[%11] : memref<256xi8>
                      }
                    }
                  }
                }
                %1 = bufferization.to_tensor %alloc restrict : memref<256xi8> to tensor<256xi8>
                return %1 : tensor<256xi8>
              }
            }
        "#]],
    );
}

#[test]
fn the_first_few_are_inserted() {
    let members = [U8, I32].map(|scalar| TensorType::new(scalar, &[16]).into());
    let result = HirType::Tuple(members.to_vec());
    let top = f(256, result, |operand| TensorOp::TopK {
        operand,
        axis: 0,
        k: 16,
    });
    check(
        &top,
        expect![[r##"
            #map = affine_map<(d0) -> (d0)>
            module {
              func.func @__neuro_mlir_f(%arg0: tensor<256xi8>) -> (tensor<16xi8>, tensor<16xi32>) {
                %0 = bufferization.to_buffer %arg0 read_only : tensor<256xi8> to memref<256xi8>
                %alloc = memref.alloc() : memref<16xi32>
                %alloc_0 = memref.alloc() : memref<16xi8>
                %alloc_1 = memref.alloc() : memref<16xindex>
                %c0 = arith.constant 0 : index
                %c1 = arith.constant 1 : index
                %c1_2 = arith.constant 1 : index
                scf.for %arg1 = %c0 to %c1 step %c1_2 {
                  %c256 = arith.constant 256 : index
                  %4 = arith.muli %arg1, %c256 : index
                  %c16 = arith.constant 16 : index
                  %5 = arith.muli %arg1, %c16 : index
                  %c0_3 = arith.constant 0 : index
                  %6 = arith.addi %4, %c0_3 : index
                  %7 = memref.load %0[%6] : memref<256xi8>
                  %c-1_i8 = arith.constant -1 : i8
                  %8 = arith.xori %7, %c-1_i8 : i8
                  memref.store %8, %alloc_0[%c0_3] : memref<16xi8>
                  memref.store %c0_3, %alloc_1[%c0_3] : memref<16xindex>
                  %c1_4 = arith.constant 1 : index
                  %c16_5 = arith.constant 16 : index
                  %c1_6 = arith.constant 1 : index
                  scf.for %arg2 = %c1_4 to %c16_5 step %c1_6 {
                    %9 = arith.addi %4, %arg2 : index
                    %10 = memref.load %0[%9] : memref<256xi8>
                    %c-1_i8_13 = arith.constant -1 : i8
                    %11 = arith.xori %10, %c-1_i8_13 : i8
                    %12 = scf.while (%arg3 = %arg2) : (index) -> index {
                      %c0_14 = arith.constant 0 : index
                      %c1_15 = arith.constant 1 : index
                      %13 = arith.cmpi ugt, %arg3, %c0_14 : index
                      %14 = arith.maxui %arg3, %c1_15 : index
                      %15 = arith.subi %14, %c1_15 : index
                      %16 = memref.load %alloc_0[%15] : memref<16xi8>
                      %17 = arith.cmpi ugt, %16, %11 : i8
                      %18 = arith.andi %13, %17 : i1
                      scf.condition(%18) %arg3 : index
                    } do {
                    ^bb0(%arg3: index):
                      %c1_14 = arith.constant 1 : index
                      %13 = arith.subi %arg3, %c1_14 : index
                      %14 = memref.load %alloc_0[%13] : memref<16xi8>
                      memref.store %14, %alloc_0[%arg3] : memref<16xi8>
                      %15 = memref.load %alloc_1[%13] : memref<16xindex>
                      memref.store %15, %alloc_1[%arg3] : memref<16xindex>
                      scf.yield %13 : index
                    }
                    memref.store %11, %alloc_0[%12] : memref<16xi8>
                    memref.store %arg2, %alloc_1[%12] : memref<16xindex>
                  }
                  %c15 = arith.constant 15 : index
                  %c16_7 = arith.constant 16 : index
                  %c256_8 = arith.constant 256 : index
                  %c1_9 = arith.constant 1 : index
                  scf.for %arg2 = %c16_7 to %c256_8 step %c1_9 {
                    %9 = arith.addi %4, %arg2 : index
                    %10 = memref.load %0[%9] : memref<256xi8>
                    %c-1_i8_13 = arith.constant -1 : i8
                    %11 = arith.xori %10, %c-1_i8_13 : i8
                    %12 = memref.load %alloc_0[%c15] : memref<16xi8>
                    %13 = arith.cmpi ult, %11, %12 : i8
                    scf.if %13 {
                      %14 = scf.while (%arg3 = %c15) : (index) -> index {
                        %c0_14 = arith.constant 0 : index
                        %c1_15 = arith.constant 1 : index
                        %15 = arith.cmpi ugt, %arg3, %c0_14 : index
                        %16 = arith.maxui %arg3, %c1_15 : index
                        %17 = arith.subi %16, %c1_15 : index
                        %18 = memref.load %alloc_0[%17] : memref<16xi8>
                        %19 = arith.cmpi ugt, %18, %11 : i8
                        %20 = arith.andi %15, %19 : i1
                        scf.condition(%20) %arg3 : index
                      } do {
                      ^bb0(%arg3: index):
                        %c1_14 = arith.constant 1 : index
                        %15 = arith.subi %arg3, %c1_14 : index
                        %16 = memref.load %alloc_0[%15] : memref<16xi8>
                        memref.store %16, %alloc_0[%arg3] : memref<16xi8>
                        %17 = memref.load %alloc_1[%15] : memref<16xindex>
                        memref.store %17, %alloc_1[%arg3] : memref<16xindex>
                        scf.yield %15 : index
                      }
                      memref.store %11, %alloc_0[%14] : memref<16xi8>
                      memref.store %arg2, %alloc_1[%14] : memref<16xindex>
                    }
                  }
                  %c0_10 = arith.constant 0 : index
                  %c16_11 = arith.constant 16 : index
                  %c1_12 = arith.constant 1 : index
                  scf.for %arg2 = %c0_10 to %c16_11 step %c1_12 {
                    %9 = memref.load %alloc_1[%arg2] : memref<16xindex>
                    %10 = arith.index_cast %9 : index to i32
                    %11 = arith.addi %5, %arg2 : index
                    memref.store %10, %alloc[%11] : memref<16xi32>
                  }
                }
                %1 = bufferization.to_tensor %alloc restrict : memref<16xi32> to tensor<16xi32>
                %2 = tensor.empty() : tensor<16xi8>
                %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%1 : tensor<16xi32>) outs(%2 : tensor<16xi8>) {
                ^bb0(%in: i32, %out: i8):
                  %4 = linalg.index 0 : index
                  %5 = arith.index_cast %in : i32 to index
                  %extracted = tensor.extract %arg0[%5] : tensor<256xi8>
                  linalg.yield %extracted : i8
                } -> tensor<16xi8>
                return %3, %1 : tensor<16xi8>, tensor<16xi32>
              }
            }
        "##]],
    );
}
