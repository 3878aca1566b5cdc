//! Sub-commands of well-known commands.

/// Returns the sub-commands of a command, separated by blanks; empty when it has none that are known here.
pub fn of(command: &str) -> &'static str {
    match command {
        "git" => {
            "add am apply archive bisect blame branch bundle checkout cherry-pick clean clone commit config describe diff \
             difftool fetch format-patch fsck gc grep gui help init log ls-files merge mergetool mv notes pull push rebase \
             reflog remote reset restore revert rev-list rev-parse rm shortlog show sparse-checkout stash status submodule \
             switch tag worktree"
        }
        "docker" | "podman" => {
            "attach build buildx commit compose container context cp create diff events exec export history image images \
             import info inspect kill load login logout logs manifest network node pause plugin port ps pull push rename \
             restart rm rmi run save scout search secret service stack start stats stop swarm system tag top unpause update \
             version volume wait"
        }
        "docker-compose" => {
            "build config down events exec images kill logs pause ps pull push restart rm run start stop top unpause up"
        }
        "cargo" => {
            "add b bench build c check clean clippy d doc fetch fix fmt generate-lockfile init install login metadata new \
             nextest owner package publish r remove rm run search t test tree uninstall update vendor watch xtask yank"
        }
        "npm" | "pnpm" | "yarn" | "bun" => {
            "add audit bin build cache ci config create dedupe dev dlx exec explain fund help i info init install link list \
             lint login logout ls outdated pack prune publish rebuild remove root run run-script start stop t test uninstall \
             unlink up update upgrade version view why workspace x"
        }
        "pip" | "pip3" | "uv" | "pipx" | "poetry" | "conda" => {
            "activate add cache check compile config create deactivate debug download env export freeze hash help index info \
             init inspect install list lock pip publish python remove run search self shell show sync tool tree uninstall \
             update upgrade venv wheel"
        }
        "apt" | "apt-get" | "dnf" | "yum" | "brew" | "apk" | "zypper" | "snap" | "flatpak" | "pacman" => {
            "add addlock addrepo alias audit autoclean autoremove build-dep builddep bundle cask changelog check \
             check-update clean cleanup config-manager del depends deps dist-upgrade doctor downgrade download dup \
             edit-sources fetch fix full-upgrade groupinstall groups history hold home in info install leaves link \
             list lock locks lr makecache mark module outdated patch patches pin ping policy ps purge ref refresh \
             reinstall remove removerepo repo repolist repos rm se search services show source swap sync tap unhold \
             uninstall unlink unlock unpin untap up update upgrade uses verify versionlock what-provides whatprovides \
             wp"
        }
        "systemctl" => {
            "cat daemon-reload disable edit enable halt is-active is-enabled is-failed isolate kill list-dependencies \
             list-timers list-unit-files list-units mask poweroff reboot reload restart show start status stop suspend unmask"
        }
        "kubectl" | "oc" => {
            "annotate api-resources apply attach auth autoscale certificate cluster-info completion config cordon cp create \
             debug delete describe diff drain edit exec explain expose get kustomize label logs patch port-forward proxy \
             replace rollout run scale set taint top uncordon version wait"
        }
        "helm" => {
            "create dependency env get history install lint list package plugin pull push repo rollback search show status template test uninstall upgrade version"
        }
        "terraform" | "tofu" => {
            "apply console destroy fmt force-unlock get graph import init login logout metadata output plan providers refresh \
             show state taint test untaint validate version workspace"
        }
        "gh" | "glab" => {
            "alias api auth browse codespace config extension gist issue label mr org pr project release repo run search secret ssh-key status variable workflow"
        }
        "go" => "build clean doc env fix fmt generate get install list mod run telemetry test tool version vet work",
        "make" | "just" | "ninja" | "rake" => {
            "all bench build check clean coverage debug default deploy dev dist distclean docs doc fmt format help image install \
             lint package release run serve setup start stop test tests uninstall watch"
        }
        "ip" => "a addr address l link maddr monitor n neigh netns r route rule tunnel",
        "tmux" => {
            "a attach attach-session detach kill-server kill-session list-sessions ls new new-session send-keys source-file split-window"
        }
        "aws" => {
            "apigateway cloudformation cloudfront cloudwatch configure dynamodb ec2 ecr ecs eks elbv2 events iam kms lambda logs rds route53 s3 s3api secretsmanager sns sqs ssm sts"
        }
        "rustup" => "component default doc override run self set show target toolchain uninstall update which",
        "ollama" => "create cp help list ls ps pull push rm run serve show stop",
        "service" => "nginx apache2 ssh docker cron mysql postgresql redis restart start status stop reload",
        "nmcli" => "connection con dev device general networking radio wifi",
        "journalctl" | "crontab" => "",
        "python" | "python3" | "node" => "",
        "history" => "clear",
        "date" => "now",
        "systemd-analyze" => "blame critical-chain plot time",
        "adb" => "connect devices install logcat pull push reboot shell uninstall",
        "dotnet" => "add build clean new nuget pack publish restore run test tool watch",
        "gcloud" => {
            "app auth components compute config container functions iam info init logging projects run services sql storage"
        }
        "az" => {
            "account acr ad aks appservice cosmosdb functionapp group keyvault login logout network resource role sql storage vm webapp"
        }
        "openssl" => "dgst enc genpkey genrsa pkcs12 rand req rsa s_client s_server verify version x509",
        "ufw" => "allow default delete deny disable enable limit reload reset status",
        "vagrant" => "box destroy halt init provision reload ssh status suspend up",
        "nix" => "build develop flake profile run search shell store",
        "bundle" | "gem" | "composer" | "mvn" | "gradle" | "rails" => {
            "add assemble build bundle clean compile console create db:migrate deploy env exec generate help init install list \
             new outdated package remove require routes run search server test uninstall update verify"
        }
        "next" => "build dev info lint start telemetry",
        "vite" | "astro" | "nuxt" | "gatsby" | "hugo" | "jekyll" | "wrangler" | "vercel" | "netlify" | "flyctl"
        | "fly" | "heroku" | "firebase" | "supabase" | "expo" | "ng" => {
            "build deploy dev login logs new preview serve start server init"
        }
        "pre-commit" => "autoupdate install run",
        "flutter" | "dart" => "analyze build clean create devices doctor fix format pub run test upgrade",
        "jupyter" => "console lab nbconvert notebook server",
        "packer" => "build fmt init inspect validate",
        "vault" => "auth kv list login read secrets server status token write",
        "consul" => "agent catalog join kv members",
        "argocd" => "account app cluster login proj repo",
        "restic" | "borg" => "backup check create delete extract forget info init list mount prune restore snapshots",
        "rclone" => "check config copy delete listremotes ls lsd lsl mkdir mount move purge sync",
        "svn" => "add checkout ci cleanup co commit diff info log merge resolve revert status up update",
        "hg" => "add branch clone commit diff heads incoming init log merge outgoing pull push status update",
        "tailscale" => "down ip ping ssh status up",
        "zfs" | "zpool" => "create destroy get import list rollback scrub send set snapshot status",
        "virsh" => "console destroy dominfo edit list reboot shutdown start undefine",
        "mix" => "compile deps.get ecto.migrate format new phx.server test",
        "stack" | "cabal" => "build clean exec ghci init install new repl run setup test update",
        "pm2" => "delete list logs monit restart save start startup status stop",
        "supervisorctl" => "reload reread restart start status stop update",
        "doctl" => "account apps auth compute databases kubernetes projects",
        "lxc" => "config copy delete exec file image info launch list start stop",
        "multipass" => "delete exec find info launch list shell start stop",
        "mise" | "asdf" => "current exec global install list local plugin use",
        "nvm" => "alias current install ls uninstall use",
        "direnv" => "allow deny edit exec reload",
        "chezmoi" => "add apply cd diff edit init update",
        "zellij" => "attach kill-session list-sessions",
        "django-admin" => "migrate runserver startapp startproject",
        "alembic" => "current downgrade history revision stamp upgrade",
        "prisma" => "db format generate init migrate studio",
        "skaffold" => "build debug delete dev init run",
        "istioctl" => "analyze install proxy-config version",
        "hostnamectl" | "timedatectl" | "localectl" | "loginctl" => {
            "list-sessions list-timezones set-hostname set-locale set-ntp set-timezone status"
        }
        "wg" => "genkey pubkey set show",
        "bluetoothctl" => "connect devices disconnect pair power scan trust",
        "zig" => "build cc fmt init run test",
        "swift" => "build package run test",
        "opam" => "init install list remove switch update upgrade",
        "starship" => "config explain init preset",
        "zoxide" => "add init query remove",
        "eksctl" => "create delete get",
        "sam" => "build deploy init local logs",
        _ => "",
    }
}

/// Says whether a word is a known sub-command of a command.
pub fn has(command: &str, word: &str) -> bool {
    let subcommands = of(command);
    subcommands.split_ascii_whitespace().any(|known| known == word)
        || !subcommands.is_empty() && matches!(word, "help" | "version")
}

/// Says whether a word is the plural of a sub-command: `git submodules`.
pub fn is_plural(command: &str, word: &str) -> bool {
    word.strip_suffix('s').is_some_and(|one| one.len() > 2 && has(command, one))
}
