//! Programs that nest: every construct of the IR in itself and in others, to any depth, as text.
//! whole: one shape after the other, on one writer.

use std::fmt::Write as _;

use planish_generate::Choices;

/// Writes the text of a module.
#[derive(Default)]
struct Writer {
    text: String,
    blocks: usize,
    values: usize,
    /// The block that is being written.
    at: String,
}

impl Writer {
    /// A module that begins its only function, whose parameters are `%x`, a number, and `%c`, a condition.
    fn function(variables: usize) -> Writer {
        let mut to = Writer { text: "module ir\n\n".to_owned(), ..Writer::default() };
        to.begin("f", "  var @v: i32 = 0\n");
        for i in 0..variables {
            to.line(&format!("var @i{i}: i32 = 0"));
        }
        to
    }

    /// As [`Writer::function`], of a module with a byte memory.
    fn with_bytes(variables: usize) -> Writer {
        let mut to = Writer::function(variables);
        to.text = to.text.replacen("module ir\n", "module ir\nmemory memory0 min 1\n", 1);
        to
    }

    /// Accesses to bytes number `i`, one of them from another base.
    fn accesses(&mut self, i: usize) {
        self.values += 1;
        let loaded = format!("%v{}", self.values);
        self.line(&format!("{loaded}: i32 = memory_load[memory0 u32 offset {}] %x", 4 * i));
        self.add("@v", &loaded);
        self.line(&format!("memory_store[memory0 u16 offset {}] %x, {loaded}", 4 * i + 6));
        let other = self.value(&format!("multiply %x, {}", i + 3));
        self.line(&format!("memory_store[memory0 u32] {other}, {loaded}"));
        self.line(&format!("memory_store[memory0 u32 offset 4] {other}, %x"));
    }

    fn begin(&mut self, name: &str, variables: &str) {
        let block = self.block();
        self.at.clone_from(&block);
        write!(self.text, "fn @{name}(%x: i32, %c: bool) -> (i32) {{\n{block}:\n{variables}")
            .expect("a string takes all");
    }

