//! `planish man`: manual pages, one for the command and one for each subcommand.

use clap::CommandFactory;
use clap_mangen::Man;

use crate::Stop;
use crate::args::{Cli, ManPages};
use crate::output;

/// Writes `planish.1`, `planish-compile.1` and so on.
pub(crate) fn man(args: &ManPages) -> Result<(), Stop> {
    output::make_folder(&args.out_dir)?;
    let mut command = Cli::command().disable_help_subcommand(true);
    // Names of subcommands begin with that of the command, and options for all are theirs too.
    command.build();
    let subcommands: Vec<clap::Command> = command.get_subcommands().filter(|sub| !sub.is_hide_set()).cloned().collect();
    for page in [command].into_iter().chain(subcommands) {
        let page = Man::new(page);
        let mut text = Vec::new();
        page.render(&mut text).map_err(|e| Stop::usage(format!("cannot make a manual page: {e}")))?;
        output::write(&args.out_dir.join(page.get_filename()), &text, false)?;
    }
    Ok(())
}
