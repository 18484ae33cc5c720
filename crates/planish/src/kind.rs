//! Inputs and outputs: one table each, from which the command's help, `planish targets` and the choice by file
//! extension are derived.

use std::fmt;
use std::str::FromStr;

use planish_ir::diagnostic::did_you_mean;
use planish_ir::module::Stage;

/// A language that Planish reads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum InputKind {
    /// GLSL, ES or desktop; also Shadertoy.
    Glsl,
    /// WGSL.
    Wgsl,
    /// SPIR-V, binary.
    Spirv,
    /// WebAssembly, binary or text.
    Wasm,
    /// VL.
    Vl,
    /// The IR's own text form.
    Ir,
}

/// A row of the table of inputs.
#[derive(Clone, Copy, Debug)]
pub struct InputInfo {
    /// The language.
    pub kind: InputKind,
    /// Its name for `--from`.
    pub name: &'static str,
    /// Extensions of its files, without the dot.
    pub extensions: &'static [&'static str],
    /// Description, for `planish targets`.
    pub about: &'static str,
}

/// Every input.
pub const INPUTS: &[InputInfo] = &[
    InputInfo {
        kind: InputKind::Glsl,
        name: "glsl",
        extensions: &[
            "frag", "vert", "comp", "geom", "tesc", "tese", "task", "mesh", "rgen", "rint", "rahit", "rchit", "rmiss",
            "rcall", "glsl", "fs", "vs", "cs", "fsh", "vsh",
        ],
        about: "GLSL ES 1.00 to 3.20, GLSL 1.20 to 4.60, Shadertoy",
    },
    InputInfo { kind: InputKind::Wgsl, name: "wgsl", extensions: &["wgsl"], about: "WebGPU Shading Language" },
    InputInfo { kind: InputKind::Spirv, name: "spirv", extensions: &["spv"], about: "SPIR-V, binary" },
    InputInfo {
        kind: InputKind::Wasm,
        name: "wasm",
        extensions: &["wasm", "wat"],
        about: "WebAssembly 2.0, binary or text, with tail calls, extended constants, several memories",
    },
    InputInfo {
        kind: InputKind::Vl,
        name: "vl",
        extensions: &["vl"],
        about: "VL, a functional language for numeric code",
    },
    InputInfo { kind: InputKind::Ir, name: "ir", extensions: &["ir"], about: "the IR in its text form" },
];

/// Something that Planish writes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Target {
    /// GLSL of a version.
    Glsl,
    /// WGSL.
    Wgsl,
    /// SPIR-V, binary.
    Spirv,
    /// SPIR-V as naga writes it, with textures and samplers apart.
    SpirvNaga,
    /// Metal Shading Language.
    Msl,
    /// HLSL, shader model 5 and up.
    Hlsl,
    /// WebAssembly, binary.
    Wasm,
    /// WebAssembly, text.
    Wat,
    /// JavaScript, an ES module.
    Js,
    /// JavaScript, asm.js.
    AsmJs,
    /// TypeScript declarations of the ES module.
    Dts,
    /// C11.
    C,
    /// Rust, edition 2024.
    Rust,
    /// An object file for linkers.
    Object,
    /// The C header of the object file.
    Header,
    /// Entry points, resources and layouts, as JSON.
    Reflect,
    /// The dataflow graph of a flat function, as JSON.
    Graph,
    /// The same as a listing.
    GraphText,
    /// The same for Graphviz.
    GraphDot,
    /// The same as a picture.
    GraphSvg,
    /// The same as a MaterialX document.
    Mtlx,
    /// Assembly of the reference register machine, with spans.
    Asm,
    /// A page that shows the contents of each register over time.
    Alloc,
    /// The flow analysis of a VL program as a page.
    Analysis,
    /// The IR in its text form.
    Ir,
    /// The IR as a listing for people.
    Dump,
}

/// A row of the table of targets.
#[derive(Clone, Copy, Debug)]
pub struct TargetInfo {
    /// The target.
    pub target: Target,
    /// Its name for `--emit`.
    pub name: &'static str,
    /// Extensions of its files, without the dot; the first is the usual one.
    pub extensions: &'static [&'static str],
    /// Whether the output is binary.
    pub binary: bool,
    /// Description, for `planish targets`.
    pub about: &'static str,
}

