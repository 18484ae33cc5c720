//! Calls: overload resolution, arguments in and out, user functions and built-in functions.

use std::rc::Rc;

use planish_ir::decoration::{Decoration, Name as IrName};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Const, Type, Value, Var};
use planish_ir::function::Direction;
use planish_ir::ops::Op;
use planish_ir::source::Span;
use planish_ir::types::{AddressSpace, ImageKind, Scalar, TypeKind};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::arrays::OPEN_ARRAYS;
use super::constructors::Operands;
use super::functions::memory_bits;
use super::instances::OpaqueArgument;
use super::names::Entity;
use super::operand::Operand;
use super::overloads::best_of;
use super::{Checked, Checker, Reported, builtin_variables};
use crate::ast::*;
use crate::builtins::{self, Action, Availability, Lookup, Overload, ParamKind};
use crate::symbol::{Symbol, kw};

/// Overloads of built-in functions by name and types of arguments, once they are resolved.
pub(super) type BuiltinCache = FxHashMap<(Symbol, SmallVec<[Type; 4]>), Rc<Overload>>;

/// Match of arguments with parameters: the rank of each conversion.
type Ranks = SmallVec<[u8; 4]>;

impl Checker<'_, '_> {
    /// `callee(args)`.
    pub(super) fn call(&mut self, callee: ExprId, args: List<ExprId>, span: Span) -> Checked<Operand> {
        let ExprKind::Name(symbol) = self.ast[callee].kind else { return Err(Reported) };
        let name_span = self.span_of(callee);
        if symbol == kw::NONUNIFORMEXT && self.has_extension(OPEN_ARRAYS) {
            return self.non_uniform(args, span);
        }
        let entity = self.scopes.lookup(symbol).map(|binding| {
            binding.used = true;
            binding.entity
        });
        let outs = self.out_arguments(symbol, entity);
        let operands = self.call_arguments(args, outs);
        match entity {
            None => {
                let operands = operands?;
                self.call_builtin(symbol, &operands, args, [name_span, span])
            }
            Some(Entity::Functions(set)) => {
                let operands = operands?;
                self.call_overloaded(symbol, set, &operands, args, [name_span, span])
            }
            Some(Entity::Struct(ty)) => self.construct_type(ty, operands?, args, span),
            Some(Entity::Error) => Err(Reported),
            Some(_) => Err(self.not_a_function(symbol, name_span)),
        }
    }

    /// `nonuniformEXT(…)`: an integer, or something that is indexed within it.
    fn non_uniform(&mut self, args: List<ExprId>, span: Span) -> Checked<Operand> {
        let &[arg] = &self.ast[args] else {
            return Err(self.fail(Code::E0303, span, "`nonuniformEXT` takes one argument"));
        };
        self.non_uniform += 1;
        let operand = self.call_arguments(args, 0);
        self.non_uniform -= 1;
        let Some(&operand) = operand?.first() else { return Err(Reported) };
        if !matches!(self.kind(operand.ty), TypeKind::Scalar(scalar) if scalar.is_integer()) {
            return Ok(operand);
        }
        let arg_span = self.span_of(arg);
        let operand = self.loaded_checked(operand, arg_span)?;
        self.b.at(span);
        let value = self.node(Op::NonUniform, &[operand.value]);
        Ok(Operand::value(value, operand.ty))
    }

    #[cold]
    fn not_a_function(&mut self, symbol: Symbol, span: Span) -> Reported {
        let text = self.text(symbol);
        let declared = self.scopes.lookup(symbol).map_or(Span::NONE, |b| b.span);
        let mut d = Diagnostic::error(Code::E0316, span, format!("`{text}` is a variable, not a function"))
            .also(declared, "declared here");
        if builtins::is_builtin_name(text) {
            d = d.note(format!("it hides the built-in function `{text}`"));
        }
        self.error(d)
    }

