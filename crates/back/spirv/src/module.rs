//! The whole module: globals, functions with callees first, entry points.

use std::collections::BTreeSet;

use planish_interface::{Derivatives, Plan, Reach};
use planish_ir::arena::Id as _;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Const, Func, Type, Var};
use planish_ir::function::Form;
use planish_ir::module::{EntryPoint, Module};
use planish_ir::source::Span;
use planish_ir::types::{Scalar, Types};
use planish_ir::walk;
use rustc_hash::{FxHashMap, FxHashSet};
use spirv::{Capability, StorageClass};

use crate::assemble::{Id, Sections};
use crate::calls::FuncRef;
use crate::entry::Epilogue;
use crate::function::FunctionWriter;
use crate::globals::{Global, Leaf};
use crate::lines::Lines;
use crate::memory_model::Special;
use crate::types::{AllLayouts, Lay, Res, fail};
use crate::{Options, Output, Version};

/// The state of one module.
pub(crate) struct Context<'m> {
    pub(crate) module: &'m Module,
    pub(crate) options: &'m Options<'m>,
    /// The IR's types; may grow.
    pub(crate) types: Types,
    pub(crate) plan: Plan,
    pub(crate) reach: Reach,
    pub(crate) out: Sections,
    pub(crate) lines: Lines<'m>,
    pub(crate) type_ids: FxHashMap<(Type, Lay), Id>,
    /// The scalars of 8 and 16 bits whose types are declared.
    pub(crate) small: BTreeSet<Scalar>,
    pub(crate) const_ids: FxHashMap<Const, Id>,
    /// Constants of which it is known whether they hold NaN or infinity.
    pub(crate) finite: FxHashMap<Const, bool>,
    pub(crate) layouts: AllLayouts,
    /// By variable number.
    pub(crate) globals: Vec<Option<Global>>,
    /// The variables of textures, samplers and images, by variable and path of members.
    pub(crate) leaves: FxHashMap<(Var, Vec<u32>), Leaf>,
    /// The ids of a variable of the IR, for the interfaces of entry points.
    pub(crate) var_ids: FxHashMap<Var, Vec<(Id, StorageClass)>>,
    derivatives: Derivatives,
    /// The input `LocalInvocationIndex`, if entry points read it before their code.
    pub(crate) extra_index: Option<Id>,
    /// The work group size, where specialization constants give it.
    pub(crate) specialized_size: Option<Id>,
    /// Whether outputs are captured.
    pub(crate) captures: bool,
    /// By function number.
    pub(crate) funcs: Vec<Option<FuncRef>>,
    pub(crate) special: Special,
    pub(crate) warnings: Vec<Diagnostic>,
}

impl Context<'_> {
    /// Whether the output is of this version or a later one.
    pub(crate) fn since(&self, version: Version) -> bool {
        self.options.version >= version
    }

    /// Whether a function can be linked to.
    pub(crate) fn is_exported(&self, func: Func) -> bool {
        let entries = &self.module.entry_points;
        entries.is_empty() || entries.iter().any(|e| e.func == func && e.stage.is_none())
    }

    fn function(&mut self, func: Func, entries: &FxHashMap<Func, &EntryPoint>) -> Res<()> {
        let module = self.module;
        let data = &module.funcs[func];
        let Some(body) = &data.body else {
            return fail(Code::E0608, self.module.place_of(func), format!("function `{}` has no body", data.name.text));
        };
        if body.form != Form::Placed {
            return fail(Code::E0699, data.span, "functions must be in the placed form");
        }
        let signature = self.signature(func)?;
        let entry = entries.get(&func).copied();
        let epilogue = entry.map(|e| Epilogue::of(self, e)).unwrap_or_default();
        let implicit = self.derivatives.of(func);
        let mut writer = FunctionWriter::new(self, func, body, epilogue);
        writer.implicit = implicit;
        writer.run(signature, entry)
    }

    /// Source location of a variable: its declaration, or its first use.
    pub(crate) fn span_of(&self, var: Var) -> Span {
        let declared = self.module.vars[var].span;
        if !declared.is_none() {
            return declared;
        }
        for &func in &self.reach.funcs {
            let Some(body) = &self.module.funcs[func].body else { continue };
            for block in walk::blocks(body) {
                for &node in &body.blocks[block].nodes {
                    if body.args(node).iter().any(|a| a.as_var() == Some(var)) {
                        return body.node(node).span;
                    }
                }
            }
        }
        Span::NONE
    }
}

