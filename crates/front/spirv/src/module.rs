//! The module: declarations in their order, then functions.

use planish_ir::aliasing::conflicts;
use planish_ir::decoration::{BuiltIn, Name, NameSource};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Const, Func, Type, Var};
use planish_ir::function::{Direction, Param, ResultType};
use planish_ir::module::{Language, Module};
use planish_ir::source::{SourceFile, SourceMap};
use planish_ir::types::AddressSpace;
use planish_ir::verify::{VerifyError, verify};
use rustc_hash::{FxHashMap, FxHashSet};
use spirv::{Op, StorageClass};

use crate::ReadResult;
use crate::accesses::Accesses;
use crate::constants::frozen;
use crate::entry::{self, Interface};
use crate::function::Scope;
use crate::globals::{Global, handle_type};
use crate::layouts::Layouts;
use crate::report::Res;
use crate::samplers::Samplers;
use crate::types::{TypeDef, TypeDefs, TypeMap, address_space};
use crate::words::{Binary, FunctionRange, Inst, parse};

/// Translations of the declarations of a binary.
pub(crate) struct Cx<'w> {
    pub(crate) binary: &'w Binary<'w>,
    pub(crate) defs: TypeDefs,
    pub(crate) types: TypeMap,
    pub(crate) layouts: Layouts,
    pub(crate) samplers: Samplers,
    pub(crate) accesses: Accesses,
    /// Inputs and outputs that the IR does not know.
    pub(crate) spirv_variables: FxHashSet<u32>,
    /// Ids of what differs among invocations.
    pub(crate) non_uniform: FxHashSet<u32>,
    /// Values of constants, of specialization constants the defaults.
    pub(crate) consts: FxHashMap<u32, Res<Const>>,
    /// Specialization constants that code reads: variables, or `None` for what is computed from them.
    pub(crate) specialized: FxHashMap<u32, Option<Var>>,
    pub(crate) frozen: FxHashSet<u32>,
    pub(crate) globals: FxHashMap<u32, Res<Global>>,
    pub(crate) funcs: FxHashMap<u32, Res<Func>>,
    pub(crate) interfaces: Vec<Interface>,
    pub(crate) builtins: FxHashMap<(BuiltIn, AddressSpace, Type), Var>,
    /// Names of variables with the ids that have them.
    pub(crate) taken: FxHashMap<String, Vec<u32>>,
    /// Files that `OpLine` names, by the id of their name.
    pub(crate) files: FxHashMap<u32, SourceFile>,
}

/// Translates a binary.
pub(crate) fn translate(file: &SourceFile, words: &[u32], map: &mut SourceMap) -> ReadResult {
    let binary = parse(file, words)?;
    name_parts(file, &binary);
    let mut errors: Vec<Diagnostic> = vec![];
    let mut defs = TypeDefs::default();
    // Structs may have addresses of themselves.
    for &index in &binary.declarations {
        defs.announce(&binary.insts[index]);
    }
    for &index in &binary.declarations {
        if let Err(error) = defs.declare(&binary, &binary.insts[index]) {
            errors.push(*error);
        }
    }
    let interfaces = entry::interfaces(&binary).map_err(|e| vec![*e])?;
    let mut cx = Cx {
        layouts: Layouts::find(&binary, &defs),
        samplers: Samplers::find(&binary),
        accesses: Accesses::find(&binary),
        non_uniform: crate::memory::non_uniform(&binary),
        frozen: frozen(&binary),
        files: files(&binary, map),
        binary: &binary,
        defs,
        types: TypeMap::default(),
        consts: FxHashMap::default(),
        specialized: FxHashMap::default(),
        globals: FxHashMap::default(),
        funcs: FxHashMap::default(),
        interfaces,
        builtins: FxHashMap::default(),
        spirv_variables: FxHashSet::default(),
        taken: FxHashMap::default(),
    };
    cx.find_spirv_variables();
    let mut module = Module::new(Language::Spirv);
    cx.declare(&mut module, &mut errors);
    for function in &binary.functions {
        let func = cx.declare_function(&mut module, function);
        if let Err(error) = &func {
            errors.push((**error).clone());
        }
        cx.funcs.insert(function.id, func);
    }
    for function in &binary.functions {
        let Some(Ok(func)) = cx.funcs.get(&function.id).cloned() else { continue };
        if let Err(error) = Scope::function(&cx, &mut module, func, function) {
            errors.push(*error);
        }
    }
    for index in &binary.entry_points {
        if let Err(error) = cx.entry_point(&mut module, &binary.insts[*index]) {
            errors.push(*error);
        }
    }
    // One declaration may be the reason of several errors.
    let mut seen = FxHashSet::default();
    errors.retain(|e| seen.insert((e.span, e.message.clone())));
    if !errors.is_empty() {
        return Err(errors);
    }
    if module.has_spirv_parts() {
        module.spirv_needs = binary.needs.clone();
    }
    break_promises(&mut module);
    let faults = verify(&module);
    if faults.is_empty() { Ok((module, vec![])) } else { Err(faults.into_iter().map(fault).collect()) }
}