    /// Arguments that are places (written, or the operand of an atomic operation or an interpolation), as a bit set
    /// over all overloads.
    fn out_arguments(&self, symbol: Symbol, entity: Option<Entity>) -> u32 {
        match entity {
            Some(Entity::Functions(set)) => {
                let functions = self.overloads[set as usize].iter().map(|&f| &self.functions[f as usize]);
                functions.fold(0, |mask, f| mask | f.out_mask())
            }
            None if super::effects::writes_arguments(self.text(symbol)) => u32::MAX,
            None if ["atomic", "interpolateAt", "rayQuery"]
                .iter()
                .any(|start| self.text(symbol).starts_with(start)) =>
            {
                1
            }
            _ => 0,
        }
    }

    /// As [`Checker::arguments`], but those of `outs` stay places.
    fn call_arguments(&mut self, args: List<ExprId>, outs: u32) -> Checked<Operands> {
        if outs == 0 {
            return self.arguments(args);
        }
        let ast = self.ast;
        let mut operands = Operands::new();
        let mut result = Ok(());
        let last_write = ast[args].iter().rposition(|&a| self.effects.writes(a));
        for (i, &arg) in ast[args].iter().enumerate() {
            let out = outs.checked_shr(i as u32).unwrap_or(0) & 1 != 0;
            let outer = self.frame.flow.suppressed;
            self.frame.flow.suppressed |= out;
            let operand = self.expression(arg);
            self.frame.flow.suppressed = outer;
            let operand = operand.and_then(|operand| match last_write {
                _ if operand.ty == Type::VOID => self.loaded_checked(operand, ast[arg].span),
                Some(last) if i < last && !out && !self.is_opaque(operand.ty) => Ok(self.loaded(operand)),
                _ => Ok(operand),
            });
            match operand {
                Ok(operand) => operands.push(operand),
                Err(Reported) => result = Err(Reported),
            }
        }
        result.map(|()| operands)
    }

    // ------------------------------------------------------------------------------------------ user functions

    fn call_overloaded(
        &mut self,
        symbol: Symbol,
        set: u32,
        operands: &Operands,
        args: List<ExprId>,
        spans: [Span; 2],
    ) -> Checked<Operand> {
        let (best, exact) = match self.pick_user(set, operands) {
            Pick::One(index, exact) => (Some(index), exact),
            Pick::None => (None, false),
            Pick::Several => return Err(self.ambiguous_call(symbol, operands, spans[1])),
        };
        if !exact && builtins::is_builtin_name(self.text(symbol)) {
            let found = self.pick_builtin(symbol, operands);
            if let Ok(overload) = found {
                let fits = overload.params.iter().zip(operands).all(|(p, o)| p.ty == o.ty);
                if fits || best.is_none() {
                    return self.emit_builtin(&overload, operands, args, spans[1]);
                }
            }
        }
        match best {
            Some(index) => self.call_user(index, operands, args, spans[1]),
            None => Err(self.no_overload(symbol, set, operands, args, spans[1])),
        }
    }

    /// The best of a set of user functions, and whether it fits without conversions.
    fn pick_user(&self, set: u32, operands: &Operands) -> Pick {
        let mut viable: SmallVec<[(u32, Ranks); 2]> = SmallVec::new();
        for &index in &self.overloads[set as usize] {
            if index as usize >= self.functions_in_sight {
                continue;
            }
            let params = &self.functions[index as usize].params;
            if params.len() != operands.len() {
                continue;
            }
            let ranks: Option<Ranks> = params
                .iter()
                .zip(operands)
                .map(|(p, o)| match p.direction {
                    Direction::In => self.argument_rank(o.ty, p.ty),
                    Direction::Out => self.argument_rank(p.ty, o.ty),
                    Direction::InOut | Direction::NoAlias => self.argument_rank(o.ty, p.ty).filter(|_| o.ty == p.ty),
                })
                .collect();
            let Some(ranks) = ranks else { continue };
            if ranks.iter().all(|&r| r == 0) {
                return Pick::One(index, true);
            }
            viable.push((index, ranks));
        }
        match best_of(viable.iter().map(|(_, ranks)| &ranks[..])) {
            Ok(Some(best)) => Pick::One(viable[best].0, false),
            Ok(None) => Pick::None,
            Err(()) => Pick::Several,
        }
    }

