//! Writing results.

use std::io::{IsTerminal, Write};
use std::path::Path;

use crate::Stop;

/// Writes to a file; `-` is standard output.
pub(crate) fn write(file: &Path, bytes: &[u8], binary: bool) -> Result<(), Stop> {
    if file.as_os_str() == "-" {
        return write_stdout(bytes, binary);
    }
    std::fs::write(file, bytes).map_err(|e| Stop::usage(format!("cannot write {}: {e}", file.display())))
}

/// Writes to standard output; binary never to a terminal.
pub(crate) fn write_stdout(bytes: &[u8], binary: bool) -> Result<(), Stop> {
    let mut out = std::io::stdout();
    if binary && out.is_terminal() {
        return Err(Stop::usage("this output is binary: give a file with -o, or redirect standard output"));
    }
    match out.write_all(bytes).and_then(|()| out.flush()) {
        // Whoever reads has had enough (`planish … | head`).
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Stop::usage(format!("cannot write to standard output: {error}"))),
        Ok(()) => Ok(()),
    }
}
