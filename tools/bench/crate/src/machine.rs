//! What this processor can do at most, by code that does nothing else and is generated as ours is.

use std::error::Error;
use std::fmt::Write;
use std::time::Duration;

use runtime::{Argument, Jit, Parameter, Signature};
use shared_types::ScalarType;
use tensor::{Scalar, Tensor};

use crate::clock::timed;

/// How often a product that is added to a sum is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// In one instruction for both.
    Once,
    /// By a multiplication and an addition, as our bits are.
    Twice,
}

/// Multiplications and additions in registers: no memory, and nothing that waits for what was just computed.
pub struct Peak {
    jit: Jit,
    registers: Tensor,
    operations: u64,
}

/// So many registers are multiplied and as many added to: no step waits for the one before, and AVX2 has them all.
const CHAINS: usize = 6;
const STEPS: i64 = 2_000_000;
const SYMBOL: &str = "body";

impl Peak {
    /// Of `f32` or `f64`, in the vectors that are the fastest here.
    pub fn new(element: ScalarType, rounding: Rounding) -> Result<Peak, Box<dyn Error>> {
        let mut fastest: Option<(f64, Peak)> = None;
        for bytes in [16, 32, 64] {
            let mut peak = Peak::of_vectors(element, rounding, bytes / element.bytes())?;
            let mut rate = 0.0f64;
            for _ in 0..5 {
                rate = rate.max(peak.operations as f64 / peak.run()?.as_secs_f64());
            }
            if fastest.as_ref().is_none_or(|(best, _)| rate > *best) {
                fastest = Some((rate, peak));
            }
        }
        Ok(fastest.ok_or("no vectors were tried")?.1)
    }

    fn of_vectors(
        element: ScalarType,
        rounding: Rounding,
        lanes: usize,
    ) -> Result<Peak, Box<dyn Error>> {
        let float = match element {
            ScalarType::F32 => "float",
            ScalarType::F64 => "double",
            other => return Err(format!("no peak of `{other}` is measured").into()),
        };
        let vector = format!("<{lanes} x {float}>");
        let fused = format!("@llvm.fma.v{lanes}{element}");
        // Each register starts from its own element, so that LLVM makes one of no two.
        let (mut loads, mut phis, mut steps, mut stores) =
            (String::new(), String::new(), String::new(), String::new());
        for chain in 0..2 * CHAINS {
            let place = format!("%p{chain} = getelementptr {vector}, ptr %data, i64 {chain}");
            writeln!(loads, "{place}\n%s{chain} = load {vector}, ptr %p{chain}")?;
            writeln!(
                phis,
                "%v{chain} = phi {vector} [ %s{chain}, %entry ], [ %n{chain}, %loop ]"
            )?;
            let step = match (rounding, chain % 2) {
                (Rounding::Once, _) => {
                    format!("call {vector} {fused}({vector} %v{chain}, {vector} %s0, {vector} %s1)")
                }
                (Rounding::Twice, 0) => format!("fmul {vector} %v{chain}, %s0"),
                (Rounding::Twice, _) => format!("fadd {vector} %v{chain}, %s1"),
            };
            writeln!(steps, "%n{chain} = {step}")?;
            writeln!(stores, "store {vector} %n{chain}, ptr %p{chain}")?;
        }
        let ir = format!(
            "declare {vector} {fused}({vector}, {vector}, {vector})
define void @{SYMBOL}(i64 %steps, ptr %base, ptr %data, i64 %offset, i64 %size, i64 %stride) {{
entry:
{loads}br label %loop
loop:
%i = phi i64 [ 0, %entry ], [ %next, %loop ]
{phis}{steps}%next = add i64 %i, 1
%more = icmp ult i64 %next, %steps
br i1 %more, label %loop, label %done
done:
{stores}ret void
}}"
        );
        let elements = (2 * CHAINS * lanes) as u64;
        let signature = Signature {
            symbol: SYMBOL.into(),
            parameters: vec![
                Parameter::Scalar(ScalarType::I64),
                Parameter::Result(element, vec![elements]),
            ],
        };
        let each = match rounding {
            Rounding::Once => 2,
            Rounding::Twice => 1,
        };
        Ok(Peak {
            jit: Jit::load(&ir, &[signature])?,
            registers: Tensor::zeros(element, &[elements])?,
            operations: each * elements * STEPS as u64,
        })
    }

    /// The operations of a run.
    pub fn operations(&self) -> u64 {
        self.operations
    }

    pub fn run(&mut self) -> Result<Duration, Box<dyn Error>> {
        let mut arguments = [
            Argument::Scalar(Scalar::I64(STEPS)),
            Argument::Result(&mut self.registers),
        ];
        let (time, done) = timed(|| self.jit.call(SYMBOL, &mut arguments));
        done?;
        Ok(time)
    }
}

/// A copy from memory to memory, of more than the caches hold.
pub struct Copy {
    from: Tensor,
    to: Tensor,
    past_caches: Jit,
}

const COPIED: u64 = 128 << 20;

impl Copy {
    /// The bytes that a copy reads and those that it writes.
    pub const BYTES: u64 = 2 * COPIED;

    pub fn new() -> Result<Copy, Box<dyn Error>> {
        let shape = [COPIED];
        let ir = format!(
            "define void @{SYMBOL}(ptr %b0, ptr %from, i64 %o0, i64 %n0, i64 %s0,
                ptr %b1, ptr %to, i64 %o1, i64 %n1, i64 %s1) {{
entry:
br label %loop
loop:
%i = phi i64 [ 0, %entry ], [ %next, %loop ]
%source = getelementptr i8, ptr %from, i64 %i
%target = getelementptr i8, ptr %to, i64 %i
%line = load <64 x i8>, ptr %source, align 64
store <64 x i8> %line, ptr %target, align 64, !nontemporal !0
%next = add i64 %i, 64
%more = icmp ult i64 %next, {COPIED}
br i1 %more, label %loop, label %done
done:
ret void
}}
!0 = !{{i32 1}}"
        );
        let signature = Signature {
            symbol: SYMBOL.into(),
            parameters: vec![
                Parameter::Operand(ScalarType::U8, shape.to_vec()),
                Parameter::Result(ScalarType::U8, shape.to_vec()),
            ],
        };
        Ok(Copy {
            from: tensor::random(1, "from", ScalarType::U8, &shape)?,
            to: tensor::random(1, "to", ScalarType::U8, &shape)?,
            past_caches: Jit::load(&ir, &[signature])?,
        })
    }

    /// By the C library's `memcpy`.
    pub fn run(&mut self) -> Result<Duration, Box<dyn Error>> {
        let (from, to) = (self.from.bytes(), self.to.bytes_mut()?);
        Ok(timed(|| to.copy_from_slice(from)).0)
    }

    /// By stores that leave no line in a cache.
    pub fn run_past_caches(&mut self) -> Result<Duration, Box<dyn Error>> {
        let mut arguments = [
            Argument::Operand(&self.from),
            Argument::Result(&mut self.to),
        ];
        let (time, done) = timed(|| self.past_caches.call(SYMBOL, &mut arguments));
        done?;
        Ok(time)
    }
}
