//! Functions of floats: mostly those of `Math` that asm.js does not have.

use super::Helper;

/// See the module's documentation.
pub(super) const FLOATS: &[Helper] = &[
    Helper {
        name: "trunc",
        needs: &["ceil", "floor"],
        asm: "function trunc(x) { x = +x; return +(x < 0.0 ? ceil(x) : floor(x)); }\n",
        module: "",
    },
    Helper {
        name: "round_even",
        needs: &["abs"],
        asm: "\
function round_even(x) {
  x = +x;
  if (abs(x) < 4503599627370496.0) {
    x = +(x > 0.0 ? x + 4503599627370496.0 - 4503599627370496.0 :
      x < 0.0 ? -(4503599627370496.0 - x - 4503599627370496.0) : x);
  }
  return +x;
}
",
        module: "\
function round_even(x) {
  const limit = 4503599627370496;
  if (!(Math.abs(x) < limit)) return x;
  return x > 0 ? x + limit - limit : x < 0 ? -(limit - x - limit) : x;
}
",
    },
    Helper {
        name: "copy_sign",
        needs: &["abs"],
        asm: "\
function copy_sign(x, y) {
  x = +x;
  y = +y;
  x = +abs(x);
  if ((y < 0.0) | (y == 0.0) & (1.0 / y < 0.0)) x = -x;
  return +x;
}
",
        module: "\
function copy_sign(x, y) {
  const size = Math.abs(x);
  return y < 0 || y === 0 && 1 / y < 0 ? -size : size;
}
",
    },
    Helper {
        name: "power",
        needs: &["abs", "pow", "NaN"],
        asm: "\
function power(x, y) {
  x = +x;
  y = +y;
  return +(x < 0.0 ? NaN : x == 1.0 ? 1.0 : +pow(+abs(x), y));
}
",
        module: "\
function power(x, y) {
  return x < 0 ? NaN : x === 1 ? 1 : Math.pow(Math.abs(x), y);
}
",
    },
    Helper { name: "exp2", needs: &["pow"], asm: "function exp2(x) { x = +x; return +pow(2.0, x); }\n", module: "" },
    Helper {
        name: "log2",
        needs: &["abs", "log", "pow", "round_even"],
        asm: "\
function log2(x) {
  x = +x;
  var y = 0.0, whole = 0.0;
  y = +log(x) * 1.4426950408889634;
  whole = +round_even(y);
  if (+abs(y - whole) < 1.0e-9) {
    if (+pow(2.0, whole) == x) y = whole;
  }
  return +y;
}
",
        module: "",
    },
    Helper {
        name: "expm1",
        needs: &["exp", "log"],
        asm: "\
function expm1(x) {
  x = +x;
  var y = 0.0;
  y = +exp(x);
  if (y == 1.0) return +x;
  if (y - 1.0 == -1.0) return -1.0;
  if (x > 37.0) return +y;
  return +((y - 1.0) * x / +log(y));
}
",
        module: "",
    },
    Helper {
        name: "log1p",
        needs: &["log"],
        asm: "\
function log1p(x) {
  x = +x;
  var y = 0.0;
  y = 1.0 + x;
  if (y == 1.0) return +x;
  if (x > 1.0e16) return +log(x);
  return +(+log(y) * x / (y - 1.0));
}
",
        module: "",
    },
    Helper {
        name: "sinh",
        needs: &["abs", "exp", "expm1"],
        asm: "\
function sinh(x) {
  x = +x;
  var size = 0.0, y = 0.0;
  size = +abs(x);
  if (size > 37.0) {
    y = +exp(size * 0.5);
    y = 0.5 * y * y;
  } else {
    y = +expm1(size);
    y = (y + y / (y + 1.0)) * 0.5;
  }
  return +(x < 0.0 ? -y : x > 0.0 ? y : x);
}
",
        module: "",
    },
    Helper {
        name: "cosh",
        needs: &["abs", "exp"],
        asm: "\
function cosh(x) {
  x = +x;
  var y = 0.0;
  y = +exp(+abs(x) * 0.5);
  return +(0.5 * y * y + 0.5 / y / y);
}
",
        module: "",
    },
    Helper {
        name: "tanh",
        needs: &["abs", "expm1"],
        asm: "\
function tanh(x) {
  x = +x;
  var size = 0.0, y = 0.0;
  size = +abs(x);
  if (size > 22.0) {
    y = 1.0;
  } else {
    y = +expm1(2.0 * size);
    y = y / (y + 2.0);
  }
  return +(x < 0.0 ? -y : x > 0.0 ? y : x);
}
",
        module: "",
    },
    Helper {
        name: "asinh",
        needs: &["abs", "log", "log1p", "sqrt"],
        asm: "\
function asinh(x) {
  x = +x;
  var size = 0.0, y = 0.0;
  size = +abs(x);
  if (size > 1.0e9) {
    y = +log(size) + 0.6931471805599453;
  } else {
    y = +log1p(size + size * size / (1.0 + +sqrt(size * size + 1.0)));
  }
  return +(x < 0.0 ? -y : x > 0.0 ? y : x);
}
",
        module: "",
    },
    Helper {
        name: "acosh",
        needs: &["NaN", "log", "log1p", "sqrt"],
        asm: "\
function acosh(x) {
  x = +x;
  if (x < 1.0) return +NaN;
  if (x > 1.0e9) return +(+log(x) + 0.6931471805599453);
  x = x - 1.0;
  return +log1p(x + +sqrt(2.0 * x + x * x));
}
",
        module: "",
    },
    Helper {
        name: "atanh",
        needs: &["abs", "log1p"],
        asm: "\
function atanh(x) {
  x = +x;
  var size = 0.0;
  size = +abs(x);
  size = 0.5 * +log1p(2.0 * size / (1.0 - size));
  return +(x < 0.0 ? -size : x > 0.0 ? size : x);
}
",
        module: "",
    },
];
