//! Splits the combined image samplers of a SPIR-V binary, which naga's reader does not support, into images and
//! samplers.
//!
//! ```text
//! %p = OpTypePointer UniformConstant %sampled      %p = OpTypePointer UniformConstant %image
//!                                                  %q = OpTypePointer UniformConstant %sampler
//! %v = OpVariable %p UniformConstant          ->   %v = OpVariable %p …   %w = OpVariable %q …
//! %x = OpLoad %sampled %v                          %i = OpLoad %image %v  %s = OpLoad %sampler %w
//!                                                  %x = OpSampledImage %sampled %i %s
//! ```
//!
//! Arrays of them, elements of such arrays, parameters and arguments are split in the same way. The variable keeps its
//! set and binding; its sampler is named `…_sampler` and gets the first free binding of the set. A binary without
//! combined samplers, or a malformed one, is left as it is: the reader reports the error.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

/// Opcodes and enumerants of the SPIR-V specification, 3.52 and 3.20.
mod code {
    pub(super) const NAME: u32 = 5;
    pub(super) const TYPE_SAMPLER: u32 = 26;
    pub(super) const TYPE_SAMPLED_IMAGE: u32 = 27;
    pub(super) const TYPE_ARRAY: u32 = 28;
    pub(super) const TYPE_RUNTIME_ARRAY: u32 = 29;
    pub(super) const TYPE_POINTER: u32 = 32;
    pub(super) const TYPE_FUNCTION: u32 = 33;
    pub(super) const FUNCTION_PARAMETER: u32 = 55;
    pub(super) const FUNCTION_CALL: u32 = 57;
    pub(super) const VARIABLE: u32 = 59;
    pub(super) const LOAD: u32 = 61;
    pub(super) const ACCESS_CHAIN: u32 = 65;
    pub(super) const IN_BOUNDS_ACCESS_CHAIN: u32 = 66;
    pub(super) const DECORATE: u32 = 71;
    pub(super) const SAMPLED_IMAGE: u32 = 86;
    pub(super) const DECORATION_BINDING: u32 = 33;
    pub(super) const DECORATION_DESCRIPTOR_SET: u32 = 34;
}

/// Words before the first instruction.
const HEADER: usize = 5;

/// Index of the id bound in the header.
const BOUND: usize = 3;

/// The binary with its combined image samplers split.
pub(crate) fn split_samplers(words: &[u32]) -> Cow<'_, [u32]> {
    let combined = instructions(words).any(|i| i.len() == 4 && opcode(i) == code::TYPE_POINTER)
        && instructions(words).any(|i| opcode(i) == code::TYPE_SAMPLED_IMAGE);
    if !combined || words.len() < HEADER {
        return Cow::Borrowed(words);
    }
    let mut split = Split::new(words);
    split.find_variables(words);
    if split.samplers.is_empty() && !split.has_parameters {
        return Cow::Borrowed(words);
    }
    for instruction in instructions(words) {
        split.rewrite(instruction);
    }
    split.out[BOUND] = split.next_id;
    Cow::Owned(split.out)
}

fn opcode(instruction: &[u32]) -> u32 {
    instruction[0] & 0xffff
}

/// The instructions up to the first truncated one.
fn instructions(words: &[u32]) -> impl Iterator<Item = &[u32]> {
    let mut rest = words.get(HEADER..).unwrap_or(&[]);
    std::iter::from_fn(move || {
        let length = (*rest.first()? >> 16) as usize;
        let instruction = rest.get(..length).filter(|i| !i.is_empty())?;
        rest = &rest[length..];
        Some(instruction)
    })
}

struct Split {
    out: Vec<u32>,
    next_id: u32,
    /// The image type of each sampled image type.
    images: FxHashMap<u32, u32>,
    /// For an array of sampled images: its element.
    arrays: FxHashMap<u32, u32>,
    /// For a sampled image type, an array or a pointer of such: the corresponding type of samplers.
    sampler_types: FxHashMap<u32, u32>,
    /// For a variable, parameter or element: that of the sampler.
    samplers: FxHashMap<u32, u32>,
    /// Bindings of the samplers, by variable.
    bindings: FxHashMap<u32, u32>,
    sampler: Option<u32>,
    has_parameters: bool,
}

