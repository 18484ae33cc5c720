//! Argument buffers: the resources of a group as members of one struct, which the host binds as a whole.
//!
//! ```text
//! struct Group0 {
//!     constant Camera* camera [[id(0)]];
//!     texture2d<float> map [[id(1)]];
//! };
//! fragment float4 fragment_main(constant Group0& group_0 [[buffer(0)]]) {
//!     constant Camera &camera = *group_0.camera;
//!     texture2d<float> map = group_0.map;
//! ```

use planish_back_text::tree::{Expr, ExprKind, Symbol};
use planish_ir::entity::Func;

use crate::indices::group_name;
use crate::language::Writer;
use crate::syntax::{passed_type, space};

/// Gives each argument buffer a struct.
pub(crate) fn name_structs(w: &mut Writer<'_>) {
    let groups: Vec<u32> = w.language.indices.groups.keys().copied().collect();
    w.language.groups =
        groups.into_iter().map(|group| (group, w.text.tree.add_symbol(format!("Group{group}")))).collect();
}

/// The declaration of a struct, as lines.
pub(crate) fn struct_lines(w: &Writer<'_>, group: u32, symbol: Symbol) -> Vec<String> {
    let members =
        (0..w.prepared.declared.len() as u32).map(Symbol).filter(|&s| w.language.indices.group(s) == Some(group));
    let member = |s: Symbol| {
        let (ty, sign) = passed_type(w, s);
        // There are no references in structs of the host.
        let sign = if sign.is_empty() { "" } else { "*" };
        format!("    {ty}{sign} {} {};", w.name(s), w.language.indices.attribute(s))
    };
    let head = format!("struct {} {{", w.name(symbol));
    [head].into_iter().chain(members.map(member)).chain(["};".into()]).collect()
}

/// The member of the argument buffer, for a declaration that is in one.
pub(crate) fn unpacked(w: &mut Writer<'_>, func: Func, symbol: Symbol) -> Option<Expr> {
    let group = w.language.indices.group(symbol)?;
    let known = w.language.group_params.iter().find(|p| p.0 == func && p.1 == group).map(|p| p.2);
    let param = known.unwrap_or_else(|| {
        let param = w.text.tree.add_symbol(group_name(group));
        w.own_params.push(param);
        w.language.group_params.push((func, group, param));
        param
    });
    let base = w.text.tree.name(param);
    let member = w.text.tree.add(ExprKind::Field(base, symbol));
    let is_reference = sign(w, symbol) == "&";
    Some(if is_reference { w.text.tree.add(ExprKind::Deref(member)) } else { member })
}

/// `&` or `*` before the name of a declaration that is in an argument buffer.
pub(crate) fn sign(w: &Writer<'_>, symbol: Symbol) -> &'static str {
    if w.language.indices.group(symbol).is_some() { passed_type(w, symbol).1 } else { "" }
}

/// Parameters of an entry point that are argument buffers.
pub(crate) fn parameters(w: &Writer<'_>, func: Func) -> Vec<String> {
    let of = |&(_, group, param): &(Func, u32, Symbol)| {
        let ty = w.language.groups.iter().find(|g| g.0 == group).map(|g| w.name(g.1)).unwrap_or_default();
        let attribute = w.language.indices.groups.get(&group).map(|a| a.attribute()).unwrap_or_default();
        format!("constant {ty}& {}{}{attribute}", w.name(param), space(w))
    };
    w.language.group_params.iter().filter(|p| p.0 == func).map(of).collect()
}
