//! Functions that call themselves state the bound of their depth, in a comment with the word `Recursion` or `Recurses`, in their doc or
//! body.
//!
//! The call graph is that of one file: calls of functions by their plain name, and of methods through `self` or `Self`.
//! Recursion through another file or through a trait is not seen.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};

use super::{File, Violation};

/// Words of the comment that gives the bound.
const MARKS: [&str; 3] = ["Recursion", "Recurses", "recursion"];

pub(super) fn check(files: &[File]) -> Vec<Violation> {
    let sources = files.iter().filter(|f| is_product(&f.path));
    sources.flat_map(unbounded).collect()
}

/// Whether the file is a part of the product: not a test, tool or example.
fn is_product(path: &str) -> bool {
    path.starts_with("crates/") && path.ends_with(".rs") && path.contains("/src/") && !path.ends_with("/tests.rs")
}

/// The functions of a file that are on a cycle of calls, none of which has the comment.
fn unbounded(file: &File) -> Vec<Violation> {
    let Ok(syntax) = syn::parse_file(&file.text) else { return vec![] };
    let mut calls = Calls::default();
    calls.visit_file(&syntax);
    let graph = &calls.functions;
    let is_marked = |key: &Key| {
        let function = &graph[key];
        let lines = file.text.lines().enumerate().skip(function.first - 1).take(function.last - function.first + 1);
        lines.into_iter().any(|(_, line)| {
            line.split_once("//").is_some_and(|(_, comment)| MARKS.iter().any(|mark| comment.contains(mark)))
        })
    };
    let mut violations = vec![];
    let mut done: BTreeSet<&Key> = BTreeSet::new();
    for key in graph.keys() {
        let cycle: BTreeSet<&Key> =
            reached(graph, key).into_iter().filter(|other| reached(graph, other).contains(key)).collect();
        if cycle.is_empty() || done.contains(key) {
            continue;
        }
        if !cycle.iter().any(|key| is_marked(key)) {
            let name = &key.1;
            let remedy = "give the bound of its depth in a comment `Recursion: …`, or keep a stack of its own";
            violations.push(file.violation(graph[key].line, format!("`{name}` calls itself without a bound"), remedy));
        }
        done.extend(cycle);
    }
    violations
}

/// The functions that a function leads to, itself only if it is on a cycle.
fn reached<'a>(graph: &'a BTreeMap<Key, Function>, from: &Key) -> BTreeSet<&'a Key> {
    let mut found = BTreeSet::new();
    let mut stack: Vec<&Key> = graph[from].calls.iter().collect();
    while let Some(key) = stack.pop() {
        if let Some((key, function)) = graph.get_key_value(key)
            && found.insert(key)
        {
            stack.extend(&function.calls);
        }
    }
    found
}

/// The type whose `impl` has the function (empty for none), and its name.
type Key = (String, String);

/// A function of the file.
struct Function {
    /// Line of its name.
    line: usize,
    /// First line, with its comments.
    first: usize,
    /// Last line.
    last: usize,
    /// The functions that it calls, if they are of this file.
    calls: BTreeSet<Key>,
}

/// Collects the functions of a file with their calls.
#[derive(Default)]
struct Calls {
    owner: String,
    current: Option<Key>,
    functions: BTreeMap<Key, Function>,
    /// Names of variables of the function, which may be closures.
    variables: BTreeSet<String>,
}

impl Calls {
    fn enter(&mut self, attributes: &[syn::Attribute], signature: &syn::Signature, block: &syn::Block) {
        let key = (self.owner.clone(), signature.ident.to_string());
        let line = signature.ident.span().start().line;
        let first = attributes.first().map_or(line, |attribute| attribute.pound_token.span.start().line);
        let last = block.brace_token.span.close().end().line;
        self.functions.entry(key.clone()).or_insert(Function { line, first, last, calls: BTreeSet::new() });
        let outer = (self.current.replace(key), std::mem::take(&mut self.variables));
        visit::visit_block(self, block);
        (self.current, self.variables) = outer;
    }

    fn call(&mut self, owner: String, name: String) {
        if let Some(function) = self.current.as_ref().and_then(|key| self.functions.get_mut(key)) {
            function.calls.insert((owner, name));
        }
    }

    fn of_type(&mut self, owner: String, visit: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.owner, owner);
        visit(self);
        self.owner = outer;
    }
}

impl<'ast> Visit<'ast> for Calls {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        // Unit tests have no input but their own.
        if module.ident != "tests" {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let owner = match &*item.self_ty {
            syn::Type::Path(path) => path.path.segments.last().map(|s| s.ident.to_string()),
            _ => None,
        };
        let of_trait = item.trait_.as_ref().and_then(|(_, path, _)| path.segments.last()).map(|s| s.ident.to_string());
        let owner = format!("{} {}", owner.unwrap_or_default(), of_trait.unwrap_or_default());
        self.of_type(owner, |calls| visit::visit_item_impl(calls, item));
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.of_type(String::new(), |calls| calls.enter(&item.attrs, &item.sig, &item.block));
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.enter(&item.attrs, &item.sig, &item.block);
    }

    fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
        self.variables.insert(pattern.ident.to_string());
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        if let syn::Expr::Path(path) = &*call.func {
            let segments: Vec<String> = path.path.segments.iter().map(|s| s.ident.to_string()).collect();
            match &segments[..] {
                [name] if self.variables.contains(name) => {}
                [name] => self.call(String::new(), name.clone()),
                [own, name] if own == "Self" => self.call(self.owner.clone(), name.clone()),
                _ => {}
            }
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let is_self = matches!(&*call.receiver, syn::Expr::Path(path) if path.path.is_ident("self"));
        if is_self {
            self.call(self.owner.clone(), call.method.to_string());
        }
        visit::visit_expr_method_call(self, call);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::places;

    fn found(text: &str) -> Vec<String> {
        places(&[("crates/a/src/a.rs", &format!("//! Here.\n{text}\n"))])
    }

    #[test]
    fn functions_that_call_themselves_state_a_bound() {
        assert_eq!(found("fn a() { a() }"), ["crates/a/src/a.rs:2"]);
        assert_eq!(found("/// Recursion: over a type.\nfn a() { a() }"), [""; 0]);
        assert_eq!(found("fn a() {\n // Recursion: over a type.\n a() }"), [""; 0]);
        assert_eq!(found("fn a() { b() }\nfn b() { a() }"), ["crates/a/src/a.rs:2"]);
        assert_eq!(found("fn a() { b() }\nfn b() {}"), [""; 0]);
        assert_eq!(found("fn a() { let a = |x: u8| x; a(1); }"), [""; 0]);
    }

    #[test]
    fn methods_of_others_are_no_recursion() {
        assert_eq!(found("impl A { fn len(&self) { self.items.len() } }"), [""; 0]);
        assert_eq!(found("impl A { fn len(&self) { self.len() } }"), ["crates/a/src/a.rs:2"]);
        assert_eq!(found("impl A { fn a() { Self::b() } fn b() { Self::a() } }"), ["crates/a/src/a.rs:2"]);
        assert_eq!(found("impl B for A { fn a(&self) { self.a() } }\nimpl A { fn a(&self) {} }").len(), 1);
        assert_eq!(found("#[cfg(test)]\nmod tests { fn a() { a() } }"), [""; 0]);
    }
}
