//! Finds, for any op, operand types that it takes, by trying.

use planish_ir::arena::Id;
use planish_ir::custom::{CustomEffect, CustomOpData};
use planish_ir::decoration::Precision;
use planish_ir::entity::{Memory, Table, Type};
use planish_ir::module::{DataSegment, ElemItem, ElemSegment, Language, MemoryData, Module, TableData};
use planish_ir::ops::{GroupOperation, Imm, ImmKind, Lanes, MemArg, Op, Width, infer};
use planish_ir::types::{AddressSpace, Dim, ImageFormat, ImageKind, ImageType, Member, Scalar, StructType, TypeKind};

/// A module with one of everything that an immediate can name, and types to try.
pub(crate) struct Pool {
    pub(crate) module: Module,
    types: Vec<Type>,
}

fn image(kind: ImageKind, dim: Dim, sampled: Scalar) -> TypeKind {
    TypeKind::Image(ImageType { kind, dim, arrayed: false, multisampled: false, shadow: false, sampled })
}

impl Pool {
    /// The types are in the order in which they are tried.
    pub(crate) fn new() -> Pool {
        let mut module = Module::new(Language::Wasm);
        let funcref = module.types.intern(TypeKind::FuncRef);
        module.memories.push(MemoryData { min_pages: 1, max_pages: None, import: None, exports: vec!["m".into()] });
        module.tables.push(TableData { element: funcref, min: 1, max: Some(2), import: None, exports: vec![] });
        module.data.push(DataSegment { active: None, bytes: b"\0\xff\"\\ \n\xc3\xa4".to_vec().into() });
        module.elems.push(ElemSegment { element: funcref, active: None, items: vec![ElemItem::Null] });
        let member = |ty| Member { name: "m".into(), ty, precision: Precision::None, decorations: Default::default() };
        let data =
            StructType { name: "S".into(), members: vec![member(Type::F32), member(Type::VEC2)], is_block: false };
        let t = &mut module.types;
        let structure = t.intern(TypeKind::Struct(data.into()));
        let runtime = t.intern(TypeKind::RuntimeArray { element: Type::F32 });
        let array = t.array(Type::F32, 2);
        let mut types = vec![
            Type::F32,
            Type::I32,
            Type::U32,
            Type::BOOL,
            Type::VEC2,
            Type::VEC3,
            Type::VEC4,
            Type::IVEC2,
            Type::IVEC4,
            Type::UVEC2,
            Type::UVEC4,
            Type::MAT2,
            Type::YUV_CSC,
            structure,
            array,
            funcref,
        ];
        types.push(t.scalar(Scalar::F64));
        types.push(t.intern(TypeKind::V128));
        types.push(t.intern(TypeKind::Token));
        types.push(t.function(&[], &[Type::F32]));
        types.push(t.intern(image(ImageKind::Combined, Dim::D2, Scalar::F32)));
        types.push(t.intern(image(ImageKind::Texture, Dim::D2, Scalar::F32)));
        types.push(t.intern(image(ImageKind::Texture, Dim::Subpass, Scalar::F32)));
        types.push(t.intern(image(ImageKind::Storage(ImageFormat::R32i), Dim::D2, Scalar::I32)));
        types.push(t.intern(TypeKind::Sampler { comparison: false }));
        for pointee in [Type::F32, Type::I32, Type::VEC4, Type::MAT2, structure, array] {
            types.push(t.pointer(pointee, AddressSpace::Function));
        }
        types.push(t.pointer(Type::F32, AddressSpace::Input));
        types.push(t.pointer(runtime, AddressSpace::Storage));
        types.push(t.pointer(runtime, AddressSpace::Function));
        types.push(t.pointer(Type::ATOMIC_COUNTER, AddressSpace::Handle));
        types.push(t.scalar(Scalar::U64));
        Pool { module, types }
    }

    /// An immediate that names what is there.
    pub(crate) fn immediate(&mut self, op: Op) -> Imm {
        match op.info().imm {
            ImmKind::None | ImmKind::Texture | ImmKind::Conversion | ImmKind::Guard | ImmKind::Order => Imm::NONE,
            ImmKind::Index => Imm::index(1),
            ImmKind::Lanes => Lanes::new(&[1, 0]).into(),
            ImmKind::Shape | ImmKind::Lane => {
                Imm::lane(op.lane_shapes()[0], if op.info().imm == ImmKind::Lane { 1 } else { 0 })
            }
            ImmKind::MemArg => {
                MemArg { memory: Memory::new(0), offset: 12, width: Width::B16, signed: true, in_bounds: true }.into()
            }
            ImmKind::Pair => Imm::pair(0, 0),
            ImmKind::TableType => Imm::table_type(Table::new(0), self.module.types.function(&[], &[Type::F32])),
            ImmKind::Custom => {
                let ty = self.module.types.function(&[Type::F32], &[Type::F32]);
                let effect = CustomEffect::ALL.into_iter().find(|effect| effect.op() == op);
                let effect = effect.expect("each op has an effect");
                let row = CustomOpData { effect, ..CustomOpData::new(op.text()) };
                Imm::custom(self.module.add_custom_op(row), ty)
            }
            ImmKind::Group if op == Op::SubgroupBallotBitCount => GroupOperation::InclusiveScan.into(),
            ImmKind::Group => GroupOperation::ClusteredReduce(4).into(),
            ImmKind::Barrier => Imm(0b10101),
        }
    }

    /// Operand types and an explicit result type that the op takes.
    pub(crate) fn signature(&mut self, op: Op, imm: Imm) -> Option<(Vec<Type>, Option<Type>)> {
        let explicit: Vec<Option<Type>> =
            if op.info().rule.needs_type() { self.types.iter().copied().map(Some).collect() } else { vec![None] };
        for count in 0..=4u32 {
            for number in 0..self.types.len().pow(count) {
                let mut rest = number;
                let operands: Vec<Type> = (0..count)
                    .map(|_| {
                        let ty = self.types[rest % self.types.len()];
                        rest /= self.types.len();
                        ty
                    })
                    .collect();
                for &ty in &explicit {
                    if infer(&mut self.module.types, op, imm, &operands, ty).is_ok() {
                        return Some((operands, ty));
                    }
                }
            }
        }
        None
    }
}
