//! GPU bodies: which functions have one, what it takes, and what it does around its launches
//! (backend specification, §GPU kernels). Their bits are tested where they run.

#[path = "support/gpu.rs"]
mod support;

use ast_types::BinaryOp::{Add, Div, Rem};
use ast_types::UnaryOp;
use mlir_backend::internal::{self, Failures, Form, GpuOptions, Vendor};
use mlir_backend::{GpuTarget, MlirError, NotLowered, lower_for_gpu, lower_for_link};
use neuro_hir::build::{FunctionBuilder, binary, element, expr, integer, math, program, reduce};
use neuro_hir::{
    FunctionTarget, GridIndex, HirExpr, HirExprKind, HirFunction, HirProgram, HirStatementKind,
    HirType, MathFunction, Reduction, TensorType, Tier,
};
use shared_types::{FileId, Literal, ScalarType, Span};

use support::options;

const FOLLOWS: FunctionTarget = FunctionTarget::FollowsOperands;
const ONLY: FunctionTarget = FunctionTarget::Gpu { fallback: false };
const EITHER: FunctionTarget = FunctionTarget::Gpu { fallback: true };

fn nvidia() -> GpuTarget {
    let chip = "sm_90".to_string();
    GpuTarget::Nvidia { chip }
}

/// A function of two tensors of a type.
fn function(
    name: &str,
    target: FunctionTarget,
    ty: &TensorType,
    body: impl FnOnce(HirExpr, HirExpr) -> HirExpr,
) -> HirFunction {
    let mut function = FunctionBuilder::new(name, target);
    let a = function.parameter("a", ty.clone());
    let b = function.parameter("b", ty.clone());
    function.finish(Some(body(a, b)))
}

fn sum(name: &str, target: FunctionTarget, ty: &TensorType) -> HirFunction {
    function(name, target, ty, |a, b| binary(Add, a, b))
}

fn floats(extents: &[u64]) -> TensorType {
    TensorType::new(ScalarType::F32, extents)
}

fn wrapping(functions: impl IntoIterator<Item = HirFunction>) -> HirProgram {
    program(Tier::Wrapping, functions)
}

/// The parameters of a definition, without their attributes.
fn signature(llvm_ir: &str, symbol: &str) -> Vec<String> {
    let start = format!("@{symbol}(");
    let mut lines = llvm_ir.lines().filter(|line| line.starts_with("define"));
    let line = lines.find(|line| line.contains(&start)).unwrap();
    let parameters = line.split_once(&start).unwrap().1;
    let parameters = parameters.split_once(')').unwrap().0.split(", ");
    parameters
        .map(|parameter| parameter.split(' ').next().unwrap().to_string())
        .collect()
}

#[test]
fn each_target_takes_its_path() {
    let ty = floats(&[4]);
    let program = wrapping([
        sum("on_host", FunctionTarget::HostOperation, &ty),
        sum("only", ONLY, &ty),
        sum("either", EITHER, &ty),
        sum("follows", FOLLOWS, &ty),
    ]);
    let bodies = lower_for_gpu(&program, &nvidia()).unwrap().bodies;
    let names: Vec<(&str, &str)> = bodies
        .iter()
        .map(|body| (body.function.as_str(), body.symbol.as_str()))
        .collect();
    let expected = [
        ("only", "__neuro_gpu_only"),
        ("either", "__neuro_gpu_either"),
        ("follows", "__neuro_gpu_follows"),
    ];
    assert_eq!(names, expected);
}

#[test]
fn a_symbol_takes_what_the_host_body_takes() {
    let integers = TensorType::new(ScalarType::I32, &[3, 4]);
    let quotient = function("quotient", EITHER, &integers, |a, b| binary(Div, a, b));
    let program = program(
        Tier::Checked,
        [sum("plain", EITHER, &floats(&[5])), quotient],
    );
    let host = lower_for_link(&program).unwrap();
    for target in [
        nvidia(),
        GpuTarget::Amd {
            chip: "gfx942".into(),
        },
    ] {
        let gpu = lower_for_gpu(&program, &target).unwrap();
        for (on_host, on_gpu) in host.bodies.iter().zip(&gpu.bodies) {
            assert_eq!(on_host.parameters, on_gpu.parameters);
            assert_eq!(on_host.checks, on_gpu.checks);
            assert_eq!(
                signature(&host.llvm_ir, &on_host.symbol),
                signature(&gpu.llvm_ir, &on_gpu.symbol)
            );
        }
    }
}

