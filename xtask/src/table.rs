//! Markdown tables whose columns line up, so that they read well unrendered.

/// One table.
pub fn render(header: &[&str], lines: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut rows: Vec<Vec<String>> = vec![header.iter().map(|&cell| cell.to_owned()).collect()];
    rows.extend(lines);
    let widths: Vec<usize> = (0..header.len()).map(|column| width(&rows, column)).collect();
    let rule: Vec<String> = widths.iter().map(|&width| "-".repeat(width)).collect();
    rows.insert(1, rule);
    rows.iter().map(|row| line(row, &widths)).collect()
}

fn width(rows: &[Vec<String>], column: usize) -> usize {
    rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
}

fn line(row: &[String], widths: &[usize]) -> String {
    let cells = row.iter().zip(widths).map(|(cell, &width)| format!(" {cell:<width$} |"));
    format!("|{}\n", cells.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let text = render(&["a", "long name"], [vec!["wide cell".to_owned(), "b".to_owned()]]);
        assert_eq!(text, "| a         | long name |\n| --------- | --------- |\n| wide cell | b         |\n");
    }
}
