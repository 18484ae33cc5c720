//! The text form: what is printed reads back as what it was, and what cannot be read is explained.

use crate::common;
use crate::common::pool::Pool;
use planish_generate::Choices;
use planish_ir::arena::Id;
use planish_ir::builder::{Builder, Policy, Request};
use planish_ir::decoration::{Decoration, Name, SliceLength};
use planish_ir::dump::dump;
use planish_ir::entity::{Data, Elem, Type, Value};
use planish_ir::facts::Facts;
use planish_ir::function::{Exit, Form};
use planish_ir::module::{Language, Module};
use planish_ir::ops::{Op, TextureFlags, infer};
use planish_ir::source::Span;
use planish_ir::text::{parse_str, print};
use planish_ir::types::{AddressSpace, Scalar};
use planish_ir::verify::verify;
use planish_testkit::on_a_stack_of;

/// Prints, parses, prints: the texts are the same. Gives the parsed module.
#[track_caller]
fn round_trip(module: &Module) -> Module {
    let text = print(module);
    let parsed = parse_str(&text).unwrap_or_else(|errors| panic!("{errors:#?}\n{text}"));
    assert_eq!(print(&parsed), text);
    parsed
}

#[test]
fn the_sample_reads_back() {
    let parsed = round_trip(&common::sample());
    assert_eq!(verify(&parsed), []);
    assert_eq!(print(&parsed), include_str!("data/sample.ir"));
}

#[test]
fn random_modules_are_valid_and_read_back() {
    for seed in 0..200 {
        let module = common::random::module(seed, 3);
        assert_eq!(verify(&module), [], "seed {seed}\n{}", print(&module));
        let parsed = round_trip(&module);
        assert_eq!(verify(&parsed), [], "seed {seed}");
        assert!(dump(&module).contains("Entry To Function:"), "seed {seed}");
    }
}

// Every op.

#[test]
fn every_op_reads_back() {
    let mut pool = Pool::new();
    for op in Op::all() {
        let imm = pool.immediate(op);
        let (operands, ty) = pool.signature(op, imm).unwrap_or_else(|| panic!("no operands for {}", op.name()));
        let results = infer(&mut pool.module.types, op, imm, &operands, ty).expect("found above");
        let func = common::function(&mut pool.module, op.text(), &operands, &results);
        let mut b = Builder::new(&mut pool.module, func, Policy::VERBATIM);
        let args: Vec<Value> = (0..operands.len()).map(|i| b.param(i)).collect();
        let mut request = Request::new(op, &args).imm(imm);
        request.ty = ty;
        let made = b.make_all(request);
        b.ret(&made);
        b.finish();
    }
    assert_eq!(verify(&pool.module), []);
    let parsed = round_trip(&pool.module);
    assert_eq!(verify(&parsed), []);
    let (text, drawing) = (print(&parsed), dump(&parsed));
    for op in Op::all() {
        assert!(text.contains(&format!("fn @{}(", op.text())), "{}", op.text());
        assert!(drawing.contains(op.name()), "{}", op.name());
    }
    assert_eq!(parsed.data[Data::new(0)], pool.module.data[Data::new(0)]);
    assert_eq!(parsed.elems[Elem::new(0)].items, pool.module.elems[Elem::new(0)].items);
}

#[test]
fn texture_flags_read_back() {
    let text = "module ir\n\nfn @f(%0: combined<2d f32>, %1: combined<2d shadow f32>) {\nb0:\n  \
        %2 = texture_sample_lod[proj lod] %0, vec3{0.0, 1.0, 2.0}, 0.5\n  \
        %3 = texture_sample[compare bias offset] %1, vec2{0.0, 1.0}, 0.5, 1.0, ivec2{1, 2}\n  \
        %4 = texture_sample_grad[grad min_lod] %0, vec2{0.0, 1.0}, vec2{0.0, 0.0}, vec2{1.0, 1.0}, 3.0\n  \
        %5 = texture_gather[component 2] %0, vec2{0.0, 1.0}\n  \
        %6 = texture_fetch[lod] %0, ivec2{0, 1}, 3\n  return\n}\n";
    let module = parse_str(text).unwrap_or_else(|e| panic!("{e:#?}"));
    assert_eq!(print(&module), text);
    assert_eq!(verify(&module), []);
    let body = module.funcs.values().next().and_then(|f| f.body.as_ref()).expect("a body");
    let flags: Vec<u32> = body.nodes().map(|(_, n)| n.imm.as_texture().0).collect();
    let f = |flags: TextureFlags| flags.0;
    let expected = [
        f(TextureFlags::PROJ.with(TextureFlags::LOD)),
        f(TextureFlags::COMPARE.with(TextureFlags::BIAS).with(TextureFlags::OFFSET)),
        f(TextureFlags::GRAD.with(TextureFlags::MIN_LOD)),
        f(TextureFlags::NONE.with_component(2)),
        f(TextureFlags::LOD),
    ];
    assert_eq!(flags, expected);
}

