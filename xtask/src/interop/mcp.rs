//! FastMCP, a client of the Model Context Protocol with its extension for skills.

use super::scenario::Gets::{Done, Refused};
use super::scenario::Step::{Run, Same};
use super::scenario::{Scenario, Who};

/// What is said of what does not exist, and of what one may not see.
const NOT_THERE: &str = "There is nothing here that you may see.";

pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario {
        title: "Listing, getting and reading",
        who: Who::Nobody,
        steps: &[
            Run(
                "mcp_client.py list $REGISTRY/mcp",
                &[Done(&[
                    "skill://global/notes/SKILL.md",
                    "skill://team-reef/tools/SKILL.md",
                    "skill://global/nasty/SKILL.md",
                ])],
            ),
            Run("mcp_client.py get $REGISTRY/mcp skill://global/notes/SKILL.md", &[Done(&["references/guide.md"])]),
            Run(
                "mcp_client.py compare $REGISTRY/mcp skill://global/notes/SKILL.md src/v2/notes",
                &[Done(&["equal digests of 4 files"])],
            ),
            Run(
                "mcp_client.py read $REGISTRY/mcp skill://global/notes/SKILL.md read/notes",
                &[Done(&["wrote read/notes"])],
            ),
            Same("read/notes", "src/v2/notes"),
            Run(
                "mcp_client.py compare $REGISTRY/mcp skill://team-reef/tools/SKILL.md src/v1/tools",
                &[Done(&["equal digests of 4 files"])],
            ),
            Run(
                "mcp_client.py read $REGISTRY/mcp skill://global/picture/SKILL.md read/picture",
                &[Done(&["wrote read/picture"])],
            ),
            Same("read/picture", "src/v1/picture"),
        ],
    },
    Scenario {
        title: "A skill of difficult names",
        who: Who::Nobody,
        steps: &[
            Run(
                "mcp_client.py compare $REGISTRY/mcp skill://global/nasty/SKILL.md src/v1/nasty",
                &[Done(&["equal digests of 90 files"])],
            ),
            Run(
                "mcp_client.py read $REGISTRY/mcp skill://global/nasty/SKILL.md read/nasty",
                &[Done(&["wrote read/nasty"])],
            ),
            Same("read/nasty", "src/v1/nasty"),
            Run(
                "mcp_client.py read $REGISTRY/mcp skill://global/signs/SKILL.md read/signs",
                &[Done(&["wrote read/signs"])],
            ),
            Same("read/signs", "src/v1/signs"),
        ],
    },
    Scenario {
        title: "What is not there, or not for everybody",
        who: Who::Nobody,
        steps: &[
            Run("mcp_client.py get $REGISTRY/mcp skill://global/nothing/SKILL.md", &[Refused(&[NOT_THERE])]),
            Run("mcp_client.py get $REGISTRY/mcp skill://global/weekly-notes/SKILL.md", &[Refused(&[NOT_THERE])]),
            Run("mcp_client.py get $REGISTRY/mcp skill://team-reef/plans/SKILL.md", &[Refused(&[NOT_THERE])]),
            Run(
                "mcp_client.py read $REGISTRY/mcp skill://team-reef/plans/SKILL.md read/plans",
                &[Refused(&[NOT_THERE])],
            ),
        ],
    },
    Scenario {
        title: "What is private, as a stranger",
        who: Who::Stranger,
        steps: &[
            Run("mcp_client.py list $REGISTRY/mcp --token $TOKEN", &[Done(&["skill://team-reef/tools/SKILL.md"])]),
            Run(
                "mcp_client.py get $REGISTRY/mcp skill://team-reef/plans/SKILL.md --token $TOKEN",
                &[Refused(&[NOT_THERE])],
            ),
        ],
    },
    Scenario {
        title: "What is private, as an owner",
        who: Who::Owner,
        steps: &[
            Run(
                "mcp_client.py list $REGISTRY/mcp --token $TOKEN",
                &[Done(&["skill://team-reef/plans/SKILL.md", "skill://team-deep/secrets/SKILL.md"])],
            ),
            Run(
                "mcp_client.py read $REGISTRY/mcp skill://team-reef/plans/SKILL.md read/plans --token $TOKEN",
                &[Done(&["wrote read/plans"])],
            ),
            Same("read/plans", "src/v1/plans"),
        ],
    },
];
