//! From a validated [`naga::Module`] to a module of the IR.

use naga::{AddressSpace as Space, Handle};
use planish_ir::decoration::{Decoration, Decorations, Name, NameSource};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Const, Func, Type, Var};
use planish_ir::function::{Direction, Param, ResultType};
use planish_ir::module::{Language, Module};
use planish_ir::types::{AddressSpace, Scalar, TypeKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ReadResult;
use crate::entry::Interface;
use crate::function::Scope;
use crate::overrides::{OverrideValue, Specialized, array_lengths, lower_overrides_and_constants};
use crate::report::Source;
use crate::types::{self, BlockNames, TypeMap};

/// A result of lowering, or the error that stopped it.
pub(crate) type Lower<T> = Result<T, Box<Diagnostic>>;

/// Maximum number of components of a variable that is initialized to zero.
const LARGEST_VARIABLE: u64 = 1 << 20;

/// A module-scope variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Global {
    pub(crate) var: Var,
    /// Whether the program's variable is the only member of the interface block `var`.
    pub(crate) wrapped: bool,
}

/// Translations of the entities of naga's module.
pub(crate) struct Maps<'n> {
    pub(crate) naga: &'n naga::Module,
    pub(crate) source: Source<'n>,
    pub(crate) types: TypeMap,
    /// By the index of the expression in the module's scope.
    pub(crate) global_values: Vec<Lower<Const>>,
    global_integers: Vec<Option<i128>>,
    pub(crate) overrides: Vec<Lower<OverrideValue>>,
    globals: Vec<Lower<Global>>,
    functions: Vec<Lower<Func>>,
    /// The value struct that each interface block was derived from.
    plain: FxHashMap<Type, Type>,
}

impl<'n> Maps<'n> {
    pub(crate) fn ty(&self, ty: Handle<naga::Type>, span: naga::Span) -> Lower<Type> {
        self.types.get(ty).map_err(|what| self.unsupported(span, what))
    }

    pub(crate) fn unsupported(&self, span: naga::Span, what: &str) -> Box<Diagnostic> {
        Box::new(self.source.unsupported(span, what))
    }

    pub(crate) fn global(&self, handle: Handle<naga::GlobalVariable>) -> Lower<Global> {
        self.globals[handle.index()].clone()
    }

    pub(crate) fn function(&self, handle: Handle<naga::Function>) -> Lower<Func> {
        self.functions[handle.index()].clone()
    }

    pub(crate) fn constant(&self, handle: Handle<naga::Constant>) -> Lower<Const> {
        self.global_value(self.naga.constants[handle].init)
    }

    pub(crate) fn global_value(&self, handle: Handle<naga::Expression>) -> Lower<Const> {
        self.global_values[handle.index()].clone()
    }

    /// The value struct that an interface block was derived from; `None` for other types.
    pub(crate) fn value_struct(&self, block: Type) -> Option<Type> {
        self.plain.get(&block).copied()
    }

    /// The result struct of `modf` or `frexp` with `size` components.
    pub(crate) fn predeclared(&self, modf: bool, size: u8, scalar: Scalar) -> Option<Handle<naga::Type>> {
        let scalar = naga::Scalar { kind: naga::ScalarKind::Float, width: (scalar.bits() / 8) as u8 };
        let size = match size {
            2 => Some(naga::VectorSize::Bi),
            3 => Some(naga::VectorSize::Tri),
            4 => Some(naga::VectorSize::Quad),
            _ => None,
        };
        let key = match modf {
            true => naga::PredeclaredType::ModfResult { size, scalar },
            false => naga::PredeclaredType::FrexpResult { size, scalar },
        };
        self.naga.special_types.predeclared_types.get(&key).copied()
    }

    /// The value of an integer expression in the module's own scope.
    pub(crate) fn global_integer(&self, handle: Handle<naga::Expression>) -> Lower<i128> {
        let span = self.naga.global_expressions.get_span(handle);
        self.global_value(handle)?;
        self.global_integers[handle.index()].ok_or_else(|| self.unsupported(span, "a size of this type"))
    }

