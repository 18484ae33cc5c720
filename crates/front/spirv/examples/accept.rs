//! Reads binaries, and prints the IR of one, or the first error of each that is not accepted, and how many are.

use planish_front_spirv::{translate, words_of};
use planish_ir::source::SourceMap;

fn main() {
    let files: Vec<String> = std::env::args().skip(1).collect();
    let mut accepted = 0;
    for name in &files {
        let Ok(bytes) = std::fs::read(name) else { continue };
        let mut map = SourceMap::new();
        let Ok(file) = map.add_binary(name.as_str(), bytes.len()) else { continue };
        match words_of(&file, &bytes).and_then(|words| translate(&file, &words, &mut map)) {
            Ok((module, _)) => {
                accepted += 1;
                if files.len() == 1 {
                    println!("{}", planish_ir::text::print(&module));
                }
            }
            Err(errors) => {
                let place = map.place(errors[0].span).unwrap_or_default();
                println!("{name}: {} {} [{place}]", errors[0].code, errors[0].message);
            }
        }
    }
    println!("{accepted} of {} are accepted", files.len());
}