/// The error for a rule that the verifier finds broken: those of stages, say.
fn fault(error: VerifyError) -> Diagnostic {
    Diagnostic::error(Code::E0703, error.span, format!("the module breaks a rule: {}", error.message))
        .help("this is an error of the tool that made the binary; `spirv-val` describes it")
}

/// Names the functions of the binary, for the places of errors.
fn name_parts(file: &SourceFile, binary: &Binary<'_>) {
    let parts = binary.functions.iter().map(|f| {
        let at = |index: usize| 4 * binary.insts.get(index).map_or(0, |i| i.at) as u32;
        let name = match binary.name(f.id) {
            "" => format!("function %{}", f.id),
            name => format!("function {name}"),
        };
        (at(f.range.start), at(f.range.end) + 4, name.into())
    });
    file.set_parts(parts.collect::<Vec<_>>());
}

/// Number of `DebugSource`.
const DEBUG_SOURCE: u32 = 35;

/// Files that debug information names.
fn files(binary: &Binary<'_>, map: &mut SourceMap) -> FxHashMap<u32, SourceFile> {
    let mut found: FxHashMap<u32, SourceFile> = FxHashMap::default();
    for inst in &binary.insts {
        // The id that lines name, and that of the name.
        let (id, string) = match inst.op {
            Op::Line => (inst.operands.first(), inst.operands.first()),
            _ if binary.debug_number(inst) == Some(DEBUG_SOURCE) => (Some(&inst.result), inst.operands.get(2)),
            _ => continue,
        };
        let (Some(id), Some(string)) = (id, string) else { continue };
        if found.contains_key(id) {
            continue;
        }
        let known = found.get(string).cloned();
        let file = known.or_else(|| map.add_lines(binary.strings.get(string)?.as_str()).ok());
        if let Some(file) = file {
            found.insert(*string, file.clone());
            found.insert(*id, file);
        }
    }
    found
}

impl<'w> Cx<'w> {
    fn declare(&mut self, module: &mut Module, errors: &mut Vec<Diagnostic>) {
        let binary = self.binary;
        for &index in &binary.declarations {
            self.types.announce(&mut module.types, &self.defs, &binary.insts[index]);
        }
        for &index in &binary.declarations {
            let inst = &binary.insts[index];
            match inst.op {
                Op::Variable => {
                    let global = self.global(module, inst);
                    if let Err(error) = &global {
                        errors.push((**error).clone());
                    }
                    self.globals.insert(inst.result, global);
                }
                _ if inst.ty != 0 => self.declare_constant(module, inst),
                _ => self.types.translate(&mut module.types, binary, &self.defs, &self.layouts, inst.result),
            }
        }
    }