    /// The override that determines a work group size, if the host may replace it.
    pub(crate) fn size_constant(&self, size: Handle<naga::Expression>) -> Option<Specialized> {
        let naga::Expression::Override(handle) = self.naga.global_expressions[size] else { return None };
        match self.overrides[handle.index()] {
            Ok(OverrideValue::Var(specialized)) => Some(specialized),
            _ => None,
        }
    }

    pub(crate) fn override_value(&self, handle: Handle<naga::Override>) -> Lower<OverrideValue> {
        self.overrides[handle.index()].clone()
    }
}

/// Lowers the whole module; reports all errors, at most one a function. `given`: values of overrides.
pub(crate) fn lower<'n>(naga: &'n naga::Module, source: Source<'n>, given: &[(String, String)]) -> ReadResult {
    let mut module = Module::new(Language::Wgsl);
    let types = TypeMap::new(naga, &mut module.types);
    let mut maps = Maps {
        naga,
        source,
        types,
        global_values: Vec::new(),
        global_integers: Vec::new(),
        overrides: Vec::new(),
        globals: Vec::new(),
        functions: Vec::new(),
        plain: FxHashMap::default(),
    };
    let mut errors = Vec::new();
    let mut warnings = lower_overrides_and_constants(&mut maps, &mut module, given);
    let lengths = array_lengths(&maps, &module);
    maps.types.complete(naga, &mut module.types, &lengths);
    maps.global_integers = global_integers(&maps, &module);
    declare_globals(&mut maps, &mut module, &mut errors);
    declare_functions(&mut maps, &mut module, &mut errors);
    let mut interface = Interface::new(&module);
    for (handle, function) in naga.functions.iter() {
        let Ok(func) = maps.function(handle) else { continue };
        if let Err(error) = Scope::lower_function(&maps, &mut module, func, function) {
            errors.push(*error);
        }
    }
    for (index, entry) in naga.entry_points.iter().enumerate() {
        if let Err(error) = interface.lower_entry_point(&maps, &mut module, index, entry) {
            errors.push(*error);
        }
    }
    // An unsupported type is reported once, not at each of its uses.
    let mut seen = FxHashSet::default();
    errors.retain(|e| seen.insert((e.span, e.message.clone())));
    if errors.is_empty() {
        return Ok((module, warnings));
    }
    errors.append(&mut warnings);
    Err(errors)
}

fn global_integers(maps: &Maps<'_>, module: &Module) -> Vec<Option<i128>> {
    let integer = |value: &Lower<Const>| value.as_ref().ok().and_then(|c| module.consts.as_integer(&module.types, *c));
    maps.global_values.iter().map(integer).collect()
}

fn declare_globals(maps: &mut Maps<'_>, module: &mut Module, errors: &mut Vec<Diagnostic>) {
    let naga = maps.naga;
    let mut names = BlockNames { values: types_of_values(maps), ..BlockNames::default() };
    for (handle, _) in naga.global_variables.iter() {
        let global = declare_global(maps, module, &mut names, handle);
        if let Err(error) = &global {
            errors.push((**error).clone());
        }
        maps.globals.push(global);
    }
}

/// Structs that are not (only) the whole of a buffer.
fn types_of_values(maps: &Maps<'_>) -> FxHashSet<Type> {
    let naga = maps.naga;
    let whole: FxHashSet<Handle<naga::Type>> =
        naga.global_variables.iter().filter(|(_, v)| types::is_buffer(v.space)).map(|(_, v)| v.ty).collect();
    let mut used: Vec<Handle<naga::Type>> = Vec::new();
    for (_, ty) in naga.types.iter() {
        match &ty.inner {
            naga::TypeInner::Array { base, .. } => used.push(*base),
            naga::TypeInner::Pointer { base, space: Space::Function | Space::Private } => used.push(*base),
            naga::TypeInner::Struct { members, .. } => used.extend(members.iter().map(|m| m.ty)),
            _ => {}
        }
    }
    used.extend(naga.global_variables.iter().filter(|(_, v)| !types::is_buffer(v.space)).map(|(_, v)| v.ty));
    let functions = naga.functions.iter().map(|(_, f)| f).chain(naga.entry_points.iter().map(|e| &e.function));
    for function in functions {
        used.extend(function.arguments.iter().map(|a| a.ty));
        used.extend(function.result.iter().map(|r| r.ty));
        used.extend(function.local_variables.iter().map(|(_, v)| v.ty));
        used.extend(function.expressions.iter().filter_map(|(_, e)| match e {
            naga::Expression::Compose { ty, .. } | naga::Expression::ZeroValue(ty) => Some(*ty),
            _ => None,
        }));
        // A whole buffer that is loaded is a value, too.
        if function.expressions.iter().any(|(_, e)| matches!(e, naga::Expression::Load { .. })) {
            let loads = function.expressions.iter().filter_map(|(_, e)| match e {
                naga::Expression::Load { pointer } => match function.expressions[*pointer] {
                    naga::Expression::GlobalVariable(v) => Some(naga.global_variables[v].ty),
                    _ => None,
                },
                _ => None,
            });
            used.extend(loads.filter(|ty| whole.contains(ty)));
        }
    }
    used.into_iter().filter_map(|ty| maps.types.get(ty).ok()).collect()
}

