//! Linking of the stages of one program: the outputs of a stage must match the inputs of the next, with the same
//! locations. Targets other than GLSL match varyings by number, not by name, so the numbers are assigned here.

mod resources;
mod uniforms;

use std::collections::BTreeMap;
use std::sync::Arc;

use planish_interface::per_vertex_element;
use planish_ir::decoration::{BuiltIn, Decoration, Decorations, Interpolation};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::Type;
use planish_ir::layout::location_count;
use planish_ir::module::{Language, Module, Stage};
use planish_ir::source::Span;
use planish_ir::types::{AddressSpace, TypeKind, Types};

/// Locations of varyings by name, for [`crate::EmitOptions::locations`].
pub type Locations = BTreeMap<String, u32>;

pub use uniforms::SharedUniforms;

/// The result of [`link`].
#[derive(Clone, Debug)]
pub struct Linked {
    /// Locations of varyings, by module.
    pub locations: Vec<Locations>,
    /// Uniforms outside of blocks, for [`crate::EmitOptions::uniforms`], if several stages have any.
    pub uniforms: Option<Arc<SharedUniforms>>,
}

/// An output of one stage or an input of another.
struct Varying {
    name: String,
    /// The block that it is a member of.
    block: Option<String>,
    ty: Type,
    location: Option<u32>,
    interpolation: Interpolation,
    invariant: bool,
    used: bool,
    span: Span,
}

impl Varying {
    /// Whether an output and an input of different stages match.
    fn is(&self, other: &Varying) -> bool {
        self.name == other.name && self.block == other.block
    }
}

/// Assigns to each varying without a location in its declaration one that both stages agree on, and gathers the uniforms. The
/// locations are in the order of the modules, one for each stage of the program.
///
/// # Errors
/// Inputs of a stage that are no output of the one before it, or one that does not match; uniforms of one name with several types.
pub fn link(modules: &[&Module]) -> Result<Linked, Vec<Diagnostic>> {
    let mut locations = vec![Locations::new(); modules.len()];
    let mut errors = vec![];
    let stage = |module: &Module| module.entry_points.first().and_then(|e| e.stage);
    let rank = |&i: &usize| Stage::ALL.iter().position(|s| Some(*s) == stage(modules[i]));
    let mut order: Vec<usize> = (0..modules.len()).filter(|i| rank(i).is_some()).collect();
    order.sort_by_key(rank);
    for pair in order.windows(2) {
        let [from, to] = [pair[0], pair[1]];
        let (name, next) = (stage_name(stage(modules[from])), stage_name(stage(modules[to])));
        if name == next {
            let message = format!("two shaders of the {name} stage");
            errors.push(Diagnostic::error(Code::E1001, Span::NONE, message).help("compile them one by one"));
            continue;
        }
        if next == "compute" {
            let message = "a compute shader goes with no other stage";
            errors.push(Diagnostic::error(Code::E1001, Span::NONE, message).help("compile it by itself"));
            continue;
        }
        let given = varyings(modules[from], AddressSpace::Output);
        let taken = varyings(modules[to], AddressSpace::Input);
        if next == "fragment" && [from, to].iter().any(|&i| wants_one_interpolation(modules[i].language)) {
            check_interpolation(&given, &taken, name, &mut errors);
        }
        if next == "fragment" && [from, to].iter().all(|&i| wants_one_invariance(modules[i].language)) {
            check_invariance(&given, &taken, &mut errors);
            check_builtin_invariance([modules[from], modules[to]], &mut errors);
        }
        let found = match_varyings(&modules[from].types, &given, &modules[to].types, &taken, [name, next], &mut errors);
        for (name, location) in found {
            locations[from].insert(name.clone(), location);
            locations[to].insert(name, location);
        }
    }
    check_versions(modules, &mut errors);
    resources::check(modules, &mut errors);
    if !errors.is_empty() {
        return Err(errors);
    }
    Ok(Linked { locations, uniforms: SharedUniforms::of(modules).map(Arc::new) })
}

fn is_es(module: &Module) -> bool {
    matches!(module.language, Language::Glsl { es: true, .. })
}

