//! Refused skills: why, in full.

use std::collections::BTreeMap;

use super::client::{Batch, Failure, Outcome, Verdict};
use super::fetch::Pack;

/// Prints a table of the packs: how many skills each has, how many are published, and how many are refused for which reason.
pub(crate) fn print_table(batches: &[(&Pack, Batch)]) {
    println!("\n{:20}{:>8}{:>11}  refused", "pack", "skills", "published");
    for (pack, batch) in batches {
        let published = batch.skills.iter().filter(|verdict| verdict.is_there()).count();
        println!("{:20}{:>8}{published:>11}  {}", pack.name, batch.skills.len(), by_code(batch));
    }
    println!();
}

fn by_code(batch: &Batch) -> String {
    let mut codes = BTreeMap::<&str, usize>::new();
    for failure in batch.skills.iter().filter_map(|verdict| verdict.error.as_ref()) {
        *codes.entry(&failure.code).or_default() += 1;
    }
    let codes: Vec<String> = codes.iter().map(|(code, count)| format!("{code} {count}")).collect();
    if codes.is_empty() { "none".to_owned() } else { codes.join(", ") }
}

/// Prints every refusal. A skill is refused for what is in it, so each refusal has errors, and each error tells its code, where
/// it is, and what is wrong.
///
/// # Errors
/// If a skill failed for another reason or with less, the client was silent about one, or others are refused than before.
pub(crate) fn demand(pack: &Pack, batch: &Batch) -> Result<(), String> {
    let refused: Vec<&Verdict> = batch.skills.iter().filter(|verdict| !verdict.is_there()).collect();
    refused.iter().try_for_each(|verdict| explain(verdict))?;
    if (batch.skills.len(), refused.len()) == (pack.count, pack.refused) {
        return Ok(());
    }
    let (all, refused) = (batch.skills.len(), refused.len());
    Err(format!("{}: {refused} of {all} skills are refused, not {} of {}", pack.name, pack.refused, pack.count))
}

fn explain(verdict: &Verdict) -> Result<(), String> {
    let source = verdict.source.display();
    let (Outcome::Failed, Some(failure)) = (verdict.outcome, &verdict.error) else {
        return Err(format!("{source}: {:?} without an error", verdict.outcome));
    };
    println!("refused {source}");
    failure.findings.iter().for_each(|finding| println!("  {}", finding.to_string().replace('\n', "\n  ")));
    if is_complete(failure) { Ok(()) } else { Err(format!("{source}: [{}] {}", failure.code, failure.message)) }
}

fn is_complete(failure: &Failure) -> bool {
    let mut errors = failure.findings.iter().filter(|finding| finding.is_error()).peekable();
    errors.peek().is_some() && errors.all(|e| !(e.code.is_empty() || e.path.is_empty() || e.message.is_empty()))
}