fn declare_global(
    maps: &mut Maps<'_>,
    module: &mut Module,
    names: &mut BlockNames,
    handle: Handle<naga::GlobalVariable>,
) -> Lower<Global> {
    let naga = maps.naga;
    let data = &naga.global_variables[handle];
    let naga_span = naga.global_variables.get_span(handle);
    let space = types::address_space(data.space).map_err(|what| maps.unsupported(naga_span, &what))?;
    let mut ty = maps.ty(data.ty, naga_span)?;
    let name = data.name.as_deref().unwrap_or("");
    let mut decorations = Decorations::new();
    let mut wrapped = false;
    if types::is_buffer(data.space) {
        let array = match (&naga.types[data.ty].inner, &module.types[ty]) {
            (naga::TypeInner::BindingArray { .. }, &TypeKind::Array { element, len }) => Some((element, len)),
            _ => None,
        };
        let value = array.map_or(ty, |(element, _)| element);
        let fail = |what: String| maps.source.unsupported(naga_span, &what);
        let block = maps.types.block(&mut module.types, value, name, names);
        (ty, wrapped) = block.map_err(|what| Box::new(fail(what)))?;
        if !wrapped {
            maps.plain.insert(ty, value);
        }
        if wrapped && array.is_some() {
            return Err(maps.unsupported(naga_span, "an array of buffers that are no structs"));
        }
        if let Some((_, len)) = array {
            ty = module.types.array(ty, len);
        }
        let uniform = data.space == Space::Uniform;
        let Some(layout) = types::block_layout(naga, &module.types, data.ty, ty, uniform) else {
            let message = format!("the buffer `{name}` has a memory layout that cannot be represented");
            return Err(Box::new(Diagnostic::error(Code::E0706, maps.source.span(naga_span), message)));
        };
        decorations.add(Decoration::BlockLayout(layout));
    }
    add_access(&mut decorations, naga, data);
    if let Some(binding) = &data.binding {
        decorations.add(Decoration::Set(binding.group));
        decorations.add(Decoration::Binding(binding.binding));
    }
    let source = match space {
        AddressSpace::Private | AddressSpace::Workgroup => NameSource::Temporary,
        _ => NameSource::Interface,
    };
    // The member of a wrapper has the user's name; the block is unnamed, as in GLSL.
    let text = if wrapped { "" } else { name };
    let initializer = match data.init {
        Some(init) => Some(maps.global_value(init)?),
        None if space == AddressSpace::Private => zero(maps, module, ty, naga_span)?,
        None => None,
    };
    let var = module.add_var(Name::new(text, source), ty, space);
    let made = &mut module.vars[var];
    made.decorations = decorations;
    made.initializer = initializer;
    made.span = maps.source.span(naga_span);
    Ok(Global { var, wrapped })
}

/// The initial zero of a variable.
pub(crate) fn zero(maps: &Maps<'_>, module: &mut Module, ty: Type, span: naga::Span) -> Lower<Option<Const>> {
    if component_count(module, ty) > LARGEST_VARIABLE {
        let message = format!("the variable has more than {LARGEST_VARIABLE} components");
        return Err(Box::new(Diagnostic::error(Code::E0707, maps.source.span(span), message)));
    }
    Ok(module.consts.zero(&mut module.types, ty))
}

