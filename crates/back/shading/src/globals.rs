//! Variables of module scope: from the program's to those that the output declares.

use std::rc::Rc;

use planish_back_text::tree::Symbol;
use planish_interface::{
    Derivatives, ELEMENT, Numbering, Plan, Reach, Resource, ResourceKind, Uses, block_row_major, block_rule,
    is_all_opaque, is_loose_uniform,
};
use planish_ir::arena::Id;
use planish_ir::decoration::Decoration;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Const, Type, Var};
use planish_ir::layout::Rule;
use planish_ir::meaning::float_value;
use planish_ir::module::Module;
use planish_ir::source::Span;
use planish_ir::types::{AddressSpace, ImageKind, ImageType, Scalar, TypeKind};
use rustc_hash::FxHashMap;

use crate::bytes::Order;
use crate::entry::Attribute;
use crate::images::Access;
use crate::language::Language;
use crate::memory::{MemId, MemKind, Memory, Res, fail};

/// Textures and samplers, split to their parts.
#[derive(Clone, Debug)]
pub enum Tree {
    /// An image or sampler.
    Leaf(Leaf),
    /// An array.
    Array(Vec<Rc<Tree>>),
    /// A struct; `None` for members that hold none.
    Struct(Vec<Option<Rc<Tree>>>),
}

/// A texture, a sampler, or both.
#[derive(Clone, Copy, Debug)]
pub struct Leaf {
    /// The texture.
    pub texture: Option<Symbol>,
    /// The sampler.
    pub sampler: Option<Symbol>,
    /// Whether it is a depth texture, whose samples are scalars.
    pub depth: bool,
}

/// A variable of the program in the output.
#[allow(missing_docs, reason = "the fields of a variant are described with it")]
#[derive(Clone, Debug)]
pub enum GlobalRef {
    /// A variable.
    Memory { symbol: Symbol, mem: MemId },
    /// A member of the gathered uniforms.
    Member { symbol: Symbol, block: MemId, member: u32, mem: MemId },
    /// An array of blocks: a variable each.
    Blocks { symbols: Rc<[Symbol]>, mem: MemId },
    /// Textures and samplers.
    Opaque(Rc<Tree>),
    /// A struct with textures and samplers among its members.
    Mixed { memory: Option<Box<GlobalRef>>, tree: Rc<Tree> },
}

/// The type of a declaration.
#[allow(missing_docs, reason = "the fields of a variant are described with it")]
#[derive(Clone, Debug)]
pub enum DeclaredType {
    /// A type.
    Type(Type),
    /// A texture; `depth`: whether its samples are depths.
    Texture { image: ImageType, depth: bool, access: Access },
    /// A sampler.
    Sampler { comparison: bool },
}

/// Group and binding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot {
    /// Group (descriptor set).
    pub group: u32,
    /// Binding in the group.
    pub binding: u32,
}

impl Slot {
    fn of(r: &Resource) -> Slot {
        Slot { group: r.group, binding: r.binding }
    }
}

/// The number of a specialization constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SpecId {
    /// The number.
    pub id: u32,
    /// Whether the number is not the program's own, which knows the constant by its name ([`Decoration::Unnumbered`]).
    pub unnumbered: bool,
}

impl SpecId {
    /// That of the constants of a module with this number.
    fn of(module: &Module, id: u32) -> SpecId {
        let unnumbered =
            constant_of(module, id).is_some_and(|var| module.vars[var].decorations.has(Decoration::Unnumbered));
        SpecId { id, unnumbered }
    }
}

/// A specialization constant with this number.
fn constant_of(module: &Module, id: u32) -> Option<Var> {
    let mut vars = module.vars.iter();
    vars.find(|(_, data)| data.decorations.has(Decoration::ConstantId(id))).map(|(var, _)| var)
}

/// Kind of a declaration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A uniform block.
    Uniform(Slot),
    /// A storage block.
    Storage {
        /// Its place.
        slot: Slot,
        /// The program only reads it.
        read_only: bool,
    },
    /// A texture or sampler.
    Handle(Slot),
    /// A block of constants that a command sets.
    PushConstant,
    /// Memory of a work group.
    Workgroup,
    /// Memory of an invocation.
    Private,
    /// A constant.
    Const,
    /// A constant that the host may replace, by its number or name.
    Override(SpecId),
    /// The sizes of buffers.
    Sizes,
}

/// A declaration of module scope. Its symbol has the number of its place.
#[derive(Clone, Debug)]
pub struct Declared {
    /// The name that it would like to have.
    pub name: String,
    /// Its kind.
    pub kind: Kind,
    /// Its type.
    pub ty: DeclaredType,
    /// Its first value.
    pub init: Option<Const>,
    /// Whether the host or another stage sees it, so that it keeps its name.
    pub is_interface: bool,
    /// The declaration in the source, for the first of those that a variable becomes.
    pub span: Span,
}

