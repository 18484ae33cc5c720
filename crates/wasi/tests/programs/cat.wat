;; Copies standard input to standard output, seven bytes at a time.
(func (export "_start")
    (loop $more
        (call $expect (i32.const 100) (call $read (i32.const 0) (i32.const 8192) (i32.const 7)) (i32.const 0))
        (if (i32.load (i32.const 8))
            (then
                (call $expect (i32.const 101)
                    (call $write (i32.const 1) (i32.const 8192) (i32.load (i32.const 8))) (i32.const 0))
                (br $more)))))