impl Split {
    fn new(words: &[u32]) -> Self {
        Split {
            out: words[..HEADER].to_vec(),
            next_id: words[BOUND],
            images: FxHashMap::default(),
            arrays: FxHashMap::default(),
            sampler_types: FxHashMap::default(),
            samplers: FxHashMap::default(),
            bindings: FxHashMap::default(),
            sampler: None,
            has_parameters: false,
        }
    }

    fn fresh(&mut self) -> u32 {
        self.next_id = self.next_id.wrapping_add(1);
        self.next_id.wrapping_sub(1)
    }

    fn emit(&mut self, opcode: u32, operands: &[u32]) {
        self.out.push((operands.len() as u32 + 1) << 16 | opcode);
        self.out.extend_from_slice(operands);
    }

    /// Whether the type is a sampled image, or an array of such, as far as declared.
    fn is_combined(&self, ty: u32) -> bool {
        self.images.contains_key(&ty) || self.arrays.contains_key(&ty)
    }

    /// Finds the variables to split (their names and decorations precede them), and bindings for the samplers.
    fn find_variables(&mut self, words: &[u32]) {
        let mut pointers = FxHashMap::default();
        let mut sets: FxHashMap<u32, u32> = FxHashMap::default();
        let mut given: FxHashMap<u32, u32> = FxHashMap::default();
        let mut variables = Vec::new();
        for instruction in instructions(words) {
            match (opcode(instruction), &instruction[1..]) {
                (code::TYPE_SAMPLED_IMAGE, &[id, image]) => drop(self.images.insert(id, image)),
                (code::TYPE_ARRAY | code::TYPE_RUNTIME_ARRAY, &[id, element, ..]) if self.is_combined(element) => {
                    self.arrays.insert(id, element);
                }
                (code::TYPE_POINTER, &[id, _, pointee]) if self.is_combined(pointee) => {
                    pointers.insert(id, pointee);
                }
                (code::VARIABLE, &[ty, id, ..]) if pointers.contains_key(&ty) => variables.push(id),
                (code::FUNCTION_PARAMETER, &[ty, _]) => self.has_parameters |= pointers.contains_key(&ty),
                (code::DECORATE, &[target, code::DECORATION_DESCRIPTOR_SET, set]) => drop(sets.insert(target, set)),
                (code::DECORATE, &[target, code::DECORATION_BINDING, n]) => drop(given.insert(target, n)),
                _ => {}
            }
        }
        let mut highest: FxHashMap<u32, u32> = FxHashMap::default();
        for (target, binding) in &given {
            let top = highest.entry(sets.get(target).copied().unwrap_or(0)).or_default();
            *top = (*top).max(*binding);
        }
        for variable in variables {
            let sampler = self.fresh();
            self.samplers.insert(variable, sampler);
            if given.contains_key(&variable) {
                let top = highest.entry(sets.get(&variable).copied().unwrap_or(0)).or_default();
                *top = top.wrapping_add(1);
                self.bindings.insert(variable, *top);
            }
        }
        // They are collected again, each at its declaration.
        self.arrays.clear();
        self.images.clear();
    }

