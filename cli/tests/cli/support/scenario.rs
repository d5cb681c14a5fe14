//! Scenarios: files with commands and all that they print.
//!
//! | line | means |
//! |---|---|
//! | `# …` | is for the reader |
//! | `$ skillhub …` | runs the command; words are parted by spaces, `"…"` holds one with spaces |
//! | `@ write PATH TEXT` | writes a file of the project; `\n` in the text is a line end |
//! | `@ delete PATH` | deletes a file or folder of the project |
//! | `@ env NAME=VALUE` | sets a variable for all that follows |
//! | `@ publish COORDINATE` | publishes a version to the registry |
//! | `@ spoil` | changes the bytes in the store |
//! | `= N` | the exit code |
//! | `  > …`, `  ! …` | a line of standard output, of standard error |
//!
//! The last two kinds are written anew on each run and compared; `UPDATE_EXPECT=1` keeps what comes of it.

use std::fs;
use std::path::Path;

use expect_test::expect_file;
use skillhub_protocol::{Coordinate, Selector};

use super::{Sandbox, Shop, Skill};

pub(crate) struct Scenario {
    sandbox: Sandbox,
    shop: Shop,
    text: String,
}

impl Scenario {
    /// Runs the commands of a file in `scenarios` and compares what they print.
    pub(crate) fn play(name: &str) {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/scenarios").join(name);
        let sandbox = Sandbox::new();
        let shop = Shop::open(&sandbox);
        shop.sign_in(&sandbox);
        let script = fs::read_to_string(&file).unwrap();
        let mut scenario = Self { sandbox, shop, text: String::new() };
        script.lines().for_each(|line| scenario.step(line));
        expect_file![file].assert_eq(&scenario.text);
    }

    fn step(&mut self, line: &str) {
        let is_result = ["= ", "  > ", "  ! ", "  >", "  !"].iter().any(|prefix| line.starts_with(prefix));
        if is_result {
            return;
        }
        self.text.push_str(&format!("{line}\n"));
        if let Some(command) = line.strip_prefix("$ skillhub") {
            self.run(&words(&self.fill(command)));
        } else if let Some(action) = line.strip_prefix("@ ") {
            self.act(action);
        }
    }

    fn run(&mut self, args: &[String]) {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let ran = self.sandbox.run(&args);
        self.text.push_str(&format!("= {}\n", ran.code));
        for (mark, output) in [('>', &ran.stdout), ('!', &ran.stderr)] {
            for line in self.redact(output).lines() {
                self.text.push_str(format!("  {mark} {line}").trim_end());
                self.text.push('\n');
            }
        }
        if ran.code != 0 && ran.code != 2 && ran.stdout.is_empty() {
            assert!(ran.stderr.contains("hint"), "an error says what to do next: {}", ran.stderr);
        }
    }

    fn act(&mut self, action: &str) {
        let (what, rest) = action.split_once(' ').unwrap_or((action, ""));
        match what {
            "write" => {
                let (path, text) = rest.split_once(' ').unwrap();
                self.sandbox.write(path, self.fill(text).replace("\\n", "\n"));
            }
            "delete" => {
                let path = self.sandbox.project().join(rest);
                let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
                removed.unwrap();
            }
            "env" => {
                let (name, value) = rest.split_once('=').unwrap();
                let value = self.fill(value);
                self.sandbox.set(name, &value);
            }
            "publish" => self.shop.publish(skill(rest)),
            "spoil" => self.shop.spoil(),
            other => panic!("unknown action {other}"),
        }
    }

    /// Text of the file with what is different on each run.
    fn fill(&self, text: &str) -> String {
        text.replace("[REGISTRY]", &self.shop.registry.url())
    }

    fn redact(&self, text: &str) -> String {
        let project = self.sandbox.project();
        let real = project.canonicalize().unwrap();
        let pairs = [
            (self.shop.registry.url(), "[REGISTRY]"),
            (self.shop.store.url(), "[STORE]"),
            (real.display().to_string(), "[PROJECT]"),
            (project.display().to_string(), "[PROJECT]"),
            (self.sandbox.home().display().to_string(), "[HOME]"),
        ];
        let text = pairs.iter().fold(text.to_owned(), |text, (value, name)| text.replace(value, name));
        redact_digests(&text)
    }
}

/// Digests follow from the compressor, which is pinned elsewhere.
fn redact_digests(text: &str) -> String {
    let mut words = Vec::new();
    for word in text.split_inclusive(|c: char| !c.is_ascii_alphanumeric()) {
        let digits = word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
        let is_digest = digits.len() == 64 && digits.bytes().all(|b| b.is_ascii_hexdigit());
        words.push(if is_digest { word.replace(digits, "[SHA256]") } else { word.to_owned() });
    }
    words.concat()
}

fn skill(coordinate: &str) -> Skill {
    let coordinate: Coordinate = coordinate.parse().unwrap();
    let Selector::Version(version) = coordinate.selector() else { panic!("{coordinate} has no version") };
    Skill::new(coordinate.slug().as_str(), &version.to_string()).of(&coordinate.namespace().to_string())
}

fn words(line: &str) -> Vec<String> {
    let (mut words, mut quoted, mut word) = (Vec::new(), false, None::<String>);
    for c in line.chars() {
        match c {
            '"' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            ' ' if !quoted => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}
