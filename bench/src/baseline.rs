//! Counts that are kept, so that a change which makes them grow is noticed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::Row;

/// Kept counts, by what was counted.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Baseline(BTreeMap<String, f64>);

impl Baseline {
    /// What these rows count.
    pub fn of(rows: &[Row]) -> Self {
        Self(rows.iter().map(|row| (row.what.clone(), row.figure)).collect())
    }

    /// Reads a file of it.
    ///
    /// # Errors
    /// If there is none, or it holds something else.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(path).map_err(|e| format!("{}: {e}; keep the counts first", path.display()))?;
        serde_json::from_str(&text).map(Self).map_err(|e| format!("{}: {e}; keep the counts again", path.display()))
    }

    /// Writes it into a file, in order of what was counted.
    ///
    /// # Errors
    /// If that fails.
    pub fn write(&self, path: &Path) -> Result<(), String> {
        let json = serde_json::to_string_pretty(&self.0).map_err(|e| e.to_string())?;
        fs::write(path, json + "\n").map_err(|e| format!("{}: {e}", path.display()))
    }

    /// What is wrong with new counts: each that exceeds the kept one by more than this share (0.05 is 5 %) or is not kept,
    /// and each kept one that was not counted. A sentence each.
    pub fn complaints(&self, rows: &[Row], slack: f64) -> Vec<String> {
        let of_new = rows.iter().filter_map(|row| self.complaint(row, slack));
        let uncounted = self.0.keys().filter(|what| rows.iter().all(|row| row.what != **what));
        of_new.chain(uncounted.map(|what| format!("{what}: is kept, but was not counted"))).collect()
    }

    fn complaint(&self, row: &Row, slack: f64) -> Option<String> {
        let Row { what, figure, .. } = row;
        let Some(kept) = self.0.get(what) else { return Some(format!("{what}: {figure:.0}, and nothing is kept")) };
        // What is not a number is no count.
        let fits = *figure <= kept * (1.0 + slack);
        let more = (figure / kept - 1.0) * 100.0;
        (!fits).then(|| format!("{what}: {figure:.0}, {more:.1} % more than the kept {kept:.0}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Unit;

    fn rows(counts: &[(&str, f64)]) -> Vec<Row> {
        counts.iter().map(|(what, count)| Row::new("instructions", *what, *count, Unit::Instructions)).collect()
    }

    #[test]
    fn what_grows_beyond_the_slack_is_complained_of_and_nothing_else() {
        let kept = Baseline::of(&rows(&[("a", 1000.0), ("b", 2000.0)]));
        for (counts, expected) in [
            (&[("a", 1050.0), ("b", 2100.0)][..], &[][..]),
            (&[("a", 10.0), ("b", 2110.0)], &["b: 2110, 5.5 % more than the kept 2000"]),
            (&[("a", 1000.0)], &["b: is kept, but was not counted"]),
            (&[("a", 1.0), ("b", 1.0), ("c", 7.0)], &["c: 7, and nothing is kept"]),
            (&[("a", f64::NAN), ("b", 1.0)], &["a: NaN, NaN % more than the kept 1000"]),
        ] {
            assert_eq!(kept.complaints(&rows(counts), 0.05), expected);
        }
    }

    #[test]
    fn a_file_keeps_all_counts() {
        let path = std::env::temp_dir().join(format!("skillhub-baseline-{}.json", std::process::id()));
        let kept = Baseline::of(&rows(&[("b", 2_000_001.0), ("a", 1.0)]));
        kept.write(&path).unwrap();
        assert_eq!(Baseline::read(&path), Ok(kept));
        fs::remove_file(&path).unwrap();
        assert!(Baseline::read(&path).unwrap_err().contains("keep the counts first"));
    }
}