    fn argument_rank(&self, from: Type, to: Type) -> Option<u8> {
        if from != to && self.is_storage_image(from) && self.same_but_format(from, to) {
            return Some(0);
        }
        self.conversion_rank(from, to)
    }

    /// Whether two storage images differ only in their format.
    fn same_but_format(&self, a: Type, b: Type) -> bool {
        let types = &self.b.module.types;
        match (types.as_image(a), types.as_image(b)) {
            (Some(mut x), Some(y)) if matches!(y.kind, ImageKind::Storage(_)) => {
                x.kind = y.kind;
                x == y
            }
            _ => false,
        }
    }

    /// Reports an image with a qualifier of memory that the parameter lacks.
    fn check_memory_of_argument(&mut self, operand: Operand, param: u8, span: Span) -> Checked<()> {
        let root = planish_ir::aliasing::root(self.b.body(), operand.value);
        let Some(planish_ir::aliasing::Root::Var(var)) = root else { return Ok(()) };
        let lost = memory_bits(self.b.module.vars[var].decorations.iter()) & !param;
        let words = [(1, "coherent"), (2, "volatile"), (4, "readonly"), (8, "writeonly")];
        let Some((_, word)) = words.iter().find(|(bit, _)| lost & bit != 0) else { return Ok(()) };
        Err(self.error(
            Diagnostic::error(Code::E0303, span, format!("the image is `{word}`, but the parameter is not"))
                .help(format!("write `{word}` before the type of the parameter")),
        ))
    }

    fn call_user(&mut self, index: u32, operands: &Operands, args: List<ExprId>, span: Span) -> Checked<Operand> {
        let function = &self.functions[index as usize];
        let (func, result, params) = (function.func, function.result, function.params.clone());
        let caller = self.frame.function;
        match caller {
            Some(caller) => self.functions[caller as usize].callees.push((index, span)),
            None => {
                return Err(self.fail(
                    Code::E0309,
                    span,
                    "functions of the shader are not called outside of functions",
                ));
            }
        }
        let mut paths = vec![];
        let mut indices: SmallVec<[Value; 2]> = SmallVec::new();
        let mut values: SmallVec<[Value; 8]> = SmallVec::new();
        let mut copies: SmallVec<[(Operand, Var, Type); 2]> = SmallVec::new();
        for (i, (param, &operand)) in params.iter().zip(operands).enumerate() {
            let arg = self.ast[args][i];
            self.b.at(self.span_of(arg));
            if param.is_opaque {
                self.check_memory_of_argument(operand, param.memory, self.span_of(arg))?;
                match self.opaque_argument(operand, param.ty, self.span_of(arg))? {
                    OpaqueArgument::Passed(value) => values.push(value),
                    OpaqueArgument::Named(path, more) => {
                        paths.resize(params.len(), None);
                        paths[i] = Some(path);
                        indices.extend(more);
                    }
                }
                continue;
            }
            match param.direction {
                Direction::In => {
                    let operand = self.loaded_checked(operand, self.span_of(arg))?;
                    let value = self.convert(operand.value, operand.ty, param.ty);
                    self.b.refine_precision(value, param.precision);
                    values.push(value);
                }
                direction => {
                    self.check_out_argument(arg, operand)?;
                    self.note_write(arg, direction == Direction::InOut);
                    if operand.ty == param.ty && self.passes_directly(arg, operand, i, args) {
                        values.push(operand.value);
                        continue;
                    }
                    let temporary = self.temporary(param.ty, param.precision);
                    if direction == Direction::InOut {
                        let value = self.load(operand);
                        let value = self.convert(value, operand.ty, param.ty);
                        self.store(temporary.into(), value);
                    }
                    values.push(temporary.into());
                    copies.push((operand, temporary, param.ty));
                }
            }
        }
        values.extend(indices);
        let func = if paths.is_empty() { func } else { self.instance(index, paths, span)? };
        self.b.at(span);
        let results = self.b.call(func.into(), &values);
        for (place, temporary, ty) in copies {
            let value = self.b.load(temporary.into());
            let value = self.convert(value, ty, place.ty);
            self.store_to(place, value);
        }
        Ok(match results.first() {
            Some(&value) => Operand::value(value, result),
            None => Operand::void(),
        })
    }

