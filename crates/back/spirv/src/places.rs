//! Pointers, loads and stores. A pointer is a variable and a list of indices; the access chain is written where it is
//! used.
//!
//! Computed indices are clamped to the last element, as the IR defines. Memory that the host shares may differ from the
//! value in it: booleans are words, and arrays and structs have types of their own; loads and stores convert.

use planish_ir::diagnostic::Code;
use planish_ir::entity::{Type, Value, Var};
use planish_ir::layout::Rule;
use planish_ir::ops::Lanes;
use planish_ir::types::{Dim, ImageKind, ImageType, Scalar, TypeKind};
use smallvec::SmallVec;
use spirv::{Capability, Decoration, GlslStd450Op as Glsl, Op, StorageClass};

use crate::Version;
use crate::assemble::Id;
use crate::function::FunctionWriter;
use crate::globals::Global;
use crate::globals::LOOSE_UNIFORMS;
use crate::module::{Context, at};
use crate::types::{Lay, Res, Shared, fail};

/// A variable (or parameter) and the path into it.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    pub(crate) base: Id,
    pub(crate) class: StorageClass,
    pub(crate) indices: SmallVec<[Id; 4]>,
    /// Type of the value.
    pub(crate) ty: Type,
    /// Layout of the value.
    pub(crate) lay: Lay,
    /// The number of the member that the last index is, if it is one.
    last_member: Option<u32>,
}

impl Chain {
    /// The whole of a variable.
    pub(crate) fn new(base: Id, class: StorageClass, ty: Type, lay: Lay) -> Self {
        Chain { base, class, indices: SmallVec::new(), ty, lay, last_member: None }
    }

    /// The variable, if it is meant as a whole.
    pub(crate) fn whole(&self) -> Option<Id> {
        self.indices.is_empty().then_some(self.base)
    }
}

/// A constant or computed index, clamped.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Index {
    /// Known.
    Const(u32),
    /// A `u32`, or an `i32` that is not negative.
    Value(Id),
}

/// Root of the path to an image or sampler.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Root {
    /// A global variable.
    Var(Var),
    /// A parameter.
    Param(Id),
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Field(u32),
    Element(Index),
}

/// The path into an array of blocks, or into an opaque value, that does not lead to memory yet.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    root: Root,
    root_type: Type,
    steps: Vec<Step>,
    pub(crate) ty: Type,
}

/// A pointer.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// To memory, or to one opaque thing.
    Memory(Chain),
    /// To components of a vector, in this order; the second is the type of the value.
    Lanes(Chain, SmallVec<[u8; 4]>, Type),
    /// Not yet to memory.
    Path(Path),
}

impl FunctionWriter<'_, '_> {
    /// The place of a variable.
    pub(crate) fn var(&mut self, var: Var) -> Res<Place> {
        if let Some(&id) = self.locals.get(&var) {
            return Ok(Place::Memory(Chain::new(id, StorageClass::Function, self.cx.module.vars[var].ty, None)));
        }
        let data = &self.cx.module.vars[var];
        match self.cx.globals[at(var)].clone() {
            Some(Global::Memory { id, class, lay }) => Ok(Place::Memory(Chain::new(id, class, data.ty, lay))),
            Some(Global::Blocks { .. }) | Some(Global::Uniform { .. }) => {
                let path = Path { root: Root::Var(var), root_type: data.ty, steps: vec![], ty: data.ty };
                self.resolve(path)
            }
            None => {
                let id = self.declare_local(var)?;
                Ok(Place::Memory(Chain::new(id, StorageClass::Function, data.ty, None)))
            }
        }
    }

    /// The place of something opaque that is a parameter.
    pub(crate) fn opaque_param(&mut self, id: Id, ty: Type) -> Res<Place> {
        self.resolve(Path { root: Root::Param(id), root_type: ty, steps: vec![], ty })
    }

    // Access chains.

    /// Pointer to a member.
    pub(crate) fn access_field(&mut self, place: Place, index: u32) -> Res<Place> {
        match place {
            Place::Memory(chain) => Ok(Place::Memory(self.step_field(chain, index)?)),
            Place::Path(mut path) => {
                path.steps.push(Step::Field(index));
                path.ty = self.part_type(path.ty, index)?;
                self.resolve(path)
            }
            Place::Lanes(..) => fail(Code::E0699, self.span, "no member of this"),
        }
    }

