//! Shadertoy sources: `void mainImage(out vec4, in vec2)` and no `main`. Their uniforms are created at their first use,
//! and `main` is generated here.

use planish_ir::decoration::{Decoration, Decorations, Name as IrName, NameSource, Precision};
use planish_ir::entity::{Type, Value};
use planish_ir::function::Direction;
use planish_ir::module::Stage;
use planish_ir::source::Span;
use planish_ir::types::{AddressSpace, Dim, ImageKind, ImageType, Scalar, TypeKind};

use super::constructors::Operands;
use super::functions::UserFunction;
use super::names::{Access, Entity};
use super::{Checker, builtin_variables};
use crate::ast::{Ast, DeclKind};
use crate::symbol::sym;

/// Whether a tree defines `mainImage`, but not `main`.
pub(crate) fn is_shadertoy(ast: &Ast) -> bool {
    let mut image = false;
    for &item in &ast.items {
        if let DeclKind::Function { function, body: Some(_) } = ast[item].kind {
            let name = ast[function].name.symbol;
            if name == sym::MAIN {
                return false;
            }
            image |= name == sym::MAIN_IMAGE;
        }
    }
    image
}

/// Name, element type, number of elements (0: no array).
const UNIFORMS: &[(&str, Type, u32)] = &[
    ("iResolution", Type::VEC3, 0),
    ("iTime", Type::F32, 0),
    ("iGlobalTime", Type::F32, 0),
    ("iTimeDelta", Type::F32, 0),
    ("iFrame", Type::I32, 0),
    ("iFrameRate", Type::F32, 0),
    ("iMouse", Type::VEC4, 0),
    ("iDate", Type::VEC4, 0),
    ("iSampleRate", Type::F32, 0),
    ("iChannelResolution", Type::VEC3, 4),
    ("iChannelTime", Type::F32, 4),
];

impl Checker<'_, '_> {
    fn is_shadertoy(&self) -> bool {
        self.settings.shadertoy
    }

    pub(super) fn shadertoy_prologue(&mut self) {
        if self.is_shadertoy() {
            self.precisions.everything_high();
        }
    }

    /// The uniform of Shadertoy with this name.
    pub(super) fn shadertoy_uniform(&mut self, name: &str, span: Span) -> Option<Entity> {
        if !self.is_shadertoy() {
            return None;
        }
        if let Some(channel) = name.strip_prefix("iChannel").and_then(|n| n.parse::<u8>().ok()).filter(|n| *n < 4) {
            return Some(self.channel(channel, span));
        }
        let &(_, element, len) = UNIFORMS.iter().find(|u| u.0 == name)?;
        let ty = if len == 0 { element } else { self.b.module.types.array(element, len) };
        Some(self.shadertoy_var(name, ty, AddressSpace::Uniform, Access::Uniform))
    }

    fn channel(&mut self, channel: u8, _span: Span) -> Entity {
        let dim = if self.settings.cube_channels & 1 << channel != 0 { Dim::Cube } else { Dim::D2 };
        let image = ImageType {
            kind: ImageKind::Combined,
            dim,
            arrayed: false,
            multisampled: false,
            shadow: false,
            sampled: Scalar::F32,
        };
        let ty = self.b.module.types.intern(TypeKind::Image(image));
        self.shadertoy_var(&format!("iChannel{channel}"), ty, AddressSpace::Handle, Access::Opaque)
    }

    fn shadertoy_var(&mut self, name: &str, ty: Type, space: AddressSpace, access: Access) -> Entity {
        let var = self.b.module.add_var(IrName::new(name, NameSource::Interface), ty, space);
        self.b.module.vars[var].precision = Precision::High;
        Entity::Variable { address: var.into(), ty, access }
    }

    /// `void main() { mainImage(color, gl_FragCoord.xy); }`
    pub(super) fn shadertoy_epilogue(&mut self) {
        if !self.is_shadertoy() || self.stage() != Stage::Fragment || self.error_count > 0 {
            return;
        }
        if self.functions.iter().any(|f| f.name == sym::MAIN && f.defined.is_some()) {
            return;
        }
        let image = self.functions.iter().position(|f| f.name == sym::MAIN_IMAGE && f.defined.is_some());
        let Some(image) = image else { return };
        let params = self.functions[image].params.iter();
        let shape: Vec<(Type, bool)> = params.map(|p| (p.ty, p.direction == Direction::In)).collect();
        let span = self.functions[image].declared;
        if shape != [(Type::VEC4, false), (Type::VEC2, true)] {
            self.fail(
                planish_ir::diagnostic::Code::E0502,
                span,
                "`mainImage` is `void mainImage(out vec4 fragColor, in vec2 fragCoord)`",
            );
            return;
        }
        let module = &mut *self.b.module;
        let name =
            if module.vars.values().any(|v| &*v.name.text == "fragColor") { "shadertoyColor" } else { "fragColor" };
        let color = module.add_var(IrName::new(name, NameSource::Interface), Type::VEC4, AddressSpace::Output);
        module.vars[color].precision = Precision::High;
        module.vars[color].decorations = Decorations::new().with(Decoration::Location(0));
        let Some(coord) = self.fragment_coordinate() else { return };
        let module = &mut *self.b.module;
        let func = module.add_func(IrName::temporary("main"), vec![], vec![], Span::NONE);
        let local = module.add_var(IrName::temporary("color"), Type::VEC4, AddressSpace::Function);
        module.vars[local].precision = Precision::High;
        let callee = self.functions[image].func;
        self.b.begin(Some(func));
        self.b.at(Span::NONE);
        self.b.declare(local);
        let whole = self.b.load(coord);
        let xy = self.b.swizzle(whole, &[0, 1]);
        self.b.call(callee.into(), &[local.into(), xy]);
        let value = self.b.load(local.into());
        self.b.store(color.into(), value);
        self.b.ret(&[]);
        self.b.begin(None);
        self.functions.push(UserFunction::synthetic(sym::MAIN, func, image as u32));
    }

    /// Notes a channel that is sampled by a direction: it is a cube.
    pub(super) fn note_cube_channel(&mut self, operands: &Operands) {
        if !self.is_shadertoy() || operands.len() < 2 || operands[1].ty != Type::VEC3 || !operands[0].place {
            return;
        }
        let Some(var) = operands[0].value.as_var() else { return };
        let name = &self.b.module.vars[var].name.text;
        if let Some(channel) = name.strip_prefix("iChannel").and_then(|n| n.parse::<u8>().ok()) {
            self.wanted_cubes |= 1 << channel;
        }
    }

    fn fragment_coordinate(&mut self) -> Option<Value> {
        match builtin_variables::by_name(self, "gl_FragCoord") {
            Some(Entity::Variable { address, .. }) => Some(address),
            _ => None,
        }
    }
}
