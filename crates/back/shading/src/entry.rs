//! Inputs and outputs of entry points: parameters and a result.
//!
//! An input that only the entry point reads is its parameter. One that other functions read, too, is a private variable, which
//! the entry point sets first: every function keeps the parameters that the user gave it. Several outputs are members of one
//! variable `out`, which the entry point returns, unless something has to be done to them first.

use std::sync::Arc;

use planish_interface::{Reach, Varying};
use planish_ir::arena::Id;
use planish_ir::decoration::{BuiltIn, Decoration, Decorations, Interpolation, Precision, Sampling};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Func, Type, Var};
use planish_ir::module::{EntryPoint, Module, Stage};
use planish_ir::source::Span;
use planish_ir::types::{Member, Scalar, StructType, TypeKind, Types};
use planish_ir::walk;

use crate::Options;
use crate::globals::{Override, Prepared};
use crate::language::Language;
use crate::memory::{Res, fail};

/// A scalar or vector that an entry point takes or returns.
#[derive(Clone, Debug)]
pub struct Part {
    /// The name that it would like to have.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its role.
    pub attribute: Attribute,
    /// Members and elements that lead to it from the variable, with the types that they are parts of.
    pub path: Vec<(Type, u32)>,
}

/// Role of a part between stages.
#[allow(missing_docs, reason = "the fields of a variant are described with it")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Attribute {
    /// A location.
    Location(Location),
    /// A built-in of the stage; `invariant`: the same in all programs that compute it alike.
    BuiltIn { builtin: BuiltIn, invariant: bool },
    /// The parameter that holds all inputs with locations ([`Entry::input`]).
    Inputs,
}

impl Attribute {
    /// A built-in.
    pub const fn builtin(builtin: BuiltIn) -> Attribute {
        Attribute::BuiltIn { builtin, invariant: false }
    }

    fn is_position(&self) -> bool {
        matches!(self, Attribute::BuiltIn { builtin: BuiltIn::Position, .. })
    }

    /// The location; of others, behind all locations.
    fn order(&self) -> u32 {
        match self {
            Attribute::Location(location) => location.number,
            _ => u32::MAX,
        }
    }

    fn is_blended(&self) -> bool {
        matches!(self, Attribute::Location(Location { blend_source: Some(_), .. }))
    }
}

/// A location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Location {
    /// The number.
    pub number: u32,
    /// The source in dual-source blending.
    pub blend_source: Option<u32>,
    /// Between the vertex and the fragment stage.
    pub interpolation: Option<Interpolated>,
}

/// Interpolation of a varying.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interpolated {
    /// The kind; `flat` of integers.
    pub kind: Interpolation,
    /// The place, if it is not the centre of the pixel.
    pub sampling: Option<Sampling>,
}

/// The value of an input.
#[derive(Clone, Debug)]
pub enum Source {
    /// Parameters, to be put together.
    Parts(Vec<Part>),
    /// One parameter of a type that differs from the variable's.
    BuiltIn(Part),
    /// The size of the work group.
    WorkGroupSize(Sizes),
    /// The middle of a point.
    Half,
    /// The result of a function without parameters, an unsigned integer.
    Function(&'static str),
}

/// An input.
#[derive(Clone, Debug)]
pub struct Input {
    /// The variable.
    pub var: Var,
    /// The member of it, if it is a block.
    pub member: Option<u32>,
    /// Its type.
    pub ty: Type,
    /// Its value.
    pub source: Source,
}

/// A part of the result.
#[derive(Clone, Debug)]
pub struct Output {
    /// `None`: zeros, as no function writes it.
    pub var: Option<Var>,
    /// Its description.
    pub part: Part,
    /// The options' changes of the position.
    pub adjusts: bool,
    /// The variable holds signed words, the result is of unsigned ones.
    pub converts: bool,
}

/// The sizes of a work group: each a number, or a number that an override may replace.
pub type Sizes = [(u32, Option<Override>); 3];

/// An entry point.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The function.
    pub func: Func,
    /// The stage.
    pub stage: Stage,
    /// The name.
    pub name: Arc<str>,
    /// The size of a work group.
    pub sizes: Sizes,
    /// Inputs in use.
    pub inputs: Vec<Input>,
    /// Parts of the result.
    pub outputs: Vec<Output>,
    /// The struct of all inputs with locations, for languages that have such ([`Language::gathers_inputs`]).
    pub input: Option<Type>,
    /// The struct of several outputs.
    pub result: Option<Type>,
    /// Whether the outputs are members of one variable.
    pub is_direct: bool,
}

