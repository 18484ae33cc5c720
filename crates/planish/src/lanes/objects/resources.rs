//! Resources that all invocations of a shader share: uniforms, buffers, textures.

use planish_back_native::{FieldKind, ShaderGroup};
use planish_ir::decoration::{BuiltIn, Decoration, Name, NameSource};
use planish_ir::diagnostic::Diagnostic;
use planish_ir::entity::{Func, Type, Value, Var};
use planish_ir::layout::{Rule, layout_of};
use planish_ir::meaning::Shape;
use planish_ir::module::{Linkage, Module};
use planish_ir::ops::{Class, Op, TextureFlags};
use planish_ir::source::Span;
use planish_ir::texture::{Call, Handle};
use planish_ir::types::{AddressSpace, ImageKind, TypeKind};
use planish_opt::lower_to_scalars::Placement;
use planish_opt::widen::{Outlined, Replacements};
use std::collections::HashMap;

use super::{Work, plain, push, refused};

/// By variable: its place in the structure, and the number of its objects.
pub(super) type Handles = HashMap<Var, (u32, u32)>;

/// The resources of an entry point.
pub(super) struct Resources {
    /// The structure; `None` if there are none.
    pub(super) group: Option<ShaderGroup>,
    pub(super) handles: Handles,
    /// The variables to widen with.
    pub(super) instead: Replacements,
}

impl Work {
    /// Finds the resources that a function uses, without calls.
    pub(super) fn resources(&mut self, func: Func) -> Result<Resources, Vec<Diagnostic>> {
        let memory = self.memory();
        let (name, is_const) = ("uniforms", true);
        let mut group = ShaderGroup { name, memory, is_repeated: false, is_const, size: 0, fields: vec![] };
        let mut found = Resources { group: None, handles: Handles::default(), instead: Replacements::default() };
        let mut errors = Vec::new();
        let used: Vec<Var> = self.module.globals.iter().copied().filter(|&var| self.uses(func, var)).collect();
        for var in used {
            let result = match self.module.vars[var].space {
                AddressSpace::Uniform | AddressSpace::PushConstant => self.uniform(var, &mut group, &mut found),
                AddressSpace::Handle => self.handle(var, &mut group, &mut found),
                AddressSpace::Storage => self.buffer(var, &mut group, &mut found),
                _ => Ok(()),
            };
            errors.extend(result.err().map(|error| *error));
        }
        group.size = group.size.next_multiple_of(8);
        found.group = (!group.fields.is_empty()).then_some(group);
        if errors.is_empty() { Ok(found) } else { Err(errors) }
    }

    fn uses(&self, func: Func, var: Var) -> bool {
        let body = self.module.funcs[func].body.as_ref();
        body.is_some_and(|body| body.all_args().contains(&var.into()))
    }

    /// The name of a variable's member.
    fn name_of(&self, var: Var) -> String {
        let data = &self.module.vars[var];
        match (&*data.name.text, self.module.types.as_struct(data.ty)) {
            ("", Some(s)) => s.name.to_string(),
            (name, _) => name.to_owned(),
        }
    }

    fn uniform(&mut self, var: Var, group: &mut ShaderGroup, found: &mut Resources) -> Result<(), Box<Diagnostic>> {
        let (ty, span) = (self.module.vars[var].ty, self.module.vars[var].span);
        if self.module.types.is_opaque(ty) {
            return self.handle(var, group, found);
        }
        let name = self.name_of(var);
        let own = plain(&mut self.module, ty, false);
        let words = plain(&mut self.module, ty, true);
        let layout = layout_of(&self.module.types, own, Rule::Scalar, false).ok();
        let Some(layout) = layout.filter(|_| self.module.types.components(ty).is_some()) else {
            return Err(Box::new(refused(span, format!("the variable `{name}` has a type that C lacks"))));
        };
        let offset = push(group, &name, "", FieldKind::Value(words), (layout.size, layout.align));
        let name = self.module.vars[var].name.clone();
        let own = self.module.add_var(name, own, AddressSpace::Uniform);
        self.module.vars[own].span = span;
        let place = Placement { memory: group.memory, address: offset, rule: Rule::Scalar, length: None };
        self.placements.insert(own, place);
        found.instead.insert(var, own);
        Ok(())
    }

