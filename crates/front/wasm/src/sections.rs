//! The sections of a module: everything but the bodies of functions. Each section is validated, then read.

use std::ops::Range;
use std::sync::Arc;

use planish_ir::arena::Id;
use planish_ir::decoration::Name;
use planish_ir::diagnostic::Diagnostic;
use planish_ir::entity::{Func, Memory, Table, Type};
use planish_ir::function::{Param, ResultType};
use planish_ir::module::{
    DataSegment, ElemItem, ElemSegment, EntryPoint, Import, Language, MemoryData, Module, StageProperties, TableData,
};
use planish_ir::source::Span;
use planish_ir::types::AddressSpace;
use rustc_hash::FxHashMap;
use wasmparser::{
    ConstExpr, Data, DataKind, Element, ElementItems, ElementKind, Error, Export, ExternalKind, FuncToValidate,
    GlobalType, MemoryType, Parser, Payload, SectionLimited, TableType, TypeRef, ValidPayload, Validator,
    ValidatorResources,
};

use crate::environment::{Environment, Signature, ValueTypes};
use crate::initial::{self, Initial};
use crate::names::Names;
use crate::parsed::Parsed;
use crate::places::Places;
use crate::{Options, report};

/// State of reading.
struct Reader<'a> {
    module: Module,
    env: Environment,
    unchecked: Vec<Option<FuncToValidate<ValidatorResources>>>,
    names: Names<'a>,
    /// Initial values of globals, set when all functions are known.
    globals: Vec<(u32, Initial<'a>, Span)>,
    /// By function: its index in `entry_points`, if exported.
    exported: FxHashMap<u32, usize>,
    /// Offsets of data and element segments, in the order of the sections.
    offsets: Vec<Pending<'a>>,
}

