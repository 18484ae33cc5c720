//! Ops on the invocations of a subgroup: the evaluator beside sums written out here, at every level, and through every language that is
//! read again; so the expansions of languages that have fewer of these functions are run, too.

use planish::eval::shade::{Compute, DrawOptions};
use planish::module::Module;
use planish::{EmitOptions, Optimizer, ShaderModel, SpirvVersion, Target, Version, emit};

use crate::common::compile;
use crate::spirv::{objection, versions};

const EXTENSIONS: [&str; 8] =
    ["basic", "vote", "arithmetic", "ballot", "shuffle", "shuffle_relative", "clustered", "quad"];

/// Invocations of the work group: one subgroup, and a part of another.
const COUNT: usize = 50;

/// Invocations of a subgroup in the evaluator.
const SIZE: usize = 32;

/// An invocation among those of its subgroup that are active.
struct At<'a> {
    /// Their numbers in the work group, ascending.
    active: &'a [usize],
    /// The invocation's.
    own: usize,
    x: &'a [u32],
}

impl At<'_> {
    fn number(&self) -> usize {
        self.own % SIZE
    }

    /// The operand of the invocation of a number; 0 if it is not active.
    fn of(&self, number: usize) -> u32 {
        let lane = self.own / SIZE * SIZE + number;
        if number < SIZE && self.active.contains(&lane) { self.x[lane] } else { 0 }
    }

    fn all(&self) -> Vec<u32> {
        self.active.iter().map(|&lane| self.x[lane]).collect()
    }

    fn up_to(&self, with_own: bool) -> Vec<u32> {
        let before = |lane: &&usize| **lane < self.own || with_own && **lane == self.own;
        self.active.iter().filter(before).map(|&lane| self.x[lane]).collect()
    }

    fn cluster(&self, size: usize) -> Vec<u32> {
        let mine = |lane: &&usize| **lane / size == self.own / size;
        self.active.iter().filter(mine).map(|&lane| self.x[lane]).collect()
    }

    /// The ballot of those whose operand is odd.
    fn odd(&self) -> u32 {
        self.active.iter().filter(|&&lane| self.x[lane] % 2 == 1).map(|&lane| 1 << (lane % SIZE)).sum()
    }
}

fn sum(values: &[u32]) -> u32 {
    values.iter().fold(0, |a, &b| a.wrapping_add(b))
}

fn product(values: &[u32]) -> u32 {
    values.iter().fold(1, |a, &b| a.wrapping_mul(b))
}

fn least(values: &[u32]) -> i32 {
    values.iter().map(|&x| x as i32).min().unwrap_or(i32::MAX)
}

fn greatest(values: &[u32]) -> u32 {
    values.iter().copied().max().unwrap_or(0)
}

/// The sum of `x` as floats, in order.
fn floats(values: &[u32]) -> f32 {
    values.iter().map(|&x| (x % 100) as f32).reduce(|a, b| a + b).unwrap_or(0.0)
}

const FLOAT: &str = "float(x % 100u)";

type Case = (&'static str, fn(&At<'_>) -> u32);