/// Shaders of GLSL ES are all of one version, and go with none of desktop GLSL (GLSL ES 3.20.8, section 3.4).
fn check_versions(modules: &[&Module], errors: &mut Vec<Diagnostic>) {
    let glsl = |m: &&Module| match m.language {
        Language::Glsl { version, es } => Some((version, es, start(m))),
        _ => None,
    };
    let mut versions = modules.iter().filter_map(glsl);
    let Some((version, es, first)) = versions.next() else { return };
    let Some((other, other_es, span)) = versions.find(|&(v, e, _)| (e || es) && (v, e) != (version, es)) else {
        return;
    };
    let name = |version, es| version_name(version, es);
    let (a, b) = (name(version, es), name(other, other_es));
    let error = Diagnostic::error(Code::E1001, span, format!("a shader of {b} in a program of {a}"));
    errors.push(error.also(first, format!("this one is {a}")).help("begin both shaders with the same `#version`"));
}

/// The place of the first function that a module declares.
fn start(module: &Module) -> Span {
    module.entry_points.first().map_or(Span::NONE, |e| module.funcs[e.func].span)
}

/// A version as usually written.
fn version_name(version: u16, es: bool) -> String {
    let es = if es { " ES" } else { "" };
    format!("GLSL{es} {}.{:02}", version / 100, version % 100)
}

/// Whether `invariant` is declared in both stages, as in GLSL ES 1.00 (section 4.6.4) and in desktop versions before 4.20.
fn wants_one_invariance(language: Language) -> bool {
    matches!(language, Language::Glsl { version, es } if version < if es { 300 } else { 420 })
}

fn check_invariance(given: &[Varying], taken: &[Varying], errors: &mut Vec<Diagnostic>) {
    for input in taken.iter().filter(|v| v.used) {
        let Some(output) = given.iter().find(|g| g.is(input) && g.invariant != input.invariant) else { continue };
        let (here, there) = if input.invariant { ("", "not ") } else { ("not ", "") };
        let message = format!("`{}` is {here}`invariant`, but {there}so in the vertex shader", input.name);
        let error = Diagnostic::error(Code::E1001, input.span, message).also(output.span, "declared there");
        errors.push(error.help("declare both `invariant`, or none"));
    }
}

/// `gl_FragCoord` is invariant only if `gl_Position` is, and `gl_PointCoord` only if `gl_PointSize` is.
fn check_builtin_invariance(modules: [&Module; 2], errors: &mut Vec<Diagnostic>) {
    let find = |module: &Module, builtin| {
        let is_it = |v: &&planish_ir::entity::Var| module.vars[**v].decorations.builtin() == Some(builtin);
        let var = module.globals.iter().find(is_it)?;
        module.vars[*var].decorations.has(Decoration::Invariant).then(|| module.vars[*var].span)
    };
    for (output, input) in [(BuiltIn::Position, BuiltIn::FragCoord), (BuiltIn::PointSize, BuiltIn::PointCoord)] {
        if let (None, Some(span)) = (find(modules[0], output), find(modules[1], input)) {
            let [output, input] = [output, input].map(BuiltIn::glsl_name);
            let message = format!("`{input}` is `invariant`, but `{output}` is not");
            let error = Diagnostic::error(Code::E1001, span, message);
            errors.push(error.help(format!("write `invariant {output};` in the vertex shader")));
        }
    }
}

/// Whether both stages must declare the same interpolation, as in GLSL ES and in desktop versions before 4.40; later
/// versions use that of the fragment shader.
fn wants_one_interpolation(language: Language) -> bool {
    matches!(language, Language::Glsl { version, es } if es || version < 440)
}

fn check_interpolation(given: &[Varying], taken: &[Varying], stage: &str, errors: &mut Vec<Diagnostic>) {
    for input in taken.iter().filter(|v| v.used) {
        let differs = |g: &&Varying| g.is(input) && g.interpolation != input.interpolation;
        let is_vertex = input.interpolation == Interpolation::PerVertex;
        let Some(output) = given.iter().find(differs).filter(|_| !is_vertex) else {
            continue;
        };
        let [here, there] = [input, output].map(|v| v.interpolation.name());
        let message = format!("`{}` is `{here}`, but `{there}` in the {stage} shader", input.name);
        let error = Diagnostic::error(Code::E1001, input.span, message).also(output.span, "declared there");
        errors.push(error.help("give both the same interpolation"));
    }
}

