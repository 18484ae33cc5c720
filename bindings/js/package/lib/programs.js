// Programs that run: pictures and functions, which the larger module has.

import { typeOf } from "./errors.js";
import { functionsOf } from "./functions.js";
import { ask, connect as connectShading, targetName } from "./shading.js";

/** Pixels of a picture, or texels of a texture, in each direction. */
const MOST = 16384;

/** The functions and the class of the module. */
export async function connect(module) {
  const shading = await connectShading(module);
  const { machine } = shading;

  class Program extends shading.Program {
    #functions = null;

    header(target) {
      return this[ask]({ do: "header", target: targetName(target) })[0];
    }

    draw(options) {
      const [head, blocks] = drawing(options);
      const [{ width, height }, [pixels]] = this[ask]({ do: "draw", ...head }, blocks);
      const data = new Uint8ClampedArray(pixels.buffer);
      return typeof ImageData === "function" ? new ImageData(data, width, height) : { width, height, data };
    }

    get functions() {
      this.#functions ??= functionsOf((head, blocks) => this[ask](head, blocks));
      return this.#functions;
    }

    gradient(name, { value = false } = {}) {
      if (typeof name !== "string") throw new TypeError(`the name of a function is a string, not ${typeOf(name)}`);
      if (typeof value !== "boolean") throw new TypeError(`the option \`value\` takes true or false, not ${typeOf(value)}`);
      // The derivative is a program of its own for as long as it is asked.
      const derived = (use) => {
        const [{ program }] = this[ask]({ do: "gradient", function: name });
        const { generation } = machine;
        try {
          return use((head, blocks) => machine.ask({ ...head, program }, blocks));
        } finally {
          if (machine.generation === generation) machine.ask({ do: "free", program });
        }
      };
      const again = (head, blocks) => derived((ask) => ask(head, blocks));
      return derived((ask) => functionsOf(ask, { again, first: value ? 0 : 1, suffix: "_gradient" }))[name];
    }
  }

  function explain(code) {
    if (typeof code !== "string") throw new TypeError(`the code is a string, not ${typeOf(code)}`);
    return machine.ask({ do: "explain", code })[0];
  }

  return { ...shading, Program, explain };
}

/** The request of a drawing, and its blocks. */
function drawing(options) {
  if (options === null || typeof options !== "object") {
    throw new TypeError(`\`draw\` takes an object with width and height, not ${typeOf(options)}`);
  }
  const { width, height, time = 0, frame = 0, mouse = [0, 0], uniforms = {}, textures = {}, output = null, ...rest } = options;
  for (const name of Object.keys(rest)) throw new TypeError(`\`draw\` has no option \`${name}\``);
  for (const side of [width, height]) {
    if (typeof side !== "number") throw new TypeError(`the size of a picture is two numbers, not ${typeOf(side)}`);
    if (!isSide(side)) {
      throw new RangeError(`${width}x${height} is no size of a picture: each of the two is a whole number from 1 to ${MOST}`);
    }
  }
  if (typeof time !== "number") throw new TypeError(`the option \`time\` takes a number, not ${typeOf(time)}`);
  if (typeof frame !== "number") throw new TypeError(`the option \`frame\` takes a number, not ${typeOf(frame)}`);
  if (!Number.isInteger(frame) || frame < 0 || frame >= 2 ** 32) {
    throw new RangeError(`\`frame\` is a whole number from 0 on, not ${frame}`);
  }
  if (output !== null && typeof output !== "string") {
    throw new TypeError(`the option \`output\` takes a string, not ${typeOf(output)}`);
  }
  const place = numbers("`mouse`", mouse);
  if (place.length !== 2 && place.length !== 4) {
    throw new RangeError(`\`mouse\` has 2 or 4 numbers, x and y in pixels from the lower left, not ${place.length}`);
  }
  const values = entries("uniforms", uniforms).map(([name, value]) => [name, numbers(`the uniform \`${name}\``, value)]);
  const texels = entries("textures", textures).map(([name, value]) => texture(name, value));
  const head = {
    width,
    height,
    time,
    frame,
    mouse: [0, 1, 2, 3].map((at) => place[at] ?? 0),
    output,
    uniforms: values.map(([name, value]) => [name, value.length]),
    textures: texels.map(([about]) => about),
  };
  const components = Float64Array.from(values.flatMap(([, value]) => [...value]));
  return [head, [new Uint8Array(components.buffer), ...texels.map(([, bytes]) => bytes)]];
}

function isSide(side) {
  return Number.isInteger(side) && side >= 1 && side <= MOST;
}

function entries(what, value) {
  if (value !== null && typeof value === "object") return Object.entries(value);
  throw new TypeError(`the option \`${what}\` takes an object by name, not ${typeOf(value)}`);
}

/** A number, a truth value, or the components in a row. */
function numbers(what, value) {
  const isNumber = (one) => typeof one === "number" || typeof one === "boolean";
  if (isNumber(value)) return [Number(value)];
  const isRow = Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
  if (isRow) {
    const row = Array.from(value);
    const wrong = row.find((one) => !isNumber(one));
    if (!row.some((one) => !isNumber(one))) return row.map(Number);
    throw new TypeError(`${what} takes a number or an array of numbers, not one of ${typeOf(wrong)}`);
  }
  throw new TypeError(`${what} takes a number or an array of numbers, not ${typeOf(value)}`);
}

/** A texture of 1 to 4 components, bytes or floats, rows from the top. */
function texture(name, value) {
  const { width, height, data } = value ?? {};
  const isFloat = data instanceof Float32Array;
  if (!isFloat && !(data instanceof Uint8Array || data instanceof Uint8ClampedArray)) {
    const given = value && typeof value === "object" ? `data that is ${typeOf(data)}` : typeOf(value);
    throw new TypeError(`the texture \`${name}\` is an ImageData, or width, height and data of bytes or floats, not ${given}`);
  }
  const components = data.length / (width * height);
  if (!isSide(width) || !isSide(height) || !Number.isInteger(components) || components < 1 || components > 4) {
    throw new RangeError(
      `the texture \`${name}\` has 1 to 4 components for each texel, and at most ${MOST} rows and columns, not ` +
        `${data.length} components for ${width}x${height}`,
    );
  }
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return [{ name, width, height, components, isFloat }, bytes];
}
