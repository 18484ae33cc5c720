//! The sections of a module.

use planish_ir::diagnostic::{Code as ErrorCode, Diagnostic};
use planish_ir::entity::{Func, Type, Var};
use planish_ir::function::Body;
use planish_ir::module::{ElemItem, ElemSegment, Import, Module, Offset};
use planish_ir::ops::Op;
use planish_ir::source::Span;
use planish_ir::types::{AddressSpace, TypeKind};
use rustc_hash::FxHashSet;
use wasm_encoder as w;
use wasm_encoder::{ConstExpr, EntityType, ExportKind, Instruction as I, ValType};

use crate::code::{Code, Item};
use crate::constant::initial;
use crate::indices::Indices;
use crate::locals::Locals;
use crate::types::{Signatures, ref_type, val_type};
use crate::{Options, Output, function, locals, math, names};

/// Writes a module.
pub(crate) fn write(module: &Module, options: &Options) -> Result<Output, Vec<Diagnostic>> {
    let mut writer = Writer {
        module,
        indices: Indices::default(),
        signatures: Signatures::default(),
        errors: Vec::new(),
        kept: Vec::new(),
        defined: Vec::new(),
        locals: Vec::new(),
    };
    writer.choose();
    let imports = writer.imports();
    let code = writer.functions();
    let globals = writer.globals();
    let elements = writer.elements();
    let data = writer.data();
    let functions = writer.function_section();
    if !writer.errors.is_empty() {
        return Err(writer.errors);
    }
    let mut out = w::Module::new();
    let (memories, tables, exports) = (writer.memories(), writer.tables(), writer.exports());
    let used_math = writer.indices.math.iter().map(|m| m.0).collect();
    section(&mut out, &writer.signatures.section, writer.signatures.section.is_empty());
    section(&mut out, &imports, imports.is_empty());
    section(&mut out, &functions, functions.is_empty());
    section(&mut out, &tables, tables.is_empty());
    section(&mut out, &memories, memories.is_empty());
    section(&mut out, &globals, globals.is_empty());
    section(&mut out, &exports, exports.is_empty());
    if let Some(start) = module.start {
        out.section(&w::StartSection { function_index: writer.indices.func(start) });
    }
    section(&mut out, &elements, elements.is_empty());
    if !data.is_empty() && writer.names_data() {
        out.section(&w::DataCountSection { count: data.len() });
    }
    section(&mut out, &code, code.is_empty());
    section(&mut out, &data, data.is_empty());
    if options.names {
        out.section(&names::section(module, &writer.indices, &writer.locals));
    }
    Ok(Output { bytes: out.finish(), math: used_math })
}

fn section(out: &mut w::Module, section: &impl w::Section, is_empty: bool) {
    if !is_empty {
        out.section(section);
    }
}

/// Maximum number of parameters, and of results, of a function in engines, from the JavaScript API of WebAssembly.
const MAX_SIGNATURE: usize = 1000;

struct Writer<'a> {
    module: &'a Module,
    indices: Indices,
    signatures: Signatures,
    errors: Vec<Diagnostic>,
    /// The private variables that are globals, in the order of their numbers, without imports.
    kept: Vec<Var>,
    /// The functions that are not imported, in the order of their numbers.
    defined: Vec<Func>,
    /// Of each of them: the variables whose names its local variables may have, by number.
    locals: Vec<(Func, Vec<Option<Var>>)>,
}

impl<'a> Writer<'a> {
    /// The bodies of functions.
    fn bodies(&self) -> impl Iterator<Item = &'a Body> + use<'a> {
        self.module.funcs.values().filter_map(|f| f.body.as_ref())
    }

