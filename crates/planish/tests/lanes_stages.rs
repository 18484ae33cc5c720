//! Compute and vertex shaders on lanes give what the evaluator gives, bit for bit.

use planish::eval::shade::{Compute, DrawOptions, VertexOptions, run_vertex};
use planish::ir::entity::Var;
use planish::ir::meaning::Shape;
use planish::ir::types::AddressSpace;
use planish::lanes::{DrawError, LaneOptions, dispatch_on, run_vertex_on};
use planish::module::Module;
use planish::opt::widen::LANES;
use planish::vm::{Config, Engine, Strategy, WideVectors};
use planish::{Compiler, Optimizer};
use planish_generate::Choices;
use std::fmt::Write as _;

fn compile(name: &str, source: &str) -> Module {
    let compilation = Compiler::default().compile(name, source);
    let errors = compilation.diagnostics.iter().map(|d| d.message.clone()).collect::<Vec<_>>().join("\n");
    compilation.module.unwrap_or_else(|| panic!("{errors}\n{source}"))
}

/// The engines, each with a number of lanes.
pub(crate) fn engines() -> impl Iterator<Item = (Engine, u8, Strategy)> {
    let machine = [WideVectors::OnLanes, WideVectors::Never].map(|wide| (8, Strategy::Native, wide));
    let all = LANES.into_iter().map(|n| (n, Strategy::Vm, WideVectors::Never)).chain(machine);
    all.map(|(n, strategy, wide)| {
        let mut config = Config::default();
        config.strategy(strategy).wide_vectors(wide).consume_fuel(true);
        (Engine::new(&config), n, strategy)
    })
}

/// Every buffer with so many elements in an array without a size, numbered through.
fn buffers(module: &Module, elements: usize) -> Vec<(Var, Vec<u64>)> {
    let storage = module.vars.iter().filter(|(_, data)| data.space == AddressSpace::Storage);
    let sizes = storage.map(|(var, data)| {
        let fixed = module.types.components(data.ty).unwrap_or(elements);
        (var, (0..fixed as u64).map(|i| i * 7 % 31).collect())
    });
    sizes.collect()
}

fn on_evaluator(module: &Module, buffers: &[(Var, Vec<u64>)], groups: [u32; 3]) -> Vec<Vec<u64>> {
    let options = DrawOptions::default();
    let mut compute = Compute::new(module, &options).expect("a compute shader");
    for (var, words) in buffers {
        compute.evaluator().set_buffer(*var, words.clone());
    }
    compute.dispatch(groups).expect("it ends");
    buffers.iter().map(|(var, _)| compute.evaluator().get(*var, 0)).collect()
}

/// Compares the buffers after a run; `None` if the shader cannot be widened.
pub(crate) fn compare(name: &str, source: &str, groups: [u32; 3]) -> Option<()> {
    let module = compile("a.comp", source);
    let buffers = buffers(&module, 96);
    let expected = on_evaluator(&module, &buffers, groups);
    for (engine, lanes, strategy) in engines() {
        let options = LaneOptions { lanes, exact: true };
        let mut found = buffers.clone();
        match dispatch_on(&engine, &module, &DrawOptions::default(), &options, &mut found, groups) {
            Ok(()) => {}
            Err(DrawError::Unsupported(_)) => return None,
            Err(error) => panic!("{name}, {lanes} lanes, {strategy:?}: {error}\n{source}"),
        }
        for ((_, found), expected) in found.iter().zip(&expected) {
            let at = (0..expected.len()).find(|&at| found[at] != expected[at] && !both_nan(found[at], expected[at]));
            assert!(
                at.is_none(),
                "{name}, {lanes} lanes, {strategy:?}, at {at:?}: {found:x?}, not {expected:x?}\n{source}"
            );
        }
    }
    Some(())
}

fn both_nan(x: u64, y: u64) -> bool {
    f32::from_bits(x as u32).is_nan() && f32::from_bits(y as u32).is_nan()
}

