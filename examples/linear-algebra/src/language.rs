//! Operations of the language: their rows, the rules about them, and the two phases that lower them.
//!
//! ```text
//! phase   lowers                                        to
//! loops   mat_mul, mat_vec, transpose, add, identity    loops over arrays, with scalar_multiply inside
//! scalars scalar_multiply                               multiply
//! ```
//!
//! A vector of `n` numbers is an array `[n x f32]`, a matrix an array of rows, `[rows x [columns x f32]]`.

use planish::ir::builder::Builder;
use planish::ir::custom::{CustomOpData, TypeRule};
use planish::ir::decoration::Name;
use planish::ir::entity::{Type, Value};
use planish::ir::module::Module;
use planish::ir::ops::Op;
use planish::ir::types::{AddressSpace, Scalar, TypeKind, Types};
use planish::opt::rules::{CustomRule, Law, Site};
use planish::opt::{LowerSite, Phase, repeat};

/// Shape of a value of the language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// So many numbers.
    Vector(u32),
    /// Rows and columns.
    Matrix(u32, u32),
}

impl Shape {
    /// The shape of a type, if it is one of the language's.
    pub fn of(types: &Types, ty: Type) -> Option<Shape> {
        let array = |ty: Type| match types[ty] {
            TypeKind::Array { element, len } => Some((element, len)),
            _ => None,
        };
        let (element, rows) = array(ty)?;
        match (&types[element], array(element)) {
            (TypeKind::Scalar(Scalar::F32), _) => Some(Shape::Vector(rows)),
            (_, Some((Type::F32, columns))) => Some(Shape::Matrix(rows, columns)),
            _ => None,
        }
    }

    /// The type of values of this shape.
    pub fn ty(self, types: &mut Types) -> Type {
        match self {
            Shape::Vector(n) => types.array(Type::F32, n),
            Shape::Matrix(rows, columns) => {
                let row = types.array(Type::F32, columns);
                types.array(row, rows)
            }
        }
    }
}

impl std::fmt::Display for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Shape::Vector(n) => write!(f, "a vector of {n}"),
            Shape::Matrix(rows, columns) => write!(f, "a {rows}x{columns} matrix"),
        }
    }
}

/// Adds the rows of the language's ops to a module.
pub fn add_ops(module: &mut Module) {
    let op = |name: &str, cost, result: fn(&[Shape]) -> Option<Shape>| CustomOpData {
        rule: Some(type_rule(result)),
        cost,
        phase: "loops".into(),
        ..CustomOpData::new(name)
    };
    module.add_custom_op(op("mat_mul", 2000, |operands| match *operands {
        [Shape::Matrix(rows, inner), Shape::Matrix(same, columns)] if inner == same => {
            Some(Shape::Matrix(rows, columns))
        }
        _ => None,
    }));
    module.add_custom_op(op("mat_vec", 200, |operands| match *operands {
        [Shape::Matrix(rows, columns), Shape::Vector(n)] if columns == n => Some(Shape::Vector(rows)),
        _ => None,
    }));
    module.add_custom_op(op("transpose", 100, |operands| match *operands {
        [Shape::Matrix(rows, columns)] => Some(Shape::Matrix(columns, rows)),
        _ => None,
    }));
    module.add_custom_op(op("add", 100, |operands| match *operands {
        [x, y] if x == y => Some(x),
        _ => None,
    }));
    // Its operands do not say how large it is: its nodes are made with their type.
    module.add_custom_op(CustomOpData { cost: 10, phase: "loops".into(), ..CustomOpData::new("identity") });
    let signature = module.types.function(&[Type::F32, Type::F32], &[Type::F32]);
    let multiply =
        CustomOpData { signature: Some(signature), phase: "scalars".into(), ..CustomOpData::new("scalar_multiply") };
    module.add_custom_op(multiply);
}

