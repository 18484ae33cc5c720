//! Abstract values, interned.
//!
//! The abstraction is over reals, booleans, and the identity of tokens. A procedure keeps its text; its captures are
//! abstract.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::record::NodeJoin;
use crate::core::LambdaId;
use crate::primitive::Primitive;
use crate::terms::Constant;

/// An abstract value. Equal ids are equal values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct ValueId(pub(crate) u32);

/// Captures of a group of procedures. Equal ids are equal captures.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct EnvId(u32);

/// An abstract value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Value {
    /// No value: not reached, or not yet.
    Bottom,
    Nil,
    Bool(bool),
    AnyBool,
    /// The bits of an `f64`.
    Real(u64),
    AnyReal,
    /// A parameter that is a real as far as known, while the shape of an export's argument is inferred.
    Asked(u32),
    /// A token with an age in this range, as numbered by age in the current frame.
    Token(u32, u32),
    Pair(ValueId, ValueId),
    /// A node of the record, as numbered by age in the current frame, which has its definition.
    Node(u32),
    /// Token, primal, tangent.
    Bundle(ValueId, ValueId, ValueId),
    Closure(LambdaId, EnvId),
    Primitive(Primitive),
}

impl Value {
    /// Whether it is a real, constant or unknown.
    pub(crate) fn is_real(self) -> bool {
        matches!(self, Value::Real(_) | Value::AnyReal | Value::Asked(_))
    }

    /// Whether it is a real or a dual number.
    fn is_number(self) -> bool {
        self.is_real() || matches!(self, Value::Bundle(..))
    }
}

/// Summary of a value.
#[derive(Clone, Copy, Debug)]
struct Info {
    /// Unknown reals and booleans in it.
    width: u32,
    /// Number of parts that are no pairs, with repetitions; a procedure counts as one.
    leaves: u32,
    /// Nesting depth, not counting the tails of lists.
    height: u32,
    /// The tokens and nodes in it.
    tokens: TokensId,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct TokensId(u32);

/// Maximum nesting depth of values.
pub(crate) const MAX_HEIGHT: u32 = 200;

/// Maximum number of unknown scalars in a value.
pub(crate) const MAX_WIDTH: usize = 30_000;

/// Maximum number of parts of a value that leaves the program: with shared constant parts there may be exponentially
/// many. Machines have 65,536 live values, and instructions of SPIR-V as many words.
pub(crate) const MAX_LEAVES: u32 = 60_000;

/// In a set of tokens, a node is its number with this bit: sorted after all tokens.
pub(crate) const NODE: u32 = 1 << 31;

/// All values of an analysis.
pub(crate) struct Values {
    values: Vec<Value>,
    info: Vec<Info>,
    ids: FxHashMap<Value, ValueId>,
    envs: Vec<(Rc<[ValueId]>, Info)>,
    env_ids: FxHashMap<Rc<[ValueId]>, EnvId>,
    tokens: Vec<Rc<[u32]>>,
    token_ids: FxHashMap<Rc<[u32]>, u32>,
    /// State of joining nodes at a merge; `None` if nodes cannot be joined.
    pub(super) node_join: Option<NodeJoin>,
}

/// Two values that have no union.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Mismatch(pub(crate) ValueId, pub(crate) ValueId);

impl Values {
    pub(crate) const BOTTOM: ValueId = ValueId(0);
    pub(crate) const NIL: ValueId = ValueId(1);
    pub(crate) const FALSE: ValueId = ValueId(2);
    pub(crate) const TRUE: ValueId = ValueId(3);
    pub(crate) const BOOL: ValueId = ValueId(4);
    pub(crate) const REAL: ValueId = ValueId(5);

    pub(crate) fn new() -> Self {
        let none: Rc<[u32]> = [].into();
        let mut values = Values {
            values: Vec::new(),
            info: Vec::new(),
            ids: FxHashMap::default(),
            envs: Vec::new(),
            env_ids: FxHashMap::default(),
            tokens: vec![none.clone()],
            token_ids: FxHashMap::from_iter([(none, 0)]),
            node_join: None,
        };
        let predefined =
            [Value::Bottom, Value::Nil, Value::Bool(false), Value::Bool(true), Value::AnyBool, Value::AnyReal];
        for value in predefined {
            values.intern(value);
        }
        values
    }