/// Local size, declarations, and statements; `data` is a buffer of numbers, `i` the index of the invocation in its group, `g` in all.
const SHADERS: &[(&str, &str, &str, &str)] = &[
    ("one for each", "16", "", "data[g] = data[g] * 3u + uint(i);"),
    ("a group that fills no batch", "11", "", "data[g] = g * 5u; if (i > 6u) data[g] += 100u;"),
    ("three axes", "3, 2, 2", "", "data[g] = gl_LocalInvocationID.x + 10u * gl_LocalInvocationID.y + 100u * gl_LocalInvocationID.z + gl_NumWorkGroups.x + 1000u * gl_WorkGroupID.x + gl_WorkGroupSize.y;"),
    ("a counter", "32", "", "uint k = atomicAdd(count, 1u); data[k] = g;"),
    ("a histogram", "24", "", "for (uint k = 0u; k < i % 5u; k++) atomicAdd(data[k], 1u); atomicMax(count, g);"),
    (
        "numbers reversed through shared memory",
        "32",
        "shared uint tile[32];",
        "tile[i] = data[g]; barrier(); data[g] = tile[31u - i];",
    ),
    (
        "a sum by halves",
        "64",
        "shared uint part[64];",
        "part[i] = data[g]; barrier(); for (uint s = 32u; s > 0u; s >>= 1u) { if (i < s) part[i] += part[i + s]; barrier(); } if (i == 0u) data[gl_WorkGroupID.x] = part[0];",
    ),
    (
        "prefix sums",
        "40",
        "shared uint part[40];",
        "uint x = data[g]; part[i] = x; barrier();
         for (uint s = 1u; s < 40u; s *= 2u) { uint y = i >= s ? part[i - s] : 0u; barrier(); x += y; part[i] = x; barrier(); } data[g] = x;",
    ),
    (
        "invocations that return before a barrier",
        "20",
        "shared uint part[20];",
        "part[i] = i; if (i % 3u == 1u) return; barrier(); uint x = part[(i + 1u) % 20u]; if (i > 15u) { data[g] = x; return; } barrier(); data[g] = x * 2u + part[0];",
    ),
    (
        "a barrier under a condition, and a loop that breaks together",
        "24",
        "shared uint part[24]; shared uint stop;",
        "uint x = i; for (int r = 0; ; r++) { part[i] = x; if (i == 3u && r == 4) stop = 1u; barrier(); if (stop == 1u) break;
           x += part[(i + 5u) % 24u]; if (gl_WorkGroupID.x == 1u) { barrier(); x ^= part[0]; if (r > 2) { barrier(); break; } } barrier(); } data[g] = x;",
    ),
    (
        "variables of an invocation, by an index that varies, over barriers",
        "18",
        "shared float part[18]; float own = 2.0;",
        "float a[5]; for (int k = 0; k < 5; k++) a[k] = float(k) * float(i); own += a[i % 5u]; part[i] = own; barrier(); a[i % 4u] = part[17u - i];
         vec3 v = vec3(a[0], own, a[3]); barrier(); part[i] = a[1] + v.y; barrier(); data[g] = floatBitsToUint(a[i % 5u] + v.x * part[(i * 7u) % 18u] + v.z + own);",
    ),
    (
        "a switch with barriers",
        "12",
        "shared uint part[12];",
        "uint x = i; switch (gl_WorkGroupID.x) { case 0u: part[i] = x; barrier(); x = part[11u - i]; case 2u: x += 4u; break; default: part[i] = x * 2u; barrier(); x = part[(i + 1u) % 12u]; } data[g] = x;",
    ),
    (
        "atomics on shared memory",
        "28",
        "shared uint total; shared int low;",
        "atomicAdd(total, i); atomicMin(low, -int(i)); barrier(); data[g] = total + uint(low);",
    ),
    (
        "do loops and values of loops",
        "16",
        "shared uint part[16];",
        "uint x = i, r = 0u; do { part[i] = x; barrier(); x = part[(i + 1u) & 15u] + r; barrier(); r++; } while (r < 3u); data[g] = x + r;",
    ),
];

