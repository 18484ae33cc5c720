//! The numbers of parameters and of parts of a tuple.

/// Calls a macro with a row for each number of parameters up to eight: of each parameter its type, the type of what becomes it, its name and its index.
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_arity {
    ($macro:ident) => {
        $macro! {
            ;
            A A1 a 0;
            A A1 a 0 B B1 b 1;
            A A1 a 0 B B1 b 1 C C1 c 2;
            A A1 a 0 B B1 b 1 C C1 c 2 D D1 d 3;
            A A1 a 0 B B1 b 1 C C1 c 2 D D1 d 3 E E1 e 4;
            A A1 a 0 B B1 b 1 C C1 c 2 D D1 d 3 E E1 e 4 F F1 f 5;
            A A1 a 0 B B1 b 1 C C1 c 2 D D1 d 3 E E1 e 4 F F1 f 5 G G1 g 6;
            A A1 a 0 B B1 b 1 C C1 c 2 D D1 d 3 E E1 e 4 F F1 f 5 G G1 g 6 H H1 h 7;
        }
    };
}