#[test]
fn every_declaration_reads_back() {
    let text = include_str!("data/declarations.ir");
    let module = parse_str(text).unwrap_or_else(|e| panic!("{e:#?}"));
    assert_eq!(print(&module), text);
    assert_eq!(verify(&module), []);
    assert!(dump(&module).contains("[Local size: 8, 8, 1]"));
}

#[test]
fn numbers_keep_their_bits() {
    let mut module = Module::new(Language::Ir);
    let mut bits: Vec<(Scalar, u64)> = Vec::new();
    for b in [0, 1, 0x8000_0000, 0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 0xffc0_0000, 0x7f80_0001, 0x7fff_ffff] {
        bits.extend([(Scalar::F32, b), (Scalar::I32, b), (Scalar::U32, b), (Scalar::F64, b << 32 | b)]);
        bits.extend([(Scalar::I64, b << 32 | b), (Scalar::U64, b << 32 | b)]);
    }
    for b in [0, 1, 0x7f, 0x80, 0xff] {
        bits.extend([(Scalar::I8, b), (Scalar::U8, b), (Scalar::I16, b << 8 | b), (Scalar::U16, b << 8 | b)]);
    }
    let mut random = Choices::from_seed(7);
    for _ in 0..2000 {
        let b = (random.below(1 << 32) as u64) << 32 | random.below(1 << 32) as u64;
        bits.extend([(Scalar::F32, b >> 32), (Scalar::F64, b)]);
    }
    let mut consts = Vec::new();
    for &(scalar, b) in &bits {
        let ty = module.types.scalar(scalar);
        consts.push(module.consts.bits(ty, b));
    }
    let types: Vec<Type> = bits.iter().map(|&(s, _)| module.types.scalar(s)).collect();
    let func = common::function(&mut module, "f", &[], &types);
    let mut b = Builder::new(&mut module, func, Policy::VERBATIM);
    let values: Vec<Value> = consts.into_iter().map(Value::from).collect();
    b.ret(&values);
    b.finish();
    let parsed = round_trip(&module);
    let body = parsed.funcs[func].body.as_ref().expect("a body");
    let Exit::Return(values) = &body.blocks[body.entry].exit else { panic!("it returns") };
    let read: Vec<u64> =
        values.iter().map(|v| parsed.consts.as_bits(v.as_const().expect("a constant")).expect("bits")).collect();
    let want: Vec<u64> = bits.iter().map(|(_, b)| *b).collect();
    assert_eq!(read, want);
}

// Depth and length.

/// `depth` constructs in each other, of every kind in turn.
fn deep(depth: usize, form: Form) -> Module {
    let mut module = Module::new(Language::Ir);
    let func = common::function(&mut module, "deep", &[Type::BOOL, Type::F32], &[]);
    let mut b = Builder::new(&mut module, func, Policy { form, ..Policy::VERBATIM });
    let (condition, mut value) = (b.param(0), b.param(1));
    let mut merges = Vec::new();
    for i in 0..depth {
        value = b.op(Op::Add, &[value, value]);
        let var = b.module.add_var(Name::temporary("v"), Type::F32, AddressSpace::Function);
        b.declare(var);
        b.store(var.into(), value);
        let owner = b.block();
        match i % 3 {
            0 => {
                let blocks = b.if_(condition);
                b.switch_to(blocks.otherwise);
                b.merge(&[]);
                b.switch_to(blocks.then);
                merges.push((blocks.merge, Exit::Merge(Default::default())));
            }
            1 => {
                let (body, merge) = b.labelled();
                b.switch_to(body);
                merges.push((merge, Exit::Break(owner, Default::default())));
            }
            _ => {
                let blocks = b.loop_(&[], false);
                b.switch_to(blocks.condition);
                b.loop_if(condition);
                b.switch_to(blocks.body);
                merges.push((blocks.merge, Exit::Continue(owner, Default::default())));
            }
        }
    }
    for (merge, exit) in merges.into_iter().rev() {
        b.exit(exit);
        b.switch_to(merge);
    }
    b.ret(&[]);
    b.finish();
    module
}

