//! Interface blocks: `uniform Name { … } instance;`

use std::sync::Arc;

use planish_ir::decoration::{BlockLayout, Decoration, Decorations, Name as IrName, NameSource};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Type, Var};
use planish_ir::layout::{self, Layouts};
use planish_ir::module::Stage;
use planish_ir::source::Span;
use planish_ir::types::{AddressSpace, Member as IrMember, StructType, TypeKind};

use super::arrays::OPEN_ARRAYS;
use super::layouts::{self, Key};
use super::meshes::{self, Output};
use super::names::{Access, Entity};
use super::qualifiers::{Qualifiers, Storage};
use super::{Checked, Checker, Reported};
use crate::ast::*;
use crate::symbol::Symbol;

/// Properties shared by the members of a block.
struct Shared {
    storage: Storage,
    space: AddressSpace,
    row_major: bool,
    /// The storage class of what only SPIR-V has.
    class: Option<u32>,
}

/// A member's name and whether it may be written.
type MemberNames = Vec<(Name, Access)>;

impl Checker<'_, '_> {
    /// A block in the module's own scope.
    pub(super) fn interface_block(&mut self, id: BlockId) {
        let block = self.ast[id];
        let q = self.qualifiers(block.qualifiers);
        if self.text(block.name.symbol) == "gl_PerVertex" {
            let is_input = q.storage_kind() == Some(Storage::In);
            if let Some(instance) = block.instance {
                return self.vertex_block_again(&block, instance, is_input);
            }
            if is_input {
                self.error(
                    Diagnostic::error(Code::E0408, block.name.span, "inputs of vertices are an array")
                        .help("write `in gl_PerVertex { … } gl_in[];`"),
                );
                return;
            }
            if self.note_vertex_block(&block, false, false).is_err() {
                return;
            }
            return self.per_vertex_block(&block);
        }
        if let Some(output) = Output::of_block(self.text(block.name.symbol)) {
            return self.mesh_block_again(&block, output);
        }
        if q.layout.find(Key::BufferReference).is_some() {
            if self.reference_block(&block, &q).is_err() {
                self.poison_block(&block);
            }
            return;
        }
        if self.declare_block(&block, &q).is_err() {
            self.poison_block(&block);
        }
    }

    /// Suppresses errors about uses of the names that an invalid block would have declared.
    pub(super) fn poison_block(&mut self, block: &InterfaceBlock) {
        let ast = self.ast;
        let members = ast[block.members].iter().flat_map(|m| &ast[m.declarators]).map(|d| d.name);
        let names: Vec<Name> = match block.instance {
            Some(instance) => vec![instance],
            None => members.collect(),
        };
        for name in names {
            if self.scopes.lookup_here(name.symbol).is_none() {
                self.scopes.insert(name.symbol, Entity::Error, name.span, false);
            }
        }
    }