/// A segment whose offset has not been evaluated.
enum Pending<'a> {
    Data(usize, Memory, Initial<'a>, Span),
    Elem(usize, Table, Initial<'a>, Span),
}

/// Reads a module.
///
/// # Errors
/// Errors, and unsupported features.
pub(crate) fn read(bytes: Arc<[u8]>, places: Places, options: &Options) -> Result<Parsed, Box<Diagnostic>> {
    let mut module = Module::new(Language::Wasm);
    let values = ValueTypes::new(&mut module.types);
    let env = Environment {
        values,
        signatures: vec![],
        func_types: vec![],
        globals: vec![],
        tables: vec![],
        imported_funcs: 0,
        bodies: vec![],
        local_names: FxHashMap::default(),
        places,
        features: report::features(options),
    };
    let mut reader = Reader {
        module,
        env,
        unchecked: vec![],
        names: Names::default(),
        globals: vec![],
        exported: FxHashMap::default(),
        offsets: vec![],
    };
    if let Err(error) = reader.read(&bytes) {
        let offset = error.offset();
        let span = reader.env.places.at(offset, offset);
        return Err(Box::new(report::module_error(&error, &bytes, reader.env.features, span)));
    }
    reader.finish(&bytes);
    let Reader { module, env, unchecked, .. } = reader;
    Ok(Parsed::from_parts(bytes, module, env, unchecked, options.threads))
}

impl<'a> Reader<'a> {
    fn read(&mut self, bytes: &'a [u8]) -> Result<(), Error> {
        let mut validator = Validator::new_with_features(self.env.features);
        let mut parser = Parser::new(0);
        parser.set_features(self.env.features);
        for payload in parser.parse_all(bytes) {
            let payload = payload?;
            if let ValidPayload::Func(check, body) = validator.payload(&payload)? {
                let range = body.range();
                self.env.bodies.push(range.start as usize..range.end as usize);
                self.unchecked.push(Some(check));
                continue;
            }
            self.section(payload)?;
        }
        Ok(())
    }

    fn section(&mut self, payload: Payload<'a>) -> Result<(), Error> {
        match payload {
            Payload::TypeSection(section) => {
                for ty in section.into_iter_err_on_gc_types() {
                    let ty = ty?;
                    let values = self.env.values;
                    let params: Box<[Type]> = ty.params().iter().map(|&ty| values.of(ty)).collect();
                    let results: Box<[Type]> = ty.results().iter().map(|&ty| values.of(ty)).collect();
                    let ty = self.module.types.function(&params, &results);
                    self.env.signatures.push(Signature { params, results, ty });
                }
            }
            Payload::ImportSection(section) => {
                for import in section.into_imports() {
                    self.import(&import?);
                }
            }
            Payload::FunctionSection(section) => {
                self.env.imported_funcs = self.env.func_types.len();
                self.each(section, |reader, ty, _| {
                    reader.function(ty);
                    Ok(())
                })?;
            }
            Payload::TableSection(section) => {
                self.each(section, |reader, table, _| {
                    reader.table(&table.ty, None);
                    Ok(())
                })?;
            }
            Payload::MemorySection(section) => {
                self.each(section, |reader, ty, _| {
                    reader.memory(&ty, None);
                    Ok(())
                })?;
            }
            Payload::GlobalSection(section) => self.each(section, |reader, global, span| {
                let index = reader.env.globals.len() as u32;
                let initial = reader.expression(&global.init_expr, span)?;
                reader.global(&global.ty, None, span);
                reader.globals.push((index, initial, span));
                Ok(())
            })?,
            Payload::ExportSection(section) => self.each(section, |reader, export, _| {
                reader.export(&export);
                Ok(())
            })?,
            Payload::StartSection { func, .. } => self.module.start = Some(Func::from_u32(func)),
            Payload::ElementSection(section) => self.each(section, Self::element)?,
            Payload::DataSection(section) => self.each(section, Self::data)?,
            Payload::CustomSection(section) => self.names.read(section.as_known()),
            _ => {}
        }
        Ok(())
    }

    /// Reads every item of a section, with its place.
    fn each<T: wasmparser::FromReader<'a>>(
        &mut self,
        section: SectionLimited<'a, T>,
        mut read: impl FnMut(&mut Self, T, Span) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let end = section.range().end;
        for item in section.into_iter_with_offsets() {
            let (offset, item) = item?;
            let span = self.env.places.at(offset, end.min(offset + 1));
            read(self, item, span)?;
        }
        Ok(())
    }

    fn expression(&mut self, expression: &ConstExpr<'a>, span: Span) -> Result<Initial<'a>, Error> {
        initial::read(&mut self.module, &self.env, expression, span)
    }

    // Declarations.

    fn import(&mut self, import: &wasmparser::Import<'_>) {
        let from = Import { module: import.module.into(), name: import.name.into() };
        match &import.ty {
            TypeRef::Func(ty) => {
                let func = self.function(*ty);
                self.env.imported_funcs += 1;
                self.module.func_imports.push((func, from));
            }
            TypeRef::Table(ty) => self.table(ty, Some(from)),
            TypeRef::Memory(ty) => self.memory(ty, Some(from)),
            TypeRef::Global(ty) => self.global(ty, Some(from), Span::NONE),
            TypeRef::Tag(_) | TypeRef::FuncExact(_) => unreachable!("no feature that is switched on"),
        }
    }

    fn function(&mut self, ty: u32) -> Func {
        let signature = &self.env.signatures[ty as usize];
        let params = signature.params.iter().map(|&ty| Param::new(Name::temporary(""), ty)).collect();
        let results = signature.results.iter().map(|&ty| ResultType::new(ty)).collect();
        self.env.func_types.push(ty);
        self.module.add_func(Name::temporary(""), params, results, Span::NONE)
    }

    fn table(&mut self, ty: &TableType, import: Option<Import>) {
        let [element] = *self.env.values.reference(ty.element_type);
        self.env.tables.push(element);
        self.module.tables.push(TableData {
            element,
            min: narrow(ty.initial),
            max: ty.maximum.map(narrow),
            import,
            exports: vec![],
        });
    }

    fn memory(&mut self, ty: &MemoryType, import: Option<Import>) {
        self.module.memories.push(MemoryData {
            min_pages: narrow(ty.initial),
            max_pages: ty.maximum.map(narrow),
            import,
            exports: vec![],
        });
    }

    fn global(&mut self, ty: &GlobalType, import: Option<Import>, span: Span) {
        let value = self.env.values.of(ty.content_type);
        let var = self.module.add_var(Name::temporary(""), value, AddressSpace::Private);
        let data = &mut self.module.vars[var];
        (data.is_const, data.span) = (!ty.mutable, span);
        if import.is_some() {
            data.linkage.get_or_insert_default().import = import;
        }
        self.env.globals.push(var);
    }

    fn export(&mut self, export: &Export<'_>) {
        let name: Arc<str> = export.name.into();
        let index = export.index as usize;
        match export.kind {
            ExternalKind::Func => {
                let entry_points = &mut self.module.entry_points;
                let at = *self.exported.entry(export.index).or_insert_with(|| {
                    let func = Func::from_u32(export.index);
                    let properties = StageProperties::default();
                    entry_points.push(EntryPoint { names: vec![], func, stage: None, properties });
                    entry_points.len() - 1
                });
                entry_points[at].names.push(name);
            }
            ExternalKind::Table => self.module.tables[Table::new(index)].exports.push(name),
            ExternalKind::Memory => self.module.memories[Memory::new(index)].exports.push(name),
            ExternalKind::Global => {
                let linkage = &mut self.module.vars[self.env.globals[index]].linkage;
                linkage.get_or_insert_default().exports.push(name);
            }
            ExternalKind::Tag | ExternalKind::FuncExact => unreachable!("no feature that is switched on"),
        }
    }

    // Segments.

    fn element(&mut self, element: Element<'a>, span: Span) -> Result<(), Error> {
        let mut items = vec![];
        let mut ty = self.env.values.func_ref[0];
        match element.items {
            ElementItems::Functions(section) => {
                for func in section {
                    items.push(ElemItem::Func(Func::from_u32(func?)));
                }
            }
            ElementItems::Expressions(reference, section) => {
                [ty] = *self.env.values.reference(reference);
                for expression in section {
                    let initial = self.expression(&expression?, span)?;
                    items.push(initial::item(&self.env, &initial));
                }
            }
        }
        if let ElementKind::Declared = element.kind {
            items.clear();
        }
        let index = self.module.elems.len();
        if let ElementKind::Active { table_index, offset_expr } = element.kind {
            let initial = self.expression(&offset_expr, span)?;
            self.offsets.push(Pending::Elem(index, Table::new(table_index.unwrap_or(0) as usize), initial, span));
        }
        self.module.elems.push(ElemSegment { element: ty, active: None, items });
        Ok(())
    }

    fn data(&mut self, data: Data<'a>, span: Span) -> Result<(), Error> {
        let index = self.module.data.len();
        if let DataKind::Active { memory_index, offset_expr } = data.kind {
            let initial = self.expression(&offset_expr, span)?;
            self.offsets.push(Pending::Data(index, Memory::new(memory_index as usize), initial, span));
        }
        self.module.data.push(DataSegment { active: None, bytes: data.data.into() });
        Ok(())
    }

    /// Finishes the parts that need all functions to be declared: initial values, offsets, names, places.
    fn finish(&mut self, bytes: &[u8]) {
        let (module, env) = (&mut self.module, &self.env);
        let funcs = env.func_types.len();
        for (index, initial, span) in self.globals.drain(..) {
            initial::initialize(module, env, env.globals[index as usize], initial, span);
        }
        for pending in self.offsets.drain(..) {
            match pending {
                Pending::Data(index, memory, initial, span) => {
                    let offset = initial::offset(module, env, initial, span);
                    module.data[Id::new(index)].active = Some((memory, offset));
                }
                Pending::Elem(index, table, initial, span) => {
                    let offset = initial::offset(module, env, initial, span);
                    module.elems[Id::new(index)].active = Some((table, offset));
                }
            }
        }
        for (index, range) in env.bodies.iter().enumerate() {
            let Range { start, end } = *range;
            let span = env.places.function(index).whole(start as u64, end as u64);
            module.funcs[Func::new(env.imported_funcs + index)].span = span;
        }
        self.names.give(module, funcs, &env.globals);
        self.env.local_names = self.names.variables(module, env, bytes);
    }
}

/// The validator has checked that limits of memories and tables fit.
fn narrow(limit: u64) -> u32 {
    u32::try_from(limit).unwrap_or(u32::MAX)
}
