//! Resolution and checks of imports.

use planish_ir::arena::Id;
use planish_ir::module::{Import, Module};
use planish_ir::types::AddressSpace;

use super::{Extern, World};
use crate::machine::instance::Links;
use crate::stop::Stop;
use crate::world::{FuncType, ValType};

/// Error of an import.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LinkError {
    /// No item has these names.
    Missing {
        /// First name of the import.
        module: String,
        /// Second name.
        name: String,
    },
    /// The item with these names does not match.
    Mismatch {
        /// First name of the import.
        module: String,
        /// Second name.
        name: String,
        /// Expected and found item, for the user.
        why: String,
    },
}

impl std::fmt::Display for LinkError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LinkError::Missing { module, name } => write!(f, "unknown import: '{module}' '{name}'"),
            LinkError::Mismatch { module, name, why } => {
                write!(f, "incompatible import type: '{module}' '{name}': {why}")
            }
        }
    }
}

impl std::error::Error for LinkError {}

/// Error of an instantiation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InstantiateError {
    /// An import is missing or does not match. No state has changed.
    Link(LinkError),
    /// A segment did not fit, the start function trapped, or a limit was exceeded. Earlier writes persist.
    Stop(Stop),
}

impl std::fmt::Display for InstantiateError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            InstantiateError::Link(error) => error.fmt(f),
            InstantiateError::Stop(stop) => stop.fmt(f),
        }
    }
}

impl std::error::Error for InstantiateError {}

impl From<LinkError> for InstantiateError {
    fn from(error: LinkError) -> Self {
        InstantiateError::Link(error)
    }
}

impl From<Stop> for InstantiateError {
    fn from(stop: Stop) -> Self {
        InstantiateError::Stop(stop)
    }
}

/// Looks up an import by its two names.
type Find<'a> = &'a mut dyn FnMut(&str, &str) -> Option<Extern>;

impl World<'_> {
    /// Resolves a module's imports. Imported functions, tables, memories and variables are looked up in this order.
    pub(super) fn link(&self, module: &Module, find: Find<'_>) -> Result<Links, LinkError> {
        let mut links = Links::default();
        for (func, import) in &module.func_imports {
            let number = match found(find, import)? {
                Extern::Func(f) => f.0,
                other => return Err(mismatch(import, "a function", other.kind())),
            };
            let wanted = FuncType::of(&module.types, module.funcs[*func].ty);
            let have = self.machine.func_type(number);
            if wanted.is_none() || wanted != have {
                let text = |ty: Option<FuncType>| {
                    ty.map_or("a function of types that one module knows only".into(), |t| format!("a function {t}"))
                };
                return Err(mismatch(import, &text(wanted), &text(have)));
            }
            links.funcs.insert(func.index(), number);
        }
        for (id, table) in module.tables.iter() {
            let Some(import) = &table.import else { continue };
            let number = match found(find, import)? {
                Extern::Table(t) => t.0,
                other => return Err(mismatch(import, "a table", other.kind())),
            };
            let have = &self.machine.store.tables[number as usize];
            if ValType::of(&module.types, table.element) != Some(have.element) {
                return Err(mismatch(import, "a table of other references", have.element.name()));
            }
            limits(import, "elements", (table.min, table.max), (have.items.len() as u32, have.max))?;
            links.tables.insert(id.index(), number);
        }
        for (id, memory) in module.memories.iter() {
            let Some(import) = &memory.import else { continue };
            let number = match found(find, import)? {
                Extern::Memory(m) => m.0,
                other => return Err(mismatch(import, "a memory", other.kind())),
            };
            let have = &self.machine.store.memories[number as usize];
            limits(import, "pages", (memory.min_pages, memory.max_pages), (have.pages(), have.max))?;
            links.memories.insert(id.index(), number);
        }
        self.link_globals(module, find, &mut links)?;
        Ok(links)
    }

    fn link_globals(&self, module: &Module, find: Find<'_>, links: &mut Links) -> Result<(), LinkError> {
        for &var in &module.globals {
            let data = &module.vars[var];
            let Some(import) = data.linkage.as_ref().and_then(|l| l.import.as_ref()) else { continue };
            debug_assert_eq!(data.space, AddressSpace::Private);
            let global = match found(find, import)? {
                Extern::Global(g) => g,
                other => return Err(mismatch(import, "a global", other.kind())),
            };
            let wanted = ValType::of(&module.types, data.ty);
            if wanted != Some(global.ty) || data.is_const == global.mutable {
                let text = |mutable: bool, ty: Option<ValType>| {
                    let mutable = if mutable { "mutable" } else { "constant" };
                    format!("a {mutable} {}", ty.map_or("value of a type that one module knows only", |t| t.name()))
                };
                let have = text(global.mutable, Some(global.ty));
                return Err(mismatch(import, &text(!data.is_const, wanted), &have));
            }
            links.globals.insert(var.index(), global.object);
        }
        Ok(())
    }
}

fn found(find: Find<'_>, import: &Import) -> Result<Extern, LinkError> {
    find(&import.module, &import.name)
        .ok_or_else(|| LinkError::Missing { module: import.module.to_string(), name: import.name.to_string() })
}

fn mismatch(import: &Import, wanted: &str, have: &str) -> LinkError {
    LinkError::Mismatch {
        module: import.module.to_string(),
        name: import.name.to_string(),
        why: format!("asked for {wanted}, found {have}"),
    }
}

/// Checks that the actual size is at least the required minimum, and its maximum at most the allowed one.
fn limits(
    import: &Import,
    what: &str,
    (min, max): (u32, Option<u32>),
    (size, most): (u32, Option<u32>),
) -> Result<(), LinkError> {
    let bounded = max.is_none_or(|max| most.is_some_and(|most| most <= max));
    if size >= min && bounded {
        return Ok(());
    }
    let text = |min: u32, max: Option<u32>| match max {
        Some(max) => format!("{min} to {max} {what}"),
        None => format!("{min} {what} or more"),
    };
    Err(mismatch(import, &text(min, max), &text(size, most)))
}
