//! A full package: 100 files of 10 MiB together, of the kinds of text that skills are made of.

use skillhub_package::pack::{self, SourceFile};
use skillhub_package::{Contents, Limits};

pub(crate) const NAME: &str = "sample";
pub(crate) const DESCRIPTION: &str = "Measures. Use it when speed matters.";

const SEED: u64 = 0x5eed_0003;
/// How many words the texts are made of.
const VOCABULARY: usize = 4000;

/// The files of the package, the same in every run.
pub(crate) fn contents() -> Result<Contents, String> {
    let limits = Limits::default();
    let size = usize::try_from(limits.unpacked_bytes).map_err(|e| e.to_string())? / limits.files;
    let mut writer = Writer::new();
    let mut files = vec![SourceFile { path: "SKILL.md".to_owned(), data: writer.skill_md(size) }];
    files.extend((1..limits.files).map(|number| writer.file(number, size)));
    let packed = pack::from_files(files).map_err(|findings| format!("{findings:?}"))?;
    Ok(packed.contents)
}

/// Writes texts from a vocabulary in which, as in real texts, few words make up most of what is said.
struct Writer {
    words: Vec<String>,
    state: u64,
}

impl Writer {
    fn new() -> Self {
        const SYLLABLES: [&str; 24] = [
            "a", "be", "con", "de", "er", "for", "ge", "in", "ing", "ion", "ka", "le", "ment", "ne", "or", "pro", "re",
            "ses", "the", "ti", "un", "ver", "wa", "y",
        ];
        let mut writer = Self { words: Vec::new(), state: SEED };
        for _ in 0..VOCABULARY {
            let syllables = 1 + writer.below(4);
            let word = (0..syllables).map(|_| SYLLABLES[writer.below(SYLLABLES.len())]).collect();
            writer.words.push(word);
        }
        writer
    }

    /// SplitMix64.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// A word; the first of the vocabulary come most often.
    fn word(&mut self) -> String {
        let bound = 1 + self.below(VOCABULARY);
        let index = self.below(bound).min(self.below(bound));
        self.words[index].clone()
    }

    fn words(&mut self, count: usize) -> String {
        (0..count).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }

    fn skill_md(&mut self, size: usize) -> Vec<u8> {
        let head = format!("---\nname: {NAME}\ndescription: {DESCRIPTION}\nlicense: MIT\n---\n\n");
        self.fill(head, size, Self::prose)
    }

    fn file(&mut self, number: usize, size: usize) -> SourceFile {
        type Kind = (&'static str, &'static str, fn(&mut Writer) -> String);
        const KINDS: [Kind; 8] = [
            ("references", "md", Writer::prose),
            ("scripts", "py", Writer::code),
            ("assets", "json", Writer::record),
            ("references", "md", Writer::ideographs),
            ("scripts", "ts", Writer::code),
            ("assets", "html", Writer::markup),
            ("references", "txt", Writer::prose),
            ("assets", "csv", Writer::row),
        ];
        let (folder, extension, line) = KINDS[number % KINDS.len()];
        let path = format!("{folder}/{}-{number}.{extension}", self.word());
        SourceFile { path, data: self.fill(String::new(), size, line) }
    }

    /// Lines until the size is reached, exactly.
    fn fill(&mut self, mut text: String, size: usize, line: fn(&mut Self) -> String) -> Vec<u8> {
        while text.len() < size {
            text.push_str(&line(self));
        }
        text.truncate(text.floor_char_boundary(size));
        let mut data = text.into_bytes();
        data.resize(size, b'\n');
        data
    }

    fn prose(&mut self) -> String {
        match self.below(12) {
            0 => format!("\n## {}\n\n", self.words(4)),
            1 => format!("- `{}` — {}\n", self.word(), self.words(9)),
            2 => format!("\n```sh\ncurl -fsSLO https://example.com/{}/{}.tar.gz\n```\n\n", self.word(), self.word()),
            3 => format!("See [{}](references/{}.md) for “{}”.\n", self.words(2), self.word(), self.words(3)),
            _ => format!("{}, {}.\n", self.words(11), self.words(5)),
        }
    }

    fn code(&mut self) -> String {
        let (name, other) = (self.word(), self.word());
        match self.below(6) {
            0 => format!("\ndef {name}_{other}({}, {}):\n", self.word(), self.word()),
            1 => format!("    if {name} is None and len({other}) > {}:\n", self.below(100)),
            2 => format!("        raise ValueError(\"{}\")\n", self.words(6)),
            3 => format!("    # {}\n", self.words(8)),
            4 => {
                format!("    {name} = self.{other}[\"{}\"] or os.environ.get(\"{}_TOKEN\")\n", self.word(), self.word())
            }
            _ => format!("    return {name}.{other}({}, {})\n", self.word(), self.below(1000)),
        }
    }

    fn record(&mut self) -> String {
        let (id, score) = (self.next(), self.below(10_000));
        format!(
            "  {{\"id\": \"{id:016x}\", \"name\": \"{}\", \"score\": {score}, \"note\": \"{}\"}},\n",
            self.word(),
            self.words(7)
        )
    }

    fn row(&mut self) -> String {
        format!("{},{},{}.{},{}\n", self.below(100_000), self.word(), self.below(1000), self.below(100), self.words(3))
    }

    fn markup(&mut self) -> String {
        format!("<li class=\"{}\"><a href=\"#{}\">{}</a></li>\n", self.word(), self.word(), self.words(6))
    }

    fn ideographs(&mut self) -> String {
        let count = 12 + self.below(20);
        let text: String = (0..count).filter_map(|_| char::from_u32(0x4e00 + self.below(1500) as u32)).collect();
        format!("{text}，{}。\n", self.word())
    }
}
