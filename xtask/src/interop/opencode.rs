//! OpenCode, which reads the skills of the addresses in its configuration.

use super::scenario::Gets::Done;
use super::scenario::Step::{Run, Same, Write};
use super::scenario::{Scenario, Who};

pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario {
        title: "One skill, at its current version",
        who: Who::Nobody,
        steps: &[
            Write("opencode.json", r#"{"skills": {"urls": ["$REGISTRY/@global/notes/.well-known/skills/"]}}"#),
            Run("opencode debug skill", &[Done(&["\"name\": \"notes\"", "Edition 2."])]),
            Same("~/.cache/opencode/skills/notes", "src/v2/notes"),
        ],
    },
    Scenario {
        title: "One skill, at a version",
        who: Who::Nobody,
        steps: &[
            Write("opencode.json", r#"{"skills": {"urls": ["$REGISTRY/@global/notes@1.0.0/.well-known/skills/"]}}"#),
            Run("opencode debug skill", &[Done(&["\"name\": \"notes\"", "Edition 1."])]),
            Same("~/.cache/opencode/skills/notes", "src/v1/notes"),
        ],
    },
    Scenario {
        title: "A skill of difficult names",
        who: Who::Nobody,
        steps: &[
            Write("opencode.json", r#"{"skills": {"urls": ["$REGISTRY/@global/nasty/.well-known/skills/"]}}"#),
            Run("opencode debug skill", &[Done(&["\"name\": \"nasty\""])]),
            Same("~/.cache/opencode/skills/nasty", "src/v1/nasty"),
        ],
    },
    Scenario {
        title: "A namespace with a private skill, and private ones alone",
        who: Who::Nobody,
        steps: &[
            Write(
                "opencode.json",
                r#"{"skills": {"urls": ["$REGISTRY/@team-reef/.well-known/skills/", "$REGISTRY/@team-reef/plans/.well-known/skills/", "$REGISTRY/@team-deep/.well-known/skills/"]}}"#,
            ),
            Run("opencode debug skill", &[Done(&["\"name\": \"tools\""])]),
            Same("~/.cache/opencode/skills/tools", "src/v1/tools"),
        ],
    },
];
