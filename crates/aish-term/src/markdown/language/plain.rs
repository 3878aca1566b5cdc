//! Data, queries, markup and build files.

use super::{BASE, DOUBLE, HASH, Language, SINGLE, SLASHES, Shape, long_quote};

pub(super) const LANGUAGES: &[Language] = &[
    Language { names: &["json", "jsonc", "json5", "jsonl", "ndjson"], quotes: &[DOUBLE], shape: Shape::Keys, ..BASE },
    Language {
        names: &["yaml", "yml"],
        line_comments: HASH,
        block_comment: None,
        constants: "true false null yes no on off ~",
        shape: Shape::Keys,
        ..BASE
    },
    Language {
        names: &["toml", "ini", "conf", "cfg", "properties", "env", "dotenv", "systemd", "desktop", "gitconfig"],
        line_comments: &["#", ";"],
        block_comment: None,
        quotes: &[long_quote("\"\"\""), DOUBLE, SINGLE],
        shape: Shape::Keys,
        ..BASE
    },
    Language {
        names: &["sql", "mysql", "postgresql", "postgres", "sqlite", "plsql"],
        line_comments: &["--"],
        keywords: "add alter and as asc begin between by case column commit constraint create database default \
            delete desc distinct drop else end exists foreign from full group having if in index inner insert into \
            is join key left like limit not offset on or order outer primary references returning right rollback \
            select set table then truncate union unique update using values view when where with integer text \
            varchar boolean timestamp date",
        caseless: true,
        ..BASE
    },
    Language {
        names: &["html", "xml", "svg", "xhtml", "vue", "svelte"],
        line_comments: &[],
        block_comment: Some(("<!--", "-->")),
        constants: "",
        shape: Shape::Tags,
        ..BASE
    },
    Language {
        names: &["css", "scss", "sass", "less"],
        line_comments: SLASHES,
        constants: "none auto inherit initial",
        shape: Shape::Keys,
        ..BASE
    },
    Language {
        names: &["dockerfile", "docker", "containerfile"],
        line_comments: HASH,
        block_comment: None,
        keywords: "from run cmd label expose env add copy entrypoint volume user workdir arg onbuild healthcheck \
            shell as",
        caseless: true,
        ..BASE
    },
    Language {
        names: &["makefile", "make", "mk", "just", "justfile", "cmake"],
        line_comments: HASH,
        block_comment: None,
        keywords: "ifeq ifneq ifdef ifndef else endif include define endef export override",
        shape: Shape::Keys,
        ..BASE
    },
    Language {
        names: &["diff", "patch"],
        line_comments: &[],
        block_comment: None,
        quotes: &[],
        shape: Shape::Diff,
        ..BASE
    },
    Language {
        names: &["hcl", "terraform", "tf", "nix", "graphql", "proto", "protobuf", "nginx"],
        line_comments: &["#", "//"],
        keywords: "resource variable output module provider data locals let in rec with inherit type query mutation \
            message service rpc returns repeated optional syntax import server location upstream enum",
        shape: Shape::Keys,
        ..BASE
    },
];
