//! Texture and image ops: conversion of operands to queries, by lane.

use planish_ir::function::Body;
use planish_ir::meaning::Shape;
use planish_ir::ops::{Op, TextureFlags};
use planish_ir::types::{Dim, ImageKind, ImageType};

use super::Machine;
use super::memory::combine;
use super::quad::Axis;
use crate::program::{Code, Inst, Operand};
use crate::stop::Stop;
use crate::texture::{Lod, Query, Sampling, Textures, fetch, gather, query_lod, sample};

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
            Op::TextureSample | Op::TextureSampleLod | Op::TextureSampleGrad | Op::TextureQueryLod => {
                self.sample(image, args, inst);
            }
            Op::TextureGather => self.gather(image, args, inst),
            Op::TextureFetch => self.fetch(image, args, inst),
            Op::TextureSize | Op::ImageSize => self.image_size(image, args, inst),
            Op::TextureQueryLevels => {
                for lane in self.cx.active.lanes() {
                    let levels = self.textures.image(self.read(args[0], 0, lane)).levels();
                    self.write_lane(inst, 0, lane, levels.into());
                }
            }
            Op::TextureQuerySamples | Op::ImageSamples => {
                for lane in self.cx.active.lanes() {
                    self.write_lane(inst, 0, lane, 1);
                }
            }
            Op::SubpassLoad => self.subpass(args, inst),
            _ => return self.storage_op(image, args, inst),
        }
        Ok(())
    }

    fn float(&self, operand: Operand, c: usize, lane: usize) -> f32 {
        f32::from_bits(self.read(operand, c, lane) as u32)
    }

    fn floats<const N: usize>(&self, operand: Operand, lane: usize) -> [f32; N] {
        std::array::from_fn(|c| if c < operand.size() { self.float(operand, c, lane) } else { 0.0 })
    }

    fn integers<const N: usize>(&self, operand: Operand, lane: usize) -> [i32; N] {
        std::array::from_fn(|c| if c < operand.size() { self.read(operand, c, lane) as u32 as i32 } else { 0 })
    }

    fn write_texel(&mut self, inst: &Inst, lane: usize, texel: [u32; 4]) {
        for (c, &bits) in texel.iter().enumerate().take(inst.out.1 as usize) {
            self.write_lane(inst, c, lane, bits.into());
        }
    }

    /// The query of one lane, without its level of detail.
    fn query(&self, image: ImageType, args: &[Operand], flags: TextureFlags, lane: usize) -> Query {
        let at = |flag| flags.operand(flag).map(|i| args[i]);
        let mut coordinate: [f32; 4] = self.floats(args[1], lane);
        let mut compare = at(TextureFlags::COMPARE).map(|o| self.float(o, 0, lane));
        if flags.has(TextureFlags::PROJ) {
            let divisor = coordinate[args[1].size() - 1];
            coordinate = coordinate.map(|c| c / divisor);
            compare = compare.map(|c| c / divisor);
        }
        Query {
            image,
            coordinate,
            compare,
            lod: Lod::Level(0.0),
            min_lod: at(TextureFlags::MIN_LOD).map_or(f32::NEG_INFINITY, |o| self.float(o, 0, lane)),
            offset: at(TextureFlags::OFFSET).map_or([0; 3], |o| self.integers(o, lane)),
        }
    }

    fn sample(&mut self, image: ImageType, args: &[Operand], inst: &Inst) {
        let flags = if inst.op == Op::TextureQueryLod { TextureFlags::NONE } else { inst.imm.as_texture() };
        let at = |flag| flags.operand(flag).map(|i| args[i]);
        let mut queries: Vec<Option<Query>> = vec![None; self.n];
        for lane in self.cx.active.lanes() {
            queries[lane] = Some(self.query(image, args, flags, lane));
        }
        let coordinates: Vec<[f32; 4]> =
            queries.iter().map(|q| q.as_ref().map_or([0.0; 4], |q| q.coordinate)).collect();
        for lane in self.cx.active.lanes() {
            let Some(mut query) = queries[lane] else { continue };
            query.lod = if let Some(level) = at(TextureFlags::LOD) {
                Lod::Level(self.float(level, 0, lane))
            } else if let Some(first) = flags.operand(TextureFlags::GRAD) {
                let (dx, dy) = (self.floats(args[first], lane), self.floats(args[first + 1], lane));
                Lod::Change { dx, dy, bias: 0.0 }
            } else if !self.implicit_levels {
                Lod::Level(at(TextureFlags::BIAS).map_or(0.0, |o| self.float(o, 0, lane)))
            } else {
                let change = |axis| match self.neighbours(lane, axis, false) {
                    Some((low, high)) => std::array::from_fn(|i| coordinates[high][i] - coordinates[low][i]),
                    None => [0.0; 3],
                };
                let bias = at(TextureFlags::BIAS).map_or(0.0, |o| self.float(o, 0, lane));
                Lod::Change { dx: change(Axis::X), dy: change(Axis::Y), bias }
            };
            let handle = self.read(args[0], 0, lane);
            let sampling = Sampling { texture: self.textures.image(handle), state: self.textures.sampler(handle) };
            let texel = if inst.op == Op::TextureQueryLod {
                let [clamped, computed] = query_lod(sampling, &query);
                [clamped.to_bits(), computed.to_bits(), 0, 0]
            } else {
                sample(sampling, &query)
            };
            self.write_texel(inst, lane, texel);
        }
    }

    fn gather(&mut self, image: ImageType, args: &[Operand], inst: &Inst) {
        let flags = inst.imm.as_texture();
        for lane in self.cx.active.lanes() {
            let query = self.query(image, args, flags, lane);
            let offsets = flags.operand(TextureFlags::OFFSETS).map(|i| {
                let all: [i32; 8] = self.integers(args[i], lane);
                std::array::from_fn(|i| [all[2 * i], all[2 * i + 1]])
            });
            let handle = self.read(args[0], 0, lane);
            let sampling = Sampling { texture: self.textures.image(handle), state: self.textures.sampler(handle) };
            let texel = gather(sampling, &query, flags.component().into(), offsets);
            self.write_texel(inst, lane, texel);
        }
    }

    fn fetch(&mut self, image: ImageType, args: &[Operand], inst: &Inst) {
        let flags = inst.imm.as_texture();
        let at = |flag| flags.operand(flag).map(|i| args[i]);
        for lane in self.cx.active.lanes() {
            let coordinate = self.integers(args[1], lane);
            let level = at(TextureFlags::LOD).map_or(0, |o| self.read(o, 0, lane) as u32 as i32);
            let offset = at(TextureFlags::OFFSET).map_or([0; 3], |o| self.integers(o, lane));
            let texture = self.textures.image(self.read(args[0], 0, lane));
            let texel = fetch(texture, image, coordinate, level, offset);
            self.write_texel(inst, lane, texel);
        }
    }

    fn image_size(&mut self, image: ImageType, args: &[Operand], inst: &Inst) {
        for lane in self.cx.active.lanes() {
            let handle = self.read(args[0], 0, lane);
            let size = match image.kind {
                ImageKind::Storage(_) => self.textures.storage.get(handle as usize).map_or([0; 3], |s| s.size),
                _ => {
                    let level = args.get(1).map_or(0, |&o| self.read(o, 0, lane) as u32);
                    self.textures.image(handle).size(level)
                }
            };
            let axes = match image.dim {
                Dim::D1 | Dim::Buffer => 1,
                Dim::D3 => 3,
                _ => 2,
            };
            for (c, &extent) in size.iter().enumerate().take(axes) {
                self.write_lane(inst, c, lane, extent.into());
            }
            if image.arrayed {
                let layers = if image.dim == Dim::Cube { size[2] / 6 } else { size[2] };
                self.write_lane(inst, axes, lane, layers.into());
            }
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