/// An expression of type `uint` of the operand `x`, and its value.
const CASES: &[Case] = &[
    ("subgroupElect() ? 1u : 0u", |at| u32::from(at.own == at.active[0])),
    ("subgroupAll(x > 9u) ? 1u : 0u", |at| u32::from(at.all().iter().all(|&x| x > 9))),
    ("subgroupAny(x > 3999999990u) ? 1u : 0u", |at| u32::from(at.all().iter().any(|&x| x > 3_999_999_990))),
    ("subgroupAllEqual(x % 3u) ? 1u : 0u", |at| u32::from(at.all().iter().all(|&x| x % 3 == at.all()[0] % 3))),
    ("subgroupAllEqual(vec2(x)) ? 1u : 0u", |at| u32::from(at.all().iter().all(|&x| x as f32 == at.all()[0] as f32))),
    ("subgroupAllEqual(x > 9u) ? 1u : 0u", |at| u32::from(at.all().iter().all(|&x| (x > 9) == (at.all()[0] > 9)))),
    ("subgroupBroadcast(x, 7u)", |at| at.of(7)),
    ("subgroupBroadcast(uvec3(x, 1u, x * 2u), 7u).z", |at| at.of(7).wrapping_mul(2)),
    ("subgroupBroadcast(x > 9u, 7u) ? 1u : 0u", |at| u32::from(at.of(7) > 9)),
    ("subgroupBroadcastFirst(x)", |at| at.all()[0]),
    ("subgroupBallot((x & 1u) == 1u).x", |at| at.odd()),
    ("subgroupBallot(true).y", |_| 0),
    ("subgroupInverseBallot(uvec4(0xf0f0a5a5u, 1u, 2u, 3u)) ? 1u : 0u", |at| 0xf0f0_a5a5 >> at.number() & 1),
    ("subgroupBallotBitExtract(subgroupBallot((x & 1u) == 1u), 9u) ? 1u : 0u", |at| at.odd() >> 9 & 1),
    ("subgroupBallotBitExtract(subgroupBallot((x & 1u) == 1u), x % 32u) ? 1u : 0u", |at| {
        at.odd() >> (at.x[at.own] % 32) & 1
    }),
    ("subgroupBallotBitCount(subgroupBallot((x & 1u) == 1u))", |at| at.odd().count_ones()),
    ("subgroupBallotInclusiveBitCount(subgroupBallot((x & 1u) == 1u))", |at| {
        (at.odd() & (u32::MAX >> (31 - at.number()))).count_ones()
    }),
    ("subgroupBallotExclusiveBitCount(subgroupBallot((x & 1u) == 1u))", |at| {
        (at.odd() & ((1 << at.number()) - 1)).count_ones()
    }),
    ("subgroupBallotFindLSB(subgroupBallot(true))", |at| (at.active[0] % SIZE) as u32),
    ("subgroupBallotFindMSB(subgroupBallot(true))", |at| (at.active[at.active.len() - 1] % SIZE) as u32),
    ("subgroupShuffle(x, (x >> 5) % 32u)", |at| at.of((at.x[at.own] >> 5) as usize % 32)),
    ("subgroupShuffle(x > 9u, 3u) ? 1u : 0u", |at| u32::from(at.of(3) > 9)),
    ("subgroupShuffleXor(x, 5u)", |at| at.of(at.number() ^ 5)),
    ("subgroupShuffleUp(x, 3u)", |at| at.number().checked_sub(3).map_or(0, |n| at.of(n))),
    ("subgroupShuffleDown(x, 2u)", |at| at.of(at.number() + 2)),
    ("subgroupAdd(x)", |at| sum(&at.all())),
    ("subgroupInclusiveAdd(x)", |at| sum(&at.up_to(true))),
    ("subgroupExclusiveAdd(x)", |at| sum(&at.up_to(false))),
    ("subgroupClusteredAdd(x, 8u)", |at| sum(&at.cluster(8))),
    ("subgroupMul(x)", |at| product(&at.all())),
    ("subgroupInclusiveMul(x)", |at| product(&at.up_to(true))),
    ("subgroupExclusiveMul(x)", |at| product(&at.up_to(false))),
    ("uint(subgroupMin(int(x)))", |at| least(&at.all()) as u32),
    ("uint(subgroupInclusiveMin(int(x)))", |at| least(&at.up_to(true)) as u32),
    ("uint(subgroupExclusiveMin(int(x)))", |at| least(&at.up_to(false)) as u32),
    ("subgroupMax(x)", |at| greatest(&at.all())),
    ("subgroupExclusiveMax(uvec2(0u, x)).y", |at| greatest(&at.up_to(false))),
    ("subgroupClusteredMax(x, 4u)", |at| greatest(&at.cluster(4))),
    ("subgroupAnd(x)", |at| at.all().iter().fold(u32::MAX, |a, b| a & b)),
    ("uint(subgroupOr(int(x)))", |at| at.all().iter().fold(0, |a, b| a | b)),
    ("subgroupXor(x)", |at| at.all().iter().fold(0, |a, b| a ^ b)),
    ("subgroupInclusiveXor(x)", |at| at.up_to(true).iter().fold(0, |a, b| a ^ b)),
    ("subgroupExclusiveAnd(x)", |at| at.up_to(false).iter().fold(u32::MAX, |a, b| a & b)),
    ("subgroupClusteredOr(x, 2u)", |at| at.cluster(2).iter().fold(0, |a, b| a | b)),
    ("subgroupAnd(x > 9u) ? 1u : 0u", |at| u32::from(at.all().iter().all(|&x| x > 9))),
    ("subgroupOr(x > 9u) ? 1u : 0u", |at| u32::from(at.all().iter().any(|&x| x > 9))),
    ("subgroupXor(x > 9u) ? 1u : 0u", |at| at.all().iter().filter(|&&x| x > 9).count() as u32 % 2),
    ("subgroupInclusiveOr(x > 99u) ? 1u : 0u", |at| u32::from(at.up_to(true).iter().any(|&x| x > 99))),
    ("floatBitsToUint(subgroupAdd(FLOAT))", |at| floats(&at.all()).to_bits()),
    ("floatBitsToUint(subgroupInclusiveAdd(vec2(1.0, FLOAT)).y)", |at| floats(&at.up_to(true)).to_bits()),
    ("floatBitsToUint(subgroupExclusiveMin(FLOAT))", |at| {
        at.up_to(false).iter().map(|&x| (x % 100) as f32).fold(f32::INFINITY, f32::min).to_bits()
    }),
    ("subgroupQuadBroadcast(x, 2u)", |at| at.of(at.number() & !3 | 2)),
    ("subgroupQuadSwapHorizontal(x)", |at| at.of(at.number() ^ 1)),
    ("subgroupQuadSwapVertical(x)", |at| at.of(at.number() ^ 2)),
    ("subgroupQuadSwapDiagonal(x)", |at| at.of(at.number() ^ 3)),
    ("gl_SubgroupEqMask.x", |at| 1 << at.number()),
    ("gl_SubgroupGeMask.x", |at| u32::MAX << at.number()),
    ("gl_SubgroupGtMask.x", |at| u32::MAX << at.number() & !(1 << at.number())),
    ("gl_SubgroupLeMask.x", |at| u32::MAX >> (31 - at.number())),
    ("gl_SubgroupLtMask.x", |at| (1 << at.number()) - 1),
    ("gl_SubgroupGtMask.y | gl_SubgroupLeMask.y | gl_SubgroupGeMask.w | gl_SubgroupEqMask.z", |_| 0),
    ("gl_SubgroupLtMask[x % 3u]", |at| if at.x[at.own].is_multiple_of(3) { (1 << at.number()) - 1 } else { 0 }),
    ("subgroupBallotBitCount(gl_SubgroupGeMask)", |at| (SIZE - at.number()) as u32),
    ("gl_SubgroupID * 100u + gl_NumSubgroups", |at| (at.own / SIZE * 100 + COUNT.div_ceil(SIZE)) as u32),
    ("gl_SubgroupSize * 100u + gl_SubgroupInvocationID", |at| (SIZE * 100 + at.number()) as u32),
];