/// A constant that the host may replace.
#[derive(Clone, Copy, Debug)]
pub struct Override {
    /// Its declaration.
    pub symbol: Symbol,
    /// Its type.
    pub scalar: Scalar,
    default: u64,
}

/// Everything that is known before the first function is written.
pub struct Prepared {
    /// The target with its version, in messages.
    pub target_name: String,
    /// Numbers of everything that the host sees.
    pub plan: Plan,
    /// Functions and variables that are reached.
    pub reach: Reach,
    /// Functions with implicit derivatives.
    pub derivatives: Derivatives,
    /// Kinds of memory.
    pub memory: Memory,
    /// Declarations of module scope; their symbols are the first.
    pub declared: Vec<Declared>,
    /// By variable number.
    pub refs: Vec<Option<GlobalRef>>,
    /// Private variables whose first value is no constant of the language: entry points set them.
    pub late: Vec<(Var, Const)>,
    /// Constants that the host may replace, by number.
    pub overrides: FxHashMap<u32, Override>,
    /// By variable number: inputs and outputs that other functions than entry points mention.
    pub shared: Vec<bool>,
    /// The declaration of the sizes of buffers with arrays that they size, for languages that need such.
    pub sizes: Option<Symbol>,
    /// Structs of inputs and outputs of entry points, with the attributes of their members.
    pub stage_structs: FxHashMap<Type, Vec<Attribute>>,
    /// The numbers from 0 of type `u32`, for each block of an array.
    pub numbers: Vec<Const>,
    /// Vectors of one component and more, in the order of [`Scalar::ALL`].
    pub vectors: [[Type; 4]; Scalar::ALL.len()],
    /// Matrices by columns and rows.
    pub matrices: [[[Type; 3]; 3]; 2],
}

impl Prepared {
    /// Declares all variables that are reached. Types of memory are added to the module.
    ///
    /// # Errors
    /// Variables that the language cannot declare.
    pub fn new<L: Language>(
        language: &L,
        module: &mut Module,
        numbering: &Numbering,
    ) -> Result<Prepared, Vec<Diagnostic>> {
        let reach = Reach::new(module).map_err(|e| vec![*e])?;
        let mut types = std::mem::take(&mut module.types);
        let plan = Plan::new(module, &mut types, &reach, numbering);
        module.types = types;
        let mut prepared = Prepared {
            target_name: language.target_name(),
            plan: plan?,
            derivatives: Derivatives::new(module),
            memory: Memory::new(language.memory()),
            declared: vec![],
            refs: vec![None; module.vars.len()],
            late: vec![],
            overrides: FxHashMap::default(),
            stage_structs: FxHashMap::default(),
            sizes: None,
            shared: shared(module, &reach),
            numbers: vec![],
            vectors: Scalar::ALL.map(|s| [1, 2, 3, 4].map(|n| module.types.vector(s, n))),
            matrices: [Scalar::F32, Scalar::F16]
                .map(|s| [2, 3, 4].map(|columns| [2, 3, 4].map(|rows| module.types.matrix(s, columns, rows)))),
            reach,
        };
        prepared.memory.in_registers = language.addresses_bytes();
        let uses = Uses::new(module, &prepared.reach);
        let mut errors = vec![];
        errors.extend(prepared.declare_uniforms(module).err().map(|e| *e));
        for var in module.globals.clone() {
            if prepared.reach.vars[var.index()] {
                let first = prepared.declared.len();
                errors.extend(prepared.declare(language, module, var, &uses).err().map(|e| *e));
                if let Some(declared) = prepared.declared.get_mut(first) {
                    declared.span = module.vars[var].span;
                }
            }
        }
        if errors.is_empty() { Ok(prepared) } else { Err(errors) }
    }

    /// Whether the declaration ends in an array that its buffer sizes.
    pub fn is_sized(&self, module: &Module, symbol: Symbol) -> bool {
        let declared = &self.declared[symbol.0 as usize];
        let DeclaredType::Type(ty) = declared.ty else { return false };
        matches!(declared.kind, Kind::Storage { .. }) && last_of(module, ty).is_some()
    }

    /// Adds a declaration.
    pub fn add(&mut self, name: impl Into<String>, kind: Kind, ty: DeclaredType) -> Symbol {
        self.declared.push(Declared { name: name.into(), kind, ty, init: None, is_interface: true, span: Span::NONE });
        Symbol(self.declared.len() as u32 - 1)
    }