    fn rewrite(&mut self, instruction: &[u32]) {
        let operands = &instruction[1..];
        match (opcode(instruction), operands) {
            (code::TYPE_SAMPLED_IMAGE, &[id, image]) => {
                self.out.extend_from_slice(instruction);
                self.images.insert(id, image);
                let sampler = self.sampler_type();
                self.sampler_types.insert(id, sampler);
            }
            (op @ (code::TYPE_ARRAY | code::TYPE_RUNTIME_ARRAY), &[id, element, ref length @ ..])
                if self.is_combined(element) =>
            {
                let image = self.images.get(&element).copied().unwrap_or(element);
                self.emit(op, &[&[id, image], length].concat());
                let (of_samplers, sampler) = (self.fresh(), self.sampler_types[&element]);
                self.emit(op, &[&[of_samplers, sampler], length].concat());
                self.arrays.insert(id, element);
                self.sampler_types.insert(id, of_samplers);
            }
            (code::TYPE_POINTER, &[id, storage, pointee]) if self.is_combined(pointee) => {
                let image = self.images.get(&pointee).copied().unwrap_or(pointee);
                self.emit(code::TYPE_POINTER, &[id, storage, image]);
                let (to_sampler, sampler) = (self.fresh(), self.sampler_types[&pointee]);
                self.emit(code::TYPE_POINTER, &[to_sampler, storage, sampler]);
                self.sampler_types.insert(id, to_sampler);
            }
            (code::TYPE_FUNCTION, &[id, result, ref parameters @ ..]) => {
                let both = self.with_samplers(parameters, |s, ty| s.sampler_types.get(&ty).copied());
                self.emit(code::TYPE_FUNCTION, &[&[id, result], both.as_slice()].concat());
            }
            (code::NAME, &[target, ref name @ ..]) => self.rewrite_name(instruction, target, name),
            (code::DECORATE, &[target, decoration, ref rest @ ..]) => {
                self.out.extend_from_slice(instruction);
                self.decorate_sampler(target, decoration, rest);
            }
            (op @ (code::VARIABLE | code::FUNCTION_PARAMETER), &[ty, id, ref rest @ ..])
                if self.sampler_types.contains_key(&ty) =>
            {
                self.out.extend_from_slice(instruction);
                let sampler_type = self.sampler_types[&ty];
                let sampler = match self.samplers.get(&id) {
                    Some(&sampler) => sampler,
                    None => self.fresh(),
                };
                self.samplers.insert(id, sampler);
                self.emit(op, &[&[sampler_type, sampler], rest].concat());
            }
            (op @ (code::ACCESS_CHAIN | code::IN_BOUNDS_ACCESS_CHAIN), &[ty, id, base, ref indices @ ..]) => {
                self.out.extend_from_slice(instruction);
                if let (Some(&base), Some(&ty)) = (self.samplers.get(&base), self.sampler_types.get(&ty)) {
                    let sampler = self.fresh();
                    self.emit(op, &[&[ty, sampler, base], indices].concat());
                    self.samplers.insert(id, sampler);
                }
            }
            (code::LOAD, &[ty, id, pointer, ..]) if self.images.contains_key(&ty) => {
                self.rewrite_load(instruction, ty, id, pointer);
            }
            (code::FUNCTION_CALL, &[ty, id, callee, ref arguments @ ..]) => {
                let both = self.with_samplers(arguments, |s, argument| s.samplers.get(&argument).copied());
                self.emit(code::FUNCTION_CALL, &[&[ty, id, callee], both.as_slice()].concat());
            }
            _ => self.out.extend_from_slice(instruction),
        }
    }

    /// The type of samplers, declared at its first use.
    fn sampler_type(&mut self) -> u32 {
        if let Some(sampler) = self.sampler {
            return sampler;
        }
        let sampler = self.fresh();
        self.emit(code::TYPE_SAMPLER, &[sampler]);
        self.sampler = Some(sampler);
        sampler
    }

    /// The list with each id followed by its sampler.
    fn with_samplers(&self, ids: &[u32], sampler: impl Fn(&Self, u32) -> Option<u32>) -> Vec<u32> {
        ids.iter().flat_map(|&id| std::iter::once(id).chain(sampler(self, id))).collect()
    }

    fn rewrite_load(&mut self, instruction: &[u32], ty: u32, id: u32, pointer: u32) {
        let (Some(&sampler), Some(sampler_type)) = (self.samplers.get(&pointer), self.sampler) else {
            self.out.extend_from_slice(instruction);
            return;
        };
        let image_type = self.images[&ty];
        let (image, loaded) = (self.fresh(), self.fresh());
        self.emit(code::LOAD, &[image_type, image, pointer]);
        self.emit(code::LOAD, &[sampler_type, loaded, sampler]);
        self.emit(code::SAMPLED_IMAGE, &[ty, id, image, loaded]);
    }

