//! The differences that are known: `differences.toml`.

use std::collections::BTreeSet;

use serde::Deserialize;

use crate::probe::{Done, Seen};

/// What is listed for all servers.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Listed {
    #[serde(default)]
    difference: Vec<Difference>,
}

/// One behaviour that one server does not have.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Difference {
    pub(crate) server: String,
    pub(crate) probe: String,
    /// What the probe sees instead, to the letter.
    pub(crate) seen: String,
    /// What that means for an operator.
    pub(crate) means: String,
}

impl Listed {
    /// The list of this repository.
    pub(crate) fn kept() -> Self {
        toml::from_str(include_str!("differences.toml")).unwrap()
    }

    pub(crate) fn find(&self, server: &str, probe: &str) -> Option<&Difference> {
        self.difference.iter().find(|listed| listed.server == server && listed.probe == probe)
    }

    /// Where the list and what was seen disagree; empty if they say the same.
    pub(crate) fn disagreements(&self, server: &str, done: &[Done]) -> Vec<String> {
        let mut told = Vec::new();
        for Done { id, states, verdict, .. } in done {
            let listed = self.find(server, id).map(|listed| listed.seen.as_str());
            let Some(verdict) = verdict else { continue };
            match (verdict, listed) {
                (Ok(()), None) => {}
                (Ok(()), Some(_)) => told.push(format!("{id}: holds, but is listed as a difference")),
                (Err(Seen(seen)), Some(listed)) if seen == listed => {}
                (Err(Seen(seen)), Some(listed)) => told.push(format!("{id}: seen \"{seen}\", listed \"{listed}\"")),
                (Err(Seen(seen)), None) => told.push(format!("{id}: \"{states}\" does not hold: {seen}")),
            }
        }
        told.extend(self.useless(done));
        told
    }

    /// Entries about probes that do not exist, and second entries.
    fn useless(&self, done: &[Done]) -> Vec<String> {
        let known: BTreeSet<&str> = done.iter().map(|done| done.id).collect();
        let mut found = BTreeSet::new();
        let useless = self.difference.iter().filter_map(|Difference { server, probe, .. }| {
            let new = found.insert((server, probe));
            let unknown = !known.contains(probe.as_str());
            (unknown || !new).then(|| format!("{probe}: listed for {server} twice, or no probe"))
        });
        useless.collect()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn list_and_reality_must_agree_in_both_directions() {
        let listed = |seen: &str| Listed {
            difference: vec![Difference {
                server: "theirs".to_owned(),
                probe: "a".to_owned(),
                seen: seen.to_owned(),
                means: String::new(),
            }],
        };
        let done = |id, verdict| Done { store: "S3", id, states: "it works", verdict, took: Duration::ZERO };
        let seen = || Some(Err(Seen("no".to_owned())));
        for (what, server, listed, done, agree) in [
            ("a listed difference", "theirs", listed("no"), done("a", seen()), true),
            ("another difference than listed", "theirs", listed("maybe"), done("a", seen()), false),
            ("a difference of another server", "ours", listed("no"), done("a", seen()), false),
            ("a difference that is gone", "theirs", listed("no"), done("a", Some(Ok(()))), false),
            ("what holds for another server", "ours", listed("no"), done("a", Some(Ok(()))), true),
            ("what does not apply", "ours", listed("no"), done("a", None), true),
            ("a probe that is gone", "ours", listed("no"), done("b", Some(Ok(()))), false),
        ] {
            let told = listed.disagreements(server, &[done]);
            assert_eq!(told.is_empty(), agree, "{what}: {told:?}");
        }
    }
}