    fn step_field(&mut self, mut chain: Chain, index: u32) -> Res<Chain> {
        if let Some(lay) = chain.lay {
            let layout = self.cx.layout(chain.ty, lay, self.span)?;
            chain.lay = Some(Shared { row_major: layout.members[index as usize].row_major, ..lay });
        }
        chain.ty = self.part_type(chain.ty, index)?;
        chain.indices.push(self.cx.u32(index));
        chain.last_member = Some(index);
        Ok(chain)
    }

    /// Pointer to an element, column or component.
    pub(crate) fn access_element(&mut self, place: Place, index: Value) -> Res<Place> {
        match place {
            Place::Memory(chain) => {
                let index = match self.cx.types.part_count(chain.ty) {
                    Some(len) => self.index(index, len)?,
                    // The host knows how many bindings there are.
                    None if chain.class == StorageClass::UniformConstant => match self.cx.const_bits(index) {
                        Some(bits) => Index::Const(bits[0] as u32),
                        None => Index::Value(self.word_of(index)?),
                    },
                    None => self.runtime_index(&chain, index)?,
                };
                self.step_element(chain, index).map(Place::Memory)
            }
            Place::Lanes(chain, lanes, ty) => {
                let len = lanes.len() as u32;
                match self.index(index, len)? {
                    Index::Const(i) => {
                        let scalar = self.component_type(ty);
                        Ok(Place::Lanes(chain, SmallVec::from_slice(&[lanes[i as usize]]), scalar))
                    }
                    Index::Value(i) => {
                        // The index goes through a table of the lanes.
                        let parts: Vec<Id> = lanes.iter().map(|&l| self.cx.u32(l.into())).collect();
                        let table = self.cx.types.vector(Scalar::U32, lanes.len() as u8);
                        let table_id = self.cx.number(table);
                        let table = self.cx.out.constant(Op::ConstantComposite, table_id, &parts);
                        let word = self.cx.scalar_type(Scalar::U32);
                        let lane = self.emit(Op::VectorExtractDynamic, word, &[table, i]);
                        self.step_element(chain, Index::Value(lane)).map(Place::Memory)
                    }
                }
            }
            Place::Path(mut path) => {
                let index = match (self.cx.types.part_count(path.ty), self.cx.const_bits(index)) {
                    (Some(len), _) => self.index(index, len)?,
                    // The host knows how many there are.
                    (None, Some(bits)) => Index::Const(bits[0] as u32),
                    (None, None) => Index::Value(self.word_of(index)?),
                };
                path.steps.push(Step::Element(index));
                path.ty = self.part_type(path.ty, 0)?;
                self.resolve(path)
            }
        }
    }

    fn step_element(&mut self, mut chain: Chain, index: Index) -> Res<Chain> {
        let by_columns = chain.lay.is_some_and(|lay| !lay.row_major) && matches!(index, Index::Const(_));
        if !by_columns && self.cx.split_matrix(chain.ty, chain.lay).is_some() {
            // A struct has no computed index, and a row is in all members.
            let value = self.load_chain(&chain)?;
            let variable = self.new_variable(chain.ty, None)?;
            let copy = Chain::new(variable, StorageClass::Function, chain.ty, None);
            self.store_chain(&copy, value)?;
            chain = copy;
        }
        chain.ty = self.part_type(chain.ty, 0)?;
        let index = self.index_id(index);
        chain.indices.push(index);
        chain.last_member = None;
        Ok(chain)
    }

    /// Pointer to components of a vector.
    pub(crate) fn access_lanes(&mut self, place: Place, lanes: Lanes, ty: Type) -> Res<Place> {
        match place {
            Place::Memory(chain) => Ok(Place::Lanes(chain, lanes.iter().collect(), ty)),
            Place::Lanes(chain, outer, _) => {
                let inner = lanes.iter().map(|l| outer[(l as usize).min(outer.len() - 1)]).collect();
                Ok(Place::Lanes(chain, inner, ty))
            }
            Place::Path(_) => fail(Code::E0699, self.span, "no component of this"),
        }
    }

    /// Pointer to a component of a vector at a constant index.
    pub(crate) fn access_component(&mut self, place: Place, index: u32) -> Res<Place> {
        match place {
            Place::Memory(chain) => self.step_element(chain, Index::Const(index)).map(Place::Memory),
            Place::Lanes(chain, lanes, _) => {
                let lane = lanes[(index as usize).min(lanes.len() - 1)];
                self.step_element(chain, Index::Const(lane.into())).map(Place::Memory)
            }
            Place::Path(_) => fail(Code::E0699, self.span, "no component of this"),
        }
    }

