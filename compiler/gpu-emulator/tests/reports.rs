//! What is reported, and that the process and the device go on.

mod support;

use expect_test::expect;
use gpu_emulator::{Emulator, EmulatorError, Options, Placement, Vendor, Violation};
use support::{DOUBLE, Device, REVERSE, VENDORS, checked};

/// `set(to, at)`: each thread writes its element from `at` on.
const SET: &str = "
KERNEL @set(ptr %to, i64 %at) {
  %thread = THREAD
  %wide = zext i32 %thread to i64
  %i = add i64 %wide, %at
  %place = getelementptr i32, ptr %to, i64 %i
  store i32 1, ptr %place
  ret void
}";

#[test]
fn a_write_past_the_end_names_thread_and_buffer() {
    for vendor in VENDORS {
        for options in [Options::new(vendor), checked(vendor)] {
            let device = Device::new(options, SET);
            let _other = device.buffer(&[0; 8]);
            let to = device.buffer(&[0; 4]);
            let report = device.report("set", 1, 5, &[to, 0]);
            let bytes = if options.checked { " 4 bytes" } else { "" };
            let expected = format!(
                "kernel `set`: thread [4, 0, 0] of block [0, 0, 0] writes{bytes} at byte 16 of \
                 buffer 2, which has 16"
            );
            assert_eq!(report, expected);
            // The device goes on.
            device.launch("set", 1, 4, &[to, 0]).unwrap();
            assert_eq!(device.numbers(to, 4), [1; 4]);
        }
    }
}

#[test]
fn a_write_before_the_start_shows_with_the_start_at_the_guard() {
    for vendor in VENDORS {
        let options = Options {
            placement: Placement::Start,
            ..Options::new(vendor)
        };
        let device = Device::new(options, SET);
        let to = device.buffer(&[0; 4]);
        let report = device.report("set", 1, 1, &[to, u64::MAX]);
        assert!(
            report.ends_with("writes at byte -4 of buffer 1, which has 16"),
            "{report}"
        );
    }
}

/// Pages do not show a write into what aligns a buffer, nor one far away inside another.
#[test]
fn a_write_beside_a_buffer_shows_after_the_launch() {
    let device = Device::new(Options::new(Vendor::Nvidia), SET);
    let to = device.buffer(&[0; 3]);
    let report = device.report("set", 1, 4, &[to, 0]);
    expect!["host code finds that kernel `set` wrote at byte 12 of buffer 1, which has 12"]
        .assert_eq(&report);
    device.launch("set", 1, 3, &[to, 0]).unwrap();
}

#[test]
fn addresses_of_nothing_are_reported() {
    for options in [Options::new(Vendor::Amd), checked(Vendor::Amd)] {
        let device = Device::new(options, SET);
        let report = device.report("set", 1, 1, &[0, 4]);
        assert!(report.ends_with("0x10, which is in no buffer"), "{report}");
        let freed = device.buffer(&[0; 4]);
        device.emulator.free(freed).unwrap();
        let report = device.report("set", 1, 1, &[freed, 0]);
        assert!(report.ends_with("which is in no buffer"), "{report}");
    }
}

/// The checked mode finds what is a GPU's memory on no GPU.
#[test]
fn a_pointer_of_the_hosts_is_reported() {
    let device = Device::new(checked(Vendor::Nvidia), SET);
    let host = [7i32; 4];
    let address = host.as_ptr().expose_provenance() as u64;
    let violation = device.violation("set", 1, 1, &[address, 0]);
    assert!(
        matches!(violation, Violation::Memory { .. }),
        "{violation:?}"
    );
    assert_eq!(std::hint::black_box(host), [7; 4]);
}

#[test]
fn two_threads_that_write_one_address_race() {
    let one = "
KERNEL @one(ptr %to) {
  %thread = THREAD
  store i32 %thread, ptr %to
  ret void
}";
    for vendor in VENDORS {
        let device = Device::new(checked(vendor), one);
        let to = device.buffer(&[0]);
        device.launch("one", 1, 1, &[to]).unwrap();
        let within = device.report("one", 1, 2, &[to]);
        let expected = "kernel `one`: thread [1, 0, 0] of block [0, 0, 0] writes 4 bytes at byte 0 \
             of buffer 1, which has 4, in a race: kernel `one`: thread [0, 0, 0] of block [0, 0, 0] \
             writes 4 bytes there";
        assert_eq!(within, expected);
        let between = device.violation("one", 2, 1, &[to]);
        assert!(matches!(between, Violation::Race { .. }), "{between:?}");
        let unchecked = Device::new(Options::new(vendor), one);
        let to = unchecked.buffer(&[0]);
        unchecked.launch("one", 2, 2, &[to]).unwrap();
    }
}

/// Each thread reads its neighbour's element and writes its own.
const SHIFT: &str = "
KERNEL @shift(ptr %to) {
  %thread = THREAD
  %next = add i32 %thread, 1
  %there = getelementptr i32, ptr %to, i32 %next
  %x = load i32, ptr %there
  WAIT
  %here = getelementptr i32, ptr %to, i32 %thread
  store i32 %x, ptr %here
  ret void
}";