    fn line(&mut self, line: &str) {
        self.text.push_str("  ");
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// A new label.
    fn block(&mut self) -> String {
        self.blocks += 1;
        format!("b{}", self.blocks - 1)
    }

    /// Begins a block of a kind (`then `, or nothing for a merge block); its label.
    fn enter(&mut self, kind: &str) -> String {
        let block = self.block();
        self.line(&format!("{kind}{block}:"));
        self.at.clone_from(&block);
        block
    }

    /// The value of a node.
    fn value(&mut self, node: &str) -> String {
        self.values += 1;
        let value = format!("%v{}", self.values);
        self.line(&format!("{value} = {node}"));
        value
    }

    /// `variable += by`.
    fn add(&mut self, variable: &str, by: &str) {
        let old = self.value(&format!("load {variable}"));
        let new = self.value(&format!("add {old}, {by}"));
        self.line(&format!("store {variable}, {new}"));
    }

    fn below(&mut self, variable: &str, limit: &str) -> String {
        let value = self.value(&format!("load {variable}"));
        self.value(&format!("less_than {value}, {limit}"))
    }

    /// `return @v`, and the end of the module.
    fn end(mut self) -> String {
        self.end_function();
        self.text.push_str("export @f \"f\"\n");
        self.text
    }

    fn end_function(&mut self) {
        let result = self.value("load @v");
        self.line(&format!("return {result}"));
        self.line("}");
        self.text.push('\n');
    }
}

/// A shape: its name, and its program of a size.
pub type Shape = (&'static str, fn(usize) -> String);

/// Every shape.
pub const SHAPES: &[Shape] = &[
    ("ifs", ifs),
    ("ifs that are known", known_ifs),
    ("ifs that return", ifs_that_return),
    ("ifs in a row that return", returns_in_a_row),
    ("labelled blocks", labelled),
    ("labelled blocks that are left to the outermost", labelled_to_the_outermost),
    ("labelled blocks that are left for good", labelled_for_good),
    ("switches", switches),
    ("switches that fall through", falling_switches),
    ("do loops that never repeat", never),
    ("do loops that are found not to repeat", found_never),
    ("do loops on one condition", on_one_condition),
    ("loops that break at their end", breaking),
    ("loops left in the middle", left_in_the_middle),
    ("counted loops", counted),
    ("counted loops of few rounds", counted_of_few_rounds),
    ("counted loops that change all variables", counted_changing_all),
    ("a loop that shifts variables", shifting),
    ("loops in ifs", loops_in_ifs),
    ("loops in conditions", loops_in_conditions),
    ("rows of nests", rows_of_nests),
    ("a chain of calls", call_chain),
    ("a tree of calls", call_tree),
    ("calls in loops", calls_in_loops),
    ("selects", selects),
    ("selects in selects", select_tree),
    ("byte accesses in a row", accesses_in_a_row),
    ("byte accesses in ifs", accesses_in_ifs),
    ("byte accesses in labelled blocks left to the outermost", accesses_in_labels),
    ("byte accesses in loops", accesses_in_loops),
    ("loads that leave loops", loads_that_leave_loops),
];

fn accesses_in_a_row(n: usize) -> String {
    let mut to = Writer::with_bytes(0);
    (0..n).for_each(|i| to.accesses(i));
    (0..n).rev().for_each(|i| to.accesses(i));
    to.end()
}

fn accesses_in_ifs(n: usize) -> String {
    let mut to = Writer::with_bytes(0);
    for i in 0..n {
        let condition = to.value(&format!("less_than %x, {i}"));
        to.line(&format!("if {condition} {{"));
        to.enter("then ");
        to.accesses(i);
    }
    for i in (0..n).rev() {
        to.line("merge");
        to.enter("else ");
        to.accesses(n + i);
        to.line("merge");
        to.line("}");
        to.enter("");
    }
    to.end()
}

fn accesses_in_labels(n: usize) -> String {
    let mut to = Writer::with_bytes(0);
    for i in 0..n {
        to.line("labelled {");
        to.enter("body ");
        to.accesses(i);
        let condition = to.value(&format!("equal %x, {i}"));
        to.line(&format!("if {condition} {{"));
        to.enter("then ");
        to.accesses(n + i);
        to.line("break b0");
        to.enter("else ");
        to.line("merge");
        to.line("}");
        to.enter("");
        to.accesses(i);
    }
    for _ in 0..n {
        to.line("merge");
        to.line("}");
        to.enter("");
    }
    to.end()
}

/// Nested loops; each loads, and stores to what another may load.
fn accesses_in_loops(n: usize) -> String {
    nested_accesses(n, |to, i| to.accesses(i))
}

/// Nested loops that begin with a load; none writes.
fn loads_that_leave_loops(n: usize) -> String {
    nested_accesses(n, |to, i| {
        to.values += 1;
        let loaded = format!("%v{}", to.values);
        to.line(&format!("{loaded}: i32 = memory_load[memory0 u32 offset {}] %x", 4 * i));
        to.add("@v", &loaded);
    })
}

fn nested_accesses(n: usize, accesses: fn(&mut Writer, usize)) -> String {
    let mut to = Writer::with_bytes(n);
    let mut owner = "b0".to_owned();
    let mut owners = Vec::new();
    for i in 0..n {
        to.line("loop {");
        to.enter("cond ");
        accesses(&mut to, i);
        let goes_on = to.below(&format!("@i{i}"), "%x");
        to.line(&format!("loop_if {goes_on}"));
        owners.push(std::mem::replace(&mut owner, to.enter("body ")));
    }
    for i in (0..n).rev() {
        to.add(&format!("@i{i}"), "1");
        to.line(&format!("continue {}", owners[i]));
        to.line("}");
        to.enter("");
    }
    to.end()
}

/// Nested `if`s; the innermost stores.
fn ifs(n: usize) -> String {
    nested_ifs(n, |to, i| to.value(&format!("less_than %x, {i}")), |_| "merge".to_owned())
}

fn known_ifs(n: usize) -> String {
    nested_ifs(n, |_, _| "true".to_owned(), |_| "merge".to_owned())
}

fn ifs_that_return(n: usize) -> String {
    nested_ifs(n, |to, i| to.value(&format!("less_than %x, {i}")), |i| format!("return {i}"))
}

fn nested_ifs(n: usize, condition: fn(&mut Writer, usize) -> String, otherwise: fn(usize) -> String) -> String {
    let mut to = Writer::function(0);
    for i in 0..n {
        let condition = condition(&mut to, i);
        to.line(&format!("if {condition} {{"));
        to.enter("then ");
    }
    to.add("@v", "%x");
    for i in (0..n).rev() {
        to.line("merge");
        to.enter("else ");
        to.line(&otherwise(i));
        to.line("}");
        to.enter("");
    }
    to.end()
}

fn returns_in_a_row(n: usize) -> String {
    let mut to = Writer::function(0);
    for i in 0..n {
        to.add("@v", "%x");
        let condition = to.value(&format!("equal %x, {i}"));
        to.line(&format!("if {condition} {{"));
        to.enter("then ");
        let value = to.value("load @v");
        to.line(&format!("return {value}"));
        to.enter("else ");
        to.line("merge");
        to.line("}");
        to.enter("");
    }
    to.end()
}

fn labelled(n: usize) -> String {
    nested_labels(n, |own, _| own.to_owned())
}

fn labelled_to_the_outermost(n: usize) -> String {
    nested_labels(n, |_, outermost| outermost.to_owned())
}

/// Each block is left in its middle, to where `target` says, given its own label and the outermost.
fn nested_labels(n: usize, target: fn(&str, &str) -> String) -> String {
    let mut to = Writer::function(0);
    let mut owner = "b0".to_owned();
    for i in 0..n {
        to.line("labelled {");
        let inner = to.enter("body ");
        let condition = to.value(&format!("equal %x, {i}"));
        to.add("@v", "1");
        to.line(&format!("if {condition} {{"));
        to.enter("then ");
        to.line(&format!("break {}", target(&owner, "b0")));
        to.enter("else ");
        to.line("merge");
        to.line("}");
        let _ = inner;
        owner = to.enter("");
    }
    to.add("@v", "%x");
    for _ in 0..n {
        to.line("merge");
        to.line("}");
        to.enter("");
    }
    to.end()
}

/// All that is in the blocks returns.
fn labelled_for_good(n: usize) -> String {
    let mut to = Writer::function(0);
    for _ in 0..n {
        to.line("labelled {");
        to.enter("body ");
    }
    to.line("return %x");
    for i in 0..n {
        to.line("}");
        to.enter("");
        if i + 1 < n {
            to.line("return 0");
        }
    }
    to.end()
}

fn switches(n: usize) -> String {
    nested_switches(n, false)
}

fn falling_switches(n: usize) -> String {
    nested_switches(n, true)
}

fn nested_switches(n: usize, falls: bool) -> String {
    let mut to = Writer::function(0);
    let mut owners = vec!["b0".to_owned()];
    for i in 0..n {
        let selector = to.value(&format!("add %x, {i}"));
        to.line(&format!("switch {selector} {{"));
        owners.push(to.enter("case 0 "));
    }
    to.add("@v", "%x");
    for i in (0..n).rev() {
        let end = if falls { "passthrough".to_owned() } else { format!("break {}", owners[i]) };
        to.line(&end);
        to.enter("case 1, default ");
        to.add("@v", "1");
        to.line(&format!("break {}", owners[i]));
        to.line("}");
        to.enter("");
    }
    to.end()
}

fn never(n: usize) -> String {
    do_loops(n, |_| "false".to_owned())
}

fn found_never(n: usize) -> String {
    do_loops(n, |to| to.below("@i0", "0"))
}

fn on_one_condition(n: usize) -> String {
    do_loops(n, |_| "%c".to_owned())
}

/// Nested `do { … } while (condition)`.
fn do_loops(n: usize, condition: fn(&mut Writer) -> String) -> String {
    let mut to = Writer::function(1);
    let mut owners = vec!["b0".to_owned()];
    for _ in 0..n {
        to.line("do_loop {");
        owners.push(to.enter("body "));
    }
    to.add("@v", "%x");
    for i in (0..n).rev() {
        to.line(&format!("continue {}", owners[i]));
        to.enter("cond ");
        let again = condition(&mut to);
        to.line(&format!("loop_if {again}"));
        to.line("}");
        to.enter("");
    }
    to.end()
}

fn breaking(n: usize) -> String {
    plain_loops(n, |_, _| "true".to_owned(), |_, owner| format!("break {owner}"))
}

/// `while (v < i) { … break }`
fn left_in_the_middle(n: usize) -> String {
    let below = |to: &mut Writer, i: usize| {
        let limit = to.value(&format!("add %x, {i}"));
        to.below("@v", &limit)
    };
    plain_loops(n, below, |_, owner| format!("break {owner}"))
}

/// Nested `for (i = 0; i < x; i++)`, with a counter for each.
fn counted(n: usize) -> String {
    plain_loops(
        n,
        |to, i| to.below(&format!("@i{i}"), "%x"),
        |i, owner| format!("%n{i} = load @i{i}\n  %m{i} = add %n{i}, 1\n  store @i{i}, %m{i}\n  continue {owner}"),
    )
}

fn counted_of_few_rounds(n: usize) -> String {
    plain_loops(
        n,
        |to, i| to.below(&format!("@i{i}"), "2"),
        |i, owner| format!("%n{i} = load @i{i}\n  %m{i} = add %n{i}, 1\n  store @i{i}, %m{i}\n  continue {owner}"),
    )
}

/// Nested `loop`s, with the given condition and end of the body.
fn plain_loops(n: usize, condition: fn(&mut Writer, usize) -> String, end: fn(usize, &str) -> String) -> String {
    let mut to = Writer::function(n);
    let mut owner = "b0".to_owned();
    let mut owners = Vec::new();
    for i in 0..n {
        to.line(&format!("store @i{i}, 0"));
        to.line("loop {");
        to.enter("cond ");
        let goes_on = condition(&mut to, i);
        to.line(&format!("loop_if {goes_on}"));
        owners.push(std::mem::replace(&mut owner, to.enter("body ")));
    }
    to.add("@v", "%x");
    for i in (0..n).rev() {
        to.line(&end(i, &owners[i]));
        to.line("}");
        to.enter("");
    }
    to.end()
}

/// Nested loops, of which the innermost changes as many variables as there are loops.
fn counted_changing_all(n: usize) -> String {
    let mut to = Writer::function(n);
    let mut owners = vec!["b0".to_owned()];
    for i in 0..n {
        to.line("loop {");
        to.enter("cond ");
        let goes_on = to.below(&format!("@i{i}"), "%x");
        to.line(&format!("loop_if {goes_on}"));
        owners.push(to.enter("body "));
    }
    for i in 0..n {
        to.add(&format!("@i{i}"), "1");
    }
    for i in (0..n).rev() {
        to.line(&format!("continue {}", owners[i]));
        to.line("}");
        to.enter("");
    }
    for i in 0..n {
        let value = to.value(&format!("load @i{i}"));
        to.add("@v", &value);
    }
    to.end()
}

/// `while (v < x) { a = b; b = c; … }`: in each iteration one more variable is found to change.
fn shifting(n: usize) -> String {
    let mut to = Writer::function(n + 1);
    to.line("loop {");
    to.enter("cond ");
    let goes_on = to.below("@v", "%x");
    to.line(&format!("loop_if {goes_on}"));
    to.enter("body ");
    for i in 0..n {
        let value = to.value(&format!("load @i{}", i + 1));
        to.line(&format!("store @i{i}, {value}"));
    }
    to.line(&format!("store @i{n}, %x"));
    to.add("@v", "1");
    to.line("continue b0");
    to.line("}");
    to.enter("");
    let value = to.value("load @i0");
    to.add("@v", &value);
    to.end()
}

fn loops_in_ifs(n: usize) -> String {
    let mut to = Writer::function(0);
    let mut owner = "b0".to_owned();
    let mut owners = Vec::new();
    for i in 0..n {
        to.line("loop {");
        to.enter("cond ");
        let limit = to.value(&format!("add %x, {i}"));
        let goes_on = to.below("@v", &limit);
        to.line(&format!("loop_if {goes_on}"));
        to.enter("body ");
        let condition = to.value(&format!("equal %x, {i}"));
        to.line(&format!("if {condition} {{"));
        owners.push(std::mem::replace(&mut owner, to.enter("then ")));
    }
    to.add("@v", "%x");
    for i in (0..n).rev() {
        to.line("merge");
        to.enter("else ");
        to.add("@v", "1");
        to.line("merge");
        to.line("}");
        to.enter("");
        to.line(&format!("continue {}", owners[i]));
        to.line("}");
        to.enter("");
    }
    to.end()
}

/// The condition of each loop is a loop.
fn loops_in_conditions(n: usize) -> String {
    let mut to = Writer::function(0);
    let mut owners = vec!["b0".to_owned()];
    for _ in 0..n {
        to.line("loop {");
        owners.push(to.enter("cond "));
    }
    to.add("@v", "%x");
    for i in (0..n).rev() {
        let goes_on = to.below("@v", &i.to_string());
        to.line(&format!("loop_if {goes_on}"));
        to.enter("body ");
        to.add("@v", "1");
        to.line(&format!("continue {}", owners[i]));
        to.line("}");
        to.enter("");
    }
    to.end()
}

/// Nests of eight counted loops, one after the other.
fn rows_of_nests(n: usize) -> String {
    const DEPTH: usize = 8;
    let mut to = Writer::function(DEPTH);
    let mut owner = "b0".to_owned();
    for _ in 0..n.div_ceil(DEPTH) {
        let mut owners = Vec::new();
        for i in 0..DEPTH {
            to.line(&format!("store @i{i}, 0"));
            to.line("loop {");
            to.enter("cond ");
            let goes_on = to.below(&format!("@i{i}"), "%x");
            to.line(&format!("loop_if {goes_on}"));
            owners.push(std::mem::replace(&mut owner, to.enter("body ")));
        }
        to.add("@v", "%x");
        for i in (0..DEPTH).rev() {
            to.add(&format!("@i{i}"), "1");
            to.line(&format!("continue {}", owners[i]));
            to.line("}");
            owner = to.enter("");
        }
    }
    to.end()
}

fn call_chain(n: usize) -> String {
    calls(n, 1, false)
}

fn call_tree(n: usize) -> String {
    calls(n, 2, false)
}

fn calls_in_loops(n: usize) -> String {
    calls(n, 1, true)
}

/// Functions that call the one before `times` times.
fn calls(n: usize, times: usize, in_loops: bool) -> String {
    let mut to = Writer { text: "module ir\n\n".to_owned(), ..Writer::default() };
    for i in 0..=n {
        let name = if i == n { "f".to_owned() } else { format!("g{i}") };
        to.blocks = 0;
        to.begin(&name, "  var @v: i32 = 0\n");
        if in_loops {
            to.line("loop {");
            to.enter("cond ");
            let goes_on = to.below("@v", "%x");
            to.line(&format!("loop_if {goes_on}"));
            to.enter("body ");
        }
        to.add("@v", "%x");
        for _ in 0..times {
            if i > 0 {
                let value = to.value("load @v");
                let value = to.value(&format!("call @g{}, {value}, %c", i - 1));
                to.add("@v", &value);
            }
        }
        if in_loops {
            to.line("continue b0");
            to.line("}");
            to.enter("");
        }
        to.end_function();
    }
    to.text.push_str("export @f \"f\"\n");
    to.text
}

fn selects(n: usize) -> String {
    let mut to = Writer::function(0);
    for i in 0..n {
        let condition = to.value(&format!("less_than %x, {i}"));
        let old = to.value("load @v");
        let other = to.value(&format!("multiply {old}, {}", i + 3));
        let new = to.value(&format!("select {condition}, {old}, {other}"));
        to.line(&format!("store @v, {new}"));
    }
    to.end()
}

/// Selects that are used by others on other conditions, so that the branches they may become are in each other.
fn select_tree(n: usize) -> String {
    let mut to = Writer::function(0);
    let mut value = "%x".to_owned();
    for i in 0..n {
        let condition = to.value(&format!("less_than %x, {i}"));
        let far = to.value(&format!("divide {value}, {}", i + 3));
        let far = to.value(&format!("divide {far}, %x"));
        value = to.value(&format!("select {condition}, {far}, {i}"));
    }
    to.line(&format!("store @v, {value}"));
    to.end()
}

/// A program of constructs nested `depth` deep, chosen by `bytes`. It always ends, since each loop counts its
/// iterations.
pub fn random(bytes: &[u8], depth: usize) -> String {
    let mut to = Writer::function(VARIABLES);
    for i in 0..LOOPS {
        to.line(&format!("var @k{i}: i32 = 0"));
    }
    let mut random = Nest { to, choices: Choices::from_bytes(bytes), around: Vec::new(), loops: 0 };
    random.chain(depth);
    for i in 0..VARIABLES {
        let value = random.to.value(&format!("load @i{i}"));
        let old = random.to.value("load @v");
        let scaled = random.to.value(&format!("multiply {old}, 31"));
        let sum = random.to.value(&format!("add {scaled}, {value}"));
        random.to.line(&format!("store @v, {sum}"));
    }
    random.to.end()
}

const VARIABLES: usize = 4;
const LOOPS: usize = 40;

/// A random program that is being written.
struct Nest<'a> {
    to: Writer,
    choices: Choices<'a>,
    /// The constructs around that can be left: the label, and whether it is a loop.
    around: Vec<(String, bool)>,
    loops: usize,
}

impl Nest<'_> {
    fn condition(&mut self) -> String {
        let (variable, number) = (self.choices.below(VARIABLES), self.choices.below(4));
        match self.choices.below(6) {
            0 => "%c".to_owned(),
            1 => if number > 1 { "true" } else { "false" }.to_owned(),
            2 => self.to.value(&format!("equal %x, {number}")),
            _ => self.to.below(&format!("@i{variable}"), &number.to_string()),
        }
    }