/// Runs on a stack of 256 KiB.
#[test]
fn ten_thousand_levels_need_little_stack() {
    on_a_stack_of(256 << 10, || {
        for form in [Form::Placed, Form::Floating] {
            let module = deep(10_000, form);
            assert_eq!(verify(&module), []);
            let text = print(&module);
            assert!(text.len() < 20_000_000, "{}", text.len());
            let parsed = parse_str(&text).expect("it reads back");
            assert_eq!(verify(&parsed), []);
            assert_eq!(print(&parsed), text);
            let drawing = dump(&module);
            assert!(drawing.len() < 60_000_000, "{}", drawing.len());
        }
    });
}

#[test]
fn a_long_chain_of_floating_nodes_needs_little_stack() {
    on_a_stack_of(256 << 10, || {
        let mut module = Module::new(Language::Ir);
        let func = common::function(&mut module, "long", &[Type::F32], &[Type::F32]);
        let mut b = Builder::new(&mut module, func, Policy { form: Form::Floating, ..Policy::VERBATIM });
        let mut value = b.param(0);
        for _ in 0..100_000 {
            value = b.op(Op::Multiply, &[value, value]);
        }
        b.ret(&[value]);
        b.finish();
        assert_eq!(verify(&module), []);
        let parsed = parse_str(&print(&module)).expect("it reads back");
        assert_eq!(verify(&parsed), []);
        assert!(dump(&parsed).len() > 100_000);
    });
}

// Errors in a text.

/// The messages about a text, each with its line.
fn complaints(text: &str) -> Vec<String> {
    let errors = parse_str(text).expect_err("it is wrong");
    errors
        .iter()
        .map(|e| {
            // The only file of a map begins at offset 1.
            let line = text[..e.span.start as usize - 1].matches('\n').count() + 1;
            let help = e.help.first().map_or(String::new(), |h| format!(" ({h})"));
            format!("{line}: {}{help}", e.message)
        })
        .collect()
}

#[test]
fn several_errors_are_reported_by_line() {
    let text = "module ir
vra private @x: f32
fn @f(%0: f32, %1: vec5) -> (f32) {
b0:
  return %0
}
fn @g(%0: f32) -> (f32) {
b0:
  %1 = ad %0, %0
  %2 = multiply %1, %9
  %3 = multiply %2, 1
  %4 = multiply %3, %0
  %4 = negate %0
  store @nothing, %0
  %6, %7 = negate %0
  %8: i32 = negate %0
  %10 = bitcast %0
  retrun %4
}
entry frament @g \"main\"
export @h \"h\"
";
    let expected = [
        "2: there is no declaration `vra` (did you mean `var`?)",
        "3: there is no type `vec5` (did you mean `vec2`?)",
        "9: there is no op `ad` (did you mean `add`?)",
        "10: no line before this makes `%9`",
        "13: `%4` is defined twice",
        "14: there is no variable or function `nothing`",
        "15: `negate` gives 1 results, not 2",
        "16: `negate` gives f32 here",
        "17: `bitcast` needs the type of its result: `%1: type = …`",
        "18: there is no op `retrun`",
        "19: the block before has not ended",
        "20: there is no stage `frament` (did you mean `fragment`?)",
        "21: there is no function `h`",
    ];
    let found = complaints(text);
    for (found, expected) in found.iter().zip(&expected) {
        assert!(found.starts_with(expected), "{found}\n{expected}");
    }
    assert_eq!(found.len(), expected.len(), "{found:#?}");
}

