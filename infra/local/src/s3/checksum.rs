//! Checksums that a client declares, and those of the bytes that came.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderMap;
use s3s::checksum::ChecksumHasher;
use s3s::crypto::{Checksum as _, Crc32, Crc32c, Crc64Nvme, Md5, Sha1, Sha256};
use s3s::dto::{Checksum, PutObjectInput};
use s3s::{S3Error, S3Result, TrailingHeaders, s3_error};

use super::footer::Checksums;

/// What the client says about its body: headers, and names of trailers that are to follow the body.
pub(crate) struct Declared {
    sums: Checksum,
    trailers: Vec<String>,
    md5: Option<String>,
}

impl Declared {
    pub(crate) fn of(input: &PutObjectInput, headers: &HeaderMap) -> Self {
        let sums = Checksum {
            checksum_crc32: input.checksum_crc32.clone(),
            checksum_crc32c: input.checksum_crc32c.clone(),
            checksum_crc64nvme: input.checksum_crc64nvme.clone(),
            checksum_sha1: input.checksum_sha1.clone(),
            checksum_sha256: input.checksum_sha256.clone(),
            ..Checksum::default()
        };
        let trailers = headers.get_all("x-amz-trailer").iter().filter_map(|value| value.to_str().ok());
        let trailers = trailers.flat_map(|value| value.split(',')).map(|name| name.trim().to_ascii_lowercase());
        Self { sums, trailers: trailers.collect(), md5: input.content_md5.clone() }
    }

    /// A hasher for all that was declared.
    pub(crate) fn hasher(&self) -> BodyHasher {
        let mut sums = ChecksumHasher::default();
        let wants = |name: &str, value: &Option<String>| {
            value.is_some() || self.trailers.iter().any(|trailer| trailer.strip_prefix("x-amz-checksum-") == Some(name))
        };
        sums.sha256 = Some(Sha256::new());
        sums.crc32 = wants("crc32", &self.sums.checksum_crc32).then(Crc32::new);
        sums.crc32c = wants("crc32c", &self.sums.checksum_crc32c).then(Crc32c::new);
        sums.crc64nvme = wants("crc64nvme", &self.sums.checksum_crc64nvme).then(Crc64Nvme::new);
        sums.sha1 = wants("sha1", &self.sums.checksum_sha1).then(Sha1::new);
        BodyHasher { sums, md5: Md5::new() }
    }

    /// Fails unless everything declared, in headers and in trailers, is what the body has.
    pub(crate) fn verify(&self, body: &Digests, trailers: Option<&TrailingHeaders>) -> S3Result<()> {
        let trailer = |name: &str| trailers?.read(|map| Some(map.get(name)?.to_str().ok()?.trim().to_owned()))?;
        for (name, declared, actual) in [
            ("x-amz-checksum-crc32", &self.sums.checksum_crc32, body.sums.crc32.as_deref()),
            ("x-amz-checksum-crc32c", &self.sums.checksum_crc32c, body.sums.crc32c.as_deref()),
            ("x-amz-checksum-crc64nvme", &self.sums.checksum_crc64nvme, body.sums.crc64nvme.as_deref()),
            ("x-amz-checksum-sha1", &self.sums.checksum_sha1, body.sums.sha1.as_deref()),
            ("x-amz-checksum-sha256", &self.sums.checksum_sha256, Some(body.sums.sha256.as_str())),
        ] {
            let announced = self.trailers.iter().any(|trailer| trailer == name);
            let late = if announced { Some(trailer(name).ok_or_else(|| missing(name))?) } else { None };
            if [declared.as_ref(), late.as_ref()].into_iter().flatten().any(|sum| Some(sum.as_str()) != actual) {
                return Err(s3_error!(BadDigest, "the body differs from {name}"));
            }
        }
        match &self.md5 {
            Some(md5) if *md5 != body.md5_base64() => Err(s3_error!(BadDigest, "the body differs from content-md5")),
            _ => Ok(()),
        }
    }
}

fn missing(trailer: &str) -> S3Error {
    s3_error!(InvalidRequest, "the announced trailer {trailer} is missing")
}

/// Hashes a body as it arrives.
pub(crate) struct BodyHasher {
    sums: ChecksumHasher,
    md5: Md5,
}

impl BodyHasher {
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.sums.update(bytes);
        self.md5.update(bytes);
    }

    pub(crate) fn finish(self) -> Digests {
        let sums = self.sums.finalize();
        Digests {
            sums: Checksums {
                sha256: sums.checksum_sha256.unwrap_or_default(),
                crc32: sums.checksum_crc32,
                crc32c: sums.checksum_crc32c,
                crc64nvme: sums.checksum_crc64nvme,
                sha1: sums.checksum_sha1,
            },
            md5: self.md5.finalize().as_ref().to_vec(),
        }
    }
}

/// Digests of a body that arrived.
pub(crate) struct Digests {
    pub(crate) sums: Checksums,
    md5: Vec<u8>,
}

impl Digests {
    /// The ETag, as S3 makes it for an object written in one piece.
    pub(crate) fn etag(&self) -> String {
        hex::encode(&self.md5)
    }

    fn md5_base64(&self) -> String {
        base64_of(&self.md5)
    }
}

/// Base64 with padding, as S3 writes digests.
pub(crate) fn base64_of(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}
