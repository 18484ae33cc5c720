//! Stable codes of all diagnostics, in one table. The meaning of a code never changes, and codes are not reused.
//!
//! Each code has a page `crates/planish/errors/CODE.md` (a tidy test checks it), which `planish explain CODE` prints.
//!
//! | range | stage |
//! | --- | --- |
//! | E01xx | reading: preprocessor and tokens |
//! | E02xx | syntax |
//! | E03xx | names, types, overloads, constant expressions |
//! | E04xx | declarations: qualifiers, layouts, blocks, storage |
//! | E05xx | the whole program: linking rules, recursion, entry points, limits |
//! | E06xx | targets: constructs that a target does not support |
//! | E07xx | WGSL and SPIR-V input; E0710 to E0712: embedding the library |
//! | E08xx | VL |
//! | E09xx | IR text form and verifier |
//! | E10xx | the stages of a program together |
//! | E11xx | flattening |
//! | E12xx | WebAssembly input |
//! | E13xx | running |
//! | E14xx | staging |
//! | W01xx | warnings |

/// A stable code such as `E0101`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Code(pub &'static str);

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

impl std::fmt::Debug for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

/// A row of the table of codes.
#[derive(Clone, Copy, Debug)]
pub struct CodeInfo {
    /// The code.
    pub code: Code,
    /// Meaning, in a few words.
    pub title: &'static str,
    /// Name of a warning, as in `--deny`; empty for an error.
    pub name: &'static str,
}