    /// Reports arguments of `out` and `inout` parameters that cannot be written.
    fn check_out_argument(&mut self, arg: ExprId, operand: Operand) -> Checked<()> {
        if operand.spot.is_some() {
            return self.check_spot(operand, false, self.span_of(arg));
        }
        if self.root(arg).is_some() {
            self.check_writable(arg)?;
        }
        if self.root(arg).is_some() && operand.place {
            return Ok(());
        }
        let message = "the argument of an `out` parameter cannot be written";
        Err(self.error(
            Diagnostic::error(Code::E0308, self.span_of(arg), message)
                .note("only variables and parts of them can be written"),
        ))
    }

    /// Whether a local variable can be passed by its own address: it occurs in no other argument.
    fn passes_directly(&self, arg: ExprId, operand: Operand, position: usize, args: List<ExprId>) -> bool {
        let ExprKind::Name(symbol) = self.ast[self.ast.unparenthesized(arg)].kind else { return false };
        let ty = self.b.type_of(operand.value);
        let is_local = self.b.module.types.pointee(ty).is_some_and(|(_, space)| space == AddressSpace::Function);
        is_local && self.ast[args].iter().enumerate().all(|(i, &other)| i == position || !self.mentions(other, symbol))
    }

    fn mentions(&self, expr: ExprId, symbol: Symbol) -> bool {
        let mut found = false;
        self.ast.for_each_expr_in(expr, |e| found |= self.ast[e].kind == ExprKind::Name(symbol));
        found
    }

    /// A variable for the time of a call.
    pub(super) fn temporary(&mut self, ty: Type, precision: planish_ir::decoration::Precision) -> Var {
        let ty = self.ir_type(ty);
        let var = self.b.module.add_var(IrName::temporary(""), ty, AddressSpace::Function);
        self.b.module.vars[var].precision = precision;
        self.b.declare(var);
        var
    }

    // ------------------------------------------------------------------------------------------ built-in functions

    fn call_builtin(
        &mut self,
        symbol: Symbol,
        operands: &Operands,
        args: List<ExprId>,
        spans: [Span; 2],
    ) -> Checked<Operand> {
        match self.pick_builtin(symbol, operands) {
            Ok(overload) => self.emit_builtin(&overload, operands, args, spans[1]),
            Err(Failure::Unknown) if operands.is_empty() && self.text(symbol) == "ftransform" => {
                self.fixed_transform(symbol, spans)
            }
            Err(failure) => Err(self.builtin_failure(symbol, failure, operands, args, spans)),
        }
    }

    /// Whether there is a built-in function of this name (`Some`), and whether it has exactly these parameters.
    pub(super) fn has_builtin_signature(&mut self, symbol: Symbol, operands: &Operands) -> Option<bool> {
        match self.pick_builtin(symbol, operands) {
            Ok(overload) => Some(overload.params.iter().zip(operands).all(|(p, o)| p.ty == o.ty)),
            Err(Failure::NoFit(_)) => Some(false),
            Err(_) => None,
        }
    }

    /// `ftransform()` of early desktop versions.
    fn fixed_transform(&mut self, symbol: Symbol, spans: [Span; 2]) -> Checked<Operand> {
        let matrix = builtin_variables::by_name(self, "gl_ModelViewProjectionMatrix");
        let vertex = builtin_variables::by_name(self, "gl_Vertex");
        let (Some(Entity::Variable { address: matrix, .. }), Some(Entity::Variable { address: vertex, .. })) =
            (matrix, vertex)
        else {
            return Err(self.unknown_function(symbol, spans[0]));
        };
        self.b.at(spans[1]);
        let (vertex, matrix) = (self.b.load(vertex), self.b.load(matrix));
        let value = self.node(Op::MatrixTimesVector, &[matrix, vertex]);
        Ok(Operand::value(value, Type::VEC4))
    }