    pub(crate) fn get(&self, id: ValueId) -> Value {
        self.values[id.0 as usize]
    }

    pub(crate) fn env(&self, id: EnvId) -> &Rc<[ValueId]> {
        &self.envs[id.0 as usize].0
    }

    /// Number of unknown reals and booleans in a value, which are computed at run time.
    pub(crate) fn width(&self, id: ValueId) -> usize {
        self.info[id.0 as usize].width as usize
    }

    /// Unknown reals and booleans in captures.
    pub(crate) fn env_width(&self, id: EnvId) -> usize {
        self.envs[id.0 as usize].1.width as usize
    }

    /// The parts of a value that are no pairs.
    pub(crate) fn leaf_count(&self, id: ValueId) -> u32 {
        self.info[id.0 as usize].leaves
    }

    /// Nesting depth of a value.
    pub(crate) fn height(&self, id: ValueId) -> u32 {
        self.info[id.0 as usize].height
    }

    /// The tokens in a value, oldest first, then its nodes, as numbers with `NODE`.
    pub(crate) fn tokens(&self, id: ValueId) -> &Rc<[u32]> {
        &self.tokens[self.info[id.0 as usize].tokens.0 as usize]
    }

    /// A value that is there.
    pub(crate) fn find(&self, value: Value) -> ValueId {
        self.ids.get(&value).copied().expect("the analysis has met this value")
    }

    /// The abstract value of a constant.
    pub(crate) fn find_constant(&self, constant: Constant) -> ValueId {
        match constant {
            Constant::Real(bits) => self.find(Value::Real(bits)),
            Constant::Bool(b) => self.boolean(b),
            Constant::Nil => Self::NIL,
            Constant::Primitive(primitive) => self.find(Value::Primitive(primitive)),
        }
    }

    pub(crate) fn boolean(&self, value: bool) -> ValueId {
        if value { Self::TRUE } else { Self::FALSE }
    }

    pub(crate) fn real(&mut self, bits: u64) -> ValueId {
        self.intern(Value::Real(bits))
    }

    pub(crate) fn token(&mut self, number: u32) -> ValueId {
        self.intern(Value::Token(number, number))
    }

    pub(crate) fn pair(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.intern(Value::Pair(a, b))
    }

    pub(crate) fn constant(&mut self, constant: Constant) -> ValueId {
        match constant {
            Constant::Real(bits) => self.real(bits),
            Constant::Bool(b) => self.boolean(b),
            Constant::Nil => Self::NIL,
            Constant::Primitive(primitive) => self.intern(Value::Primitive(primitive)),
        }
    }

    pub(crate) fn intern(&mut self, value: Value) -> ValueId {
        if let Some(&id) = self.ids.get(&value) {
            return id;
        }
        let info = self.describe(value);
        let id = ValueId(self.values.len() as u32);
        self.values.push(value);
        self.info.push(info);
        self.ids.insert(value, id);
        id
    }

    pub(crate) fn intern_env(&mut self, captures: Vec<ValueId>) -> EnvId {
        if let Some(&id) = self.env_ids.get(&captures[..]) {
            return id;
        }
        let mut info = Info { width: 0, leaves: 1, height: 0, tokens: TokensId(0) };
        for &value in &captures {
            let part = self.info[value.0 as usize];
            info.width = info.width.saturating_add(part.width);
            info.height = info.height.max(part.height);
            info.tokens = self.union(info.tokens, part.tokens);
        }
        let captures: Rc<[ValueId]> = captures.into();
        let id = EnvId(self.envs.len() as u32);
        self.envs.push((captures.clone(), info));
        self.env_ids.insert(captures, id);
        id
    }

