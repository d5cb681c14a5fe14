//! Writing the block.

use super::Entry;

const HEAD: &str = r#"<skills_system priority="1">

## Available Skills

<!-- SKILLS_TABLE_START -->
<usage>
A skill is a folder with instructions for one kind of task. If a skill below fits the task, load it before you begin:
- Run `skillhub read NAME`; several names print several skills. It prints SKILL.md and the folder that paths in it are relative to.
- `skillhub read NAME --list-files` lists the other files of a skill, `--file PATH` prints one. Load them when SKILL.md says so.
- Without that command, read SKILL.md in the folder of that name. The location says where it is:
  - project: in .agent/skills or .claude/skills of this project
  - global: in .agent/skills or .claude/skills of the home folder
  - otherwise it is the path of SKILL.md
- Load only skills that are listed here, and none twice.
</usage>

<available_skills>

"#;

const TAIL: &str = "</available_skills>
<!-- SKILLS_TABLE_END -->

</skills_system>";

/// The block, without a line end after it. No text of a skill can be taken for a marker or a tag.
pub(super) fn block(skills: &[Entry]) -> String {
    let mut skills: Vec<&Entry> = skills.iter().collect();
    skills.sort_by(|a, b| (a.location, &a.name).cmp(&(b.location, &b.name)));
    let nodes = skills.into_iter().map(node).collect::<String>();
    [HEAD, &nodes, TAIL].concat()
}

fn node(skill: &Entry) -> String {
    let name = escape(&without_controls(&skill.name));
    let description = escape(&skill.description.split_whitespace().collect::<Vec<_>>().join(" "));
    let location = escape(&without_controls(skill.location_text()));
    format!(
        "<skill>\n<name>{name}</name>\n<description>{description}</description>\n<location>{location}</location>\n</skill>\n\n"
    )
}

fn without_controls(text: &str) -> String {
    text.replace(char::is_control, " ")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
