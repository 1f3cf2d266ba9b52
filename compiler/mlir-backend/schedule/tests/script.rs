//! The scripts, as text.

use expect_test::{Expect, expect};
use mlir_lowering::ContractionShape;
use mlir_schedule::{Sharing, Target, text};
use shared_types::ScalarType;

fn product([m, k, n]: [u64; 3]) -> ContractionShape {
    ContractionShape {
        number: 0,
        scalar: ScalarType::F32,
        kept: vec![m, n],
        folded: k,
        operands: vec![vec![0, 2], vec![2, 1]],
        of_arguments: true,
    }
}

fn check(shape: [u64; 3], expected: Expect) {
    // Types and their lists say nothing that the operations do not.
    let text = text(&[product(shape)], &Target::GENERIC, Sharing::None);
    let short = text.lines().map(|line| match line.find(" : (!transform") {
        Some(end) => &line[..end],
        None => line.trim_end_matches(" : !transform.any_op"),
    });
    let short = short.map(|line| line.replace("transform.", ""));
    expected.assert_eq(&(short.collect::<Vec<_>>().join("\n") + "\n"));
}

#[test]
fn in_registers_where_it_lies() {
    check(
        [64, 64, 64],
        expect![[r#"
            module attributes {with_named_sequence} {
            named_sequence @schedule(%function: !any_op) {
            %h1 = structured.match attributes {neuro.product0} in %function
            %h2, %h3, %h4 = structured.fuse %h1 tile_sizes [4, 16, 0] interchange [0, 1, 2] {apply_cleanup}
            %h5, %h6 = structured.tile_using_for %h2 tile_sizes [0, 0, 1]
            bufferization.eliminate_empty_tensors %function
            apply_patterns to %function { apply_patterns.canonicalization }
            %h7 = structured.match attributes {neuro.fill0} in %function
            structured.vectorize %h7
            %h8 = structured.match attributes {neuro.product0} in %function
            structured.vectorize %h8
            apply_patterns to %function { apply_patterns.canonicalization apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers }
            %h9 = structured.match ops{["scf.for"]} in %function
            apply_licm to %h9
            %h10 = structured.match ops{["scf.for"]} in %function
            loop.hoist_loop_invariant_subsets %h10 : !op<"scf.for">
            apply_patterns to %function { apply_patterns.canonicalization apply_patterns.vector.drop_unit_dims_with_shape_cast }
            yield
            }
            }
        "#]],
    );
}

#[test]
fn cut_at_the_edge_of_the_blocks() {
    check(
        [10, 20, 30],
        expect![[r#"
            module attributes {with_named_sequence} {
            named_sequence @schedule(%function: !any_op) {
            %h1 = structured.match attributes {neuro.product0} in %function
            %h2 = structured.split %h1 after 16 {dimension = 1}
            %h3, %h4 = split_handle %h2
            %h5 = structured.split %h3 after 8 {dimension = 0}
            %h6, %h7 = split_handle %h5
            %h8 = structured.split %h4 after 8 {dimension = 0}
            %h9, %h10 = split_handle %h8
            %h11, %h12, %h13 = structured.tile_using_for %h6 tile_sizes [4, 16, 0] interchange = [0, 1, 2]
            %h14, %h15 = structured.tile_using_for %h11 tile_sizes [0, 0, 1]
            %h16, %h17, %h18 = structured.tile_using_for %h7 tile_sizes [4, 16, 0] interchange = [0, 1, 2]
            %h19, %h20 = structured.tile_using_for %h16 tile_sizes [0, 0, 1]
            %h21, %h22, %h23 = structured.tile_using_for %h9 tile_sizes [4, 16, 0] interchange = [0, 1, 2]
            %h24, %h25 = structured.tile_using_for %h21 tile_sizes [0, 0, 1]
            %h26, %h27, %h28 = structured.tile_using_for %h10 tile_sizes [4, 16, 0] interchange = [0, 1, 2]
            %h29, %h30 = structured.tile_using_for %h26 tile_sizes [0, 0, 1]
            bufferization.eliminate_empty_tensors %function
            apply_patterns to %function { apply_patterns.canonicalization }
            %h31 = structured.match attributes {neuro.product0} in %function
            structured.vectorize %h31
            apply_patterns to %function { apply_patterns.canonicalization apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers }
            %h32 = structured.match ops{["scf.for"]} in %function
            apply_licm to %h32
            %h33 = structured.match ops{["scf.for"]} in %function
            loop.hoist_loop_invariant_subsets %h33 : !op<"scf.for">
            apply_patterns to %function { apply_patterns.canonicalization apply_patterns.vector.drop_unit_dims_with_shape_cast }
            yield
            }
            }
        "#]],
    );
}

#[test]
fn one_row() {
    check(
        [1, 4096, 4096],
        expect![[r#"
            module attributes {with_named_sequence} {
            named_sequence @schedule(%function: !any_op) {
            %h1 = structured.match attributes {neuro.product0} in %function
            %h2, %h3 = structured.tile_using_for %h1 tile_sizes [0, 0, 8]
            %h4, %h5, %h6 = structured.tile_using_for %h2 tile_sizes [1, 64, 0] interchange = [0, 1, 2]
            %h7, %h8 = structured.tile_using_for %h4 tile_sizes [0, 0, 1]
            bufferization.eliminate_empty_tensors %function
            apply_patterns to %function { apply_patterns.canonicalization }
            %h9 = structured.match attributes {neuro.product0} in %function
            structured.vectorize %h9
            apply_patterns to %function { apply_patterns.canonicalization apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers }
            %h10 = structured.match ops{["scf.for"]} in %function
            apply_licm to %h10
            %h11 = structured.match ops{["scf.for"]} in %function
            loop.hoist_loop_invariant_subsets %h11 : !op<"scf.for">
            apply_patterns to %function { apply_patterns.canonicalization apply_patterns.vector.drop_unit_dims_with_shape_cast }
            yield
            }
            }
        "#]],
    );
}

#[test]
fn packed() {
    check(
        [1000, 1000, 2000],
        expect![[r#"
            module attributes {with_named_sequence} {
            named_sequence @schedule(%function: !any_op) {
            %h1 = structured.match attributes {neuro.product0} in %function
            %h2, %h3 = structured.tile_using_for %h1 tile_sizes [0, 1024, 0]
            %h4 = param.constant 1 : i64 -> !param<i64>
            annotate %h3 "neuro.axis" = %h4 : !any_op, !param<i64>
            %h5, %h6 = structured.tile_using_for %h2 tile_sizes [0, 0, 252]
            %h7 = param.constant 2 : i64 -> !param<i64>
            annotate %h6 "neuro.axis" = %h7 : !any_op, !param<i64>
            %h8, %h9 = structured.tile_using_for %h5 tile_sizes [128, 0, 0]
            %h10 = param.constant 0 : i64 -> !param<i64>
            annotate %h9 "neuro.axis" = %h10 : !any_op, !param<i64>
            %h11 = get_parent_op %h8 {op_name = "scf.for"}
            %h12, %h13, %h14 = structured.tile_using_for %h8 tile_sizes [4, 16, 0] interchange = [1, 0, 2]
            %h15 = get_parent_op %h12 {op_name = "scf.for"}
            annotate %h15 "neuro.blocks"
            apply_patterns to %function { apply_patterns.canonicalization apply_patterns.linalg.tiling_canonicalization apply_patterns.scf.for_loop_canonicalization }
            apply_licm to %h11
            %h16, %h17, %h18 = structured.pad %h12 pad_to_multiple_of [1, 1, 4] {padding_values = [0.0 : f32, 0.0 : f32, 0.0 : f32], padding_dimensions = [0, 1, 2], nofold_flags = [1, 1, 0], copy_back_op = "none"}
            %h19 = get_producer_of_operand %h16[1]
            annotate %h19 "neuro.pack0_1"
            %h20 = cast %h19 : !any_op to !op<"tensor.pad">
            %h21 = structured.hoist_pad %h20 by 3 loops
            %h22 = get_producer_of_operand %h16[0]
            annotate %h22 "neuro.pack0_0"
            %h23 = cast %h22 : !any_op to !op<"tensor.pad">
            %h24 = structured.hoist_pad %h23 by 2 loops, transpose by [1, 0]
            %h25 = get_producer_of_operand %h16[2]
            structured.vectorize %h25 vector_sizes [4, 16]
            %h26 = structured.match attributes {neuro.pack0_0} in %function
            %h27 = get_consumers_of_result %h26[0]
            %h28, %h29 = structured.fuse %h27 tile_sizes [4, 0]
            %h30 = structured.match ops{["tensor.pad"]} in %h29
            %h31 = structured.match ops{["scf.if"]} in %h29
            scf.take_assumed_branch %h31 take_else_branch
            structured.vectorize %h30 vector_sizes [4, 4]
            structured.vectorize %h28
            %h32 = structured.match attributes {neuro.pack0_1} in %function
            %h33, %h34 = structured.tile_using_for %h32 tile_sizes [4, 0]
            %h35 = structured.match ops{["scf.if"]} in %h34
            scf.take_assumed_branch %h35 take_else_branch
            structured.vectorize %h33 vector_sizes [4, 16]
            apply_patterns to %function { apply_patterns.vector.lower_masked_transfers apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers }
            %h36 = get_producer_of_operand %h16[0]
            %h37, %h38 = structured.tile_using_for %h16 tile_sizes [0, 0, 1]
            %h39, %h40 = structured.fuse_into_containing_op %h36 into %h38
            structured.vectorize %h39
            bufferization.eliminate_empty_tensors %function
            apply_patterns to %function { apply_patterns.canonicalization }
            %h41 = structured.match attributes {neuro.product0} in %function
            structured.vectorize %h41
            apply_patterns to %function { apply_patterns.canonicalization apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers }
            %h42 = structured.match ops{["scf.for"]} in %function
            apply_licm to %h42
            %h43 = structured.match ops{["scf.for"]} in %function
            loop.hoist_loop_invariant_subsets %h43 : !op<"scf.for">
            apply_patterns to %function { apply_patterns.canonicalization apply_patterns.vector.drop_unit_dims_with_shape_cast }
            yield
            }
            }
        "#]],
    );
}

/// The tilings, and which of their loops are shared.
#[test]
fn shared_among_threads() {
    let tilings = |shape| {
        let text = text(&[product(shape)], &Target::GENERIC, Sharing::Large);
        let kept = ["tile_using_for", "get_parent_op", "neuro.shared"];
        let lines = text
            .lines()
            .filter(|line| kept.iter().any(|one| line.contains(one)));
        let lines = lines.filter_map(|line| line.split(" : ").next());
        lines
            .collect::<Vec<_>>()
            .join("\n")
            .replace("transform.", "")
            + "\n"
    };
    expect![[r#"
        %h2, %h3 = structured.tile_using_for %h1 tile_sizes [0, 0, 256]
        %h5, %h6 = structured.tile_using_for %h2 tile_sizes [128, 0, 0]
        annotate %h6 "neuro.shared"
        %h8 = get_parent_op %h5 {op_name = "scf.for"}
        %h9, %h10, %h11 = structured.tile_using_for %h5 tile_sizes [4, 16, 0] interchange = [1, 0, 2]
        %h12 = get_parent_op %h9 {op_name = "scf.for"}
        %h20 = get_parent_op %h19 {op_name = "scf.for"}
        annotate %h20 "neuro.shared"
        %h30, %h31 = structured.tile_using_for %h29 tile_sizes [8, 0]
        %h33, %h34 = structured.tile_using_for %h13 tile_sizes [0, 0, 1]
    "#]]
    .assert_eq(&tilings([1024, 1024, 1024]));
    expect![[r#"
        %h2, %h3 = structured.tile_using_for %h1 tile_sizes [0, 1024, 0]
        annotate %h3 "neuro.shared"
        %h4, %h5 = structured.tile_using_for %h2 tile_sizes [0, 0, 8]
        %h6, %h7, %h8 = structured.tile_using_for %h4 tile_sizes [1, 64, 0] interchange = [0, 1, 2]
        %h9, %h10 = structured.tile_using_for %h6 tile_sizes [0, 0, 1]
    "#]]
    .assert_eq(&tilings([1, 4096, 4096]));
    expect![[r#"
        %h5, %h6 = structured.tile_using_for %h3 tile_sizes [64, 0, 0]
        annotate %h6 "neuro.shared"
    "#]]
    .assert_eq(&tilings([4099, 4096, 1]));
}
