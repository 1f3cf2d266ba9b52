//! What programs become.

mod support;

use expect_test::{Expect, expect};
use support::compile_text;

#[track_caller]
fn lowers(text: &str, expected: Expect) {
    lowers_for(text, false, expected);
}

#[track_caller]
fn lowers_for(text: &str, on_device: bool, expected: Expect) {
    let (sources, compiled) = compile_text(text, on_device);
    let program = match compiled {
        Ok(program) => program.to_string(),
        Err(faults) => {
            let rendered: String = faults.iter().map(|fault| fault.render(&sources)).collect();
            panic!("{rendered}");
        }
    };
    expected.assert_eq(&program);
}

#[test]
fn numbers_take_their_type_from_the_context() {
    lowers(
        "func f(x: f32, n: u8) -> f64 {
            val a = 1
            val b = 2.5
            val c: i64 = -3
            val d = x * 2 + 1
            val e = 255 - n
            val g: f16 = 0.1
            val h = if n == 3 { 0.0 } else { x }
            mut i = 7bf16
            i += 1
            val j = -128i8
            val k = 3 / 2.0
            val l: (u16, f32) = (1, 2)
            b + 1 as f64 + k
        }",
        expect![[r#"
            tier checked

            func f(x: f32, n: u8) -> f64 {
                val a: i32 = 1i32
                val b: f64 = 2.5f64
                val c: i64 = -3i64
                val d: f32 = (x * 2.0f32) + 1.0f32
                val e: u8 = 255u8 - n
                val g: f16 = 0.0999755859375f16
                val h: f32 = if n == 3u8 {
                    0.0f32
                } else {
                    x
                }
                mut i: bf16 = 7.0bf16
                i += 1.0bf16
                val j: i8 = -128i8
                val k: f64 = 3.0f64 / 2.0f64
                val l: (u16, f32) = (1u16, 2.0f32)
                (b + (1i32 as f64)) + k
            }
        "#]],
    );
}

#[test]
fn control_flow_stays_as_it_is() {
    lowers(
        "func f(n: i32) -> i32 {
            mut total = 0
            for k in 0..=n {
                if k % 2 == 0 { continue } elif k > 100 || !(k < 50) { break } else { total += k }
            }
            loop {
                total -= 1
                if total < 0 { return total }
            }
        }
        func fact(n: u64) -> u64 { if n == 0 { 1 } else { n * fact(n - 1) } }
        func greet(c: char) { print(\"hi\\n\", c, c as u32, true as i8) }",
        expect![[r#"
            tier checked

            func f(n: i32) -> i32 {
                mut total: i32 = 0i32
                for k: i32 in 0i32..=n {
                    if (k % 2i32) == 0i32 {
                        continue
                    } else {
                        if (k > 100i32) || (!(k < 50i32)) {
                            break
                        } else {
                            total += k
                        }
                    };
                }
                loop {
                    total -= 1i32
                    if total < 0i32 {
                        return total
                    };
                }
            }

            func fact(n: u64) -> u64 {
                if n == 0u64 {
                    1u64
                } else {
                    n * fact(n - 1u64)
                }
            }

            func greet(c: char) {
                print("hi\n", c, c as u32, true as i8);
            }
        "#]],
    );
}

#[test]
fn an_expression_of_tensor_operations_is_one_function() {
    lowers(
        "type T = Tensor<f32, [2, 3]>
        func main() {
            val a: T = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
            val b = T::ones()
            val c = &a + &b
            val d = -c * 2.0
            print(d.sum())
            print(d.sum(axis: -1).max(), (&a @ b.t())[0, 1])
        }",
        expect![[r#"
            tier checked

            @operation
            func main__op0(a: &Tensor<f32, [2, 3]>, b: &Tensor<f32, [2, 3]>, arg2: f32) -> Tensor<f32, [2, 3]> {
                val c: Tensor<f32, [2, 3]> = a + b
                (-c) * arg2
            }

            @operation
            func main__op1(d: &Tensor<f32, [2, 3]>) -> Tensor<f32, []> {
                d.sum()
            }

            @operation
            func main__op2(d: &Tensor<f32, [2, 3]>) -> Tensor<f32, []> {
                d.sum(axis: 1).max()
            }

            @operation
            func main__op3(a: &Tensor<f32, [2, 3]>, b: &Tensor<f32, [2, 3]>) -> Tensor<f32, [2, 2]> {
                a @ b.permute([1, 0])
            }

            func main() {
                val a: Tensor<f32, [2, 3]> = Tensor<f32, [2, 3]>::from([1.0f32, 2.0f32, 3.0f32, 4.0f32, 5.0f32, 6.0f32])
                val b: Tensor<f32, [2, 3]> = Tensor<f32, [2, 3]>::ones()
                val d: Tensor<f32, [2, 3]> = main__op0(&a, &b, 2.0f32)
                print(main__op1(&d)[]);
                print(main__op2(&d)[], main__op3(&a, &b)[0i32, 1i32]);
            }
        "#]],
    );
}

#[test]
fn bindings_go_along_only_where_nothing_else_reads_them() {
    lowers(
        "type T = Tensor<f32, [4]>
        func pass(t: &T) -> T { t.clone() }
        func f(a: &T, b: &T, c: bool) -> T {
            val both = a + b
            val once = a * 2.0
            val later = once - b
            print(both)
            val m = a.mean()
            val centred = a - m
            val shared = a / b
            if c { print(shared.sum()) }
            val passed = a % b
            val low = a.min()
            val raised = a - low
            print((raised * low).sum())
            pass(&passed) + &both + centred + later + passed
        }",
        expect![[r#"
            tier checked

            func pass(t: &Tensor<f32, [4]>) -> Tensor<f32, [4]> {
                t.clone()
            }

            @operation
            func f__op0(a: &Tensor<f32, [4]>, b: &Tensor<f32, [4]>) -> Tensor<f32, [4]> {
                a + b
            }

            @operation
            func f__op1(a: &Tensor<f32, [4]>, arg1: f32, b: &Tensor<f32, [4]>) -> Tensor<f32, [4]> {
                val once: Tensor<f32, [4]> = a * arg1
                once - b
            }

            @operation
            func f__op2(a: &Tensor<f32, [4]>) -> Tensor<f32, [4]> {
                val m: Tensor<f32, []> = a.mean()
                a - m
            }

            @operation
            func f__op3(a: &Tensor<f32, [4]>, b: &Tensor<f32, [4]>) -> Tensor<f32, [4]> {
                a / b
            }

            @operation
            func f__op4(shared: &Tensor<f32, [4]>) -> Tensor<f32, []> {
                shared.sum()
            }

            @operation
            func f__op5(a: &Tensor<f32, [4]>, b: &Tensor<f32, [4]>) -> Tensor<f32, [4]> {
                a % b
            }

            @operation
            func f__op6(a: &Tensor<f32, [4]>) -> Tensor<f32, []> {
                val low: Tensor<f32, []> = a.min()
                val raised: Tensor<f32, [4]> = a - low
                (raised * low).sum()
            }

            @operation
            func f__op7(arg0: Tensor<f32, [4]>, both: &Tensor<f32, [4]>, centred: Tensor<f32, [4]>, later: Tensor<f32, [4]>, passed: Tensor<f32, [4]>) -> Tensor<f32, [4]> {
                (((arg0 + both) + centred) + later) + passed
            }

            func f(a: &Tensor<f32, [4]>, b: &Tensor<f32, [4]>, c: bool) -> Tensor<f32, [4]> {
                val both: Tensor<f32, [4]> = f__op0(a, b)
                val later: Tensor<f32, [4]> = f__op1(a, 2.0f32, b)
                print(&both);
                val centred: Tensor<f32, [4]> = f__op2(a)
                val shared: Tensor<f32, [4]> = f__op3(a, b)
                if c {
                    print(f__op4(&shared)[]);
                };
                val passed: Tensor<f32, [4]> = f__op5(a, b)
                print(f__op6(a)[]);
                f__op7(pass(&passed), &both, centred, later, passed)
            }
        "#]],
    );
}

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
fn a_compound_assignment_writes_its_target() {
    lowers(
        "func step(w: &mut Tensor<f32, [4]>, g: &Tensor<f32, [4]>, rate: f32) {
            val scaled = g * rate
            w -= scaled * w.abs()
            w[0] += 1.0
        }
        func main() {
            mut w = Tensor::<f32, [4]>::zeros()
            val g = Tensor::<f32, [4]>::ones()
            step(&mut w, &g, 0.1)
            w *= 2.0
            w += &w
            print(w)
        }",
        expect![[r#"
            tier checked

            @operation
            func step__op0(g: &Tensor<f32, [4]>, rate: f32, w: &mut Tensor<f32, [4]>) {
                val scaled: Tensor<f32, [4]> = g * rate
                w -= scaled * w.abs()
            }

            func step(w: &mut Tensor<f32, [4]>, g: &Tensor<f32, [4]>, rate: f32) {
                step__op0(g, rate, w);
                w[0i32] += 1.0f32
            }

            @operation
            func main__op0(arg0: f32, w: &mut Tensor<f32, [4]>) {
                w *= arg0
            }

            @operation
            func main__op1(w: &mut Tensor<f32, [4]>) {
                w += w
            }

            func main() {
                mut w: Tensor<f32, [4]> = Tensor<f32, [4]>::zeros()
                val g: Tensor<f32, [4]> = Tensor<f32, [4]>::ones()
                step(&mut w, &g, 0.10000000149011612f32);
                main__op0(2.0f32, &mut w);
                main__op1(&mut w);
                print(&w);
            }
        "#]],
    );
}

#[test]
fn what_an_operand_writes_is_written_in_its_turn() {
    lowers(
        "type T = Tensor<i32, [2]>
        func bump(t: &mut T) -> T {
            t[0] += 1
            t.clone()
        }
        func main() {
            mut a = T::ones()
            val b = T::ones()
            val c = &a + &b
            print((&a + &b) * bump(&mut a) + c)
        }",
        expect![[r#"
            tier checked

            func bump(t: &mut Tensor<i32, [2]>) -> Tensor<i32, [2]> {
                t[0i32] += 1i32
                t.clone()
            }

            @operation
            func main__op0(a: &Tensor<i32, [2]>, b: &Tensor<i32, [2]>) -> Tensor<i32, [2]> {
                a + b
            }

            @operation
            func main__op1(arg0: Tensor<i32, [2]>, c: Tensor<i32, [2]>) -> Tensor<i32, [2]> {
                arg0 + c
            }

            @operation
            func main__op2(arg0: Tensor<i32, [2]>, arg1: Tensor<i32, [2]>) -> Tensor<i32, [2]> {
                arg0 * arg1
            }

            @operation
            func main__op3(a: &Tensor<i32, [2]>, b: &Tensor<i32, [2]>) -> Tensor<i32, [2]> {
                a + b
            }

            func main() {
                mut a: Tensor<i32, [2]> = Tensor<i32, [2]>::ones()
                val b: Tensor<i32, [2]> = Tensor<i32, [2]>::ones()
                val c: Tensor<i32, [2]> = main__op0(&a, &b)
                print(main__op1(main__op2(main__op3(&a, &b), bump(&mut a)), c));
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

#[test]
fn every_operation_is_in_the_hir() {
    lowers(
        "func f(t: &Tensor<f32, [rows: 2, cols: 6]>, n: i32) {
            val k = 2.0f32
            print(t[1, n], t[n, ..], t[.., 1..=3], t[0..2, (0..5).rev()])
            print(t.permute([1, 0]).reshape([3, -1]).flatten().sort(descending: true))
            print(t.argsort(axis: rows), t.sort(), t.flatten(dims: [0, 1]))
            print(t.map(|x| x * k).zip(t, |x, y| x + y).reduce(0.0, |acc, x| acc + x))
            print(einsum(\"ij,kj->ik\", t, t), einsum(\"ij->\", t))
            print(t.exp().log().sqrt().sin().cos().tanh().abs().sign().pow(2.0).pow(t))
            print(t.sum(axis: cols), t.mean(axis: 0), t.min())
            print(Tensor::<f32, [2, 2]>::identity(), Tensor::scalar(n), Tensor::<bool, [0]>::from([]))
        }",
        expect![[r#"
            tier checked

            @operation
            func f__op0(t: &Tensor<f32, [rows: 2, cols: 6]>, arg1: i64) -> Tensor<f32, [cols: 6]> {
                t.slice(arg1, 0..6)
            }

            @operation
            func f__op1(t: &Tensor<f32, [rows: 2, cols: 6]>) -> Tensor<f32, [rows: 2, cols: 3]> {
                t.slice(0..2, 1..4)
            }

            @operation
            func f__op2(t: &Tensor<f32, [rows: 2, cols: 6]>) -> Tensor<f32, [rows: 2, cols: 5]> {
                t.slice(0..2, (0..5).rev())
            }

            @operation
            func f__op3(t: &Tensor<f32, [rows: 2, cols: 6]>) -> Tensor<f32, [12]> {
                t.permute([1, 0]).reshape(Tensor<f32, [3, 4]>).reshape(Tensor<f32, [12]>).sort(axis: 0, descending: true)
            }

            @operation
            func f__op4(t: &Tensor<f32, [rows: 2, cols: 6]>) -> Tensor<i32, [rows: 2, cols: 6]> {
                t.argsort(axis: 0, descending: false)
            }

            @operation
            func f__op5(t: &Tensor<f32, [rows: 2, cols: 6]>) -> Tensor<f32, [rows: 2, cols: 6]> {
                t.sort(axis: 1, descending: false)
            }

            @operation
            func f__op6(t: &Tensor<f32, [rows: 2, cols: 6]>) -> Tensor<f32, [12]> {
                t.reshape(Tensor<f32, [12]>)
            }

            @operation
            func f__op7(t: &Tensor<f32, [rows: 2, cols: 6]>, arg1: func(f32) -> f32, arg2: func(f32, f32) -> f32, arg3: f32, arg4: func(f32, f32) -> f32) -> Tensor<f32, []> {
                t.map(arg1).zip(t, arg2).reduce(arg3, arg4)
            }

            @operation
            func f__op8(t: &Tensor<f32, [rows: 2, cols: 6]>) -> Tensor<f32, [rows: 2, 2]> {
                einsum("ij,kj->ik", t, t)
            }

            @operation
            func f__op9(t: &Tensor<f32, [rows: 2, cols: 6]>) -> Tensor<f32, []> {
                einsum("ij->", t)
            }

            @operation
            func f__op10(t: &Tensor<f32, [rows: 2, cols: 6]>, arg1: f32) -> Tensor<f32, [rows: 2, cols: 6]> {
                t.exp().log().sqrt().sin().cos().tanh().abs().sign().pow(arg1).pow(t)
            }

            @operation
            func f__op11(t: &Tensor<f32, [rows: 2, cols: 6]>) -> Tensor<f32, [rows: 2]> {
                t.sum(axis: 1)
            }

            @operation
            func f__op12(t: &Tensor<f32, [rows: 2, cols: 6]>) -> Tensor<f32, [cols: 6]> {
                t.mean(axis: 0)
            }

            @operation
            func f__op13(t: &Tensor<f32, [rows: 2, cols: 6]>) -> Tensor<f32, []> {
                t.min()
            }

            func f(t: &Tensor<f32, [rows: 2, cols: 6]>, n: i32) {
                val k: f32 = 2.0f32
                print(t[1i32, n], f__op0(t, checked(n, axis: 0, extent: 2)), f__op1(t), f__op2(t));
                print(f__op3(t));
                print(f__op4(t), f__op5(t), f__op6(t));
                print(f__op7(t, |x: f32| [k] -> f32 {
                    x * k
                }, |x#1: f32, y: f32| -> f32 {
                    x#1 + y
                }, 0.0f32, |acc: f32, x#2: f32| -> f32 {
                    acc + x#2
                })[]);
                print(f__op8(t), f__op9(t)[]);
                print(f__op10(t, 2.0f32));
                print(f__op11(t), f__op12(t), f__op13(t)[]);
                print(Tensor<f32, [2, 2]>::identity(), Tensor::scalar(n), Tensor<bool, [0]>::from([]));
            }
        "#]],
    );
}

#[test]
fn structs_methods_constants_and_closures() {
    lowers(
        "const N: i64 = 2 * M
        const M: i64 = 3
        const HALF: f32 = 1.0 / 2.0
        struct Layer { w: Tensor<f32, [N, 2]>, pair: (i32, f32) }
        impl Layer {
            func new(w: Tensor<f32, [6, 2]>) -> Layer { Layer { pair: (1, HALF), w } }
            func apply(&self, x: &Tensor<f32, [4, N]>) -> Tensor<f32, [4, 2]> { x @ self.w * self.pair.1 }
            func set(&mut self, n: i32) { self.pair = (n, HALF) }
        }
        func twice(f: func(i32) -> i32, x: i32) -> i32 { f(f(x)) }
        func inc(x: i32) -> i32 { x + 1 }
        func main() {
            mut layer = Layer::new(Tensor::ones())
            layer.set(4)
            print(layer.apply(&Tensor::ones()), layer.pair.0, twice(inc, 1))
            val n = 5
            print(twice(|x| x * n, 2))
        }",
        expect![[r#"
            tier checked

            const M: i64 = 3i64

            const N: i64 = 2i64 * ::M

            const HALF: f32 = 1.0f32 / 2.0f32

            struct Layer {
                w: Tensor<f32, [6, 2]>
                pair: (i32, f32)
            }

            func Layer__new(w: Tensor<f32, [6, 2]>) -> Layer {
                {
                    val field: (i32, f32) = (1i32, ::HALF)
                    val field#1: Tensor<f32, [6, 2]> = w
                    Layer { field#1, field }
                }
            }

            @operation
            func Layer__apply__op0(x: &Tensor<f32, [4, 6]>, w: &Tensor<f32, [6, 2]>, arg2: f32) -> Tensor<f32, [4, 2]> {
                (x @ w) * arg2
            }

            impl Layer {
                func apply(self: &Layer, x: &Tensor<f32, [4, 6]>) -> Tensor<f32, [4, 2]> {
                    Layer__apply__op0(x, &self.w, self.pair.1)
                }

                func set(self: &mut Layer, n: i32) {
                    self.pair = (n, ::HALF)
                }
            }

            func twice(f: func(i32) -> i32, x: i32) -> i32 {
                (f)((f)(x))
            }

            func inc(x: i32) -> i32 {
                x + 1i32
            }

            func main() {
                mut layer: Layer = Layer__new(Tensor<f32, [6, 2]>::ones())
                Layer::set(&mut layer, 4i32);
                print(Layer::apply(&layer, &Tensor<f32, [4, 6]>::ones()), layer.pair.0, twice(::inc, 1i32));
                val n: i32 = 5i32
                print(twice(|x: i32| [n] -> i32 {
                    x * n
                }, 2i32));
            }
        "#]],
    );
}