    fn declare<L: Language>(&mut self, language: &L, module: &mut Module, var: Var, uses: &Uses) -> Res<()> {
        let data = module.vars[var].clone();
        if module.types.is_open_array(data.ty) {
            let message = format!("{} has no arrays of textures or blocks without a length", self.target_name);
            return fail(Code::E0602, data.span, message);
        }
        let made = match data.space {
            AddressSpace::Input | AddressSpace::Output if !self.shared[var.index()] => return Ok(()),
            AddressSpace::Private | AddressSpace::Input | AddressSpace::Output => self.private(module, var)?,
            AddressSpace::Workgroup => {
                let mem =
                    self.memory.build(&mut module.types, data.ty, None, false, uses.atomics.get(&var), data.span)?;
                let ty = DeclaredType::Type(self.memory.get(mem).ty);
                let symbol = self.add(&*data.name.text, Kind::Workgroup, ty);
                self.declared[symbol.0 as usize].is_interface = false;
                GlobalRef::Memory { symbol, mem }
            }
            AddressSpace::PushConstant => {
                let (rule, rows) = (block_rule(&data), block_row_major(&data));
                let mem = self.memory.build(&mut module.types, data.ty, Some(rule), rows, None, data.span)?;
                let own = self.memory.get(mem).ty;
                language.check_block(&mut self.memory, &module.types, own, data.space, data.span)?;
                let ty = DeclaredType::Type(own);
                let name = if data.name.text.is_empty() { "constants" } else { &data.name.text };
                GlobalRef::Memory { symbol: self.add(name, Kind::PushConstant, ty), mem }
            }
            AddressSpace::Storage => self.block(language, module, var, uses)?,
            AddressSpace::Uniform if !is_loose_uniform(&data) && !is_all_opaque(&module.types, data.ty) => {
                self.block(language, module, var, uses)?
            }
            AddressSpace::Uniform | AddressSpace::Handle => {
                if !module.types.is_opaque(data.ty) {
                    return Ok(());
                }
                if let TypeKind::AtomicCounter = module.types[data.ty] {
                    return fail(Code::E0602, data.span, format!("{} has no atomic counters", self.target_name));
                }
                let mut resources = self.plan.resources.clone().into_iter().filter(|r| r.var == var);
                let tree = self.tree(language, module, data.ty, var, uses, &mut resources)?;
                let memory = self.refs[var.index()].take();
                match is_all_opaque(&module.types, data.ty) {
                    true => GlobalRef::Opaque(tree),
                    false => GlobalRef::Mixed { memory: memory.map(Box::new), tree },
                }
            }
            // (The last is refused before.)
            AddressSpace::Function | AddressSpace::Spirv => return Ok(()),
        };
        self.refs[var.index()] = Some(made);
        Ok(())
    }

    fn private(&mut self, module: &mut Module, var: Var) -> Res<GlobalRef> {
        let data = module.vars[var].clone();
        let mem = self.memory.plain(data.ty);
        if let Some(init) = data.initializer
            && let Some(made) = self.override_of_var(module, var, init)?
        {
            return Ok(GlobalRef::Memory { symbol: made.symbol, mem });
        }
        let is_const = data.is_const && data.initializer.is_some_and(|c| is_finite(module, c));
        let kind = if is_const { Kind::Const } else { Kind::Private };
        let symbol = self.add(&*data.name.text, kind, DeclaredType::Type(data.ty));
        let declared = &mut self.declared[symbol.0 as usize];
        declared.is_interface = false;
        match data.initializer {
            Some(c) if is_finite(module, c) => declared.init = Some(c),
            Some(c) => self.late.push((var, c)),
            None => {}
        }
        Ok(GlobalRef::Memory { symbol, mem })
    }

    /// The gathered uniforms.
    fn declare_uniforms(&mut self, module: &mut Module) -> Res<()> {
        let Some(block) = self.plan.uniforms.clone() else { return Ok(()) };
        let span = module.vars[block.members[0].var].span;
        let mem = self.memory.build(&mut module.types, block.ty, Some(Rule::Std140), false, None, span)?;
        let ty = DeclaredType::Type(self.memory.get(mem).ty);
        let symbol =
            self.add("planish_uniforms", Kind::Uniform(Slot { group: block.group, binding: block.binding }), ty);
        let MemKind::Struct(members) = self.memory.get(mem).kind.clone() else {
            return fail(Code::E0699, span, "the block of the uniforms is no struct");
        };
        for (member, (number, part)) in block.members.iter().zip(members) {
            let made = GlobalRef::Member { symbol, block: mem, member: number, mem: part };
            self.refs[member.var.index()] = Some(made);
        }
        Ok(())
    }

