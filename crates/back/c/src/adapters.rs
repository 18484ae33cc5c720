//! Functions between the convention of the interface and that of the program, whose values are scalars.

use std::fmt::Write as _;

use planish_back_header::header::unique_members;
use planish_back_header::{CFunction, CResults, Passing};
use planish_ir::entity::Type;
use planish_ir::module::Module;
use planish_ir::types::TypeKind;
use rustc_hash::FxHashMap;

use crate::syntax::type_text;
use crate::vectors::is_vector;
use crate::writer::Writer;

/// Whether a function has the same parameters and results on both sides.
pub(crate) fn is_plain(function: &CFunction, w: &Writer<'_>) -> bool {
    has_scalars(function) && w.has_instance() == w.interface.takes_instance()
}

/// Whether a function takes and gives nothing but scalars, one result at most.
pub(crate) fn has_scalars(function: &CFunction) -> bool {
    function.params.iter().all(|param| matches!(param.passing, Passing::Value(_)))
        && matches!(function.results, CResults::None | CResults::Value(..))
}

/// A component of a value in C.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    place: String,
    /// A vector, which is bytes in C.
    is_vector: bool,
}

impl Part {
    fn scalar(place: String) -> Part {
        Part { place, is_vector: false }
    }

    /// Its value, as functions of the program take it.
    pub(crate) fn read(&self) -> String {
        if self.is_vector { format!("v128_read(&{})", self.place) } else { self.place.clone() }
    }

    /// The statement that gives it a value.
    pub(crate) fn write(&self, value: &str) -> String {
        match self.is_vector {
            true => format!("v128_write(&{}, {value});", self.place),
            false => format!("{} = {value};", self.place),
        }
    }
}

/// The components of a value in C, in the order in which functions pass them.
/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
pub(crate) fn places(module: &Module, ty: Type, base: &str, out: &mut Vec<Part>) {
    match &module.types[ty] {
        &TypeKind::Vector(_, n) if n <= 4 => {
            let members = ["x", "y", "z", "w"][..n.into()].iter();
            out.extend(members.map(|member| Part::scalar(format!("{base}.{member}"))));
        }
        &TypeKind::Vector(_, n) => out.extend((0..n).map(|i| Part::scalar(format!("{base}.c[{i}]")))),
        &TypeKind::Matrix { columns, rows, .. } => {
            let all = (0..columns).flat_map(|c| (0..rows).map(move |r| (c, r)));
            out.extend(all.map(|(c, r)| Part::scalar(format!("{base}.columns[{c}][{r}]"))));
        }
        &TypeKind::Array { element, len } => {
            (0..len).for_each(|i| places(module, element, &format!("{base}[{i}]"), out));
        }
        TypeKind::Struct(s) => {
            let members: Vec<(String, Type)> = unique_members(s.members.iter().map(|m| (&*m.name, m.ty)));
            members.iter().for_each(|(name, ty)| places(module, *ty, &format!("{base}.{name}"), out));
        }
        kind => out.push(Part { place: base.to_owned(), is_vector: is_vector(kind) }),
    }
}

/// The value behind a pointer parameter: arrays are their first elements.
fn behind(module: &Module, ty: Type, name: &str) -> String {
    if matches!(module.types[ty], TypeKind::Array { .. }) { name.to_owned() } else { format!("(*{name})") }
}

/// All that adapters have in common.
#[derive(Clone, Copy)]
pub(crate) struct Adapters<'a, 'm> {
    pub(crate) w: &'a Writer<'m>,
    /// The module whose types the interface has.
    pub(crate) source: &'m Module,
    /// Names of structures in C.
    pub(crate) types: &'a FxHashMap<Type, String>,
    /// Statements that make an instance in the frame, where the interface has none.
    pub(crate) frame: &'a str,
}