    fn statement(&mut self) {
        let (a, b, number) = (self.choices.below(VARIABLES), self.choices.below(VARIABLES), self.choices.below(3));
        match self.choices.below(3) {
            0 => self.to.line(&format!("store @i{a}, {number}")),
            1 => self.to.add(&format!("@i{a}"), &number.to_string()),
            _ => {
                let value = self.to.value(&format!("load @i{b}"));
                self.to.line(&format!("store @i{a}, {value}"));
            }
        }
    }

    /// `if … { leaves }`
    fn leave(&mut self) {
        let condition = self.condition();
        let exit = match self.choices.below(5) {
            0 => "return %x".to_owned(),
            _ if self.around.is_empty() => "return 7".to_owned(),
            choice => {
                let at = self.choices.below(self.around.len());
                let (label, is_loop) = &self.around[at];
                if *is_loop && choice < 3 { format!("continue {label}") } else { format!("break {label}") }
            }
        };
        self.to.line(&format!("if {condition} {{"));
        self.to.enter("then ");
        self.statement();
        self.to.line(&exit);
        self.to.enter("else ");
        self.to.line("merge");
        self.to.line("}");
        self.to.enter("");
    }

    /// Statements, a construct, statements.
    fn chain(&mut self, depth: usize) {
        self.statement();
        if depth > 0 {
            match self.choices.below(8) {
                0 | 1 => self.branch(depth),
                2 => self.labelled(depth),
                3 => self.switch(depth),
                4 | 5 if self.loops < LOOPS => self.do_loop(depth),
                _ if self.loops < LOOPS => self.while_loop(depth),
                _ => self.branch(depth),
            }
        }
        self.statement();
        if self.choices.below(3) == 0 {
            self.leave();
        }
    }