#[test]
fn launches_share_a_stream_and_a_wait() {
    let ty = floats(&[64, 64]);
    let chain = function("chain", ONLY, &ty, |a, b| {
        let product = binary(ast_types::BinaryOp::MatMul, a, b.clone());
        binary(
            Add,
            binary(ast_types::BinaryOp::MatMul, product, b.clone()),
            b,
        )
    });
    for vendor in [Vendor::Nvidia, Vendor::Amd] {
        let options = options(vendor, Form::Bitcode);
        let linked = internal::link_gpu(&wrapping([chain.clone()]), &options).unwrap();
        let body = linked
            .llvm_ir
            .split("define void @__neuro_gpu_chain(")
            .nth(1)
            .unwrap();
        let body = body.split("\n}").next().unwrap();
        let calls = |name: &str| body.matches(&format!("@{name}(")).count();
        assert_eq!(calls("mgpuLaunchKernel"), 3);
        for name in [
            "mgpuStreamCreate",
            "mgpuStreamSynchronize",
            "mgpuStreamDestroy",
        ] {
            assert_eq!(calls(name), 1, "{name}");
        }
        let allocated = calls("_mlir_memref_to_llvm_alloc");
        assert_eq!(allocated, calls("_mlir_memref_to_llvm_free"));
        assert_eq!(allocated, 2);
        let position = |name: &str| body.find(name).unwrap();
        assert!(position("_alloc(") < position("mgpuStreamCreate"));
        assert!(position("mgpuStreamSynchronize") < position("_free("));
        assert_eq!(calls("malloc") + calls("free"), 0);
    }
}

fn not_lowered(error: MlirError) -> Vec<NotLowered> {
    match error {
        MlirError::GpuBodiesNotLowered(list) | MlirError::KernelBodiesNotLowered(list) => list,
        error => panic!("{error}"),
    }
}

#[test]
fn only_a_gpu_body_must_lower() {
    let half = TensorType::new(ScalarType::F16, &[4]);
    let span = Span::new(FileId(0), 3, 7);
    let exponential = |name: &str, target| {
        function(name, target, &floats(&[4]), |a, _| {
            let mut call = math(MathFunction::Exp, a);
            call.span = span;
            call
        })
    };
    let remainder =
        |name: &str, target| function(name, target, &floats(&[4]), |a, b| binary(Rem, a, b));
    let rank_0 = |name: &str, target| {
        function(name, target, &floats(&[4]), |a, b| {
            binary(
                Add,
                reduce(Reduction::Sum, a, None),
                reduce(Reduction::Sum, b, None),
            )
        })
    };
    let all = |target: FunctionTarget| {
        wrapping([
            sum("half", target.clone(), &half),
            exponential("exponential", target.clone()),
            sum("taken", target.clone(), &floats(&[4])),
            remainder("remainder", target.clone()),
            rank_0("rank_0", target),
        ])
    };
    for vendor in [Vendor::Nvidia, Vendor::Amd] {
        let options = options(vendor, Form::Bitcode);
        let linked = internal::link_gpu(&all(FOLLOWS), &options).unwrap();
        let taken: Vec<&str> = linked.bodies.iter().map(|body| &*body.function).collect();
        assert_eq!(taken, ["taken", "rank_0"]);
        let refused: Vec<&str> = linked
            .refused
            .iter()
            .map(|refusal| &*refusal.function.name)
            .collect();
        assert_eq!(refused, ["half", "exponential", "remainder"]);
        for target in [ONLY, EITHER] {
            let list = not_lowered(internal::link_gpu(&all(target), &options).err().unwrap());
            let names: Vec<&str> = list.iter().map(|function| &*function.name).collect();
            assert_eq!(names, ["half", "exponential", "remainder", "rank_0"]);
            assert_eq!(list[1].span, span);
            assert!(list[0].reason.contains("half precision"), "{list:?}");
            assert!(list[1].reason.contains("mathematics"), "{list:?}");
            assert!(list[3].reason.contains("rank 0"), "{list:?}");
        }
    }
}

