//! Languages that are run as they stand.

use super::{BASE, DOUBLE, HASH, Language, Quote, RAW_SINGLE, SINGLE, Shape, long_quote};

pub(super) const LANGUAGES: &[Language] = &[
    Language {
        names: &["bash", "sh", "shell", "zsh", "ksh", "fish", "shell-session", "sh-session"],
        line_comments: HASH,
        block_comment: None,
        quotes: &[Quote { open: "\"", close: "\"", escapes: true, lines: true }, RAW_SINGLE],
        keywords: "if then else elif fi for while until do done case esac in function select return local export \
            readonly declare unset set source alias break continue exit",
        constants: "",
        shape: Shape::Shell,
        ..BASE
    },
    Language {
        names: &["python", "py", "python3", "py3", "pyi"],
        line_comments: HASH,
        block_comment: None,
        quotes: &[long_quote("\"\"\""), long_quote("'''"), DOUBLE, SINGLE],
        keywords: "def class return if elif else for while in not and or is import from as with try except finally \
            raise lambda yield pass break continue global nonlocal async await del assert match case",
        constants: "True False None self cls",
        ..BASE
    },
    Language {
        names: &["javascript", "js", "jsx", "mjs", "cjs", "typescript", "ts", "tsx", "node"],
        quotes: &[DOUBLE, SINGLE, long_quote("`")],
        keywords: "async await break case catch class const continue default delete do else enum export extends \
            finally for from function if implements import in instanceof interface let new of private protected \
            public readonly return static super switch throw try type typeof var void while yield as declare \
            namespace",
        constants: "true false null undefined this NaN Infinity",
        ..BASE
    },
    Language {
        names: &["ruby", "rb", "crystal", "elixir", "ex", "exs"],
        line_comments: HASH,
        block_comment: None,
        keywords: "alias and begin break case class cond def defmodule defp do else elsif end ensure fn for if in \
            module next not or redo require rescue retry return super then undef unless until use when while with \
            yield attr_accessor attr_reader",
        constants: "true false nil self",
        ..BASE
    },
    Language {
        names: &["php", "perl", "pl"],
        line_comments: &["//", "#"],
        keywords: "abstract as break case catch class const continue default do echo else elseif elsif extends final \
            finally for foreach function if implements interface my namespace new our package print private \
            protected public require return static sub switch throw trait try use while",
        constants: "true false null undef $this",
        ..BASE
    },
    Language {
        names: &["lua"],
        line_comments: &["--"],
        block_comment: Some(("--[[", "]]")),
        keywords: "and break do else elseif end for function goto if in local not or repeat return then until while",
        constants: "true false nil self",
        ..BASE
    },
    Language {
        names: &["powershell", "ps1", "pwsh"],
        line_comments: HASH,
        block_comment: Some(("<#", "#>")),
        keywords: "begin break catch continue do else elseif end exit finally for foreach function if in param \
            process return switch throw try until while",
        constants: "$true $false $null",
        caseless: true,
        shape: Shape::Shell,
        ..BASE
    },
];
