//! The limits of uniforms and varyings in WebGL: the variables that the shader uses fit into the rows that each
//! implementation has. Samplers take no rows.

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Type, Var};
use planish_ir::module::Stage;
use planish_ir::types::{AddressSpace, TypeKind};
use rustc_hash::FxHashSet;

use super::Checker;
use crate::webgl::{Item, WebGl, fits, rows_needed};

impl Checker<'_, '_> {
    /// Reports uniforms and varyings that do not fit.
    pub(super) fn check_packing(&mut self) {
        let Some(limits) = self.settings.webgl.limits() else { return };
        let (uniforms, varyings, space, what) = match self.stage() {
            Stage::Vertex => (limits.vertex_uniforms, limits.vertex_outputs, AddressSpace::Output, "outputs"),
            Stage::Fragment => (limits.fragment_uniforms, limits.fragment_inputs, AddressSpace::Input, "inputs"),
            _ => return,
        };
        let used = self.used_variables();
        self.check_space(&used, AddressSpace::Uniform, uniforms, "uniforms");
        self.check_space(&used, space, varyings, what);
    }

    /// Variables that some function mentions.
    fn used_variables(&self) -> FxHashSet<Var> {
        let mut used = FxHashSet::default();
        for body in self.b.module.funcs.values().filter_map(|f| f.body.as_ref()) {
            for (node, _) in body.nodes() {
                used.extend(body.args(node).iter().filter_map(|value| value.as_var()));
            }
        }
        used
    }

    fn check_space(&mut self, used: &FxHashSet<Var>, space: AddressSpace, limit: u64, what: &str) {
        let module = &*self.b.module;
        let counts = |&&var: &&Var| {
            let data = &module.vars[var];
            data.space == space
                && used.contains(&var)
                && data.decorations.builtin().is_none()
                // Blocks have memory of their own.
                && data.decorations.block_layout().is_none()
        };
        let vars: Vec<Var> = module.globals.iter().filter(counts).copied().collect();
        let items_of = |vars: &[Var]| {
            let mut items = vec![];
            vars.iter().for_each(|&var| self.add_items(module.vars[var].ty, 1, 1, &mut items));
            items
        };
        let items = items_of(&vars);
        if fits(&items, limit) {
            return;
        }
        let needed = rows_needed(&items, limit);
        // The first declaration at which they are too many.
        let (mut low, mut high) = (0, vars.len());
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            *(if fits(&items_of(&vars[..middle]), limit) { &mut low } else { &mut high }) = middle;
        }
        let span = module.vars[vars[high - 1]].span;
        let (number, stage) = match (self.settings.webgl, self.stage()) {
            (WebGl::One, Stage::Vertex) => (1, "vertex"),
            (WebGl::One, _) => (1, "fragment"),
            (_, Stage::Vertex) => (2, "vertex"),
            _ => (2, "fragment"),
        };
        let message = format!("the {what} need {needed} rows of four components, but WebGL {number} has {limit}");
        self.error(
            Diagnostic::error(Code::E0505, span, message)
                .label(format!("from here on they do not fit into a {stage} shader"))
                .note(
                    "this is the least limit; the specification packs vectors and arrays into rows of four components",
                )
                .help("make arrays shorter, join scalars into vectors, or leave out `=1` or `=2` after `--webgl`"),
        );
    }

    /// The items of `count` variables of a type, each an array of `length`.
    /// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    fn add_items(&self, ty: Type, length: u64, count: u64, items: &mut Vec<Item>) {
        let mut add = |columns, rows: u64, order| {
            items.push(Item { columns, rows: rows.saturating_mul(length), count, order });
        };
        match self.kind(ty) {
            TypeKind::Scalar(_) => add(1, 1, 6),
            TypeKind::Vector(_, 2) => add(2, 1, 5),
            TypeKind::Vector(_, 3) => add(3, 1, 4),
            TypeKind::Vector(..) => add(4, 1, 2),
            // A matrix takes the space of the square one with the larger size.
            TypeKind::Matrix { columns, rows, .. } => match columns.max(rows) {
                2 => add(4, 2, 1),
                3 => add(3, 3, 3),
                _ => add(4, 4, 0),
            },
            TypeKind::Array { element, len } => {
                let len = u64::from(*len);
                // Elements of arrays of structs are variables of their own.
                match self.kind(*element) {
                    TypeKind::Struct(_) | TypeKind::Array { .. } => {
                        self.add_items(*element, length, count.saturating_mul(len), items);
                    }
                    _ => self.add_items(*element, length.saturating_mul(len), count, items),
                }
            }
            TypeKind::Struct(s) => {
                for member in &s.members {
                    self.add_items(member.ty, length, count, items);
                }
            }
            _ => {}
        }
    }
}
