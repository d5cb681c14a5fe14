//! `docs/interop.md`.

use std::fmt::Write as _;

use super::Told;
use super::answers::Compared;
use super::client::Family;
use super::scenario::{Scenario, Who};

/// The page about what the clients made of their scenarios.
pub(super) fn render(told: &[Told], answers: &Compared) -> String {
    let mut page = include_str!("page.md").replace("{answers}", &answers.count.to_string());
    for told in told {
        page = page.replace(&format!("{{{}}}", told.family.word()), tables(told).trim_end());
        page = page.replace(&format!("{{{} versions}}", told.family.word()), &told.versions.join(", "));
    }
    page
}

/// A table for each scenario: its steps, and what each version made of them.
fn tables(told: &Told) -> String {
    let mut text = String::new();
    for (number, scenario) in told.scenarios.iter().enumerate() {
        let _ = writeln!(text, "### {}{}\n", scenario.title, reader(told.family, scenario));
        line(&mut text, "step", told.versions.iter().copied());
        line(&mut text, "---", told.versions.iter().map(|_| "---"));
        for (index, step) in scenario.steps.iter().enumerate() {
            let cells = told.played.iter().map(|played| played.cells.get(number).and_then(|cells| cells.get(index)));
            line(&mut text, &step.title(), cells.map(|cell| cell.map_or("", String::as_str)));
        }
        text.push('\n');
    }
    text
}

/// Who is asking, where that is not said already.
fn reader(family: Family, scenario: &Scenario) -> &'static str {
    match scenario.who {
        Who::Owner if family == Family::Clawhub && !scenario.title.contains("owner") => " (as an owner)",
        Who::Stranger if !scenario.title.contains("stranger") => " (as a stranger)",
        Who::Owner | Who::Stranger | Who::Nobody => "",
    }
}

fn line<'a>(text: &mut String, first: &'a str, cells: impl Iterator<Item = &'a str>) {
    let cells: Vec<String> = [first].into_iter().chain(cells).map(|cell| cell.replace('|', "\\|")).collect();
    let _ = writeln!(text, "| {} |", cells.join(" | "));
}