    fn describe(&mut self, value: Value) -> Info {
        let none = TokensId(0);
        match value {
            Value::AnyReal | Value::AnyBool | Value::Asked(_) => Info { width: 1, leaves: 1, height: 0, tokens: none },
            Value::Token(first, last) => {
                let set: &[u32] = if first == last { &[first] } else { &[first, last] };
                Info { width: 0, leaves: 1, height: 0, tokens: self.intern_tokens(set.into()) }
            }
            Value::Node(number) => {
                Info { width: 0, leaves: 1, height: 0, tokens: self.intern_tokens([number | NODE].into()) }
            }
            Value::Pair(a, b) => {
                let (a, b) = (self.info[a.0 as usize], self.info[b.0 as usize]);
                Info {
                    width: a.width.saturating_add(b.width),
                    leaves: a.leaves.saturating_add(b.leaves),
                    height: (a.height + 1).max(b.height),
                    tokens: self.union(a.tokens, b.tokens),
                }
            }
            Value::Bundle(token, primal, tangent) => {
                let [token, primal, tangent] = [token, primal, tangent].map(|part| self.info[part.0 as usize]);
                let tokens = self.union(token.tokens, primal.tokens);
                Info {
                    width: primal.width.saturating_add(tangent.width),
                    leaves: primal.leaves.saturating_add(tangent.leaves),
                    height: primal.height.max(tangent.height) + 1,
                    tokens: self.union(tokens, tangent.tokens),
                }
            }
            Value::Closure(_, env) => {
                let env = self.envs[env.0 as usize].1;
                Info { height: env.height + 1, ..env }
            }
            Value::Bottom | Value::Nil | Value::Bool(_) | Value::Real(_) | Value::Primitive(_) => {
                Info { width: 0, leaves: 1, height: 0, tokens: none }
            }
        }
    }

    fn intern_tokens(&mut self, set: Rc<[u32]>) -> TokensId {
        let next = self.tokens.len() as u32;
        let id = *self.token_ids.entry(set.clone()).or_insert(next);
        if id == next {
            self.tokens.push(set);
        }
        TokensId(id)
    }

    fn union(&mut self, a: TokensId, b: TokensId) -> TokensId {
        if a == b || b.0 == 0 {
            return a;
        }
        if a.0 == 0 {
            return b;
        }
        let mut set: Vec<u32> = self.tokens[a.0 as usize].to_vec();
        set.extend(&*self.tokens[b.0 as usize]);
        set.sort_unstable();
        set.dedup();
        self.intern_tokens(set.into())
    }

    /// The value with every token's and node's number mapped by `new`, which must be monotonic.
    pub(crate) fn renumber(&mut self, id: ValueId, new: &dyn Fn(u32) -> u32) -> ValueId {
        let mut known = FxHashMap::default();
        self.renumbered(id, new, &mut known)
    }

    fn renumbered(
        &mut self,
        id: ValueId,
        new: &dyn Fn(u32) -> u32,
        known: &mut FxHashMap<ValueId, ValueId>,
    ) -> ValueId {
        if self.tokens(id).is_empty() {
            return id;
        }
        if let Some(&found) = known.get(&id) {
            return found;
        }
        let value = match self.get(id) {
            Value::Token(first, last) => Value::Token(new(first), new(last)),
            Value::Node(number) => Value::Node(new(number | NODE) & !NODE),
            Value::Pair(..) => return self.renumbered_list(id, new, known),
            Value::Bundle(token, primal, tangent) => Value::Bundle(
                self.renumbered(token, new, known),
                self.renumbered(primal, new, known),
                self.renumbered(tangent, new, known),
            ),
            Value::Closure(lambda, env) => {
                let captures = self.env(env).clone();
                let captures = captures.iter().map(|&part| self.renumbered(part, new, known)).collect();
                Value::Closure(lambda, self.intern_env(captures))
            }
            _ => return id,
        };
        let result = self.intern(value);
        known.insert(id, result);
        result
    }

    /// Lists are long, so their tails are no recursion.
    fn renumbered_list(
        &mut self,
        id: ValueId,
        new: &dyn Fn(u32) -> u32,
        known: &mut FxHashMap<ValueId, ValueId>,
    ) -> ValueId {
        let mut items = Vec::new();
        let mut rest = id;
        while let Value::Pair(item, tail) = self.get(rest) {
            if known.contains_key(&rest) {
                break;
            }
            items.push((rest, self.renumbered(item, new, known)));
            rest = tail;
        }
        let mut result = match known.get(&rest) {
            Some(&found) => found,
            None => self.renumbered(rest, new, known),
        };
        for (old, item) in items.into_iter().rev() {
            result = self.pair(item, result);
            known.insert(old, result);
        }
        result
    }

