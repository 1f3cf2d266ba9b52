//! Which tensor operations become functions of their own, and what they take.

use expect_test::expect;

use crate::lowers;

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
            w -= w[0] + w.sum()
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

            @operation
            func main__op2(arg0: f32, w: &mut Tensor<f32, [4]>) {
                w -= arg0
            }

            @operation
            func main__op3(w: &Tensor<f32, [4]>) -> Tensor<f32, []> {
                w.sum()
            }

            func main() {
                mut w: Tensor<f32, [4]> = Tensor<f32, [4]>::zeros()
                val g: Tensor<f32, [4]> = Tensor<f32, [4]>::ones()
                step(&mut w, &g, 0.10000000149011612f32);
                main__op0(2.0f32, &mut w);
                main__op1(&mut w);
                main__op2(w[0i32] + main__op3(&w)[], &mut w);
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
            func f__op0(t: &Tensor<f32, [rows: 2, cols: 6]>, n: i64) -> Tensor<f32, [cols: 6]> {
                t.slice(n, 0..6)
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