#[test]
fn a_barrier_orders_the_threads_of_a_block() {
    for vendor in VENDORS {
        let racing = Device::new(checked(vendor), &SHIFT.replace("WAIT", ""));
        let to = racing.buffer(&[0; 9]);
        let violation = racing.violation("shift", 1, 8, &[to]);
        assert!(matches!(violation, Violation::Race { .. }), "{violation:?}");
        let waiting = Device::new(checked(vendor), &SHIFT.replace("WAIT", "BARRIER"));
        let to = waiting.buffer(&[0, 1, 2, 3, 4, 5, 6, 7, 8]);
        waiting.launch("shift", 1, 8, &[to]).unwrap();
        assert_eq!(waiting.numbers(to, 9), [1, 2, 3, 4, 5, 6, 7, 8, 8]);
    }
}

#[test]
fn a_read_of_what_nothing_wrote_is_reported() {
    for vendor in VENDORS {
        let device = Device::new(checked(vendor), DOUBLE);
        let from = device.emulator.allocate(16).unwrap();
        let to = device.emulator.allocate(16).unwrap();
        device.emulator.write(from, &[0; 8]).unwrap();
        let report = device.report("double", 1, 32, &[from, to, 4]);
        let expected = "kernel `double`: thread [2, 0, 0] of block [0, 0, 0] reads 4 bytes at \
             byte 8 of buffer 1, which has 16, where nothing was written";
        assert_eq!(report, expected);
        let mut bytes = [0; 16];
        let error = device.emulator.read(from, &mut bytes).unwrap_err();
        assert_eq!(
            error.to_string(),
            "host code reads at byte 8 of buffer 1, which has 16, where nothing was written"
        );
        // What a launch writes is written.
        device.launch("double", 1, 32, &[from, to, 2]).unwrap();
        device.launch("double", 1, 32, &[to, to, 2]).unwrap();
    }
}

/// Without checks it is a number that nobody expects.
#[test]
fn fresh_memory_is_not_zero() {
    let device = Device::new(Options::new(Vendor::Nvidia), DOUBLE);
    let from = device.emulator.allocate(4).unwrap();
    assert_eq!(device.numbers(from, 1), [-1]);
}

#[test]
fn shared_memory_is_fresh_for_each_block() {
    let text = "
@s = internal addrspace(3) global i32 undef
KERNEL @k(ptr %to) {
  %block = BLOCK
  %first = icmp eq i32 %block, 0
  br i1 %first, label %write, label %read
write:
  store i32 5, ptr addrspace(3) @s
  ret void
read:
  %x = load i32, ptr addrspace(3) @s
  store i32 %x, ptr %to
  ret void
}";
    for vendor in VENDORS {
        let device = Device::new(Options::new(vendor), text);
        let to = device.buffer(&[0]);
        device.launch("k", 2, 1, &[to]).unwrap();
        assert_eq!(device.numbers(to, 1), [-1]);
        let device = Device::new(checked(vendor), text);
        let to = device.buffer(&[0]);
        let violation = device.violation("k", 2, 1, &[to]);
        assert!(
            matches!(violation, Violation::Unwritten { .. }),
            "{violation:?}"
        );
    }
}

#[test]
fn shared_memory_has_an_end() {
    let wide = REVERSE.replace("sub i32 63", "add i32 64");
    for vendor in VENDORS {
        let device = Device::new(Options::new(vendor), &wide);
        let (from, to) = (device.buffer(&[0; 64]), device.buffer(&[0; 64]));
        let report = device.report("reverse", 1, 64, &[from, to]);
        assert!(
            report.ends_with("reads at byte 256 of shared memory, which has 256"),
            "{report}"
        );
    }
}

#[test]
fn threads_that_wait_at_different_barriers_are_reported() {
    let divergent = "
KERNEL @k(i64 %few) {
  %thread = THREAD
  %wide = zext i32 %thread to i64
  %waits = icmp ult i64 %wide, %few
  br i1 %waits, label %wait, label %other
wait:
  BARRIER
  ret void
other:
  OTHER
  ret void
}";
    for vendor in VENDORS {
        for other in ["", "BARRIER"] {
            let device = Device::new(Options::new(vendor), &divergent.replace("OTHER", other));
            device.launch("k", 3, 8, &[8]).unwrap();
            let report = device.report("k", 3, 8, &[4]);
            let expected = "kernel `k`: thread [4, 0, 0] of block [0, 0, 0] waits at a barrier \
                 at which others do not";
            assert_eq!(report, expected);
        }
    }
}

