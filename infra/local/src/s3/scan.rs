//! What is there at a start: the files at once, and their keys in the background.

use std::collections::BTreeMap;
use std::fs::{self, DirEntry, File};
use std::io;
use std::mem;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::footer::{self, ObjectMeta};
use super::store::{OpenReport, Store, StoreError, TEMPORARY_PREFIX, at, file_name};
use crate::files;

/// Pauses before a file is tried again that could not be read, though not for being damaged.
const PAUSES: [Duration; 3] = [Duration::from_millis(100), Duration::from_millis(500), Duration::from_secs(2)];

/// The files of each bucket, by its name.
pub(crate) struct Found {
    buckets: BTreeMap<String, Vec<PathBuf>>,
    leftovers: usize,
}

impl Found {
    /// The names of the buckets.
    pub(super) fn buckets(&self) -> impl Iterator<Item = &str> {
        self.buckets.keys().map(String::as_str)
    }

    /// The files, with their buckets.
    fn files(&self) -> impl Iterator<Item = (&str, &Path)> {
        self.buckets.iter().flat_map(|(name, files)| files.iter().map(|file| (name.as_str(), file.as_path())))
    }
}

/// Finds all files, and opens none. Leftovers of uploads are removed.
pub(super) fn find(root: &Path) -> Result<Found, StoreError> {
    let mut found = Found { buckets: BTreeMap::new(), leftovers: 0 };
    fs::create_dir_all(root).and_then(|()| root.parent().map_or(Ok(()), files::sync_dir)).map_err(at(root))?;
    for entry in entries(root)? {
        if let (true, Ok(name)) = (entry.path().is_dir(), entry.file_name().into_string()) {
            let files = find_in_bucket(&entry.path(), &mut found.leftovers)?;
            found.buckets.insert(name, files);
        }
    }
    Ok(found)
}

fn find_in_bucket(dir: &Path, leftovers: &mut usize) -> Result<Vec<PathBuf>, StoreError> {
    let mut found = Vec::new();
    for entry in entries(dir)? {
        let path = entry.path();
        if entry.file_name().as_encoded_bytes().starts_with(TEMPORARY_PREFIX.as_bytes()) {
            files::remove_if_present(&path).map_err(at(&path))?;
            *leftovers += 1;
        } else {
            found.push(path);
        }
    }
    files::sync_dir(dir).map_err(at(dir))?;
    Ok(found)
}

/// Reads the footer of every file that was found: tells `store` its key and `each` its metadata. Files without a sound footer are
/// moved to `damaged`. Ends early if the store is closed.
pub(crate) fn read(
    store: &Store,
    found: Found,
    damaged: &Path,
    closing: &CancellationToken,
    mut each: impl FnMut(&str, &ObjectMeta),
) {
    let report = OpenReport { leftovers: found.leftovers, is_whole: true, ..OpenReport::default() };
    let mut reading = Reading { store, report };
    for (bucket, path) in found.files() {
        if closing.is_cancelled() {
            reading.report.is_whole = false;
            return;
        }
        match learn(store, bucket, path) {
            Ok(Some(meta)) => {
                each(bucket, &meta);
                reading.report.objects += 1;
            }
            Ok(None) => {}
            Err(error) if is_damage(&error) => {
                reading.report.damaged.extend(move_aside(store, path, bucket, damaged));
            }
            Err(error) => {
                tracing::error!(file = %path.display(), %error, "an object can't be read; there are no listings");
                reading.report.is_whole = false;
            }
        }
    }
}

/// Tells the store what was found, however the reading ends.
struct Reading<'a> {
    store: &'a Store,
    report: OpenReport,
}

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        self.report.is_whole &= !thread::panicking();
        self.store.set_report(mem::take(&mut self.report));
    }
}

/// Makes the key of a file known; nothing if the file is gone. What is no fault of the file may pass.
fn learn(store: &Store, bucket: &str, path: &Path) -> io::Result<Option<ObjectMeta>> {
    let mut pauses = PAUSES.into_iter();
    loop {
        match learn_now(store, bucket, path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) if !is_damage(&error) => match pauses.next() {
                Some(pause) => thread::sleep(pause),
                None => return Err(error),
            },
            learned => return learned.map(Some),
        }
    }
}

fn learn_now(store: &Store, bucket: &str, path: &Path) -> io::Result<ObjectMeta> {
    // Nobody removes the file before its key is known.
    let _turn = store.shared_turn();
    let meta = read_object(bucket, path)?;
    store.change(bucket, |keys| keys.insert(meta.key.clone()));
    Ok(meta)
}

fn read_object(bucket: &str, path: &Path) -> io::Result<ObjectMeta> {
    let meta = footer::decode(&mut File::open(path)?)?;
    let is_its_own = path.file_name().is_some_and(|name| *name == *file_name(bucket, &meta.key));
    if is_its_own { Ok(meta) } else { Err(foreign()) }
}

/// Why a file with the name of another object is none.
pub(super) fn foreign() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the key has another file name")
}

/// Whether the file itself is at fault, and not, say, the number of files that are open.
pub(super) fn is_damage(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof)
}