    /// Numbers everything.
    fn choose(&mut self) {
        let module = self.module;
        let mut next = 0;
        let mut number = || {
            next += 1;
            next - 1
        };
        for (func, _) in &module.func_imports {
            self.indices.funcs[*func] = Some(number());
        }
        let mut asked: Vec<&'static str> = Vec::new();
        for body in self.bodies() {
            for (_, data) in body.nodes() {
                if let Some((name, _)) = math::function(data.op)
                    && !asked.contains(&name)
                {
                    asked.push(name);
                }
            }
        }
        asked.sort_unstable();
        self.indices.math = asked.into_iter().map(|name| (name, number())).collect();
        let computing: FxHashSet<Func> =
            module.globals.iter().filter_map(|&v| module.vars[v].linkage.as_ref()?.computed).collect();
        let called: FxHashSet<Func> = self.called();
        for (func, function) in module.funcs.iter() {
            if self.indices.funcs[func].is_some() {
                continue;
            }
            self.indices.funcs[func] = Some(u32::MAX);
            if function.body.is_some() && (!computing.contains(&func) || called.contains(&func)) {
                self.indices.funcs[func] = Some(number());
                self.defined.push(func);
            }
        }
        self.choose_globals();
        let mut memories = 0..;
        for imported in [true, false] {
            for (memory, _) in module.memories.iter().filter(|(_, d)| d.import.is_some() == imported) {
                self.indices.memories[memory] = memories.next().expect("it does not end");
            }
        }
        let mut tables = 0..;
        for imported in [true, false] {
            for (table, _) in module.tables.iter().filter(|(_, d)| d.import.is_some() == imported) {
                self.indices.tables[table] = tables.next().expect("it does not end");
            }
        }
    }

    /// The functions that something names, but for the initial values of globals.
    fn called(&self) -> FxHashSet<Func> {
        let module = self.module;
        let mut called: FxHashSet<Func> = module.entry_points.iter().map(|e| e.func).chain(module.start).collect();
        called.extend(module.elems.values().flat_map(|e| e.items.iter().filter_map(|i| i.as_func())));
        for body in self.bodies() {
            called.extend(body.nodes().filter_map(|(node, _)| body.args(node).first()?.as_func()));
        }
        called
    }

    fn choose_globals(&mut self) {
        let module = self.module;
        let is_imported = |v: &Var| module.vars[*v].linkage.as_ref().is_some_and(|l| l.import.is_some());
        let linked =
            |v: &Var| module.vars[*v].linkage.as_ref().is_some_and(|l| l.import.is_some() || !l.exports.is_empty());
        let mut named: FxHashSet<Var> = module.globals.iter().copied().filter(linked).collect();
        for body in self.defined.iter().filter_map(|&f| module.funcs[f].body.as_ref()) {
            named.extend(body.nodes().flat_map(|(node, _)| body.args(node).iter().filter_map(|a| a.as_var())));
        }
        let private: Vec<Var> =
            module.globals.iter().copied().filter(|&v| module.vars[v].space == AddressSpace::Private).collect();
        let mut next = 0;
        for imported in [true, false] {
            for &var in private.iter().filter(|v| is_imported(v) == imported && named.contains(v)) {
                self.indices.globals[var] = Some(next);
                next += 1;
                if !imported {
                    self.kept.push(var);
                }
            }
        }
    }

    fn error(&mut self, code: ErrorCode, span: Span, text: String) {
        self.errors.push(Diagnostic::error(code, span, text));
    }

    fn val_type(&mut self, ty: Type, span: Span) -> ValType {
        val_type(&self.module.types, ty).unwrap_or_else(|| {
            let name = planish_ir::text::type_text(&self.module.types, ty);
            self.error(ErrorCode::E0602, span, format!("WebAssembly has no values of type `{name}`"));
            ValType::I32
        })
    }

    fn signature(&mut self, func: Func) -> u32 {
        let function = &self.module.funcs[func];
        let span = function.span;
        let params: Vec<ValType> = function.params.iter().map(|p| self.val_type(p.ty, span)).collect();
        let results: Vec<ValType> = function.results.iter().map(|r| self.val_type(r.ty, span)).collect();
        for (list, what) in [(&params, "parameters"), (&results, "results")] {
            if list.len() > MAX_SIGNATURE {
                let text = format!("a function has {} {what}, and WebAssembly at most {MAX_SIGNATURE}", list.len());
                self.error(ErrorCode::E0602, span, text);
            }
        }
        self.signatures.id(&params, &results)
    }