    fn declare_block(&mut self, block: &InterfaceBlock, q: &Qualifiers) -> Checked<()> {
        let (storage, at) = match q.storage {
            Some(storage) => storage,
            None => {
                return Err(self.error(
                    Diagnostic::error(
                        Code::E0409,
                        block.name.span,
                        "a block without `uniform`, `buffer`, `in` or `out`",
                    )
                    .help("write `uniform` before the name"),
                ));
            }
        };
        self.check_block_storage(storage, at)?;
        self.check_shader_record(block.name, q)?;
        let push_constant = q.layout.find(Key::PushConstant).is_some();
        let class = self.device_class(storage, q);
        let space = match storage {
            Storage::Passed(_) => AddressSpace::Spirv,
            _ if class.is_some() => AddressSpace::Spirv,
            Storage::Uniform if push_constant => AddressSpace::PushConstant,
            Storage::Uniform => AddressSpace::Uniform,
            Storage::Buffer => AddressSpace::Storage,
            _ if self.is_input(storage) => AddressSpace::Input,
            _ => AddressSpace::Output,
        };
        let (layout, row_major) = self.block_layout(&q.layout, storage);
        let shared = Shared { storage, space, row_major, class };
        let (mut members, names) = self.block_members(block, q, &shared)?;
        let mut decorations = match storage {
            Storage::Passed(_) => Decorations::new(),
            _ => self.block_decorations(q, storage),
        };
        let in_memory = matches!(storage, Storage::Uniform | Storage::Buffer);
        if in_memory {
            decorations.add(Decoration::BlockLayout(layout));
            self.check_offsets(&members, &names, layout, row_major)?;
            self.check_shared_layout(block, q)?;
        } else if space == AddressSpace::Spirv {
            meshes::member_decorations(&mut members, q);
        }
        let name = self.block_name(block.name, storage)?;
        let data = StructType { name, members, is_block: true };
        if !in_memory {
            self.take_locations(&data, &decorations, self.is_input(storage), block.name.span);
        }
        let ty = self.b.module.types.intern(TypeKind::Struct(Arc::new(data)));
        self.block_variable(block, q, ty, decorations, names, &shared)
    }

    /// Reports offsets of members that are within other members, or not aligned (GLSL 4.60.8, section 4.4.5).
    fn check_offsets(
        &mut self,
        members: &[IrMember],
        names: &MemberNames,
        layout: BlockLayout,
        row_major: bool,
    ) -> Checked<()> {
        let mut layouts = Layouts::new(layout.into());
        let mut next = 0u32;
        for (member, (name, _)) in members.iter().zip(names) {
            let is_row_major = layout::is_row_major(&member.decorations, row_major);
            let ty = self.ir_type(member.ty);
            let Ok(of) = layouts.get(&self.b.module.types, ty, is_row_major) else { return Ok(()) };
            let align = member.decorations.find(|d| if let Decoration::Align(n) = d { Some(n) } else { None });
            let offset = member.decorations.find(|d| if let Decoration::Offset(n) = d { Some(n) } else { None });
            if let Some(offset) = offset {
                let (text, span) = (self.text(name.symbol), name.span);
                if offset % of.align != 0 {
                    return Err(self.fail(
                        Code::E0404,
                        span,
                        format!("the offset of `{text}` is a multiple of {}", of.align),
                    ));
                }
                if offset < next {
                    return Err(self.error(
                        Diagnostic::error(
                            Code::E0404,
                            span,
                            format!("`{text}` at byte {offset} is within another member"),
                        )
                        .note(format!("the member before it ends at byte {next}")),
                    ));
                }
            }
            let align = of.align.max(align.unwrap_or(1));
            next = offset.unwrap_or(next).checked_next_multiple_of(align).unwrap_or(u32::MAX).saturating_add(of.size);
        }
        Ok(())
    }

    /// Reports offsets and alignments in a block whose layout is left to the compiler.
    fn check_shared_layout(&mut self, block: &InterfaceBlock, q: &Qualifiers) -> Checked<()> {
        let is_free = |key: &Key| matches!(key, Key::Memory(BlockLayout::Shared | BlockLayout::Packed));
        if !q.layout.items.iter().any(|(key, ..)| is_free(key)) {
            return Ok(());
        }
        let ast = self.ast;
        let lists = ast[block.members].iter().flat_map(|member| &ast[member.qualifiers]).chain(&ast[block.qualifiers]);
        let items = lists.filter_map(|q| if let QualifierKind::Layout(items) = q.kind { Some(items) } else { None });
        let placed =
            items.flat_map(|items| &ast[items]).find(|item| matches!(self.text(item.name.symbol), "offset" | "align"));
        let Some(item) = placed else { return Ok(()) };
        Err(self.error(
            Diagnostic::error(
                Code::E0404,
                item.span,
                "a block that is `shared` or `packed` has no offsets and alignments of its own",
            )
            .help("write `std140` or `std430`"),
        ))
    }

