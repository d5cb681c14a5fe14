//! `functions/download`.

use http::Method;
use skillhub_protocol::DownloadResponse;

use crate::operation::Operation;

pub(crate) fn operations() -> Vec<Operation> {
    let path = "/api/skills/{skillId}/versions/{versionId}/download";
    let download = Operation::new(Method::GET, path, "download", "skills", "A URL that reads a package")
        .about("The URL is HTTPS and works for at most 300 seconds. Compare size and digest of what it gives.")
        .reader()
        .fails(410, &["blocked"])
        .answers_with::<DownloadResponse>(200, "The URL, which is a credential.", &["Cache-Control"]);
    vec![download]
}
