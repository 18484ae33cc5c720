//! Which images and samplers compare with a depth. In SPIR-V an instruction says so; in the IR the type of the variable does.
//!
//! Ids through which one image or sampler is reached form a class: its variable, accesses, loads, and parameters with their
//! arguments.

use rustc_hash::FxHashMap;
use spirv::Op;

use crate::types::{TypeDef, TypeDefs};
use crate::words::Binary;

/// Uses of the images and samplers of a binary.
pub(crate) struct Samplers {
    parents: Vec<u32>,
    compares: Vec<bool>,
    samples: Vec<bool>,
}

impl Samplers {
    pub(crate) fn find(binary: &Binary<'_>) -> Samplers {
        let bound = binary.bound as usize;
        let (compares, samples) = (vec![false; bound], vec![false; bound]);
        let mut found = Samplers { parents: (0..binary.bound).collect(), compares, samples };
        let mut pairs: FxHashMap<u32, u32> = FxHashMap::default();
        let params = parameters(binary);
        for inst in &binary.insts {
            let operand = |i: usize| inst.operands.get(i).copied().unwrap_or(0);
            match inst.op {
                Op::Load
                | Op::AccessChain
                | Op::InBoundsAccessChain
                | Op::CopyObject
                | Op::Image
                | Op::ImageTexelPointer => found.join(inst.result, operand(0)),
                Op::SampledImage => {
                    found.join(inst.result, operand(0));
                    pairs.insert(inst.result, operand(1));
                }
                Op::FunctionCall => {
                    for (&param, &argument) in params.get(&operand(0)).into_iter().flatten().zip(inst.rest(1)) {
                        found.join(param, argument);
                    }
                }
                _ => {}
            }
        }
        for inst in &binary.insts {
            let Some(&image) = inst.operands.first().filter(|&&id| id < binary.bound) else { continue };
            let sampler = pairs.get(&image).copied();
            match kind(inst.op) {
                Some(true) => {
                    found.mark(image, true);
                    sampler.into_iter().for_each(|sampler| found.mark(sampler, true));
                }
                Some(false) => found.mark(image, false),
                None => {}
            }
        }
        found
    }

    fn root(&self, mut id: u32) -> u32 {
        while let Some(&parent) = self.parents.get(id as usize).filter(|&&parent| parent != id) {
            id = parent;
        }
        id
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        if (a as usize) < self.parents.len() && (b as usize) < self.parents.len() {
            // The older id, usually the variable, is the root.
            let (young, old) = (a.max(b), a.min(b));
            self.parents[young as usize] = old;
        }
    }

    fn mark(&mut self, id: u32, compares: bool) {
        let root = self.root(id) as usize;
        let list = if compares { &mut self.compares } else { &mut self.samples };
        if let Some(mark) = list.get_mut(root) {
            *mark = true;
        }
    }

    /// Whether what an id reaches is to be compared with a depth; `declared`: whether its type says so.
    pub(crate) fn compares(&self, defs: &TypeDefs, id: u32, mut ty: u32) -> bool {
        let root = self.root(id) as usize;
        let at = |list: &[bool]| list.get(root).copied().unwrap_or(false);
        let (compares, samples) = (at(&self.compares), at(&self.samples));
        while let Some(TypeDef::Array(element, _) | TypeDef::RuntimeArray(element)) = defs.get(ty) {
            ty = *element;
        }
        let declared = |image: u32| matches!(defs.get(image), Some(TypeDef::Image(_, true)));
        match defs.get(ty) {
            Some(TypeDef::Sampler) => compares,
            Some(TypeDef::SampledImage(image)) => compares || declared(*image) && !samples,
            Some(TypeDef::Image(_, declared)) => (compares || *declared) && !samples,
            _ => false,
        }
    }
}

/// Parameters of functions by the function.
fn parameters(binary: &Binary<'_>) -> FxHashMap<u32, Vec<u32>> {
    let of = |range: &std::ops::Range<usize>| {
        let insts = binary.insts[range.clone()].iter();
        insts.filter(|i| i.op == Op::FunctionParameter).map(|i| i.result).collect::<Vec<u32>>()
    };
    binary.functions.iter().map(|f| (f.id, of(&f.range))).collect()
}

/// Whether the instruction samples an image with a comparison; `None` if it does not sample.
fn kind(op: Op) -> Option<bool> {
    Some(match op {
        Op::ImageSampleDrefImplicitLod
        | Op::ImageSampleDrefExplicitLod
        | Op::ImageSampleProjDrefImplicitLod
        | Op::ImageSampleProjDrefExplicitLod
        | Op::ImageDrefGather => true,
        Op::ImageSampleImplicitLod
        | Op::ImageSampleExplicitLod
        | Op::ImageSampleProjImplicitLod
        | Op::ImageSampleProjExplicitLod
        | Op::ImageGather => false,
        _ => return None,
    })
}