    /// The variable of a block.
    fn block_variable(
        &mut self,
        block: &InterfaceBlock,
        q: &Qualifiers,
        ty: Type,
        decorations: Decorations,
        names: MemberNames,
        shared: &Shared,
    ) -> Checked<()> {
        let var_ty = self.with_dims(ty, block.dims)?;
        let is_uniform = matches!(shared.space, AddressSpace::Uniform | AddressSpace::PushConstant);
        if self.is_unsized(var_ty) && is_uniform && !self.has_extension(OPEN_ARRAYS) {
            self.check_sized(var_ty, block.instance.map_or(block.name.span, |name| name.span))?;
        }
        let var_ty = self.of_each_vertex(var_ty, q, block.instance.map_or(block.name.span, |n| n.span))?;
        let text = block.instance.map_or("", |n| self.text(n.symbol));
        let name = IrName::new(text, NameSource::Interface);
        let span = block.name.span;
        let var = match (shared.storage, shared.class) {
            (Storage::Passed(passed), _) => {
                self.check_sized(var_ty, span)?;
                self.add_passed(name, var_ty, q, passed, span)
            }
            (Storage::Buffer, Some(class)) => self.spirv_variable(name, var_ty, class, decorations, span),
            (_, Some(class)) => {
                let decorations = self.device_decorations(&decorations, q, class, span)?;
                self.spirv_variable(name, var_ty, class, meshes::without_members(decorations), span)
            }
            (_, None) => {
                let ir_type = self.ir_type(var_ty);
                let var = self.b.module.add_var(name, ir_type, shared.space);
                let data = &mut self.b.module.vars[var];
                data.decorations = decorations;
                data.span = span;
                var
            }
        };
        self.declare_block_names(block, var, var_ty, ty, names, shared);
        Ok(())
    }

    fn check_block_storage(&mut self, storage: Storage, span: Span) -> Checked<()> {
        let version = self.version;
        let (es, desktop, extension) = match storage {
            Storage::Uniform => (300, 140, "GL_ARB_uniform_buffer_object"),
            Storage::Buffer => (310, 430, "GL_ARB_shader_storage_buffer_object"),
            Storage::In | Storage::Out => (320, 150, "GL_EXT_shader_io_blocks"),
            Storage::Passed(passed) => return self.check_passed(passed, span),
            _ => {
                let word = storage.keyword();
                return Err(self.fail(Code::E0409, span, format!("a block cannot be `{word}`")));
            }
        };
        let word = storage.keyword();
        let io = matches!(storage, Storage::In | Storage::Out);
        let extended = self.has_extension(extension) || (io && self.has_extension("GL_OES_shader_io_blocks"));
        if version.is_es_100() {
            // The parser has reported it.
            return Err(Reported);
        }
        if !version.at_least(es, desktop) && !extended {
            let needed = if self.is_es() {
                format!("GLSL ES {}.{:02}", es / 100, es % 100)
            } else {
                format!("GLSL {}.{:02}", desktop / 100, desktop % 100)
            };
            return Err(self.error(
                Diagnostic::error(Code::E0409, span, format!("{version} has no `{word}` blocks"))
                    .note(format!("they need {needed}")),
            ));
        }
        let stage = self.stage();
        if (storage == Storage::In && stage == Stage::Vertex) || (storage == Storage::Out && stage == Stage::Fragment) {
            let what = if storage == Storage::In {
                "the inputs of a vertex shader"
            } else {
                "the outputs of a fragment shader"
            };
            return Err(self.fail(Code::E0409, span, format!("{what} cannot be in a block")));
        }
        self.check_storage(storage, span)
    }