/// A kernel that writes a function of an element to it, at an index that may be out of range.
fn kernel(name: &str, written: impl FnOnce(HirExpr) -> HirExpr) -> HirFunction {
    let target = FunctionTarget::Kernel { threads: vec![64] };
    let mut kernel = FunctionBuilder::new(name, target);
    let out = HirType::reference(true, floats(&[100]).into());
    let out = kernel.parameter("out", out);
    let of = GridIndex::Thread;
    let at = expr(HirExprKind::GridIndex { of, axis: 0 }, ScalarType::I64);
    let place = element(out, [at]);
    let value = written(place.clone());
    kernel.push(HirStatementKind::Assign { place, value });
    kernel.finish(None)
}

#[test]
fn a_kernel_takes_its_parameters_alone() {
    let kernel = kernel("k", |x| binary(Add, x.clone(), x));
    let sum = sum("f", ONLY, &floats(&[4]));
    let program = wrapping([kernel, sum]);
    for target in [
        nvidia(),
        GpuTarget::Amd {
            chip: "gfx942".into(),
        },
    ] {
        let linked = lower_for_gpu(&program, &target).unwrap();
        let names: Vec<&str> = linked.bodies.iter().map(|body| &*body.function).collect();
        assert_eq!(names, ["k", "f"]);
        assert_eq!(linked.bodies[0].symbol, "__neuro_gpu_k");
        assert_eq!(linked.bodies[0].parameters.len(), 1);
        assert_eq!(linked.bodies[0].checks, []);
        let parameters = signature(&linked.llvm_ir, "__neuro_gpu_k");
        assert_eq!(parameters, ["ptr", "ptr", "i64", "i64", "i64"]);
        assert_eq!(
            linked.llvm_ir.matches("_binary\" = ").count()
                + linked.llvm_ir.matches("_binary = ").count(),
            1
        );
    }
}

/// A thread that fails stops: on NVIDIA by a call of the driver's, on AMD by a trap.
#[test]
fn a_failed_check_stops_a_thread_of_a_kernel() {
    for (vendor, stops) in [(Vendor::Nvidia, "__assertfail"), (Vendor::Amd, "s_trap 2")] {
        let options = options(vendor, Form::Assembly);
        let linked = internal::link_gpu(&wrapping([kernel("k", |x| x)]), &options).unwrap();
        let text = String::from_utf8_lossy(&linked.binary).into_owned();
        assert!(text.contains(stops), "{text}");
    }
}

#[test]
fn a_kernel_without_its_mathematics_is_refused() {
    let span = Span::new(FileId(0), 3, 7);
    let exponential = |x| {
        let mut call = math(MathFunction::Exp, x);
        call.span = span;
        call
    };
    let root = |x| math(MathFunction::Sqrt, math(MathFunction::Abs, x));
    for vendor in [Vendor::Nvidia, Vendor::Amd] {
        let program = wrapping([kernel("root", root), kernel("exponential", exponential)]);
        let options = options(vendor, Form::Bitcode);
        let list = not_lowered(internal::link_gpu(&program, &options).err().unwrap());
        assert_eq!(list.len(), 1);
        assert_eq!((&*list[0].name, list[0].span), ("exponential", span));
        let linked = internal::link_gpu(&wrapping([kernel("root", root)]), &options).unwrap();
        let text = internal::bitcode_text(&linked.binary).unwrap();
        assert!(text.contains("@llvm.sqrt.f32("), "{text}");
    }
}

