//! The file: sections, symbols and relocations, by `cranelift-object`.

use cranelift_codegen::CompiledCode;
use cranelift_codegen::entity::EntityRef;
use cranelift_codegen::ir::Function;
use cranelift_module::{DataDescription, DataId, FuncId, Linkage, Module as _, ModuleError, ModuleReloc};
use cranelift_object::{ObjectBuilder, ObjectModule};
use planish_back_header::Shaders;
use planish_ir::arena::Id;
use planish_ir::diagnostic::{Code as ErrorCode, Diagnostic};
use planish_ir::module::{ElemItem, Module};
use planish_ir::source::Span;

use super::code::{CALLEE_CODE, CALLEE_TYPE};
use super::layout::Layout;
use super::shaders::bytes_of;
use super::symbols::{Datum, Scope, Symbols, number_of};
use crate::host::Host;

/// The code of a function.
pub(crate) struct Code {
    pub(crate) number: u32,
    bytes: Vec<u8>,
    alignment: u64,
    relocations: Vec<ModuleReloc>,
}

impl Code {
    pub(crate) fn new(number: u32, code: &CompiledCode, function: &Function) -> Self {
        let relocations = code.buffer.relocs().iter();
        let of = |reloc| ModuleReloc::from_mach_reloc(reloc, function, FuncId::from_u32(number));
        Code {
            number,
            bytes: code.code_buffer().to_vec(),
            alignment: u64::from(code.buffer.alignment.max(16)),
            relocations: relocations.map(of).collect(),
        }
    }
}

/// Writes the file.
pub(crate) fn write(
    host: &Host,
    module: &Module,
    (layout, shaders): (&Layout, &Shaders),
    mut symbols: Symbols,
    codes: &[Code],
) -> Result<Vec<u8>, Vec<Diagnostic>> {
    // Items of segments are references, whether code makes them or not.
    for datum in symbols.data.clone() {
        if let Datum::Elements(elem) = datum {
            for func in module.elems[elem].items.iter().filter_map(|item| item.as_func()) {
                symbols.datum(Datum::Callee(func));
            }
        }
    }
    let written = build(host, module, (layout, shaders), &symbols, codes);
    written.map_err(|error| {
        let text = format!("the object file for {} cannot be written: {error}", host.triple());
        vec![Diagnostic::error(ErrorCode::E0604, Span::NONE, text)]
    })
}

fn build(
    host: &Host,
    module: &Module,
    (layout, shaders): (&Layout, &Shaders),
    symbols: &Symbols,
    codes: &[Code],
) -> Result<Vec<u8>, Box<ModuleError>> {
    let builder = ObjectBuilder::new(host.0.clone(), "planish", cranelift_module::default_libcall_names())?;
    let mut object = ObjectModule::new(builder);
    let mut is_defined = vec![false; symbols.functions.len()];
    codes.iter().for_each(|code| is_defined[code.number as usize] = true);
    for ((number, symbol), is_defined) in symbols.functions.iter().enumerate().zip(is_defined) {
        let linkage = match symbol.scope {
            Scope::Exported => Linkage::Export,
            Scope::External => Linkage::Import,
            // (Imported functions that nothing calls have no code.)
            Scope::Local => Linkage::Local,
        };
        debug_assert!(is_defined || symbol.scope == Scope::External, "`{}` has code", symbol.name);
        let id = object.declare_function(&symbol.name, linkage, &symbol.signature)?;
        assert_eq!(id.as_u32() as usize, number, "symbols have the numbers that code uses");
    }
    for (number, datum) in symbols.data.iter().enumerate() {
        let name = format!("{}.{number}", name_of(*datum));
        let id = object.declare_data(&name, Linkage::Local, false, false)?;
        assert_eq!(id.index(), number, "data has the numbers that code uses");
    }
    for code in codes {
        let id = FuncId::from_u32(code.number);
        object.define_function_bytes(id, code.alignment, &code.bytes, &code.relocations)?;
    }
    for (number, &datum) in symbols.data.iter().enumerate() {
        let description = describe(&mut object, module, (layout, shaders), symbols, datum);
        object.define_data(DataId::from_u32(number as u32), &description)?;
    }
    let bytes = object.finish().emit();
    Ok(bytes.map_err(|error| ModuleError::Allocation { err: std::io::Error::other(error.to_string()) })?)
}

fn name_of(datum: Datum) -> &'static str {
    match datum {
        Datum::Callee(_) => "callee",
        Datum::Name(_) => "name",
        Datum::Operation(_) => "operation",
        Datum::Segment(_) => "data",
        Datum::Elements(_) => "elements",
        Datum::Image => "image",
        Datum::Texture(_) => "texture",
    }
}

/// The contents of data.
fn describe(
    object: &mut ObjectModule,
    module: &Module,
    (layout, shaders): (&Layout, &Shaders),
    symbols: &Symbols,
    datum: Datum,
) -> DataDescription {
    let mut data = DataDescription::new();
    data.set_align(16);
    match datum {
        Datum::Callee(func) => {
            let mut bytes = vec![0; 16];
            let ty = module.funcs[func].ty.index() as u32;
            bytes[CALLEE_TYPE..][..4].copy_from_slice(&ty.to_le_bytes());
            data.define(bytes.into());
            let code = object.declare_func_in_data(FuncId::from_u32(number_of(func)), &mut data);
            data.write_function_addr(CALLEE_CODE as u32, code);
        }
        Datum::Name(func) => {
            let mut bytes = module.outside_name(func).replace('\0', "").into_bytes();
            bytes.push(0);
            data.define(bytes.into());
        }
        Datum::Operation(operation) => {
            let mut bytes = operation.imm.0.to_le_bytes().to_vec();
            for number in [operation.op as u32, operation.args, operation.results] {
                bytes.extend(number.to_le_bytes());
            }
            bytes.extend([operation.operand as u8, operation.result as u8, 0, 0]);
            data.define(bytes.into());
        }
        Datum::Segment(segment) => {
            let mut bytes = module.data[segment].bytes.to_vec();
            bytes.resize(bytes.len().max(1), 0);
            data.define(bytes.into());
        }
        Datum::Elements(elem) => {
            let items = &module.elems[elem].items;
            data.define(vec![0; 8 * items.len().max(1)].into());
            for (i, item) in items.iter().enumerate() {
                let ElemItem::Func(func) = *item else { continue };
                let number = symbols.number_of(Datum::Callee(func)).expect("every item has a callee");
                let callee = object.declare_data_in_data(DataId::from_u32(number), &mut data);
                data.write_data_addr(8 * i as u32, callee, 0);
            }
        }
        Datum::Texture(index) => {
            data.define(bytes_of(&shaders.textures[index as usize].1).into());
        }
        Datum::Image => {
            let bytes: Vec<u8> = layout.image.iter().flat_map(|word| word.to_le_bytes()).collect();
            data.define(bytes.into());
        }
    }
    data
}
