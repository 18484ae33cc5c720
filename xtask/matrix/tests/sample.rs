//! A sample of the matrix in every test run: one input of each folder, all levels and targets, and drawn options. The chore
//! `cargo xtask matrix` runs all of it.

use std::collections::BTreeSet;
use std::time::Duration;

use matrix_check::{Cell, Input, Observer, check, repository};
use xtask::{pool, root};

/// Which inputs of a folder are in the sample, and how options are drawn.
const SEED: usize = 17;

/// Only to end a test that hangs.
const PATIENCE: Duration = Duration::from_secs(300);

#[derive(Default)]
struct Problems {
    cells: usize,
    found: Vec<String>,
}

impl Observer for Problems {
    fn begin(&mut self, _: &str) {}

    fn end(&mut self, cell: Cell) {
        self.cells += 1;
        self.found.extend(cell.problem.map(|problem| format!("[{}] {problem}", cell.name)));
    }
}

/// One input of each folder, and of each language in it.
fn sample() -> Vec<Input> {
    let inputs = repository(root()).expect("the repository can be read");
    let kind = |input: &Input| {
        let folder = input.name.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        (folder, input.path.extension().map(|e| e.to_owned()))
    };
    let kinds: BTreeSet<_> = inputs.iter().map(kind).collect();
    let of_kind = |wanted| {
        let all: Vec<&Input> = inputs.iter().filter(|input| kind(input) == wanted).collect();
        all[SEED % all.len()].clone()
    };
    kinds.into_iter().map(of_kind).collect()
}

#[test]
fn a_sample_of_the_matrix_is_answered_by_an_artifact_or_a_diagnostic_with_a_place() {
    let inputs = sample();
    assert!(inputs.len() > 50, "only {} inputs were found", inputs.len());
    let row = |input: &Input| {
        let bytes = std::fs::read(&input.path).expect("the input can be read");
        let mut problems = Problems::default();
        check(&input.name, &bytes, SEED as u64, 1, &mut problems);
        problems
    };
    let jobs = std::thread::available_parallelism().map_or(2, |n| n.get());
    let rows = pool::run(&inputs, jobs, PATIENCE, |input| input.name.clone(), row);
    let _ = std::panic::take_hook();
    let named = |(input, problems): (&Input, &Problems)| {
        problems.found.iter().map(|problem| format!("{} {problem}", input.name)).collect::<Vec<_>>()
    };
    let found: Vec<String> = inputs.iter().zip(&rows).flat_map(named).collect();
    assert!(found.is_empty(), "{} problems:\n{}", found.len(), found.join("\n"));
    let cells: usize = rows.iter().map(|row| row.cells).sum();
    assert!(cells > inputs.len() * 20, "only {cells} cells ran");
}