/// Every target.
pub const TARGETS: &[TargetInfo] = &[
    TargetInfo {
        target: Target::Glsl,
        name: "glsl",
        extensions: &["glsl", "frag", "vert", "comp", "geom", "tesc", "tese"],
        binary: false,
        about: "GLSL ES 1.00 to 3.20 and GLSL 3.30 to 4.60 (--glsl-version)",
    },
    TargetInfo {
        target: Target::Wgsl,
        name: "wgsl",
        extensions: &["wgsl"],
        binary: false,
        about: "WebGPU Shading Language",
    },
    TargetInfo { target: Target::Spirv, name: "spirv", extensions: &["spv"], binary: true, about: "SPIR-V for Vulkan" },
    TargetInfo {
        target: Target::SpirvNaga,
        name: "spirv-naga",
        extensions: &["naga.spv"],
        binary: true,
        about: "SPIR-V through naga: textures and samplers apart",
    },
    TargetInfo {
        target: Target::Msl,
        name: "msl",
        extensions: &["metal", "msl"],
        binary: false,
        about: "Metal Shading Language",
    },
    TargetInfo { target: Target::Hlsl, name: "hlsl", extensions: &["hlsl"], binary: false, about: "HLSL for Direct3D" },
    TargetInfo { target: Target::Wasm, name: "wasm", extensions: &["wasm"], binary: true, about: "WebAssembly" },
    TargetInfo {
        target: Target::Wat,
        name: "wat",
        extensions: &["wat"],
        binary: false,
        about: "WebAssembly in its text form",
    },
    TargetInfo {
        target: Target::Js,
        name: "js",
        extensions: &["js", "mjs"],
        binary: false,
        about: "JavaScript: an ES module",
    },
    TargetInfo {
        target: Target::AsmJs,
        name: "asmjs",
        extensions: &["asm.js"],
        binary: false,
        about: "JavaScript: asm.js",
    },
    TargetInfo {
        target: Target::Dts,
        name: "dts",
        extensions: &["d.ts"],
        binary: false,
        about: "TypeScript declarations of the ES module",
    },
    TargetInfo {
        target: Target::C,
        name: "c",
        extensions: &["c"],
        binary: false,
        about: "C11, with its header (--prefix)",
    },
    TargetInfo {
        target: Target::Rust,
        name: "rust",
        extensions: &["rs"],
        binary: false,
        about: "safe Rust, edition 2024",
    },
    TargetInfo {
        target: Target::Object,
        name: "object",
        extensions: &["o", "obj"],
        binary: true,
        about: "an object file for linkers (ELF, Mach-O or COFF), with its C header (--target, --prefix)",
    },
    TargetInfo {
        target: Target::Header,
        name: "header",
        extensions: &["h"],
        binary: false,
        about: "the C header of the object file",
    },
    TargetInfo {
        target: Target::Reflect,
        name: "reflect",
        extensions: &["json"],
        binary: false,
        about: "entry points, resources and layouts as JSON",
    },
    TargetInfo {
        target: Target::Graph,
        name: "graph",
        extensions: &["graph.json", "graph"],
        binary: false,
        about: "the dataflow graph of a flat function as JSON",
    },
    TargetInfo {
        target: Target::GraphText,
        name: "graph-text",
        extensions: &["graph.txt"],
        binary: false,
        about: "the dataflow graph as a listing",
    },
    TargetInfo {
        target: Target::GraphDot,
        name: "graph-dot",
        extensions: &["dot", "gv"],
        binary: false,
        about: "the dataflow graph for Graphviz",
    },
    TargetInfo {
        target: Target::GraphSvg,
        name: "graph-svg",
        extensions: &["svg"],
        binary: false,
        about: "the dataflow graph as a picture (SVG)",
    },
    TargetInfo {
        target: Target::Mtlx,
        name: "mtlx",
        extensions: &["mtlx"],
        binary: false,
        about: "the dataflow graph as a MaterialX document",
    },
    TargetInfo {
        target: Target::Asm,
        name: "asm",
        extensions: &["asm"],
        binary: false,
        about: "assembly of the reference register machine",
    },
    TargetInfo {
        target: Target::Alloc,
        name: "alloc",
        extensions: &["html"],
        binary: false,
        about: "the contents of each register over time, as a self-contained page",
    },
    TargetInfo {
        target: Target::Analysis,
        name: "analysis",
        extensions: &["analysis.html"],
        binary: false,
        about: "the flow analysis of a VL program, as a page that steps through it",
    },
    TargetInfo { target: Target::Ir, name: "ir", extensions: &["ir"], binary: false, about: "the IR in its text form" },
    TargetInfo {
        target: Target::Dump,
        name: "dump",
        extensions: &["dump"],
        binary: false,
        about: "the IR as a listing",
    },
];

