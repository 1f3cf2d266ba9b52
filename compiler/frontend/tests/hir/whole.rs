//! Functions that are operations as they stand, and where they run.

use expect_test::expect;

use crate::support::compile_text;
use crate::{lowers, lowers_for};

#[test]
fn a_function_that_is_a_run_is_itself() {
    lowers(
        "const SCALE: f32 = 0.5
        func dense(x: &Tensor<f32, [8, 4]>, w: &Tensor<f32, [4, 2]>, b: Tensor<f32, [2]>) -> Tensor<f32, [8, 2]> {
            val z = x @ w + b
            z.tanh()
        }
        func scaled(x: &Tensor<f32, [4]>, s: f32) -> Tensor<f32, [4]> {
            val m = x.mean()
            return (x - m) * s * SCALE * 2.0
        }
        func top(x: &Tensor<f32, [4]>) -> (Tensor<f32, [2]>, Tensor<i32, [2]>) { x.topk(k: 2) }
        func not_one(x: &Tensor<f32, [4]>, s: f32) -> Tensor<f32, [4]> { x * (s + 1.0) }
        func scalar(x: &Tensor<f32, [4]>) -> f32 { x.sum() }
        func unchanged(x: Tensor<f32, [4]>) -> Tensor<f32, [4]> { x }
        func makes(x: &Tensor<f32, [4]>) -> Tensor<f32, [4]> { x + Tensor::ones() }
        func prints(x: &Tensor<f32, [4]>) -> Tensor<f32, [4]> {
            print(\"here\")
            x + x
        }",
        expect![[r#"
            tier checked

            const SCALE: f32 = 0.5f32

            @operation
            func dense(x: &Tensor<f32, [8, 4]>, w: &Tensor<f32, [4, 2]>, b: Tensor<f32, [2]>) -> Tensor<f32, [8, 2]> {
                val z: Tensor<f32, [8, 2]> = (x @ w) + b
                (&z).tanh()
            }

            @operation
            func scaled(x: &Tensor<f32, [4]>, s: f32) -> Tensor<f32, [4]> {
                val m: Tensor<f32, []> = x.mean()
                return (((x - m) * s) * 0.5f32) * 2.0f32
            }

            @operation
            func top(x: &Tensor<f32, [4]>) -> (Tensor<f32, [2]>, Tensor<i32, [2]>) {
                x.topk(k: 2, axis: 0)
            }

            @operation
            func not_one__op0(x: &Tensor<f32, [4]>, arg1: f32) -> Tensor<f32, [4]> {
                x * arg1
            }

            func not_one(x: &Tensor<f32, [4]>, s: f32) -> Tensor<f32, [4]> {
                not_one__op0(x, s + 1.0f32)
            }

            @operation
            func scalar__op0(x: &Tensor<f32, [4]>) -> Tensor<f32, []> {
                x.sum()
            }

            func scalar(x: &Tensor<f32, [4]>) -> f32 {
                scalar__op0(x)[]
            }

            func unchanged(x: Tensor<f32, [4]>) -> Tensor<f32, [4]> {
                x
            }

            @operation
            func makes__op0(x: &Tensor<f32, [4]>, arg1: Tensor<f32, [4]>) -> Tensor<f32, [4]> {
                x + arg1
            }

            func makes(x: &Tensor<f32, [4]>) -> Tensor<f32, [4]> {
                makes__op0(x, Tensor<f32, [4]>::ones())
            }

            @operation
            func prints__op0(x: &Tensor<f32, [4]>) -> Tensor<f32, [4]> {
                x + x
            }

            func prints(x: &Tensor<f32, [4]>) -> Tensor<f32, [4]> {
                print("here");
                prints__op0(x)
            }
        "#]],
    );
}

#[test]
fn device_programs_follow_their_operands() {
    let program = "@gpu(fallback: true)
        func blend(a: &Tensor<f32, [3]>, b: &Tensor<f32, [3]>) -> Tensor<f32, [3]> {
            val m = a.max()
            (a * b + a) / m
        }
        @kernel(threads: [8])
        func double(a: &Tensor<f32, [3]>, out: &mut Tensor<f32, [3]>) {
            val i = thread_id.x
            if i < 3 { out[i] = a[i] * 2.0 + block_id.z as f32 }
        }
        func main() {
            val a = Tensor::<f32, [3]>::ones()
            mut out = Tensor::<f32, [3]>::zeros()
            double(&a, &mut out)
            print(blend(&a, &out) + a)
        }";
    lowers_for(
        program,
        true,
        expect![[r#"
        tier checked

        @gpu(fallback: true)
        func blend(a: &Tensor<f32, [3]>, b: &Tensor<f32, [3]>) -> Tensor<f32, [3]> {
            val m: Tensor<f32, []> = a.max()
            ((a * b) + a) / m
        }

        @kernel(threads: [8])
        func double(a: &Tensor<f32, [3]>, out: &mut Tensor<f32, [3]>) {
            val i: i64 = thread_id.x
            if i < 3i64 {
                out[i] = (a[i] * 2.0f32) + (block_id.z as f32)
            };
        }

        @operation(follows: operands)
        func main__op0(arg0: Tensor<f32, [3]>, a: Tensor<f32, [3]>) -> Tensor<f32, [3]> {
            arg0 + a
        }

        func main() {
            val a: Tensor<f32, [3]> = Tensor<f32, [3]>::ones()
            mut out: Tensor<f32, [3]> = Tensor<f32, [3]>::zeros()
            double(&a, &mut out);
            print(main__op0(blend(&a, &out), a));
        }
    "#]],
    );
    let moved = program.replace(
        "print(",
        "val b = a.to(Device::GPU(0))\n print(b.to(Device::CPU), ",
    );
    let (_, compiled) = compile_text(&moved.replace("+ a)", "+ &a)"), false);
    let text = compiled.expect("it compiles").to_string();
    assert!(text.contains("@operation(follows: operands)"), "{text}");
}

/// The target's own function: the name that it is written under.
#[test]
fn an_assignment_of_a_parameter_closes_a_run() {
    lowers(
        "const LESS: f32 = 0.5
        func add(w: &mut Tensor<f32, [4]>, g: &Tensor<f32, [4]>) { w += g }
        func halve(w: &mut Tensor<f32, [4]>) { w *= LESS }
        func center(w: &mut Tensor<f32, [4]>, g: &Tensor<f32, [4]>) {
            val m = g * 2.0
            w -= (m + g).mean()
        }
        func not_last(w: &mut Tensor<f32, [4]>) {
            w *= 2.0
            w *= 3.0
        }
        func computed(w: &mut Tensor<f32, [4]>, s: f32) { w *= s + 1.0 }",
        expect![[r#"
            tier checked

            const LESS: f32 = 0.5f32

            @operation
            func add(w: &mut Tensor<f32, [4]>, g: &Tensor<f32, [4]>) {
                w += g
            }

            @operation
            func halve(w: &mut Tensor<f32, [4]>) {
                w *= 0.5f32
            }

            @operation
            func center(w: &mut Tensor<f32, [4]>, g: &Tensor<f32, [4]>) {
                val m: Tensor<f32, [4]> = g * 2.0f32
                w -= (m + g).mean()
            }

            @operation
            func not_last__op0(arg0: f32, w: &mut Tensor<f32, [4]>) {
                w *= arg0
            }

            @operation
            func not_last__op1(arg0: f32, w: &mut Tensor<f32, [4]>) {
                w *= arg0
            }

            func not_last(w: &mut Tensor<f32, [4]>) {
                not_last__op0(2.0f32, w);
                not_last__op1(3.0f32, w);
            }

            @operation
            func computed__op0(arg0: f32, w: &mut Tensor<f32, [4]>) {
                w *= arg0
            }

            func computed(w: &mut Tensor<f32, [4]>, s: f32) {
                computed__op0(s + 1.0f32, w);
            }
        "#]],
    );
}

/// Without a device, what is more than a body to link holds is host code.
#[test]
fn a_fallback_with_scalar_code_goes_by_its_operations() {
    let program = "@gpu(fallback: true)
        func scaled(a: &Tensor<f32, [4]>, n: i32) -> Tensor<f32, [4]> { a * (n as f32) + a }
        @gpu(fallback: true)
        func made(a: &Tensor<f32, [4]>) -> (Tensor<f32, [4]>, Tensor<f32, [4]>) {
            val ones = Tensor::<f32, [4]>::ones()
            ((&ones + a) / a.sum(), ones)
        }
        @gpu(fallback: true)
        func copied(a: &Tensor<f32, [4]>) -> Tensor<f32, [4]> { a.clone() }
        @gpu
        func only(a: &Tensor<f32, [4]>, n: i32) -> Tensor<f32, [4]> { a * (n as f32) }";
    let position = "@gpu(fallback: true)
        func row(a: &Tensor<f32, [4, 4]>, at: i64) -> Tensor<f32, [4]> { a[at, ..] }";
    lowers(
        program,
        expect![[r#"
        tier checked

        @operation
        func scaled__op0(a: &Tensor<f32, [4]>, arg1: f32) -> Tensor<f32, [4]> {
            (a * arg1) + a
        }

        func scaled(a: &Tensor<f32, [4]>, n: i32) -> Tensor<f32, [4]> {
            scaled__op0(a, n as f32)
        }

        @gpu(fallback: true)
        func made(a: &Tensor<f32, [4]>) -> (Tensor<f32, [4]>, Tensor<f32, [4]>) {
            val ones: Tensor<f32, [4]> = Tensor<f32, [4]>::ones()
            (((&ones) + a) / a.sum()[], ones)
        }

        func copied(a: &Tensor<f32, [4]>) -> Tensor<f32, [4]> {
            a.clone()
        }

        @gpu
        func only(a: &Tensor<f32, [4]>, n: i32) -> Tensor<f32, [4]> {
            a * (n as f32)
        }
    "#]],
    );
    let (_, compiled) = compile_text(program, true);
    let text = compiled.unwrap().to_string();
    assert!(!text.contains("__op"), "{text}");
    // No body checks a position, on a device neither.
    for on_device in [false, true] {
        let (_, compiled) = compile_text(position, on_device);
        let text = compiled.unwrap().to_string();
        assert!(text.contains("row__op0(a, checked(at"), "{text}");
    }
}
