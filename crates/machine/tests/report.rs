//! Listings and pages: they show every directive, and the page is whole.

use planish_ir::source::Span;
use planish_machine::report::{listing, page};
use planish_testkit::run_lines::programs;

use crate::common;

fn place(span: Span) -> String {
    format!("@{}", span.start)
}

#[test]
fn a_listing_shows_every_directive_with_its_place() {
    let (_, _, module) = programs().into_iter().find(|(name, ..)| name == "wasm_control").expect("it is there");
    let code = common::compile_all(&module);
    for asm in code.into_iter().flatten() {
        let listing = listing(&module, asm.func, &place).expect("it compiles");
        assert_eq!(listing.lines().count(), asm.directives.len() + 2, "{listing}");
        assert!(listing.contains("; @"), "{listing}");
    }
}

#[test]
fn a_page_has_a_bar_for_each_value_and_an_arrow_for_each_copy() {
    let (_, _, module) = programs().into_iter().find(|(name, ..)| name == "functional").expect("it is there");
    let funcs: Vec<_> = module.funcs.iter().map(|(func, _)| func).collect();
    let page = page(&module, &funcs, "closures & <pairs>", &place).expect("it compiles");
    assert!(page.contains("<title>closures &amp; &lt;pairs&gt;</title>"));
    let copies: usize = common::compile_all(&module)
        .iter()
        .flatten()
        .flat_map(|asm| &asm.directives)
        .filter(|d| matches!(d, planish_machine::reference::Directive::Copy { .. }))
        .count();
    assert_eq!(page.matches("class=\"arrow\"").count(), copies);
    assert!(page.matches("<rect").count() > 50);
    for (open, close) in [("<svg", "</svg>"), ("<ol", "</ol>"), ("<div", "</div>"), ("<li", "</li>")] {
        // (`<line` begins with `<li`.)
        let lines = if open == "<li" { page.matches("<line").count() } else { 0 };
        assert_eq!(page.matches(open).count() - lines, page.matches(close).count(), "{open}");
    }
    assert!(!page.contains("http"), "it needs nothing else");
}