impl InputKind {
    /// The row of the table.
    pub fn info(self) -> &'static InputInfo {
        INPUTS.iter().find(|i| i.kind == self).expect("every input has a row")
    }

    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<InputKind> {
        INPUTS.iter().find(|i| i.name == name).map(|i| i.kind)
    }

    /// The kind of a file, by its extension, else by its first bytes; GLSL if nothing else is recognized.
    pub fn detect(file: &str, bytes: &[u8]) -> InputKind {
        let by_extension = extension(file).and_then(|e| INPUTS.iter().find(|i| i.extensions.contains(&e)));
        if let Some(info) = by_extension {
            return info.kind;
        }
        if bytes.starts_with(&[0x03, 0x02, 0x23, 0x07]) || bytes.starts_with(&[0x07, 0x23, 0x02, 0x03]) {
            return InputKind::Spirv;
        }
        if bytes.starts_with(b"\0asm") {
            return InputKind::Wasm;
        }
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(64 << 10)]);
        if text.trim_start().starts_with("(module") {
            return InputKind::Wasm;
        }
        let wgsl = ["@fragment", "@vertex", "@compute", "fn main("].iter().any(|w| text.contains(w));
        if wgsl && !text.contains("void main") { InputKind::Wgsl } else { InputKind::Glsl }
    }
}

impl Target {
    /// The row of the table.
    pub fn info(self) -> &'static TargetInfo {
        TARGETS.iter().find(|t| t.target == self).expect("every target has a row")
    }

    /// Whether resources and varyings have numbers in it, or it tells them.
    pub fn numbers_resources(self) -> bool {
        self.is_shading_language() && self != Target::Glsl || self == Target::Reflect
    }

    /// Whether it is a shading language.
    pub fn is_shading_language(self) -> bool {
        match self {
            Target::Glsl | Target::Wgsl | Target::Spirv | Target::SpirvNaga | Target::Msl | Target::Hlsl => true,
            Target::Wasm
            | Target::Wat
            | Target::Asm
            | Target::Alloc
            | Target::Reflect
            | Target::Ir
            | Target::Dump
            | Target::Analysis => false,
            Target::Js | Target::AsmJs | Target::Dts => false,
            Target::C | Target::Rust | Target::Object | Target::Header => false,
            Target::Graph | Target::GraphText | Target::GraphDot | Target::GraphSvg | Target::Mtlx => false,
        }
    }

    /// Whether it is an object file or its header.
    pub fn is_object(self) -> bool {
        matches!(self, Target::Object | Target::Header)
    }

    /// Whether it is a form of the dataflow graph.
    pub fn is_graph(self) -> bool {
        matches!(self, Target::Graph | Target::GraphText | Target::GraphDot | Target::GraphSvg | Target::Mtlx)
    }

    /// The target with this name.
    pub fn from_name(name: &str) -> Option<Target> {
        TARGETS.iter().find(|t| t.name == name).map(|t| t.target)
    }

    /// The target of a file, by the longest known extension: `a.graph.json` is a graph.
    pub fn from_file(file: &str) -> Option<Target> {
        let name = file.rsplit(['/', '\\']).next()?;
        let all = TARGETS.iter().flat_map(|t| t.extensions.iter().map(move |e| (*e, t.target)));
        let is_its = |e: &str| name.strip_suffix(e).is_some_and(|stem| stem.ends_with('.'));
        all.filter(|(e, _)| is_its(e)).max_by_key(|(e, _)| e.len()).map(|(_, target)| target)
    }
}

