//! The recipes by which other package managers and containers take the archives: each names one by its sum.

use std::path::Path;

use anyhow::Context;

use super::facts::Facts;
use super::libc::Libc;
use super::sums;

const FORMULA: &str = r##"class @CLASS@ < Formula
  desc "@SUMMARY@"
  homepage "@REPOSITORY@"
  url "@URL@"
  sha256 "@SUM@"
  license any_of: [@LICENCES@]

  depends_on arch: :x86_64
  depends_on :linux

  def install
    bin.install Dir["bin/*"]
    man1.install Dir["share/man/man1/*"]
    bash_completion.install Dir["share/bash-completion/completions/*"]
    zsh_completion.install Dir["share/zsh/site-functions/*"]
    fish_completion.install Dir["share/fish/vendor_completions.d/*"]
    doc.install Dir["share/doc/@NAME@/*"]
  end

  def caveats
    "`aish self uninstall` takes out what aish wrote into other programs; run it before `brew uninstall @NAME@`."
  end

  test do
    assert_equal "ask", shell_output("#{bin}/aish check 'sudo true'", 1).split.first
  end
end
"##;

const PKGBUILD: &str = r#"# Maintainer: @MAINTAINER@
pkgname=@NAME@-bin
pkgver=@VERSION@
pkgrel=1
pkgdesc="@SUMMARY@"
arch=('x86_64')
url="@REPOSITORY@"
license=('@LICENCE@')
depends=('glibc' 'bash')
provides=("@NAME@=$pkgver")
conflicts=('@NAME@')
install=@NAME@.install
source=("@URL@")
sha256sums=('@SUM@')

package() {
  cd "@STEM@"
  install -d "$pkgdir/usr"
  cp -r bin share "$pkgdir/usr/"
  install -Dm644 "share/doc/@NAME@/LICENSE-MIT" "$pkgdir/usr/share/licenses/$pkgname/LICENSE-MIT"
  install -Dm644 "share/doc/@NAME@/NOTICES" "$pkgdir/usr/share/licenses/$pkgname/NOTICES"
}
"#;

const PKGBUILD_INSTALL: &str = r#"pre_remove() {
  echo "@NAME@: what aish wrote into your other programs' settings is taken out by: aish self uninstall"
}
"#;

const FLAKE: &str = r#"{
  description = "@SUMMARY@";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      pkgs = nixpkgs.legacyPackages.x86_64-linux;
    in
    {
      # Programs that bring their C library: nothing in them has to be patched.
      packages.x86_64-linux.default = pkgs.stdenvNoCC.mkDerivation {
        pname = "@NAME@";
        version = "@VERSION@";
        src = pkgs.fetchurl {
          url = "@URL@";
          sha256 = "@SUM@";
        };
        dontBuild = true;
        dontFixup = true;
        installPhase = ''
          mkdir -p $out
          cp -r bin share $out/
        '';
        meta = {
          homepage = "@REPOSITORY@";
          license = with pkgs.lib.licenses; [ mit asl20 ];
          mainProgram = "aish";
          platforms = [ "x86_64-linux" ];
        };
      };
    };
}
"#;

const CONTAINER: &str = r#"# podman build --tag @NAME@ --file Containerfile .   (beside @STEM@.tar.gz)
# podman run --rm --interactive --tty --volume "$PWD:/work" @NAME@
FROM docker.io/library/debian:trixie-slim
LABEL org.opencontainers.image.title="@NAME@" \
      org.opencontainers.image.version="@VERSION@" \
      org.opencontainers.image.licenses="@LICENCE@" \
      org.opencontainers.image.source="@REPOSITORY@"
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*
# sha256 @SUM@
ADD @STEM@.tar.gz /opt
RUN ln -s /opt/@STEM@/bin/* /usr/local/bin/ && useradd --create-home someone
USER someone
WORKDIR /work
ENTRYPOINT ["aish"]
"#;

/// Writes the recipes of the archives that are in the folder.
pub(super) fn write(facts: &Facts, folder: &Path) -> anyhow::Result<()> {
    let formula = format!("{}.rb", facts.name);
    let install = format!("{}.install", facts.name);
    for (libc, name, text) in [
        (Libc::Gnu, formula.as_str(), FORMULA),
        (Libc::Gnu, "PKGBUILD", PKGBUILD),
        (Libc::Gnu, install.as_str(), PKGBUILD_INSTALL),
        (Libc::Gnu, "Containerfile", CONTAINER),
        (Libc::Static, "flake.nix", FLAKE),
    ] {
        let stem = format!("{}-{}-{}", facts.name, facts.version, libc.platform());
        let archive = folder.join(format!("{stem}.tar.gz"));
        // The other C library's recipes come when its archive does.
        let Ok(bytes) = std::fs::read(&archive) else { continue };
        let path = folder.join(name);
        std::fs::write(&path, fill(text, facts, &stem, &sums::sha256(&bytes)))
            .with_context(|| format!("writing {}", path.display()))?;
    }
    Ok(())
}

fn fill(text: &str, facts: &Facts, stem: &str, sum: &str) -> String {
    let class: String = facts.name.split('-').map(capital).collect();
    let licences: Vec<String> = facts.license.split(" OR ").map(|licence| format!("\"{licence}\"")).collect();
    [
        ("@CLASS@", class),
        ("@LICENCES@", licences.join(", ")),
        ("@LICENCE@", facts.license.clone()),
        ("@MAINTAINER@", facts.maintainer.clone()),
        ("@NAME@", facts.name.clone()),
        ("@REPOSITORY@", facts.repository.clone()),
        ("@STEM@", stem.to_owned()),
        ("@SUM@", sum.to_owned()),
        ("@SUMMARY@", facts.summary.clone()),
        ("@URL@", facts.download(&format!("{stem}.tar.gz"))),
        ("@VERSION@", facts.version.clone()),
    ]
    .into_iter()
    .fold(text.to_owned(), |text, (name, value)| text.replace(name, &value))
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