/// The locations of the varyings that both stages have.
fn match_varyings(
    types: &Types,
    given: &[Varying],
    next_types: &Types,
    taken: &[Varying],
    stages: [&str; 2],
    errors: &mut Vec<Diagnostic>,
) -> Locations {
    let [stage, next] = stages;
    let mut found: Vec<(&Varying, Option<u32>)> = vec![];
    for input in taken {
        let located = || given.iter().find(|g| g.location.is_some() && g.location == input.location);
        let Some(output) = given.iter().find(|g| g.is(input)).or_else(located) else {
            if input.used {
                let message = format!("the {stage} shader gives the {next} shader no `{}`", input.name);
                errors.push(Diagnostic::error(Code::E1001, input.span, message).label("is taken here"));
            }
            continue;
        };
        let clash = |what: &str| {
            let message = format!("`{}` has another {what} in the {stage} shader", input.name);
            Diagnostic::error(Code::E1001, input.span, message).also(output.span, format!("the {what} there"))
        };
        if !same_type(types, output.ty, next_types, input.ty) {
            errors.push(clash("type"));
        }
        match (output.location, input.location) {
            (Some(a), Some(b)) if a != b => errors.push(clash("location")),
            (a, b) if output.is(input) => found.push((output, a.or(b))),
            _ => {}
        }
    }
    number(types, given, taken, &found)
}

/// Assigns to varyings without a number the first free ones.
fn number(types: &Types, given: &[Varying], taken: &[Varying], found: &[(&Varying, Option<u32>)]) -> Locations {
    let size = |v: &Varying| location_count(types, v.ty);
    let mut used: Vec<(u32, u32)> = found.iter().filter_map(|(v, at)| Some(((*at)?, size(v)))).collect();
    used.extend(given.iter().filter_map(|v| Some((v.location?, size(v)))));
    // Sizes in the other stage are the same if the types are, which is checked.
    used.extend(taken.iter().filter_map(|v| Some((v.location?, 1))));
    let mut locations = Locations::new();
    for (varying, location) in found {
        let length = size(varying);
        let at = location.unwrap_or_else(|| {
            let mut at = 0;
            while let Some((start, len)) = used.iter().find(|(start, len)| at < start + len && *start < at + length) {
                at = start + len;
            }
            used.push((at, length));
            at
        });
        locations.insert(varying.name.clone(), at);
    }
    locations
}

fn varyings(module: &Module, space: AddressSpace) -> Vec<Varying> {
    let mut all = vec![];
    let stage = module.entry_points.first().and_then(|entry| entry.stage);
    for &var in module.globals.iter().filter(|&&v| module.vars[v].space == space) {
        let data = &module.vars[var];
        let used = module.is_named(var);
        // Of arrays with an element for each vertex, the values of one vertex match.
        let of_one = per_vertex_element(&module.types, data, stage).unwrap_or(data.ty);
        let mut add = |name: &str, block: Option<&str>, ty, decorations: &Decorations| {
            if decorations.builtin().is_none() {
                let (name, block, location) = (name.to_owned(), block.map(str::to_owned), decorations.location());
                let interpolation = decorations.interpolation().or(data.decorations.interpolation());
                let interpolation = interpolation.unwrap_or(Interpolation::Smooth);
                let invariant = data.decorations.has(Decoration::Invariant);
                all.push(Varying { name, block, ty, location, interpolation, invariant, used, span: data.span });
            }
        };
        match module.types.as_struct(of_one).filter(|s| s.is_block) {
            Some(block) => {
                block.members.iter().for_each(|m| add(&m.name, Some(&block.name), m.ty, &m.decorations));
            }
            None => add(&data.name.text, None, of_one, &data.decorations),
        }
    }
    all
}

/// Whether types of two modules are equal. Their depth is bounded by the module's language.
/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
fn same_type(a: &Types, x: Type, b: &Types, y: Type) -> bool {
    match (&a[x], &b[y]) {
        (TypeKind::Array { element: x, len: m }, TypeKind::Array { element: y, len: n }) => {
            m == n && same_type(a, *x, b, *y)
        }
        (TypeKind::Struct(x), TypeKind::Struct(y)) => {
            let same = |(m, n): (&planish_ir::types::Member, &planish_ir::types::Member)| {
                m.name == n.name && same_type(a, m.ty, b, n.ty)
            };
            x.name == y.name && x.members.len() == y.members.len() && x.members.iter().zip(&y.members).all(same)
        }
        // Types without component types are the same in every module.
        (x, y) => x == y,
    }
}

