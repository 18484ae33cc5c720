//! The pages of `planish explain`: the first example has the mistake, the second has not.

use super::*;
use planish_ir::source::IncludeResolver;
use std::sync::Arc;

/// Has `noise.glsl` and nothing else.
struct Noise;

impl IncludeResolver for Noise {
    fn resolve(&mut self, name: &str, _from: &str, _system: bool) -> Option<(String, Arc<str>)> {
        (name == "noise.glsl").then(|| (name.to_owned(), Arc::from("float noise(vec2 p);\n")))
    }
}

fn codes(source: &str) -> Vec<&'static str> {
    let mut resolver = Noise;
    let mut options = PreprocessOptions { includes: Some(&mut resolver), ..PreprocessOptions::default() };
    run_with(source, &mut options).0.diagnostics.iter().map(|d| d.code.0).collect()
}

macro_rules! pages {
    ($($code:literal)*) => {
        &[$(($code, include_str!(concat!("../../../../planish/errors/", $code, ".md")))),*]
    };
}

#[test]
fn examples_are_what_they_say() {
    let pages: &[(&str, &str)] = pages! {
        "E0101" "E0102" "E0103" "E0104" "E0105" "E0106" "E0107" "E0108" "E0109" "E0110" "E0111" "E0112" "E0113"
        "W0106" "W0107" "W0108"
    };
    for (code, page) in pages {
        let examples: Vec<&str> = page.split("```glsl\n").skip(1).filter_map(|e| e.split("```").next()).collect();
        let [wrong, right] = examples[..] else { panic!("{code} has {} examples", examples.len()) };
        let found = codes(wrong);
        assert!(!found.is_empty() && found.iter().all(|c| c == code), "the first example of {code} gives {found:?}");
        assert_eq!(codes(right), [""; 0], "the second example of {code}");
    }
}
