//! `skillhub install`.

use skillhub_protocol::Coordinate;

use super::{Context, Ended};
use crate::args::InstallArgs;
use crate::client::Client;
use crate::error::{Exit, Failure};
use crate::install::{InstallOptions, Installed, Outcome, Target, install};

/// Installs each coordinate by itself: one that fails does not stop the others.
pub(super) fn run(context: &Context, args: &InstallArgs) -> Ended {
    if args.alias.is_some() && args.coordinates.len() > 1 {
        return Err(Failure::usage("--as names one folder").hint("install the skills one by one"));
    }
    let client = context.client()?;
    let target = Target::choose(&args.target, &context.env)?;
    let options =
        InstallOptions { dir: &target.dir, alias: args.alias.as_ref(), force: args.force, now: context.env.now };
    let (mut installed, mut first_failure) = (Vec::new(), None);
    for coordinate in &args.coordinates {
        match install_one(context, &client, coordinate, &options) {
            Ok(done) => installed.push(done),
            Err(exit) => first_failure = first_failure.or(Some(exit)),
        }
    }
    if context.output.is_json() {
        context.output.json(&installed);
    }
    Ok(first_failure)
}

fn install_one(
    context: &Context,
    client: &Client,
    coordinate: &Coordinate,
    options: &InstallOptions<'_>,
) -> Result<Installed, Exit> {
    let installed = install(client, coordinate, options, &context.output).map_err(|failure| {
        context.output.failure(&failure);
        failure.exit()
    })?;
    if !context.output.is_json() {
        let what = match installed.outcome {
            Outcome::Installed => "installed",
            Outcome::AlreadyInstalled => "already installed",
        };
        context.output.data(format!("{what} {} in {}", installed.coordinate, installed.path.display()));
    }
    Ok(installed)
}