/// Recurses as deep as types are nested.
fn component_count(module: &Module, ty: Type) -> u64 {
    match &module.types[ty] {
        TypeKind::Array { element, len } => component_count(module, *element).saturating_mul(u64::from(*len)),
        TypeKind::Struct(s) => s.members.iter().map(|m| component_count(module, m.ty)).fold(0, u64::saturating_add),
        TypeKind::Vector(_, n) => u64::from(*n),
        TypeKind::Matrix { columns, rows, .. } => u64::from(*columns) * u64::from(*rows),
        _ => 1,
    }
}

/// Adds the access qualifiers of a variable.
fn add_access(decorations: &mut Decorations, naga: &naga::Module, data: &naga::GlobalVariable) {
    let base = match naga.types[data.ty].inner {
        naga::TypeInner::BindingArray { base, .. } => base,
        _ => data.ty,
    };
    let access = match (data.space, &naga.types[base].inner) {
        (Space::Storage { access }, _) => Some(access),
        (_, naga::TypeInner::Image { class: naga::ImageClass::Storage { access, .. }, .. }) => Some(*access),
        _ => None,
    };
    if let Some(access) = access {
        let atomic = access.contains(naga::StorageAccess::ATOMIC);
        if !access.contains(naga::StorageAccess::STORE) && !atomic {
            decorations.add(Decoration::ReadOnly);
        }
        if !access.contains(naga::StorageAccess::LOAD) && !atomic {
            decorations.add(Decoration::WriteOnly);
        }
    }
    if data.memory_decorations.contains(naga::MemoryDecorations::COHERENT) {
        decorations.add(Decoration::Coherent);
    }
    if data.memory_decorations.contains(naga::MemoryDecorations::VOLATILE) {
        decorations.add(Decoration::Volatile);
    }
}

fn declare_functions(maps: &mut Maps<'_>, module: &mut Module, errors: &mut Vec<Diagnostic>) {
    let naga = maps.naga;
    let mut names: FxHashSet<String> = naga.entry_points.iter().map(|e| e.name.clone()).collect();
    for (handle, function) in naga.functions.iter() {
        let base = match function.name.as_deref() {
            None | Some("") => format!("function_{}", handle.index()),
            Some(name) => name.to_owned(),
        };
        let mut name = base.clone();
        let mut number = 1;
        while !names.insert(name.clone()) {
            name = format!("{base}_{number}");
            number += 1;
        }
        let func = declare_function(maps, module, name, function, naga.functions.get_span(handle));
        if let Err(error) = &func {
            errors.push((**error).clone());
        }
        maps.functions.push(func);
    }
}

fn declare_function(
    maps: &Maps<'_>,
    module: &mut Module,
    name: String,
    function: &naga::Function,
    span: naga::Span,
) -> Lower<Func> {
    let mut params = Vec::with_capacity(function.arguments.len());
    for argument in &function.arguments {
        let (ty, direction) = parameter_type(module, maps.ty(argument.ty, span)?);
        let name = Name::temporary(argument.name.as_deref().unwrap_or(""));
        params.push(Param { direction, ..Param::new(name, ty) });
    }
    let results = match &function.result {
        Some(result) => vec![ResultType::new(maps.ty(result.ty, span)?)],
        None => vec![],
    };
    Ok(module.add_func(Name::temporary(name), params, results, maps.source.span(span)))
}

/// Passing mode of an argument: handles by address, pointers as `inout`. The caller copies the target of a pointer to
/// private memory in and out; this is unobservable, since WGSL forbids other accesses to that memory during the call.
fn parameter_type(module: &mut Module, ty: Type) -> (Type, Direction) {
    if module.types.is_opaque(ty) {
        return (module.types.pointer(ty, AddressSpace::Handle), Direction::In);
    }
    match module.types.pointee(ty) {
        Some((pointee, AddressSpace::Private)) => {
            (module.types.pointer(pointee, AddressSpace::Function), Direction::InOut)
        }
        Some((_, AddressSpace::Function)) => (ty, Direction::InOut),
        Some((_, AddressSpace::Storage | AddressSpace::Workgroup)) => (ty, Direction::NoAlias),
        _ => (ty, Direction::In),
    }
}