fn type_rule(result: fn(&[Shape]) -> Option<Shape>) -> TypeRule {
    TypeRule::new(move |types, operands| {
        let shapes: Option<Vec<Shape>> = operands.iter().map(|&ty| Shape::of(types, ty)).collect();
        let shapes = shapes.ok_or("takes matrices and vectors")?;
        match result(&shapes) {
            Some(shape) => Ok(vec![shape.ty(types)]),
            None => Err(shapes.iter().map(Shape::to_string).collect::<Vec<_>>().join(" and ") + " do not fit"),
        }
    })
}

/// The rules of the language. Its products and sums are those of real numbers, so that regrouping them is exact here and needs no
/// `--fast-math`.
pub fn rules() -> Vec<CustomRule> {
    let is_identity = |s: &Site<'_, '_, '_>, value| s.custom_args(value, "identity").is_some();
    let exact = Law::Exact;
    vec![
        // n³ + n² products become 2n². Where `A·B` is needed elsewhere too, they are n² more.
        CustomRule::on("mat_vec", "product_times_vector", exact, "(A·B)·v → A·(B·v)", |s| {
            let factors = s.custom_args(s.arg(0), "mat_mul")?;
            let inner = s.make_custom("mat_vec", &[factors[1], s.arg(1)])?;
            s.make_custom("mat_vec", &[factors[0], inner])
        }),
        CustomRule::on("add", "common_matrix", exact, "A·x + A·y → A·(x + y)", |s| {
            let [x, y] = [0, 1].map(|i| s.custom_args(s.arg(i), "mat_vec"));
            let (x, y) = (x?, y?);
            (x[0] == y[0]).then_some(())?;
            let sum = s.make_custom("add", &[x[1], y[1]])?;
            s.make_custom("mat_vec", &[x[0], sum])
        }),
        CustomRule::on("transpose", "transpose_twice", exact, "(Aᵀ)ᵀ → A", |s| {
            Some(s.custom_args(s.arg(0), "transpose")?[0])
        }),
        CustomRule::on("mat_mul", "product_of_transposed", exact, "Aᵀ·Bᵀ → (B·A)ᵀ", |s| {
            let [a, b] = [0, 1].map(|i| s.custom_args(s.arg(i), "transpose"));
            let product = s.make_custom("mat_mul", &[b?[0], a?[0]])?;
            s.make_custom("transpose", &[product])
        }),
        CustomRule::on("transpose", "identity_transposed", exact, "Iᵀ → I", move |s| {
            is_identity(s, s.arg(0)).then(|| s.arg(0))
        }),
        CustomRule::on("mat_mul", "identity_in_product", exact, "I·A → A, A·I → A", move |s| match s.pair() {
            (i, a) if is_identity(s, i) => Some(a),
            (a, i) if is_identity(s, i) => Some(a),
            _ => None,
        }),
        CustomRule::on("mat_vec", "identity_times_vector", exact, "I·v → v", move |s| {
            is_identity(s, s.arg(0)).then(|| s.arg(1))
        }),
    ]
}

/// The phases of the language, in their order.
pub fn phases() -> Vec<Phase> {
    let loops = Phase::new("loops")
        .lower("mat_mul", mat_mul)
        .lower("mat_vec", mat_vec)
        .lower("transpose", transpose)
        .lower("add", add)
        .lower("identity", identity);
    let scalars = Phase::new("scalars").lower("scalar_multiply", |site| {
        let product = site.b.op(Op::Multiply, &[site.arg(0), site.arg(1)]);
        vec![product]
    });
    vec![loops, scalars]
}

// Loops for each op.

fn mat_mul(site: &mut LowerSite<'_, '_, '_>) -> Vec<Value> {
    let (left, right) = (operand(site, 0), operand(site, 1));
    let inner = right.rows;
    fill(site, &|b, i, j| {
        let zero = b.f32(0.0);
        repeat(b, inner, &[zero], &|b, k, sum| {
            let (x, y) = (left.load(b, i, Some(k)), right.load(b, k, Some(j)));
            vec![add_product(b, sum[0], x, y)]
        })[0]
    })
}