    /// The least upper bound of two values.
    ///
    /// Recursion: as deep as the values nest, at most [`MAX_HEIGHT`]; tails of lists are a loop.
    ///
    /// # Errors
    /// The first parts of them that have none.
    pub(crate) fn join(&mut self, a: ValueId, b: ValueId) -> Result<ValueId, Mismatch> {
        if a == b || b == Self::BOTTOM {
            return Ok(a);
        }
        let joined = match (self.get(a), self.get(b)) {
            (Value::Bottom, _) => return Ok(b),
            (Value::Bool(_) | Value::AnyBool, Value::Bool(_) | Value::AnyBool) => Value::AnyBool,
            (a, b) if a.is_real() && b.is_real() => Value::AnyReal,
            (Value::Token(a, b), Value::Token(c, d)) => Value::Token(a.min(c), b.max(d)),
            (Value::Node(x), Value::Node(y)) => return self.join_nodes(Some(x), Some(y)).ok_or(Mismatch(a, b)),
            (Value::Pair(..), Value::Pair(..)) => return self.join_lists(a, b, Self::join),
            (Value::Closure(f, x), Value::Closure(g, y)) if f == g => {
                let (x, y) = (self.env(x).clone(), self.env(y).clone());
                let captures = x.iter().zip(&*y).map(|(&x, &y)| self.join(x, y)).collect::<Result<Vec<_>, _>>()?;
                Value::Closure(f, self.intern_env(captures))
            }
            (x, y) if x.is_number() && y.is_number() => return self.join_bundles(a, b),
            _ => return Err(Mismatch(a, b)),
        };
        Ok(self.intern(joined))
    }

    fn join_lists(
        &mut self,
        mut a: ValueId,
        mut b: ValueId,
        join: fn(&mut Self, ValueId, ValueId) -> Result<ValueId, Mismatch>,
    ) -> Result<ValueId, Mismatch> {
        let whole = Mismatch(a, b);
        let mut items = Vec::new();
        while let (Value::Pair(x, rest_a), Value::Pair(y, rest_b)) = (self.get(a), self.get(b)) {
            items.push(join(self, x, y)?);
            (a, b) = (rest_a, rest_b);
        }
        // For two lists of different lengths, report the lists rather than their ends.
        let mut result = join(self, a, b).map_err(|at| if at == Mismatch(a, b) { whole } else { at })?;
        for item in items.into_iter().rev() {
            result = self.pair(item, result);
        }
        Ok(result)
    }

    /// A real is equivalent to a dual number with any token and an empty tangent.
    fn join_bundles(&mut self, a: ValueId, b: ValueId) -> Result<ValueId, Mismatch> {
        let mismatch = Mismatch(a, b);
        let (outer, _) = self.order_bundles(a, b).ok_or(mismatch)?;
        let Value::Bundle(token, ..) = self.get(outer) else { return Err(mismatch) };
        let parts = |id: ValueId| match self.get(id) {
            Value::Bundle(other, primal, tangent) if other == token => (primal, tangent),
            _ => (id, Self::NIL),
        };
        let ((primal_a, tangent_a), (primal_b, tangent_b)) = (parts(a), parts(b));
        let primal = self.join(primal_a, primal_b)?;
        let tangent = self.join_tangents(tangent_a, tangent_b)?;
        Ok(self.intern(Value::Bundle(token, primal, tangent)))
    }

    /// Two dual numbers, that with the newer token first; `None` if the order is unknown.
    pub(crate) fn order_bundles(&self, a: ValueId, b: ValueId) -> Option<(ValueId, ValueId)> {
        let token = |id: ValueId| match self.get(id) {
            Value::Bundle(token, ..) => match self.get(token) {
                Value::Token(first, last) => Some((first, last)),
                _ => None,
            },
            _ => None,
        };
        match (token(a), token(b)) {
            (Some(_), None) => Some((a, b)),
            (None, Some(_)) => Some((b, a)),
            (Some(x), Some(y)) if x == y || x.0 > y.1 => Some((a, b)),
            (Some(x), Some(y)) if y.0 > x.1 => Some((b, a)),
            _ => None,
        }
    }

