# aish init fish: a key turns what is on the line into a command, another explains what failed. Nothing runs by itself.
if status is-interactive; and not set -q __aish_init; and not set -q AISH_INIT_OFF
    set -g __aish_init 1
    set -g __aish_told ''

    # Moves below the line, and says to fish afterwards how many lines of prompt it is to draw again.
    function __aish_below
        printf '\n%.0s' (seq (math (commandline | count) - (commandline --line) + 1)) >/dev/tty
    end
    function __aish_redraw
        set -l prompt (fish_prompt)
        set -l above (math (count $prompt) + (commandline --line) - 2)
        test $above -gt 0; and printf '\n%.0s' (seq $above) >/dev/tty
        commandline -f repaint
    end

    function __aish_ask
        set -l last $status
        set -l line (commandline -b | string collect)
        string match -qr '\S' -- "$line"; or return
        set -l again
        test "$line" = "$__aish_told"; and set again --again
        __aish_below
        set -l out (printf %s "$line" | @AISH@ line ask --shell fish --status $last $again | string collect; set -g __aish_code $pipestatus[2])
        if test "$__aish_code" = 0
            __aish_redraw
            string match -qr '^[0-3][.]' -- $version; or history append -- $line
            commandline -r -- $out
            commandline -C (string length -- $out)
            set -g __aish_told ''
        else
            set -g __aish_told $line
            __aish_redraw
        end
    end

    function __aish_explain
        set -l last $status
        __aish_below
        set -l out (printf %s "$history[1]" | @AISH@ line explain --shell fish --status $last | string collect; set -g __aish_code $pipestatus[2])
        __aish_redraw
        if test "$__aish_code" = 0 -a -n "$out"; and not string match -qr '\S' -- (commandline -b)
            commandline -r -- $out
            commandline -C (string length -- $out)
        end
    end

    # Binds keys where nobody has bound them: as fish 3 writes them, as fish 4 does, the first of them in both, function.
    function __aish_bind
        set -g __aish_state taken
        set -l keys $argv[1]
        set -l first $argv[3]
        if not string match -qr '^[0-3][.]' -- $version
            set keys $argv[2]
            set first $argv[4]
        end
        for mode in default insert visual
            for key in $keys $first
                bind -M $mode $key >/dev/null 2>&1; and return
            end
        end
        for mode in default insert
            # In vi's modes Esc is a key by itself.
            test "$fish_key_bindings" = fish_vi_key_bindings; and string match -q -- \e'*' $keys; and continue
            bind -M $mode $keys $argv[5]
        end
        set -g __aish_state bound
    end

    set -l ask none
    set -l explain none
    @ASK@__aish_bind @ASK_KEYS@ @ASK_FISH@ @ASK_FIRST@ @ASK_FISH_FIRST@ __aish_ask; set ask $__aish_state
    @EXPLAIN@__aish_bind @EXPLAIN_KEYS@ @EXPLAIN_FISH@ @EXPLAIN_FIRST@ @EXPLAIN_FISH_FIRST@ __aish_explain; set explain $__aish_state
    set -gx AISH_INIT "fish $fish_pid @ASK_NAME@=$ask @EXPLAIN_NAME@=$explain"

    # The completions of aish are read when they are needed first.
    if not complete | string match -qr '^complete.* aish( |$)'
        complete -c aish -f -a '(__aish_complete)'
    end
    function __aish_complete
        complete -e -c aish
        @AISH@ completions fish | source
        complete -C (commandline -cp)
    end
end
