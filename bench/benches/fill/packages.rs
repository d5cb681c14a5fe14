//! Packages as people publish them, the same for the same seed. Half of their text compresses well, half does not.

use std::ops::Range;

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use serde::Serialize;
use skillhub_package::Contents;
use skillhub_package::pack::{self, SourceFile};
use skillhub_protocol::Manifest;

/// How many files a package has, and how many bytes each of them.
pub(crate) struct Shape {
    pub(crate) files: usize,
    pub(crate) bytes: Range<usize>,
}

/// 8 KB together on average.
pub(crate) const SMALL: Shape = Shape { files: 4, bytes: 300..3700 };
const WORDS: [&str; 32] = [
    "read", "the", "file", "before", "you", "change", "it", "and", "look", "at", "what", "came", "of", "that", "when",
    "a", "step", "fails", "say", "why", "then", "ask", "for", "advice", "keep", "each", "answer", "short", "with",
    "examples", "in", "order",
];
const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/// The version of every package.
const VERSION: &str = "1.0.0";

/// One package: text files only, `SKILL.md` first.
#[derive(Serialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) description: String,
    /// Paths and texts.
    pub(crate) files: Vec<(String, String)>,
}

impl Package {
    /// `SKILL.md` and other files, in turn of words and of noise.
    pub(crate) fn new(seed: u64, name: String, shape: &Shape) -> Self {
        let mut writer = Writer::new(seed, &name);
        let description = format!("Use this when {} {} is wanted.", writer.word(), writer.word());
        let head = format!("---\nname: {name}\ndescription: {description}\n---\n\n# {name}\n\n");
        let bytes = writer.0.random_range(shape.bytes.clone());
        let mut files = vec![("SKILL.md".to_owned(), head + &writer.prose(bytes))];
        for number in 1..shape.files {
            let bytes = writer.0.random_range(shape.bytes.clone());
            files.push(match number % 2 {
                0 => (format!("references/{number}.md"), writer.prose(bytes)),
                _ => (format!("assets/{number}.txt"), writer.noise(bytes)),
            });
        }
        Self { name, description, files }
    }

    /// The files as a package has them, each below `folder`, which is empty or ends with `/`.
    pub(crate) fn contents(&self, folder: &str) -> Result<Contents, String> {
        let source = |(path, text): &(String, String)| SourceFile {
            path: format!("{folder}{path}"),
            data: text.clone().into_bytes(),
        };
        let packed = pack::from_files(self.files.iter().map(source).collect());
        packed.map(|packed| packed.contents).map_err(|findings| format!("{}: {findings:?}", self.name))
    }

    /// The manifest of those contents.
    pub(crate) fn manifest(&self, contents: &Contents) -> Result<Manifest, String> {
        let fault = |e: &dyn std::fmt::Display| format!("{}: {e}", self.name);
        let slug = self.name.parse().map_err(|e| fault(&e))?;
        let name = self.name.parse().map_err(|e| fault(&e))?;
        let description = self.description.parse().map_err(|e| fault(&e))?;
        let version = VERSION.parse().map_err(|e| fault(&e))?;
        contents.manifest(slug, name, description, version).map_err(|e| fault(&e))
    }
}

/// Writes texts.
struct Writer(StdRng);

impl Writer {
    /// The same for the same seed and name.
    fn new(seed: u64, name: &str) -> Self {
        let hash = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Self(StdRng::seed_from_u64(name.bytes().fold(seed ^ 0xcbf2_9ce4_8422_2325, hash)))
    }

    fn word(&mut self) -> &'static str {
        WORDS[self.0.random_range(0..WORDS.len())]
    }

    /// Lines of words.
    fn prose(&mut self, bytes: usize) -> String {
        let mut text = String::with_capacity(bytes + 16);
        let mut line = 0;
        while text.len() < bytes {
            let word = self.word();
            line = if line + word.len() > 72 { 0 } else { line + word.len() + 1 };
            text.push_str(word);
            text.push(if line == 0 { '\n' } else { ' ' });
        }
        text.push('\n');
        text
    }

    /// Lines of letters at random.
    fn noise(&mut self, bytes: usize) -> String {
        let letter = |i: usize| match i % 76 {
            75 => '\n',
            _ => char::from(LETTERS[self.0.random_range(0..LETTERS.len())]),
        };
        (0..bytes).map(letter).collect()
    }
}