macro_rules! codes {
    (@name) => { "" };
    (@name $short:literal) => { $short };
    ($($name:ident $title:literal $(=> $short:literal)?)*) => {
        impl Code {
            $(#[doc = $title] pub const $name: Code = Code(stringify!($name));)*
        }
        /// Every code, in order.
        pub const CODES: &[CodeInfo] = &[$(CodeInfo { code: Code::$name, title: $title, name: codes!(@name $($short)?) }),*];
    };
}

codes! {
    // Reading.
    E0101 "unknown character"
    E0102 "malformed number"
    E0103 "unterminated comment"
    E0104 "unknown or malformed preprocessor directive"
    E0105 "malformed `#version`"
    E0106 "unknown or unsupported extension"
    E0107 "`#error`"
    E0108 "malformed macro definition"
    E0109 "wrong use of a macro"
    E0110 "unbalanced `#if`"
    E0111 "malformed preprocessor expression"
    E0112 "include not found"
    E0113 "limit of the preprocessor reached"

    // Syntax.
    E0201 "unexpected token"
    E0202 "unbalanced bracket"
    E0203 "reserved word"
    E0204 "nesting too deep"
    E0205 "part of another version of GLSL"
    E0206 "part of GLSL that is not supported"

    // Names, types, constants.
    E0301 "unknown name"
    E0302 "mismatched types"
    E0303 "no matching function"
    E0304 "name defined twice"
    E0305 "wrong arguments of a constructor"
    E0306 "wrong index"
    E0307 "no such member"
    E0308 "not something that can be written"
    E0309 "not a constant expression"
    E0310 "condition is not a boolean"
    E0311 "not in this version or stage"
    E0312 "wrong use of `void`"
    E0313 "wrong returned value"
    E0314 "jump out of nowhere"
    E0315 "wrong `switch`"
    E0316 "name of another kind"
    E0317 "wrong size of an array"
    E0318 "ambiguous call"

    // Declarations.
    E0401 "qualifier does not belong here"
    E0402 "contradicting qualifiers"
    E0403 "missing precision"
    E0404 "wrong layout"
    E0405 "sampler or image out of place"
    E0406 "wrong initializer"
    E0407 "type cannot cross between stages"
    E0408 "wrong redeclaration of a built-in variable"
    E0409 "wrong block"
    E0410 "function declared differently"
    E0411 "array without a size"
    E0412 "reserved name"

    // The whole program.
    E0501 "recursion"
    E0502 "missing or wrong `main`"
    E0503 "function is not defined"
    E0504 "both `gl_FragColor` and `gl_FragData`"
    E0505 "not allowed in WebGL"
    E0506 "limit of the compiler reached"
    E0508 "not supported"

    // WGSL and SPIR-V input.
    E0701 "WGSL that cannot be read"
    E0702 "shader module that is not valid"
    E0703 "malformed or unknown SPIR-V"
    E0704 "part of WGSL or SPIR-V that is not supported"
    E0705 "override without a value"
    E0706 "memory layout that cannot be represented"
    E0707 "limit of the WGSL and SPIR-V reader reached"
    E0708 "invalid aliased pointer argument"
    E0710 "op of the user's own that no phase has lowered"
    E0711 "language that this build leaves out"
    E0712 "setting that the program has no use for"
    E0713 "wrong directive in WGSL"

    // Targets.
    E0601 "stage that the target does not have"
    E0602 "type that the target does not have"
    E0603 "built-in variable that the target does not have"
    E0604 "operation that the target does not have"
    E0605 "use of a texture that the target does not have"
    E0606 "memory layout that the target cannot express"
    E0607 "resource that the target cannot bind"
    E0608 "control flow that the target cannot express"
    E0609 "stage input or output that the target does not have"
    E0610 "growable array that the target cannot hold"
    E0680 "pointers that may alias"
    E0690 "nested deeper than the target allows"
    E0699 "the back end made an invalid module"

    // VL.
    E0801 "unbalanced parenthesis or quote"
    E0802 "malformed number or constant"
    E0803 "nested too deep"
    E0804 "malformed form"
    E0805 "reserved name"
    E0806 "name that is not bound"
    E0807 "name that is bound twice"
    E0808 "value used before it is computed"
    E0809 "file that cannot be included"
    E0810 "argument of another shape than the parameter"
    E0811 "primitive applied to what it does not take"
    E0812 "application of a value that is not a procedure"
    E0813 "arms of different shapes"
    E0814 "`error` that is certain to be reached"
    E0815 "analysis that does not end"
    E0816 "procedure that cannot be exported"
    E0817 "value that cannot leave the program"
    E0818 "program that never gives a value"
    E0819 "program without a value"
    E0820 "record of unknown length in reverse mode"

    // IR text form and verifier.
    E0901 "malformed IR text"
    E0902 "IR is not valid"
    E0904 "pointer that is one of several, or kept in memory"

    // The stages of a program.
    E1001 "stages do not fit"
    E1002 "height of the frame that the shader cannot read"

    // Flattening.
    E1101 "loop without a bound"
    E1102 "recursion cannot be flattened"
    E1103 "effect that dataflow cannot have"
    E1104 "call that cannot be inlined"
    E1105 "operation that the graph does not have"
    E1106 "flat function too large"
    E1107 "memory that cannot become values"

    // WebAssembly input.
    E1201 "malformed WebAssembly"
    E1202 "WebAssembly module that is not valid"
    E1203 "part of WebAssembly that is not supported"
    E1204 "malformed WebAssembly text"
    E1205 "limit of the WebAssembly reader reached"

    // Running.
    E1301 "the program trapped"
    E1302 "function too large for the virtual machine"
    E1303 "a limit of the run was reached"

    // Staging.
    E1401 "staged value used where it does not exist"
    E1402 "functions are made without end"
    E1403 "jump out of a block that is not around it"
    E1404 "`return_` of another type than the function gives"
    E1405 "Variable of Rust changed by code that the program runs under a condition"
    E1406 "Function of slices for another target"
    E1407 "frozen list that is changed"
    E1408 "operation without a derivative"
    E1421 "export that is no program of its own"
    E1422 "program that cannot be written as bytes"
    E1423 "bytes that are no program"
    E1424 "program of a newer version"
    E1425 "damaged program"
    E1426 "program of another signature"

    // Warnings.
    W0101 "unused variable" => "unused-variable"
    W0102 "variable may be read before it is written" => "maybe-unwritten"
    W0103 "unreachable code" => "unreachable-code"
    W0104 "implicit truncation" => "implicit-truncation"
    W0105 "division by constant zero" => "division-by-zero"
    W0106 "comment continued by a backslash" => "continued-comment"
    W0107 "number out of range" => "number-out-of-range"
    W0108 "reserved name of a macro" => "reserved-macro-name"
    W0109 "`#pragma planish` without effect" => "pragma-without-effect"
    W0110 "procedure that becomes very many functions" => "many-functions"
    W0111 "override that is fixed at its default value" => "fixed-override"
    W0151 "no effect on the target" => "no-effect"
    W0152 "approximated on the target" => "approximated"
    W0153 "name changed on the target" => "renamed"
}