#[test]
fn traps_assertions_and_divisions_are_reported() {
    let text = "
@message = private constant [5 x i8] c\"x>0.\\00\"
@file = private constant [5 x i8] c\"a.nr\\00\"
declare void @__assertfail(ptr, ptr, i32, ptr, i64)
declare void @llvm.trap()
KERNEL @traps() {
  call void @llvm.trap()
  unreachable
}
KERNEL @asserts() {
  call void @__assertfail(ptr @message, ptr @file, i32 12, ptr @file, i64 1)
  unreachable
}
KERNEL @divides(ptr %to, i64 %by) {
  %x = load i64, ptr %to
  %y = udiv i64 %x, %by
  store i64 %y, ptr %to
  ret void
}";
    for vendor in VENDORS {
        let device = Device::new(Options::new(vendor), text);
        let to = device.buffer(&[8, 0]);
        let thread = "thread [0, 0, 0] of block [0, 0, 0]";
        assert_eq!(
            device.report("traps", 1, 1, &[]),
            format!("kernel `traps`: {thread} trapped")
        );
        assert_eq!(
            device.report("asserts", 1, 1, &[]),
            format!("kernel `asserts`: {thread} failed an assertion (a.nr:12): x>0.")
        );
        device.launch("divides", 1, 1, &[to, 2]).unwrap();
        assert_eq!(
            device.report("divides", 1, 1, &[to, 0]),
            format!("kernel `divides`: {thread} was stopped by a division")
        );
        assert_eq!(device.numbers(to, 1), [4]);
    }
}

#[test]
fn a_thread_with_too_much_of_its_own_is_reported() {
    let text = "
KERNEL @k(ptr %to, i64 %at) {
  %own = alloca [900000 x i32]
  %place = getelementptr i32, ptr %own, i64 %at
  store volatile i32 1, ptr %place
  %x = load volatile i32, ptr %place
  store i32 %x, ptr %to
  ret void
}";
    let device = Device::new(Options::new(Vendor::Nvidia), text);
    let to = device.buffer(&[0]);
    assert_eq!(device.violation("k", 1, 1, &[to, 0]), Violation::Stack);
}

#[test]
fn the_host_may_not_touch_device_memory() {
    for vendor in VENDORS {
        let device = Device::new(Options::new(vendor), DOUBLE);
        let (from, to) = (device.buffer(&[1, 2, 3]), device.buffer(&[0; 3]));
        let host = |write: bool| {
            let address = std::ptr::with_exposed_provenance_mut::<i32>(to as usize);
            let mut touch = || {
                device.launch("double", 1, 32, &[from, to, 3]).unwrap();
                // SAFETY: it faults, which is what is tested.
                unsafe {
                    match write {
                        true => address.write_volatile(1),
                        false => drop(address.read_volatile()),
                    }
                }
            };
            // SAFETY: the closure owns nothing.
            match unsafe { device.emulator.host(&mut touch) } {
                Err(EmulatorError::Report(report)) => report.to_string(),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(
            host(true),
            "host code writes at byte 0 of buffer 2, which has 12"
        );
        assert_eq!(
            host(false),
            "host code reads at byte 0 of buffer 2, which has 12"
        );
        assert_eq!(device.numbers(to, 3), [2, 4, 6]);
    }
}

#[test]
fn devices_on_several_threads_do_not_meet() {
    std::thread::scope(|scope| {
        for number in 0..4 {
            scope.spawn(move || {
                let device = Device::new(Options::new(VENDORS[number % 2]), SET);
                let to = device.buffer(&[0; 4]);
                for _ in 0..20 {
                    let report = device.report("set", 1, 5, &[to, 0]);
                    assert!(report.contains("thread [4, 0, 0]"), "{report}");
                    device.launch("set", 1, 4, &[to, 0]).unwrap();
                }
            });
        }
    });
    drop(Emulator::new(Options::new(Vendor::Nvidia)));
}

#[test]
fn a_thread_that_never_ends_is_reported() {
    let text = "
KERNEL @count(ptr %to, i64 %most) {
entry:
  %thread = THREAD
  br label %loop
loop:
  %turn = phi i64 [ 0, %entry ], [ %next, %loop ]
  WAIT
  %next = add i64 %turn, 1
  %more = icmp ne i64 %next, %most
  br i1 %more, label %loop, label %done
done:
  %place = getelementptr i32, ptr %to, i32 %thread
  store i32 1, ptr %place
  ret void
}
KERNEL @spin() {
entry:
  br label %loop
loop:
  br label %loop
}";
    for vendor in VENDORS {
        for wait in ["", "BARRIER"] {
            let options = Options {
                turns: 100,
                ..Options::new(vendor)
            };
            let device = Device::new(options, &text.replace("WAIT", wait));
            let to = device.buffer(&[0; 4]);
            // Each thread has its own turns.
            device.launch("count", 1, 4, &[to, 100]).unwrap();
            assert_eq!(device.numbers(to, 4), [1; 4]);
            for most in [101, 0] {
                let report = device.report("count", 1, 4, &[to, most]);
                let expected = "kernel `count`: thread [0, 0, 0] of block [0, 0, 0] has not ended \
                     after 100 turns of its loops";
                assert_eq!(report, expected);
            }
            let violation = device.violation("spin", 2, 2, &[]);
            assert_eq!(violation, Violation::Endless { turns: 100 });
            device.launch("count", 1, 4, &[to, 100]).unwrap();
        }
    }
}
