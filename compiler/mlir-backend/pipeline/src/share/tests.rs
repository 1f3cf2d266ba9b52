use super::*;
use crate::{buffer_passes, finish, loop_passes, run_passes, translate};

/// What becomes of a function over `%a` and `%c`, `memref<64x8xf32>` both.
fn outlined(body: &str) -> String {
    let session = Session::new("test").unwrap();
    let text = format!(
        "func.func @f(%a: memref<64x8xf32>, %c: memref<64x8xf32>) {{
            %c0 = arith.constant 0 : index
            %c1 = arith.constant 1 : index
            %c8 = arith.constant 8 : index
            %c64 = arith.constant 64 : index
            {body}
            return
        }}"
    );
    let module = Module::parse(session.context(), &text).unwrap();
    let sharing = outline_shared_loops(&session, &module).unwrap();
    session.verify(&module).unwrap();
    let text = module.as_operation().to_string();
    assert_eq!(sharing.contains("f"), text.contains("@f.task0("), "{text}");
    text
}

fn is_shared(body: &str) -> bool {
    outlined(body).contains("@f.task0(")
}

/// A loop over the rows of `%c`, with an operation for each.
fn rows(inside: &str) -> String {
    format!(
        "scf.for %i = %c0 to %c64 step %c8 {{
            %x = memref.load %a[%i, %c0] : memref<64x8xf32>
            {inside}
        }} {{neuro.shared}}"
    )
}

const STORE: &str = "memref.store %x, %c[%i, %c0] : memref<64x8xf32>";

#[test]
fn a_loop_becomes_a_task() {
    let text = outlined(&rows(STORE));
    let task = "func.func private @f.task0(%arg0: index, %arg1: index, %arg2: memref<64x8xf32>, %arg3: memref<64x8xf32>)";
    assert!(text.contains(task), "{text}");
    let call = "call @f.share0(%arg2, %arg3, %c8";
    assert!(text.contains(call), "{text}");
    assert!(!is_shared(
        &rows(STORE).replace("neuro.shared", "neuro.other")
    ));
}

#[test]
fn a_loop_whose_steps_write_one_place_stays() {
    assert!(!is_shared(&rows(
        "memref.store %x, %c[%c0, %c0] : memref<64x8xf32>"
    )));
    // A view of one place, and one of each step's.
    let view = |row: &str| {
        rows(&format!(
            "%v = memref.subview %c[{row}, 0] [1, 8] [1, 1] : memref<64x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
            memref.store %x, %v[%c0, %c0] : memref<1x8xf32, strided<[8, 1], offset: ?>>"
        ))
    };
    assert!(!is_shared(&view("%c8")));
    assert!(is_shared(&view("%i")));
    // Within a loop of its own.
    let inner = |from: &str| {
        rows(&format!(
            "scf.for %j = {from} to %c64 step %c1 {{ memref.store %x, %c[%j, %c0] : memref<64x8xf32> }}"
        ))
    };
    assert!(!is_shared(&inner("%c0")));
    assert!(is_shared(&inner("%i")));
    assert!(!is_shared(&rows(
        "func.call @f(%a, %c) : (memref<64x8xf32>, memref<64x8xf32>) -> ()"
    )));
}

#[test]
fn a_loop_of_one_step_stays() {
    assert!(!is_shared(&rows(STORE).replace("to %c64", "to %c8")));
    assert!(is_shared(
        &rows(STORE)
            .replace("to %c64", "to %c8")
            .replace("step %c8", "step %c1")
    ));
}

/// Written by each step as a whole: shared, one step would read what another one wrote.
#[test]
fn a_buffer_that_the_loop_alone_uses_is_each_tasks_own() {
    let copies = "memref.store %x, %own[%c0] : memref<8xf32>
        %y = memref.load %own[%c0] : memref<8xf32>
        memref.store %y, %c[%i, %c0] : memref<64x8xf32>";
    let around = |body: &str, view: &str| {
        format!(
            "%own = memref.alloc() : memref<8xf32>
            {view}
            {body}
            memref.dealloc %own : memref<8xf32>"
        )
    };
    let text = outlined(&around(&rows(copies), ""));
    let (task, body) = text.split_once("func.func @f(").unwrap();
    assert!(
        task.contains("memref.alloc") && task.contains("memref.dealloc"),
        "{text}"
    );
    assert!(
        !body.contains("memref.alloc") && !body.contains("memref.dealloc"),
        "{text}"
    );
    // The same through a view that is made outside.
    let view = "%view = memref.cast %own : memref<8xf32> to memref<?xf32>";
    let viewed = rows(copies).replace("%own[%c0] : memref<8xf32>", "%view[%c0] : memref<?xf32>");
    let text = outlined(&around(&viewed, view));
    let (task, body) = text.split_once("func.func @f(").unwrap();
    assert!(
        task.contains("memref.alloc") && !body.contains("memref."),
        "{text}"
    );
    // What is read afterwards is not.
    let read = format!(
        "{}\n memref.store %z, %c[%c0, %c1] : memref<64x8xf32>",
        rows(copies)
    );
    let read = read.replace(
        "\n memref.store %z",
        "\n %z = memref.load %own[%c0] : memref<8xf32>\n memref.store %z",
    );
    assert!(!is_shared(&around(&read, "")));
}

/// What one pass over the loop leaves, the next one adds to.
#[test]
fn a_buffer_that_a_step_reads_first_is_shared() {
    let adds = "%y = memref.load %own[%i, %c0] : memref<64x8xf32>
        %z = arith.addf %x, %y : f32
        memref.store %z, %own[%i, %c0] : memref<64x8xf32>";
    let text = outlined(&format!(
        "%own = memref.alloc() : memref<64x8xf32>
        scf.for %pass = %c0 to %c8 step %c1 {{
            {}
        }}
        memref.dealloc %own : memref<64x8xf32>",
        rows(adds)
    ));
    let (task, body) = text.split_once("func.func @f(").unwrap();
    assert!(
        !task.contains("memref.alloc") && body.contains("memref.alloc"),
        "{text}"
    );
}

#[test]
fn a_task_is_called_through_what_shares_it() {
    let session = Session::new("test").unwrap();
    let text = format!(
        "func.func @f(%a: memref<64x8xf32>, %c: memref<64x8xf32>) {{
            %c0 = arith.constant 0 : index
            %c8 = arith.constant 8 : index
            %c64 = arith.constant 64 : index
            {}
            return
        }}",
        rows(STORE)
    );
    let mut module = Module::parse(session.context(), &text).unwrap();
    run_passes(&session, &mut module, &buffer_passes()).unwrap();
    outline_shared_loops(&session, &module).unwrap();
    run_passes(&session, &mut module, &loop_passes()).unwrap();
    let context = inkwell::context::Context::create();
    let llvm = translate(&session, &module, &context).unwrap();
    define_sharing(&llvm).unwrap();
    let text = finish(&session, &llvm).unwrap();
    assert!(!text.contains("declare"), "{text}");
    for line in [
        "define internal void @f.task0.entry(ptr %0, i64 %1, i64 %2)",
        "call void @f.task0.entry(ptr %words, i64 0, i64 %2)",
        "call void %0(ptr %1, i64 %2, ptr @f.task0.entry, ptr %words)",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
}