    /// The overload of a built-in function that fits best.
    fn pick_builtin(&mut self, symbol: Symbol, operands: &Operands) -> Result<Rc<Overload>, Failure> {
        let mut types: SmallVec<[Type; 4]> = SmallVec::new();
        for operand in operands {
            types.push(operand.ty);
        }
        let key = (symbol, types);
        if let Some(overload) = self.builtin_calls.get(&key) {
            return Ok(overload.clone());
        }
        let name = self.program.interner.resolve(symbol);
        let extensions = &self.extensions;
        let has = |e: &str| extensions.contains(&e);
        let cx = Availability { version: self.version, stage: self.settings.stage, extension: &has };
        if let Some(exact) = builtins::exact(&mut self.b.module.types, name, &key.1, &cx) {
            let overload = Rc::new(exact);
            self.builtin_calls.insert(key, overload.clone());
            return Ok(overload);
        }
        let overloads = match builtins::lookup(&mut self.b.module.types, name, &key.1, &cx) {
            Lookup::Unknown => return Err(Failure::Unknown),
            Lookup::Unavailable(needs) => return Err(Failure::Unavailable(needs)),
            Lookup::Found(overloads) => overloads,
        };
        let mut viable: SmallVec<[(usize, Ranks); 4]> = SmallVec::new();
        for (index, overload) in overloads.iter().enumerate() {
            if overload.params.len() != key.1.len() {
                continue;
            }
            let ranks: Option<Ranks> = overload
                .params
                .iter()
                .zip(&key.1)
                .map(|(p, &ty)| match p.kind {
                    ParamKind::In | ParamKind::Const => self.conversion_rank(ty, p.ty),
                    ParamKind::Out => self.conversion_rank(p.ty, ty).filter(|_| p.ty == ty),
                    ParamKind::Memory | ParamKind::Interpolant | ParamKind::Place => (p.ty == ty).then_some(0),
                })
                .collect();
            if let Some(ranks) = ranks {
                viable.push((index, ranks));
            }
        }
        let best = match best_of(viable.iter().map(|(_, ranks)| &ranks[..])) {
            Ok(Some(best)) => best,
            Ok(None) => return Err(Failure::NoFit(overloads)),
            // Ambiguous overloads of built-in functions are equivalent, but those of different integers.
            Err(()) => {
                let types = &self.b.module.types;
                if key.1.iter().any(|&ty| types.scalar_of(ty).is_some_and(Scalar::is_small_integer)) {
                    return Err(Failure::NoFit(overloads));
                }
                0
            }
        };
        let overload = Rc::new(overloads[viable[best].0].clone());
        self.builtin_calls.insert(key, overload.clone());
        Ok(overload)
    }

    /// An interlock begins and ends in `main`, outside of conditions and loops.
    fn check_interlock(&mut self, op: Op, span: Span) -> Checked<()> {
        if !self.is_always_run() {
            return Err(self.error(
                Diagnostic::error(
                    Code::E0311,
                    span,
                    "an interlock begins and ends in `main`, outside of `if`, loops and `switch`",
                )
                .help("move the call out, around the statements"),
            ));
        }
        if op == Op::BeginInterlock {
            self.properties.interlock.get_or_insert(planish_ir::module::Interlock::PixelOrdered);
        }
        Ok(())
    }

