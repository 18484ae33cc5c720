//! Programs that are wrong, each with the code, line and column of its first error on its first line.

use planish_ir::source::SourceMap;

use crate::common;

#[test]
fn wrong_programs_are_told_about_where_they_are_wrong() {
    let mut failures = Vec::new();
    let programs = common::programs("bad", "wgsl");
    assert!(programs.len() >= 20);
    for (name, text) in programs {
        let expected = text.lines().next().and_then(|l| l.strip_prefix("// ")).expect("what is expected").to_owned();
        let mut map = SourceMap::new();
        let file = map.add(name.as_str(), text).expect("small");
        let Err(diagnostics) =
            planish_front_naga::read_wgsl(&file, &mut map, &mut planish_front_naga::Options::default())
        else {
            failures.push(format!("{name}: is read"));
            continue;
        };
        let said = common::describe(&map, &diagnostics);
        if !said.starts_with(&format!("{expected} ")) {
            failures.push(format!("{name}: expected {expected}, said {said}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// An error of one function does not hide those of others, whoever finds them: the parser, the validator or the lowering.
#[test]
fn errors_of_several_functions_are_all_told() {
    let text = "struct Light { color: vec3f }\n\
                fn first() -> f32 { let a = unknown + 1.0; return a; }\n\
                fn second(l: Light) -> vec3<f32> { return l.colour; }\n\
                fn fine() -> f32 { return first() + 1.0; }\n\
                fn third(n: i32) -> i32 { if n > 0 { return 1; } }\n\
                fn fourth() -> f32 { let x = 1.0 return x; }\n\
                @fragment fn main() -> @location(0) vec4f { return vec4f(second(Light()), fine()) * vec3f(1.0); }\n";
    let mut map = SourceMap::new();
    let file = map.add("five.wgsl", text).expect("small");
    let errors = planish_front_naga::read_wgsl(&file, &mut map, &mut planish_front_naga::Options::default())
        .expect_err("it is wrong");
    let said = common::describe(&map, &errors);
    let places: Vec<&str> = said.lines().filter_map(|line| line.split(' ').nth(1)).collect();
    let lines: Vec<&str> = places.iter().filter_map(|place| place.split(':').next()).collect();
    assert_eq!(lines, ["2", "3", "5", "6", "7"], "{said}");
    // An error outside of functions ends it.
    let file = map
        .add("two.wgsl", "fn f() { let x = unknown_name; }\nstruct S { x: f33 }\nfn g() { let y = other_name; }\n")
        .expect("small");
    let errors = planish_front_naga::read_wgsl(&file, &mut map, &mut planish_front_naga::Options::default())
        .expect_err("it is wrong");
    let said = common::describe(&map, &errors);
    let expected = "E0701 1:18 no definition in scope for identifier: `unknown_name`\n\
                    E0701 2:15 no definition in scope for identifier: `f33`";
    assert_eq!(said, expected);
}