    /// The name of a specialization constant that has none is that of a variable that stands for it.
    fn declare_function(&mut self, module: &mut Module, function: &FunctionRange) -> Res<Func> {
        let binary = self.binary;
        let insts = &binary.insts[function.range.clone()];
        let inst = &insts[0];
        let Some(TypeDef::Function(result, param_types)) = self.defs.get(inst.word(1)?).cloned() else {
            return inst.invalid("its type is no type of functions");
        };
        let params: Vec<&Inst<'_>> = insts.iter().filter(|i| i.op == Op::FunctionParameter).collect();
        if result != inst.ty
            || params.len() != param_types.len()
            || params.iter().zip(&param_types).any(|(p, t)| p.ty != *t)
        {
            return inst.invalid("its result or parameters do not fit its type");
        }
        let mut list = vec![];
        for param in params {
            let (ty, direction) = self.parameter(module, param)?;
            let name = Name::temporary(binary.name(param.result));
            list.push(Param { direction, span: param.span(), ..Param::new(name, ty) });
        }
        let results = match self.types.value(inst.ty) {
            Ok(Type::VOID) => vec![],
            Ok(ty) => vec![ResultType::new(ty)],
            Err(what) => return inst.unsupported(what),
        };
        let entry = self.interfaces.iter().find(|i| i.function == function.id);
        let name = match (entry, binary.name(function.id)) {
            (Some(entry), _) => Name::new(entry.name.as_str(), NameSource::Interface),
            (None, "") => Name::temporary(format!("function_{}", function.id)),
            // glslang appends the types of the parameters.
            (None, name) => Name::temporary(name.split('(').next().unwrap_or(name)),
        };
        Ok(module.add_func(name, list, results, inst.span()))
    }

    /// The type of a parameter: images and samplers are passed by address.
    fn parameter(&self, module: &mut Module, param: &Inst<'_>) -> Res<(Type, Direction)> {
        let unsupported = |what: &str| param.unsupported(what);
        let by_handle = |module: &mut Module, id: u32| -> Result<Type, &'static str> {
            let ty = self.types.value(id)?;
            let ty = handle_type(&mut module.types, ty, self.samplers.compares(&self.defs, param.result, id));
            Ok(module.types.pointer(ty, AddressSpace::Handle))
        };
        let pointer = self.defs.pointer(param.ty).filter(|p| p.0 != StorageClass::PhysicalStorageBuffer);
        let Some((class, pointee)) = pointer else {
            if self.defs.is_handle(param.ty) {
                return by_handle(module, param.ty).map(|ty| (ty, Direction::In)).or_else(unsupported);
            }
            return match self.types.value(param.ty) {
                Ok(Type::VOID) => param.invalid("a parameter of type `void`"),
                Ok(ty) => Ok((ty, Direction::In)),
                Err(what) => param.unsupported(what),
            };
        };
        let Some(space) = address_space(self.binary, &self.defs, class, pointee) else {
            return param.unsupported(&format!("a pointer of storage class `{class:?}`"));
        };
        if space == AddressSpace::Handle {
            return by_handle(module, pointee).map(|ty| (ty, Direction::In)).or_else(unsupported);
        }
        let direction = match space {
            AddressSpace::Function => Direction::InOut,
            AddressSpace::Private | AddressSpace::Workgroup | AddressSpace::Storage | AddressSpace::Output => {
                Direction::NoAlias
            }
            _ => Direction::In,
        };
        match self.types.memory(pointee) {
            Ok(ty) => Ok((module.types.pointer(ty, space), direction)),
            Err(what) => param.unsupported(what),
        }
    }
}

/// Withdraws the promise that a pointer is the only access to its memory where a call breaks it.
fn break_promises(module: &mut Module) {
    loop {
        let found = conflicts(module);
        let mut changed = false;
        for conflict in found.iter().filter(|c| c.is_broken_promise) {
            for param in &mut module.funcs[conflict.callee].params {
                changed |= param.direction != Direction::In;
                param.direction = Direction::In;
            }
        }
        if !changed {
            return;
        }
    }
}
