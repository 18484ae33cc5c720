//! The end of a run: problems grouped by message, the slowest cells, the largest in memory.

use std::collections::BTreeMap;
use std::fmt;

use matrix_check::Input;

use crate::worker::Line;

/// Maximum processor time of a cell, in milliseconds.
const TIME: u64 = 2_000;

/// Maximum memory of a cell, in KiB.
const MEMORY: u64 = 1 << 20;

/// Rows of the tables of the slowest and the largest.
const ROWS: usize = 10;

/// Inputs named under one problem.
const NAMED: usize = 3;

/// All cells of a run.
pub(crate) struct Report<'a> {
    inputs: usize,
    /// With the input's name.
    cells: Vec<(&'a str, &'a Line)>,
    /// By message; with input and cell.
    problems: BTreeMap<String, Vec<(&'a str, &'a str)>>,
}

impl<'a> Report<'a> {
    /// Looks at all rows.
    pub(crate) fn new(inputs: &'a [Input], rows: &'a [Vec<Line>]) -> Self {
        let row = |(input, row): (&'a Input, &'a Vec<Line>)| row.iter().map(|line| (input.name.as_str(), line));
        let cells: Vec<(&str, &Line)> = inputs.iter().zip(rows).flat_map(row).collect();
        let mut problems: BTreeMap<String, Vec<(&str, &str)>> = BTreeMap::new();
        for &(name, line) in &cells {
            let slow = || (line.ms > TIME).then(|| format!("takes more than {TIME} ms"));
            let large = || (line.kib > MEMORY).then(|| format!("takes more than {} MiB", MEMORY >> 10));
            if let Some(problem) = line.problem.as_deref().map(without_place).or_else(slow).or_else(large) {
                problems.entry(problem).or_default().push((name, &line.cell));
            }
        }
        Report { inputs: inputs.len(), cells, problems }
    }

    /// Number of cells that are not as they must be.
    pub(crate) fn problems(&self) -> usize {
        self.problems.values().map(Vec::len).sum()
    }

    fn table(
        &self,
        f: &mut fmt::Formatter<'_>,
        title: &str,
        of: impl Fn(&Line) -> u64,
        show: impl Fn(u64) -> String,
    ) -> fmt::Result {
        writeln!(f, "\n{title}:")?;
        let mut cells: Vec<_> = self.cells.iter().map(|(name, line)| (of(line), name, &line.cell)).collect();
        cells.sort_by(|a, b| b.cmp(a));
        cells.iter().take(ROWS).try_for_each(|(n, name, cell)| writeln!(f, "  {:>10}  {name}  {cell}", show(*n)))
    }
}

/// The message without line numbers, so that equal causes are grouped.
fn without_place(problem: &str) -> String {
    let mut text = String::new();
    for c in problem.chars() {
        match c.is_ascii_digit() {
            true if text.ends_with('#') => {}
            true => text.push('#'),
            false => text.push(c),
        }
    }
    text
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} inputs, {} cells", self.inputs, self.cells.len())?;
        self.table(f, "slowest (processor time)", |line| line.ms, |ms| format!("{ms} ms"))?;
        self.table(f, "largest (peak memory of the process)", |line| line.kib, |kib| format!("{} MiB", kib >> 10))?;
        let mut problems: Vec<_> = self.problems.iter().collect();
        problems.sort_by_key(|(_, cells)| std::cmp::Reverse(cells.len()));
        for (problem, cells) in problems {
            writeln!(f, "\n{} × {problem}", cells.len())?;
            for (name, cell) in cells.iter().take(NAMED) {
                writeln!(f, "    {name}  [{cell}]")?;
            }
        }
        Ok(())
    }
}
