//! `skillhub pack`.

mod verdict;

use std::fs;
use std::path::{Path, PathBuf};

use skillhub_package::canonical;

use super::show::{print_warnings, show_files, show_left_out, show_size};
use super::{Context, Ended};
use crate::args::PackArgs;
use crate::error::Failure;
use crate::pack::{Source, beside, find_skills, pack, write};
use crate::publish::{Draft, DraftOptions, Planned, choose_version, plan};
use verdict::{Listing, Package, Summary, Verdict};

/// Checks one source or every skill below a folder, and writes the packages that are asked for. One skill that fails does not
/// stop the others.
pub(super) fn run(context: &Context, args: &PackArgs) -> Ended {
    let sources = if args.all { find_skills(&args.source)? } else { vec![args.source.clone()] };
    let (mut listings, mut drafts) = (Vec::new(), Vec::new());
    for source in sources {
        let (listing, draft) = examine(context, args, &source);
        listings.push(listing);
        drafts.push((source, draft));
    }
    let mut verdicts = Vec::new();
    for ((source, planned), listing) in plan(drafts).into_iter().zip(listings) {
        let verdict = conclude(args, &source, planned, listing);
        announce(context, &verdict);
        verdicts.push(verdict);
    }
    report(context, args, &verdicts);
    Ok(verdicts.iter().find_map(|verdict| verdict.error.as_ref().map(Failure::exit)))
}

/// What a source holds, as far as it can be read, and whether it can be published.
fn examine(context: &Context, args: &PackArgs, path: &Path) -> (Listing, Result<Draft, Failure>) {
    let source = match pack(path) {
        Ok(source) => source,
        Err(failure) => return (Listing::default(), Err(failure)),
    };
    show(context, args, &source);
    let listing = Listing::of(&source);
    let options = DraftOptions { slug: args.slug.as_ref(), version: args.version.as_ref(), scope: args.scope };
    (listing, Draft::check(source, &options))
}

fn show(context: &Context, args: &PackArgs, source: &Source) {
    let show = if args.all { show_size } else { show_files };
    show(&context.output, &source.path, &source.contents);
    show_left_out(&context.output, &source.left_out);
}

fn conclude(args: &PackArgs, source: &Path, planned: Planned, listing: Listing) -> Verdict {
    match planned {
        Planned::Ready(draft) => match make(args, &draft) {
            Ok(package) => Verdict::passed(*draft, package, listing),
            Err(failure) => Verdict::failed(source, failure, listing),
        },
        Planned::SameAs(other) => Verdict::duplicate(source, &other, listing),
        Planned::Refused(failure) => Verdict::failed(source, failure, listing),
    }
}

/// Makes the package of a draft, and writes it if it is asked for.
fn make(args: &PackArgs, draft: &Draft) -> Result<Package, Failure> {
    let version = choose_version(args.version.as_ref(), draft.skill_md.version().as_ref(), || Ok(None))?;
    // Also for the faults that only a manifest can have.
    let manifest = draft.manifest(version)?;
    let archive = canonical(&draft.contents).bytes;
    let file = destination(args, &format!("{}-{}.zip", manifest.slug, manifest.version));
    if let Some(file) = &file {
        demand_outside(file, &draft.source)?;
        if args.all {
            fs::create_dir_all(beside(file)).map_err(|e| Failure::io("create", beside(file), &e))?;
        }
        write(file, &archive, args.force)?;
    }
    Ok(Package::new(manifest, &archive, file))
}

fn destination(args: &PackArgs, name: &str) -> Option<PathBuf> {
    match (&args.output, args.all) {
        (Some(folder), true) => Some(folder.join(name)),
        (None, true) => None,
        (Some(file), false) => Some(file.clone()),
        (None, false) => Some(PathBuf::from(name)),
    }
}

fn demand_outside(file: &Path, source: &Path) -> Result<(), Failure> {
    match (beside(file).canonicalize(), source.canonicalize()) {
        (Ok(folder), Ok(source)) if folder.starts_with(&source) => {
            let message = format!("{} would be a part of the skill the next time", file.display());
            Err(Failure::usage(message).hint("name a file outside of the skill's folder with `-o`"))
        }
        _ => Ok(()),
    }
}

fn announce(context: &Context, verdict: &Verdict) {
    if context.output.is_json() {
        return;
    }
    context.output.data(verdict);
    match &verdict.error {
        Some(failure) => context.output.failure(failure),
        None => print_warnings(&context.output, &verdict.findings),
    }
}

fn report(context: &Context, args: &PackArgs, verdicts: &[Verdict]) {
    let summary = Summary::of(verdicts);
    if context.output.is_json() {
        match verdicts {
            [verdict] if !args.all => context.output.json(verdict),
            _ => context.output.json(&serde_json::json!({ "skills": verdicts, "summary": summary })),
        }
    }
    if args.all {
        context.output.note(&summary);
    }
}