    fn imports(&mut self) -> w::ImportSection {
        let module = self.module;
        let mut imports = w::ImportSection::new();
        let mut add = |import: &Import, ty: EntityType| {
            imports.import(&import.module, &import.name, ty);
        };
        for (func, import) in &module.func_imports {
            add(import, EntityType::Function(self.signature(*func)));
        }
        for (_, table) in module.tables.iter() {
            if let Some(import) = &table.import {
                add(import, EntityType::Table(table_type(module, table)));
            }
        }
        for (_, memory) in module.memories.iter() {
            if let Some(import) = &memory.import {
                add(import, EntityType::Memory(memory_type(memory)));
            }
        }
        for &var in &module.globals {
            let data = &module.vars[var];
            let import = data.linkage.as_ref().and_then(|l| l.import.as_ref());
            if let (Some(import), Some(_)) = (import, self.indices.globals[var]) {
                let ty = w::GlobalType {
                    val_type: self.val_type(data.ty, data.span),
                    mutable: !data.is_const,
                    shared: false,
                };
                add(import, EntityType::Global(ty));
            }
        }
        for (name, _) in self.indices.math.clone() {
            let count = Op::all().filter_map(math::function).find(|f| f.0 == name).map_or(1, |f| f.1);
            let ty = self.signatures.id(&vec![ValType::F64; count], &[ValType::F64]);
            imports.import(math::MODULE, name, EntityType::Function(ty));
        }
        imports
    }

    fn functions(&mut self) -> w::CodeSection {
        let mut section = w::CodeSection::new();
        for func in self.defined.clone() {
            let function = &self.module.funcs[func];
            let code = function::emit(self.module, function, &self.indices, &mut self.signatures, &mut self.errors);
            let locals = locals::assign(&code);
            section.function(&encode(&code, &locals));
            self.locals.push((func, locals.names(&code)));
        }
        section
    }

    fn function_section(&mut self) -> w::FunctionSection {
        let mut section = w::FunctionSection::new();
        for func in self.defined.clone() {
            let signature = self.signature(func);
            section.function(signature);
        }
        section
    }

    fn globals(&mut self) -> w::GlobalSection {
        let mut section = w::GlobalSection::new();
        for var in self.kept.clone() {
            let data = &self.module.vars[var];
            let ty =
                w::GlobalType { val_type: self.val_type(data.ty, data.span), mutable: !data.is_const, shared: false };
            let code = self.expression(var);
            section.global(ty, &ConstExpr::extended(code));
        }
        section
    }

