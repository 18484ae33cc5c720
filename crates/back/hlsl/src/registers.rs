//! Registers, by the plan of `planish-interface`.
//!
//! From shader model 5.1 on, the number is the binding, and the space the group. Before, there are no spaces: the resources of
//! each kind are numbered in the order of group and binding.

use std::fmt;

use planish_back_shading::globals::{Declared, DeclaredType, Kind, Slot};
use planish_back_text::tree::Symbol;
use planish_ir::types::ImageKind;

use crate::ShaderModel;

/// A register of a resource.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Register {
    /// `b` for constant buffers, `t` for textures and buffers that are read, `s` for samplers, `u` for what is written.
    pub class: char,
    /// Number in its class and space.
    pub number: u32,
    /// The space; `None`: the shader model has none.
    pub space: Option<u32>,
}

impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "register({}{}", self.class, self.number)?;
        match self.space {
            Some(space) => write!(f, ", space{space})"),
            None => write!(f, ")"),
        }
    }
}

/// A resource of the host and its register.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bound {
    /// The name of the resource in the program: of a texture of an array, `maps_1`; of the gathered uniforms, `planish_uniforms`; of the
    /// number of work groups, `num_work_groups`.
    pub name: String,
    /// Group (descriptor set) and binding of other targets; `None`: the others have none.
    pub binding: Option<(u32, u32)>,
    /// Its register.
    pub register: Register,
}

/// Declarations with their registers, as the host knows them.
pub(crate) fn of_host(declared: &[Declared], registers: &[(Symbol, Register)]) -> Vec<Bound> {
    let of = |&(symbol, register): &(Symbol, Register)| {
        let declared = &declared[symbol.0 as usize];
        let binding = slot(declared).map(|(_, slot)| (slot.group, slot.binding));
        Bound { name: declared.name.clone(), binding, register }
    };
    registers.iter().map(of).collect()
}

/// Class and place of a declaration that has a register.
fn slot(declared: &Declared) -> Option<(char, Slot)> {
    Some(match (&declared.ty, declared.kind) {
        (DeclaredType::Texture { image, .. }, Kind::Handle(slot)) => {
            (if matches!(image.kind, ImageKind::Storage(_)) { 'u' } else { 't' }, slot)
        }
        (DeclaredType::Sampler { .. }, Kind::Handle(slot)) => ('s', slot),
        (_, Kind::Uniform(slot)) => ('b', slot),
        (_, Kind::Storage { slot, read_only }) => (if read_only { 't' } else { 'u' }, slot),
        _ => return None,
    })
}

/// The registers of all declarations that have one. Push constants get the first free one of space 0.
pub(crate) fn assign(version: ShaderModel, declared: &[Declared]) -> Vec<(Symbol, Register)> {
    let mut slots: Vec<(Symbol, char, Slot)> = vec![];
    for (i, declared) in declared.iter().enumerate() {
        slots.extend(slot(declared).map(|(class, slot)| (Symbol(i as u32), class, slot)));
    }
    let mut registers = vec![];
    if version.has_spaces() {
        let register = |class, slot: Slot| Register { class, number: slot.binding, space: Some(slot.group) };
        registers.extend(slots.iter().map(|&(symbol, class, slot)| (symbol, register(class, slot))));
    } else {
        slots.sort_by_key(|(_, class, slot)| (*class, slot.group, slot.binding));
        for &(symbol, class, _) in &slots {
            let number = registers.iter().filter(|(_, r): &&(_, Register)| r.class == class).count() as u32;
            registers.push((symbol, Register { class, number, space: None }));
        }
    }
    for (i, _) in declared.iter().enumerate().filter(|(_, d)| d.kind == Kind::PushConstant) {
        let space = version.has_spaces().then_some(0);
        let is_taken = |n: u32| registers.iter().any(|(_, r)| (r.class, r.number, r.space) == ('b', n, space));
        let number = (0..).find(|&n| !is_taken(n)).unwrap_or(0);
        registers.push((Symbol(i as u32), Register { class: 'b', number, space }));
    }
    registers
}
