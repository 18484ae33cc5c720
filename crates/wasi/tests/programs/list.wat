;; Prints the names in the directory with a space behind each, through a buffer too small for all of them, and the
;; directory's own name.
(data (i32.const 1024) " ")
(func (export "_start")
    (local $cookie i64) (local $used i32) (local $len i32)
    (call $expect (i32.const 100) (call $fd_prestat_get (i32.const 3) (i32.const 32)) (i32.const 0))
    (call $expect (i32.const 101) (i32.load (i32.const 32)) (i32.const 0))
    (call $expect (i32.const 102) (call $fd_prestat_dir_name (i32.const 3) (i32.const 8192) (i32.const 1)) (i32.const 37))
    (call $expect (i32.const 103)
        (call $fd_prestat_dir_name (i32.const 3) (i32.const 8192) (i32.load (i32.const 36))) (i32.const 0))
    (call $expect (i32.const 104) (call $write (i32.const 1) (i32.const 8192) (i32.load (i32.const 36))) (i32.const 0))
    (call $expect (i32.const 105) (call $write (i32.const 1) (i32.const 1024) (i32.const 1)) (i32.const 0))
    (call $expect (i32.const 106) (call $fd_prestat_get (i32.const 4) (i32.const 32)) (i32.const 8))
    (block $done
        (loop $more
            (call $expect (i32.const 110)
                (call $fd_readdir (i32.const 3) (i32.const 8192) (i32.const 60) (local.get $cookie) (i32.const 8))
                (i32.const 0))
            (local.set $used (i32.load (i32.const 8)))
            (br_if $done (i32.eqz (local.get $used)))
            ;; The first entry always has room here.
            (local.set $len (i32.load (i32.const 8208)))
            (call $expect (i32.const 111)
                (i32.le_u (i32.add (local.get $len) (i32.const 24)) (local.get $used)) (i32.const 1))
            (call $expect (i32.const 112)
                (call $write (i32.const 1) (i32.const 8216) (local.get $len)) (i32.const 0))
            (call $expect (i32.const 113) (call $write (i32.const 1) (i32.const 1024) (i32.const 1)) (i32.const 0))
            (local.set $cookie (i64.load (i32.const 8192)))
            (br $more))))
