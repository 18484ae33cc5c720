;; Prints arguments and environment, each with a line of its own, by the zero bytes that end them.
(func $print (param $count i32) (param $pointers i32) (param $end i32)
    (local $at i32) (local $i i32)
    (local.set $at (i32.load (local.get $pointers)))
    (block $done
        (loop $more
            (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
            (if (i32.eqz (i32.load8_u (local.get $at)))
                (then (i32.store8 (local.get $at) (i32.const 10))))
            (local.set $at (i32.add (local.get $at) (i32.const 1)))
            (br $more)))
    (call $expect (i32.const 110)
        (call $write (i32.const 1) (i32.load (local.get $pointers))
            (i32.sub (local.get $end) (i32.load (local.get $pointers))))
        (i32.const 0)))
(func (export "_start")
    (call $expect (i32.const 100) (call $args_sizes_get (i32.const 32) (i32.const 36)) (i32.const 0))
    (call $expect (i32.const 101) (call $args_get (i32.const 4096) (i32.const 8192)) (i32.const 0))
    (call $print (i32.load (i32.const 32)) (i32.const 4096) (i32.add (i32.const 8192) (i32.load (i32.const 36))))
    (call $expect (i32.const 102) (call $environ_sizes_get (i32.const 32) (i32.const 36)) (i32.const 0))
    (call $expect (i32.const 103) (call $environ_get (i32.const 4096) (i32.const 8192)) (i32.const 0))
    (call $print (i32.load (i32.const 32)) (i32.const 4096) (i32.add (i32.const 8192) (i32.load (i32.const 36))))
    ;; The second variable begins where its pointer says.
    (call $expect (i32.const 104) (i32.load8_u (i32.load (i32.const 4100))) (i32.const 0x4c)))