    fn part_type(&mut self, ty: Type, index: u32) -> Res<Type> {
        match self.cx.types.part(ty, index) {
            Some(part) => Ok(part),
            None => fail(Code::E0699, self.span, "no such part"),
        }
    }

    // Indices.

    /// An index operand, clamped to the last of `len`. It counts as unsigned.
    pub(crate) fn index(&mut self, value: Value, len: u32) -> Res<Index> {
        let last = len.saturating_sub(1);
        if let Some(bits) = self.cx.const_bits(value) {
            return Ok(Index::Const(bits[0].min(last.into()) as u32));
        }
        if self.is_own_vertex(value, len) {
            return self.id(value).map(Index::Value);
        }
        let last = self.cx.u32(last);
        self.clamped(value, last).map(Index::Value)
    }

    fn runtime_index(&mut self, chain: &Chain, value: Value) -> Res<Index> {
        let length = self.array_length(chain)?;
        let one = self.cx.u32(1);
        let word = self.cx.types.vector(Scalar::U32, 1);
        let last = self.op2(Op::ISub, word, length, one);
        self.clamped(value, last).map(Index::Value)
    }

    fn clamped(&mut self, value: Value, last: Id) -> Res<Id> {
        let id = self.word_of(value)?;
        let clamped = self.glsl(Glsl::UMin, Type::U32, &[id, last]);
        self.follows(clamped, &[id]);
        Ok(clamped)
    }

    /// An index as a `u32`.
    fn word_of(&mut self, value: Value) -> Res<Id> {
        let id = self.id(value)?;
        let word = self.word_from(id, self.type_of(value));
        self.follows(word, &[id]);
        Ok(word)
    }

    /// Marks an index, or what it leads to, as one that differs among invocations.
    pub(crate) fn mark_non_uniform(&mut self, id: Id) {
        if self.non_uniform.insert(id) {
            self.cx.out.need(Capability::ShaderNonUniform);
            self.cx.need_descriptor_indexing();
            self.cx.out.decorate(id, Decoration::NonUniform, &[]);
        }
    }

    /// Marks what is made of something marked.
    pub(crate) fn follows(&mut self, id: Id, sources: &[Id]) {
        if id != 0 && !self.non_uniform.is_empty() && sources.iter().any(|source| self.non_uniform.contains(source)) {
            self.mark_non_uniform(id);
        }
    }

    /// An integer as a `u32`; values that do not fit become the greatest one.
    pub(crate) fn word_from(&mut self, id: Id, ty: Type) -> Id {
        match self.shape(ty).0 {
            Scalar::U32 => id,
            Scalar::I32 => self.op1(Op::Bitcast, Type::U32, id),
            scalar => {
                let wide = self.cx.types.scalar(Scalar::U64);
                let id = if scalar == Scalar::U64 { id } else { self.op1(Op::Bitcast, wide, id) };
                let most = self.cx.splat(wide, u32::MAX.into());
                let fits = self.op2(Op::ULessThanEqual, Type::BOOL, id, most);
                let low = self.op1(Op::UConvert, Type::U32, id);
                let last = self.cx.u32(u32::MAX);
                self.op3(Op::Select, Type::U32, fits, low, last)
            }
        }
    }

    /// An index as an id.
    pub(crate) fn index_id(&mut self, index: Index) -> Id {
        match index {
            Index::Const(n) => self.cx.u32(n),
            Index::Value(id) => id,
        }
    }

    /// The length of the runtime-sized array that a pointer points to, as a `u32`.
    pub(crate) fn array_length(&mut self, chain: &Chain) -> Res<Id> {
        let (Some(member), true) = (chain.last_member, chain.class == StorageClass::StorageBuffer) else {
            return fail(Code::E0604, self.span, "this array has no length at run time");
        };
        let mut block = chain.clone();
        block.indices.pop();
        let pointer = match block.whole() {
            Some(id) => id,
            None => {
                let Some(parent) = self.block_type(chain) else {
                    return fail(Code::E0604, self.span, "this array has no length at run time");
                };
                let ty = self.cx.pointer_type(block.class, parent, block.lay, self.span)?;
                self.write_chain(&block, ty)
            }
        };
        let word = self.cx.scalar_type(Scalar::U32);
        Ok(self.emit(Op::ArrayLength, word, &[pointer, member]))
    }