fn source(expression: &str) -> String {
    let extensions: String =
        EXTENSIONS.iter().map(|name| format!("#extension GL_KHR_shader_subgroup_{name} : require\n")).collect();
    let expression = expression.replace("FLOAT", FLOAT);
    format!(
        "#version 450\n{extensions}layout(local_size_x = {COUNT}) in;\n\
         layout(std430, binding = 0) buffer B {{ uint data[]; }} b;\n\
         void main() {{\n  uint i = gl_LocalInvocationIndex, x = b.data[i], r = 0u;\n\
         \x20 if (x % 3u != 0u) r = {expression};\n  else r = ~({expression});\n  b.data[i] = r;\n}}\n"
    )
}

/// Numbers that take the branch one way or the other.
fn numbers() -> Vec<u32> {
    let mut state = 12345u32;
    let step = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if state >> 30 == 0 { state >> 24 } else { state }
    };
    (0..COUNT).map(step).collect()
}

fn run(module: &Module) -> Vec<u32> {
    let mut compute = Compute::new(module, &DrawOptions::default()).expect("a compute shader");
    let buffer = module.vars.iter().find(|(_, data)| data.space == planish::ir::types::AddressSpace::Storage);
    let (buffer, _) = buffer.expect("a buffer");
    let bytes: Vec<u8> = numbers().iter().flat_map(|x| x.to_le_bytes()).collect();
    assert!(compute.set_buffer(buffer, &bytes));
    compute.dispatch([1, 1, 1]).expect("it runs");
    let bytes = compute.buffer_bytes(buffer, 4 * COUNT).expect("numbers");
    bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect()
}

