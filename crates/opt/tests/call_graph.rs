//! The call graph.

use planish_ir::entity::Func;
use planish_ir::text::parse_str;
use planish_opt::call_graph::CallGraph;

#[test]
fn callees_come_first_and_cycles_are_found() {
    let text = "module ir\n\n\
        fn @a() {\nb0:\n  call @b\n  call @d\n  return\n}\n\n\
        fn @b() {\nb0:\n  call @c\n  return\n}\n\n\
        fn @c() {\nb0:\n  call @b\n  call @d\n  return\n}\n\n\
        fn @d() {\nb0:\n  return\n}\n";
    let module = parse_str(text).expect("it is well-formed");
    let [a, b, c, d] = [0, 1, 2, 3].map(Func::from_u32);
    let graph = CallGraph::new(&module);
    let order = graph.callees_first();
    let place = |f: Func| order.iter().position(|&o| o == f).expect("every function is there");
    assert!(place(d) < place(c) && place(c) < place(a) && place(b) < place(a));
    assert_eq!([a, b, c, d].map(|f| graph.is_recursive(f)), [false, true, true, false]);
    assert_eq!(graph.cycle(b, 4), [b, c, b]);
    assert_eq!((graph.cycle(a, 4), graph.cycle(b, 0)), (vec![], vec![]));
    assert_eq!((graph.calls_of(d), graph.calls_of(a)), (2, 0));
}
