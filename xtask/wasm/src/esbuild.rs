//! esbuild, a program in Go, 14 MB: prints its version, and minifies a text in TypeScript.

use planish_vm::{Caller, Engine, Error, Memory, Module, Store, Val};

use crate::gojs::{Js, Object, PROGRAM, Script};
use crate::host::{bytes, call, linker, memory, write};

/// Address of the arguments, as in Go's own loader.
const ARGUMENTS: i32 = 4096;

/// The memory of the program, at the frame that one of its calls has.
struct Frame<'c, 'a> {
    caller: &'c mut Caller<'a, Script>,
    memory: Memory,
    at: i32,
}

impl Frame<'_, '_> {
    fn word(&self, offset: i32) -> Result<u64, Error> {
        let bytes = bytes(&*self.caller, self.memory, self.at + offset, 8)?;
        Ok(bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)))
    }

    fn put(&mut self, offset: i32, bytes: &[u8]) -> Result<(), Error> {
        write(&mut *self.caller, self.memory, self.at + offset, bytes)
    }

    fn value(&self, offset: i32) -> Result<Js, Error> {
        Ok(self.caller.data().decode(self.word(offset)?))
    }

    fn put_value(&mut self, offset: i32, value: &Js) -> Result<(), Error> {
        let bits = self.caller.data_mut().encode(value);
        self.put(offset, &bits.to_le_bytes())
    }

    /// A place and a length.
    fn slice(&self, offset: i32) -> Result<(i32, usize), Error> {
        Ok((self.word(offset)? as i32, self.word(offset + 8)? as usize))
    }

    fn text(&self, offset: i32) -> Result<String, Error> {
        let (at, length) = self.slice(offset)?;
        Ok(String::from_utf8_lossy(&bytes(&*self.caller, self.memory, at, length)?).into_owned())
    }

    fn values(&self, offset: i32) -> Result<Vec<Js>, Error> {
        let (at, length) = self.slice(offset)?;
        (0..length as i32).map(|i| self.value(at - self.at + i * 8)).collect()
    }

    /// Writes a result and whether it exists; in JavaScript its absence would be an exception.
    fn put_outcome(&mut self, offset: i32, value: Option<Js>, what: &str) -> Result<(), Error> {
        match value {
            Some(value) => {
                self.put_value(offset, &value)?;
                self.put(offset + 8, &[1])
            }
            None => Err(Error::host(format!("the program asks for `{what}`, which this host does not have"))),
        }
    }

    fn copy_to_program(&mut self, to: (i32, usize), from: &Js) -> Result<usize, Error> {
        let (at, length) = to;
        let Some(all) = self.caller.data_mut().bytes(from) else { return Err(Error::host("these are no bytes")) };
        let some = all[..length.min(all.len())].to_vec();
        write(&mut *self.caller, self.memory, at, &some)?;
        Ok(some.len())
    }

    fn copy_to_script(&mut self, to: &Js, from: (i32, usize)) -> Result<usize, Error> {
        let bytes = bytes(&*self.caller, self.memory, from.0, from.1)?;
        let Some(all) = self.caller.data_mut().bytes(to) else { return Err(Error::host("these are no bytes")) };
        let count = bytes.len().min(all.len());
        all[..count].copy_from_slice(&bytes[..count]);
        Ok(count)
    }
}

fn known(caller: &mut Caller<'_, Script>, name: &str, args: &[Val]) -> Option<Result<Option<Val>, Error>> {
    let at = args.first().and_then(Val::i32)?;
    let done = memory(caller, "mem").and_then(|memory| answer(&mut Frame { caller, memory, at }, name));
    Some(done.map(|()| None))
}

/// One of the functions that Go's runtime imports. All are passed their frame, with arguments and results.
fn answer(frame: &mut Frame<'_, '_>, name: &str) -> Result<(), Error> {
    match name {
        "runtime.wasmExit" => {
            let code = frame.word(8)? as i32;
            frame.caller.data_mut().exit = Some(code);
            Ok(())
        }
        "runtime.wasmWrite" => {
            let length = frame.word(24)? as u32 as usize;
            let said = bytes(&*frame.caller, frame.memory, frame.word(16)? as i32, length)?;
            frame.caller.data_mut().output.extend(said);
            Ok(())
        }
        "runtime.resetMemoryDataView" | "runtime.clearTimeoutEvent" | "syscall/js.finalizeRef" => Ok(()),
        "runtime.nanotime1" | "runtime.walltime" => {
            let script = frame.caller.data_mut();
            script.clock += 1000;
            let clock = script.clock;
            frame.put(8, &clock.to_le_bytes())?;
            if name == "runtime.walltime" { frame.put(16, &[0; 4]) } else { Ok(()) }
        }
        "runtime.scheduleTimeoutEvent" => {
            frame.caller.data_mut().timeouts += 1;
            frame.put(16, &[1, 0, 0, 0])
        }
        "runtime.getRandomData" => {
            let (at, length) = frame.slice(8)?;
            let random: Vec<u8> = (0..length).map(|i| (i * 167 + 13) as u8).collect();
            write(&mut *frame.caller, frame.memory, at, &random)
        }
        _ => answer_script(frame, name),
    }
}