    /// Recursion: `depth` levels, which the caller gives.
    fn branch(&mut self, depth: usize) {
        let condition = self.condition();
        self.to.line(&format!("if {condition} {{"));
        self.to.enter("then ");
        self.chain(depth - 1);
        self.to.line("merge");
        self.to.enter("else ");
        self.chain(self.shallow(depth));
        self.to.line("merge");
        self.to.line("}");
        self.to.enter("");
    }

    fn shallow(&self, depth: usize) -> usize {
        depth / 4
    }

    fn labelled(&mut self, depth: usize) {
        self.around.push((self.to.at.clone(), false));
        self.to.line("labelled {");
        self.to.enter("body ");
        self.chain(depth - 1);
        self.to.line("merge");
        self.around.pop();
        self.to.line("}");
        self.to.enter("");
    }

    fn switch(&mut self, depth: usize) {
        let owner = self.to.at.clone();
        self.around.push((owner.clone(), false));
        let variable = self.choices.below(VARIABLES);
        let selector = self.to.value(&format!("load @i{variable}"));
        self.to.line(&format!("switch {selector} {{"));
        self.to.enter("case 0 ");
        self.chain(depth - 1);
        let falls = self.choices.below(2) == 0;
        self.to.line(&if falls { "passthrough".to_owned() } else { format!("break {owner}") });
        self.to.enter("case 1, default ");
        self.chain(self.shallow(depth));
        self.to.line(&format!("break {owner}"));
        self.around.pop();
        self.to.line("}");
        self.to.enter("");
    }