    /// The type of the block that a chain leads into, for elements of arrays of blocks.
    fn block_type(&self, chain: &Chain) -> Option<Type> {
        let is_base = |g: &Option<Global>| matches!(g, Some(Global::Blocks { id, .. }) if *id == chain.base);
        let number = self.cx.globals.iter().position(is_base)?;
        let mut ty = self.cx.module.vars[planish_ir::arena::Id::new(number)].ty;
        while let TypeKind::Array { element, .. } | TypeKind::RuntimeArray { element } = self.cx.types[ty] {
            ty = element;
        }
        Some(ty)
    }

    // Paths that do not lead to memory yet.

    /// The memory (or the one opaque thing) that a path leads to, if it is there.
    fn resolve(&mut self, path: Path) -> Res<Place> {
        let opaque = matches!(self.cx.types[path.ty], TypeKind::Image(_) | TypeKind::Sampler { .. });
        let elements: Vec<Index> =
            path.steps.iter().filter_map(|s| if let Step::Element(i) = s { Some(*i) } else { None }).collect();
        match path.root {
            Root::Param(_) if !opaque => Ok(Place::Path(path)),
            Root::Param(id) => {
                let lengths = self.lengths(path.root_type);
                self.opaque_chain(id, &lengths, &elements, path.ty)
            }
            Root::Var(var) => match self.cx.globals[at(var)].clone() {
                Some(Global::Blocks { id, class, lay }) => {
                    if matches!(self.cx.types[path.ty], TypeKind::Array { .. } | TypeKind::RuntimeArray { .. }) {
                        return Ok(Place::Path(path));
                    }
                    let lengths = self.lengths(path.root_type);
                    let index = self.flattened(&lengths, &elements);
                    if let Index::Value(_) = index {
                        self.cx.out.need(match class {
                            StorageClass::Uniform => Capability::UniformBufferArrayDynamicIndexing,
                            _ => Capability::StorageBufferArrayDynamicIndexing,
                        });
                    }
                    self.needs_non_uniform(index, |_| match class {
                        StorageClass::Uniform => Capability::UniformBufferArrayNonUniformIndexing,
                        _ => Capability::StorageBufferArrayNonUniformIndexing,
                    });
                    let mut chain = Chain::new(id, class, path.ty, lay);
                    chain.indices.push(self.index_id(index));
                    Ok(Place::Memory(chain))
                }
                _ if opaque => {
                    let fields = path
                        .steps
                        .iter()
                        .filter_map(|s| if let Step::Field(i) = s { Some(*i) } else { None })
                        .collect();
                    let Some(leaf) = self.cx.leaves.get(&(var, fields)).cloned() else {
                        return fail(Code::E0699, self.span, "a texture without a binding");
                    };
                    self.opaque_chain(leaf.id, &leaf.lengths, &elements, leaf.ty)
                }
                Some(Global::Uniform { member: Some((id, member)) }) if !self.cx.types.is_opaque(path.ty) => {
                    self.uniform_chain(id, member, &path)
                }
                _ => Ok(Place::Path(path)),
            },
        }
    }