    /// A uniform or storage block, or an array of them.
    fn block<L: Language>(&mut self, language: &L, module: &mut Module, var: Var, uses: &Uses) -> Res<GlobalRef> {
        let data = module.vars[var].clone();
        let resources: Vec<_> = self.plan.resources.iter().filter(|r| r.var == var).cloned().collect();
        let mut atomics = uses.atomics.get(&var);
        let mut ty = data.ty;
        while let TypeKind::Array { element, .. } = module.types[ty] {
            ty = element;
            atomics = atomics.and_then(|a| a.parts.get(&ELEMENT));
        }
        let (rule, rows) = (block_rule(&data), block_row_major(&data));
        let is_storage = resources.first().is_some_and(|r| r.kind == ResourceKind::StorageBlock);
        let read_only = data.decorations.has(Decoration::ReadOnly);
        let order = Order { rule, row_major: rows };
        let mem = match language.addresses_bytes() {
            true if is_storage => self.memory.bytes(ty, order, !read_only),
            true => match self.memory.build(&mut module.types, ty, Some(rule), rows, None, data.span) {
                Ok(mem) => mem,
                // Not at these offsets: word by word.
                Err(_) => self.memory.vectors(&mut module.types, ty, order, data.span)?,
            },
            false => self.memory.build(&mut module.types, ty, Some(rule), rows, atomics, data.span)?,
        };
        let own = self.memory.get(mem).ty;
        language.check_block(&mut self.memory, &module.types, own, data.space, data.span)?;
        let kind = |slot| if is_storage { Kind::Storage { slot, read_only } } else { Kind::Uniform(slot) };
        let mut symbols = vec![];
        for r in &resources {
            symbols.push(self.add(&*r.name, kind(Slot::of(r)), DeclaredType::Type(own)));
        }
        Ok(match symbols[..] {
            [symbol] if ty == data.ty => GlobalRef::Memory { symbol, mem },
            _ => {
                let count = self.numbers.len().max(symbols.len()) as u32;
                self.numbers = (0..count).map(|n| module.consts.u32(n)).collect();
                GlobalRef::Blocks { symbols: symbols.into(), mem }
            }
        })
    }