    /// A counter that is zero, and the number of iterations that it may count.
    fn counter(&mut self) -> (String, usize) {
        self.loops += 1;
        let counter = format!("@k{}", self.loops - 1);
        self.to.line(&format!("store {counter}, 0"));
        (counter, [0, 1, 1, 2][self.choices.below(4)])
    }

    /// Whether a counter allows another round, and perhaps something else does.
    fn goes_on(&mut self, counter: &str, rounds: usize) -> String {
        let counts = self.to.below(counter, &rounds.to_string());
        match self.choices.below(3) {
            0 => counts,
            1 if rounds == 0 => "false".to_owned(),
            _ => {
                let other = self.condition();
                self.to.value(&format!("logical_and {counts}, {other}"))
            }
        }
    }

    fn do_loop(&mut self, depth: usize) {
        let (counter, rounds) = self.counter();
        let owner = self.to.at.clone();
        self.around.push((owner.clone(), true));
        self.to.line("do_loop {");
        self.to.enter("body ");
        self.to.add(&counter, "1");
        self.chain(depth - 1);
        self.to.line(&format!("continue {owner}"));
        self.around.pop();
        self.to.enter("cond ");
        let goes_on = self.goes_on(&counter, rounds);
        self.to.line(&format!("loop_if {goes_on}"));
        self.to.line("}");
        self.to.enter("");
    }

    fn while_loop(&mut self, depth: usize) {
        let (counter, rounds) = self.counter();
        let owner = self.to.at.clone();
        self.to.line("loop {");
        self.to.enter("cond ");
        let goes_on = self.goes_on(&counter, rounds);
        self.to.line(&format!("loop_if {goes_on}"));
        self.around.push((owner.clone(), true));
        self.to.enter("body ");
        self.to.add(&counter, "1");
        self.chain(depth - 1);
        let end = if self.choices.below(3) == 0 { "break" } else { "continue" };
        self.to.line(&format!("{end} {owner}"));
        self.around.pop();
        self.to.line("}");
        self.to.enter("");
    }
}