impl Adapters<'_, '_> {
    /// The declaration of `name` with a type.
    /// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    fn declare(&self, ty: Type, name: &str) -> String {
        if let TypeKind::Array { element, len } = self.source.types[ty] {
            return self.declare(element, &format!("{name}[{len}]"));
        }
        let text = self.types.get(&ty).map_or(type_text(&self.source.types[ty]), String::as_str);
        if text.ends_with('*') { format!("{text}{name}") } else { format!("{text} {name}") }
    }

    fn pointer(&self, ty: Type, name: &str, is_const: bool) -> String {
        let constant = if is_const { "const " } else { "" };
        let is_array = matches!(self.source.types[ty], TypeKind::Array { .. });
        let text = if is_array { self.declare(ty, name) } else { self.declare(ty, &format!("*{name}")) };
        format!("{constant}{text}")
    }

    /// The head of a function of the interface.
    fn head(&self, function: &CFunction) -> String {
        let mut params = Vec::new();
        if self.w.interface.takes_instance() {
            params.push(format!("{} *self", self.w.instance));
        }
        for param in &function.params {
            params.push(match param.passing {
                Passing::Value(_) => self.declare(param.ty, &param.name),
                Passing::In => self.pointer(param.ty, &param.name, true),
                Passing::InOut => self.pointer(param.ty, &param.name, false),
                Passing::Slice(slice) => {
                    let constant = if slice.is_written { "" } else { "const " };
                    let number = planish_back_header::header::number_name(slice.number);
                    format!("{constant}{number} *{0}, uint32_t {0}_len", param.name)
                }
            });
        }
        let result = match &function.results {
            CResults::None => "void ".to_owned(),
            CResults::Value(ty, _) => self.declare(*ty, ""),
            CResults::Pointer(ty) => {
                params.push(self.pointer(*ty, "result", false));
                "void ".to_owned()
            }
            CResults::Struct(_) => {
                params.push(format!("{}_result *result", function.c_name));
                "void ".to_owned()
            }
        };
        let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
        format!("{result}{}({params})", function.c_name)
    }

    /// The components of the results of a function of the interface.
    fn result_places(&self, function: &CFunction, result: &str) -> Vec<Part> {
        let mut out = Vec::new();
        match &function.results {
            CResults::None => {}
            CResults::Value(..) => out.push(Part::scalar(result.to_owned())),
            CResults::Pointer(ty) => places(self.source, *ty, &behind(self.source, *ty, result), &mut out),
            CResults::Struct(types) => {
                for (i, &ty) in types.iter().enumerate() {
                    places(self.source, ty, &format!("{result}->r{i}"), &mut out);
                }
            }
        }
        out
    }

    /// A function of the interface that calls one of the program.
    pub(crate) fn export(&self, function: &CFunction, name: &str) -> String {
        let mut out = format!("{} {{\n", self.head(function));
        let mut args = Vec::new();
        if self.w.has_instance() {
            let own = self.w.interface.takes_instance();
            args.push(if own { "self" } else { "&planish_frame" }.to_owned());
            if !own {
                out.push_str(self.frame);
            }
        }
        for param in &function.params {
            match param.passing {
                Passing::Value(_) => args.push(param.name.clone()),
                Passing::In | Passing::InOut => {
                    let mut parts = Vec::new();
                    places(self.source, param.ty, &behind(self.source, param.ty, &param.name), &mut parts);
                    args.extend(parts.iter().map(Part::read));
                }
                Passing::Slice(slice) => {
                    let memory = &self.w.state.memories[slice.memory.as_u32() as usize];
                    let (name, stride) = (&param.name, slice.stride());
                    let _ = write!(
                        out,
                        "    if ((uint64_t){name}_len * {stride}u > UINT32_MAX) \
                         planish_trap(PLANISH_TRAP_OUT_OF_BOUNDS_MEMORY, NULL, 0u, 0u);\n    \
                         planish_frame.{memory}.data = (uint8_t *){name};\n    \
                         planish_frame.{memory}.size = (size_t){name}_len * {stride}u;\n"
                    );
                    args.push(if self.is_signed(function, args.len()) {
                        format!("(int32_t){name}_len")
                    } else {
                        format!("{name}_len")
                    });
                }
            }
        }
        let call = format!("{name}({})", args.join(", "));
        let places = self.result_places(function, "result");
        let types = self.w.results_of(function.func);
        match (&function.results, &types[..]) {
            (CResults::None, _) => _ = writeln!(out, "    {call};"),
            (CResults::Value(..), _) => _ = writeln!(out, "    return {call};"),
            (_, [_]) => _ = writeln!(out, "    {}", places[0].write(&call)),
            (_, several) => {
                let _ = writeln!(out, "    const {} planish_results = {call};", self.w.results_name(several));
                for (i, place) in places.iter().enumerate() {
                    let _ = writeln!(out, "    {}", place.write(&format!("planish_results.r{i}")));
                }
            }
        }
        out.push_str("}\n");
        out
    }

    /// Whether a parameter of the program's function is an `i32`.
    fn is_signed(&self, function: &CFunction, args: usize) -> bool {
        let params = &self.w.module.funcs[function.func].params;
        let number = args - usize::from(self.w.has_instance());
        params.get(number).is_some_and(|param| param.ty == Type::I32)
    }

    /// A function of the program that calls one of the interface.
    pub(crate) fn import(&self, function: &CFunction, name: &str) -> String {
        let own = &self.w.module.funcs[function.func];
        let types = self.w.results_of(function.func);
        let mut params = Vec::new();
        if self.w.has_instance() {
            params.push(format!("{} *self", self.w.instance));
        }
        for (i, param) in own.params.iter().enumerate() {
            let ty = type_text(&self.w.module.types[param.ty]);
            params.push(format!("{ty} p{i}"));
        }
        let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
        let mut out = format!("static {} {name}({params}) {{\n", self.w.return_type(&types));
        let mut given = Vec::new();
        match self.w.interface.takes_instance() {
            true => given.push("self".to_owned()),
            false if self.w.has_instance() => out.push_str("    (void)self;\n"),
            false => {}
        }
        let mut next = 0..own.params.len();
        for (i, param) in function.params.iter().enumerate() {
            if let Passing::Value(_) = param.passing {
                given.extend(next.next().map(|n| format!("p{n}")));
                continue;
            }
            let local = format!("a{i}");
            let _ = writeln!(out, "    {};", self.declare(param.ty, &local));
            let mut parts = Vec::new();
            places(self.source, param.ty, &local, &mut parts);
            for part in parts {
                let n = next.next().unwrap_or(0);
                let _ = writeln!(out, "    {}", part.write(&format!("p{n}")));
            }
            let is_array = matches!(self.source.types[param.ty], TypeKind::Array { .. });
            given.push(if is_array { local } else { format!("&{local}") });
        }
        match &function.results {
            CResults::None | CResults::Value(..) => {}
            CResults::Pointer(ty) => {
                let _ = writeln!(out, "    {};", self.declare(*ty, "value"));
                let is_array = matches!(self.source.types[*ty], TypeKind::Array { .. });
                given.push(if is_array { "value" } else { "&value" }.to_owned());
            }
            CResults::Struct(_) => {
                let _ = writeln!(out, "    {}_result value;", function.c_name);
                given.push("&value".to_owned());
            }
        }
        let call = format!("{}({})", function.c_name, given.join(", "));
        let mut parts = Vec::new();
        match &function.results {
            CResults::None => _ = writeln!(out, "    {call};"),
            CResults::Value(..) => _ = writeln!(out, "    return {call};"),
            CResults::Pointer(ty) => places(self.source, *ty, "value", &mut parts),
            CResults::Struct(types) => {
                for (i, &ty) in types.iter().enumerate() {
                    places(self.source, ty, &format!("value.r{i}"), &mut parts);
                }
            }
        }
        match &parts[..] {
            [] => {}
            [one] => _ = writeln!(out, "    {call};\n    return {};", one.read()),
            all => {
                let name = self.w.results_name(&types);
                let all: Vec<String> = all.iter().map(Part::read).collect();
                let _ = writeln!(out, "    {call};\n    return ({name}){{{}}};", all.join(", "));
            }
        }
        out.push_str("}\n");
        out
    }
}
