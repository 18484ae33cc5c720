//! The constructs of a language, as data: lowering asks these, never which language it writes.

/// Constructs that a language has. Everything that it lacks is written with the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Abilities {
    /// `for (init; condition; step)`. Without it, the step stands at the end of a `while`.
    pub for_loops: ForLoops,
    /// `do { … } while (condition)`.
    pub do_while: bool,
    /// `loop { … continuing { … break if condition; } }`.
    pub continuing: bool,
    /// A loop only as `for (int i = constant; i op constant; i += constant)`, as WebGL 1 takes it: a counter is changed
    /// by the step alone.
    pub plain_loops: bool,
    /// The choice between two values as an expression; see [`Dialect::choose`](crate::Dialect::choose).
    pub choice: Choice,
    /// `&&` and `||` compute their right side only if they must. Without it, none that has an effect is written.
    pub lazy_logic: bool,
    /// `switch`. Without it, a chain of `if`s.
    pub switches: bool,
    /// A case of a `switch` may go on to the next. Without it, a switch that does is a chain of `if`s.
    pub fallthrough: bool,
    /// A case ends in a `break`. Without it, control leaves the switch at the end of a case.
    pub case_breaks: bool,
    /// `break` leaves a `switch`, and not the loop around it. Without it, [`Abilities::far_jumps`] are not
    /// [`FarJumps::Flags`].
    pub breaks_leave_switches: bool,
    /// Jumps over several constructs.
    pub far_jumps: FarJumps,
    /// Results after the first.
    pub several_results: Results,
    /// Parameters by which a function writes.
    pub parameters: Parameters,
    /// A pointer to a part of a variable, or to a variable of another address space, may be passed to a function. Without
    /// it, a copy is passed and copied back.
    pub pointers_to_parts: bool,
    /// A function may assign to its parameters.
    pub mutable_parameters: bool,
    /// `v.zyx` of several components, as a value. Without it, a constructor of components.
    pub swizzles: bool,
    /// `v.xy = …`. Without it, one assignment a component.
    pub assignments_to_swizzles: bool,
    /// Operators take a scalar where the other operand is a vector.
    pub scalar_operands: bool,
    /// `a op= b`.
    pub compound_assignment: bool,
    /// `a++` and `a--` as statements.
    pub increments: bool,
    /// `a++` and `a--` of floats, too.
    pub float_increments: bool,
    /// Declarations say whether the variable is assigned again ([`Decl::is_assigned`](crate::tree::Decl::is_assigned) is
    /// found then).
    pub immutable_declarations: bool,
    /// Variables of the head of a `for` are in scope to the end of the block around the loop.
    pub leaking_loop_heads: bool,
    /// One declaration of several variables, `float a, b;`.
    pub declaration_lists: bool,
    /// Functions with parameters of other types may share a name.
    pub overloads: bool,
    /// Functions may call themselves.
    pub recursion: bool,
    /// A function that is called before it is defined needs a prototype.
    pub prototypes: bool,
    /// Maximum nesting depth of statements. GLSL's readers set the default: ours takes 256 levels, of which `if (…) {`
    /// are two, and expressions need some.
    pub nesting: usize,
}

impl Abilities {
    /// A language like C, with pointers and `goto`.
    pub const C: Abilities = Abilities {
        leaking_loop_heads: false,
        for_loops: ForLoops::Lists,
        do_while: true,
        continuing: false,
        plain_loops: false,
        choice: Choice::Lazy,
        lazy_logic: true,
        switches: true,
        fallthrough: true,
        case_breaks: true,
        breaks_leave_switches: true,
        far_jumps: FarJumps::Goto,
        several_results: Results::Value,
        parameters: Parameters::Pointers,
        pointers_to_parts: true,
        mutable_parameters: true,
        swizzles: false,
        assignments_to_swizzles: false,
        scalar_operands: false,
        compound_assignment: true,
        increments: true,
        float_increments: true,
        immutable_declarations: false,
        declaration_lists: true,
        overloads: false,
        recursion: true,
        prototypes: true,
        nesting: 110,
    };

    /// The newest GLSL.
    pub const GLSL: Abilities = Abilities {
        far_jumps: FarJumps::Flags,
        several_results: Results::Parameters,
        parameters: Parameters::Qualifiers,
        swizzles: true,
        assignments_to_swizzles: true,
        scalar_operands: true,
        overloads: true,
        recursion: false,
        ..Abilities::C
    };

    /// MSL. References (`thread float &x`) are written by the head of a function, so parameters are like those of GLSL.
    pub const MSL: Abilities = Abilities::GLSL;

    /// HLSL. Before version 2021, both operands of `&&`, `||` and `?:` are computed, and loop counters leak.
    pub const HLSL: Abilities = Abilities {
        leaking_loop_heads: true,
        // Slang does not find the first of two variables in `float a = 1.0, b = a < 2.0 ? …`.
        declaration_lists: false,
        fallthrough: false,
        choice: Choice::Eager,
        lazy_logic: false,
        pointers_to_parts: false,
        ..Abilities::GLSL
    };

    /// WGSL.
    pub const WGSL: Abilities = Abilities {
        for_loops: ForLoops::Single,
        do_while: false,
        continuing: true,
        choice: Choice::Eager,
        fallthrough: false,
        case_breaks: false,
        far_jumps: FarJumps::Flags,
        pointers_to_parts: false,
        mutable_parameters: false,
        float_increments: false,
        swizzles: true,
        scalar_operands: true,
        recursion: false,
        immutable_declarations: true,
        declaration_lists: false,
        prototypes: false,
        ..Abilities::C
    };

    /// Rust.
    pub const RUST: Abilities = Abilities {
        for_loops: ForLoops::None,
        do_while: false,
        fallthrough: false,
        case_breaks: false,
        breaks_leave_switches: false,
        far_jumps: FarJumps::Labels,
        increments: false,
        immutable_declarations: true,
        declaration_lists: false,
        prototypes: false,
        ..Abilities::C
    };
}

/// Forms of `for`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ForLoops {
    /// There is none.
    None,
    /// One declaration or assignment before the loop, and one in its step.
    Single,
    /// Several of each, between commas.
    Lists,
}

/// The choice between two values as an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choice {
    /// There is none: a variable and an `if`.
    None,
    /// A function that computes both values: written only for short ones without effects.
    Eager,
    /// `c ? a : b`, which computes one.
    Lazy,
}

/// Jumps out of a construct that is not the innermost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FarJumps {
    /// A variable, which each construct on the way tests.
    Flags,
    /// `break 'label` and `continue 'label`, and blocks with labels.
    Labels,
    /// `goto label`.
    Goto,
}

/// Results of a function after the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Results {
    /// Further parameters, by which the function writes them.
    Parameters,
    /// All results as one value, a struct or a tuple: [`ExprKind::Results`](crate::tree::ExprKind::Results),
    /// [`ExprKind::Result`](crate::tree::ExprKind::Result), [`Stmt::Results`](crate::tree::Stmt::Results).
    Value,
}

/// Parameters by which a function writes to the caller's variables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parameters {
    /// `out` and `inout`: in the function, and in the call, they look like others.
    Qualifiers,
    /// Pointers or references: `&x` in the call, `*p` in the function.
    Pointers,
}
