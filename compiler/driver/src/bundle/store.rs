use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::recorder::hexadecimal;
use crate::{Fault, files};

/// The bundle's folder: PTX and the script by their names, contents by their hashes.
#[derive(Clone)]
pub struct Store {
    folder: PathBuf,
    known: Arc<Mutex<Known>>,
}

#[derive(Default)]
struct Known {
    /// The contents that have a file.
    written: HashSet<String>,
    /// Those that the script makes itself, by hash.
    generated: BTreeMap<String, Value>,
    /// Why contents have no file: a recorded run fails for it in its own words.
    failed: Option<io::Error>,
}

/// Results of more bytes are held by their hash alone.
const MOST_BYTES: usize = 1 << 20;

const DATA: &str = "data";
const LIST: &str = "bundle.json";

impl Store {
    /// In an existing folder what was a bundle is one no more.
    pub fn create(folder: &Path) -> Result<Store, Fault> {
        let store = Store {
            folder: folder.to_path_buf(),
            known: Arc::default(),
        };
        fs::create_dir_all(folder.join(DATA)).map_err(|error| store.unwritable(&error))?;
        match fs::remove_file(folder.join(LIST)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(store.unwritable(&error)),
            _ => Ok(store),
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), Fault> {
        let written = files::replace(&self.path(name), bytes);
        written.map_err(|error| self.unwritable(&error))
    }

    /// The hash of contents that the script makes: `f32` of `random:SEED` under a key.
    pub fn generated(&self, bytes: &[u8], key: u64) -> String {
        let hash = hash(bytes);
        // A number of 64 bits is no number to every reader of JSON.
        let how = json!({ "key": format!("{key:016x}"), "count": bytes.len() / 4 });
        self.known(|known| known.generated.insert(hash.clone(), how));
        hash
    }

    /// The hash of contents that the script needs.
    pub fn input(&self, bytes: &[u8]) -> io::Result<String> {
        let hash = hash(bytes);
        match self.known(|known| known.generated.contains_key(&hash)) {
            true => Ok(hash),
            false => self.put(hash, bytes),
        }
    }

    /// The hash of contents that the script compares with.
    pub fn expected(&self, bytes: &[u8]) -> io::Result<String> {
        let hash = hash(bytes);
        match bytes.len() > MOST_BYTES {
            true => Ok(hash),
            false => self.put(hash, bytes),
        }
    }

    /// Writes the list of the cases.
    pub fn finish(&self, cases: Vec<Value>) -> Result<(), Fault> {
        let generated = self.known(|known| known.generated.clone());
        let list = json!({ "generated": generated, "cases": cases });
        self.write(LIST, format!("{list}\n").as_bytes())
    }

    fn put(&self, hash: String, bytes: &[u8]) -> io::Result<String> {
        if self.known(|known| known.written.insert(hash.clone()))
            && let Err(error) = files::replace(&self.path(DATA).join(&hash), bytes)
        {
            let kept = io::Error::new(error.kind(), error.to_string());
            self.known(|known| {
                known.failed.get_or_insert(kept);
            });
            return Err(error);
        }
        Ok(hash)
    }

    /// Whether all contents have been written.
    pub fn intact(&self) -> Result<(), Fault> {
        match self.known(|known| known.failed.take()) {
            Some(error) => Err(self.unwritable(&error)),
            None => Ok(()),
        }
    }

    fn known<R>(&self, act: impl FnOnce(&mut Known) -> R) -> R {
        act(&mut self.known.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn unwritable(&self, error: &io::Error) -> Fault {
        let folder = self.folder.display();
        Fault::wrong(None, format!("`{folder}` cannot be written: {error}"))
    }
}

fn hash(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}
