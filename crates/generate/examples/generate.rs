//! Prints the program of a seed: `cargo run -p planish-generate --example generate -- SEED`.

use planish_generate::{Choices, glsl};

fn main() {
    let seed = std::env::args().nth(1).and_then(|s| s.parse().ok()).unwrap_or(0);
    print!("{}", glsl(&mut Choices::from_seed(seed)));
}