/// What the verifier of the HIR would not let through ends in an error, not in a crash.
#[test]
fn an_ill_formed_kernel_is_refused() {
    let local = |id| neuro_hir::build::local(neuro_hir::LocalId(id), ScalarType::F32);
    let mixed = |x| binary(Add, x, integer(1, ScalarType::I32));
    let of_a_bool = |x| {
        binary(
            Add,
            x,
            expr(HirExprKind::Literal(Literal::Bool(true)), ScalarType::F32),
        )
    };
    let mut leaves = kernel("leaves", |x| x);
    leaves.body.statements[0].kind = HirStatementKind::Break;
    let mut blocks = kernel("blocks", |x| x);
    blocks.target = FunctionTarget::Kernel { threads: vec![0] };
    let mut huge = kernel("huge", |x| x);
    huge.locals[0].ty = HirType::reference(true, floats(&[1 << 62, 8]).into());
    let kernels = [
        kernel("missing", |_| local(9)),
        kernel("mixed", mixed),
        kernel("literal", of_a_bool),
        kernel("negated", |x| neuro_hir::build::unary(UnaryOp::Not, x)),
        leaves,
        blocks,
        huge,
    ];
    for kernel in kernels {
        let name = kernel.name.clone();
        for failures in [Failures::Stop, Failures::Report] {
            let options = GpuOptions {
                failures,
                ..options(Vendor::Amd, Form::Bitcode)
            };
            let list = internal::link_gpu(&wrapping([kernel.clone()]), &options);
            let list = not_lowered(list.err().unwrap());
            assert_eq!(list[0].name, name);
        }
    }
}

#[test]
fn an_unknown_chip_is_refused() {
    let ty = floats(&[4]);
    for target in [
        GpuTarget::Nvidia {
            chip: "sm_91".into(),
        },
        GpuTarget::Amd {
            chip: "gfx942},canonicalize{".into(),
        },
    ] {
        let error = lower_for_gpu(&wrapping([sum("f", ONLY, &ty)]), &target).unwrap_err();
        assert!(matches!(error, MlirError::InvalidGpuChip { .. }), "{error}");
    }
}

#[test]
fn a_program_without_gpu_bodies_links_to_nothing() {
    let program = wrapping([sum("f", FunctionTarget::HostOperation, &floats(&[4]))]);
    let linked = lower_for_gpu(&program, &nvidia()).unwrap();
    assert_eq!(linked, mlir_backend::LinkableBodies::default());
}

#[test]
fn a_grid_is_never_longer_than_the_device_takes() {
    let extents: [&[u64]; 4] = [
        &[1 << 40],
        &[3, 1 << 40],
        &[1 << 21, 1 << 21],
        &[70_000, 70_000, 70_000],
    ];
    for (vendor, most) in [(Vendor::Nvidia, i32::MAX as u64), (Vendor::Amd, 8_388_607)] {
        for extents in extents {
            let program = wrapping([sum("f", ONLY, &floats(extents))]);
            let mlir = internal::gpu_mlir(&program, &options(vendor, Form::Bitcode)).unwrap();
            let grid = mlir.split("known_grid_size = array<i32: ").nth(1).unwrap();
            let grid = grid.split('>').next().unwrap().split(", ");
            let grid: Vec<u64> = grid.map(|blocks| blocks.parse().unwrap()).collect();
            let most = [most, 65_535, 65_535];
            assert!(
                grid.iter().zip(most).all(|(&blocks, most)| blocks <= most),
                "{grid:?}"
            );
        }
    }
}

#[test]
fn a_kernel_with_too_many_operands_is_refused() {
    let mut function = FunctionBuilder::new("many", FOLLOWS);
    let ty = floats(&[2, 3, 4]);
    let mut operands = (0..60).map(|number| function.parameter(format!("p{number}"), ty.clone()));
    let first = operands.next().unwrap();
    let operands: Vec<HirExpr> = operands.collect();
    let sum = operands
        .into_iter()
        .fold(first, |sum, operand| binary(Add, sum, operand));
    let program = wrapping([function.finish(Some(sum))]);
    let linked = internal::link_gpu(&program, &options(Vendor::Nvidia, Form::Bitcode)).unwrap();
    assert!(linked.bodies.is_empty() && linked.llvm_ir.is_empty());
    let reason = &linked.refused[0].function.reason;
    assert!(reason.contains("4096 bytes"), "{reason}");
}

