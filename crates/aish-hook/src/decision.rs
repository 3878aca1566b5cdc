//! What a hook answers, chosen from the verdict, the person's settings, and what the agent enforces.

use aish_safety::Verdict;

use crate::agent::Agent;

/// What a hook says to the agent, ordered by strictness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Decision {
    /// The agent need not ask.
    Allow,
    /// Nothing: the agent's own rules decide.
    Abstain,
    /// A person has to be asked.
    Ask,
    /// The command must not run.
    Deny,
}

impl Decision {
    /// Returns the word of the audit log.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Abstain => "abstain",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// What is said of a command that is only worth a question.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnAsk {
    /// Nothing.
    #[default]
    Abstain,
    /// Ask, where the agent does it and a person is there; else deny.
    Ask,
    /// Deny.
    Deny,
}

/// What is said of a command that destroys.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnHalt {
    /// Ask, where the agent does it and a person is there; else deny.
    Ask,
    /// Deny.
    #[default]
    Deny,
}

/// The person's settings (`hooks.*`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Options {
    /// `hooks.ask`.
    pub ask: OnAsk,
    /// `hooks.halt`.
    pub halt: OnHalt,
    /// `hooks.allow`: whether a harmless command need not be asked about by the agent.
    pub allow: bool,
    /// `hooks.transactions`: whether a command that a person is asked about runs in a layer.
    pub transactions: bool,
}

/// What is known of the call beside its verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Circumstances<'a> {
    /// The agent's mode of permission, in its own word.
    pub mode: Option<&'a str>,
    /// Whether the agent says that no person is there.
    pub unattended: bool,
    /// Whether the command leaves an interpreter or a shell that reads its standard input.
    pub waits_for_input: bool,
    /// Whether a rule of the person's own or of the project decided: what it wants asked is never left unsaid.
    pub by_own_rule: bool,
}

/// Chooses the decision.
pub fn decide(agent: Agent, verdict: Verdict, options: Options, circumstances: Circumstances<'_>) -> Decision {
    if circumstances.waits_for_input && agent.types_unseen() {
        return Decision::Deny;
    }
    let asked = if can_ask(agent, circumstances) { Decision::Ask } else { Decision::Deny };
    match verdict {
        Verdict::Allow if options.allow && takes_allow(agent) => Decision::Allow,
        Verdict::Allow => Decision::Abstain,
        Verdict::Ask => match options.ask {
            OnAsk::Abstain if !circumstances.by_own_rule => Decision::Abstain,
            OnAsk::Abstain | OnAsk::Ask => asked,
            OnAsk::Deny => Decision::Deny,
        },
        Verdict::Halt => match options.halt {
            OnHalt::Ask => asked,
            OnHalt::Deny => Decision::Deny,
        },
    }
}

/// Tells whether a command may run in a layer in place of itself: the agent takes another command, and a person is asked
/// about it whatever the agent's own rules say.
pub fn may_replace(agent: Agent, verdict: Verdict, options: Options, circumstances: Circumstances<'_>) -> bool {
    options.transactions
        && agent == Agent::Claude
        && verdict == Verdict::Ask
        && options.ask != OnAsk::Deny
        && can_ask(agent, circumstances)
}

/// Tells whether an "ask" is enforced by the agent and a person is there to answer.
fn can_ask(agent: Agent, circumstances: Circumstances<'_>) -> bool {
    match agent {
        Agent::Claude => {
            let mode = circumstances.mode.unwrap_or_default();
            !circumstances.unattended && ["default", "acceptEdits", "plan", "auto"].contains(&mode)
        }
        Agent::Qwen => circumstances.mode == Some("default"),
        Agent::Cursor | Agent::Copilot => true,
        Agent::Codex | Agent::Gemini | Agent::Opencode | Agent::Goose | Agent::Crush => false,
    }
}