fn stage_name(stage: Option<Stage>) -> &'static str {
    match stage {
        Some(Stage::Vertex) => "vertex",
        Some(Stage::TessellationControl) => "tessellation control",
        Some(Stage::TessellationEvaluation) => "tessellation evaluation",
        Some(stage) => stage.name(),
        None => "no",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Compiler;

    fn linked(vertex: &str, fragment: &str) -> Result<[Vec<(String, u32)>; 2], Vec<String>> {
        let mut compiler = Compiler::default();
        let mut module = |name: &str, io: &str, main: &str| {
            let source = format!("#version 300 es\nprecision highp float;\n{io}\nvoid main() {{ {main} }}\n");
            compiler.compile(name, source).module.expect("is valid")
        };
        let vertex = module("a.vert", vertex, "gl_Position = vec4(1.0);");
        let uses: Vec<&str> = ["a", "b", "c"].into_iter().filter(|v| fragment.contains(&format!(" {v};"))).collect();
        let main: String = uses.iter().map(|v| format!("colour += vec4({v});")).collect();
        let fragment = module("a.frag", &format!("out vec4 colour;\n{fragment}"), &main);
        // The order of the files does not matter.
        let found = link(&[&fragment, &vertex]).map_err(|e| e.into_iter().map(|d| d.message).collect::<Vec<_>>())?;
        let [fragment, vertex] = &found.locations[..] else { panic!("two modules") };
        Ok([vertex, fragment].map(|l| l.clone().into_iter().collect()))
    }

    #[test]
    fn varyings_meet_by_name() {
        let [vertex, fragment] =
            linked("out float c; out mat2 b; out float a; out vec2 unused;", "in float a; in mat2 b;")
                .expect("the stages fit");
        let wanted = [("a", 0), ("b", 1)].map(|(n, l)| (n.to_owned(), l));
        assert_eq!(vertex, wanted);
        assert_eq!(fragment, wanted);
    }

    #[test]
    fn what_does_not_fit_is_said() {
        let one = |vertex, fragment| linked(vertex, fragment).expect_err("does not fit");
        assert_eq!(one("out mat2 a;", "in float a;"), ["`a` has another type in the vertex shader"]);
        assert_eq!(one("out float a;", "in float b;"), ["the vertex shader gives the fragment shader no `b`"]);
        assert!(linked("out float a;", "in float a; in vec4 unusedThere;").is_ok());
        assert_eq!(one("out float a;", "flat in float a;"), ["`a` is `flat`, but `smooth` in the vertex shader"]);
        assert_eq!(one("flat out float a;", "in float a;"), ["`a` is `smooth`, but `flat` in the vertex shader"]);
        assert!(linked("smooth out vec4 a; flat out float b;", "in vec4 a; flat in float b;").is_ok());
    }

    #[test]
    fn uniforms_of_two_stages_are_one_block() {
        use crate::{EmitOptions, Target, emit, reflect};
        let mut compiler = Compiler::default();
        let mut module = |name: &str, uniforms: &str, main: &str| {
            let source = format!("#version 300 es\nprecision highp float;\n{uniforms}\nvoid main() {{ {main} }}\n");
            compiler.compile(name, source).module.expect("is valid")
        };
        let light = "struct Light { vec3 at; float power; }; uniform Light light;";
        let vertex = module(
            "a.vert",
            &format!("{light} uniform mat4 view; uniform sampler2D heights;"),
            "gl_Position = view * texture(heights, light.at.xy);",
        );
        let own = "layout(std140) uniform Own { vec4 tint; }; out vec4 color;";
        let fragment =
            module("a.frag", &format!("uniform float time; {light} {own}"), "color = tint * time * light.power;");
        let linked = link(&[&vertex, &fragment]).expect("the stages fit");
        let options = EmitOptions { uniforms: linked.uniforms, ..EmitOptions::default() };
        let blocks =
            [&vertex, &fragment].map(|m| reflect(m, &options).expect("has an interface").uniforms.expect("a block"));
        assert_eq!(blocks[0], blocks[1]);
        let members: Vec<_> = blocks[0].members.iter().map(|m| (&*m.name, m.offset)).collect();
        assert_eq!(members, [("light", 0), ("view", 16), ("time", 80)]);
        assert_eq!((blocks[0].group, blocks[0].binding), (0, 0));
        for (module, target) in [(&vertex, Target::Wgsl), (&fragment, Target::Wgsl), (&fragment, Target::Spirv)] {
            let output = emit(module, target, &options).expect("is written");
            if target == Target::Wgsl {
                let text = String::from_utf8(output.bytes).expect("text");
                assert!(text.contains("    view: mat4x4f,\n    time: f32,\n"), "{text}");
                assert!(text.contains("@group(0) @binding(0) var<uniform> planish_uniforms"), "{text}");
            }
        }

        let other = module("a.frag", "uniform vec2 view; out vec4 color;", "color = view.xyxy;");
        let errors = link(&[&vertex, &other]).expect_err("two types");
        assert_eq!(errors[0].message, "the uniform `view` has another type in the other stage");
    }
}