#[test]
fn an_emulated_nvidia_links_its_own_mathematics() {
    let ty = floats(&[4]);
    let power = function("power", ONLY, &ty, |a, b| {
        binary(
            Rem,
            neuro_hir::build::pow(math(MathFunction::Exp, a), b.clone()),
            b,
        )
    });
    let options = GpuOptions {
        math: Some(true),
        ..options(Vendor::Nvidia, Form::Bitcode)
    };
    let linked = internal::link_gpu(&wrapping([power]), &options).unwrap();
    let text = internal::bitcode_text(&linked.binary).unwrap();
    for name in ["__nv_expf", "__nv_powf", "__nv_fmodf"] {
        assert!(text.contains(&format!("declare float @{name}(")), "{text}");
    }
}

/// An accumulator stays in a register through the loops of a fold, and is one element of the
/// result's buffer around them.
#[test]
fn a_fold_touches_its_result_once() {
    let ty = floats(&[4, 4]);
    let product = function("product", ONLY, &ty, |a, b| {
        binary(ast_types::BinaryOp::MatMul, a, b)
    });
    let options = options(Vendor::Amd, Form::Bitcode);
    let mlir = internal::gpu_mlir(&wrapping([product]), &options).unwrap();
    let contraction = mlir
        .split("gpu.func @__neuro_gpu_product_1(")
        .nth(1)
        .unwrap();
    let contraction = contraction.split("gpu.return").next().unwrap();
    let (before, fold) = contraction.split_once("scf.for").unwrap();
    assert_eq!(before.matches("memref.load").count(), 1);
    let (fold, after) = fold.split_once("scf.yield").unwrap();
    assert_eq!(fold.matches("memref.load").count(), 2);
    assert_eq!(fold.matches("memref.store").count(), 0);
    assert_eq!(after.matches("memref.store").count(), 1);
}

/// The PTX of a product of two tensors of a type, which is one kernel.
fn product_ptx(ty: &TensorType) -> String {
    let product = function("product", ONLY, ty, |a, b| {
        binary(ast_types::BinaryOp::MatMul, a, b)
    });
    let options = options(Vendor::Nvidia, Form::Assembly);
    let linked = internal::link_gpu(&wrapping([product]), &options).unwrap();
    let ptx = String::from_utf8(linked.binary).unwrap();
    assert_eq!(ptx.matches(".entry").count(), 1);
    assert_eq!(ptx.matches(".local").count(), 0);
    ptx
}

/// A block's sums stay in registers from the fill's value to the one write of each.
#[test]
fn a_block_of_a_product_is_written_once() {
    let ptx = product_ptx(&floats(&[16, 16]));
    let count = |name: &str| ptx.matches(name).count();
    // A step takes 4 elements of the first operand and a vector of the second.
    let steps = count("mul.rn.f32") / 16;
    assert!(steps > 0);
    assert_eq!(count("mul.rn.f32"), 16 * steps);
    assert_eq!(count("add.rn.f32"), 16 * steps);
    assert_eq!(count("ld.global.v4.b32"), steps);
    assert_eq!(count("ld.global.b32"), 4 * steps);
    assert_eq!(count("st.global.v4.b32"), 4);
}

/// A tile's products read shared memory alone, a vector of either operand for 16 of them; what the
/// next tile needs is read and written by vectors, and waited for once.
#[test]
fn a_tile_of_a_product_reads_shared_memory() {
    let ptx = product_ptx(&floats(&[2048, 2048]));
    let count = |name: &str| ptx.matches(name).count();
    // One position of the contracted axis is a step of the loop.
    let elements = 8 * 8;
    assert_eq!(count("mul.rn.f32"), elements);
    assert_eq!(count("add.rn.f32"), elements);
    assert_eq!(count("ld.shared.v4.b32"), 4);
    assert_eq!(count("ld.shared."), 4);
    assert_eq!(count("bar.sync"), 1);
    // Of the first tile, and of each one's next.
    assert_eq!(count("ld.global.v4.b32"), 2 * 2);
    assert_eq!(count("ld.global."), 2 * 2);
    // The first operand's elements are transposed.
    assert_eq!(count("st.shared.b32"), 4);
    assert_eq!(count("st.shared.v4.b32"), 1);
    assert_eq!(count("st.global.v4.b32"), elements / 4);
    assert_eq!(count("st.global."), elements / 4);
}
