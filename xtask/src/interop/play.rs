//! Plays scenarios with a client, and tells what came of every step.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::client::Client;
use super::outside::Outside;
use super::sandbox::{Outcome, Sandbox, files, plain};
use super::scenario::{Gets, Scenario, Step, Who, of_version};
use super::sources::PRIVATE;
use super::stage::Stage;

/// What a client made of some scenarios.
#[derive(Default)]
pub(super) struct Played {
    /// For each scenario, a cell for each step.
    pub(super) cells: Vec<Vec<String>>,
    /// What was not as it should be.
    pub(super) faults: Vec<String>,
}

/// A step of a scenario that is being played.
struct Scene<'a> {
    client: &'a Client,
    /// The index of the client's version.
    version: usize,
    who: Who,
    stage: &'a Stage,
    sandbox: Sandbox<'a>,
    /// Whether the last command was carried out.
    is_done: bool,
}

/// Plays all scenarios, each in folders of its own below `root`.
///
/// # Errors
/// If the folders cannot be made. Whatever a client does is no error, but a fault.
pub(super) fn play(
    (client, version): (&Client, usize),
    scenarios: &[&Scenario],
    (stage, outside): (&Stage, &Outside),
    root: &Path,
) -> Result<Played, String> {
    let mut played = Played::default();
    for (number, scenario) in scenarios.iter().enumerate() {
        let sandbox = Sandbox::new(root.join(format!("{number:02}")), stage, outside)?;
        if let Some(token) = stage.token(scenario.who) {
            client.family.sign_in(&sandbox, token)?;
        }
        let mut scene = Scene { client, version, who: scenario.who, stage, sandbox, is_done: true };
        let mut cells = Vec::new();
        for step in scenario.steps {
            let told = scene.take(step).unwrap_or_else(|fault| {
                let fault = format!("{}, {}: {}\n{fault}", client.title(), scenario.title, step.title());
                println!("{fault}\n");
                played.faults.push(fault);
                "FAULT".to_owned()
            });
            cells.push(told);
        }
        if let Some(path) = scene.leaked()? {
            let title = client.title();
            played.faults.push(format!("{title}, {}: {} has a private skill", scenario.title, path.display()));
        }
        played.cells.push(cells);
    }
    Ok(played)
}

impl Scene<'_> {
    /// Takes a step; gives the cell of the page.
    ///
    /// # Errors
    /// What is not as it should be.
    fn take(&mut self, step: &Step) -> Result<String, String> {
        match step {
            Step::Run(words, _) => {
                let gets = step.gets(self.version).unwrap_or(Gets::Lacks);
                let told = self.run(words, gets);
                self.is_done = matches!((&told, gets), (Ok(_), Gets::Done(_) | Gets::Without(..)));
                return told;
            }
            _ if !self.is_done => return Ok("–".to_owned()),
            Step::Write(path, text) => self.write(path, text)?,
            Step::Remove(path) => {
                let path = self.sandbox.path(path);
                fs::remove_dir_all(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            }
            Step::Same(folder, source) => self.compare(folder, source)?,
            Step::SameEach(folder, sources) => {
                let source = of_version(sources, self.version).ok_or("there is no folder to compare it with")?;
                self.compare(folder, source)?;
                return Ok(format!("`{source}`"));
            }
            Step::Holds(path, text) => {
                let path = self.sandbox.path(path);
                let found = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
                if !found.contains(text) {
                    return Err(format!("it says:\n{found}"));
                }
            }
            Step::Answered(method, route) => self.demand_answered(method, route)?,
        }
        Ok("yes".to_owned())
    }

    fn run(&self, words: &str, gets: Gets) -> Result<String, String> {
        if matches!(gets, Gets::Lacks) {
            return Ok("–".to_owned());
        }
        let outcome = self.sandbox.run(&mut self.command(words)?)?;
        if self.who != Who::Owner && outcome.text.contains(PRIVATE) {
            return Err(format!("it shows a private skill:\n{}", outcome.text));
        }
        judge(&outcome, gets)
    }

    /// The command of these words.
    fn command(&self, words: &str) -> Result<Command, String> {
        let token = self.stage.token(self.who).or(self.stage.token(Who::Owner)).unwrap_or_default();
        let words = words.replace("$REGISTRY", self.stage.registry()).replace("$TOKEN", token);
        let mut words = words.split_whitespace().peekable();
        let mut variables = Vec::new();
        while let Some((name, value)) = words.peek().and_then(|word| word.split_once('=')) {
            variables.push((name.to_owned(), value.to_owned()));
            words.next();
        }
        let mut command = match words.next() {
            Some("skillhub") => self.stage.command(&self.sandbox.project()),
            Some(word) if word == self.client.family.word() => self.client.command(&self.sandbox),
            other => return Err(format!("{other:?} is no client")),
        };
        command.args(words).envs(variables);
        Ok(command)
    }

    fn write(&self, path: &str, text: &str) -> Result<(), String> {
        let path = self.sandbox.path(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        }
        let text = text.replace("$REGISTRY", self.stage.registry());
        fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))
    }

    /// Compares an installed skill with a source. What clients note about it lies in hidden folders, which no package has.
    fn compare(&self, folder: &str, source: &str) -> Result<(), String> {
        let is_visible = |path: &Path| !path.to_string_lossy().starts_with('.');
        let installed = files(&self.sandbox.path(folder), is_visible)?;
        let source = files(&self.sandbox.path(source), |_| true)?;
        if installed == source {
            return Ok(());
        }
        let differs = |path: &&std::path::PathBuf| installed.get(*path) != source.get(*path);
        let differing: Vec<_> = installed.keys().chain(source.keys()).filter(differs).collect();
        Err(format!("{} and {} files differ in {differing:?}", installed.len(), source.len()))
    }

    /// The registry's log has a line of each request before its answer is sent, so it is complete when a client has ended.
    fn demand_answered(&self, method: &str, route: &str) -> Result<(), String> {
        let path = self.stage.log();
        let log = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let line = format!("method={method} route=\"{route}\" status=200");
        if plain(&log).contains(&line) { Ok(()) } else { Err(format!("{} has no {line}", path.display())) }
    }

    /// A file of the scenario that has a private skill, if the client must not see one.
    fn leaked(&self) -> Result<Option<std::path::PathBuf>, String> {
        if self.who == Who::Owner { Ok(None) } else { self.sandbox.find(PRIVATE) }
    }
}