#[test]
fn compute_shaders_on_lanes_leave_the_same_buffers() {
    for (name, local, declarations, statements) in SHADERS {
        let [x, y, z] = {
            let mut sizes = local.split(", ");
            [0; 3].map(|_| sizes.next().unwrap_or("1"))
        };
        let source = format!(
            "#version 320 es\nlayout(local_size_x = {x}, local_size_y = {y}, local_size_z = {z}) in;\nprecision highp float;\n\
             layout(std430, binding = 0) buffer B {{ uint count; uint data[]; }};\n{declarations}\n\
             void main() {{\nuint i = gl_LocalInvocationIndex, g = gl_WorkGroupID.x * {x}u * {y}u * {z}u + i;\n{statements}\n}}\n"
        );
        compare(name, &source, [3, 1, 1]).unwrap_or_else(|| panic!("{name} cannot be widened"));
    }
}

/// The order of atomics between two barriers is that of the evaluator, or the shader is refused.
#[test]
fn compute_shaders_that_depend_on_the_order_are_refused() {
    let source = |statements: &str, size: u32| {
        format!(
            "#version 310 es\nlayout(local_size_x = {size}) in;\nlayout(std430, binding = 0) buffer B {{ uint count; uint data[]; }};\n\
             void main() {{ uint i = gl_LocalInvocationIndex; {statements} }}\n"
        )
    };
    let twice = "data[i] = atomicAdd(count, 1u) * 100u; data[i] += atomicAdd(count, 1u);";
    assert!(compare("two counters", &source(twice, 32), [1, 1, 1]).is_none());
    compare("two counters in one batch", &source(twice, 4), [2, 1, 1]).expect("it can be widened");
    let apart = "for (uint k = 0u; k < 100u; k++) { if (i < k) break; barrier(); data[i] = k; }";
    assert!(compare("a barrier for some", &source(apart, 32), [1, 1, 1]).is_none());
}

#[test]
fn vertex_shaders_on_lanes_give_the_same_outputs() {
    let source = "#version 310 es
        precision highp float;
        in vec3 position; in vec2 uv; in mat3 turn; in ivec2 number;
        out vec2 at; flat out ivec2 kept; out vec4 colors[2];
        uniform mat4 view; uniform sampler2D heights;
        void main() {
            vec3 p = turn * position;
            for (int k = 0; k < gl_VertexID; k++) p += sin(p.yzx) * 0.25;
            if (uv.x > 0.5) p.z += textureLod(heights, uv, 0.0).x;
            at = uv * 2.0; kept = number + gl_InstanceID; colors[gl_VertexID & 1] = vec4(p, 1.0);
            gl_Position = view * vec4(p, 1.0); gl_PointSize = 3.0;
        }";
    let module = compile("a.vert", source);
    for count in [3, 4, 21] {
        let number = |i: u32| f64::from(i * 37 % 19) / 8.0 - 1.0;
        let attribute = |name: &str, size: u32| (name.to_string(), (0..count * size).map(number).collect::<Vec<f64>>());
        let options = VertexOptions {
            count,
            instance: 2,
            attributes: vec![
                attribute("position", 3),
                attribute("uv", 2),
                attribute("turn", 9),
                attribute("number", 2),
            ],
            ..VertexOptions::default()
        };
        let expected = run_vertex(&module, &options).expect("it ends");
        for (engine, lanes, strategy) in engines() {
            let found = run_vertex_on(&engine, &module, &options, &LaneOptions { lanes, exact: true });
            assert_eq!(found.expect("it can be widened"), expected, "{lanes} lanes, {strategy:?}");
        }
    }
}

