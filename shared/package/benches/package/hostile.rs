//! The archives of the vectors that must be refused.

use std::fs;
use std::path::Path;

use skillhub_package::Report;

use crate::look_at;

/// One hostile archive.
pub(crate) struct Archive {
    pub(crate) name: String,
    bytes: Vec<u8>,
}

/// All of them, as the index of a folder of vectors lists them.
pub(crate) fn load(folder: &Path) -> Result<Vec<Archive>, String> {
    let read = |name: &str| fs::read(folder.join(name)).map_err(|e| format!("{name}: {e}"));
    let index: serde_json::Value = serde_json::from_slice(&read("index.json")?).map_err(|e| e.to_string())?;
    let cases = index["cases"].as_array().ok_or("index.json lists no cases")?;
    let refused = cases.iter().filter(|case| case["verdict"] == "refuse");
    let archive = |case: &serde_json::Value| {
        let name = case["file"].as_str().unwrap_or_default().to_owned();
        Ok(Archive { bytes: read(&name)?, name })
    };
    refused.map(archive).collect()
}

impl Archive {
    pub(crate) fn refuse(&self) -> Result<Report, String> {
        match look_at(&self.bytes) {
            Report { package: Some(_), .. } => Err(format!("{} is accepted", self.name)),
            report => Ok(report),
        }
    }
}