#[test]
fn facts_are_those_of_the_language_but_for_those_that_are_stated() {
    let usual = parse_str("module wasm\n").expect("it is a module");
    assert_eq!((usual.facts, print(&usual)), (Language::Wasm.facts(), "module wasm\n".to_owned()));
    let module = parse_str("module wasm\nwith precisions\nwithout nan_bits\n").expect("it is a module");
    let expected = Facts { precisions: true, nan_bits: false, ..Language::Wasm.facts() };
    assert_eq!(round_trip(&module).facts, expected);
    for name in Facts::NAMES {
        let mut module = Module::new(Language::Vl);
        let fact = module.facts.get_mut(name).expect("it is a fact");
        *fact = !*fact;
        assert_eq!(round_trip(&module).facts, module.facts, "{name}");
    }
    assert_eq!(complaints("module ir\nwith nan_bit\n"), ["2: there is no fact `nan_bit` (did you mean `nan_bits`?)"]);
}

#[test]
fn the_structure_of_blocks_is_checked() {
    let around = |lines: &str| format!("module ir\nfn @f(%c: bool) {{\n{lines}\n}}\n");
    let cases = [
        ("  return", "3: expected the label of a block, such as `b0:`"),
        ("b0:\n  return\n  return", "5: the block has ended already"),
        ("b0:\n  %1 = logical_not %c", "5: the block before has not ended"),
        ("b0:\n  return\nb1:\n  return", "5: no block may begin here: it belongs after a closing brace"),
        ("b0:\n  then b1:\n    return", "4: `then` belongs into the braces of a construct"),
        ("b0:\n  if %c {\n  then b1:\n    merge\n  }\nb2:\n  return", "7: the construct lacks its `else`"),
        ("b0:\n  if %c {\n  else b1:\n    merge\n  then b2:\n    merge\n  }\nb3:\n  return", "5: expected `then` here"),
        (
            "b0:\n  labelled {\n  body b1:\n    merge\n  body b2:\n    merge\n  }\nb3:\n  return",
            "7: the construct has all its blocks already",
        ),
        ("b0:\n  labelled {\n  body b0:\n    merge\n  }\nb3:\n  return", "5: `b0` is defined twice"),
        ("b0:\n  break b7", "4: there is no block `b7` before this"),
        ("b0:\n  trap usr", "4: there is no trap `usr` (did you mean `user`?)"),
        (
            "b0:\n  if %d {\n  then b1:\n    merge\n  else b2:\n    merge\n  }\nb3:\n  return",
            "4: no line before this makes `%d`",
        ),
    ];
    for (lines, expected) in cases {
        assert_eq!(complaints(&around(lines)), [expected], "{lines}");
    }
}

#[test]
fn a_function_without_end_does_not_swallow_the_next() {
    let text = "module ir\nfn @f() {\nb0:\n  return\n\nfn @g() {\nb0:\n  retrn\n  return\n}\n";
    let expected = ["6: the function before has no closing brace", "8: there is no op `retrn`"];
    let found = complaints(text);
    assert!(found.iter().zip(expected).all(|(f, e)| f.starts_with(e)) && found.len() == 2, "{found:#?}");
}

#[test]
fn tokens_and_constants_are_checked() {
    let cases = [
        ("module ir\nextension \"abc\n", "2: this text has no closing quote"),
        ("module ir ?\n", "1: no token of the text form begins with this character"),
        ("module it\n", "1: there is no language `it`"),
        ("module ir\nvar private @x: i32 = 5000000000\n", "2: `5000000000` is no number, or does not fit its type"),
        ("module ir\nvar private @x: i32 = 5u\n", "2: expected a constant of type i32, found one of type u32"),
        ("module ir\nvar private @x: vec2 = vec2{1.0}\n", "2: the type has 2 parts, not 1"),
        ("module ir\nvar private @x: vec2 = vec2{1.0, 2.0, 3.0}\n", "2: the type has only 2 parts"),
        ("module ir\nvar private @x: vec2 = vec2{1.0, 2}\n", "2: this part must have type f32"),
        ("module ir\nvar private @x: f32 = nan_3f800000\n", "2: `nan_3f800000` is no number, or does not fit its type"),
        ("module ir\nvar private @x: f32\nvar private @x: f32\n", "3: `@x` is defined twice"),
        ("module ir\nvar @x: f32\n", "2: a variable of the module needs an address space"),
        ("module ir\nvar private @x: $S\n", "2: there is no struct `S`"),
        ("module ir\nmemory memory1 min 1\n", "2: expected `memory0`, found `memory1`"),
    ];
    for (text, expected) in cases {
        assert_eq!(complaints(text), [expected], "{text}");
    }
    let nested = format!("module ir\nvar private @x: {}f32{}\n", "[2 x ".repeat(5000), "]".repeat(5000));
    assert_eq!(complaints(&nested), ["2: types may be nested 100 deep"]);
    let huge = "module ir\nvar private @x: [4000000000 x f32] = [4000000000 x f32]{0.0; 4000000000}\n";
    assert_eq!(complaints(huge), ["2: a constant may have 1048576 parts"]);
}