    fn block_decorations(&mut self, q: &Qualifiers, storage: Storage) -> Decorations {
        let (places, what) = match storage {
            Storage::Uniform => (layouts::UNIFORM_BLOCK, "a uniform block"),
            Storage::Buffer => (layouts::BUFFER_BLOCK, "a buffer block"),
            _ => (layouts::INPUT | layouts::OUTPUT, "a block of inputs or outputs"),
        };
        let layout = self.layout_decorations(&q.layout, places, what);
        q.decorations()
            .iter()
            .chain(layout.iter())
            // Those are the members' own.
            .filter(|d| !matches!(d, Decoration::Align(_) | Decoration::Offset(_)))
            .filter(|d| !matches!(d, Decoration::XfbBuffer(_) | Decoration::XfbOffset(_)))
            .collect()
    }

    /// Names of blocks are in a space of their own, one for each storage, and no two of them may be equal (GLSL ES
    /// 3.20.8 and GLSL 4.60.8, section 4.3.9).
    fn block_name(&mut self, name: Name, storage: Storage) -> Checked<Arc<str>> {
        let text = self.text(name.symbol);
        if text.starts_with("gl_") {
            return Err(self.error(
                Diagnostic::error(Code::E0412, name.span, format!("`{text}` begins with `gl_`"))
                    .note("names that begin with `gl_` are reserved for GLSL itself"),
            ));
        }
        let same = |(other, s, _): &&(Symbol, Storage, Span)| *other == name.symbol && *s == storage;
        if let Some(&(.., earlier)) = self.program_facts.blocks.iter().find(same) {
            return Err(self.error(
                Diagnostic::error(Code::E0304, name.span, format!("the block `{text}` is declared twice"))
                    .label("declared again here")
                    .also(earlier, "declared first here"),
            ));
        }
        self.program_facts.blocks.push((name.symbol, storage, name.span));
        self.declare_name(name, Entity::Block, false);
        if self.struct_names.contains(text) {
            // A struct may have the name; the IR keeps them apart.
            return Ok(self.unique_struct_name(text));
        }
        self.struct_names.insert(text.into());
        Ok(text.into())
    }

    /// The buffer with the members of a block that references lead to, if the block has the name of an instance.
    pub(super) fn bound_block(&mut self, block: &InterfaceBlock, q: &Qualifiers, ty: Type) -> Checked<()> {
        let mut decorations = self.block_decorations(q, Storage::Buffer);
        if block.instance.is_none() {
            return Ok(());
        }
        let (layout, row_major) = self.block_layout(&q.layout, Storage::Buffer);
        decorations.add(Decoration::BlockLayout(layout));
        let shared = Shared { storage: Storage::Buffer, space: AddressSpace::Storage, row_major, class: None };
        self.block_variable(block, q, ty, decorations, vec![], &shared)
    }

    /// The members of a block that references lead to.
    pub(super) fn members_at_address(&mut self, block: &InterfaceBlock, q: &Qualifiers) -> Checked<Vec<IrMember>> {
        let (_, row_major) = self.block_layout(&q.layout, Storage::Buffer);
        let shared = Shared { storage: Storage::Buffer, space: AddressSpace::Storage, row_major, class: None };
        self.block_members(block, q, &shared).map(|(members, _)| members)
    }

