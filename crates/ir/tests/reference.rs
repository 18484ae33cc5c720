//! Documentation of the IR: the op reference is generated from the table, and the examples in error pages are checked.
//! `BLESS=1` rewrites the reference.

use std::fmt::Write;
use std::fs;

use crate::common::pool::Pool;
use planish_ir::ops::{Class, Effect, ImmKind, OPS, OpInfo, Relations, infer};
use planish_ir::text::{parse_str, type_text};
use planish_ir::verify::verify;
use planish_testkit::{committed, folder};

const HEAD: &str = "# Ops

Every op of the IR, from the op table. *Example* is one choice of operand types (`→` result types); an op on floats is defined for scalars and vectors of `f32` and `f64`,
and so on: the type rules are in `planish_ir::ops`. Ops without an effect are pure: equal operands give equal results everywhere. Results are defined to the bit
in [numerics.md](numerics.md), the syntax in [ir.md](ir.md).

*Relations* say what the result `y` of an op, or the memory that it writes, has to do with pointers and composites `x` among its operands, by their numbers: *alias*, `y = x`; *contain*,
`*y = x`; *extract*, `y = *x`; *copy*, `*y = *x`; *named*: the memory, table or segment that the immediate names. A pointer is never one of several and never contained in
anything ([E0904](../crates/planish/errors/E0904.md)), so every access has one allocation site.

This page is written by a test (`BLESS=1 cargo test -p planish-ir reference`).
";

fn class_title(class: Class) -> &'static str {
    match class {
        Class::Unary => "One operand",
        Class::Binary => "Two operands",
        Class::Compare => "Comparisons",
        Class::BuiltIn => "Other arithmetic",
        Class::Construct => "Constructors and conversions",
        Class::Extract => "Parts of values",
        Class::Access => "Pointers to parts",
        Class::Memory => "Memory",
        Class::Call => "Calls",
        Class::Texture => "Textures and images",
        Class::Stage => "What only a stage has",
        Class::Machine => "Byte-addressed memories, tables and references",
        Class::Simd => "Lanes of 128-bit values",
        Class::Subgroup => "Subgroups",
        Class::Token => "Tokens",
        Class::Custom => "Ops of the user's own",
    }
}

fn effect_text(effect: Effect) -> &'static str {
    match effect {
        Effect::Pure => "",
        Effect::MayTrap => "may trap",
        Effect::Quad => "depends on the quad",
        Effect::Subgroup => "depends on the subgroup",
        Effect::Load => "reads memory",
        Effect::Store => "writes memory",
        Effect::Modify => "reads and writes memory",
        Effect::ImageLoad => "reads texels",
        Effect::ImageStore => "writes texels",
        Effect::ImageModify => "reads and writes texels",
        Effect::MemoryLoad => "reads bytes, may trap",
        Effect::MemoryStore => "writes bytes, may trap",
        Effect::MemoryModify => "reads and writes bytes, may trap",
        Effect::TableLoad => "reads a table, may trap",
        Effect::TableStore => "writes a table, may trap",
        Effect::Call => "what the callee does",
        Effect::NewToken => "ordered with its like",
        Effect::World => "ordered with every effect",
    }
}

fn imm_text(imm: ImmKind) -> &'static str {
    match imm {
        ImmKind::None => "",
        ImmKind::Index => "`[index]`",
        ImmKind::Lanes => "`[swizzle]`",
        ImmKind::Texture => "`[flags]`",
        ImmKind::MemArg => "`[memory width offset in_bounds]`",
        ImmKind::Shape => "`[shape]`",
        ImmKind::Lane => "`[shape lane]`",
        ImmKind::Pair => "`[memory, table or segment]`",
        ImmKind::TableType => "`[table type]`",
        ImmKind::Custom => "`[op type]`",
        ImmKind::Group => "`[group operation]`",
        ImmKind::Barrier => "`[kinds]`",
        ImmKind::Conversion => "`[open]`",
        ImmKind::Guard => "`[guarded]`",
        ImmKind::Order => "`[reassociable]`",
    }
}

fn relations_text(relations: Relations) -> String {
    if relations == Relations::CALL {
        return "any".into();
    }
    let Relations { alias, contain, extract, copy } = relations;
    let named = [("alias", alias), ("contain", contain), ("extract", extract), ("copy", copy)];
    let some = named.into_iter().filter(|(_, operands)| !operands.is_empty());
    some.map(|(name, operands)| format!("{name} {}", operands.text())).collect::<Vec<_>>().join(", ")
}

