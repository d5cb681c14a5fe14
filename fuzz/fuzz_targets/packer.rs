//! The packer, on ordinary ZIPs.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skillhub_package::pack::{from_zip, left_out_reason};
use skillhub_package::{Limits, PackageFile, canonical, read};

fuzz_target!(|archive: &[u8]| {
    let limits = Limits { unpacked_bytes: 1 << 20, file_bytes: 256 << 10, ..Limits::default() };
    let Ok(packed) = from_zip(archive, &limits) else { return };
    let contents = packed.contents;
    assert!(contents.files().iter().map(PackageFile::size_bytes).sum::<u64>() <= limits.unpacked_bytes);
    assert!(contents.files().iter().all(|file| left_out_reason(file.path().as_str()).is_none()));

    let archive = canonical(&contents).bytes;
    let any = Limits { files: usize::MAX, depth: usize::MAX, archive_bytes: u64::MAX, ..limits };
    assert_eq!(read(&archive, &any).as_ref(), Ok(&contents));
    if contents.get("SKILL.md").is_some() {
        let again = from_zip(&archive, &limits).expect("what is packed can be packed again");
        assert!(again.left_out.is_empty());
        assert_eq!(again.contents, contents);
    }
});
