//! What to do about a folder that holds another skill: a question, where there is somebody to answer it.

use std::io::{BufRead, IsTerminal, Write, stderr, stdin};
use std::path::PathBuf;

use skillhub_protocol::{Slug, is_kebab_case};

use super::Job;
use crate::commands::Context;
use crate::error::Failure;

/// The answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// Into a folder of this name.
    Alias(Slug),
    /// Into another folder of skills.
    Dir(PathBuf),
    /// Not at all.
    Cancel,
}

/// Asks, if a person can see the question and answer it.
pub(super) fn ask_on_terminal(context: &Context, job: &Job, failure: &Failure) -> Choice {
    let is_alone = context.output.is_json() || !stdin().is_terminal() || !stderr().is_terminal();
    if is_alone {
        return Choice::Cancel;
    }
    context.output.warning(failure.message());
    failure.detail_lines().iter().for_each(|line| context.output.note(format!("  {line}")));
    ask(&suggestion(job), &mut stdin().lock(), &mut stderr().lock())
}

/// A name that tells the skill from those of other namespaces.
fn suggestion(job: &Job) -> String {
    let wanted = job.wanted.as_ref().ok();
    let alias = wanted.map(|wanted| format!("{}-{}", wanted.namespace().handle(), wanted.slug()));
    alias.filter(|alias| is_kebab_case(alias)).unwrap_or_else(|| format!("{}-2", job.name))
}

/// Asks until there is an answer; no more input is none.
fn ask(suggestion: &str, input: &mut impl BufRead, output: &mut impl Write) -> Choice {
    loop {
        let question = "install it under another [n]ame, into another [d]irectory, or [c]ancel? [n/d/C] ";
        let choice = match read(question, input, output).as_deref() {
            Some("n") => read(&format!("name [{suggestion}]: "), input, output).and_then(|name| {
                let name = if name.is_empty() { suggestion } else { &name };
                name.parse().ok().filter(|_| is_kebab_case(name)).map(Choice::Alias)
            }),
            Some("d") => {
                let dir = read("directory: ", input, output).filter(|dir| !dir.is_empty());
                dir.map(|dir| Choice::Dir(PathBuf::from(dir)))
            }
            Some("c" | "") | None => Some(Choice::Cancel),
            Some(_) => None,
        };
        if let Some(choice) = choice {
            return choice;
        }
    }
}

/// One line, without the white space around it; `None` if there is no more input.
fn read(question: &str, input: &mut impl BufRead, output: &mut impl Write) -> Option<String> {
    let _ = write!(output, "{question}").and_then(|()| output.flush());
    let mut line = String::new();
    match input.read_line(&mut line) {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(line.trim().to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_out_of_a_conflict_can_be_chosen() {
        let alias = |name: &str| Choice::Alias(name.parse().unwrap());
        for (typed, expected) in [
            ("n\n\n", alias("team-checker")),
            ("n\nmine\n", alias("mine")),
            ("n\n../x\nd\n elsewhere \n", Choice::Dir(PathBuf::from("elsewhere"))),
            ("what?\nc\n", Choice::Cancel),
            ("\n", Choice::Cancel),
            ("d\n", Choice::Cancel),
            ("", Choice::Cancel),
        ] {
            let mut output = Vec::new();
            assert_eq!(ask("team-checker", &mut typed.as_bytes(), &mut output), expected, "{typed:?}");
            assert!(String::from_utf8(output).unwrap().contains("[n/d/C]"));
        }
    }
}
