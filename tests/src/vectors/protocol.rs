//! Vectors of the wire protocol: JSON texts, and whether the contract's parsers accept them.

use std::fmt::Display;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use skillhub_protocol::{DownloadResponse, ListResponse, Manifest, PackagePath, SkillResponse, Slug};

use super::{Outcome, read};

/// A file of protocol vectors, in the form of `protocol-v1.json`.
#[derive(Debug, Deserialize)]
pub struct File {
    /// The vectors, in order.
    pub vectors: Vec<Vector>,
}

/// One input, and what a parser must say of it.
#[derive(Debug, Deserialize)]
pub struct Vector {
    /// What the input is.
    pub kind: Kind,
    /// The name of the vector.
    pub label: String,
    /// JSON text.
    pub input: String,
    /// Whether the contract accepts it.
    pub accept: bool,
    /// What the path of a refusal begins with.
    pub at: Option<String>,
    /// Where Rust differs on purpose from the contract's JavaScript.
    pub rust: Option<Difference>,
}

/// Which parser reads the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A slug.
    Slug,
    /// A package path.
    Path,
    /// A publish manifest.
    Manifest,
    /// A publish manifest with unusual spellings of numbers or keys.
    ManifestRaw,
    /// A list answer.
    List,
    /// A detail answer.
    Get,
    /// A download answer.
    Download,
}

/// A verdict of Rust that is not JavaScript's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Difference {
    /// Refused, though JavaScript accepts it: a lone surrogate is no text.
    Refuse,
}

impl Vector {
    /// Whether the contract's JavaScript agrees with a verdict: `None` is acceptance, a text the path of a refusal.
    ///
    /// # Errors
    /// One line that names the vector and both verdicts.
    pub fn demand(&self, refusal: Option<&str>) -> Result<(), String> {
        self.demand_verdict(self.accept, refusal)
    }

    fn check(&self) -> Result<(), String> {
        let refusal = judge(self.kind, &self.input).map_err(|e| format!("{:?} {:?}: {e}", self.kind, self.label))?;
        self.demand_verdict(self.accept && self.rust.is_none(), refusal.as_deref())
    }

    fn demand_verdict(&self, accept: bool, refusal: Option<&str>) -> Result<(), String> {
        let at = self.at.as_deref().unwrap_or_default();
        match refusal {
            None if accept => Ok(()),
            Some(text) if !accept && text.starts_with(at) => Ok(()),
            None => Err(format!("{:?} {:?}: accepted, must be refused at {at:?}", self.kind, self.label)),
            Some(text) if accept => Err(format!("{:?} {:?}: must be accepted, got: {text}", self.kind, self.label)),
            Some(text) => Err(format!("{:?} {:?}: must be refused at {at:?}, got: {text}", self.kind, self.label)),
        }
    }
}

/// Runs every vector of a file.
///
/// # Errors
/// If the file cannot be read as protocol vectors.
pub fn run(file: &Path) -> Result<Outcome, String> {
    let File { vectors } = read(file)?;
    Ok(Outcome::of(&vectors, Vector::check))
}

/// What our parser says of an input: `None` if it accepts, else the refusal.
///
/// # Errors
/// If what was accepted changes when it is written and read again.
pub fn judge(kind: Kind, input: &str) -> Result<Option<String>, String> {
    match kind {
        Kind::Slug => parse_twice(json::<Slug>, input),
        Kind::Path => parse_twice(json::<PackagePath>, input),
        Kind::Manifest | Kind::ManifestRaw => parse_twice(Manifest::from_json, input),
        Kind::List => parse_twice(ListResponse::from_json, input),
        Kind::Get => parse_twice(SkillResponse::from_json, input),
        Kind::Download => parse_twice(DownloadResponse::from_json, input),
    }
}

fn json<T: DeserializeOwned>(text: &str) -> Result<T, serde_json::Error> {
    serde_json::from_str(text)
}

fn parse_twice<T: Serialize + PartialEq, E: Display>(
    parse: fn(&str) -> Result<T, E>,
    input: &str,
) -> Result<Option<String>, String> {
    let value = match parse(input) {
        Ok(value) => value,
        Err(refusal) => return Ok(Some(refusal.to_string())),
    };
    let written = serde_json::to_string(&value).map_err(|e| format!("accepted, but cannot be written: {e}"))?;
    match parse(&written) {
        Ok(again) if again == value => Ok(None),
        Ok(_) => Err(format!("accepted, but read again it differs: {written}")),
        Err(refusal) => Err(format!("accepted, but refused when read again: {refusal}: {written}")),
    }
}
