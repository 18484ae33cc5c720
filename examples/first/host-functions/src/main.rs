//! Runs a program in WebAssembly that calls two functions of this one.
use planish::vm::{Engine, Error, FuncType, Linker, Module, Store, Val, ValType};

const SHOP: &str = r#"(module
  (import "host" "price" (func $price (param i32) (result f64)))
  (import "host" "sold" (func $sold (param f64)))
  (func (export "sell") (param $item i32) (param $count f64)
    (call $sold (f64.mul (call $price (local.get $item)) (local.get $count)))))"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = planish::Compiler::default().compile("shop.wat", SHOP).module.ok_or("the program has errors")?;
    let engine = Engine::default();
    let mut host = Linker::new();
    host.func_new("host", "price", FuncType::new([ValType::I32], [ValType::F64]), |_, arguments, results| {
        let item = arguments[0].i32().unwrap_or_default() as usize;
        results[0] = Val::from(*[2.5, 4.0].get(item).ok_or_else(|| Error::host(format!("there is no item {item}")))?);
        Ok(())
    });
    host.func_new("host", "sold", FuncType::new([ValType::F64], []), |mut caller, arguments, _| {
        *caller.data_mut() += arguments[0].f64().unwrap_or_default();
        Ok(())
    });
    let mut store = Store::new(&engine, 0.0); // with data of the host: the sum
    let instance = host.instantiate(&mut store, &Module::new(&engine, shop)?)?;
    let sell = instance.get_typed_func::<(i32, f64), ()>(&store, "sell")?;
    sell.call(&mut store, (0, 2.0))?;
    sell.call(&mut store, (1, 3.0))?;
    println!("{}", store.data());
    println!("{}", sell.call(&mut store, (7, 1.0)).expect_err("two items are all"));
    Ok(())
}