    fn emit_builtin(
        &mut self,
        overload: &Overload,
        operands: &Operands,
        args: List<ExprId>,
        span: Span,
    ) -> Checked<Operand> {
        for ty in overload.params.iter().map(|param| param.ty).chain([overload.result]) {
            self.needs_numbers_of(ty, "a built-in function of #", span)?;
        }
        let mut values: SmallVec<[Value; 8]> = SmallVec::new();
        let mut copies: SmallVec<[(Operand, Var); 2]> = SmallVec::new();
        for (i, (param, &operand)) in overload.params.iter().zip(operands).enumerate() {
            let arg = self.ast[args][i];
            let arg_span = self.span_of(arg);
            self.b.at(arg_span);
            match param.kind {
                ParamKind::In => {
                    let operand = self.loaded_checked(operand, arg_span)?;
                    values.push(self.convert(operand.value, operand.ty, param.ty));
                }
                ParamKind::Const => {
                    let constant = self.require_constant(operand, arg_span, "this argument")?;
                    if matches!(overload.action, Action::Clustered(_)) {
                        self.check_cluster(constant, arg_span)?;
                    }
                    values.push(self.convert(operand.value, operand.ty, param.ty));
                }
                ParamKind::Out => {
                    self.check_out_argument(arg, operand)?;
                    if operand.spot.is_some() {
                        let temporary = self.temporary(param.ty, planish_ir::decoration::Precision::None);
                        values.push(temporary.into());
                        copies.push((operand, temporary));
                        continue;
                    }
                    self.note_write(arg, false);
                    values.push(operand.value);
                }
                ParamKind::Memory | ParamKind::Interpolant | ParamKind::Place => {
                    self.check_memory_argument(operand, param.kind, arg_span)?;
                    if self.is_shared_device_memory(operand.value) {
                        self.check_writable(arg)?;
                    }
                    values.push(operand.value);
                }
            }
        }
        self.note_derivative(overload.action, span);
        let is_memory = overload.params.first().is_some_and(|param| param.kind == ParamKind::Memory);
        let first = operands.first().filter(|_| is_memory);
        let memory = first.copied().filter(|operand| operand.spot.is_some());
        if let Action::Op(op @ (Op::BeginInterlock | Op::EndInterlock)) = overload.action {
            self.check_interlock(op, span)?;
        }
        if let Action::Barrier = overload.action {
            self.check_barrier(span)?;
        }
        let image_op = match overload.action {
            Action::Image(op, _) => Some(op),
            Action::Scoped(scoped) => scoped.image.map(|_| scoped.image_op()),
            _ => None,
        };
        if let Some(op) = image_op {
            self.check_image_access_of(op, args)?;
        }
        self.b.at(span);
        if let Action::Scoped(scoped) = overload.action {
            if memory.is_some() {
                let message = "an atomic operation with a scope does not take a place in a buffer by reference";
                return Err(self.error(
                    Diagnostic::error(Code::E0508, span, message).help("leave out the scope, or bind the buffer"),
                ));
            }
            return self.emit_scoped(scoped, values, overload.result, span);
        }
        if let (Action::Op(op), true, Some(&address)) = (overload.action, is_memory, values.first())
            && self.is_shared_device_memory(address)
        {
            return self.atomic_on_device(op, &values, overload.result, span);
        }
        if let Action::Device(instruction) = overload.action {
            self.device_arguments(&instruction, &mut values, span)?;
        }
        if let (Action::Op(op), Some(place)) = (overload.action, memory) {
            let value = self.atomic_at_address(op, place, &values[1..], span)?;
            return Ok(Operand::value(value, overload.result));
        }
        let result = builtins::emit(&mut self.b, overload, &values, None);
        for (place, temporary) in copies {
            let value = self.b.load(temporary.into());
            self.store_to(place, value);
        }
        if matches!(overload.action, Action::Device(instruction) if instruction.ends) {
            self.end_shader();
        }
        Ok(result.map_or_else(Operand::void, |value| Operand::value(value, overload.result)))
    }

    /// Reports the size of a cluster of invocations that is no power of two.
    fn check_cluster(&mut self, size: Const, span: Span) -> Checked<()> {
        let bits = self.b.module.consts.as_bits(size);
        if bits.is_some_and(|bits| bits.is_power_of_two() && bits <= 1 << 31) {
            return Ok(());
        }
        let diagnostic = Diagnostic::error(Code::E0303, span, "the size of a cluster is not a power of two")
            .label("write 1, 2, 4, 8 or the like")
            .note("invocations of a subgroup that follow each other form a cluster");
        Err(self.error(diagnostic))
    }

