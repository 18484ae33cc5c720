(func (export "_start")
    (call $proc_exit (i32.const 42))
    (unreachable))
