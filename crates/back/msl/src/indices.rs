//! Metal's numbers of buffers, textures and samplers.

use std::collections::BTreeMap;

use planish_back_shading::globals::{Declared, DeclaredType, Kind};
use planish_back_text::tree::Symbol;

/// Namespace of numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Table {
    /// `[[buffer(n)]]`
    Buffer,
    /// `[[texture(n)]]`
    Texture,
    /// `[[sampler(n)]]`
    Sampler,
}

impl Table {
    /// The name of the attribute.
    pub fn attribute(self) -> &'static str {
        match self {
            Table::Buffer => "buffer",
            Table::Texture => "texture",
            Table::Sampler => "sampler",
        }
    }
}

/// The number of an argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Argument {
    /// The name of the resource in the program: of a texture of an array, `maps_1`; of the gathered uniforms, `planish_uniforms`;
    /// of the sizes of buffers, `buffer_sizes`.
    pub name: String,
    /// Group (descriptor set) and binding of other targets; `None`: the others have none.
    pub binding: Option<(u32, u32)>,
    /// Its namespace.
    pub table: Table,
    /// Its number there.
    pub index: u32,
}

/// Numbers of all declarations that the host binds.
#[derive(Default)]
pub(crate) struct Indices {
    /// Numbers that the user chose, by name.
    pub(crate) chosen: BTreeMap<String, u32>,
    /// By declaration.
    pub(crate) arguments: Vec<Option<Argument>>,
}

impl Indices {
    /// Numbers declarations: as chosen by name, all others from 0 in their order, as far as that is free.
    pub(crate) fn assign(&mut self, declared: &[Declared]) {
        let table = |d: &Declared| match (&d.ty, d.kind) {
            (DeclaredType::Texture { .. }, _) => Some(Table::Texture),
            (DeclaredType::Sampler { .. }, _) => Some(Table::Sampler),
            (_, Kind::Uniform(_) | Kind::Storage { .. } | Kind::PushConstant | Kind::Sizes) => Some(Table::Buffer),
            _ => None,
        };
        let mut taken: Vec<(Table, u32)> = vec![];
        for d in declared {
            taken.extend(table(d).zip(self.chosen.get(&d.name).copied()));
        }
        for d in declared {
            let argument = table(d).map(|table| {
                let index = self.chosen.get(&d.name).copied().unwrap_or_else(|| {
                    let free = (0..).find(|&n| !taken.contains(&(table, n))).unwrap_or(0);
                    taken.push((table, free));
                    free
                });
                let slot = match d.kind {
                    Kind::Uniform(slot) | Kind::Storage { slot, .. } | Kind::Handle(slot) => Some(slot),
                    _ => None,
                };
                let binding = slot.map(|s| (s.group, s.binding));
                Argument { name: d.name.clone(), binding, table, index }
            });
            self.arguments.push(argument);
        }
    }

    /// The attribute of a declaration: `[[buffer(0)]]`.
    pub(crate) fn attribute(&self, symbol: Symbol) -> String {
        match self.arguments.get(symbol.0 as usize) {
            Some(Some(a)) => format!("[[{}({})]]", a.table.attribute(), a.index),
            _ => String::new(),
        }
    }
}