    /// Textures and samplers of a variable, in the order of the plan's leaves.
    /// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    fn tree<L: Language>(
        &mut self,
        language: &L,
        module: &Module,
        ty: Type,
        var: Var,
        uses: &Uses,
        resources: &mut dyn Iterator<Item = Resource>,
    ) -> Res<Rc<Tree>> {
        let span = module.vars[var].span;
        Ok(Rc::new(match module.types[ty].clone() {
            TypeKind::Image(image) => {
                let depth = image.shadow || uses.compared.contains(&var);
                let access = match uses.reads_and_writes(var) {
                    (true, true) => Access::ReadWrite,
                    (false, true) => Access::Write,
                    _ => Access::Read,
                };
                language.check_image(image, depth, access, span)?;
                let texture = self.handle(resources, DeclaredType::Texture { image, depth, access }, span)?;
                let sampler = match image.kind {
                    ImageKind::Combined => {
                        Some(self.handle(resources, DeclaredType::Sampler { comparison: image.shadow }, span)?)
                    }
                    _ => None,
                };
                Tree::Leaf(Leaf { texture: Some(texture), sampler, depth })
            }
            TypeKind::Sampler { comparison } => {
                let sampler = self.handle(resources, DeclaredType::Sampler { comparison }, span)?;
                Tree::Leaf(Leaf { texture: None, sampler: Some(sampler), depth: false })
            }
            TypeKind::Array { element, len } => {
                let parts = (0..len).map(|_| self.tree(language, module, element, var, uses, resources));
                Tree::Array(parts.collect::<Res<_>>()?)
            }
            TypeKind::Struct(s) => {
                let mut parts = vec![];
                for member in &s.members {
                    let opaque = module.types.is_opaque(member.ty);
                    parts.push(if opaque {
                        Some(self.tree(language, module, member.ty, var, uses, resources)?)
                    } else {
                        None
                    });
                }
                Tree::Struct(parts)
            }
            ref kind => {
                let what = planish_interface::describe(kind);
                return fail(Code::E0602, span, format!("{} has no {what} here", self.target_name));
            }
        }))
    }

    fn handle(&mut self, resources: &mut dyn Iterator<Item = Resource>, ty: DeclaredType, span: Span) -> Res<Symbol> {
        let Some(r) = resources.next() else { return fail(Code::E0699, span, "a texture has no binding") };
        Ok(self.add(&*r.name, Kind::Handle(Slot::of(&r)), ty))
    }

    // Overrides.

    fn override_of_var(&mut self, module: &Module, var: Var, c: Const) -> Res<Option<Override>> {
        let data = &module.vars[var];
        let id = data.decorations.find(|d| if let Decoration::ConstantId(n) = d { Some(n) } else { None });
        let Some(id) = id else { return Ok(None) };
        let TypeKind::Scalar(scalar) = module.types[data.ty] else {
            return fail(Code::E0602, data.span, "a specialization constant must be a number or a boolean");
        };
        let wanted = matches!(scalar, Scalar::Bool | Scalar::I32 | Scalar::U32 | Scalar::F16 | Scalar::F32);
        if !wanted || !is_finite(module, c) {
            return Ok(None);
        }
        let bits = module.consts.as_bits(c).unwrap_or(0);
        let made =
            self.override_of(SpecId::of(module, id), &data.name.text, scalar, (bits, Some(c)), data.ty, data.span)?;
        Ok(Some(made))
    }

    /// The override that a size of a work group is, by its number.
    pub fn override_of_size(
        &mut self,
        module: &mut Module,
        id: u32,
        axis: usize,
        size: u32,
        span: Span,
    ) -> Res<Override> {
        let (name, ty) = match constant_of(module, id) {
            // (With an integer of another sign it is one constant.)
            Some(var) => (module.vars[var].name.text.to_string(), module.vars[var].ty),
            None => (format!("local_size_{}", ["x", "y", "z"][axis]), Type::U32),
        };
        let scalar = module.types.scalar_of(ty).unwrap_or(Scalar::U32);
        let init = module.consts.bits(ty, size.into());
        self.override_of(SpecId::of(module, id), &name, scalar, (size.into(), Some(init)), ty, span)
    }

    /// The override of a number, which several constants may share: WGSL has a number once.
    pub fn override_of(
        &mut self,
        constant: SpecId,
        name: &str,
        scalar: Scalar,
        (bits, init): (u64, Option<Const>),
        ty: Type,
        span: Span,
    ) -> Res<Override> {
        let SpecId { id, .. } = constant;
        if let Some(&known) = self.overrides.get(&id) {
            let integers = [Scalar::I32, Scalar::U32];
            let alike = scalar == known.scalar || integers.contains(&scalar) && integers.contains(&known.scalar);
            if !alike || bits != known.default {
                let message = format!(
                    "two constants have the number {id}; in {} they are one, with one type and one default",
                    self.target_name
                );
                return fail(Code::E0606, span, message);
            }
            return Ok(known);
        }
        if u16::try_from(id).is_err() {
            let message = format!("{} numbers constants up to {}, not {id}", self.target_name, u16::MAX);
            return fail(Code::E0606, span, message);
        }
        let symbol = self.add(name, Kind::Override(constant), DeclaredType::Type(ty));
        self.declared[symbol.0 as usize].init = init;
        let made = Override { symbol, scalar, default: bits };
        self.overrides.insert(id, made);
        Ok(made)
    }
}

/// The array that its buffer sizes, in the type of a storage block.
pub fn last_of(module: &Module, ty: Type) -> Option<Type> {
    match &module.types[ty] {
        TypeKind::RuntimeArray { .. } => Some(ty),
        TypeKind::Struct(s) => {
            let last = s.members.last()?.ty;
            matches!(module.types[last], TypeKind::RuntimeArray { .. }).then_some(last)
        }
        _ => None,
    }
}

/// Whether a constant holds no NaN and no infinity, for which there are no constants.
/// Recursion: over the type of the constant, at most `MAX_TYPE_NESTING` levels.
pub fn is_finite(module: &Module, c: Const) -> bool {
    if let Some(parts) = module.consts.as_parts(c) {
        return parts.iter().all(|&p| is_finite(module, p));
    }
    match (module.consts.as_bits(c), &module.types[module.consts[c].ty]) {
        (Some(bits), TypeKind::Scalar(scalar)) if scalar.is_float() => float_value(*scalar, bits).is_finite(),
        _ => true,
    }
}

/// Inputs and outputs that other functions than entry points mention.
fn shared(module: &Module, reach: &Reach) -> Vec<bool> {
    let mut shared = vec![false; module.vars.len()];
    for &func in &reach.funcs {
        if module.entry_points.iter().any(|e| e.func == func && e.stage.is_some()) {
            continue;
        }
        let Some(body) = &module.funcs[func].body else { continue };
        planish_interface::for_each_operand(body, |value| {
            if let Some(var) = value.as_var() {
                shared[var.index()] = true;
            }
        });
    }
    shared
}