/// The name of a variable of the language's own in the output: `frag_coord` for `gl_FragCoord`.
pub fn plain_name(name: &str) -> String {
    let Some(rest) = name.strip_prefix("gl_") else { return name.to_owned() };
    let mut out = String::new();
    let mut last_is_lower = false;
    for c in rest.chars() {
        if c.is_ascii_uppercase() && last_is_lower {
            out.push('_');
        }
        last_is_lower = c.is_ascii_lowercase() || c.is_ascii_digit();
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// State of planning an entry point.
struct Planner<'a, L> {
    language: &'a L,
    module: &'a mut Module,
    prepared: &'a mut Prepared,
    options: &'a Options,
    stage: Stage,
    warnings: &'a mut Vec<Diagnostic>,
}

/// Plans an entry point.
pub fn plan<L: Language>(
    language: &L,
    module: &mut Module,
    prepared: &mut Prepared,
    entry: &EntryPoint,
    options: &Options,
    warnings: &mut Vec<Diagnostic>,
) -> Res<Entry> {
    let span = module.funcs[entry.func].span;
    let Some(stage) = entry.stage else { return fail(Code::E0601, span, "an entry point without a stage") };
    let mut inputs = prepared.plan.inputs.clone();
    let mut outputs = prepared.plan.outputs.clone();
    // A stage that shares its module with others has the variables that it reaches; one that is alone has all that it
    // declares.
    if module.entry_points.len() > 1 {
        let reach = Reach::from_roots(module, vec![entry.func])?;
        inputs.retain(|v| reach.vars[v.var.index()]);
        outputs.retain(|v| reach.vars[v.var.index()]);
    }
    if entry.properties.early_fragment_tests {
        warnings.extend(language.early_tests(span));
    }
    if entry.properties.xfb_strides.iter().any(Option::is_some) {
        let message = format!("{} captures no outputs in buffers: `xfb_offset` has no effect", prepared.target_name);
        warnings.push(Diagnostic::warning(Code::W0151, span, message));
    }
    let mut p = Planner { language, module, prepared, options, stage, warnings };
    let sizes = p.sizes(entry)?;
    let mut planned = vec![];
    let keeps = |v: &Varying| v.used || v.location.is_some() && language.keeps_unused_inputs(stage);
    for v in inputs.iter().filter(|v| keeps(v)) {
        planned.push(p.input(v, sizes)?);
    }
    let mut parts = vec![];
    for v in &outputs {
        p.output(v, &mut parts)?;
    }
    let is_position = |o: &Output| o.part.attribute.is_position();
    if stage == Stage::Vertex && !parts.iter().any(is_position) {
        let attribute = Attribute::builtin(BuiltIn::Position);
        let part = Part { name: "position".into(), ty: Type::VEC4, attribute, path: vec![] };
        parts.insert(0, Output { var: None, part, adjusts: false, converts: false });
    }
    if language.sorts_parts() {
        planned.sort_by_key(|input| input.located().next().map_or(u32::MAX, |part| part.attribute.order()));
        parts.sort_by_key(|output| output.part.attribute.order());
    }
    let is_struct = parts.first().is_some_and(|o| language.returns_struct(stage, &o.part.attribute));
    let is_dual = parts.iter().any(|o| o.part.attribute.is_blended());
    let result = (parts.len() > 1 || is_dual || is_struct).then(|| {
        let name = if stage == Stage::Vertex { "VertexOutput" } else { "FragmentOutput" };
        p.structure(name, parts.iter().map(|o| &o.part))
    });
    let located = planned.iter().flat_map(Input::located).cloned().collect::<Vec<_>>();
    let input = (!located.is_empty() && language.gathers_inputs()).then(|| {
        let name = if stage == Stage::Vertex { "VertexInput" } else { "FragmentInput" };
        p.structure(name, located.iter())
    });
    let is_plain = |o: &Output| {
        let is_own = o.var.is_none_or(|v| !p.prepared.shared[v.index()]);
        o.part.path.is_empty() && !o.adjusts && !o.converts && is_own && !language.lists_elements(&o.part.attribute)
    };
    let is_direct = result.is_some() && parts.iter().all(is_plain);
    let name = language.entry_name(entry.names.first().map_or("main", |name| name), stage).into();
    let func = entry.func;
    Ok(Entry { func, stage, name, sizes, inputs: planned, outputs: parts, input, result, is_direct })
}

impl Input {
    /// Parts with locations.
    pub fn located(&self) -> impl Iterator<Item = &Part> {
        let parts: &[Part] = if let Source::Parts(parts) = &self.source { parts } else { &[] };
        parts.iter()
    }
}

impl<L: Language> Planner<'_, L> {
    /// A struct of parts. Where an earlier entry point has it with other attributes, it is another one: its members have their
    /// locations as decorations.
    fn structure<'p>(&mut self, name: &str, parts: impl Iterator<Item = &'p Part>) -> Type {
        let parts: Vec<&Part> = parts.collect();
        let attributes: Vec<Attribute> = parts.iter().map(|p| p.attribute).collect();
        let mut ty = self.structure_of(name, &parts, false);
        if self.prepared.stage_structs.get(&ty).is_some_and(|known| *known != attributes) {
            ty = self.structure_of(name, &parts, true);
        }
        self.prepared.stage_structs.insert(ty, attributes);
        ty
    }

    fn structure_of(&mut self, name: &str, parts: &[&Part], is_decorated: bool) -> Type {
        let member = |part: &&Part| {
            let mut decorations = Decorations::new();
            match part.attribute {
                Attribute::Location(location) if is_decorated => {
                    decorations.add(Decoration::Location(location.number));
                }
                // A struct of the program may have the same members, which are values.
                Attribute::BuiltIn { builtin, .. } if self.language.lists_elements(&part.attribute) => {
                    decorations.add(Decoration::BuiltIn(builtin));
                }
                _ => {}
            }
            Member { name: part.name.as_str().into(), ty: part.ty, precision: Precision::None, decorations }
        };
        let shape = StructType { name: name.into(), members: parts.iter().map(member).collect(), is_block: false };
        self.module.types.intern(TypeKind::Struct(Arc::new(shape)))
    }

    fn sizes(&mut self, entry: &EntryPoint) -> Res<Sizes> {
        let size = entry.properties.local_size.unwrap_or([1; 3]);
        let mut sizes = size.map(|n| (n, None));
        let span = self.module.funcs[entry.func].span;
        for (axis, id) in entry.properties.local_size_ids.into_iter().enumerate() {
            let Some(id) = id else { continue };
            sizes[axis].1 = Some(self.prepared.override_of_size(self.module, id, axis, size[axis], span)?);
        }
        Ok(sizes)
    }

    fn no_builtin<T>(&self, v: &Varying, builtin: BuiltIn) -> Res<T> {
        let name = &self.prepared.target_name;
        let message = format!("{name} has no `{}` in the {} stage", builtin.glsl_name(), self.stage.name());
        fail(Code::E0603, self.place_of(v.var), message)
    }

    /// The declaration of a variable, or its first use.
    fn place_of(&self, var: Var) -> Span {
        let span = self.module.vars[var].span;
        if !span.is_none() { span } else { first_use(self.module, &self.prepared.reach, var) }
    }

    fn input(&mut self, v: &Varying, sizes: Sizes) -> Res<Input> {
        let source = match v.builtin {
            Some(builtin) => self.builtin_source(v, builtin, sizes)?,
            None => {
                let (mut parts, mut location) = (vec![], v.location.unwrap_or(0));
                self.parts(true, v, (&plain_name(&v.name), v.ty), vec![], &mut location, &mut parts)?;
                Source::Parts(parts)
            }
        };
        Ok(Input { var: v.var, member: v.member, ty: v.ty, source })
    }

    fn builtin_source(&mut self, v: &Varying, builtin: BuiltIn, sizes: Sizes) -> Res<Source> {
        if builtin == BuiltIn::WorkGroupSize {
            return Ok(Source::WorkGroupSize(sizes));
        }
        if builtin == BuiltIn::PointCoord && self.options.point_coord_is_centre {
            let message =
                format!("{} has no `gl_PointCoord`: it is the middle of the point", self.prepared.target_name);
            let span = first_use(self.module, &self.prepared.reach, v.var);
            self.warnings.push(Diagnostic::warning(Code::W0152, span, message));
            return Ok(Source::Half);
        }
        if let Some(function) = self.language.builtin_function(builtin) {
            return Ok(Source::Function(function));
        }
        let Some((scalar, n)) = self.language.builtin_input(builtin, self.stage) else {
            return self.no_builtin(v, builtin);
        };
        let ty = self.module.types.vector(scalar, n);
        let (name, attribute) = (plain_name(&v.name), Attribute::builtin(builtin));
        Ok(Source::BuiltIn(Part { name, ty, attribute, path: vec![] }))
    }

    fn no_varying<T>(&self, v: &Varying) -> Res<T> {
        let span = self.module.vars[v.var].span;
        fail(Code::E0609, span, format!("{} cannot pass `{}` between stages", self.prepared.target_name, v.name))
    }

    /// The scalars and vectors of a varying. Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    fn parts(
        &mut self,
        is_input: bool,
        v: &Varying,
        (name, ty): (&str, Type),
        path: Vec<(Type, u32)>,
        location: &mut u32,
        out: &mut Vec<Part>,
    ) -> Res<()> {
        if let TypeKind::Scalar(_) | TypeKind::Vector(..) = self.module.types[ty] {
            let attribute = self.location(is_input, v, ty, *location)?;
            *location += 1;
            out.push(Part { name: name.to_owned(), ty, attribute, path });
            return Ok(());
        }
        let Some(inner) = parts_of(&mut self.module.types, name, ty) else { return self.no_varying(v) };
        for (i, (name, part)) in inner.into_iter().enumerate() {
            let path = path.iter().copied().chain([(ty, i as u32)]).collect();
            self.parts(is_input, v, (&name, part), path, location, out)?;
        }
        Ok(())
    }

    fn location(&self, is_input: bool, v: &Varying, ty: Type, location: u32) -> Res<Attribute> {
        let s = self.module.types.scalar_of(ty).unwrap_or(Scalar::F32);
        if s == Scalar::Bool || s.bits() == 64 {
            return self.no_varying(v);
        }
        let component = v.decorations.find(|d| if let Decoration::Component(n) = d { Some(n) } else { None });
        if component.is_some_and(|n| n != 0) || v.decorations.has(Decoration::Patch) {
            let span = self.module.vars[v.var].span;
            let message = format!("{} gives each location to one variable", self.prepared.target_name);
            return fail(Code::E0609, span, message);
        }
        let mut interpolation = None;
        if matches!((self.stage, is_input), (Stage::Vertex, false) | (Stage::Fragment, true)) {
            let sampling = v.decorations.find(|d| if let Decoration::Sampling(s) = d { Some(s) } else { None });
            if v.decorations.interpolation() == Some(Interpolation::PerVertex) {
                let message = format!("{} has no inputs with a value for each vertex", self.prepared.target_name);
                return fail(Code::E0609, self.module.vars[v.var].span, message);
            }
            let kind = match v.decorations.interpolation() {
                _ if !s.is_float() => Interpolation::Flat,
                kind => kind.unwrap_or(Interpolation::Smooth),
            };
            interpolation = Some(Interpolated { kind, sampling });
        }
        let blend_source = self.blend_source(is_input, v);
        Ok(Attribute::Location(Location { number: location, blend_source, interpolation }))
    }

    /// With dual-source blending every output names its source.
    fn blend_source(&self, is_input: bool, v: &Varying) -> Option<u32> {
        let index = |v: &Varying| v.decorations.find(|d| if let Decoration::Index(n) = d { Some(n) } else { None });
        let dual = self.prepared.plan.outputs.iter().any(|o| index(o).is_some_and(|n| n > 0));
        (dual && !is_input).then(|| index(v).unwrap_or(0))
    }

    fn output(&mut self, v: &Varying, out: &mut Vec<Output>) -> Res<()> {
        // Outputs of a vertex shader must exist for the fragment shader's inputs, written or not.
        let needed = v.used || (self.stage == Stage::Vertex && v.builtin.is_none());
        if !needed {
            return Ok(());
        }
        let path: Vec<(Type, u32)> = v.member.map(|m| (self.module.vars[v.var].ty, m)).into_iter().collect();
        let mut parts = vec![];
        let mut location = v.location.unwrap_or(0);
        let name = plain_name(&v.name);
        match v.builtin {
            None => self.parts(false, v, (&name, v.ty), path, &mut location, &mut parts)?,
            Some(BuiltIn::FragColor) => self.parts(false, v, (&name, v.ty), path, &mut 0, &mut parts)?,
            Some(BuiltIn::FragData) => {
                let TypeKind::Array { element, len } = self.module.types[v.ty] else { return self.no_varying(v) };
                let mut location = 0;
                for i in 0..self.prepared.reach.used_elements(self.module, v.var, len) {
                    let path = path.iter().copied().chain([(v.ty, i)]).collect();
                    self.parts(false, v, (&format!("{name}_{i}"), element), path, &mut location, &mut parts)?;
                }
            }
            Some(builtin) => return self.builtin_output(v, builtin, path, out),
        }
        let var = v.used.then_some(v.var);
        out.extend(parts.into_iter().map(|part| Output { var, part, adjusts: false, converts: false }));
        Ok(())
    }

    fn builtin_output(
        &mut self,
        v: &Varying,
        builtin: BuiltIn,
        mut path: Vec<(Type, u32)>,
        out: &mut Vec<Output>,
    ) -> Res<()> {
        let mut ty = v.ty;
        let mut converts = false;
        match builtin {
            BuiltIn::Position | BuiltIn::FragDepth | BuiltIn::ClipDistance => {}
            BuiltIn::PointSize if self.language.has_point_size() => {}
            BuiltIn::PointSize => {
                let message = format!("{} has no point size: `gl_PointSize` has no effect", self.prepared.target_name);
                let span = first_use(self.module, &self.prepared.reach, v.var);
                self.warnings.push(Diagnostic::warning(Code::W0151, span, message));
                return Ok(());
            }
            BuiltIn::SampleMask => {
                path.push((v.ty, 0));
                (ty, converts) = (Type::U32, true);
            }
            BuiltIn::FragStencilRef if self.language.has_stencil_reference() => (ty, converts) = (Type::U32, true),
            _ => return self.no_builtin(v, builtin),
        }
        let invariant = builtin == BuiltIn::Position && v.decorations.has(Decoration::Invariant);
        let attribute = Attribute::BuiltIn { builtin, invariant };
        let stage = match builtin {
            BuiltIn::FragDepth | BuiltIn::SampleMask | BuiltIn::FragStencilRef => Stage::Fragment,
            _ => Stage::Vertex,
        };
        if self.stage != stage {
            return self.no_builtin(v, builtin);
        }
        let adjusts = builtin == BuiltIn::Position && (self.options.flip_y || self.options.adjust_depth);
        let part = Part { name: plain_name(&v.name), ty, attribute, path };
        out.push(Output { var: Some(v.var), part, adjusts, converts });
        Ok(())
    }
}

/// Names and types of the parts of a matrix, array or struct that stages pass one by one.
pub fn parts_of(types: &mut Types, name: &str, ty: Type) -> Option<Vec<(String, Type)>> {
    Some(match types[ty].clone() {
        TypeKind::Matrix { scalar, columns, rows } => {
            let column = types.vector(scalar, rows);
            (0..columns).map(|i| (format!("{name}_{i}"), column)).collect()
        }
        TypeKind::Array { element, len } => (0..len).map(|i| (format!("{name}_{i}"), element)).collect(),
        TypeKind::Struct(s) => s.members.iter().map(|m| (format!("{name}_{}", m.name), m.ty)).collect(),
        _ => return None,
    })
}

/// The place of the first use of a variable; [`Span::NONE`] if there is none.
fn first_use(module: &Module, reach: &Reach, var: Var) -> Span {
    for &func in &reach.funcs {
        let Some(body) = &module.funcs[func].body else { continue };
        for &node in walk::blocks(body).flat_map(|block| &body.blocks[block].nodes) {
            if body.args(node).iter().any(|a| a.as_var() == Some(var)) {
                return body.node(node).span;
            }
        }
    }
    Span::NONE
}
