//! The part of JavaScript that a program in Go uses: objects with fields, arrays, bytes, functions, and the three
//! standard files.

use std::collections::{BTreeMap, HashMap, VecDeque};

/// A value.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Js {
    Undefined,
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    /// By its number in [`Script::objects`].
    Object(usize),
}

/// The object of a reference.
#[derive(Debug)]
pub(crate) enum Object {
    Fields(BTreeMap<String, Js>),
    Array(Vec<Js>),
    Bytes(Vec<u8>),
    /// A function or a constructor of the host.
    Native(&'static str),
    /// A function of the program, by the program's number.
    Wrapped(Js),
}

/// The state of the host.
#[derive(Debug)]
pub(crate) struct Script {
    pub objects: Vec<Object>,
    /// The objects referenced by the program, by number.
    refs: Vec<Js>,
    ref_of: HashMap<usize, u32>,
    /// Functions of the program to be called, with their arguments.
    pub events: VecDeque<(usize, Vec<Js>)>,
    /// Number of timeouts that the program has requested.
    pub timeouts: u32,
    pub input: VecDeque<u8>,
    pub output: Vec<u8>,
    pub exit: Option<i32>,
    pub clock: i64,
}

/// Reference of the object for the program itself.
pub(crate) const PROGRAM: usize = 1;

const NAN_HEAD: u64 = 0x7ff8_0000;

const CONSTANTS: [(&str, f64); 7] = [
    ("O_WRONLY", 1.0),
    ("O_RDWR", 2.0),
    ("O_CREAT", 64.0),
    ("O_TRUNC", 512.0),
    ("O_APPEND", 1024.0),
    ("O_EXCL", 128.0),
    ("O_DIRECTORY", 65536.0),
];

impl Script {
    pub(crate) fn new(input: &str) -> Self {
        let mut script = Script {
            objects: vec![Object::Fields(BTreeMap::new()), Object::Fields(BTreeMap::new())],
            refs: vec![],
            ref_of: HashMap::new(),
            events: VecDeque::new(),
            timeouts: 0,
            input: input.bytes().collect(),
            output: vec![],
            exit: None,
            clock: 0,
        };
        for name in ["Object", "Array", "Uint8Array", "Date"] {
            let object = script.add(Object::Native(name));
            script.set(0, name, object);
        }
        let numbers = CONSTANTS.iter().map(|&(name, value)| (name.to_string(), Js::Number(value))).collect();
        let constants = script.add(Object::Fields(numbers));
        let files = script.add(Object::Fields([("constants".to_string(), constants)].into()));
        let process = script.add(Object::Fields(BTreeMap::new()));
        let path = script.add(Object::Fields(BTreeMap::new()));
        script.set(0, "fs", files);
        script.set(0, "process", process);
        script.set(0, "path", path);
        // The predefined references of Go: NaN, 0, null, true, false, the global object, the program.
        for value in [Js::Number(f64::NAN), Js::Number(0.0), Js::Null, Js::Bool(true), Js::Bool(false)] {
            script.refs.push(value);
        }
        script.number_of(&Js::Object(0));
        script.number_of(&Js::Object(PROGRAM));
        script
    }

    pub(crate) fn add(&mut self, object: Object) -> Js {
        self.objects.push(object);
        Js::Object(self.objects.len() - 1)
    }

    pub(crate) fn set(&mut self, object: usize, name: &str, value: Js) {
        if let Object::Fields(fields) = &mut self.objects[object] {
            fields.insert(name.into(), value);
        }
    }

    pub(crate) fn get(&self, value: &Js, name: &str) -> Js {
        match value {
            Js::Object(object) => match &self.objects[*object] {
                Object::Fields(fields) => fields.get(name).cloned().unwrap_or(Js::Undefined),
                _ => Js::Undefined,
            },
            _ => Js::Undefined,
        }
    }

    pub(crate) fn index(&self, value: &Js, index: usize) -> Js {
        match value {
            Js::Object(object) => match &self.objects[*object] {
                Object::Array(items) => items.get(index).cloned().unwrap_or(Js::Undefined),
                _ => Js::Undefined,
            },
            _ => Js::Undefined,
        }
    }

    pub(crate) fn length(&self, value: &Js) -> usize {
        match value {
            Js::Object(object) => match &self.objects[*object] {
                Object::Array(items) => items.len(),
                Object::Bytes(bytes) => bytes.len(),
                _ => 0,
            },
            Js::Text(text) => text.encode_utf16().count(),
            _ => 0,
        }
    }

    pub(crate) fn bytes(&mut self, value: &Js) -> Option<&mut Vec<u8>> {
        match value {
            Js::Object(object) => match &mut self.objects[*object] {
                Object::Bytes(bytes) => Some(bytes),
                _ => None,
            },
            _ => None,
        }
    }

