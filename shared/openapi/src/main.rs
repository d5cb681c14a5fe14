//! Writes the OpenAPI document to standard output.

use std::io::Write as _;

fn main() -> std::io::Result<()> {
    std::io::stdout().write_all(skillhub_openapi::text()?.as_bytes())
}