    fn block_members(
        &mut self,
        block: &InterfaceBlock,
        q: &Qualifiers,
        shared: &Shared,
    ) -> Checked<(Vec<IrMember>, MemberNames)> {
        let ast = self.ast;
        let mut members: Vec<IrMember> = vec![];
        let mut names: MemberNames = vec![];
        let mut result = Ok(());
        let next_capture = q.layout.find(Key::XfbOffset);
        if let Some((offset, span)) = next_capture.filter(|(offset, _)| offset % 4 != 0) {
            self.fail(Code::E0404, span, format!("`xfb_offset` is a multiple of 4, not {offset}"));
        }
        let mut next = next_capture.map(|(offset, _)| offset);
        let count: usize = ast[block.members].iter().map(|m| m.declarators.len()).sum();
        for member in &ast[block.members] {
            let mq = self.qualifiers(member.qualifiers);
            if shared.space == AddressSpace::Output {
                self.check_buffer_of_member(&mq.layout, &q.layout);
            }
            if let TypeBase::Struct(_) = ast[member.ty].base {
                let span = ast[member.ty].span;
                result = Err(self.error(
                    Diagnostic::error(Code::E0409, span, "a struct is defined in a block")
                        .help("define it before the block"),
                ));
            }
            let base = self.type_spec(member.ty);
            let decorations = self.block_member_decorations(&mq, q, shared);
            for declarator in &ast[member.declarators] {
                let last = names.len() + 1 == count;
                let ty = match base {
                    Ok(base) => self.with_dims(base, declarator.dims),
                    Err(Reported) => Err(Reported),
                };
                let ty = ty.and_then(|ty| self.check_block_member(ty, &mq, shared, last, declarator.name.span));
                names.push((declarator.name, self.member_access(&mq, q, shared)));
                let Ok(ty) = ty else {
                    result = Err(Reported);
                    continue;
                };
                let written = mq.precision.map_or(planish_ir::decoration::Precision::None, |(p, _)| p);
                let precision = self.precision_for(ty, written, declarator.name.span);
                let name: Arc<str> = self.text(declarator.name.symbol).into();
                if name.starts_with("gl_") {
                    let span = declarator.name.span;
                    result = Err(self.error(
                        Diagnostic::error(Code::E0412, span, format!("`{name}` begins with `gl_`"))
                            .note("names that begin with `gl_` are reserved for GLSL itself"),
                    ));
                    continue;
                }
                if members.iter().any(|m| m.name == name) {
                    let span = declarator.name.span;
                    result = Err(self.fail(Code::E0304, span, format!("two members are named `{name}`")));
                    continue;
                }
                let mut decorations = decorations.clone();
                if shared.space == AddressSpace::Output {
                    self.capture_member(ty, &mut decorations, &q.layout, &mut next, declarator.name.span);
                }
                members.push(IrMember { name, ty, precision, decorations });
            }
        }
        result.map(|()| (members, names))
    }

    fn block_member_decorations(&mut self, mq: &Qualifiers, q: &Qualifiers, shared: &Shared) -> Decorations {
        if let Some((storage, span)) = mq.storage
            && storage != shared.storage
        {
            let (a, b) = (storage.keyword(), shared.storage.keyword());
            self.fail(Code::E0402, span, format!("a member that is `{a}` in a block that is `{b}`"));
        }
        // (GLSL ES 3.20.8, section 4.3.9; GLSL 4.60.8, section 4.3.9.)
        if let Some(span) = mq.is_const {
            self.fail(Code::E0401, span, "a member of a block cannot be `const`");
        }
        if let (Some(span), None) = (mq.per_primitive, q.per_primitive) {
            self.error(
                Diagnostic::error(Code::E0401, span, "a member alone cannot be `perprimitiveEXT`")
                    .help("write it before the block, of which all members are then so"),
            );
        }
        let in_memory = matches!(shared.storage, Storage::Uniform | Storage::Buffer);
        if in_memory {
            let interpolated = mq.interpolation.map(|(_, span)| span).or(mq.sampling.map(|(_, span)| span));
            if let Some(span) = interpolated.or(mq.invariant) {
                self.fail(Code::E0401, span, "a member of this block is not interpolated, and not invariant");
            }
        }
        let places = layouts::MEMBER;
        let layout = self.layout_decorations(&mq.layout, places, "a member of a block");
        let mut set: Decorations = mq.decorations().iter().chain(layout.iter()).collect();
        if in_memory && shared.row_major && !set.has(Decoration::ColumnMajor) {
            set.add(Decoration::RowMajor);
        }
        set.remove(Decoration::ColumnMajor);
        if let Some((align, _)) = q.layout.find(Key::Align)
            && !set.iter().any(|d| matches!(d, Decoration::Align(_)))
        {
            set.add(Decoration::Align(align));
        }
        set
    }