/// Statements at the level of a work group, in which all invocations take the same path.
fn together(random: &mut Choices<'_>, depth: u32, out: &mut String) {
    for _ in 0..1 + random.below(3) {
        let k = random.below(24);
        match random.below(9) {
            0 | 1 => writeln!(out, "part[i] = x + {k}u; barrier(); y ^= part[(i + {k}u) % N]; barrier();"),
            2 => writeln!(out, "if (i == {k}u) hint = x; barrier(); x += hint * 3u; barrier();"),
            3 if depth > 0 => {
                let _ = writeln!(out, "if (gl_WorkGroupID.x == {}u) {{", k % 3);
                together(random, depth - 1, out);
                out.push_str("} else {\n");
                together(random, depth - 1, out);
                writeln!(out, "}}")
            }
            4 if depth > 0 => {
                let r = format!("r{}", out.len());
                let _ = writeln!(out, "for (uint {r} = 0u; {r} < {}u; {r}++) {{", 1 + k % 3);
                together(random, depth - 1, out);
                if k.is_multiple_of(2) {
                    let _ = writeln!(
                        out,
                        "if (gl_WorkGroupID.x + {r} == {}u) {};",
                        k % 4,
                        if k.is_multiple_of(4) { "break" } else { "continue" }
                    );
                }
                together(random, depth - 1, out);
                writeln!(out, "}}")
            }
            5 if depth == 0 && k < 4 => writeln!(out, "if (x % 7u == {k}u) return;"),
            _ => {
                apart(random, 2, out);
                Ok(())
            }
        }
        .expect("a string takes all");
    }
}

/// Statements in which invocations take different paths, on the numbers `x`, `y`, `i`, `a` of each and its element `data[g]`.
pub(crate) fn apart(random: &mut Choices<'_>, depth: u32, out: &mut String) {
    let k = random.below(12);
    match random.below(7) {
        0 if depth > 0 => {
            let _ = writeln!(out, "if (((x + y) & {}u) > {}u) {{", 7, k % 7);
            apart(random, depth - 1, out);
            out.push_str("} else {\n");
            apart(random, depth - 1, out);
            out.push_str("}\n");
        }
        1 if depth > 0 => {
            let q = format!("q{}", out.len());
            let _ = writeln!(out, "for (uint {q} = 0u; {q} < (x & 3u); {q}++) {{ if ((y & 15u) == {k}u) break;");
            apart(random, depth - 1, out);
            out.push_str("}\n");
        }
        2 => drop(writeln!(out, "a[x % 4u] += y; y += a[(i + {k}u) % 4u];")),
        3 => drop(writeln!(out, "data[g] += x ^ {k}u;")),
        4 => drop(writeln!(out, "x = x * 5u + y + {k}u;")),
        5 => drop(writeln!(out, "y = (y >> 1u) ^ (x << 2u);")),
        _ => drop(writeln!(out, "x += uint(int(sin(float(i) + {k}.5) * 9.0));")),
    }
}

#[test]
fn random_compute_shaders_on_lanes_leave_the_same_buffers() {
    for seed in planish_testkit::seeds(0..40) {
        let mut random = Choices::from_seed(seed);
        let size = [5, 16, 24, 37][random.below(4)];
        let mut statements = String::new();
        together(&mut random, 2, &mut statements);
        let source = format!(
            "#version 310 es\n#define N {size}u\nlayout(local_size_x = {size}) in;\nprecision highp float;\n\
             layout(std430, binding = 0) buffer B {{ uint count; uint data[]; }};\nshared uint part[{size}]; shared uint hint;\n\
             void main() {{\nuint i = gl_LocalInvocationIndex, g = gl_WorkGroupID.x * N + i, x = data[g], y = i;\n\
             uint a[4] = uint[](i, 2u, x, 9u);\n{statements}\nbarrier(); data[g] = x ^ (y * 3u) ^ a[i & 3u];\n}}\n"
        );
        compare(&format!("seed {seed}"), &source, [2, 1, 1])
            .unwrap_or_else(|| panic!("seed {seed} cannot be widened\n{source}"));
        if seed % 4 == 0 {
            // Once more, of a module that was optimized before.
            let mut module = compile("a.comp", &source);
            Optimizer::level("2").expect("a level").run(&mut module, &mut |_, _| {});
            let before = buffers(&module, 96);
            let expected = on_evaluator(&module, &before, [2, 1, 1]);
            let mut found = before.clone();
            let engine = Engine::new(Config::default().consume_fuel(true));
            let options = DrawOptions::default();
            dispatch_on(&engine, &module, &options, &LaneOptions::default(), &mut found, [2, 1, 1]).expect("it ends");
            assert!(found.into_iter().map(|(_, words)| words).eq(expected), "seed {seed}, optimized\n{source}");
        }
    }
}
