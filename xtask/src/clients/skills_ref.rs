//! skills-ref, the reference validator of the public specification.

use super::project::Project;
use crate::process::capture;
use crate::tools;

/// Installs every skill; the validator accepts each of them where it is installed, our record beside it.
///
/// # Errors
/// What it refuses, and why.
pub(super) fn accepts_what_we_install(project: &Project, slugs: &[String]) -> Result<(), String> {
    let mut args = vec!["install"];
    args.extend(slugs.iter().map(String::as_str));
    project.skillhub(&args)?;
    for slug in slugs {
        let mut command = tools::SKILLS_REF.command()?;
        command.arg("validate").arg(project.path("project/.agent/skills").join(slug));
        capture(&mut command).map_err(|e| format!("skills-ref refuses {slug}: {e}"))?;
    }
    println!("skills-ref accepts {} installed skills", slugs.len());
    Ok(())
}
