//! From the registry into a folder.

use crate::interop::scenario::Gets::{Done, Lacks, Refused, Without};
use crate::interop::scenario::Step::{Answered, Remove, Run, Same};
use crate::interop::scenario::{Gets, Scenario, Who};

/// What each version says when it has installed something.
const INSTALLED: &[Gets] = &[Done(&["Installed"])];
/// What is said of what does not exist, and of what one may not see.
const NOT_FOUND: Gets = Refused(&["Skill not found"]);
/// The private skills. Searches for them use the beginning of a slug alone, so that a client that repeats what it was asked
/// for says none of these.
const PRIVATE: &[&str] = &["plans", "secrets"];
/// What searches and lists give to those who may not see them.
const UNSEEN: &[Gets] = &[Without(&[], PRIVATE)];
const UNLISTED: &[Gets] = &[Without(&["team-reef--tools"], PRIVATE)];
/// What the newer versions make of an installation of which they tell the registry; the oldest does not tell.
const TOLD: Gets = Without(&["Installed"], &["telemetry", "Telemetry", "Error"]);

pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario {
        title: "Installing",
        who: Who::Nobody,
        steps: &[
            Run("clawhub install notes", INSTALLED),
            Same("skills/notes", "src/v2/notes"),
            Run("clawhub install notes", &[Refused(&["Already installed"])]),
            Run("clawhub install notes --force --version 1.0.0", INSTALLED),
            Same("skills/notes", "src/v1/notes"),
            Run("clawhub install notes@1.0.0", INSTALLED),
            Same("skills/notes@1.0.0", "src/v1/notes"),
            Run("clawhub install team-reef--tools", INSTALLED),
            Same("skills/team-reef--tools", "src/v1/tools"),
            Run("clawhub install team-reef--tools@1.0.0", INSTALLED),
            Same("skills/team-reef--tools@1.0.0", "src/v1/tools"),
            Run(
                "clawhub install @team-reef/tools",
                &[Done(&["Installed"]), Refused(&["Invalid slug"]), Done(&["Installed"])],
            ),
            Same("skills/@team-reef/tools", "src/v1/tools"),
            Run("clawhub install picture", INSTALLED),
            Same("skills/picture", "src/v1/picture"),
            Run("clawhub install weekly-notes", INSTALLED),
            Same("skills/weekly-notes", "src/v1/weekly-notes"),
            Run("clawhub list", &[Done(&["notes@1.0.0  1.0.0", "team-reef--tools  1.0.0"])]),
            Run("clawhub uninstall notes --yes", &[Done(&["Uninstalled"]), Done(&["Uninstalled"]), Lacks]),
            Run("clawhub install notes --version 9.9.9 --force", &[Refused(&["Version not found"])]),
            Run("clawhub install nothing", &[NOT_FOUND]),
            Run("clawhub install team-reef--nothing", &[NOT_FOUND]),
        ],
    },
    Scenario {
        title: "Installing a skill of difficult names",
        who: Who::Nobody,
        steps: &[
            Run("clawhub install nasty", INSTALLED),
            Same("skills/nasty", "src/v1/nasty"),
            Run("clawhub update nasty", &[Done(&["up to date"])]),
            Same("skills/nasty", "src/v1/nasty"),
            Remove("skills/nasty"),
            Run("clawhub update --all", &[Done(&["nasty"])]),
            Same("skills/nasty", "src/v1/nasty"),
            Run("clawhub install signs", INSTALLED),
            Same("skills/signs", "src/v1/signs"),
        ],
    },
    Scenario {
        title: "Installing what is private, without the right to",
        who: Who::Nobody,
        steps: &[
            Run("clawhub install team-reef--plans", &[NOT_FOUND]),
            Run("clawhub install team-reef--plans --version 1.0.0", &[NOT_FOUND]),
            Run("clawhub install @team-reef/plans", &[NOT_FOUND, Refused(&["Invalid slug"]), NOT_FOUND]),
            Run("clawhub inspect team-reef--plans --files", &[NOT_FOUND]),
            Run("clawhub inspect team-reef--plans --file SKILL.md", &[NOT_FOUND]),
            Run("clawhub search plan", UNSEEN),
            Run("clawhub search secret", UNSEEN),
            Run("clawhub explore --limit 200", UNLISTED),
        ],
    },
    Scenario {
        title: "Installing what is private, as a stranger",
        who: Who::Stranger,
        steps: &[
            Run("clawhub whoami", &[Done(&["stranger"])]),
            Run("clawhub install team-reef--plans", &[NOT_FOUND]),
            Run("clawhub inspect team-reef--plans --file SKILL.md", &[NOT_FOUND]),
            Run("clawhub search plan", UNSEEN),
            Run("clawhub search secret", UNSEEN),
            Run("clawhub explore --limit 200", UNLISTED),
            Run("clawhub install team-reef--tools", INSTALLED),
        ],
    },
    Scenario {
        title: "Installing what is private, as an owner",
        who: Who::Owner,
        steps: &[
            Run(
                "clawhub install team-reef--plans",
                &[Done(&["Installed"]), Done(&["Installed"]), Refused(&["Skill not found"])],
            ),
            Same("skills/team-reef--plans", "src/v1/plans"),
            Run("clawhub install @team-reef/plans", &[Done(&["Installed"]), Refused(&["Invalid slug"]), NOT_FOUND]),
            Same("skills/@team-reef/plans", "src/v1/plans"),
            Run(
                "clawhub update --all",
                &[Done(&["up to date"]), Done(&["up to date"]), Done(&["No installed skills."])],
            ),
            Run(
                "clawhub search plan",
                &[Done(&["team-reef--plans"]), Done(&["team-reef--plans"]), Without(&[], PRIVATE)],
            ),
            Run(
                "clawhub search secret",
                &[Done(&["team-deep--secrets"]), Done(&["team-deep--secrets"]), Without(&[], PRIVATE)],
            ),
        ],
    },
    Scenario {
        title: "Installing, and telling the registry of it",
        who: Who::Owner,
        steps: &[
            // Everywhere else they are told to keep it to themselves. They hide it if that fails, so the registry must say.
            Run("CLAWHUB_DISABLE_TELEMETRY= clawhub install notes", &[TOLD, TOLD, Lacks]),
            Answered("POST", "/api/cli/telemetry/{event}"),
            Same("skills/notes", "src/v2/notes"),
        ],
    },
];
