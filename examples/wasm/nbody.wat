(module
  (type (;0;) (func (param i32) (result i64)))
  (type (;1;) (func))
  (type (;2;) (func (result f64)))
  (func $run (type 0) (param i32) (result i64)
    call $start
    block  ;; label = @1
      local.get 0
      i32.const 1
      i32.lt_s
      br_if 0 (;@1;)
      loop  ;; label = @2
        call $advance
        local.get 0
        i32.const -1
        i32.add
        local.tee 0
        br_if 0 (;@2;)
      end
    end
    call $energy
    i64.reinterpret_f64)
  (func $start (type 1)
    i32.const 0
    i64.const 4630752910647379422
    i64.store offset=1360
    i32.const 0
    i64.const 4585593052079010776
    i64.store offset=1416
    i32.const 0
    i64.const -4640446117579192555
    i64.store offset=1408
    i32.const 0
    i64.const 4613514450253485211
    i64.store offset=1400
    i32.const 0
    i64.const 4603636522180398268
    i64.store offset=1392
    i32.const 0
    i32.const 0
    i64.load offset=1048
    i64.store offset=1336
    i32.const 0
    i32.const 0
    i64.load offset=1040
    i64.store offset=1328
    i32.const 0
    i32.const 0
    i64.load offset=1032
    i64.store offset=1320
    i32.const 0
    i32.const 0
    i64.load offset=1024
    i64.store offset=1312
    i32.const 0
    i32.const 0
    i64.load offset=1080
    i64.store offset=1368
    i32.const 0
    i32.const 0
    i64.load offset=1088
    i64.store offset=1376
    i32.const 0
    i32.const 0
    i64.load offset=1096
    i64.store offset=1384
    i32.const 0
    i64.const 4577659745833829943
    i64.store offset=1472
    i32.const 0
    i64.const 4576004977915405236
    i64.store offset=1464
    i32.const 0
    i64.const 4610900871547424531
    i64.store offset=1456
    i32.const 0
    i64.const -4616141094713329853
    i64.store offset=1448
    i32.const 0
    i64.const 4565592097032511155
    i64.store offset=1528
    i32.const 0
    i32.const 0
    i64.load offset=1152
    i64.store offset=1440
    i32.const 0
    i32.const 0
    i64.load offset=1144
    i64.store offset=1432
    i32.const 0
    i32.const 0
    i64.load offset=1136
    i64.store offset=1424
    i32.const 0
    i32.const 0
    i64.load offset=1192
    i64.store offset=1480
    i32.const 0
    i32.const 0
    i64.load offset=1200
    i64.store offset=1488
    i32.const 0
    i32.const 0
    i64.load offset=1208
    i64.store offset=1496
    i32.const 0
    i64.const -4645973824767902084
    i64.store offset=1520
    i32.const 0
    i64.const 4605999890795117509
    i64.store offset=1512
    i32.const 0
    i64.const 4607555276345777135
    i64.store offset=1504
    i32.const 0
    i32.const 0
    i64.load offset=1272
    i64.store offset=1560
    i32.const 0
    i32.const 0
    i64.load offset=1264
    i64.store offset=1552
    i32.const 0
    i32.const 0
    i64.load offset=1256
    i64.store offset=1544
    i32.const 0
    i32.const 0
    i64.load offset=1248
    i64.store offset=1536
    i32.const 0
    i64.const 4566835785178257836
    i64.store offset=1584
    i32.const 0
    i64.const -4638202354754755082
    i64.store offset=1576
    i32.const 0
    i64.const 4603531791922690979
    i64.store offset=1568
    i32.const 0
    i64.const 4606994084859067466
    i64.store offset=1560
    i32.const 0
    i64.const 4537685806907361905
    i64.store offset=1352
    i32.const 0
    i64.const -4653673150589924869
    i64.store offset=1344
    i32.const 0
    i64.const -4667585285551228697
    i64.store offset=1336)
  (func $advance (type 1)
    (local i32 i32 i32 i32 i32 i32 i32 f64 f64 f64 f64 i32 f64 f64 f64 f64 f64 i32)
    i32.const 0
    local.set 0
    i32.const 1416
    local.set 1
    i32.const 4
    local.set 2
    loop  ;; label = @1
      local.get 0
      local.tee 3
      i32.const 1
      i32.add
      local.set 0
      block  ;; label = @2
        local.get 3
        i32.const 3
        i32.gt_u
        br_if 0 (;@2;)
        local.get 3
        i32.const 56
        i32.mul
        local.tee 3
        i32.const 1352
        i32.add
        local.set 4
        local.get 3
        i32.const 1344
        i32.add
        local.set 5
        local.get 3
        i32.const 1336
        i32.add
        local.set 6
        local.get 3
        i32.const 1360
        i32.add
        f64.load
        local.set 7
        local.get 3
        i32.const 1328
        i32.add
        f64.load
        local.set 8
        local.get 3
        i32.const 1320
        i32.add
        f64.load
        local.set 9
        local.get 3
        i32.const 1312
        i32.add
        f64.load
        local.set 10
        local.get 2
        local.set 11
        local.get 1
        local.set 3
        loop  ;; label = @3
          local.get 6
          local.get 6
          f64.load
          f64.const 0x1.47ae147ae147bp-7 (;=0.01;)
          local.get 10
          local.get 3
          i32.const -48
          i32.add
          f64.load
          f64.sub
          local.tee 12
          local.get 12
          f64.mul
          f64.const 0x0p+0 (;=0;)
          f64.add
          local.get 9
          local.get 3
          i32.const -40
          i32.add
          f64.load
          f64.sub
          local.tee 13
          local.get 13
          f64.mul
          f64.add
          local.get 8
          local.get 3
          i32.const -32
          i32.add
          f64.load
          f64.sub
          local.tee 14
          local.get 14
          f64.mul
          f64.add
          local.tee 15
          local.get 15
          f64.sqrt
          f64.mul
          f64.div
          local.tee 15
          local.get 12
          local.get 3
          f64.load
          local.tee 16
          f64.mul
          f64.mul
          f64.sub
          f64.store
          local.get 3
          i32.const -24
          i32.add
          local.tee 17
          local.get 17
          f64.load
          local.get 15
          local.get 12
          local.get 7
          f64.mul
          f64.mul
          f64.add
          f64.store
          local.get 5
          local.get 5
          f64.load
          local.get 15
          local.get 13
          local.get 16
          f64.mul
          f64.mul
          f64.sub
          f64.store
          local.get 3
          i32.const -16
          i32.add
          local.tee 17
          local.get 17
          f64.load
          local.get 15
          local.get 13
          local.get 7
          f64.mul
          f64.mul
          f64.add
          f64.store
          local.get 4
          local.get 4
          f64.load
          local.get 15
          local.get 14
          local.get 16
          f64.mul
          f64.mul
          f64.sub
          f64.store
          local.get 3
          i32.const -8
          i32.add
          local.tee 17
          local.get 17
          f64.load
          local.get 15
          local.get 14
          local.get 7
          f64.mul
          f64.mul
          f64.add
          f64.store
          local.get 3
          i32.const 56
          i32.add
          local.set 3
          local.get 11
          i32.const -1
          i32.add
          local.tee 11
          br_if 0 (;@3;)
        end
      end
      local.get 2
      i32.const -1
      i32.add
      local.set 2
      local.get 1
      i32.const 56
      i32.add
      local.set 1
      local.get 0
      i32.const 5
      i32.ne
      br_if 0 (;@1;)
    end
    i32.const 0
    i32.const 0
    f64.load offset=1312
    i32.const 0
    f64.load offset=1336
    f64.const 0x1.47ae147ae147bp-7 (;=0.01;)
    f64.mul
    f64.add
    f64.store offset=1312
    i32.const 0
    i32.const 0
    f64.load offset=1320
    i32.const 0
    f64.load offset=1344
    f64.const 0x1.47ae147ae147bp-7 (;=0.01;)
    f64.mul
    f64.add
    f64.store offset=1320
    i32.const 0
    i32.const 0
    f64.load offset=1328
    i32.const 0
    f64.load offset=1352
    f64.const 0x1.47ae147ae147bp-7 (;=0.01;)
    f64.mul
    f64.add
    f64.store offset=1328
    i32.const 0
    i32.const 0
    f64.load offset=1368
    i32.const 0
    f64.load offset=1392
    f64.const 0x1.47ae147ae147bp-7 (;=0.01;)
    f64.mul
    f64.add
    f64.store offset=1368
    i32.const 0
    i32.const 0
    f64.load offset=1376
    i32.const 0
    f64.load offset=1400
    f64.const 0x1.47ae147ae147bp-7 (;=0.01;)
    f64.mul
    f64.add
    f64.store offset=1376
    i32.const 0
    i32.const 0
    f64.load offset=1384
    i32.const 0
    f64.load offset=1408
    f64.const 0x1.47ae147ae147bp-7 (;=0.01;)
    f64.mul
    f64.add
    f64.store offset=1384
    i32.const 0
    i32.const 0
    f64.load offset=1424
    i32.const 0
    f64.load offset=1448
    f64.const 0x1.47ae147ae147bp-7 (;=0.01;)
    f64.mul
    f64.add
    f64.store offset=1424
    i32.const 0
    i32.const 0
    f64.load offset=1432
    i32.const 0
    f64.load offset=1456
    f64.const 0x1.47ae147ae147bp-7 (;=0.01;)
    f64.mul
    f64.add
    f64.store offset=1432
    i32.const 0
    i32.const 0
    f64.load offset=1440
    i32.const 0
    f64.load offset=1464
    f64.const 0x1.47ae147ae147bp-7 (;=0.01;)
    f64.mul
    f64.add
    f64.store offset=1440
    i32.const 0
    i32.const 0
    f64.load offset=1480
    i32.const 0
    f64.load offset=1504
    f64.const 0x1.47ae147ae147bp-7 (;=0.01;)
    f64.mul
    f64.add
    f64.store offset=1480
    i32.const 0
    i32.const 0
    f64.load offset=1488
    i32.const 0
    f64.load offset=1512
    f64.const 0x1.47ae147ae147bp-7 (;=0.01;)
    f64.mul
    f64.add
    f64.store offset=1488
    i32.const 0
    i32.const 0
    f64.load offset=1496
    i32.const 0
    f64.load offset=1520
    f64.const 0x1.47ae147ae147bp-7 (;=0.01;)
    f64.mul
    f64.add
    f64.store offset=1496
    i32.const 0
    i32.const 0
    f64.load offset=1536
    i32.const 0
    f64.load offset=1560
    f64.const 0x1.47ae147ae147bp-7 (;=0.01;)
    f64.mul
    f64.add
    f64.store offset=1536
    i32.const 0
    i32.const 0
    f64.load offset=1544
    i32.const 0
    f64.load offset=1568
    f64.const 0x1.47ae147ae147bp-7 (;=0.01;)
    f64.mul
    f64.add
    f64.store offset=1544
    i32.const 0
    i32.const 0
    f64.load offset=1552
    i32.const 0
    f64.load offset=1576
    f64.const 0x1.47ae147ae147bp-7 (;=0.01;)
    f64.mul
    f64.add
    f64.store offset=1552)
  (func $energy (type 2) (result f64)
    (local i32 i32 i32 f64 i32 i32 f64 f64 f64 f64 f64)
    i32.const 0
    local.set 0
    i32.const 1416
    local.set 1
    i32.const 4
    local.set 2
    f64.const 0x0p+0 (;=0;)
    local.set 3
    loop  ;; label = @1
      local.get 3
      local.get 0
      local.tee 4
      i32.const 56
      i32.mul
      local.tee 5
      i32.const 1336
      i32.add
      f64.load
      local.tee 6
      local.get 6
      f64.mul
      f64.const 0x0p+0 (;=0;)
      f64.add
      local.get 5
      i32.const 1344
      i32.add
      f64.load
      local.tee 6
      local.get 6
      f64.mul
      f64.add
      local.get 5
      i32.const 1352
      i32.add
      f64.load
      local.tee 6
      local.get 6
      f64.mul
      f64.add
      local.get 5
      i32.const 1360
      i32.add
      f64.load
      local.tee 7
      f64.mul
      f64.const 0x1p-1 (;=0.5;)
      f64.mul
      f64.add
      local.set 3
      local.get 4
      i32.const 1
      i32.add
      local.set 0
      block  ;; label = @2
        local.get 4
        i32.const 4
        i32.ge_u
        br_if 0 (;@2;)
        local.get 5
        i32.const 1328
        i32.add
        f64.load
        local.set 8
        local.get 5
        i32.const 1320
        i32.add
        f64.load
        local.set 9
        local.get 5
        i32.const 1312
        i32.add
        f64.load
        local.set 10
        local.get 2
        local.set 4
        local.get 1
        local.set 5
        loop  ;; label = @3
          local.get 3
          local.get 7
          local.get 5
          f64.load
          f64.mul
          local.get 10
          local.get 5
          i32.const -48
          i32.add
          f64.load
          f64.sub
          local.tee 6
          local.get 6
          f64.mul
          f64.const 0x0p+0 (;=0;)
          f64.add
          local.get 9
          local.get 5
          i32.const -40
          i32.add
          f64.load
          f64.sub
          local.tee 6
          local.get 6
          f64.mul
          f64.add
          local.get 8
          local.get 5
          i32.const -32
          i32.add
          f64.load
          f64.sub
          local.tee 6
          local.get 6
          f64.mul
          f64.add
          f64.sqrt
          f64.div
          f64.sub
          local.set 3
          local.get 5
          i32.const 56
          i32.add
          local.set 5
          local.get 4
          i32.const -1
          i32.add
          local.tee 4
          br_if 0 (;@3;)
        end
      end
      local.get 2
      i32.const -1
      i32.add
      local.set 2
      local.get 1
      i32.const 56
      i32.add
      local.set 1
      local.get 0
      i32.const 5
      i32.ne
      br_if 0 (;@1;)
    end
    local.get 3)
  (table (;0;) 1 1 funcref)
  (memory (;0;) 2)
  (global $__stack_pointer (mut i32) (i32.const 67136))
  (export "memory" (memory 0))
  (export "run" (func $run))
  (data $.rodata (i32.const 1024) "\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\f0?,\d9<4\a0]\13@|\db\1f\c0\ab\90\f2\bf\f0\eb%l\f9\86\ba\bf\09\92\ec\b8\dd2[?\b6p\f6\93\ff\88\7f?\80\bd\deF\99\19\12\bf5\c13\13`IO?g\ca2\c3\cd\af @\b0\01\de1\cb\7f\10@|F\eb\e1S\d3\d9\bf\d1\f4\8d\0a\b6\abf\bf\b8xu%Vyt?\c0J\ad\9c7)\f8>\f8\e6\f5\ef^\bc2?\cf\d9\a7\ce\ea\c9)@~f&\d6\e88.\c0\a0}%\beW\95\cc\bfT\d9\87>8Ih?\e1\ac\c0J\04|c?\a0\fa\db\fe\83\19\ff\be\d6;\a1\07F\e4\06?*W\05\a9g\c2.@ \a2\c83X\eb9\c0@\e5\ab\93\f3\f1\c6? C\1b\e5\c9\f5e?\88\9d\996W\adZ?P\97\7f\0b\07\f2\18\bf\ec\0e-\ca\13\02\0b?"))