fn mat_vec(site: &mut LowerSite<'_, '_, '_>) -> Vec<Value> {
    let (matrix, vector) = (operand(site, 0), operand(site, 1));
    let inner = vector.rows;
    fill(site, &|b, i, _| {
        let zero = b.f32(0.0);
        repeat(b, inner, &[zero], &|b, k, sum| {
            let (x, y) = (matrix.load(b, i, Some(k)), vector.load(b, k, None));
            vec![add_product(b, sum[0], x, y)]
        })[0]
    })
}

fn transpose(site: &mut LowerSite<'_, '_, '_>) -> Vec<Value> {
    let matrix = operand(site, 0);
    fill(site, &|b, i, j| matrix.load(b, j, Some(i)))
}

fn add(site: &mut LowerSite<'_, '_, '_>) -> Vec<Value> {
    let (x, y) = (operand(site, 0), operand(site, 1));
    fill(site, &|b, i, j| {
        let j = matches!(x.shape, Shape::Matrix(..)).then_some(j);
        let (x, y) = (x.load(b, i, j), y.load(b, i, j));
        b.op(Op::Add, &[x, y])
    })
}

fn identity(site: &mut LowerSite<'_, '_, '_>) -> Vec<Value> {
    fill(site, &|b, i, j| {
        let (one, zero) = (b.f32(1.0), b.f32(0.0));
        let on_diagonal = b.op(Op::Equal, &[i, j]);
        b.op(Op::Select, &[on_diagonal, one, zero])
    })
}

fn add_product(b: &mut Builder<'_, '_>, sum: Value, x: Value, y: Value) -> Value {
    let multiply = b.module.custom_op("scalar_multiply").expect("it is an op of the language");
    let product = b.custom(multiply, &[x, y])[0];
    b.op(Op::Add, &[sum, product])
}

/// An array in a local variable, where its elements have addresses.
#[derive(Clone, Copy)]
struct Array {
    pointer: Value,
    shape: Shape,
    rows: u32,
}

impl Array {
    fn new(b: &mut Builder<'_, '_>, ty: Type) -> Self {
        let shape = Shape::of(&b.module.types, ty).expect("the type rules let nothing else through");
        let var = b.module.add_var(Name::temporary("array"), ty, AddressSpace::Function);
        b.declare(var);
        let (Shape::Vector(rows) | Shape::Matrix(rows, _)) = shape;
        Array { pointer: var.into(), shape, rows }
    }

    fn element(self, b: &mut Builder<'_, '_>, row: Value, column: Option<Value>) -> Value {
        let row = b.op(Op::AccessArrayElement, &[self.pointer, row]);
        column.map_or(row, |column| b.op(Op::AccessArrayElement, &[row, column]))
    }

    fn load(self, b: &mut Builder<'_, '_>, row: Value, column: Option<Value>) -> Value {
        let element = self.element(b, row, column);
        b.load(element)
    }
}

/// An operand, put into memory.
fn operand(site: &mut LowerSite<'_, '_, '_>, index: usize) -> Array {
    let value = site.arg(index);
    let array = Array::new(site.b, site.b.type_of(value));
    site.b.store(array.pointer, value);
    array
}

/// The result, each of whose elements is what `element` gives for its row and column (of a vector: 0).
fn fill(site: &mut LowerSite<'_, '_, '_>, element: &dyn Fn(&mut Builder<'_, '_>, Value, Value) -> Value) -> Vec<Value> {
    let array = Array::new(site.b, site.results()[0]);
    site.repeat(array.rows, &[], &|b, row, _| {
        match array.shape {
            Shape::Vector(_) => {
                let zero = b.i32(0);
                let value = element(b, row, zero);
                let place = array.element(b, row, None);
                b.store(place, value);
            }
            Shape::Matrix(_, columns) => {
                repeat(b, columns, &[], &|b, column, _| {
                    let value = element(b, row, column);
                    let place = array.element(b, row, Some(column));
                    b.store(place, value);
                    vec![]
                });
            }
        }
        vec![]
    });
    vec![site.b.load(array.pointer)]
}
