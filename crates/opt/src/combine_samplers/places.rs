//! Places of separate textures and samplers: the variable or parameter, and the members and elements on the way.

use planish_ir::entity::{Func, Local, Type, Value, ValueKind, Var};
use planish_ir::function::Body;
use planish_ir::meaning::clamp_index;
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::types::{Dim, ImageKind, TypeKind, Types};
use planish_ir::walk;
use rustc_hash::FxHashMap;

/// Start of a path.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) enum Root {
    /// A variable of the module.
    Var(Var),
    /// A parameter of the function, by number.
    Param(usize),
}

/// A part of a path.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) enum Part {
    /// A member, by number.
    Field(u32),
    /// One element.
    At(u32),
    /// Any element: an index of the pair.
    Each,
}

/// A path to textures or samplers that one variable can hold.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Path {
    pub(super) root: Root,
    pub(super) parts: Vec<Part>,
}

/// A pair; without a sampler, a texture of which only texels and sizes are read.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Key {
    pub(super) texture: Path,
    pub(super) sampler: Option<Path>,
}

/// A place in a function.
#[derive(Clone, Debug)]
pub(super) struct Place {
    root: Root,
    steps: Vec<Step>,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Field(u32),
    /// An element of an array of this length.
    Index(Value, u32),
}

/// Whether a type consists of separate textures and samplers only. Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
pub(super) fn is_separate(types: &Types, ty: Type) -> bool {
    match &types[ty] {
        TypeKind::Image(image) => image.kind == ImageKind::Texture && image.dim != Dim::Subpass,
        TypeKind::Sampler { .. } => true,
        TypeKind::Array { element, .. } => is_separate(types, *element),
        TypeKind::Struct(s) => !s.members.is_empty() && s.members.iter().all(|m| is_separate(types, m.ty)),
        _ => false,
    }
}

/// The memory of a parameter that consists of separate textures and samplers.
pub(super) fn separate_pointee(types: &Types, ty: Type) -> Option<Type> {
    types.pointee(ty).map(|(pointee, _)| pointee).filter(|&pointee| is_separate(types, pointee))
}

impl Path {
    pub(super) fn has_each(&self) -> bool {
        self.parts.contains(&Part::Each)
    }

    pub(super) fn param(&self) -> Option<usize> {
        match self.root {
            Root::Param(index) => Some(index),
            Root::Var(_) => None,
        }
    }

    /// The name of the root; `func`: the function whose parameters there may be.
    pub(super) fn root_name(&self, module: &Module, func: Option<Func>) -> String {
        match (self.root, func) {
            (Root::Var(var), _) => module.vars[var].name.text.to_string(),
            (Root::Param(index), Some(func)) => module.funcs[func].params[index].name.text.to_string(),
            (Root::Param(_), None) => unreachable!("it is no parameter's"),
        }
    }

    /// Calls `f` with each part, and the name of a member or length of an array. Returns the type at the end.
    pub(super) fn walk(&self, module: &Module, func: Option<Func>, mut f: impl FnMut(Part, &str, u32)) -> Type {
        let mut ty = match (self.root, func) {
            (Root::Var(var), _) => module.vars[var].ty,
            (Root::Param(index), Some(func)) => {
                separate_pointee(&module.types, module.funcs[func].params[index].ty).expect("it leads to textures")
            }
            (Root::Param(_), None) => unreachable!("it is no parameter's"),
        };
        for &part in &self.parts {
            match (part, &module.types[ty]) {
                (Part::Field(member), TypeKind::Struct(s)) => {
                    let member = &s.members[member as usize];
                    f(part, &member.name, 0);
                    ty = member.ty;
                }
                (_, TypeKind::Array { element, len }) => {
                    f(part, "", *len);
                    ty = *element;
                }
                _ => unreachable!("paths are those of accesses"),
            }
        }
        ty
    }

    /// The lengths of the arrays whose elements are open.
    pub(super) fn lengths(&self, module: &Module, func: Option<Func>) -> Vec<u32> {
        let mut lengths = Vec::new();
        self.walk(module, func, |part, _, length| lengths.extend((part == Part::Each).then_some(length)));
        lengths
    }

    /// Whether it is a path to samplers that compare.
    pub(super) fn compares(&self, module: &Module, func: Option<Func>) -> bool {
        let ty = self.walk(module, func, |_, _, _| {});
        matches!(module.types[ty], TypeKind::Sampler { comparison: true })
    }
}

impl Key {
    /// The parameters that it depends on.
    pub(super) fn params(&self) -> impl Iterator<Item = usize> {
        self.texture.param().into_iter().chain(self.sampler.as_ref().and_then(Path::param))
    }

    /// The lengths of the array of pairs, outermost first.
    pub(super) fn lengths(&self, module: &Module, func: Option<Func>) -> Vec<u32> {
        let of_sampler = self.sampler.iter().flat_map(|path| path.lengths(module, func));
        self.texture.lengths(module, func).into_iter().chain(of_sampler).collect()
    }
}

impl Place {
    /// The path as that of a texture, of which each element has a pair of its own, or of a sampler, of which an element by a constant is a
    /// sampler like others. Appends the open indices.
    pub(super) fn path(&self, module: &Module, is_texture: bool, indices: &mut Vec<Value>) -> Path {
        let constant = |index: Value| index.as_const().filter(|_| !is_texture).and_then(|c| module.consts.as_bits(c));
        let part = |step: &Step| match *step {
            Step::Field(member) => Part::Field(member),
            Step::Index(index, length) => match constant(index) {
                Some(bits) => Part::At(clamp_index(bits, length)),
                None => {
                    indices.push(index);
                    Part::Each
                }
            },
        };
        Path { root: self.root, parts: self.steps.iter().map(part).collect() }
    }
}

/// The places of a function: addresses, and textures and samplers loaded from there.
pub(super) struct Places(FxHashMap<Local, Place>);

impl Places {
    pub(super) fn find(module: &Module, body: &Body) -> Places {
        let mut places = Places(FxHashMap::default());
        for (index, &input) in body.blocks[body.entry].inputs.iter().enumerate() {
            if separate_pointee(&module.types, body.local_type(input)).is_some() {
                places.0.insert(input, Place { root: Root::Param(index), steps: vec![] });
            }
        }
        for node in walk::blocks(body).flat_map(|block| body.blocks[block].nodes.iter().copied()) {
            let (data, args) = (body.node(node), body.args(node));
            let step = match data.op {
                Op::Load => None,
                Op::AccessStructField => Some(Step::Field(data.imm.as_index())),
                Op::AccessArrayElement => {
                    let array = module.types.pointee(module.type_of(body, args[0])).map(|(ty, _)| &module.types[ty]);
                    let Some(&TypeKind::Array { len, .. }) = array else { continue };
                    Some(Step::Index(args[1], len))
                }
                _ => continue,
            };
            let Some(mut place) = places.of(module, args[0]) else { continue };
            place.steps.extend(step);
            let result = body.result(node).expect("it has one");
            places.0.insert(result, place);
        }
        places
    }

    pub(super) fn has(&self, local: Local) -> bool {
        self.0.contains_key(&local)
    }

    /// The place of a value, if it is one of separate textures or samplers.
    pub(super) fn of(&self, module: &Module, value: Value) -> Option<Place> {
        match value.kind() {
            ValueKind::Local(local) => self.0.get(&local).cloned(),
            ValueKind::Var(var) if is_separate(&module.types, module.vars[var].ty) => {
                Some(Place { root: Root::Var(var), steps: vec![] })
            }
            _ => None,
        }
    }
}
