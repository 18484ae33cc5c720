//! Input made to hurt.

use super::*;

#[track_caller]
fn stops(source: &str, code: &str) {
    let (program, _) = run(source);
    assert!(program.diagnostics.iter().any(|d| d.code.0 == code), "{:?}", program.diagnostics);
}

#[test]
fn a_billion_laughs() {
    let mut source = String::from("#define a0 ha ha\n");
    for i in 1..40 {
        source.push_str(&format!("#define a{i} a{0} a{0}\n", i - 1));
    }
    stops(&format!("{source}a39\n"), "E0113");
    let mut source = String::from("#define f0(x) x x x x x x x x x x\n");
    for i in 1..20 {
        source.push_str(&format!("#define f{i}(x) f{0}(f{0}(x))\n", i - 1));
    }
    stops(&format!("{source}f19(1)\n"), "E0113");
    let body = "x ".repeat(10_000);
    stops(&format!("#define f(x) {body}\nf({body})"), "E0113");
}

#[test]
fn names_that_double() {
    let macros = "#define D(a) a##a\n#define E(a) D(a)\n";
    stops(&format!("{macros}{}x{}\n", "E(".repeat(40), ")".repeat(40)), "E0113");
    expands(&format!("{macros}E(E(E(x)))"), "xxxxxxxx");
    let params: Vec<String> = (0..20_000).map(|i| format!("p{i}")).collect();
    stops(&format!("#define f({}) {}\n", params.join(","), params.join(" ")), "E0113");
}

#[test]
fn messages_stay_small() {
    let long = "9".repeat(1 << 20);
    let (program, _) = run(&format!("#define N {long}\n{}", "N ".repeat(900)));
    assert_eq!(program.diagnostics.len(), 900);
    assert!(program.diagnostics.iter().all(|d| d.message.len() < 300));
    let long = "x".repeat(1 << 20);
    let (program, _) = run(&format!("#version 300 es\n#define N {long}\n{}", "#if N\n#endif\n".repeat(900)));
    assert_eq!(program.diagnostics.len(), 900);
    assert!(program.diagnostics.iter().all(|d| d.help.iter().all(|h| h.len() < 300)));
}

#[test]
fn deep_nesting_needs_no_stack() {
    let many = 100_000;
    let macros = "#define f(x) x\n#define g(x) (x)\n";
    stops(&format!("{macros}{}1{}\n", "f(".repeat(many), ")".repeat(many)), "E0113");
    let (program, _) = run(&format!("{macros}{}1{}\n", "g(".repeat(1000), ")".repeat(1000)));
    assert_eq!((program.tokens.len(), program.diagnostics.len()), (2002, 0));
    let mut chain = String::new();
    for i in 0..many {
        chain.push_str(&format!("#define c{i} c{}\n", i + 1));
    }
    stops(&format!("{chain}c0\n"), "E0113");
    expands(&format!("{chain}c{}\n", many - 1000), &format!("c{many}"));
    stops(&"#if 1\n".repeat(many), "E0113");
    expands(&format!("#if 0\n{}{}#endif\nx", "#if 1\n".repeat(many), "#endif\n".repeat(many)), "x");
    expands(&format!("#if {}1{}\nx\n#endif", "(".repeat(many), ")".repeat(many)), "x");
    expands(&format!("#if {}1\nx\n#endif", "- ".repeat(many)), "x");
    expands(&format!("#if 1{}\nx\n#endif", " + (1".repeat(many) + &")".repeat(many)), "x");
}

#[test]
fn errors_end_at_some_point() {
    let (program, _) = run(&"@".repeat(1_000_000));
    assert_eq!(program.diagnostics.len(), 1001);
    assert_eq!(program.diagnostics.last().unwrap().code.0, "E0113");
    let (program, _) = run(&"#define a__b\n".repeat(1_000_000));
    assert!(program.diagnostics.len() < 5000);
}

#[test]
fn long_input_takes_time_in_proportion() {
    // Each of these was quadratic in some preprocessor.
    let many = 50_000;
    for piece in
        ["f\n", "f (1)\n", "__LINE__ f(__LINE__)\n", "\\\n", "/* */ // x \\\n", "#if 0\n#endif\n", "f /**/\n\n"]
    {
        let source = format!("#define f(x) x\n{}", piece.repeat(many));
        let start = std::time::Instant::now();
        run(&source);
        assert!(start.elapsed().as_secs() < 10, "{piece:?} takes {:?}", start.elapsed());
    }
}