    /// Reports loads of images that are `writeonly`, and stores to those that are `readonly`.
    fn check_image_access_of(&mut self, op: Op, args: List<ExprId>) -> Checked<()> {
        let Some(&image) = self.ast[args].first() else { return Ok(()) };
        let Some(root) = self.root(image) else { return Ok(()) };
        let Some(Entity::Variable { address, .. }) = self.scopes.lookup(root).map(|b| b.entity) else { return Ok(()) };
        let Some(var) = address.as_var() else { return Ok(()) };
        let decorations = &self.b.module.vars[var].decorations;
        let (reads, writes) = match op {
            Op::ImageSize | Op::ImageSamples => (false, false),
            Op::ImageLoad => (true, false),
            Op::ImageStore => (false, true),
            _ => (true, true),
        };
        let (word, what) = if writes && decorations.has(Decoration::ReadOnly) {
            ("readonly", "written")
        } else if reads && decorations.has(Decoration::WriteOnly) {
            ("writeonly", "read")
        } else {
            return Ok(());
        };
        let text = self.text(root);
        Err(self.fail(Code::E0308, self.span_of(image), format!("`{text}` cannot be {what}: it is `{word}`")))
    }

    /// Reports arguments that are not in the memory that the function works on.
    fn check_memory_argument(&mut self, operand: Operand, kind: ParamKind, span: Span) -> Checked<()> {
        if kind == ParamKind::Memory && operand.spot.is_some() {
            self.check_spot(operand, false, span)?;
            return self.check_spot(operand, true, span);
        }
        let ty = self.b.type_of(operand.value);
        let space = self.b.module.types.pointee(ty).map(|(_, space)| space).filter(|_| operand.place);
        let (fits, what) = match kind {
            ParamKind::Place => (operand.place, "a variable"),
            ParamKind::Interpolant => (space == Some(AddressSpace::Input), "an input of the stage"),
            _ => (
                matches!(space, Some(AddressSpace::Storage | AddressSpace::Workgroup | AddressSpace::Handle))
                    || self.is_shared_device_memory(operand.value),
                "in a buffer or `shared`",
            ),
        };
        if fits { Ok(()) } else { Err(self.fail(Code::E0308, span, format!("this argument must be {what}"))) }
    }

    #[cold]
    #[inline(never)]
    fn builtin_failure(
        &mut self,
        symbol: Symbol,
        failure: Failure,
        operands: &Operands,
        args: List<ExprId>,
        spans: [Span; 2],
    ) -> Reported {
        let text = self.text(symbol);
        match failure {
            Failure::Unknown => self.unknown_function(symbol, spans[0]),
            Failure::Unavailable(needs) => {
                let version = self.version;
                self.error(
                    Diagnostic::error(Code::E0311, spans[0], format!("`{text}` {needs}"))
                        .label(format!("the shader is in {version}")),
                )
            }
            Failure::NoFit(overloads) => {
                self.note_cube_channel(operands);
                let signatures: Vec<(Vec<Type>, String)> = overloads
                    .iter()
                    .map(|o| {
                        let types: Vec<Type> = o.params.iter().map(|p| p.ty).collect();
                        let list: Vec<String> = types.iter().map(|&t| self.type_name(t)).collect();
                        let line = format!("{} {text}({})", self.type_name(o.result), list.join(", "));
                        (types, line)
                    })
                    .collect();
                self.no_match(text, &signatures, operands, args, spans[1])
            }
        }
    }

    /// The names of all built-in functions, for suggestions.
    pub(super) fn builtin_function_names(&self) -> impl Iterator<Item = &'static str> + use<> {
        builtins::names()
    }

    /// Whether values of a type can be passed, returned and stored.
    pub(super) fn is_plain_data(&self, ty: Type) -> bool {
        !matches!(self.kind(ty), TypeKind::Void) && !self.is_opaque(ty)
    }
}

/// Result of overload resolution among user functions.
enum Pick {
    One(u32, bool),
    None,
    Several,
}

/// Why no built-in function fits.
enum Failure {
    Unknown,
    Unavailable(String),
    NoFit(Vec<Overload>),
}