    /// As `join`, with `()` as the zero of every numeric shape.
    fn join_tangents(&mut self, a: ValueId, b: ValueId) -> Result<ValueId, Mismatch> {
        match (self.get(a), self.get(b)) {
            _ if a == b => Ok(a),
            (Value::Nil, Value::Node(node)) => self.join_nodes(None, Some(node)).ok_or(Mismatch(a, b)),
            (Value::Node(node), Value::Nil) => self.join_nodes(Some(node), None).ok_or(Mismatch(a, b)),
            (Value::Nil, _) => self.with_zero(b, false).ok_or(Mismatch(a, b)),
            (_, Value::Nil) => self.with_zero(a, true).ok_or(Mismatch(a, b)),
            (Value::Pair(..), Value::Pair(..)) => self.join_lists(a, b, Self::join_tangents),
            _ => self.join(a, b),
        }
    }

    /// The join of a tangent (that of the first value, or of the second) with its zero.
    /// Recursion: as deep as the value nests, at most [`MAX_HEIGHT`]; tails of lists are a loop.
    fn with_zero(&mut self, id: ValueId, is_first: bool) -> Option<ValueId> {
        let value = match self.get(id) {
            Value::Nil | Value::Real(0) => return Some(id),
            Value::Node(node) if is_first => return self.join_nodes(Some(node), None),
            Value::Node(node) => return self.join_nodes(None, Some(node)),
            value if value.is_real() => Value::AnyReal,
            Value::Pair(..) => {
                let (mut items, mut rest) = (Vec::new(), id);
                while let Value::Pair(item, tail) = self.get(rest) {
                    items.push(self.with_zero(item, is_first)?);
                    rest = tail;
                }
                let end = self.with_zero(rest, is_first)?;
                return Some(items.into_iter().rev().fold(end, |rest, item| self.pair(item, rest)));
            }
            Value::Bundle(token, primal, tangent) => {
                Value::Bundle(token, self.with_zero(primal, is_first)?, self.with_zero(tangent, is_first)?)
            }
            _ => return None,
        };
        Some(self.intern(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn real(values: &mut Values, x: f64) -> ValueId {
        values.real(x.to_bits())
    }

    #[test]
    fn joins_forget_what_differs() {
        let mut v = Values::new();
        let (one, two) = (real(&mut v, 1.0), real(&mut v, 2.0));
        assert_eq!(v.join(one, two), Ok(Values::REAL));
        assert_eq!(v.join(one, one), Ok(one));
        assert_eq!(v.join(Values::BOTTOM, one), Ok(one));
        let (a, b) = (v.pair(one, Values::TRUE), v.pair(one, Values::FALSE));
        let joined = v.pair(one, Values::BOOL);
        assert_eq!(v.join(a, b), Ok(joined));
        assert_eq!(v.join(a, one), Err(Mismatch(a, one)));
    }

    #[test]
    fn reals_join_bundles() {
        let mut v = Values::new();
        let (one, token, newer) = (real(&mut v, 1.0), v.token(0), v.token(1));
        let bundle = v.intern(Value::Bundle(token, one, one));
        let joined = v.intern(Value::Bundle(token, Values::REAL, Values::REAL));
        let two = real(&mut v, 2.0);
        assert_eq!(v.join(two, bundle), Ok(joined));
        let outer = v.intern(Value::Bundle(newer, one, Values::NIL));
        // The primal of the newer one is a dual number, too, whose tangent is zero.
        let inside = v.intern(Value::Bundle(token, one, Values::REAL));
        let both = v.intern(Value::Bundle(newer, inside, Values::NIL));
        assert_eq!(v.join(bundle, outer), Ok(both));
    }

    #[test]
    fn tokens_are_renumbered_in_order() {
        let mut v = Values::new();
        let (a, b) = (v.token(3), v.token(7));
        let pair = v.pair(a, b);
        assert_eq!(**v.tokens(pair), [3, 7]);
        let (x, y) = (v.token(0), v.token(1));
        let new = v.pair(x, y);
        assert_eq!(v.renumber(pair, &|n| u32::from(n == 7)), new);
    }
}
