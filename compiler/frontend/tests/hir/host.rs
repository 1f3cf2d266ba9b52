//! Host code, and what is declared beside it.

use expect_test::expect;

use crate::lowers;

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

            const N: i64 = 6i64

            const HALF: f32 = 0.5f32

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
            func Layer__apply__op0(x: &Tensor<f32, [4, 6]>, w: &Tensor<f32, [6, 2]>, pair_1: f32) -> Tensor<f32, [4, 2]> {
                (x @ w) * pair_1
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