    fn rewrite_name(&mut self, instruction: &[u32], target: u32, name: &[u32]) {
        self.out.extend_from_slice(instruction);
        let Some(&sampler) = self.samplers.get(&target) else { return };
        let mut bytes: Vec<u8> = name.iter().flat_map(|w| w.to_le_bytes()).take_while(|b| *b != 0).collect();
        bytes.extend_from_slice(b"_sampler");
        bytes.resize(bytes.len() / 4 * 4 + 4, 0);
        let mut operands = vec![sampler];
        operands.extend(bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])));
        self.emit(code::NAME, &operands);
    }

    /// The sampler is in the set of its image, at a binding of its own.
    fn decorate_sampler(&mut self, target: u32, decoration: u32, rest: &[u32]) {
        let Some(&sampler) = self.samplers.get(&target) else { return };
        match decoration {
            code::DECORATION_DESCRIPTOR_SET => self.emit(code::DECORATE, &[&[sampler, decoration], rest].concat()),
            code::DECORATION_BINDING => {
                if let Some(&binding) = self.bindings.get(&target) {
                    self.emit(code::DECORATE, &[sampler, decoration, binding]);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instruction(opcode: u32, operands: &[u32]) -> Vec<u32> {
        std::iter::once((operands.len() as u32 + 1) << 16 | opcode).chain(operands.iter().copied()).collect()
    }

    fn binary(bound: u32, instructions: &[Vec<u32>]) -> Vec<u32> {
        let mut words = vec![crate::report::MAGIC, 0x10000, 0, bound, 0];
        words.extend(instructions.iter().flatten());
        words
    }

    #[test]
    fn a_variable_becomes_two() {
        // %1 image, %2 sampled image, %3 pointer, %4 variable at set 0, binding 5, %9 loaded.
        let before = binary(
            10,
            &[
                instruction(code::DECORATE, &[4, code::DECORATION_DESCRIPTOR_SET, 0]),
                instruction(code::DECORATE, &[4, code::DECORATION_BINDING, 5]),
                instruction(code::TYPE_SAMPLED_IMAGE, &[2, 1]),
                instruction(code::TYPE_POINTER, &[3, 0, 2]),
                instruction(code::VARIABLE, &[3, 4, 0]),
                instruction(code::LOAD, &[2, 9, 4]),
            ],
        );
        let after = binary(
            15,
            &[
                instruction(code::DECORATE, &[4, code::DECORATION_DESCRIPTOR_SET, 0]),
                instruction(code::DECORATE, &[10, code::DECORATION_DESCRIPTOR_SET, 0]),
                instruction(code::DECORATE, &[4, code::DECORATION_BINDING, 5]),
                instruction(code::DECORATE, &[10, code::DECORATION_BINDING, 6]),
                instruction(code::TYPE_SAMPLED_IMAGE, &[2, 1]),
                instruction(code::TYPE_SAMPLER, &[11]),
                instruction(code::TYPE_POINTER, &[3, 0, 1]),
                instruction(code::TYPE_POINTER, &[12, 0, 11]),
                instruction(code::VARIABLE, &[3, 4, 0]),
                instruction(code::VARIABLE, &[12, 10, 0]),
                instruction(code::LOAD, &[1, 13, 4]),
                instruction(code::LOAD, &[11, 14, 10]),
                instruction(code::SAMPLED_IMAGE, &[2, 9, 13, 14]),
            ],
        );
        assert_eq!(split_samplers(&before).as_ref(), after);
    }

    #[test]
    fn other_binaries_stay_as_they_are() {
        let plain = binary(3, &[instruction(code::TYPE_SAMPLER, &[1]), instruction(code::TYPE_POINTER, &[2, 0, 1])]);
        assert!(matches!(split_samplers(&plain), Cow::Borrowed(_)));
        assert!(matches!(split_samplers(&[]), Cow::Borrowed(_)));
        assert!(matches!(split_samplers(&[1, 2]), Cow::Borrowed(_)));
    }
}
