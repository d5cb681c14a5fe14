//! `skillhub publish`.

mod verdict;

use std::path::PathBuf;

use skillhub_protocol::Namespace;

use super::show::{print_warnings, show_files, show_left_out, show_size};
use super::{Context, Ended};
use crate::args::PublishArgs;
use crate::client::Client;
use crate::error::Failure;
use crate::output::Progress;
use crate::pack::{find_skills, pack};
use crate::parallel::in_order;
use crate::publish::{Draft, Planned, PublishOptions, plan, publish, rehearse};
use verdict::{Summary, Verdict};

/// Publishes one folder or ZIP.
pub(super) fn run(context: &Context, args: &PublishArgs) -> Result<(), Failure> {
    let client = context.client()?;
    let options = options(&client, args)?;
    let source = pack(&args.source)?;
    show_files(&context.output, &source.path, &source.contents);
    show_left_out(&context.output, &source.left_out);
    let draft = Draft::check(source, &options.draft())?;
    let progress = context.output.progress(draft.slug.as_str());
    let verdict = publish_one(&client, &draft, &options, args.dry_run, &progress);
    drop(progress);
    let verdict = verdict?;
    if context.output.is_json() {
        context.output.json(&verdict);
    } else {
        print(context, &verdict);
    }
    Ok(())
}

/// Publishes every skill below a folder; one that fails does not stop the others.
pub(super) fn run_all(context: &Context, args: &PublishArgs) -> Ended {
    let folders = find_skills(&args.source)?;
    let client = context.client()?;
    let options = options(&client, args)?;
    let drafts = folders.into_iter().map(|folder| {
        let draft = Draft::prepare(&folder, &options.draft());
        (folder, draft)
    });
    let plans = plan(drafts.collect());
    plans.iter().for_each(|(_, planned)| show_plan(context, planned));
    let verdicts = publish_all(context, &client, &options, args.dry_run, &plans);
    let summary = Summary::of(&verdicts);
    if context.output.is_json() {
        context.output.json(&serde_json::json!({ "skills": verdicts, "summary": summary }));
    }
    context.output.note(&summary);
    Ok(verdicts.iter().find_map(|verdict| verdict.error.as_ref().map(Failure::exit)))
}

fn options(client: &Client, args: &PublishArgs) -> Result<PublishOptions, Failure> {
    let configured = args.namespace.as_ref().or(client.endpoint().namespace.as_ref());
    let namespace = configured.map_or_else(|| Err(no_namespace(client)), |namespace| Ok(namespace.clone()))?;
    let (slug, version, tags) = (args.slug.clone(), args.version.clone(), args.tags.clone());
    Ok(PublishOptions { namespace, slug, version, scope: args.scope, tags })
}

/// There is no default: nobody publishes to a namespace by accident.
fn no_namespace(client: &Client) -> Failure {
    let identity = match client.whoami() {
        Ok(identity) => identity,
        Err(failure) => return failure,
    };
    let namespaces = identity.namespaces.iter().filter(|membership| membership.role.may_publish());
    let namespaces: Vec<&Namespace> = namespaces.map(|membership| &membership.namespace).collect();
    let failure = Failure::usage("no namespace to publish to is named");
    match namespaces.first() {
        Some(first) => failure
            .detail(format!("{} may publish to:", identity.handle))
            .details(namespaces.iter().map(|namespace| format!("  {namespace}")))
            .hint(format!("add `--namespace {first}`")),
        None => failure
            .detail(format!("{} may not publish to any", identity.handle))
            .hint("ask an owner of a namespace for the role of publisher"),
    }
}

fn show_plan(context: &Context, planned: &Planned) {
    if let Planned::Ready(draft) = planned {
        show_size(&context.output, &draft.source, &draft.contents);
        show_left_out(&context.output, &draft.left_out);
    }
}

/// Publishes what is planned; prints and answers in the order of the plan.
fn publish_all(
    context: &Context,
    client: &Client,
    options: &PublishOptions,
    dry_run: bool,
    plans: &[(PathBuf, Planned)],
) -> Vec<Verdict> {
    let progress = context.output.item_progress("publishing", plans.len() as u64);
    let hand_on = |verdict: &Verdict| {
        progress.advance();
        progress.aside(|| announce(context, verdict));
    };
    in_order(plans, |plan| carry_out(client, options, dry_run, plan), hand_on)
}

fn carry_out(
    client: &Client,
    options: &PublishOptions,
    dry_run: bool,
    (source, planned): &(PathBuf, Planned),
) -> Verdict {
    match planned {
        Planned::SameAs(other) => Verdict::duplicate(source, other),
        Planned::Refused(failure) => Verdict::failed(source, failure.clone()),
        Planned::Ready(draft) => publish_one(client, draft, options, dry_run, &Progress::hidden())
            .unwrap_or_else(|failure| Verdict::failed(source, failure)),
    }
}

fn publish_one(
    client: &Client,
    draft: &Draft,
    options: &PublishOptions,
    dry_run: bool,
    progress: &Progress,
) -> Result<Verdict, Failure> {
    if dry_run {
        return rehearse(client, draft, options).map(|coordinate| Verdict::rehearsed(draft, &coordinate));
    }
    publish(client, draft, options, progress).map(|published| Verdict::published(draft, published))
}

fn announce(context: &Context, verdict: &Verdict) {
    if !context.output.is_json() {
        print(context, verdict);
    }
}

fn print(context: &Context, verdict: &Verdict) {
    context.output.data(verdict);
    print_warnings(&context.output, &verdict.warnings);
    if let Some(failure) = &verdict.error {
        context.output.failure(failure);
    }
}