    /// The constant expression of a variable's initial value.
    fn expression(&mut self, var: Var) -> Vec<I<'static>> {
        initial(self.module, &self.indices, var).unwrap_or_else(|| {
            let data = &self.module.vars[var];
            let text = format!("the initial value of `{}` is no constant expression of WebAssembly", data.name.text);
            self.error(ErrorCode::E0608, data.span, text);
            vec![I::I32Const(0)]
        })
    }

    fn offset(&mut self, offset: Offset) -> ConstExpr {
        match offset {
            Offset::Const(value) => ConstExpr::i32_const(value as i32),
            Offset::Var(var) => ConstExpr::extended(self.expression(var)),
        }
    }

    fn elements(&mut self) -> w::ElementSection {
        let module = self.module;
        let mut section = w::ElementSection::new();
        for (_, segment) in module.elems.iter() {
            self.segment(&mut section, segment);
        }
        let declared = self.declared();
        if !declared.is_empty() {
            section.declared(w::Elements::Functions(declared.into()));
        }
        section
    }

    fn segment(&mut self, section: &mut w::ElementSection, segment: &ElemSegment) {
        let functions: Option<Vec<u32>> = (self.module.types[segment.element] == TypeKind::FuncRef)
            .then(|| segment.items.iter().map(|i| i.as_func().map(|f| self.indices.func(f))).collect())
            .flatten();
        let elements = match functions {
            Some(functions) => w::Elements::Functions(functions.into()),
            None => {
                let ty = ref_type(&self.module.types, segment.element);
                let items = segment.items.iter().map(|&item| {
                    ConstExpr::extended(match item {
                        ElemItem::Null => vec![I::RefNull(ty.heap_type)],
                        ElemItem::Func(func) => vec![I::RefFunc(self.indices.func(func))],
                        ElemItem::Var(var) => self.expression(var),
                    })
                });
                w::Elements::Expressions(ty, items.collect())
            }
        };
        match segment.active {
            None => section.passive(elements),
            Some((table, offset)) => {
                let offset = self.offset(offset);
                let index = self.indices.table(table);
                section.active((index != 0).then_some(index), &offset, elements)
            }
        };
    }

    /// The functions that code makes references of, and that nothing outside of the code names.
    fn declared(&self) -> Vec<u32> {
        let module = self.module;
        let mut named: FxHashSet<Func> = module.entry_points.iter().map(|e| e.func).collect();
        named.extend(module.elems.values().flat_map(|e| e.items.iter().filter_map(|i| i.as_func())));
        let mut declared: Vec<u32> = Vec::new();
        for body in self.bodies() {
            for (node, data) in body.nodes() {
                if data.op == Op::RefFunc
                    && let Some(func) = body.args(node)[0].as_func()
                    && named.insert(func)
                {
                    declared.push(self.indices.func(func));
                }
            }
        }
        declared.sort_unstable();
        declared
    }

    fn data(&mut self) -> w::DataSection {
        let module = self.module;
        let mut section = w::DataSection::new();
        for (_, segment) in module.data.iter() {
            match segment.active {
                None => section.passive(segment.bytes.iter().copied()),
                Some((memory, offset)) => {
                    let offset = self.offset(offset);
                    section.active(self.indices.memory(memory), &offset, segment.bytes.iter().copied())
                }
            };
        }
        section
    }

    /// Whether code names data segments.
    fn names_data(&self) -> bool {
        self.bodies().any(|body| body.nodes().any(|(_, d)| matches!(d.op, Op::MemoryInit | Op::DataDrop)))
    }

    fn memories(&self) -> w::MemorySection {
        let mut section = w::MemorySection::new();
        for memory in self.module.memories.values().filter(|m| m.import.is_none()) {
            section.memory(memory_type(memory));
        }
        section
    }

    fn tables(&self) -> w::TableSection {
        let mut section = w::TableSection::new();
        for table in self.module.tables.values().filter(|t| t.import.is_none()) {
            section.table(table_type(self.module, table));
        }
        section
    }

    fn exports(&self) -> w::ExportSection {
        let module = self.module;
        let mut section = w::ExportSection::new();
        for entry in &module.entry_points {
            for name in &entry.names {
                section.export(name, ExportKind::Func, self.indices.func(entry.func));
            }
        }
        for (table, data) in module.tables.iter() {
            for name in &data.exports {
                section.export(name, ExportKind::Table, self.indices.table(table));
            }
        }
        for (memory, data) in module.memories.iter() {
            for name in &data.exports {
                section.export(name, ExportKind::Memory, self.indices.memory(memory));
            }
        }
        for &var in &module.globals {
            let exports = module.vars[var].linkage.as_ref().map_or(&[][..], |l| &l.exports);
            for name in exports {
                let index = self.indices.globals[var].expect("what is exported has a number");
                section.export(name, ExportKind::Global, index);
            }
        }
        section
    }
}

fn memory_type(memory: &planish_ir::module::MemoryData) -> w::MemoryType {
    w::MemoryType {
        minimum: memory.min_pages.into(),
        maximum: memory.max_pages.map(u64::from),
        memory64: false,
        shared: false,
        page_size_log2: None,
    }
}

fn table_type(module: &Module, table: &planish_ir::module::TableData) -> w::TableType {
    w::TableType {
        element_type: ref_type(&module.types, table.element),
        minimum: table.min.into(),
        maximum: table.max.map(u64::from),
        table64: false,
        shared: false,
    }
}

/// Numbers the variables of a function and writes it.
fn encode(code: &Code, locals: &Locals) -> w::Function {
    let mut function = w::Function::new_with_locals_types(locals.declared.iter().copied());
    for item in &code.items {
        let number = |slot: crate::code::Slot| locals.numbers[slot.index()];
        match item {
            Item::Get(slot) => function.instruction(&I::LocalGet(number(*slot))),
            Item::Set(slot) => function.instruction(&I::LocalSet(number(*slot))),
            Item::Tee(slot) => function.instruction(&I::LocalTee(number(*slot))),
            Item::Plain(instruction) => function.instruction(instruction),
        };
    }
    function.instruction(&I::End);
    function
}
