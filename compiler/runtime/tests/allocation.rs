//! What a body's calls of function values allocate: nothing, or a traversal would for each element.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use runtime::{Argument, FunctionSignature, Jit, Parameter, Signature};
use shared_types::ScalarType::I64;
use tensor::{Scalar, Tensor};

/// Counts what each thread allocates.
struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: each call is passed on as it is; the counter neither allocates nor is dropped.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Calls `code` on 0 to `count - 1` and what it answered last, as `.reduce` does.
const IR: &str = "
define void @f(ptr %code, ptr %environment, i64 %count, ptr %r0, ptr %r, i64 %r2) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %last = phi i64 [ 0, %entry ], [ %answer, %body ]
  %more = icmp ult i64 %i, %count
  br i1 %more, label %body, label %done
body:
  %answer = call i64 %code(ptr %environment, i64 %last, i64 %i)
  %next = add i64 %i, 1
  br label %head
done:
  store i64 %last, ptr %r
  ret void
}";

#[test]
fn a_call_allocates_nothing() {
    let function = FunctionSignature {
        parameters: vec![I64, I64],
        result: I64,
    };
    let signature = Signature {
        symbol: "f".into(),
        parameters: vec![
            Parameter::Function(function),
            Parameter::Scalar(I64),
            Parameter::Result(I64, vec![]),
        ],
    };
    let jit = Jit::load(IR, &[signature]).unwrap();
    let sum = |arguments: &[Scalar]| match arguments {
        [Scalar::I64(a), Scalar::I64(b)] => Some(Scalar::I64(a + b)),
        _ => None,
    };
    let allocations = |calls: i64| {
        let mut result = Tensor::zeros(I64, &[]).unwrap();
        let mut arguments = [
            Argument::Function(&sum),
            Argument::Scalar(Scalar::I64(calls)),
            Argument::Result(&mut result),
        ];
        let before = COUNT.get();
        jit.call("f", &mut arguments).unwrap();
        let count = COUNT.get() - before;
        assert_eq!(result.get(0), Ok(Scalar::I64(calls * (calls - 1) / 2)));
        count
    };
    let few = allocations(1);
    assert!(few > 0, "the call itself has words and environments");
    assert_eq!(allocations(10_000), few);
}