fn answer_script(frame: &mut Frame<'_, '_>, name: &str) -> Result<(), Error> {
    match name {
        "syscall/js.stringVal" => {
            let text = Js::Text(frame.text(8)?);
            frame.put_value(24, &text)
        }
        "syscall/js.valueGet" => {
            let (value, field) = (frame.value(8)?, frame.text(16)?);
            let found = frame.caller.data().get(&value, &field);
            frame.put_value(32, &found)
        }
        "syscall/js.valueSet" => {
            let (object, field, value) = (frame.value(8)?, frame.text(16)?, frame.value(32)?);
            if let Js::Object(object) = object {
                frame.caller.data_mut().set(object, &field, value);
            }
            Ok(())
        }
        "syscall/js.valueIndex" => {
            let (value, index) = (frame.value(8)?, frame.word(16)?);
            let found = frame.caller.data().index(&value, index as usize);
            frame.put_value(24, &found)
        }
        "syscall/js.valueLength" => {
            let value = frame.value(8)?;
            let length = frame.caller.data().length(&value) as u64;
            frame.put(16, &length.to_le_bytes())
        }
        "syscall/js.valueCall" => {
            let (method, args) = (frame.text(16)?, frame.values(32)?);
            let result = frame.caller.data_mut().call(&method, &args);
            frame.put_outcome(56, result, &method)
        }
        "syscall/js.valueNew" => {
            let (constructor, args) = (frame.value(8)?, frame.values(16)?);
            let result = frame.caller.data_mut().construct(&constructor, &args);
            frame.put_outcome(40, result, "new")
        }
        "syscall/js.valuePrepareString" => {
            let value = frame.value(8)?;
            let script = frame.caller.data_mut();
            let bytes = script.text(&value).into_bytes();
            let length = bytes.len() as u64;
            let made = script.add(Object::Bytes(bytes));
            frame.put_value(16, &made)?;
            frame.put(24, &length.to_le_bytes())
        }
        "syscall/js.valueLoadString" => {
            let (value, to) = (frame.value(8)?, frame.slice(16)?);
            frame.copy_to_program(to, &value).map(|_| ())
        }
        "syscall/js.copyBytesToGo" => {
            let (to, from) = (frame.slice(8)?, frame.value(32)?);
            let count = frame.copy_to_program(to, &from)? as u64;
            frame.put(40, &count.to_le_bytes())?;
            frame.put(48, &[1])
        }
        "syscall/js.copyBytesToJS" => {
            let (to, from) = (frame.value(8)?, frame.slice(16)?);
            let count = frame.copy_to_script(&to, from)? as u64;
            frame.put(40, &count.to_le_bytes())?;
            frame.put(48, &[1])
        }
        _ => Err(Error::host(format!("the program calls `{name}`, which this host does not have"))),
    }
}

/// Runs the program to its end; what it wrote.
fn start(engine: &Engine, module: &Module, args: &[&str], input: &str) -> Result<String, String> {
    let mut store = Store::new(engine, Script::new(input));
    let linker = linker(&mut store, module, known);
    let instance = linker.instantiate(&mut store, module).map_err(|e| e.to_string())?;
    let memory = instance.get_memory(&store, "mem").ok_or("no memory")?;

    let (mut texts, mut places) = (vec![], vec![]);
    for arg in args {
        places.push(ARGUMENTS as u64 + texts.len() as u64);
        texts.extend(arg.bytes().chain([0]));
        texts.resize(texts.len().next_multiple_of(8), 0);
    }
    let list = ARGUMENTS + texts.len() as i32;
    // No environment.
    places.extend([0, 0]);
    texts.extend(places.iter().flat_map(|place| place.to_le_bytes()));
    write(&mut store, memory, ARGUMENTS, &texts).map_err(|e| e.to_string())?;

    call(&mut store, &instance, "run", &[args.len() as i32, list])?;
    while store.data().exit.is_none() {
        let script = store.data_mut();
        if let Some((callback, args)) = script.events.pop_front() {
            let Object::Wrapped(id) = &script.objects[callback] else { return Err("no callback".into()) };
            let id = id.clone();
            let args = script.add(Object::Array(args));
            let fields =
                [("id", id), ("this", Js::Undefined), ("args", args)].map(|(name, value)| (name.to_string(), value));
            let event = script.add(Object::Fields(fields.into()));
            script.set(PROGRAM, "_pendingEvent", event);
        } else if script.timeouts > 0 {
            script.timeouts -= 1;
        } else {
            return Err("the program waits for nothing".into());
        }
        call(&mut store, &instance, "resume", &[])?;
    }
    let script = store.data();
    let said = String::from_utf8_lossy(&script.output).into_owned();
    match script.exit {
        Some(0) => Ok(said),
        code => Err(format!("esbuild ends with {code:?}: {said}")),
    }
}

const TYPESCRIPT: &str = "\
enum Colour { Red, Green }
export function mix(first: number, second?: number): number {
    const unused = 2 * 3;
    if (second === undefined) { return first * Colour.Green; } else { return first + second; }
}
";

const SMALL: &str = "\
var r=(e=>(e[e.Red=0]=\"Red\",e[e.Green=1]=\"Green\",e))(r||{});export function mix(n,u){return u===void 0?n*1:n+u}
";

/// Requests its version, and runs it.
pub(crate) fn run(engine: &Engine, module: &Module) -> Result<String, String> {
    let version = start(engine, module, &["esbuild", "--version"], "")?;
    let small = start(engine, module, &["esbuild", "--loader=ts", "--minify"], TYPESCRIPT)?;
    if small != SMALL {
        return Err(format!("esbuild makes of TypeScript:\n{small}"));
    }
    Ok(format!("version {}, TypeScript of {} bytes made {}", version.trim(), TYPESCRIPT.len(), small.len()))
}