/// Tells whether an "allow" means something to the agent and never fails.
const fn takes_allow(agent: Agent) -> bool {
    match agent {
        Agent::Claude | Agent::Qwen | Agent::Crush | Agent::Copilot | Agent::Cursor => true,
        Agent::Codex | Agent::Gemini | Agent::Opencode | Agent::Goose => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOSE: Options = Options { ask: OnAsk::Ask, halt: OnHalt::Ask, allow: true, transactions: true };

    fn here() -> Circumstances<'static> {
        Circumstances { mode: Some("default"), ..Circumstances::default() }
    }

    #[test]
    fn by_default_only_what_destroys_is_denied() {
        for agent in Agent::ALL {
            let decide = |verdict| decide(agent, verdict, Options::default(), here());
            assert_eq!(decide(Verdict::Allow), Decision::Abstain, "{agent:?}");
            assert_eq!(decide(Verdict::Ask), Decision::Abstain, "{agent:?}");
            assert_eq!(decide(Verdict::Halt), Decision::Deny, "{agent:?}");
        }
    }

    #[test]
    fn agents_that_do_not_enforce_an_answer_never_get_it() {
        for agent in Agent::ALL {
            let given: Vec<Decision> = [Verdict::Allow, Verdict::Ask, Verdict::Halt]
                .map(|verdict| decide(agent, verdict, LOOSE, here()))
                .into();
            match agent {
                Agent::Codex | Agent::Gemini | Agent::Opencode | Agent::Goose => {
                    assert_eq!(given, [Decision::Abstain, Decision::Deny, Decision::Deny], "{agent:?}");
                }
                Agent::Crush => assert_eq!(given, [Decision::Allow, Decision::Deny, Decision::Deny]),
                Agent::Claude | Agent::Qwen | Agent::Cursor | Agent::Copilot => {
                    assert_eq!(given, [Decision::Allow, Decision::Ask, Decision::Ask], "{agent:?}");
                }
            }
        }
    }

    #[test]
    fn where_nobody_is_there_an_ask_is_a_no() {
        for mode in [Some("dontAsk"), Some("bypassPermissions"), None, Some("something new")] {
            let there = Circumstances { mode, ..Circumstances::default() };
            assert_eq!(decide(Agent::Claude, Verdict::Halt, LOOSE, there), Decision::Deny, "{mode:?}");
        }
        let unattended = Circumstances { unattended: true, ..here() };
        assert_eq!(decide(Agent::Claude, Verdict::Ask, LOOSE, unattended), Decision::Deny);
        assert_eq!(
            decide(Agent::Qwen, Verdict::Ask, LOOSE, Circumstances { mode: Some("yolo"), ..here() }),
            Decision::Deny
        );
    }

    #[test]
    fn an_interpreter_that_waits_is_denied_where_text_is_typed_into_it_unseen() {
        let waiting = Circumstances { waits_for_input: true, ..here() };
        assert_eq!(decide(Agent::Codex, Verdict::Ask, LOOSE, waiting), Decision::Deny);
        assert_eq!(decide(Agent::Claude, Verdict::Ask, Options::default(), waiting), Decision::Abstain);
    }

    #[test]
    fn what_a_rule_of_ones_own_wants_asked_is_denied_where_the_agent_cannot_ask() {
        for agent in Agent::ALL {
            let ruled = Circumstances { by_own_rule: true, ..here() };
            let decision = decide(agent, Verdict::Ask, Options::default(), ruled);
            let expected = if can_ask(agent, ruled) { Decision::Ask } else { Decision::Deny };
            assert_eq!(decision, expected, "{agent:?}");
            assert_eq!(decide(agent, Verdict::Allow, Options::default(), ruled), Decision::Abstain, "{agent:?}");
        }
    }

    #[test]
    fn another_command_takes_the_place_only_where_a_person_is_asked_about_it() {
        for agent in Agent::ALL {
            for verdict in [Verdict::Allow, Verdict::Ask, Verdict::Halt] {
                let wanted = agent == Agent::Claude && verdict == Verdict::Ask;
                assert_eq!(may_replace(agent, verdict, LOOSE, here()), wanted, "{agent:?} {verdict:?}");
                assert!(!may_replace(agent, verdict, Options::default(), here()));
                assert!(!may_replace(agent, verdict, Options { ask: OnAsk::Deny, ..LOOSE }, here()));
                let alone = Circumstances { mode: Some("bypassPermissions"), ..here() };
                assert!(!may_replace(agent, verdict, LOOSE, alone));
                assert!(!may_replace(agent, verdict, LOOSE, Circumstances { unattended: true, ..here() }));
            }
        }
    }
}