/// See [`crate::write`].
pub(crate) fn write(module: &Module, options: &Options<'_>) -> Result<Output, Vec<Diagnostic>> {
    let reach = Reach::new(module).map_err(|e| vec![*e])?;
    let mut types = module.types.clone();
    let plan = Plan::new(module, &mut types, &reach, &options.numbering)?;
    let mut cx = Context {
        module,
        options,
        types,
        plan,
        reach,
        out: Sections::new(options.names || options.lines.is_some()),
        lines: Lines::new(options.lines),
        type_ids: FxHashMap::default(),
        small: BTreeSet::new(),
        const_ids: FxHashMap::default(),
        finite: FxHashMap::default(),
        layouts: AllLayouts::new(),
        globals: vec![None; module.vars.len()],
        leaves: FxHashMap::default(),
        var_ids: FxHashMap::default(),
        derivatives: Derivatives::with_groups(module),
        extra_index: None,
        specialized_size: None,
        captures: false,
        funcs: vec![None; module.funcs.len()],
        special: Special::default(),
        warnings: vec![],
    };
    cx.out.need(Capability::Shader);
    if module.has_spirv_parts() {
        cx.out.need_all(&module.spirv_needs);
    }
    if module.funcs.keys().any(|f| cx.is_exported(f)) {
        cx.out.need(Capability::Linkage);
    }
    let mut errors = cx.declare_globals();
    if !errors.is_empty() {
        return Err(errors);
    }
    let called = called_functions(module, &cx.reach);
    let mut entries: FxHashMap<Func, &EntryPoint> = FxHashMap::default();
    let mut wrapped = vec![];
    let staged = || module.entry_points.iter().filter(|e| e.stage.is_some());
    for entry in staged() {
        // A function that is called, or is the entry of two stages, cannot itself be the SPIR-V entry point.
        let differs = |e: &EntryPoint| (e.stage, &e.properties) != (entry.stage, &entry.properties);
        if called.contains(&entry.func) || staged().any(|e| e.func == entry.func && differs(e)) {
            wrapped.push(entry);
        } else {
            entries.insert(entry.func, entry);
        }
    }
    for func in cx.reach.funcs.clone() {
        if let Err(error) = cx.function(func, &entries) {
            errors.push(*error);
        }
    }
    if errors.is_empty() {
        for entry in staged() {
            let wrapped = wrapped.iter().any(|w| std::ptr::eq(*w, entry));
            errors.extend(cx.entry_point(entry, wrapped).err().map(|e| *e));
        }
    }
    if !errors.is_empty() {
        errors.dedup();
        return Err(errors);
    }
    cx.write_source();
    cx.need_small_types();
    let words = cx.out.finish(options.version.number());
    Ok(Output { words, plan: cx.plan, warnings: cx.warnings })
}

/// The functions that some reached function refers to.
fn called_functions(module: &Module, reach: &Reach) -> FxHashSet<Func> {
    let mut called = FxHashSet::default();
    for &func in &reach.funcs {
        if let Some(body) = &module.funcs[func].body {
            planish_interface::for_each_operand(body, |value| called.extend(value.as_func()));
        }
    }
    debug_assert!(called.iter().all(|f| f.index() < module.funcs.len()));
    called
}

/// The number of an entity.
pub(crate) fn at(id: impl planish_ir::arena::Id) -> usize {
    id.index()
}