    /// Notes the capability of an index that differs among invocations.
    fn needs_non_uniform(&mut self, index: Index, capability: impl Fn(&Context<'_>) -> Capability) {
        if matches!(index, Index::Value(id) if self.non_uniform.contains(&id)) {
            let capability = capability(self.cx);
            self.cx.out.need(capability);
        }
    }

    fn lengths(&self, mut ty: Type) -> Vec<u32> {
        let mut lengths = vec![];
        loop {
            let (element, len) = match self.cx.types[ty] {
                TypeKind::Array { element, len } => (element, len),
                // The outermost one: no index is counted in its elements.
                TypeKind::RuntimeArray { element } => (element, 0),
                _ => return lengths,
            };
            lengths.push(len);
            ty = element;
        }
    }

    /// The number of an element of an array of arrays, counted through.
    fn flattened(&mut self, lengths: &[u32], indices: &[Index]) -> Index {
        let mut sum = Index::Const(0);
        for (&len, &index) in lengths.iter().zip(indices) {
            sum = match (sum, index) {
                (Index::Const(a), Index::Const(b)) => Index::Const(a.saturating_mul(len).saturating_add(b)),
                (Index::Const(0), value) => value,
                (a, b) => {
                    let (a, b, len) = (self.index_id(a), self.index_id(b), self.cx.u32(len));
                    let scaled = self.op2(Op::IMul, Type::U32, a, len);
                    let sum = self.op2(Op::IAdd, Type::U32, scaled, b);
                    self.follows(sum, &[a, b]);
                    Index::Value(sum)
                }
            };
        }
        sum
    }

    fn opaque_chain(&mut self, id: Id, lengths: &[u32], indices: &[Index], ty: Type) -> Res<Place> {
        let mut chain = Chain::new(id, StorageClass::UniformConstant, ty, None);
        if !lengths.is_empty() {
            let index = self.flattened(lengths, indices);
            if let Index::Value(_) = index {
                let storage = self.cx.types.as_image(ty).is_some_and(|i| matches!(i.kind, ImageKind::Storage(_)));
                self.cx.out.need(if storage {
                    Capability::StorageImageArrayDynamicIndexing
                } else {
                    Capability::SampledImageArrayDynamicIndexing
                });
            }
            self.needs_non_uniform(index, |cx| match cx.types.as_image(ty) {
                Some(image) if image.dim == Dim::Subpass => Capability::InputAttachmentArrayNonUniformIndexing,
                Some(ImageType { kind: ImageKind::Storage(_), dim: Dim::Buffer, .. }) => {
                    Capability::StorageTexelBufferArrayNonUniformIndexing
                }
                Some(image) if image.dim == Dim::Buffer => Capability::UniformTexelBufferArrayNonUniformIndexing,
                Some(ImageType { kind: ImageKind::Storage(_), .. }) => Capability::StorageImageArrayNonUniformIndexing,
                _ => Capability::SampledImageArrayNonUniformIndexing,
            });
            chain.indices.push(self.index_id(index));
        }
        Ok(Place::Memory(chain))
    }

    /// The path into the gathered uniforms, whose structs lack their opaque members.
    fn uniform_chain(&mut self, id: Id, member: u32, path: &Path) -> Res<Place> {
        let Some(block) = self.cx.plan.uniforms.as_ref().map(|u| u.ty) else {
            return fail(Code::E0699, self.span, "no gathered uniforms");
        };
        let lay = Some(LOOSE_UNIFORMS);
        let mut chain = self.step_field(Chain::new(id, StorageClass::Uniform, block, lay), member)?;
        let mut full = path.root_type;
        for &step in &path.steps {
            match step {
                Step::Element(index) => {
                    chain = self.step_element(chain, index)?;
                    full = self.part_type(full, 0)?;
                }
                Step::Field(index) => {
                    let Some(s) = self.cx.types.as_struct(full).cloned() else {
                        return fail(Code::E0699, self.span, "no member of this");
                    };
                    let kept = |t: Type| !planish_interface::is_all_opaque(&self.cx.types, t);
                    let before = s.members[..index as usize].iter().filter(|m| kept(m.ty)).count() as u32;
                    chain = self.step_field(chain, before)?;
                    full = s.members[index as usize].ty;
                }
            }
        }
        Ok(Place::Memory(chain))
    }

    // Loads and stores.

    /// The pointer as an id.
    pub(crate) fn pointer(&mut self, chain: &Chain) -> Res<Id> {
        if let Some(id) = chain.whole() {
            return Ok(id);
        }
        let ty = self.cx.pointer_type(chain.class, chain.ty, chain.lay, self.span)?;
        let key = (Op::AccessChain, ty, chain.base, chain.indices.clone());
        if let Some(&id) = self.at_hand.get(&key) {
            return Ok(id);
        }
        let id = self.write_chain(chain, ty);
        self.at_hand.insert(key, id);
        Ok(id)
    }

    fn write_chain(&mut self, chain: &Chain, ty: Id) -> Id {
        let mut operands: SmallVec<[Id; 8]> = SmallVec::new();
        operands.push(chain.base);
        operands.extend_from_slice(&chain.indices);
        let pointer = self.emit(Op::AccessChain, ty, &operands);
        self.follows(pointer, &operands);
        pointer
    }

    /// The value in memory.
    pub(crate) fn load(&mut self, place: &Place) -> Res<Id> {
        match place {
            Place::Memory(chain) => self.load_chain(chain),
            Place::Lanes(chain, lanes, ty) => {
                if let [lane] = lanes[..] {
                    let part = self.step_element(chain.clone(), Index::Const(lane.into()))?;
                    return self.load_chain(&part);
                }
                let whole = self.load_chain(chain)?;
                let ty = self.cx.number(*ty);
                let mut operands: SmallVec<[Id; 6]> = SmallVec::from_slice(&[whole, whole]);
                operands.extend(lanes.iter().map(|&l| u32::from(l)));
                Ok(self.emit(Op::VectorShuffle, ty, &operands))
            }
            Place::Path(_) => fail(Code::E0604, self.span, "this cannot be loaded as a whole"),
        }
    }

    pub(crate) fn load_chain(&mut self, chain: &Chain) -> Res<Id> {
        let pointer = self.pointer(chain)?;
        let ty = self.cx.type_id(chain.ty, chain.lay, self.span)?;
        let mut operands: SmallVec<[Id; 4]> = SmallVec::from_slice(&[pointer]);
        operands.extend(self.access_operands(chain, false));
        let value = self.emit(Op::Load, ty, &operands);
        if self.cx.has_spirv_type(chain.ty) {
            self.follows(value, &[pointer]);
        }
        self.convert_memory(value, chain.ty, chain.lay, true)
    }

    /// Puts a value into memory.
    pub(crate) fn store(&mut self, place: &Place, value: Id) -> Res<()> {
        match place {
            Place::Memory(chain) => self.store_chain(chain, value),
            Place::Lanes(chain, lanes, ty) => self.store_lanes(chain, lanes, *ty, value),
            Place::Path(_) => fail(Code::E0604, self.span, "this cannot be stored as a whole"),
        }
    }

    /// Stores the given components only: other invocations may write the others at the same time.
    fn store_lanes(&mut self, chain: &Chain, lanes: &[u8], ty: Type, value: Id) -> Res<()> {
        let shared = matches!(chain.class, StorageClass::StorageBuffer | StorageClass::Workgroup);
        let size = self.shape(chain.ty).1;
        if shared || lanes.len() == 1 {
            let component = self.component_type(chain.ty);
            for (i, &lane) in lanes.iter().enumerate() {
                let part = if lanes.len() == 1 { value } else { self.part(value, component, i as u32) };
                let place = self.step_element(chain.clone(), Index::Const(lane.into()))?;
                self.store_chain(&place, part)?;
            }
            return Ok(());
        }
        let _ = ty;
        let old = self.load_chain(chain)?;
        let mut operands: SmallVec<[Id; 6]> = SmallVec::from_slice(&[old, value]);
        for lane in 0..size {
            let from = lanes.iter().rposition(|&l| l == lane);
            operands.push(from.map_or(lane.into(), |i| u32::from(size) + i as u32));
        }
        let ty = self.cx.number(chain.ty);
        let new = self.emit(Op::VectorShuffle, ty, &operands);
        self.store_chain(chain, new)
    }

    pub(crate) fn store_chain(&mut self, chain: &Chain, value: Id) -> Res<()> {
        let pointer = self.pointer(chain)?;
        let value = self.convert_memory(value, chain.ty, chain.lay, false)?;
        let mut operands: SmallVec<[Id; 4]> = SmallVec::from_slice(&[pointer, value]);
        operands.extend(self.access_operands(chain, true));
        self.emit_void(Op::Store, &operands);
        Ok(())
    }

    /// Converts a value to its form in memory that the host shares, or back if `load`. Recurses as deep as types are
    /// nested.
    fn convert_memory(&mut self, id: Id, ty: Type, lay: Lay, load: bool) -> Res<Id> {
        if lay.is_none() || self.cx.same_in_memory(ty, lay) {
            return Ok(id);
        }
        let kind = self.cx.types[ty].clone();
        match kind {
            TypeKind::Scalar(Scalar::Bool) | TypeKind::Vector(Scalar::Bool, _) => {
                let words = self.cx.types.with_scalar(ty, Scalar::U32);
                let (zero, one) = (self.cx.splat(words, 0), self.cx.splat(words, 1));
                Ok(if load {
                    self.op2(Op::INotEqual, ty, id, zero)
                } else {
                    self.op3(Op::Select, words, id, one, zero)
                })
            }
            TypeKind::Array { .. } | TypeKind::Struct(_) => self.convert_aggregate(id, ty, lay, load),
            TypeKind::Matrix { .. } if load => self.join_matrix(id, ty, lay),
            _ => fail(Code::E0604, self.span, "this cannot be loaded or stored as a whole"),
        }
    }

    fn convert_aggregate(&mut self, id: Id, ty: Type, lay: Lay, load: bool) -> Res<Id> {
        let (value, memory) = (self.cx.value_type(ty, self.span)?, self.cx.type_id(ty, lay, self.span)?);
        let (from, to) = if load { (memory, value) } else { (value, memory) };
        if from == to {
            return Ok(id);
        }
        // Structs and arrays that differ in their decorations only.
        let is_other = |k: &TypeKind| match k {
            TypeKind::Scalar(s) | TypeKind::Vector(s, _) => *s == Scalar::Bool,
            TypeKind::Matrix { .. } => lay.is_some_and(|lay| lay.uniform && lay.rule == Rule::Std430),
            _ => false,
        };
        if self.cx.since(Version::V1_4) && !self.cx.types.contains(ty, &mut |k| is_other(k)) {
            return Ok(self.emit(Op::CopyLogical, to, &[id]));
        }
        let count = self.cx.types.part_count(ty).unwrap_or(0);
        crate::composites::check_length(count, self.span)?;
        let mut parts = Vec::with_capacity(count as usize);
        for i in 0..count {
            let part = self.part_type(ty, i)?;
            let part_lay = match (lay, &self.cx.types[ty]) {
                (Some(lay), TypeKind::Struct(_)) => {
                    let layout = self.cx.layout(ty, lay, self.span)?;
                    Some(Shared { row_major: layout.members[i as usize].row_major, ..lay })
                }
                (lay, _) => lay,
            };
            let part_type = self.cx.type_id(part, if load { part_lay } else { None }, self.span)?;
            let taken = self.emit(Op::CompositeExtract, part_type, &[id, i]);
            parts.push(self.convert_memory(taken, part, part_lay, load)?);
        }
        Ok(self.emit(Op::CompositeConstruct, to, &parts))
    }

    /// A matrix from the struct that it is in memory.
    fn join_matrix(&mut self, id: Id, ty: Type, lay: Lay) -> Res<Id> {
        let (Some(shared), Some((count, part))) = (lay, self.cx.split_matrix(ty, lay)) else { return Ok(id) };
        let part = self.cx.number(part);
        let parts: Vec<Id> = (0..count).map(|i| self.emit(Op::CompositeExtract, part, &[id, i])).collect();
        let value = self.cx.number(ty);
        if !shared.row_major {
            return Ok(self.emit(Op::CompositeConstruct, value, &parts));
        }
        let TypeKind::Matrix { scalar, columns, rows } = self.cx.types[ty] else { return Ok(id) };
        let turned = self.cx.types.matrix(scalar, rows, columns);
        let turned = self.cx.number(turned);
        let rows = self.emit(Op::CompositeConstruct, turned, &parts);
        Ok(self.emit(Op::Transpose, value, &[rows]))
    }
}

impl Context<'_> {
    /// Whether a value is the same in memory that the host shares.
    fn same_in_memory(&mut self, ty: Type, lay: Lay) -> bool {
        match &self.types[ty] {
            TypeKind::Scalar(s) | TypeKind::Vector(s, _) => *s != Scalar::Bool,
            TypeKind::Matrix { .. } => self.split_matrix(ty, lay).is_none(),
            _ => false,
        }
    }
}

impl FunctionWriter<'_, '_> {
    /// A whole array of textures, samplers or images, as an argument.
    pub(crate) fn whole_array(&mut self, path: &Path) -> Res<Id> {
        let elements = path.steps.iter().any(|s| matches!(s, Step::Element(_)));
        let fields = path.steps.iter().filter_map(|s| if let Step::Field(i) = s { Some(*i) } else { None }).collect();
        let found = match path.root {
            Root::Param(id) => Some((id, self.lengths(path.root_type).len())),
            Root::Var(var) => self.cx.leaves.get(&(var, fields)).map(|leaf| (leaf.id, leaf.lengths.len())),
        };
        match found {
            Some((id, dimensions)) if !elements && dimensions == self.lengths(path.ty).len() => Ok(id),
            _ => fail(Code::E0605, self.span, "SPIR-V cannot pass this part of an array of samplers to a function"),
        }
    }
}
