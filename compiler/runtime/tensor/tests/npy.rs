//! `.npy` files, and each way in which one is not the array that was expected.

use std::fs;
use std::path::PathBuf;

use shared_types::ScalarType;
use tensor::{NpyError, Scalar, Tensor, npy};

/// A folder of the test's own, gone afterwards.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let root = std::env::var_os("TEST_TMPDIR").map_or_else(std::env::temp_dir, PathBuf::from);
        let path = root.join(format!("npy-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

/// A file of version 1 with these entries and this data.
fn file(descriptor: &str, fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let text =
        format!("{{'descr': {descriptor}, 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.extend(data);
    bytes
}

#[test]
fn every_type_returns_from_a_file() {
    let folder = Folder::new("types");
    for scalar in ScalarType::ALL {
        for shape in [&[][..], &[0], &[3], &[2, 3]] {
            let path = folder.0.join(format!("{scalar}.npy"));
            let sent = tensor::random(3, "x", scalar, shape).unwrap();
            npy::write(&path, &sent).unwrap();
            let received = npy::read(&path, scalar, shape).unwrap();
            assert!(received.same_bits(&sent), "{scalar} {shape:?}");
        }
    }
    let left: Vec<_> = fs::read_dir(&folder.0).unwrap().collect();
    assert_eq!(
        left.len(),
        ScalarType::ALL.len(),
        "no temporary file is left"
    );
}

#[test]
fn a_file_is_what_numpy_writes() {
    // np.save of np.array([[1, 2, 3]], dtype="int16"), NumPy 2.4.
    let mut expected = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    expected.extend(b"{'descr': '<i2', 'fortran_order': False, 'shape': (1, 3), }");
    expected.extend(vec![b' '; 127 - expected.len()]);
    expected.extend(b"\n\x01\x00\x02\x00\x03\x00");
    let tensor = Tensor::from_slice(&[1, 3], &[1i16, 2, 3]).unwrap();
    assert_eq!(npy::encode(&tensor), expected);
}

#[test]
fn a_header_past_64_kib_takes_version_2() {
    let shape = vec![1; 30_000];
    let tensor = Tensor::zeros(ScalarType::U8, &shape).unwrap();
    let bytes = npy::encode(&tensor);
    assert_eq!(bytes[6..8], [2, 0]);
    let read = npy::decode(&bytes[..], ScalarType::U8, &shape).unwrap();
    assert!(read.same_bits(&tensor));
}

#[test]
fn halves_and_characters_are_stored_as_their_bits() {
    let bits = file("'<u2'", "False", "(1,)", &[0x80, 0x3f]);
    let read = npy::decode(&bits[..], ScalarType::Bf16, &[1]).unwrap();
    assert_eq!(read.get(0), Ok(Scalar::Bf16(half::bf16::ONE)));
    let code = file("'<u4'", "False", "()", &[0x41, 0, 0, 0]);
    let read = npy::decode(&code[..], ScalarType::Char, &[]).unwrap();
    assert_eq!(read.get(0), Ok(Scalar::Char('A')));
    let surrogate = file("'<u4'", "False", "()", &[0, 0xd8, 0, 0]);
    let error = npy::decode(&surrogate[..], ScalarType::Char, &[]).unwrap_err();
    assert_eq!(error.to_string(), "the element at position 0 is no char");
}

#[test]
fn refusals_name_what_was_expected_and_found() {
    let array = |descriptor, fortran, shape| file(descriptor, fortran, shape, &[0; 8]);
    let cases = [
        (vec![], "not a .npy file"),
        (b"PK\x03\x04 a zip file".to_vec(), "not a .npy file"),
        (
            b"\x93NUMPY\x09\x00\x10\x00".to_vec(),
            "version 1, 2 or 3 of the .npy format was expected, found 9.0",
        ),
        (
            b"\x93NUMPY\x01\x00\x10\x00{".to_vec(),
            "malformed .npy header: it is truncated",
        ),
        (
            b"\x93NUMPY\x02\x00\xff\xff\xff\xff{".to_vec(),
            "malformed .npy header: it is truncated",
        ),
        (
            array("'<f8'", "False", "(2,)"),
            "expected dtype '<f4', found dtype '<f8'",
        ),
        (
            array("'>f4'", "False", "(2,)"),
            "expected dtype '<f4', found dtype '>f4' (big-endian)",
        ),
        (
            array("'|O'", "False", "(2,)"),
            "expected dtype '<f4', found dtype '|O' (Python objects)",
        ),
        (
            array("'<f4'", "True", "(2,)"),
            "expected row-major (C) order, found Fortran order",
        ),
        (
            array("'<f4'", "False", "(2, 1)"),
            "expected shape (2,), found (2, 1)",
        ),
        (
            array("'<f4'", "False", "(4294967296, 4294967296)"),
            "the shape (4294967296, 4294967296) overflows: more than 2^63 elements",
        ),
        (
            file("'<f4'", "False", "(2,)", &[0; 7]),
            "truncated: expected 8 bytes of data, found 7",
        ),
        (
            file("'<f4'", "False", "(2,)", &[0; 9]),
            "expected the file to end after 8 bytes of data, found more",
        ),
    ];
    for (bytes, expected) in cases {
        let refusal = npy::decode(&bytes[..], ScalarType::F32, &[2]).unwrap_err();
        assert_eq!(refusal.to_string(), expected);
    }
}

#[test]
fn any_cut_of_a_file_is_refused() {
    let tensor = Tensor::from_slice(&[2], &[1.0f32, 2.0]).unwrap();
    let bytes = npy::encode(&tensor);
    for length in 0..bytes.len() {
        assert!(npy::decode(&bytes[..length], ScalarType::F32, &[2]).is_err());
    }
}

#[test]
fn files_that_cannot_be_had() {
    let folder = Folder::new("missing");
    let missing = npy::read(&folder.0.join("no.npy"), ScalarType::F32, &[]);
    assert!(matches!(missing, Err(NpyError::Read(_))));
    let a_folder = npy::read(&folder.0, ScalarType::F32, &[]);
    assert!(matches!(a_folder, Err(NpyError::Read(_))));
    let tensor = Tensor::zeros(ScalarType::F32, &[]).unwrap();
    let nowhere = npy::write(&folder.0.join("no/such.npy"), &tensor);
    assert!(matches!(nowhere, Err(NpyError::Write(_))));
    let onto_a_folder = npy::write(&folder.0, &tensor);
    assert!(matches!(onto_a_folder, Err(NpyError::Write(_))));
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_a_device_a_device() {
    let folder = Folder::new("link");
    let (target, link) = (folder.0.join("target.npy"), folder.0.join("link.npy"));
    fs::write(&target, b"old").unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    let tensor = Tensor::from_slice(&[1], &[7u8]).unwrap();
    npy::write(&link, &tensor).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read(&target).unwrap(), npy::encode(&tensor));
    let null = PathBuf::from("/dev/null");
    npy::write(&null, &tensor).unwrap();
    assert!(!fs::metadata(&null).unwrap().is_file());
}