    /// Pointers to textures, or to samplers.
    fn handle(&mut self, var: Var, group: &mut ShaderGroup, found: &mut Resources) -> Result<(), Box<Diagnostic>> {
        let (ty, span, name) = (self.module.vars[var].ty, self.module.vars[var].span, self.name_of(var));
        let refuse = |what: &str| cannot_use(span, what, &name);
        let (mut lengths, mut inner) = (Vec::new(), ty);
        while let TypeKind::Array { element, len } = self.module.types[inner] {
            lengths.push(len);
            inner = element;
        }
        let is_sampler = match &self.module.types[inner] {
            TypeKind::Sampler { .. } => true,
            TypeKind::Image(image) if matches!(image.kind, ImageKind::Storage(_)) => return refuse("storage images"),
            TypeKind::Image(image) if image.multisampled => return refuse("textures with several samples"),
            TypeKind::Image(image) if image.dim == planish_ir::types::Dim::Subpass => {
                return refuse("input attachments");
            }
            TypeKind::Image(_) => false,
            TypeKind::AtomicCounter => return refuse("atomic counters outside of buffers"),
            _ => return refuse("textures in structures"),
        };
        if lengths.len() > 1 {
            return refuse("arrays of arrays of textures");
        }
        let count: u32 = lengths.iter().product();
        let kind = FieldKind::Handle { is_sampler, lengths };
        let offset = push(group, &name, "", kind, (8 * count, 8));
        found.handles.insert(var, (offset, count));
        Ok(())
    }

    fn buffer(&mut self, var: Var, group: &mut ShaderGroup, found: &mut Resources) -> Result<(), Box<Diagnostic>> {
        let data = self.module.vars[var].clone();
        let name = self.name_of(var);
        let refuse = |what: &str| cannot_use(data.span, what, &name);
        let rule = data
            .decorations
            .find(|decoration| match decoration {
                Decoration::BlockLayout(layout) => Some(Rule::from(layout)),
                _ => None,
            })
            .unwrap_or(Rule::Std430);
        let row_major = data.decorations.has(Decoration::RowMajor);
        let Ok(layout) = layout_of(&self.module.types, data.ty, rule, row_major) else {
            return refuse("a buffer of this type");
        };
        if let TypeKind::Array { element, .. } = self.module.types[data.ty]
            && self.module.types.as_struct(element).is_some_and(|s| s.is_block)
        {
            return refuse("an array of buffers");
        }
        let tail = match &self.module.types[data.ty] {
            TypeKind::RuntimeArray { .. } => Some((data.ty, 0)),
            TypeKind::Struct(s) => s.members.last().zip(layout.members.last()).map(|(last, at)| (last.ty, at.offset)),
            _ => None,
        };
        let tail = tail.filter(|&(ty, _)| matches!(self.module.types[ty], TypeKind::RuntimeArray { .. }));
        let tail = match tail.map(|(ty, at)| (at, layout_of(&self.module.types, ty, rule, row_major))) {
            None => None,
            Some((at, Ok(layout))) => {
                let length = self.length(&name);
                Some((length, at, layout.stride))
            }
            Some((_, Err(_))) => return refuse("a buffer of this type"),
        };
        let memory = self.memory();
        let least = format!("at least {} bytes", layout.size + tail.map_or(0, |(_, _, stride)| stride));
        push(group, &name, &least, FieldKind::Buffer { memory, tail }, (16, 8));
        let own = self.module.add_var(data.name.clone(), data.ty, AddressSpace::Storage);
        let copy = &mut self.module.vars[own];
        (copy.span, copy.decorations) = (data.span, data.decorations.clone());
        let place = Placement { memory, address: 0, rule, length: tail.map(|tail| tail.0) };
        self.placements.insert(own, place);
        found.instead.insert(var, own);
        Ok(())
    }

