(module
  (type (;0;) (func (param i32) (result i64)))
  (type (;1;) (func))
  (func $run (type 0) (param i32) (result i64)
    call $prepare
    i32.const 1024
    i32.const 0
    i32.const 200
    memory.fill
    block  ;; label = @1
      local.get 0
      i32.const 1
      i32.ge_s
      br_if 0 (;@1;)
      i64.const 0
      return
    end
    loop  ;; label = @1
      call $permute
      local.get 0
      i32.const -1
      i32.add
      local.tee 0
      br_if 0 (;@1;)
    end
    i32.const 0
    i64.load offset=1024)
  (func $prepare (type 1)
    (local i32 i32 i32 i32 i32 i32 i32 i32 i32)
    i32.const -192
    local.set 0
    i32.const 1
    local.set 1
    loop  ;; label = @1
      local.get 0
      i32.const 1424
      i32.add
      local.get 1
      i32.const 7
      i32.shr_u
      i32.const 1
      i32.and
      local.tee 2
      i32.const 369
      i32.mul
      local.get 1
      i32.const 1
      i32.shl
      i32.xor
      local.tee 3
      i32.const 7
      i32.shr_u
      i32.const 1
      i32.and
      local.tee 4
      i32.const 369
      i32.mul
      local.get 3
      i32.const 1
      i32.shl
      i32.xor
      local.tee 3
      i32.const 7
      i32.shr_u
      i32.const 1
      i32.and
      local.tee 5
      i32.const 369
      i32.mul
      local.get 3
      i32.const 1
      i32.shl
      i32.xor
      local.tee 3
      i32.const 7
      i32.shr_u
      i32.const 1
      i32.and
      local.tee 6
      i32.const 369
      i32.mul
      local.get 3
      i32.const 1
      i32.shl
      i32.xor
      local.tee 3
      i32.const 7
      i32.shr_u
      local.tee 7
      i32.const 1
      i32.and
      i32.const 369
      i32.mul
      local.get 3
      i32.const 1
      i32.shl
      i32.xor
      local.tee 3
      i32.const 7
      i32.shr_u
      i32.const 1
      i32.and
      i32.const 369
      i32.mul
      local.tee 8
      i64.extend_i32_u
      i64.const 63
      i64.shl
      local.get 7
      i32.const 31
      i32.shl
      local.get 6
      i32.const 12091392
      i32.mul
      i32.const 32768
      i32.and
      local.get 5
      i32.const 47232
      i32.mul
      i32.const 128
      i32.and
      local.get 4
      i32.const 2952
      i32.mul
      i32.const 8
      i32.and
      local.get 2
      i32.const 738
      i32.mul
      i32.const 2
      i32.and
      local.get 1
      i32.const 1
      i32.and
      i32.or
      i32.or
      i32.or
      i32.or
      i32.or
      i64.extend_i32_u
      i64.or
      i64.store
      local.get 8
      local.get 3
      i32.const 1
      i32.shl
      i32.xor
      local.tee 1
      i32.const 7
      i32.shr_u
      i32.const 1
      i32.and
      i32.const 369
      i32.mul
      local.get 1
      i32.const 1
      i32.shl
      i32.xor
      local.set 1
      local.get 0
      i32.const 8
      i32.add
      local.tee 0
      br_if 0 (;@1;)
    end
    i32.const 0
    local.set 3
    i32.const 0
    i32.const 0
    i32.store offset=1424
    i32.const 2
    local.set 1
    i32.const 1
    local.set 0
    loop  ;; label = @1
      local.get 3
      local.tee 2
      i32.const 5
      i32.mul
      local.get 0
      i32.add
      i32.const 2
      i32.shl
      i32.const 1424
      i32.add
      local.get 1
      i32.const -1
      i32.add
      local.get 1
      i32.mul
      i32.const 1
      i32.shr_u
      i32.const 63
      i32.and
      i32.store
      local.get 2
      i32.const 3
      i32.mul
      local.get 0
      i32.const 1
      i32.shl
      i32.add
      i32.const 5
      i32.rem_s
      local.set 3
      local.get 2
      local.set 0
      local.get 1
      i32.const 1
      i32.add
      local.tee 1
      i32.const 26
      i32.ne
      br_if 0 (;@1;)
    end)
  (func $permute (type 1)
    (local i32 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i32 i64 i64 i64 i64 i64 i64 i64 i64 i32 i64 i64 i64)
    global.get $__stack_pointer
    i32.const 208
    i32.sub
    local.tee 0
    global.set $__stack_pointer
    i32.const 0
    i64.load offset=1216
    local.set 1
    i32.const 0
    i64.load offset=1176
    local.set 2
    i32.const 0
    i64.load offset=1136
    local.set 3
    i32.const 0
    i64.load offset=1096
    local.set 4
    i32.const 0
    i64.load offset=1056
    local.set 5
    i32.const 0
    i64.load offset=1208
    local.set 6
    i32.const 0
    i64.load offset=1168
    local.set 7
    i32.const 0
    i64.load offset=1128
    local.set 8
    i32.const 0
    i64.load offset=1088
    local.set 9
    i32.const 0
    i64.load offset=1048
    local.set 10
    i32.const 0
    i64.load offset=1200
    local.set 11
    i32.const 0
    i64.load offset=1160
    local.set 12
    i32.const 0
    i64.load offset=1120
    local.set 13
    i32.const 0
    i64.load offset=1080
    local.set 14
    i32.const 0
    i64.load offset=1040
    local.set 15
    i32.const 0
    i64.load offset=1192
    local.set 16
    i32.const 0
    i64.load offset=1152
    local.set 17
    i32.const 0
    i64.load offset=1112
    local.set 18
    i32.const 0
    i64.load offset=1072
    local.set 19
    i32.const 0
    i64.load offset=1032
    local.set 20
    i32.const 0
    i64.load offset=1184
    local.set 21
    i32.const 0
    i64.load offset=1144
    local.set 22
    i32.const 0
    i64.load offset=1104
    local.set 23
    i32.const 0
    i64.load offset=1064
    local.set 24
    i32.const 0
    i64.load32_u offset=1492
    local.set 25
    i32.const 0
    i64.load32_u offset=1472
    local.set 26
    i32.const 0
    i64.load32_u offset=1452
    local.set 27
    i32.const 0
    i64.load32_u offset=1432
    local.set 28
    i32.const 0
    i64.load32_u offset=1508
    local.set 29
    i32.const 0
    i64.load32_u offset=1488
    local.set 30
    i32.const 0
    i64.load32_u offset=1468
    local.set 31
    i32.const 0
    i64.load32_u offset=1448
    local.set 32
    i32.const 0
    i64.load32_u offset=1428
    local.set 33
    i32.const 0
    i64.load32_u offset=1504
    local.set 34
    i32.const 0
    i64.load32_u offset=1484
    local.set 35
    i32.const 0
    i64.load32_u offset=1464
    local.set 36
    i32.const 0
    i64.load32_u offset=1444
    local.set 37
    i32.const 0
    i64.load32_u offset=1424
    local.set 38
    i32.const 0
    i64.load offset=1024
    local.set 39
    i32.const -192
    local.set 40
    loop  ;; label = @1
      local.get 24
      local.get 39
      i64.xor
      local.set 41
      local.get 4
      local.get 5
      i64.xor
      local.get 3
      i64.xor
      local.get 2
      i64.xor
      local.get 1
      i64.xor
      local.tee 42
      i64.const 1
      i64.rotl
      local.get 14
      local.get 15
      i64.xor
      local.get 13
      i64.xor
      local.get 12
      i64.xor
      local.get 11
      i64.xor
      local.tee 43
      i64.xor
      local.set 44
      local.get 9
      local.get 10
      i64.xor
      local.get 8
      i64.xor
      local.get 7
      i64.xor
      local.get 6
      i64.xor
      local.tee 45
      i64.const 1
      i64.rotl
      local.get 19
      local.get 20
      i64.xor
      local.get 18
      i64.xor
      local.get 17
      i64.xor
      local.get 16
      i64.xor
      local.tee 46
      i64.xor
      local.tee 47
      local.get 11
      i64.xor
      local.set 48
      block  ;; label = @2
        i32.const 0
        i32.load offset=1512
        local.tee 49
        i32.eqz
        br_if 0 (;@2;)
        local.get 48
        local.get 49
        i64.extend_i32_u
        i64.rotl
        local.set 48
      end
      local.get 41
      local.get 23
      i64.xor
      local.set 41
      local.get 44
      local.get 10
      i64.xor
      local.set 10
      block  ;; label = @2
        i32.const 0
        i32.load offset=1436
        local.tee 49
        i32.eqz
        br_if 0 (;@2;)
        local.get 10
        local.get 49
        i64.extend_i32_u
        i64.rotl
        local.set 10
      end
      local.get 41
      local.get 22
      i64.xor
      local.set 41
      local.get 44
      local.get 9
      i64.xor
      local.set 9
      block  ;; label = @2
        i32.const 0
        i32.load offset=1456
        local.tee 49
        i32.eqz
        br_if 0 (;@2;)
        local.get 9
        local.get 49
        i64.extend_i32_u
        i64.rotl
        local.set 9
      end
      local.get 41
      local.get 21
      i64.xor
      local.set 50
      local.get 44
      local.get 8
      i64.xor
      local.set 51
      block  ;; label = @2
        i32.const 0
        i32.load offset=1476
        local.tee 49
        i32.eqz
        br_if 0 (;@2;)
        local.get 51
        local.get 49
        i64.extend_i32_u
        i64.rotl
        local.set 51
      end
      local.get 50
      i64.const 1
      i64.rotl
      local.set 41
      local.get 44
      local.get 7
      i64.xor
      local.set 52
      block  ;; label = @2
        i32.const 0
        i32.load offset=1496
        local.tee 49
        i32.eqz
        br_if 0 (;@2;)
        local.get 52
        local.get 49
        i64.extend_i32_u
        i64.rotl
        local.set 52
      end
      local.get 41
      local.get 45
      i64.xor
      local.set 41
      local.get 44
      local.get 6
      i64.xor
      local.set 8
      block  ;; label = @2
        i32.const 0
        i32.load offset=1516
        local.tee 49
        i32.eqz
        br_if 0 (;@2;)
        local.get 8
        local.get 49
        i64.extend_i32_u
        i64.rotl
        local.set 8
      end
      local.get 41
      local.get 5
      i64.xor
      local.set 5
      block  ;; label = @2
        i32.const 0
        i32.load offset=1440
        local.tee 49
        i32.eqz
        br_if 0 (;@2;)
        local.get 5
        local.get 49
        i64.extend_i32_u
        i64.rotl
        local.set 5
      end
      local.get 43
      i64.const 1
      i64.rotl
      local.set 44
      local.get 46
      i64.const 1
      i64.rotl
      local.set 7
      local.get 41
      local.get 4
      i64.xor
      local.set 43
      block  ;; label = @2
        i32.const 0
        i32.load offset=1460
        local.tee 49
        i32.eqz
        br_if 0 (;@2;)
        local.get 43
        local.get 49
        i64.extend_i32_u
        i64.rotl
        local.set 43
      end
      local.get 44
      local.get 50
      i64.xor
      local.set 44
      local.get 7
      local.get 42
      i64.xor
      local.set 4
      local.get 41
      local.get 3
      i64.xor
      local.set 3
      block  ;; label = @2
        i32.const 0
        i32.load offset=1480
        local.tee 49
        i32.eqz
        br_if 0 (;@2;)
        local.get 3
        local.get 49
        i64.extend_i32_u
        i64.rotl
        local.set 3
      end
      local.get 47
      local.get 12
      i64.xor
      local.set 7
      local.get 47
      local.get 13
      i64.xor
      local.set 13
      local.get 47
      local.get 14
      i64.xor
      local.set 14
      local.get 47
      local.get 15
      i64.xor
      local.set 15
      local.get 44
      local.get 16
      i64.xor
      local.set 12
      local.get 44
      local.get 17
      i64.xor
      local.set 50
      local.get 44
      local.get 18
      i64.xor
      local.set 18
      local.get 44
      local.get 19
      i64.xor
      local.set 19
      local.get 44
      local.get 20
      i64.xor
      local.set 6
      local.get 4
      local.get 21
      i64.xor
      local.set 11
      local.get 4
      local.get 22
      i64.xor
      local.set 22
      local.get 4
      local.get 23
      i64.xor
      local.set 16
      local.get 4
      local.get 24
      i64.xor
      local.set 17
      local.get 4
      local.get 39
      i64.xor
      local.set 21
      local.get 41
      local.get 2
      i64.xor
      local.set 44
      block  ;; label = @2
        i32.const 0
        i32.load offset=1500
        local.tee 49
        i32.eqz
        br_if 0 (;@2;)
        local.get 44
        local.get 49
        i64.extend_i32_u
        i64.rotl
        local.set 44
      end
      local.get 41
      local.get 1
      i64.xor
      local.set 41
      local.get 7
      local.get 25
      i64.rotl
      local.set 4
      local.get 13
      local.get 26
      i64.rotl
      local.set 47
      local.get 14
      local.get 27
      i64.rotl
      local.set 14
      local.get 15
      local.get 28
      i64.rotl
      local.set 2
      local.get 12
      local.get 29
      i64.rotl
      local.set 7
      local.get 50
      local.get 30
      i64.rotl
      local.set 15
      local.get 18
      local.get 31
      i64.rotl
      local.set 13
      local.get 19
      local.get 32
      i64.rotl
      local.set 20
      local.get 6
      local.get 33
      i64.rotl
      local.set 19
      local.get 11
      local.get 34
      i64.rotl
      local.set 18
      local.get 22
      local.get 35
      i64.rotl
      local.set 12
      local.get 16
      local.get 36
      i64.rotl
      local.set 24
      local.get 17
      local.get 37
      i64.rotl
      local.set 22
      local.get 21
      local.get 38
      i64.rotl
      local.set 50
      block  ;; label = @2
        i32.const 0
        i32.load offset=1520
        local.tee 49
        i32.eqz
        br_if 0 (;@2;)
        local.get 41
        local.get 49
        i64.extend_i32_u
        i64.rotl
        local.set 41
      end
      local.get 47
      local.get 20
      i64.const -1
      i64.xor
      i64.and
      local.get 50
      i64.xor
      local.get 40
      i32.const 1424
      i32.add
      i64.load
      i64.xor
      local.set 39
      local.get 9
      local.get 2
      i64.const -1
      i64.xor
      i64.and
      local.get 7
      i64.xor
      local.set 1
      local.get 2
      local.get 7
      i64.const -1
      i64.xor
      i64.and
      local.get 12
      i64.xor
      local.set 6
      local.get 7
      local.get 12
      i64.const -1
      i64.xor
      i64.and
      local.get 3
      i64.xor
      local.set 11
      local.get 12
      local.get 3
      i64.const -1
      i64.xor
      i64.and
      local.get 9
      i64.xor
      local.set 16
      local.get 3
      local.get 9
      i64.const -1
      i64.xor
      i64.and
      local.get 2
      i64.xor
      local.set 21
      local.get 22
      local.get 5
      i64.const -1
      i64.xor
      i64.and
      local.get 8
      i64.xor
      local.set 2
      local.get 5
      local.get 8
      i64.const -1
      i64.xor
      i64.and
      local.get 4
      i64.xor
      local.set 7
      local.get 8
      local.get 4
      i64.const -1
      i64.xor
      i64.and
      local.get 13
      i64.xor
      local.set 12
      local.get 4
      local.get 13
      i64.const -1
      i64.xor
      i64.and
      local.get 22
      i64.xor
      local.set 17
      local.get 13
      local.get 22
      i64.const -1
      i64.xor
      i64.and
      local.get 5
      i64.xor
      local.set 22
      local.get 14
      local.get 19
      i64.const -1
      i64.xor
      i64.and
      local.get 18
      i64.xor
      local.set 3
      local.get 19
      local.get 18
      i64.const -1
      i64.xor
      i64.and
      local.get 44
      i64.xor
      local.set 8
      local.get 18
      local.get 44
      i64.const -1
      i64.xor
      i64.and
      local.get 51
      i64.xor
      local.set 13
      local.get 44
      local.get 51
      i64.const -1
      i64.xor
      i64.and
      local.get 14
      i64.xor
      local.set 18
      local.get 51
      local.get 14
      i64.const -1
      i64.xor
      i64.and
      local.get 19
      i64.xor
      local.set 23
      local.get 43
      local.get 10
      i64.const -1
      i64.xor
      i64.and
      local.get 48
      i64.xor
      local.set 4
      local.get 10
      local.get 48
      i64.const -1
      i64.xor
      i64.and
      local.get 15
      i64.xor
      local.set 9
      local.get 48
      local.get 15
      i64.const -1
      i64.xor
      i64.and
      local.get 24
      i64.xor
      local.set 14
      local.get 15
      local.get 24
      i64.const -1
      i64.xor
      i64.and
      local.get 43
      i64.xor
      local.set 19
      local.get 24
      local.get 43
      i64.const -1
      i64.xor
      i64.and
      local.get 10
      i64.xor
      local.set 24
      local.get 20
      local.get 50
      i64.const -1
      i64.xor
      i64.and
      local.get 41
      i64.xor
      local.set 5
      local.get 50
      local.get 41
      i64.const -1
      i64.xor
      i64.and
      local.get 52
      i64.xor
      local.set 10
      local.get 41
      local.get 52
      i64.const -1
      i64.xor
      i64.and
      local.get 47
      i64.xor
      local.set 15
      local.get 52
      local.get 47
      i64.const -1
      i64.xor
      i64.and
      local.get 20
      i64.xor
      local.set 20
      local.get 40
      i32.const 8
      i32.add
      local.tee 40
      br_if 0 (;@1;)
    end
    i32.const 0
    local.get 21
    i64.store offset=1184
    i32.const 0
    local.get 22
    i64.store offset=1144
    i32.const 0
    local.get 23
    i64.store offset=1104
    i32.const 0
    local.get 24
    i64.store offset=1064
    i32.const 0
    local.get 16
    i64.store offset=1192
    i32.const 0
    local.get 17
    i64.store offset=1152
    i32.const 0
    local.get 18
    i64.store offset=1112
    i32.const 0
    local.get 19
    i64.store offset=1072
    i32.const 0
    local.get 20
    i64.store offset=1032
    i32.const 0
    local.get 11
    i64.store offset=1200
    i32.const 0
    local.get 12
    i64.store offset=1160
    i32.const 0
    local.get 13
    i64.store offset=1120
    i32.const 0
    local.get 14
    i64.store offset=1080
    i32.const 0
    local.get 15
    i64.store offset=1040
    i32.const 0
    local.get 6
    i64.store offset=1208
    i32.const 0
    local.get 7
    i64.store offset=1168
    i32.const 0
    local.get 8
    i64.store offset=1128
    i32.const 0
    local.get 9
    i64.store offset=1088
    i32.const 0
    local.get 10
    i64.store offset=1048
    i32.const 0
    local.get 1
    i64.store offset=1216
    i32.const 0
    local.get 2
    i64.store offset=1176
    i32.const 0
    local.get 3
    i64.store offset=1136
    i32.const 0
    local.get 4
    i64.store offset=1096
    i32.const 0
    local.get 5
    i64.store offset=1056
    i32.const 0
    local.get 39
    i64.store offset=1024
    local.get 0
    i32.const 208
    i32.add
    global.set $__stack_pointer)
  (table (;0;) 1 1 funcref)
  (memory (;0;) 2)
  (global $__stack_pointer (mut i32) (i32.const 67072))
  (export "memory" (memory 0))
  (export "run" (func $run)))
