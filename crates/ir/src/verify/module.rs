//! Checks of module scope: types, constants, variables, signatures, entry points, segments.

use rustc_hash::FxHashSet;

use super::{Verifier, VerifyError};
use crate::constant::{ConstData, ConstValue, YUV_NAMES};
use crate::custom::CustomEffect;
use crate::decoration::Precision;
use crate::entity::{Const, Func, Type};
use crate::function::Direction;
use crate::module::{ElemItem, ElemSegment};
use crate::module::{EntryPoint, Offset, Stage, VarData};
use crate::source::Span;
use crate::spirv::SpirvTypeOperand;
use crate::types::{AddressSpace, MAX_TYPE_NESTING, Scalar, TypeKind, is_vector_size};

impl Verifier<'_> {
    pub(super) fn check_types_and_constants(&mut self) {
        for (ty, kind) in self.module.types.iter() {
            if let Some(message) = self.type_fault(ty, kind) {
                self.error(Span::NONE, format!("type {ty}: {message}"));
            }
        }
        for (c, data) in self.module.consts.iter() {
            if let Some(message) = self.const_fault(c, data) {
                self.error(Span::NONE, format!("constant {c}: {message}"));
            }
        }
    }

    pub(super) fn check_module(&mut self) {
        for (var, data) in self.module.vars.iter() {
            if let Some(message) = self.var_fault(data) {
                self.error(data.span, format!("{}: {message}", self.var_text(var)));
            }
        }
        self.check_custom_ops();
        self.check_globals();
        self.check_entry_points();
        self.check_imports();
        self.check_segments();
        self.check_linkage();
    }

    fn check_custom_ops(&mut self) {
        let mut names = FxHashSet::default();
        for row in self.module.custom_ops.values() {
            let is_function = |ty: Type| self.is_type(ty) && matches!(self.types[ty], TypeKind::Function { .. });
            if row.signature.is_some_and(|ty| !is_function(ty)) {
                self.error(Span::NONE, format!("op `{}`: its signature is not the type of a function", row.name));
            }
            if !names.insert(&row.name) {
                self.error(Span::NONE, format!("op `{}`: another op has its name", row.name));
            }
            if row.spirv.as_ref().is_some_and(|i| i.ends && row.effect != CustomEffect::Ordered) {
                self.error(Span::NONE, format!("op `{}`: what ends a block is ordered", row.name));
            }
        }
    }

    fn type_fault(&self, ty: Type, kind: &TypeKind) -> Option<String> {
        if self.module.types.nesting(ty) > MAX_TYPE_NESTING {
            return Some(format!("types are nested more than {MAX_TYPE_NESTING} deep"));
        }
        let part = |part: Type| part < ty && part != Type::VOID;
        let sized = |part: Type| !matches!(self.module.types[part], TypeKind::RuntimeArray { .. });
        let fault = match kind {
            TypeKind::Vector(_, n) if !is_vector_size(*n) => "a vector has 2 to 4, 8 or 16 components",
            TypeKind::Matrix { scalar, .. } if !scalar.is_float() => "a matrix has floats",
            TypeKind::Matrix { columns, rows, .. } if !(2..=4).contains(columns) || !(2..=4).contains(rows) => {
                "a matrix has 2 to 4 columns and rows"
            }
            TypeKind::Array { element, .. } | TypeKind::RuntimeArray { element } if !part(*element) => {
                "the element type is `void` or does not exist"
            }
            TypeKind::Array { element, .. } | TypeKind::RuntimeArray { element } if !sized(*element) => {
                "the element type has no size"
            }
            TypeKind::Array { len: 0, .. } => "an array has at least one element",
            TypeKind::Struct(s) if !s.members.iter().all(|m| part(m.ty)) => {
                "a member's type is `void` or does not exist"
            }
            TypeKind::Struct(s) if !s.members.iter().rev().skip(1).all(|m| sized(m.ty)) => {
                "only the last member may be a runtime-sized array"
            }
            TypeKind::Pointer { pointee, .. } if !part(*pointee) => "the pointee is `void` or does not exist",
            TypeKind::Function { params, results } if !params.iter().chain(&**results).all(|t| part(*t)) => {
                "a parameter's or result's type is `void` or does not exist"
            }
            TypeKind::Spirv(spirv)
                if !spirv.operands.iter().all(|o| !matches!(o, SpirvTypeOperand::Type(t) if !part(*t))) =>
            {
                "a type among its operands is `void` or does not exist"
            }
            _ => return None,
        };
        Some(fault.into())
    }

    fn const_fault(&self, c: Const, data: &ConstData) -> Option<String> {
        if !self.is_type(data.ty) {
            return Some("its type does not exist".into());
        }
        let kind = &self.module.types[data.ty];
        let text = || self.type_text(data.ty);
        match &data.value {
            ConstValue::Bits(bits) => match kind {
                TypeKind::Scalar(s) if s.bits() == 64 || *bits >> s.bits() == 0 => None,
                TypeKind::Scalar(_) => Some(format!("its bits do not fit {}", text())),
                TypeKind::YuvCsc => (*bits >= YUV_NAMES.len() as u64).then(|| "there is no such colour space".into()),
                _ => Some(format!("{} has no bits of its own", text())),
            },
            ConstValue::Wide(_) => (*kind != TypeKind::V128).then(|| format!("{} is not 128 bits wide", text())),
            ConstValue::Null => {
                let reference = matches!(kind, TypeKind::FuncRef | TypeKind::ExternRef);
                (!reference).then(|| format!("{} has no null", text()))
            }
            ConstValue::Composite(parts) => self.composite_fault(c, data.ty, parts),
        }
    }

    fn composite_fault(&self, c: Const, ty: Type, parts: &[Const]) -> Option<String> {
        let types = &self.module.types;
        match types.part_count(ty) {
            None => return Some(format!("{} has no parts", self.type_text(ty))),
            Some(n) if n as usize != parts.len() => {
                return Some(format!("{} has {n} parts, not {}", self.type_text(ty), parts.len()));
            }
            Some(_) => {}
        }
        for (i, &part) in parts.iter().enumerate() {
            if part >= c {
                return Some(format!("part {i} is not older than the whole"));
            }
            let have = self.module.consts[part].ty;
            if !self.is_part(ty, i, have) {
                return Some(format!("part {i} has type {}", self.type_text(have)));
            }
        }
        None
    }

    /// Whether part number `index` of a composite has type `part`; like [`crate::types::Types::part`], without
    /// interning.
    fn is_part(&self, composite: Type, index: usize, part: Type) -> bool {
        let types = &self.module.types;
        if !self.is_type(part) {
            return false;
        }
        match &types[composite] {
            TypeKind::Vector(s, _) => types[part] == TypeKind::Scalar(*s),
            TypeKind::Matrix { scalar, rows, .. } => types[part] == TypeKind::Vector(*scalar, *rows),
            TypeKind::Array { element, .. } => part == *element,
            TypeKind::Struct(s) => s.members.get(index).is_some_and(|m| m.ty == part),
            _ => false,
        }
    }

    fn var_fault(&self, data: &VarData) -> Option<String> {
        if !self.is_type(data.ty) || data.ty == Type::VOID {
            return Some("its type is `void` or does not exist".into());
        }
        let wanted = TypeKind::Pointer { pointee: data.ty, space: data.space };
        if !self.is_type(data.pointer) || self.module.types[data.pointer] != wanted {
            return Some("`pointer` is not the type of its address".into());
        }
        let opaque = self.module.types.is_opaque(data.ty);
        if data.space == AddressSpace::Handle && !opaque {
            return Some(format!("`handle` space holds opaque objects, not {}", self.type_text(data.ty)));
        }
        if opaque && !matches!(data.space, AddressSpace::Handle | AddressSpace::Uniform) {
            return Some(format!("opaque objects are not allowed in `{}` space", data.space.name()));
        }
        if self.is_boolean(data.ty) && data.precision != Precision::None {
            return Some("booleans have no precision".into());
        }
        let initializer = data.initializer?;
        let Some(value) = (initializer < self.module.consts.next_id()).then(|| &self.module.consts[initializer]) else {
            return Some("its initializer does not exist".into());
        };
        if value.ty != data.ty {
            let (have, want) = (self.type_text(value.ty), self.type_text(data.ty));
            return Some(format!("its initializer has type {have}, not {want}"));
        }
        let may_not = matches!(
            data.space,
            AddressSpace::Input
                | AddressSpace::Storage
                | AddressSpace::Workgroup
                | AddressSpace::Handle
                | AddressSpace::Spirv
        );
        may_not.then(|| format!("an initializer is not allowed in `{}` space", data.space.name()))
    }

    fn check_globals(&mut self) {
        let mut seen = FxHashSet::default();
        for &var in &self.module.globals {
            let Some(data) = self.module.vars.get(var) else {
                self.error(Span::NONE, format!("`globals` lists {var}, which does not exist"));
                continue;
            };
            if data.space == AddressSpace::Function {
                self.error(data.span, format!("`globals` lists {}, which is local", self.var_text(var)));
            }
            if !seen.insert(var) {
                self.error(data.span, format!("`globals` lists {} twice", self.var_text(var)));
            }
        }
    }

    /// Checks the signature of a function.
    pub(super) fn check_signature(&mut self, func: Func) {
        let function = &self.module.funcs[func];
        let mut faults = Vec::new();
        let param_types: Vec<Type> = function.params.iter().map(|p| p.ty).collect();
        let result_types: Vec<Type> = function.results.iter().map(|r| r.ty).collect();
        if !param_types.iter().chain(&result_types).all(|t| self.is_type(*t) && *t != Type::VOID) {
            faults.push("a parameter's or result's type is `void` or does not exist".to_owned());
        } else {
            let wanted = TypeKind::Function { params: param_types.into(), results: result_types.into() };
            if !self.is_type(function.ty) || self.module.types[function.ty] != wanted {
                faults.push("`ty` is not the type of the signature".into());
            }
            for (i, param) in function.params.iter().enumerate() {
                let local = matches!(self.module.types.pointee(param.ty), Some((_, AddressSpace::Function)));
                let copied = matches!(param.direction, Direction::Out | Direction::InOut);
                if copied && !local {
                    faults.push(format!("parameter {i} is written to, but is not a pointer into `function` space"));
                }
                if param.direction == Direction::NoAlias && self.module.types.pointee(param.ty).is_none() {
                    faults.push(format!("parameter {i} is `noalias`, but no pointer"));
                }
                if self.is_boolean(param.ty) && param.precision != Precision::None {
                    faults.push(format!("parameter {i} is boolean, but has a precision"));
                }
            }
            if let Some(signature) = &function.signature {
                let numbers = |types: &mut dyn Iterator<Item = Type>| types.map(|ty| ty.as_u32()).collect::<Vec<u32>>();
                let params = numbers(&mut function.params.iter().map(|param| param.ty));
                faults.extend(signature.faults(&params, &numbers(&mut function.results.iter().map(|r| r.ty))));
                let is_scalar = |ty: Type| matches!(self.module.types[ty], TypeKind::Scalar(_));
                let mut types =
                    function.params.iter().map(|param| param.ty).chain(function.results.iter().map(|r| r.ty));
                if !types.all(is_scalar) {
                    faults.push("it has a shape, but values that are no scalars".into());
                }
            }
            for (i, result) in function.results.iter().enumerate() {
                if self.is_boolean(result.ty) && result.precision != Precision::None {
                    faults.push(format!("result {i} is boolean, but has a precision"));
                }
            }
        }
        let span = function.span;
        self.errors.extend(faults.into_iter().map(|message| VerifyError {
            func: Some(func),
            block: None,
            node: None,
            message,
            span,
            memory: None,
        }));
    }

    fn check_entry_points(&mut self) {
        let mut names = FxHashSet::default();
        for entry in &self.module.entry_points {
            let span = self.module.funcs.get(entry.func).map_or(Span::NONE, |f| f.span);
            for name in &entry.names {
                if !names.insert((entry.stage, name)) {
                    self.error(span, format!("two entry points are called '{name}'"));
                }
            }
            for message in self.entry_faults(entry) {
                let name = entry.names.first().map_or("", |n| n);
                self.error(span, format!("entry point '{name}': {message}"));
            }
        }
    }

    fn entry_faults(&self, entry: &EntryPoint) -> Vec<String> {
        let mut faults = Vec::new();
        let mut fault = |bad: bool, message: &str| {
            if bad {
                faults.push(message.to_owned());
            }
        };
        fault(entry.names.is_empty(), "it has no name");
        let Some(function) = self.module.funcs.get(entry.func) else {
            fault(true, "its function does not exist");
            return faults;
        };
        if entry.stage.is_some() {
            fault(function.body.is_none(), "its function has no body");
            fault(!function.params.is_empty(), "the entry point of a stage has no parameters");
            fault(!function.results.is_empty(), "the entry point of a stage has no results");
        }
        let p = &entry.properties;
        let is = |stages: &[Stage]| entry.stage.is_some_and(|s| stages.contains(&s));
        let fragment = is(&[Stage::Fragment]);
        let geometry = is(&[Stage::Geometry]);
        let tessellation = is(&[Stage::TessellationControl, Stage::TessellationEvaluation]);
        let mut belongs = |set: bool, fits: bool, what: &str| {
            fault(set && !fits, &format!("`{what}` does not belong to the stage"));
        };
        belongs(p.early_fragment_tests, fragment, "early_fragment_tests");
        belongs(p.depth.is_some(), fragment, "depth");
        belongs(p.interlock.is_some(), fragment, "interlock");
        belongs(p.blend_equations != 0, fragment, "blend");
        belongs(p.origin_upper_left, fragment, "origin_upper_left");
        belongs(p.pixel_center_integer, fragment, "pixel_center_integer");
        belongs(p.local_size.is_some(), entry.stage.is_some_and(Stage::has_work_groups), "local_size");
        belongs(p.vertices.is_some(), is(&[Stage::TessellationControl]), "vertices");
        belongs(p.max_vertices.is_some(), geometry, "max_vertices");
        belongs(p.invocations.is_some(), geometry, "invocations");
        belongs(p.output_primitive.is_some(), geometry, "output_primitive");
        belongs(p.input_primitive.is_some(), geometry || tessellation, "input_primitive");
        belongs(p.spacing.is_some(), tessellation, "spacing");
        belongs(p.winding.is_some(), tessellation, "winding");
        belongs(p.point_mode, tessellation, "point_mode");
        let captures = is(&[Stage::Vertex, Stage::TessellationControl, Stage::TessellationEvaluation]) || geometry;
        belongs(p.xfb_strides.iter().any(Option::is_some), captures, "xfb_stride");
        belongs(p.derivative_group.is_some(), entry.stage.is_some_and(Stage::has_work_groups), "derivative_group");
        belongs(p.num_views.is_some(), is(&[Stage::Vertex]), "num_views");
        fault(p.local_size.is_some_and(|s| s.contains(&0)), "a local size is 0");
        let ids = p.local_size_ids.iter().any(Option::is_some);
        fault(ids && p.local_size.is_none(), "a local size has a constant, but no default");
        faults
    }

    fn check_imports(&mut self) {
        for (func, import) in &self.module.func_imports {
            let name = format!("import '{}' '{}'", import.module, import.name);
            match self.module.funcs.get(*func) {
                None => self.error(Span::NONE, format!("{name}: its function does not exist")),
                Some(f) if f.body.is_some() => self.error(f.span, format!("{name}: its function has a body")),
                Some(_) => {}
            }
        }
    }

    fn check_segments(&mut self) {
        let module = self.module;
        for (memory, data) in module.memories.iter() {
            if data.max_pages.is_some_and(|max| max < data.min_pages) {
                self.error(Span::NONE, format!("{memory}: the most pages are fewer than the first"));
            }
        }
        for (table, data) in module.tables.iter() {
            if data.max.is_some_and(|max| max < data.min) {
                self.error(Span::NONE, format!("{table}: the most elements are fewer than the first"));
            }
            let reference = self.is_type(data.element)
                && matches!(module.types[data.element], TypeKind::FuncRef | TypeKind::ExternRef);
            if !reference {
                self.error(Span::NONE, format!("{table}: a table holds references"));
            }
        }
        for (id, segment) in module.data.iter() {
            let Some((memory, offset)) = segment.active else { continue };
            if module.memories.get(memory).is_none() {
                self.error(Span::NONE, format!("{id}: {memory} does not exist"));
            }
            self.check_offset(&id.to_string(), offset);
        }
        for (id, segment) in module.elems.iter() {
            self.check_items(&id.to_string(), segment);
            let Some((table, offset)) = segment.active else { continue };
            match module.tables.get(table) {
                None => self.error(Span::NONE, format!("{id}: {table} does not exist")),
                Some(t) if t.element != segment.element => {
                    self.error(Span::NONE, format!("{id}: {table} holds other references"));
                }
                Some(_) => {}
            }
            self.check_offset(&id.to_string(), offset);
        }
    }

    fn check_items(&mut self, id: &str, segment: &ElemSegment) {
        let module = self.module;
        let element = self.is_type(segment.element).then(|| &module.types[segment.element]);
        if !matches!(element, Some(TypeKind::FuncRef | TypeKind::ExternRef)) {
            self.error(Span::NONE, format!("{id}: a segment holds references"));
        }
        for item in &segment.items {
            let fault = match *item {
                ElemItem::Null => continue,
                ElemItem::Func(f) if module.funcs.get(f).is_none() => format!("{f} does not exist"),
                ElemItem::Func(_) if element == Some(&TypeKind::FuncRef) => continue,
                ElemItem::Func(f) => format!("{f} is not a reference of the host"),
                ElemItem::Var(v) => match module.vars.get(v) {
                    Some(var) if var.space == AddressSpace::Private && var.ty == segment.element => continue,
                    _ => format!("{v} holds no such reference, or not in `private` space"),
                },
            };
            self.error(Span::NONE, format!("{id}: {fault}"));
        }
    }

    /// Checks imports, exports and computed values of variables, and the start function.
    fn check_linkage(&mut self) {
        let module = self.module;
        // A variable that `globals` does not list has been removed.
        for &id in &module.globals {
            let Some(var) = module.vars.get(id) else { continue };
            let Some(linkage) = &var.linkage else { continue };
            let mut fault = |faulty: bool, message: &str| {
                if faulty {
                    self.errors.push(VerifyError {
                        func: None,
                        block: None,
                        node: None,
                        message: format!("{id}: {message}"),
                        span: var.span,
                        memory: None,
                    });
                }
            };
            fault(var.space != AddressSpace::Private, "only a private variable is imported, exported or computed");
            let values = [var.initializer.is_some(), linkage.import.is_some(), linkage.computed.is_some()];
            fault(values.into_iter().filter(|v| *v).count() > 1, "it has more than one value at first");
            if let Some(computed) = linkage.computed {
                let fits = module.funcs.get(computed).is_some_and(|f| {
                    f.body.is_some() && f.params.is_empty() && f.results.len() == 1 && f.results[0].ty == var.ty
                });
                fault(!fits, "the function that computes it does not fit");
            }
        }
        if let Some(start) = module.start {
            let fits = module.funcs.get(start).is_some_and(|f| f.params.is_empty() && f.results.is_empty());
            if !fits {
                self.error(Span::NONE, "the start function has parameters or results, or does not exist".into());
            }
        }
    }

    fn check_offset(&mut self, what: &str, offset: Offset) {
        let Offset::Var(var) = offset else { return };
        let fits = self.module.vars.get(var).is_some_and(|data| {
            let integer = self.is_type(data.ty)
                && matches!(self.module.types[data.ty], TypeKind::Scalar(Scalar::I32 | Scalar::U32));
            data.space == AddressSpace::Private && integer
        });
        if !fits {
            self.error(Span::NONE, format!("{what}: its offset is not a 32-bit integer in `private` space"));
        }
    }

    /// Checks the features used by the functions that a stage calls.
    pub(super) fn check_stages(&mut self) {
        let mut reported = FxHashSet::default();
        let mut seen = FxHashSet::default();
        for entry in &self.module.entry_points {
            let Some(stage) = entry.stage else { continue };
            let mut stack = vec![entry.func];
            while let Some(func) = stack.pop() {
                let Some(facts) = self.facts.get(func.as_u32() as usize) else { continue };
                if !seen.insert((stage, func)) {
                    continue;
                }
                stack.extend(&facts.callees);
                for need in &facts.needs {
                    if !need.stages.contains(&stage) && reported.insert((stage, func, need.what)) {
                        self.errors.push(VerifyError {
                            func: Some(func),
                            block: Some(need.block),
                            node: need.node,
                            message: format!("`{}` does not belong to the {} stage", need.what, stage.name()),
                            span: need.span,
                            memory: None,
                        });
                    }
                }
            }
        }
    }
}