    /// A variable for the length of an array, which the interface sets.
    fn length(&mut self, name: &str) -> Var {
        let text = format!("length of {name}");
        let var = self.module.add_var(Name::new(text.clone(), NameSource::Internal), Type::U32, AddressSpace::Private);
        let linkage = Linkage { exports: vec![text.into()], import: None, computed: None };
        self.module.vars[var].linkage = Some(Box::new(linkage));
        var
    }

    /// The variables of a built-in input that a function uses.
    pub(super) fn builtins(&self, func: Func, builtin: BuiltIn) -> Vec<Var> {
        let is = |var: &Var| {
            let data = &self.module.vars[*var];
            data.space == AddressSpace::Input && data.decorations.builtin() == Some(builtin) && self.uses(func, *var)
        };
        self.module.globals.iter().copied().filter(is).collect()
    }
}

fn cannot_use(span: Span, what: &str, name: &str) -> Result<(), Box<Diagnostic>> {
    Err(Box::new(refused(span, format!("an object's shader cannot use {what} (`{name}`)"))))
}

/// The texture op that a function over one invocation does.
///
/// # Errors
/// E0604 for ops of other objects than textures.
pub(super) fn call_of(
    module: &Module,
    outlined: &Outlined,
    handles: &Handles,
    (lanes, is_fragment): (u8, bool),
) -> Result<Call, Vec<Diagnostic>> {
    let body = module.funcs[outlined.func].body.as_ref().expect("it was written just now");
    let is_op = |op: Op| op.info().class == Class::Texture && op != Op::CombineSampler;
    let (node, data) = body.nodes().find(|(_, data)| is_op(data.op)).expect("it has the op");
    let refuse = || vec![refused(data.span, format!("an object's shader cannot have `{}`", data.op.text()))];
    let node_of = |value: Value| body.node_of(value).map(|node| (body.node(node).op, body.args(node)));
    let handle = |value: Value| -> Option<Handle> {
        let (Op::Load, &[pointer]) = node_of(value)? else { return None };
        let (var, is_indexed) = match (pointer.as_var(), node_of(pointer)) {
            (Some(var), _) => (var, false),
            (None, Some((Op::AccessArrayElement, &[array, _]))) => (array.as_var()?, true),
            _ => return None,
        };
        let &(offset, count) = handles.get(&var)?;
        Some(Handle { offset, count, is_indexed })
    };
    let args = body.args(node);
    let (texture, sampler) = match node_of(args[0]) {
        Some((Op::CombineSampler, &[texture, sampler])) => (texture, Some(sampler)),
        _ => (args[0], None),
    };
    let texture = handle(texture).ok_or_else(refuse)?;
    let sampler = sampler.map(|sampler| handle(sampler).ok_or_else(refuse)).transpose()?;
    let image = module.types.as_image(module.type_of(body, args[0])).ok_or_else(refuse)?;
    let components = |value: &Value| module.types.components(module.type_of(body, *value)).unwrap_or(0) as u32;
    let has_flags = !matches!(data.op, Op::TextureQueryLod | Op::TextureQueryLevels | Op::TextureQuerySamples);
    let results = body.result(node).and_then(|local| module.types.components(body.local_type(local)));
    let words = results.filter(|_| !outlined.has_helpers && !matches!(image.kind, ImageKind::Storage(_)));
    Ok(Call {
        op: data.op,
        flags: if has_flags { data.imm.as_texture() } else { TextureFlags::NONE },
        image,
        lanes: lanes.into(),
        has_implicit_levels: is_fragment,
        texture,
        sampler,
        operands: args[1..].iter().map(components).collect(),
        results: words.ok_or_else(refuse)? as u32,
    })
}
