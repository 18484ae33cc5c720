//! The bounds that keep compile time and code size in hand, in one table: from it come the struct, its defaults, and
//! the option `--limit NAME=VALUE`, `planish passes` and the tables of `docs/optimizer-options.md`.

/// A row of the table of limits.
#[derive(Clone, Copy)]
pub struct LimitInfo {
    /// Its name, for `--limit`.
    pub name: &'static str,
    /// The bounded quantity.
    pub about: &'static str,
    /// Its field of [`Limits`].
    field: fn(&mut Limits) -> &mut u32,
}

impl std::fmt::Debug for LimitInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.name, self.about)
    }
}

impl LimitInfo {
    /// Its value.
    pub fn get(&self, limits: &Limits) -> u32 {
        *(self.field)(&mut limits.clone())
    }

    /// Gives it a value.
    pub fn set(&self, limits: &mut Limits, value: u32) {
        *(self.field)(limits) = value;
    }
}

macro_rules! limits {
    ($($(#[doc = $about:literal])+ $name:ident = $default:literal,)*) => {
        /// Bounds that keep compile time and code size in hand. A pass that stops at one leaves a remark and a count.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct Limits {
            $($(#[doc = $about])+ pub $name: u32,)*
        }

        impl Default for Limits {
            fn default() -> Self {
                Limits { $($name: $default,)* }
            }
        }

        /// Every limit, in the order of [`Limits`].
        pub const LIMITS: &[LimitInfo] = &[$(LimitInfo {
            name: stringify!($name),
            about: concat!($($about),+).trim_ascii(),
            field: |limits| &mut limits.$name,
        },)*];
    };
}

limits! {
    /// Iterations of a loop that is unrolled.
    unroll_iterations = 64,
    /// Cost of an unrolled loop beyond that of the loop.
    unroll_growth = 32,
    /// The same of a loop that indexes arrays: unrolled, it may know the elements.
    unroll_array_growth = 32,
    /// Cost of a function that is inlined at every call.
    inline_cost = 12,
    /// Nodes of a function that has been inlined into.
    inline_nodes = 200_000,
    /// Nesting depth of constructs, above which nothing more is inlined or nested.
    nesting = 50,
    /// Cost that the schedule may duplicate into branches, per function.
    duplication = 32,
    /// Copies of one function for constant arguments.
    copies = 32,
    /// Cost of a function that is copied for constant arguments.
    copy_cost = 256,
    /// Cost that copies of functions for constant arguments add to a module in one run of the pass.
    copy_growth = 1_000,
    /// Components into which a variable or value is split.
    split_components = 64,
    /// Nesting depth of rule applications.
    rule_depth = 64,
    /// Rule hits for one node, including those on the nodes they make.
    rule_fuel = 4_096,
    /// Iterations of a loop in a flat function.
    flat_iterations = 4_096,
    /// Nodes of a flat function while it is built.
    flat_nodes = 1_000_000,
    /// Components into which a variable of a flat function is split.
    flat_components = 65_536,
}