/// The cell of an outcome.
///
/// # Errors
/// If it is not what it must be: all of it.
fn judge(outcome: &Outcome, gets: Gets) -> Result<String, String> {
    let (word, code, texts, unwanted): (_, _, _, &[&str]) = match gets {
        Gets::Done(texts) => ("yes", 0, texts, &[]),
        Gets::Without(texts, unwanted) => ("yes", 0, texts, unwanted),
        Gets::Refused(texts) => ("no", 1, texts, &[]),
        Gets::Lacks => return Ok("–".to_owned()),
    };
    let lacking: Vec<_> = texts.iter().filter(|text| !outcome.text.contains(**text)).collect();
    let surplus: Vec<_> = unwanted.iter().filter(|text| outcome.text.contains(**text)).collect();
    if outcome.code != Some(code) || !lacking.is_empty() || !surplus.is_empty() {
        let ended = outcome.code.map_or("a signal".to_owned(), |code| format!("code {code}"));
        let said = format!("it does not say {lacking:?}, and says {surplus:?}, which it must not");
        return Err(format!("it ended with {ended} where code {code} is due, {said}:\n{}", outcome.text));
    }
    let cell = texts.first().map_or_else(|| word.to_owned(), |text| format!("{word}: {text}"));
    if unwanted.is_empty() { Ok(cell) } else { Ok(format!("{cell}; without: {}", unwanted.join(", "))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_is_held_against_what_it_must_say_and_what_it_must_not() {
        let told = |code, text: &str, gets| judge(&Outcome { code: Some(code), text: text.to_owned() }, gets);
        let without = Gets::Without(&["tools"], &["plans", "secrets"]);
        assert_eq!(told(0, "tools v1", without).as_deref(), Ok("yes: tools; without: plans, secrets"));
        for (code, text) in [(0, "tools, plans"), (0, "tools, secrets"), (0, "other"), (1, "tools")] {
            assert!(told(code, text, without).is_err(), "{code} {text}");
        }
        assert_eq!(told(0, "", Gets::Without(&[], &["plans"])).as_deref(), Ok("yes; without: plans"));
        assert_eq!(told(0, "tools", Gets::Done(&["tools"])).as_deref(), Ok("yes: tools"));
        assert_eq!(told(1, "tools", Gets::Refused(&[])).as_deref(), Ok("no"));
        assert!(told(0, "", Gets::Refused(&[])).is_err());
    }
}
