//! Metal's numbers of buffers, textures and samplers.

use std::collections::{BTreeMap, BTreeSet};

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
    /// `[[id(n)]]`, of a member of an argument buffer
    Id,
}

impl Table {
    /// The name of the attribute.
    pub fn attribute(self) -> &'static str {
        match self {
            Table::Buffer => "buffer",
            Table::Texture => "texture",
            Table::Sampler => "sampler",
            Table::Id => "id",
        }
    }
}

/// The number of an argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Argument {
    /// The name of the resource in the program: of a texture of an array, `maps_1`; of the gathered uniforms, `planish_uniforms`;
    /// of the sizes of buffers, `buffer_sizes`; of the argument buffer of a group, `group_0`.
    pub name: String,
    /// Group (descriptor set) and binding of other targets; `None`: the others have none.
    pub binding: Option<(u32, u32)>,
    /// Its namespace.
    pub table: Table,
    /// Its number there.
    pub index: u32,
    /// The number of the argument buffer that it is in.
    pub buffer: Option<u32>,
}

impl Argument {
    /// `[[buffer(0)]]`
    pub(crate) fn attribute(&self) -> String {
        format!("[[{}({})]]", self.table.attribute(), self.index)
    }
}

/// Numbers of all declarations that the host binds.
#[derive(Default)]
pub(crate) struct Indices {
    /// Numbers that the user chose, by name.
    pub(crate) chosen: BTreeMap<String, u32>,
    /// Whether the resources of a group are members of one argument buffer.
    pub(crate) by_groups: bool,
    /// By declaration.
    pub(crate) arguments: Vec<Option<Argument>>,
    /// Argument buffers, by their groups.
    pub(crate) groups: BTreeMap<u32, Argument>,
}

/// The group and binding of a declaration.
fn slot_of(declared: &Declared) -> Option<(u32, u32)> {
    match declared.kind {
        Kind::Uniform(slot) | Kind::Storage { slot, .. } | Kind::Handle(slot) => Some((slot.group, slot.binding)),
        _ => None,
    }
}

/// The name of an argument buffer.
pub(crate) fn group_name(group: u32) -> String {
    format!("group_{group}")
}

/// The number of a name among those of a namespace: the chosen one, else that which it would like to have, else the first that is free.
fn number(taken: &mut BTreeSet<(Space, u32)>, space: Space, chosen: Option<u32>, wanted: u32) -> u32 {
    let index = chosen.unwrap_or_else(|| {
        let is_free = |n: &u32| !taken.contains(&(space, *n));
        if is_free(&wanted) { wanted } else { (0..).find(is_free).unwrap_or(0) }
    });
    taken.insert((space, index));
    index
}

/// Namespace of numbers: a table, or an argument buffer by its group.
type Space = (Table, Option<u32>);

impl Indices {
    /// Numbers declarations: as chosen by name, all others from 0 in their order, as far as that is free. Members of argument buffers have
    /// the numbers of their bindings.
    pub(crate) fn assign(&mut self, declared: &[Declared]) {
        let group = |d: &Declared| slot_of(d).filter(|_| self.by_groups).map(|(group, _)| group);
        let space = |d: &Declared| match (&d.ty, d.kind) {
            _ if group(d).is_some() => Some((Table::Id, group(d))),
            (DeclaredType::Texture { .. }, _) => Some((Table::Texture, None)),
            (DeclaredType::Sampler { .. }, _) => Some((Table::Sampler, None)),
            (_, Kind::Uniform(_) | Kind::Storage { .. } | Kind::PushConstant | Kind::Sizes) => {
                Some((Table::Buffer, None))
            }
            _ => None,
        };
        let groups: BTreeSet<u32> = declared.iter().filter_map(group).collect();
        let chosen = |name: &str| self.chosen.get(name).copied();
        let mut taken: BTreeSet<(Space, u32)> = BTreeSet::new();
        for d in declared {
            taken.extend(space(d).zip(chosen(&d.name)));
        }
        taken.extend(groups.iter().filter_map(|&group| Some(((Table::Buffer, None), chosen(&group_name(group))?))));
        let mut buffers = BTreeMap::new();
        for group in groups {
            let name = group_name(group);
            let index = number(&mut taken, (Table::Buffer, None), chosen(&name), 0);
            buffers.insert(group, Argument { name, binding: None, table: Table::Buffer, index, buffer: None });
        }
        for d in declared {
            let argument = space(d).map(|space| {
                let binding = slot_of(d);
                let wanted = if space.0 == Table::Id { binding.map_or(0, |(_, binding)| binding) } else { 0 };
                let index = number(&mut taken, space, chosen(&d.name), wanted);
                let buffer = space.1.and_then(|group| buffers.get(&group)).map(|buffer: &Argument| buffer.index);
                Argument { name: d.name.clone(), binding, table: space.0, index, buffer }
            });
            self.arguments.push(argument);
        }
        self.groups = buffers;
    }

    /// All arguments: argument buffers, then declarations in their order.
    pub(crate) fn all(&self) -> Vec<Argument> {
        self.groups.values().chain(self.arguments.iter().flatten()).cloned().collect()
    }

    /// The group of the argument buffer that a declaration is in.
    pub(crate) fn group(&self, symbol: Symbol) -> Option<u32> {
        let argument = self.arguments.get(symbol.0 as usize)?.as_ref()?;
        argument.binding.filter(|_| argument.table == Table::Id).map(|(group, _)| group)
    }

    /// The attribute of a declaration: `[[buffer(0)]]`.
    pub(crate) fn attribute(&self, symbol: Symbol) -> String {
        match self.arguments.get(symbol.0 as usize) {
            Some(Some(argument)) => argument.attribute(),
            _ => String::new(),
        }
    }
}