/// Moves a file away, unless a sound one has taken its place by now.
fn move_aside(store: &Store, path: &Path, bucket: &str, damaged: &Path) -> Option<PathBuf> {
    let _turn = store.own_turn();
    let reason = read_object(bucket, path).err().filter(is_damage)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut target = damaged.join(format!("{bucket}.{name}"));
    while target.exists() {
        target.as_mut_os_string().push("+");
    }
    match fs::create_dir_all(damaged).and_then(|()| fs::rename(path, &target)) {
        Ok(()) => {
            tracing::error!(file = %target.display(), %reason, "a damaged object was moved aside");
            Some(target)
        }
        Err(error) => {
            tracing::error!(file = %path.display(), %reason, %error, "a damaged object could not be moved aside");
            None
        }
    }
}

fn entries(dir: &Path) -> Result<Vec<DirEntry>, StoreError> {
    fs::read_dir(dir).and_then(Iterator::collect).map_err(at(dir))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;
    use crate::s3::footer::Checksums;
    use crate::s3::store::{Condition, Keys};

    const BUCKET: &str = "skills";

    fn put(store: &Store, key: &str, condition: &Condition) -> Result<(), StoreError> {
        let (mut file, temporary) = store.begin(BUCKET).unwrap();
        file.write_all(key.as_bytes()).unwrap();
        let meta = ObjectMeta {
            key: key.to_owned(),
            size: key.len() as u64,
            etag: format!("of {key}"),
            modified_ms: 1,
            checksums: Checksums::default(),
            headers: Default::default(),
            user: BTreeMap::new(),
        };
        store.commit((file, temporary), BUCKET, meta, condition)
    }

    /// A store with these objects, and then opened again.
    fn reopened(root: &Path, keys: &[&str]) -> (Store, Found) {
        let (store, _) = Store::open(root).unwrap();
        store.create_bucket(BUCKET).unwrap();
        keys.iter().for_each(|key| put(&store, key, &Condition::Absent).unwrap());
        Store::open(root).unwrap()
    }

    fn file(root: &Path, key: &str) -> PathBuf {
        root.join(BUCKET).join(file_name(BUCKET, key))
    }

    fn keys(store: &Store) -> Vec<String> {
        store.with_keys(BUCKET, |keys| keys.iter().cloned().collect()).unwrap()
    }

    #[test]
    fn objects_are_there_before_their_files_have_been_read_and_listings_wait() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("objects");
        let (store, found) = reopened(&root, &["a", "b", "c"]);
        assert_eq!(store.head(BUCKET, "a").unwrap().etag, "of a");
        assert!(matches!(store.head(BUCKET, "x"), Err(StoreError::NoSuchKey)));
        assert!(matches!(put(&store, "a", &Condition::Absent), Err(StoreError::PreconditionFailed)));
        put(&store, "c", &Condition::Etag("of c".to_owned())).unwrap();
        put(&store, "d", &Condition::Absent).unwrap();
        store.delete(BUCKET, "b", &Condition::Present).unwrap();

        thread::scope(|scope| {
            let (listed, listing) = mpsc::channel();
            let waiting = &store;
            scope.spawn(move || listed.send(keys(waiting)).unwrap());
            assert!(listing.recv_timeout(Duration::from_millis(50)).is_err(), "a listing of what is not known");
            let mut told = Vec::new();
            read(&store, found, dir.path(), &CancellationToken::new(), |_, meta| told.push(meta.key.clone()));
            told.sort_unstable();
            assert_eq!(told, ["a", "c"]);
            assert_eq!(listing.recv().unwrap(), ["a", "c", "d"]);
        });
        let report = OpenReport { objects: 2, is_whole: true, ..OpenReport::default() };
        assert_eq!(*store.report(), report);
    }

    #[test]
    fn a_file_of_another_object_is_damaged_unless_a_sound_one_takes_its_place() {
        let dir = tempfile::tempdir().unwrap();
        let (root, damaged) = (dir.path().join("objects"), dir.path().join("damaged"));
        let (store, found) = reopened(&root, &["a", "b", "c"]);
        fs::copy(file(&root, "a"), file(&root, "b")).unwrap();
        fs::copy(file(&root, "a"), file(&root, "c")).unwrap();
        assert!(matches!(store.head(BUCKET, "b"), Err(StoreError::Damaged { .. })));
        put(&store, "c", &Condition::Always).unwrap();

        read(&store, found, &damaged, &CancellationToken::new(), |_, _| ());
        assert_eq!((store.report().objects, store.report().damaged.len()), (2, 1));
        assert!(matches!(store.head(BUCKET, "b"), Err(StoreError::NoSuchKey)));
        assert_eq!(keys(&store), ["a", "c"]);
        assert_eq!(move_aside(&store, &file(&root, "c"), BUCKET, &damaged), None, "sound by now");
        assert_eq!(store.head(BUCKET, "c").unwrap().key, "c");
    }

    #[test]
    fn a_store_that_is_closed_meanwhile_lists_nothing_rather_than_a_part() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("objects");
        let (store, found) = reopened(&root, &["a"]);
        let closing = CancellationToken::new();
        closing.cancel();
        read(&store, found, dir.path(), &closing, |_, _| ());
        assert!(!store.report().is_whole);
        assert!(matches!(store.with_keys(BUCKET, Keys::len), Err(StoreError::NoListings)));
    }
}
