"""Gives HLSL files to Slang's compiler, in one process. The first argument is a folder for SPIR-V, the others are files; the stage
is in the name: `a.frag.hlsl`, `a.frag-O2.hlsl`. The library as it is packaged has no code for `-target spirv` itself: with
`--via-glsl` before the folder it makes SPIR-V of its GLSL, and files without code are faults."""

import ctypes
import glob
import os
import re
import sys

STAGES = {"vert": b"vertex", "frag": b"pixel", "comp": b"compute"}


def load():
    pattern = os.path.join(sys.prefix, "lib/python3*/site-packages/slangpy/libslang-compiler.so*")
    library = ctypes.CDLL(sorted(glob.glob(pattern))[0])
    pointer, text = ctypes.c_void_p, ctypes.c_char_p
    for name, result, arguments in [
        ("spCreateSession", pointer, [text]),
        ("spCreateCompileRequest", pointer, [pointer]),
        ("spProcessCommandLineArguments", ctypes.c_int, [pointer, ctypes.POINTER(text), ctypes.c_int]),
        ("spCompile", ctypes.c_int, [pointer]),
        ("spGetDiagnosticOutput", text, [pointer]),
        ("spGetEntryPointCode", pointer, [pointer, ctypes.c_int, ctypes.POINTER(ctypes.c_size_t)]),
        ("spDestroyCompileRequest", None, [pointer]),
    ]:
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


def compile_one(library, session, path, stage, profile, out, via_glsl):
    """The messages, if the file is not valid; its SPIR-V is written."""
    request = library.spCreateCompileRequest(session)
    words = [b"-lang", b"hlsl", path.encode(), b"-target", b"spirv", b"-profile", profile, b"-entry", b"main",
             b"-stage", stage, b"-fvk-use-entrypoint-name", b"-warnings-disable", b"39029,30051"]
    if via_glsl:
        words.append(b"-emit-spirv-via-glsl")
    arguments = (ctypes.c_char_p * len(words))(*words)
    code = library.spProcessCommandLineArguments(request, arguments, len(words))
    if code >= 0:
        code = library.spCompile(request)
    messages = (library.spGetDiagnosticOutput(request) or b"").decode(errors="replace")
    if code >= 0:
        size = ctypes.c_size_t()
        words = library.spGetEntryPointCode(request, 0, ctypes.byref(size))
        with open(out, "wb") as file:
            file.write(ctypes.string_at(words, size.value))
        if via_glsl and size.value == 0:
            code, messages = -1, "error: there is no code"
    library.spDestroyCompileRequest(request)
    return None if code >= 0 else messages


def main():
    arguments = sys.argv[1:]
    via_glsl = arguments[0] == "--via-glsl"
    folder, *files = arguments[1:] if via_glsl else arguments
    library = load()
    session = library.spCreateSession(None)
    faults = 0
    for path in files:
        stage = re.search(r"\.(vert|frag|comp)[^.]*\.hlsl$", path)
        out = os.path.join(folder, os.path.basename(path) + ".slang.spv")
        messages = compile_one(library, session, path, STAGES[stage.group(1)], b"sm_6_0", out, via_glsl)
        if messages is not None:
            faults += 1
            errors = [m for m in messages.split("\n\n") if "error" in m] or [messages]
            print(f"{path}\n    " + errors[0][:600].replace("\n", "\n    "))
    print(f"SLANG {len(files)} files, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
