//! Columns.

use console::{Term, measure_text_width, truncate_str};

use super::escape;

const GAP: usize = 2;
/// Narrower than this, a cut line says nothing.
const MIN_WIDTH: usize = 40;

/// Lines with aligned columns, the last one cut to the width of the terminal, if standard output is one.
pub(crate) fn table<const N: usize>(rows: &[[String; N]]) -> Vec<String> {
    let width = Term::stdout().size_checked().map(|(_, columns)| usize::from(columns).max(MIN_WIDTH));
    format_rows(rows, width)
}

fn format_rows<const N: usize>(rows: &[[String; N]], width: Option<usize>) -> Vec<String> {
    let rows: Vec<[String; N]> = rows.iter().map(|row| row.each_ref().map(|cell| escape(cell).into_owned())).collect();
    let mut widths = [0; N];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = measure_text_width(cell).max(*width);
        }
    }
    rows.iter().map(|row| format_row(row, &widths, width)).collect()
}

fn format_row(row: &[String], widths: &[usize], width: Option<usize>) -> String {
    let mut line = String::new();
    for (cell, width) in row.iter().zip(widths) {
        line.push_str(cell);
        let padding = width.saturating_sub(measure_text_width(cell)).saturating_add(GAP);
        line.extend(std::iter::repeat_n(' ', padding));
    }
    let line = line.trim_end();
    match width {
        Some(width) => truncate_str(line, width, "…").into_owned(),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_the_line_is_cut_to_the_terminal() {
        let rows =
            [["@global/a", "1.0.0", "Short."], ["@team/技能-x", "10.0.0", "A description that is far too long."]];
        let rows = rows.map(|row| row.map(str::to_owned));
        assert_eq!(
            format_rows(&rows, Some(40)),
            ["@global/a     1.0.0   Short.", "@team/技能-x  10.0.0  A description tha…"]
        );
        assert!(format_rows(&rows, None)[1].ends_with("far too long."));
    }
}
