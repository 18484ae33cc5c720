//! Words of Scheme that VL does not have, and their replacements.

/// A word that is not bound.
pub(super) struct Foreign {
    /// Whether its operands are no list of expressions, so that they cannot be checked.
    pub(super) is_form: bool,
    /// The replacement in VL.
    pub(super) instead: &'static str,
}

/// The hint for a name of Scheme.
pub(super) fn foreign(name: &str) -> Option<Foreign> {
    let form = |instead| Some(Foreign { is_form: true, instead });
    let procedure = |instead| Some(Foreign { is_form: false, instead });
    match name {
        "set!" => form("variables are immutable: pass the new value to the next iteration of a named `let`"),
        "when" | "unless" => form("every expression has a value: `(if test value other)`"),
        "do" | "while" | "for" => {
            form("a loop is a named `let`: `(let loop ((i (real 0))) (if (< i n) (loop (+ i 1)) i))`")
        }
        "case" => form("write `(cond ((= x 1) …) (else …))`"),
        "let-values" | "let*-values" | "receive" | "define-values" => {
            form("several values are a list, which is taken apart: `(let (((list a b) (f x))) …)`")
        }
        "define-syntax" | "let-syntax" | "letrec-syntax" | "syntax-rules" | "define-macro" => {
            form("there are no macros: procedures cost nothing, whatever they are given")
        }
        "define-record-type" | "define-record" | "define-struct" | "struct" => {
            form("structures are lists, which parameters destructure: `(define (f (list x y)) …)`")
        }
        "quasiquote" | "unquote" | "unquote-splicing" => form("write `(list …)`, `(cons* … rest)` or `(append …)`"),
        "named-lambda" => form("write `(define (name p …) body)` or `(letrec ((name (lambda (p …) body))) name)`"),
        "delay" | "delay-force" | "cons-stream" => form("delayed computations are procedures: `(lambda () …)`"),
        "import" | "require" | "load" | "module" | "define-library" => {
            form("another file's definitions come by `(include \"file.vl\")`")
        }
        "set-car!" | "set-cdr!" | "append!" | "reverse!" => {
            procedure("pairs do not change: `(cons a b)` makes another one")
        }
        "vector" | "make-vector" | "vector-ref" | "vector-set!" | "vector-length" | "vector-map" | "list->vector"
        | "vector->list" => procedure("vectors are lists: `(list a b)`, `(list-ref l k)`, `(build-list n f)`"),
        "values" | "call-with-values" => procedure("several values are a list: `(list a b)`"),
        "call/cc" | "call-with-current-continuation" | "dynamic-wind" => {
            procedure("there are no continuations: pass a procedure to continue with")
        }
        "force" | "make-promise" => procedure("delayed computations are procedures: `(lambda () …)`"),
        "display" | "write" | "print" | "newline" | "printf" | "format" => {
            procedure("`(write-real x)` writes a number; the value of the last expression is shown")
        }
        "read" => procedure("`(read-real)` reads a number"),
        "eq?" | "eqv?" => procedure("`(= a b)` compares numbers, `(equal? a b)` structures, `(gensym= a b)` tokens"),
        "string" | "string?" | "string-append" | "number->string" | "string->number" | "symbol?" | "char?" => {
            procedure("there are no strings and no symbols")
        }
        "exact->inexact" | "inexact->exact" | "exact" | "inexact" => procedure("every number is a real of 64 bits"),
        "integer?" | "exact-integer?" => procedure("every number is a real of 64 bits: `(= x (round x))`"),
        "foldl" | "fold/l" => procedure("it is called `fold-left`, or `fold` where the item comes first"),
        "foldr" | "fold/r" => procedure("it is called `fold-right`"),
        "list-tabulate" | "tabulate" => procedure("it is called `build-list`"),
        "every" | "andmap" => procedure("it is called `all?`"),
        "any" | "some" | "ormap" => procedure("it is called `any?`"),
        _ => None,
    }
}