/// Texts that were right before something in them was deleted, doubled or exchanged: no panic, whatever is said.
#[test]
fn damaged_texts_do_not_panic() {
    let mut random = Choices::from_seed(3);
    let originals =
        [print(&common::sample()), include_str!("data/declarations.ir").into(), print(&common::random::module(5, 1))];
    let mut wrong = 0;
    for round in 0..600 {
        let mut words: Vec<String> =
            originals[round % originals.len()].split_inclusive([' ', '\n']).map(str::to_owned).collect();
        for _ in 0..1 + random.below(3) {
            let (i, j) = (random.below(words.len()), random.below(words.len()));
            match random.below(4) {
                0 => drop(words.remove(i)),
                1 => words.swap(i, j),
                2 => words.insert(i, words[j].clone()),
                _ => {
                    let at = random.below(words[i].len());
                    words[i] = words[i].chars().enumerate().filter(|(k, _)| *k != at).map(|(_, c)| c).collect();
                }
            }
        }
        match parse_str(&words.concat()) {
            Ok(module) => {
                verify(&module);
                dump(&module);
                round_trip(&module);
            }
            Err(_) => wrong += 1,
        }
    }
    assert!(wrong > 200, "{wrong}");
}

#[test]
fn spans_are_places_in_the_text() {
    let text = "module ir\nfn @f(%0: f32) -> (f32) {\nb0:\n  %1 = add %0, %0\n  return %1\n}\n";
    let module = parse_str(text).expect("it is right");
    let body = module.funcs.values().next().and_then(|f| f.body.as_ref()).expect("a body");
    let span: Span = body.nodes().next().expect("a node").1.span;
    assert_eq!(&text[span.start as usize - 1..span.end as usize - 1], "%1 = add %0, %0");
}

#[test]
fn floods_end_soon() {
    // Unknown names among many known ones, and constants that would fill the memory.
    let mut text = String::from("module ir\n");
    for i in 0..20_000 {
        text += &format!("var private @name{i}: f32\n");
    }
    text += "fn @f() {\nb0:\n";
    for i in 0..20_000 {
        text += &format!("  store @nema{i}, {}.0\n", i);
    }
    text += "  return\n}\n";
    assert_eq!(complaints(&text).len(), 200);
    let mut text = String::from("module ir\n");
    for i in 0..1000 {
        let n = 1_000_000 + i;
        text += &format!("var private @v{i}: [{n} x f32] = [{n} x f32]{{0.0; {n}}}\n");
    }
    let found = complaints(&text);
    assert_eq!(found[0], "18: repeated parts of constants may be 16777216 in all");
    assert_eq!(found.len(), 200);
}

#[test]
fn lengths_of_slices_read_back() {
    let text = "module ir\n\nmemory memory0 min 0 max 0 export \"slice0\"\n\nfn @f(%0: u32) length(0, 0, 8) vectorized {\nb0:\n  return\n}\n";
    let module = parse_str(text).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let func = module.funcs.keys().next().expect("there is one");
    let length = SliceLength { param: 0, memory: 0, stride: 8 };
    assert!(module.funcs[func].decorations.has(Decoration::Length(length)));
    round_trip(&module);
    for wrong in ["length", "length(0)", "length(0, 0, x)"] {
        parse_str(&text.replace("length(0, 0, 8)", wrong)).expect_err(wrong);
    }
}

#[test]
fn infinities_of_every_width_are_read() {
    let text = "module ir\n\nfn @f() -> (f16, f16, f32, f32, f64, f64) {\nb0:\n  return infh, -infh, inf, -inf, infd, -infd\n}\n";
    let module = parse_str(text).unwrap_or_else(|errors| panic!("{errors:#?}"));
    assert_eq!(print(&module), text);
}
