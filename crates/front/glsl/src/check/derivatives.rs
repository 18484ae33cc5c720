//! Derivatives in compute shaders: the groups of invocations that they are taken over (`GL_NV_compute_shader_derivatives`, section 4.4.1.4).

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::module::{DerivativeGroup, Stage};
use planish_ir::ops::{Op, TextureFlags};
use planish_ir::source::Span;

use super::Checker;
use crate::builtins::Action;

/// The layout and the uses of derivatives in a compute shader.
#[derive(Default)]
pub(super) struct DerivativeFacts {
    /// The layout.
    group: Option<Span>,
    /// The first use.
    used: Option<Span>,
}

impl Checker<'_, '_> {
    /// `layout(derivative_group_quadsNV) in;`
    pub(super) fn derivative_group(&mut self, group: DerivativeGroup, span: Span) {
        let earlier = self.properties.derivative_group.replace(group);
        let first = self.program_facts.derivatives.group.get_or_insert(span);
        if earlier.is_some_and(|earlier| earlier != group) {
            let first = *first;
            self.error(
                Diagnostic::error(Code::E0404, span, "a shader has one group of derivatives")
                    .also(first, "an earlier layout names the other")
                    .help("remove one of the two"),
            );
        }
    }

    /// Notes a built-in function that takes derivatives, in a compute shader.
    pub(super) fn note_derivative(&mut self, action: Action, span: Span) {
        if self.stage() != Stage::Compute {
            return;
        }
        let takes = match action {
            Action::Op(op) => matches!(
                op,
                Op::Dfdx
                    | Op::Dfdy
                    | Op::Fwidth
                    | Op::DfdxFine
                    | Op::DfdyFine
                    | Op::FwidthFine
                    | Op::DfdxCoarse
                    | Op::DfdyCoarse
                    | Op::FwidthCoarse
            ),
            Action::Texture(texture) => texture.flags.has(TextureFlags::BIAS),
            _ => false,
        };
        if takes {
            self.program_facts.derivatives.used.get_or_insert(span);
        }
    }

    /// Reports derivatives without a group, and sizes of work groups that do not fit theirs.
    pub(super) fn check_derivatives(&mut self) {
        let facts = &self.program_facts.derivatives;
        let (group, used) = (facts.group, facts.used);
        if let (None, Some(used)) = (group, used) {
            self.error(
                Diagnostic::error(Code::E0404, used, "the shader has no group of invocations for its derivatives")
                    .help("write `layout(derivative_group_quadsNV) in;` or `layout(derivative_group_linearNV) in;`"),
            );
        }
        let (Some(span), Some(kind)) = (group, self.properties.derivative_group) else { return };
        if self.properties.local_size_ids.iter().any(Option::is_some) {
            return;
        }
        let [x, y, z] = self.properties.local_size.unwrap_or([1; 3]);
        let wrong = match kind {
            DerivativeGroup::Quads if x % 2 != 0 || y % 2 != 0 => "`local_size_x` and `local_size_y` must be even",
            DerivativeGroup::Linear if x.wrapping_mul(y).wrapping_mul(z) % 4 != 0 => {
                "the number of invocations in a work group must be a multiple of four"
            }
            _ => return,
        };
        self.error(
            Diagnostic::error(Code::E0404, span, format!("{wrong} for these derivatives"))
                .note(format!("the size of the work group is {x} x {y} x {z}")),
        );
    }
}