fn expected(value: fn(&At<'_>) -> u32) -> Vec<u32> {
    let x = numbers();
    let of = |own: usize| {
        let with_me =
            |lane: &usize| *lane / SIZE == own / SIZE && x[*lane].is_multiple_of(3) == x[own].is_multiple_of(3);
        let active: Vec<usize> = (0..COUNT).filter(with_me).collect();
        let result = value(&At { active: &active, own, x: &x });
        if x[own].is_multiple_of(3) { !result } else { result }
    };
    (0..COUNT).map(of).collect()
}

fn optimized(module: &Module, level: &str) -> Module {
    let mut module = module.clone();
    Optimizer::level(level).expect("a level").run(&mut module, &mut |_, _| {});
    module
}

#[test]
fn every_function_has_its_value() {
    for &(expression, value) in CASES {
        let module = compile("a.comp", source(expression)).unwrap_or_else(|e| panic!("{expression}: {e:#?}"));
        for level in ["0", "1", "2", "s"] {
            assert_eq!(run(&optimized(&module, level)), expected(value), "{expression} at -O{level}");
        }
    }
}

#[test]
fn every_function_has_its_value_on_the_way_through_a_language() {
    let glsl = EmitOptions { version: Some(Version::desktop(450)), ..EmitOptions::default() };
    let plain = EmitOptions::default;
    for &(expression, value) in CASES {
        let module = compile("a.comp", source(expression)).expect("valid");
        for level in ["0", "2"] {
            let module = optimized(&module, level);
            for (target, options, name) in [
                (Target::Glsl, glsl.clone(), "again.comp"),
                (Target::Spirv, plain(), "again.spv"),
                (Target::Wgsl, plain(), "again.wgsl"),
            ] {
                let output = emit(&module, target, &options).unwrap_or_else(|e| panic!("{expression}: {e:#?}"));
                let text = || String::from_utf8_lossy(&output.bytes).into_owned();
                let again = compile(name, &output.bytes).unwrap_or_else(|e| panic!("{expression}: {e:#?}\n{}", text()));
                assert_eq!(run(&again), expected(value), "{expression} at -O{level}, {target:?}\n{}", text());
            }
        }
    }
}

#[test]
fn binaries_are_valid_and_metal_and_hlsl_take_all() {
    for (version, environment) in versions() {
        for &(expression, _) in CASES {
            let module = compile("a.comp", source(expression)).expect("valid");
            let options = EmitOptions { spirv_version: version, ..EmitOptions::default() };
            let output = emit(&module, Target::Spirv, &options);
            match output {
                // Before 1.3 there is nothing of the kind but what an extension has: the number and size, and masks.
                Err(errors) => {
                    assert!(version < SpirvVersion::V1_3, "{expression}: {errors:#?}");
                    assert!(errors[0].message.contains("SPIR-V before 1.3"), "{errors:#?}");
                }
                Ok(output) => {
                    assert!(version >= SpirvVersion::V1_3 || expression.starts_with("gl_Subgroup"), "{expression}");
                    assert_eq!(objection(&output.bytes, environment), None, "{expression}");
                }
            }
        }
    }
    for &(expression, _) in CASES {
        let module = compile("a.comp", source(expression)).expect("valid");
        let hlsl = EmitOptions { shader_model: ShaderModel::V6_0, ..EmitOptions::default() };
        for (target, options) in [(Target::Msl, EmitOptions::default()), (Target::Hlsl, hlsl)] {
            emit(&module, target, &options).unwrap_or_else(|e| panic!("{expression}: {e:#?}"));
        }
    }
}

#[test]
fn what_a_language_lacks_is_an_error_at_its_place() {
    let old = EmitOptions { shader_model: ShaderModel::V5_0, ..EmitOptions::default() };
    for mask in ["gl_SubgroupLtMask", "gl_SubgroupID"] {
        let (of_mask, of_id) = (format!("{mask}.x"), mask.to_owned());
        let module = compile("a.comp", source(if mask.ends_with("ID") { &of_id } else { &of_mask })).expect("valid");
        let errors = emit(&module, Target::Hlsl, &old).expect_err("it has no waves");
        assert!(errors[0].message.contains("5.0") && errors[0].message.contains(mask), "{errors:#?}");
        assert_eq!((errors[0].span.end - errors[0].span.start) as usize, mask.len());
    }
    let (branch, early) =
        ("  if (x % 3u != 0u) {\n  subgroupBarrier(); r = ", "  if (x == 7u) return;\n  subgroupBarrier();\n  if (x");
    for barrier in [
        source("1u").replace("  if (x % 3u != 0u) r = ", branch).replace(";\n  else", "; }\n  else"),
        source("1u").replace("  if (x", early),
    ] {
        let module = compile("a.comp", &barrier).unwrap_or_else(|e| panic!("{e}\n{barrier}"));
        let errors = emit(&module, Target::Wgsl, &EmitOptions::default()).expect_err("it has no such barrier");
        assert!(
            errors[0].message.starts_with("WGSL has no barrier of a subgroup; that of the work group"),
            "{errors:#?}"
        );
    }
    let es = EmitOptions { version: Some(Version::es(300)), ..EmitOptions::default() };
    let module = compile("a.comp", source("subgroupAdd(x)")).expect("valid");
    emit(&module, Target::Glsl, &es).expect_err("no compute shaders, and no subgroups");
    let errors = emit(&module, Target::Hlsl, &old).expect_err("it has no waves");
    assert!(errors[0].message.contains("shader model 6.0 has"), "{errors:#?}");
    for target in [Target::C, Target::Js, Target::Rust] {
        emit(&module, target, &EmitOptions::default()).expect_err("programs without stages have no subgroups");
    }
}

/// A barrier of the work group is one of each subgroup, if all invocations get to it.
#[test]
fn a_barrier_of_subgroups_is_one_of_the_work_group_in_wgsl() {
    let barrier = source("subgroupAdd(x)").replace("  b.data[i]", "  subgroupBarrier();\n  b.data[i]");
    let module = compile("a.comp", barrier).expect("valid");
    for level in ["0", "2"] {
        let module = optimized(&module, level);
        let output = emit(&module, Target::Wgsl, &EmitOptions::default()).expect("all get to it").bytes;
        let text = String::from_utf8_lossy(&output);
        assert!(text.contains("storageBarrier();\n    workgroupBarrier();"), "{text}");
        assert_eq!(run(&compile("again.wgsl", &output).expect("valid")), run(&module));
    }
}

/// Numbers of subgroups are counted in shared memory once, in the entry point.
#[test]
fn subgroups_are_counted_where_a_language_has_no_numbers_of_them() {
    let module = compile("a.comp", source("gl_SubgroupID + gl_NumSubgroups")).expect("valid");
    for (target, parts) in [
        (Target::Wgsl, ["atomicAdd(&subgroup_count, ", "num_subgroups = atomicLoad(&subgroup_count);"]),
        (Target::Hlsl, ["InterlockedAdd(subgroup_count, ", "WaveReadLaneFirst("]),
        (Target::Msl, ["[[simdgroup_index_in_threadgroup]]", "[[simdgroups_per_threadgroup]]"]),
    ] {
        let output = emit(&module, target, &EmitOptions::default()).unwrap_or_else(|e| panic!("{target:?}: {e:#?}"));
        let text = String::from_utf8(output.bytes).expect("text");
        for part in parts {
            assert_eq!(text.matches(part).count(), 1, "{target:?}: {part}\n{text}");
        }
    }
}

#[test]
fn wrong_uses_are_refused() {
    for (expression, part) in [
        ("subgroupClusteredAdd(x, 3u)", "not a power of two"),
        ("subgroupClusteredAdd(x, x)", "not a constant expression"),
        ("subgroupAnd(1.0) > 0.5 ? 1u : 0u", "subgroupAnd"),
        ("subgroupAdd(x > 3u) ? 1u : 0u", "subgroupAdd"),
    ] {
        let errors = compile("a.comp", source(expression)).expect_err(expression);
        assert!(errors.contains(part), "{expression}: {errors}");
    }
    let without = source("subgroupAdd(x)").replace("#extension GL_KHR_shader_subgroup_arithmetic : require\n", "");
    let errors = compile("a.comp", without).expect_err("the extension is missing");
    assert!(errors.contains("GL_KHR_shader_subgroup_arithmetic"), "{errors}");
}

/// A random program whose invocations go different ways, with ops on those that are together.
struct Programs {
    state: u64,
    depth: u32,
    loops: u32,
    names: u32,
}

impl Programs {
    fn below(&mut self, n: u32) -> u32 {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.state >> 33) % u64::from(n)) as u32
    }

    fn variable(&mut self) -> &'static str {
        ["a", "b", "c"][self.below(3) as usize]
    }

    fn number(&mut self, depth: u32) -> String {
        if depth == 0 {
            return match self.below(4) {
                0 => format!("{}u", self.below(9)),
                _ => self.variable().to_owned(),
            };
        }
        let x = self.number(depth - 1);
        match self.below(16) {
            0 => format!("subgroupAdd({x})"),
            1 => format!("subgroupExclusiveAdd({x})"),
            2 => format!("subgroupInclusiveMax({x})"),
            3 => format!("subgroupBroadcastFirst({x})"),
            4 => format!("subgroupShuffleXor({x}, {}u)", self.below(5)),
            5 => format!("subgroupShuffle({x}, {} % 32u)", self.variable()),
            6 => format!("subgroupBallot({}).x", self.condition(depth - 1)),
            7 => format!("subgroupClusteredXor({x}, 4u)"),
            8 => format!("subgroupMin({x})"),
            9 => format!("subgroupBallotExclusiveBitCount(subgroupBallot({}))", self.condition(depth - 1)),
            10 => format!("({} ? {x} : {})", self.condition(depth - 1), self.number(depth - 1)),
            11 => format!("({x} * {})", self.number(depth - 1)),
            12 => format!("({x} >> 3 ^ {})", self.number(depth - 1)),
            13 => format!("helper({x}, {})", self.variable()),
            _ => format!("({x} + {})", self.number(depth - 1)),
        }
    }

    fn condition(&mut self, depth: u32) -> String {
        match self.below(7) {
            0 => "subgroupElect()".to_owned(),
            1 if depth > 0 => format!("subgroupAny({})", self.condition(depth - 1)),
            2 if depth > 0 => format!("subgroupAllEqual({})", self.number(depth - 1)),
            3 if depth > 0 => format!("({} && {})", self.condition(depth - 1), self.condition(depth - 1)),
            4 => format!("{} < {}u", self.variable(), self.below(200)),
            _ => format!("({} & {}u) != 0u", self.variable(), 1 << self.below(4)),
        }
    }

    fn block(&mut self) -> String {
        let count = 1 + self.below(3);
        (0..count).map(|_| self.statement()).collect()
    }

    fn statement(&mut self) -> String {
        if self.depth == 0 {
            return self.assignment();
        }
        self.depth -= 1;
        let text = match self.below(10) {
            0 | 1 => format!("if ({}) {{ {} }}\n", self.condition(1), self.block()),
            2 => format!("if ({}) {{ {} }} else {{ {} }}\n", self.condition(1), self.block(), self.block()),
            3 | 4 => {
                let (name, count) = (self.names, self.below(4));
                self.names += 1;
                self.loops += 1;
                let (v, body) = (self.variable(), self.block());
                self.loops -= 1;
                format!("for (uint i{name} = 0u; i{name} < ({v} & {count}u) + 1u; i{name}++) {{ {body} }}\n")
            }
            5 => {
                let name = self.names;
                self.names += 1;
                self.loops += 1;
                let (condition, body) = (self.condition(1), self.block());
                self.loops -= 1;
                format!("uint i{name} = 0u; do {{ {body} }} while (++i{name} < 4u && {condition});\n")
            }
            6 if self.loops > 0 => format!("if ({}) {{ {} break; }}\n", self.condition(1), self.assignment()),
            7 if self.loops > 0 => format!("if ({}) continue;\n", self.condition(1)),
            8 => format!(
                "switch ({} % 3u) {{ case 0u: {} break; case 1u: {} default: {} }}\n",
                self.variable(),
                self.assignment(),
                self.assignment(),
                self.assignment()
            ),
            9 if self.below(3) == 0 => {
                format!("if ({}) {{ b_.data[i] = {}; return; }}\n", self.condition(1), self.number(1))
            }
            _ => self.assignment(),
        };
        self.depth += 1;
        text
    }

    fn assignment(&mut self) -> String {
        format!("{} = {};\n", self.variable(), self.number(2))
    }

    fn program(seed: u64) -> String {
        let mut random = Programs { state: seed, depth: 3, loops: 0, names: 0 };
        random.below(2);
        let body: String = (0..5).map(|_| random.statement()).collect();
        let extensions: String =
            EXTENSIONS.iter().map(|name| format!("#extension GL_KHR_shader_subgroup_{name} : require\n")).collect();
        format!(
            "#version 450\n{extensions}layout(local_size_x = {COUNT}) in;\n\
             layout(std430, binding = 0) buffer B {{ uint data[]; }} b_;\n\
             uint helper(uint x, uint y) {{\n  if ((x & 2u) != 0u) return subgroupAdd(y) + x;\n  y += subgroupInclusiveAdd(x);\n\
             \x20 for (uint i = 0u; i < 3u; i++) {{ if (subgroupElect()) return y ^ i; y += subgroupBallot(true).x; }}\n  return y;\n}}\n\
             void main() {{\nuint i = gl_LocalInvocationIndex, a = b_.data[i], b = a >> 7 & 255u, c = i;\n\
             {body}b_.data[i] = a ^ b * 3u ^ c * 7u;\n}}\n"
        )
    }
}

#[test]
fn random_programs_keep_who_is_together() {
    for seed in planish_testkit::seeds(0..400) {
        let source = Programs::program(seed);
        let module = compile("a.comp", &source).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{source}"));
        let expected = run(&module);
        for level in ["1", "2", "s"] {
            let optimized = optimized(&module, level);
            assert_eq!(run(&optimized), expected, "seed {seed} at -O{level}\n{source}");
        }
        for (target, name) in [(Target::Spirv, "again.spv"), (Target::Wgsl, "again.wgsl")] {
            let module = optimized(&module, if seed % 2 == 0 { "0" } else { "2" });
            let output = emit(&module, target, &EmitOptions::default())
                .unwrap_or_else(|e| panic!("seed {seed}, {target:?}: {e:#?}\n{source}"));
            let again = compile(name, &output.bytes).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{source}"));
            let text = String::from_utf8_lossy(&output.bytes).into_owned();
            let text = if target == Target::Wgsl { text } else { String::new() };
            assert_eq!(run(&again), expected, "seed {seed}, {target:?}\n{source}\n{text}");
        }
    }
}