impl fmt::Display for Target {
    /// Its name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.info().name)
    }
}

impl FromStr for Target {
    type Err = String;

    /// The target with this name; the error is in words for the user.
    fn from_str(name: &str) -> Result<Self, String> {
        let unknown = || format!("unknown target `{name}`{}", suggest(name, TARGETS.iter().map(|target| target.name)));
        Target::from_name(name).ok_or_else(unknown)
    }
}

impl fmt::Display for InputKind {
    /// Its name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.info().name)
    }
}

impl FromStr for InputKind {
    type Err = String;

    /// The language with this name; the error is in words for the user.
    fn from_str(name: &str) -> Result<Self, String> {
        let unknown = || format!("unknown language `{name}`{}", suggest(name, INPUTS.iter().map(|input| input.name)));
        InputKind::from_name(name).ok_or_else(unknown)
    }
}

/// A suggestion to append to a message about an unknown name, if a known name is near: `; did you mean …?`.
pub fn suggest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    did_you_mean(name, known).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
}

/// The stage of a shader file, by its extension: `a.frag`, `a.frag.glsl`, `a.fs`.
pub fn stage_from_file(file: &str) -> Option<Stage> {
    let stem = file.strip_suffix(".glsl").unwrap_or(file);
    Some(match extension(stem)? {
        "fs" | "fsh" => Stage::Fragment,
        "vs" | "vsh" => Stage::Vertex,
        "cs" => Stage::Compute,
        other => return Stage::of_file_extension(other),
    })
}

fn extension(file: &str) -> Option<&str> {
    let name = file.rsplit(['/', '\\']).next()?;
    name.rsplit_once('.').map(|(_, e)| e)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_tell_what_they_are() {
        assert_eq!(InputKind::detect("a/b.frag", b""), InputKind::Glsl);
        assert_eq!(InputKind::detect("-", b"@fragment fn f() {}"), InputKind::Wgsl);
        assert_eq!(InputKind::detect("-", &[3, 2, 0x23, 7]), InputKind::Spirv);
        assert_eq!(InputKind::detect("-", b"\0asm\x01\0\0\0"), InputKind::Wasm);
        assert_eq!(InputKind::detect("-", b"\n(module)"), InputKind::Wasm);
        assert_eq!(InputKind::detect("x.wat", b""), InputKind::Wasm);
        assert_eq!(stage_from_file("x.vert.glsl"), Some(Stage::Vertex));
        assert_eq!(stage_from_file("x.rahit"), Some(Stage::AnyHit));
        assert_eq!(InputKind::detect("a/x.mesh", b""), InputKind::Glsl);
        assert_eq!(Target::from_file("x.metal"), Some(Target::Msl));
        assert_eq!(Target::from_file("frag"), None);
        assert_eq!(Target::from_file("a/x.json"), Some(Target::Reflect));
        assert_eq!(Target::from_file("a/x.graph.json"), Some(Target::Graph));
        assert_eq!(Target::from_file("a.b/graph.json"), Some(Target::Reflect));
        assert_eq!(Target::from_file("x.naga.spv"), Some(Target::SpirvNaga));
        assert_eq!(Target::from_file("a/x.js"), Some(Target::Js));
        assert_eq!(Target::from_file("a/x.asm.js"), Some(Target::AsmJs));
        assert_eq!(Target::from_file("x.d.ts"), Some(Target::Dts));
        assert_eq!(Target::from_file("a.b/x.o"), Some(Target::Object));
        assert_eq!(Target::from_file("x.obj"), Some(Target::Object));
        assert_eq!(Target::from_file("x.h"), Some(Target::Header));
    }

    #[test]
    fn names_are_unique() {
        for (i, a) in TARGETS.iter().enumerate() {
            assert!(TARGETS[..i].iter().all(|b| a.name != b.name));
        }
    }
}