fn row(pool: &mut Pool, info: &OpInfo) -> String {
    let imm = pool.immediate(info.op);
    let (operands, ty) = pool.signature(info.op, imm).expect("every op takes something");
    let results = infer(&mut pool.module.types, info.op, imm, &operands, ty).expect("found to fit");
    let list = |types: &[planish_ir::entity::Type]| {
        types.iter().map(|t| type_text(&pool.module.types, *t)).collect::<Vec<_>>().join(", ")
    };
    let arrow = if results.is_empty() { String::new() } else { format!(" → {}", list(&results)) };
    let commutes = if info.commutative { "; commutes" } else { "" };
    let effect = effect_text(info.effect);
    format!(
        "| `{}`{} | `({}){arrow}` | {effect} | {} | {}{commutes} |\n",
        info.text,
        Some(imm_text(info.imm)).filter(|t| !t.is_empty()).map_or(String::new(), |t| format!(" {t}")),
        list(&operands),
        relations_text(info.relations),
        // A bar would end the cell.
        info.doc.trim_end_matches('.').replace('|', "\\|"),
    )
}

fn reference() -> String {
    let mut pool = Pool::new();
    let mut out = String::from(HEAD);
    let mut class = None;
    for info in OPS {
        if class.replace(info.class) != Some(info.class) {
            let _ = write!(
                out,
                "\n## {}\n\n| op | example | effect | relations | meaning |\n| --- | --- | --- | --- | --- |\n",
                class_title(info.class)
            );
        }
        out.push_str(&row(&mut pool, info));
    }
    out
}

#[test]
fn the_op_reference_is_up_to_date() {
    committed("docs/ops.md", &reference());
}

/// The examples of a page, without their fences.
fn examples(page: &str) -> Vec<String> {
    let text = fs::read_to_string(folder(page)).unwrap_or_else(|e| panic!("{page}: {e}"));
    let blocks = text.split("```text\n").skip(1);
    blocks.map(|b| b.split("```").next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn the_pages_of_the_codes_show_a_wrong_and_a_mended_program() {
    let [wrong, mended] = &examples("crates/planish/errors/E0901.md")[..] else { panic!("two programs") };
    let errors = parse_str(wrong).expect_err("it is wrong");
    assert_eq!(errors.iter().map(|e| e.code.0).collect::<Vec<_>>(), ["E0901"]);
    assert_eq!(verify(&parse_str(mended).expect("it is mended")), []);
    let [wrong, mended] = &examples("crates/planish/errors/E0904.md")[..] else { panic!("two programs") };
    let errors: Vec<_> = verify(&parse_str(wrong).expect("it reads")).iter().map(|e| e.to_diagnostic()).collect();
    let told = errors.iter().map(|e| (e.code.0, e.labels.len(), e.help.len())).collect::<Vec<_>>();
    assert_eq!(told, [("E0904", 1, 1), ("E0904", 1, 1)]);
    assert!(errors.iter().all(|e| e.span != e.labels[0].span), "{errors:?}");
    assert_eq!(verify(&parse_str(mended).expect("it is mended")), []);
    let [wrong, mended] = &examples("crates/planish/errors/E0902.md")[..] else { panic!("two programs") };
    let errors = verify(&parse_str(wrong).expect("it reads"));
    assert_eq!(errors.iter().map(|e| e.to_diagnostic().code.0).collect::<Vec<_>>(), ["E0902"]);
    assert_eq!(verify(&parse_str(mended).expect("it is mended")), []);
}

#[test]
fn the_examples_of_the_grammar_page_are_valid() {
    let examples = examples("docs/ir.md");
    let mut whole = 0;
    for example in examples {
        let text = match example.split_whitespace().next() {
            Some("module") if !example.contains("::=") && !example.contains("declaration*") => example,
            Some("fn") => format!("module ir\n{example}"),
            _ => continue,
        };
        let module = parse_str(&text).unwrap_or_else(|e| panic!("{e:#?}\n{text}"));
        assert_eq!(verify(&module), [], "{text}");
        whole += 1;
    }
    assert_eq!(whole, 3);
}