    fn member_access(&self, mq: &Qualifiers, q: &Qualifiers, shared: &Shared) -> Access {
        let has = |d: Decoration| mq.memory.iter().chain(&q.memory).any(|(m, _)| *m == d);
        match shared.storage {
            Storage::Buffer if has(Decoration::ReadOnly) || shared.class.is_some() => Access::ReadOnly,
            Storage::Buffer if has(Decoration::WriteOnly) => Access::WriteOnly,
            Storage::Buffer => Access::ReadWrite,
            Storage::Uniform => Access::Uniform,
            Storage::Passed(passed) => self.passed_access(passed),
            _ if self.is_input(shared.storage) => Access::Input,
            _ => Access::ReadWrite,
        }
    }

    fn check_block_member(
        &mut self,
        ty: Type,
        mq: &Qualifiers,
        shared: &Shared,
        last: bool,
        span: Span,
    ) -> Checked<Type> {
        if ty == Type::VOID {
            return Err(self.fail(Code::E0312, span, "a member cannot be `void`"));
        }
        if self.is_opaque(ty) {
            let what = self.opaque_words(ty);
            return Err(self.error(
                Diagnostic::error(Code::E0405, span, format!("a block cannot hold {what}"))
                    .help("declare it outside of the block"),
            ));
        }
        if self.is_unsized(ty) {
            let outermost = matches!(*self.kind(ty), TypeKind::RuntimeArray { element } if !self.is_unsized(element));
            if !(outermost && last && shared.storage == Storage::Buffer) {
                return Err(self.error(
                    Diagnostic::error(Code::E0411, span, "the size of the array is missing")
                        .note("only the last member of a `buffer` block may leave it open"),
                ));
            }
        }
        if !matches!(shared.storage, Storage::Uniform | Storage::Buffer | Storage::Passed(_)) {
            let is_input = self.is_input(shared.storage);
            self.check_component(ty, &mq.layout, true, is_input)?;
            self.check_interface_type(ty, mq, is_input, span)?;
        }
        Ok(ty)
    }

    fn declare_block_names(
        &mut self,
        block: &InterfaceBlock,
        var: Var,
        var_ty: Type,
        ty: Type,
        names: MemberNames,
        shared: &Shared,
    ) {
        if let Some(instance) = block.instance {
            // Further access restrictions are a member's own qualifiers.
            let decorations = &self.b.module.vars[var].decorations;
            let access = match shared.storage {
                Storage::Uniform => Access::Uniform,
                Storage::Buffer if decorations.has(Decoration::ReadOnly) || shared.class.is_some() => Access::ReadOnly,
                Storage::Buffer if decorations.has(Decoration::WriteOnly) => Access::WriteOnly,
                Storage::Passed(passed) => self.passed_access(passed),
                _ if self.is_input(shared.storage) => Access::Input,
                _ => Access::ReadWrite,
            };
            self.declare_name(instance, Entity::Variable { address: var.into(), ty: var_ty, access }, false);
            return;
        }
        let Some(s) = self.b.module.types.as_struct(ty).cloned() else { return };
        for (index, ((name, access), member)) in names.into_iter().zip(&s.members).enumerate() {
            let entity = Entity::Member { block: var.into(), index: index as u32, ty: member.ty, access };
            self.declare_name(name, entity, false);
        }
    }

    /// `out gl_PerVertex { … };`: the members are the built-in variables, which are there anyway.
    fn per_vertex_block(&mut self, block: &InterfaceBlock) {
        let ast = self.ast;
        for member in &ast[block.members] {
            let base = self.type_spec(member.ty);
            let q = self.qualifiers(member.qualifiers);
            for declarator in &ast[member.declarators] {
                let unsized_array = ast[declarator.dims].iter().any(|d| d.size.is_none());
                if !unsized_array {
                    self.redeclare_builtin(declarator, base, &q, true);
                }
            }
        }
    }
}