    pub(crate) fn text(&self, value: &Js) -> String {
        match value {
            Js::Undefined => "undefined".into(),
            Js::Null => "null".into(),
            Js::Bool(x) => x.to_string(),
            Js::Number(x) => x.to_string(),
            Js::Text(text) => text.clone(),
            Js::Object(_) => "[object Object]".into(),
        }
    }

    fn number_of(&mut self, value: &Js) -> u32 {
        if let Js::Object(object) = value
            && let Some(&number) = self.ref_of.get(object)
        {
            return number;
        }
        let number = self.refs.len() as u32;
        self.refs.push(value.clone());
        if let Js::Object(object) = value {
            self.ref_of.insert(*object, number);
        }
        number
    }

    /// A value in the program's representation: a number, or a NaN with a kind and a reference.
    pub(crate) fn encode(&mut self, value: &Js) -> u64 {
        let boxed = |kind: u64, number: u32| (NAN_HEAD | kind) << 32 | u64::from(number);
        match value {
            Js::Undefined => 0,
            Js::Number(x) if x.is_nan() => boxed(0, 0),
            Js::Number(0.0) => boxed(0, 1),
            Js::Number(x) => x.to_bits(),
            Js::Null => boxed(0, 2),
            Js::Bool(x) => boxed(0, if *x { 3 } else { 4 }),
            Js::Text(_) => boxed(2, self.number_of(value)),
            Js::Object(object) => {
                let is_function = matches!(self.objects[*object], Object::Native(_) | Object::Wrapped(_));
                boxed(if is_function { 4 } else { 1 }, self.number_of(value))
            }
        }
    }

    pub(crate) fn decode(&self, bits: u64) -> Js {
        let number = f64::from_bits(bits);
        match number {
            0.0 => Js::Undefined,
            _ if !number.is_nan() => Js::Number(number),
            _ => self.refs.get(bits as u32 as usize).cloned().unwrap_or(Js::Undefined),
        }
    }

    /// The result of `new`.
    pub(crate) fn construct(&mut self, constructor: &Js, args: &[Js]) -> Option<Js> {
        let Js::Object(object) = constructor else { return None };
        let Object::Native(name) = self.objects[*object] else { return None };
        Some(match (name, args.first()) {
            ("Uint8Array", Some(Js::Number(length))) => self.add(Object::Bytes(vec![0; *length as usize])),
            ("Array", _) => self.add(Object::Array(vec![])),
            ("Object" | "Date", _) => self.add(Object::Fields(BTreeMap::new())),
            _ => return None,
        })
    }

    /// Calls a method; `None` if there is none of the name. Results of file operations come later, as events.
    pub(crate) fn call(&mut self, name: &str, args: &[Js]) -> Option<Js> {
        let answer = match name {
            "_makeFuncWrapper" => return Some(self.add(Object::Wrapped(args.first()?.clone()))),
            "cwd" => return Some(Js::Text("/".into())),
            "isDirectory" => return Some(Js::Bool(false)),
            "getTimezoneOffset" => return Some(Js::Number(0.0)),
            "write" => self.write(args)?,
            "read" => self.read(args)?,
            "fstat" => self.status(),
            "open" | "stat" | "lstat" | "readdir" | "readlink" | "mkdir" | "unlink" | "close" => self.no_entry(name),
            _ => return None,
        };
        let Js::Object(callback) = args.last()? else { return None };
        self.events.push_back((*callback, answer));
        Some(Js::Undefined)
    }

    fn no_entry(&mut self, name: &str) -> Vec<Js> {
        let fields = [("code", "ENOENT"), ("message", name)].map(|(k, v)| (k.to_string(), Js::Text(v.into())));
        vec![self.add(Object::Fields(fields.into()))]
    }

    /// A pipe.
    fn status(&mut self) -> Vec<Js> {
        let names =
            ["dev", "ino", "nlink", "uid", "gid", "rdev", "size", "blksize", "blocks", "atimeMs", "mtimeMs", "ctimeMs"];
        let mut fields: BTreeMap<String, Js> = names.map(|name| (name.to_string(), Js::Number(0.0))).into();
        fields.insert("mode".into(), Js::Number(f64::from(0o10666)));
        vec![Js::Null, self.add(Object::Fields(fields))]
    }

    fn write(&mut self, args: &[Js]) -> Option<Vec<Js>> {
        let [_, buffer, Js::Number(offset), Js::Number(length), ..] = args else { return None };
        let bytes = self.bytes(buffer)?.get(*offset as usize..(*offset + *length) as usize)?.to_vec();
        self.output.extend(bytes);
        Some(vec![Js::Null, Js::Number(*length)])
    }

    fn read(&mut self, args: &[Js]) -> Option<Vec<Js>> {
        let [_, buffer, Js::Number(offset), Js::Number(length), ..] = args else { return None };
        let count = (*length as usize).min(self.input.len());
        let read: Vec<u8> = self.input.drain(..count).collect();
        self.bytes(buffer)?.get_mut(*offset as usize..*offset as usize + count)?.copy_from_slice(&read);
        Some(vec![Js::Null, Js::Number(count as f64)])
    }
}
