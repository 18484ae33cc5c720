//! Texture and image ops: conversion of operands to queries, by lane.

use planish_ir::function::Body;
use planish_ir::meaning::Shape;
use planish_ir::ops::{Op, TextureFlags};
use planish_ir::texture::{self, Operands, Sampling, evaluate};
use planish_ir::types::{Dim, ImageKind, ImageType};

use super::Machine;
use super::memory::combine;
use super::quad::Axis;
use crate::program::{Code, Inst, Operand};
use crate::stop::Stop;
use crate::texture::Textures;

/// The operands of an op.
struct Args<'a, 'm> {
    machine: &'a Machine<'m>,
    args: &'a [Operand],
}

impl Operands for Args<'_, '_> {
    fn components(&self, operand: usize) -> usize {
        self.args.get(operand).map_or(0, |operand| operand.size())
    }

    fn word(&self, operand: usize, component: usize, lane: usize) -> u32 {
        self.machine.read(self.args[operand], component, lane) as u32
    }

    fn neighbours(&self, lane: usize, axis: usize) -> Option<(usize, usize)> {
        self.machine.neighbours(lane, if axis == 0 { Axis::X } else { Axis::Y }, false)
    }

    fn has_implicit_levels(&self) -> bool {
        self.machine.implicit_levels
    }
}

impl<'m> Machine<'m> {
    pub(super) fn image_op(&mut self, body: &Body, code: &Code, inst: &Inst) -> Result<(), Stop> {
        let args = code.args(inst);
        if inst.op == Op::CombineSampler {
            for lane in self.cx.active.lanes() {
                let handle = Textures::combine(self.read(args[0], 0, lane), self.read(args[1], 0, lane));
                self.write_lane(inst, 0, lane, handle);
            }
            return Ok(());
        }
        let module = self.program().module;
        let image = body.args(inst.node).first().and_then(|&a| module.types.as_image(module.type_of(body, a)));
        let Some(image) = image else {
            return Err(Stop::unsupported("a texture op on a value that is not an image", self.span()));
        };
        match inst.op {
            Op::TextureSample
            | Op::TextureSampleLod
            | Op::TextureSampleGrad
            | Op::TextureQueryLod
            | Op::TextureGather
            | Op::TextureFetch
            | Op::TextureQueryLevels
            | Op::TextureQuerySamples => self.texture_op(image, args, inst),
            Op::TextureSize | Op::ImageSize if !matches!(image.kind, ImageKind::Storage(_)) => {
                self.texture_op(image, args, inst);
            }
            Op::TextureSize | Op::ImageSize => self.storage_size(image, args, inst),
            Op::ImageSamples => {
                for lane in self.cx.active.lanes() {
                    self.write_lane(inst, 0, lane, 1);
                }
            }
            Op::SubpassLoad => self.subpass(args, inst),
            _ => return self.storage_op(image, args, inst),
        }
        Ok(())
    }

    fn integers<const N: usize>(&self, operand: Operand, lane: usize) -> [i32; N] {
        std::array::from_fn(|c| if c < operand.size() { self.read(operand, c, lane) as u32 as i32 } else { 0 })
    }

    fn write_texel(&mut self, inst: &Inst, lane: usize, texel: [u32; 4]) {
        for (c, &bits) in texel.iter().enumerate().take(inst.out.1 as usize) {
            self.write_lane(inst, c, lane, bits.into());
        }
    }

    /// The result of an op on a texture, in every active lane.
    fn texture_op(&mut self, image: ImageType, args: &[Operand], inst: &Inst) {
        let op = match inst.op {
            Op::TextureSample | Op::TextureSampleLod | Op::TextureSampleGrad | Op::TextureGather | Op::TextureFetch => {
                (inst.op, inst.imm.as_texture())
            }
            _ => (inst.op, TextureFlags::NONE),
        };
        for lane in self.cx.active.lanes() {
            let handle = self.read(args[0], 0, lane);
            let sampling = Sampling { texture: self.textures.image(handle), state: self.textures.sampler(handle) };
            let found = evaluate(op, image, sampling, &Args { machine: self, args }, lane);
            self.write_texel(inst, lane, found.expect("it is an op of textures"));
        }
    }

    fn storage_size(&mut self, image: ImageType, args: &[Operand], inst: &Inst) {
        for lane in self.cx.active.lanes() {
            let handle = self.read(args[0], 0, lane) as usize;
            let size = self.textures.storage.get(handle).map_or([0; 3], |storage| storage.size);
            self.write_texel(inst, lane, texture::size(image, size));
        }
    }

    /// The texel of an input attachment at the fragment's pixel.
    fn subpass(&mut self, args: &[Operand], inst: &Inst) {
        for lane in self.cx.active.lanes() {
            let texture = self.textures.image(self.read(args[0], 0, lane));
            let place = self.fragments.get(lane).copied().unwrap_or([0; 2]);
            let size = texture.size(0);
            let texel = texture.texel([place[0].min(size[0] - 1), place[1].min(size[1] - 1), 0], 0);
            self.write_texel(inst, lane, texel);
        }
    }

    fn storage_op(&mut self, image: ImageType, args: &[Operand], inst: &Inst) -> Result<(), Stop> {
        let values = 2 + usize::from(inst.imm.as_texture().has(TextureFlags::SAMPLE));
        debug_assert!(inst.out.1 == 0 || self.program().module.types.components(inst.ty).is_some());
        for lane in self.cx.active.lanes() {
            let mut at: [i32; 3] = self.integers(args[1], lane);
            if image.dim == Dim::D1 && image.arrayed {
                at = [at[0], 0, at[1]];
            }
            let handle = self.read(args[0], 0, lane) as usize;
            let live = !self.helpers.has(lane);
            let value = |i: usize, c: usize| {
                let operand = args[values + i];
                if c < operand.size() { self.read(operand, c, lane) as u32 } else { 0 }
            };
            let Some(storage) = self.textures.storage.get(handle) else {
                return Err(Stop::unsupported("a storage image that is not bound", self.span()));
            };
            let old = storage.load(at);
            let new = match inst.op {
                Op::ImageLoad => {
                    self.write_texel(inst, lane, old);
                    continue;
                }
                Op::ImageStore => std::array::from_fn(|c| value(0, c)),
                Op::ImageAtomicExchange => [value(0, 0), 0, 0, 0],
                Op::ImageAtomicCompareExchange => [if old[0] == value(0, 0) { value(1, 0) } else { old[0] }, 0, 0, 0],
                op => {
                    let word = combine(op, image.sampled, old[0].into(), value(0, 0).into());
                    [word.ok_or_else(|| self.bad_atomic())? as u32, 0, 0, 0]
                }
            };
            if live {
                self.textures.storage[handle].store(at, new);
            }
            if inst.op != Op::ImageStore {
                self.write_texel(inst, lane, old);
            }
        }
        Ok(())
    }
}
