//! The one check that MLIR and LLVM are the same copy of LLVM (backend specification, §MLIR to
//! LLVM IR): `mlir-sys` and `llvm-sys` are resolved apart, and two copies would exchange pointers
//! that mean nothing to each other.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::{Path, PathBuf};

use crate::{Failure, MlirError};

/// Fails where the LLVM that MLIR was linked with is not the one that inkwell calls.
pub(crate) fn check_one_llvm() -> Result<(), MlirError> {
    let mlir = mlir_sys::mlirTranslateModuleToLLVMIR as *const c_void;
    let llvm = inkwell::llvm_sys::core::LLVMContextCreate as *const c_void;
    compare(llvm_behind(mlir), llvm)
}

/// Fails where the two addresses of one LLVM function lie in different files; the message names
/// both. A file that cannot be found out is not held against anyone.
fn compare(behind_mlir: Option<*const c_void>, ours: *const c_void) -> Result<(), MlirError> {
    let (Some(theirs), Some(ours)) = (behind_mlir.and_then(file_of), file_of(ours)) else {
        return Ok(());
    };
    if same_file(&theirs, &ours) {
        return Ok(());
    }
    let message = format!(
        "two copies of LLVM are loaded: MLIR uses {}, and LLVM IR is built with {}",
        theirs.display(),
        ours.display()
    );
    Err(MlirError::TranslationFailed(Failure::new(message)))
}

fn same_file(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => a == b,
    }
}

#[cfg(unix)]
#[repr(C)]
struct DlInfo {
    file: *const c_char,
    base: *mut c_void,
    symbol: *const c_char,
    address: *mut c_void,
}

#[cfg(unix)]
unsafe extern "C" {
    fn dladdr(address: *const c_void, info: *mut DlInfo) -> c_int;
    fn dlopen(file: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(handle: *mut c_void, symbol: *const c_char) -> *mut c_void;
}

/// The file that an address was loaded from.
#[cfg(unix)]
fn file_of(address: *const c_void) -> Option<PathBuf> {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let mut info = std::mem::MaybeUninit::<DlInfo>::zeroed();
    // SAFETY: dladdr takes any address and fills `info` where it answers non-zero; zeroed, it is
    // valid either way. The name lives as long as the file stays loaded, and is copied here.
    unsafe {
        if dladdr(address, info.as_mut_ptr()) == 0 {
            return None;
        }
        let file = info.assume_init().file;
        (!file.is_null()).then(|| OsStr::from_bytes(CStr::from_ptr(file).to_bytes()).into())
    }
}

/// `LLVMContextCreate` as the file that holds `mlir` finds it: in itself, then in what it links.
#[cfg(unix)]
fn llvm_behind(mlir: *const c_void) -> Option<*const c_void> {
    use std::ffi::CString;
    use std::os::unix::ffi::OsStringExt;

    const RTLD_LAZY: c_int = 1;
    let file = CString::new(file_of(mlir)?.into_os_string().into_vec()).ok()?;
    // SAFETY: the file is loaded already, so this runs no initializer; the handle is never
    // closed, so the address stays valid.
    let address = unsafe {
        let handle = dlopen(file.as_ptr(), RTLD_LAZY);
        if handle.is_null() {
            return None; // the program itself: MLIR is linked statically, beside its LLVM
        }
        dlsym(handle, c"LLVMContextCreate".as_ptr())
    };
    (!address.is_null()).then_some(address.cast_const())
}

#[cfg(not(unix))]
fn file_of(_address: *const c_void) -> Option<PathBuf> {
    None
}

#[cfg(not(unix))]
fn llvm_behind(_mlir: *const c_void) -> Option<*const c_void> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::ffi::CString;
    use std::fs;
    use std::os::unix::ffi::OsStrExt;

    unsafe extern "C" {
        fn dlmopen(link_map: isize, file: *const c_char, flags: c_int) -> *mut c_void;
    }

    #[test]
    fn this_process_has_one() {
        assert_eq!(check_one_llvm(), Ok(()));
        let mlir = mlir_sys::mlirTranslateModuleToLLVMIR as *const c_void;
        let found = llvm_behind(mlir).and_then(file_of).unwrap();
        assert!(found.to_string_lossy().contains("LLVM"), "{found:?}");
    }

    #[test]
    fn two_copies_are_named() {
        let ours = inkwell::llvm_sys::core::LLVMContextCreate as *const c_void;
        let original = file_of(ours).unwrap();
        let folder = std::env::temp_dir().join(format!("two-llvms-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let copy = folder.join("libLLVM-copy.so");
        fs::copy(&original, &copy).unwrap();
        let name = CString::new(copy.as_os_str().as_bytes()).unwrap();
        // SAFETY: the copy gets a link map of its own, so that neither sees the other's state, and
        // is never called.
        let theirs = unsafe {
            const LM_ID_NEWLM: isize = -1;
            const RTLD_LAZY: c_int = 1;
            let handle = dlmopen(LM_ID_NEWLM, name.as_ptr(), RTLD_LAZY);
            assert!(!handle.is_null());
            dlsym(handle, c"LLVMContextCreate".as_ptr()).cast_const()
        };
        let error = compare(Some(theirs), ours).unwrap_err().to_string();
        fs::remove_dir_all(&folder).unwrap();
        assert!(error.contains("libLLVM-copy.so"), "{error}");
        assert!(error.contains(&*original.to_string_lossy()), "{error}");
    }
}
