#!/usr/bin/env bats
# Recipes of package managers: versions, libraries, and what their parsers say

load helper

packaging=$ROOT/pipelines/packaging

@test "all recipes have the version of the Makefile" {
    version=$(sed -n 's/^VERSION := //p' "$ROOT/Makefile")
    for file in conda/se-gsl/meta.yaml homebrew/se-gsl.rb nix/flake.nix apptainer/se-gsl.def; do
        [[ $(grep -o '[0-9]\+\.[0-9]\+\.[0-9]\+' "$packaging/$file" | sort -u) == "$version" ]] ||
            { echo "$file"; false; }
        grep -q openblas "$packaging/$file"
        grep -q 'zlib' "$packaging/$file"
    done
}

@test "a build of a recipe needs no Debian packages and no network" {
    # what build.sh does, without a compiler: the package check is never called
    [[ $(make -C "$ROOT" -n B="$PWD/new" all 2> /dev/null | grep -c 'tests/setup build') -eq 1 ]]
    mkdir new
    touch new/.build-ready
    touch -d '+1 hour' new/.build-ready
    [[ $(make -C "$ROOT" -n B="$PWD/new" all 2> /dev/null | grep -c 'tests/setup build') -eq 0 ]]
}

@test "shell parts of the recipes pass shellcheck" {
    need_command shellcheck
    shellcheck "$packaging/conda/se-gsl/build.sh"
    for part in post test runscript; do
        awk -v part="%$part" '/^%/ { in_it = $0 ~ "^" part } in_it && !/^%/ && !/^[A-Z][a-z]*:/' \
            "$packaging/apptainer/se-gsl.def" > "$part.sh"
        [[ -s $part.sh ]]
        shellcheck -s sh "$part.sh"
    done
}

@test "the conda recipe is YAML once rendered, and its names are those of the schema" {
    python=$(find_python jinja2 yaml) || skip "no Python with jinja2 and yaml"
    "$python" - "$packaging/conda/se-gsl/meta.yaml" << 'END'
import re, sys, jinja2, yaml
text = open(sys.argv[1]).read()
page = jinja2.Template(text, undefined=jinja2.StrictUndefined,
                       keep_trailing_newline=True).render(
    compiler=lambda x: x + "_compiler", pin_subpackage=lambda name, max_pin: name)
page = re.sub(r"(?m)\s+# \[.*\]$", "", page).lstrip()
open("meta.yaml", "w").write(page)
r = yaml.safe_load(page)
assert list(r) == ["package", "source", "build", "requirements", "test", "about", "extra"], list(r)
assert r["package"]["name"] == "se-gsl" and r["build"]["number"] == 0
assert set(r["about"]) >= {"home", "license", "license_file", "summary"}
assert r["test"]["commands"] and set(r["requirements"]) == {"build", "host", "run"}
END
    command -v yamllint > /dev/null || return 0
    yamllint -d '{extends: relaxed, rules: {line-length: {max: 100}}}' meta.yaml
}

@test "souschef reads the conda recipe, spython the apptainer definition" {
    python=$(find_python souschef spython) || skip "no Python with souschef and spython"
    "$python" - "$packaging" << 'END'
import sys
from souschef.recipe import Recipe
from spython.main.parse.parsers import SingularityParser
recipe = Recipe(load_file=sys.argv[1] + "/conda/se-gsl/meta.yaml")
assert {str(x) for x in recipe["requirements"]["host"]} == {"openblas", "zlib"}
stages = SingularityParser(sys.argv[1] + "/apptainer/se-gsl.def").parse()
build, final = stages["build"], stages["final"]
assert build.fromHeader == final.fromHeader and "make install" in " ".join(build.install)
assert final.test and final.cmd
END
}

@test "the Homebrew formula is Ruby, and rubocop finds no fault" {
    need_command ruby
    ruby -c "$packaging/homebrew/se-gsl.rb"
    command -v rubocop > /dev/null || skip "syntax was checked; rubocop is not installed"
    cat > rubocop.yml << 'END'
AllCops: { NewCops: disable, SuggestExtensions: false }
Layout/LineLength: { Max: 118 }
Metrics: { Enabled: false }
Naming/FileName: { Enabled: false }
Style/StringLiterals: { EnforcedStyle: double_quotes }
Style/StringLiteralsInInterpolation: { EnforcedStyle: double_quotes }
Style/FrozenStringLiteralComment: { Enabled: false }
END
    rubocop --config rubocop.yml --cache false "$packaging/homebrew/se-gsl.rb"
}

@test "the Nix flake is Nix, and gives a package for each system" {
    need_command nix-instantiate
    export HOME=$PWD NIX_STATE_DIR=$PWD/state NIX_STORE_DIR=$PWD/store
    nix-instantiate --parse "$packaging/nix/flake.nix" > /dev/null
    cat > try.nix << END
let
  flake = import $packaging/nix/flake.nix;
  pkgs = { stdenv.mkDerivation = x: x; pkg-config = 1; openblas = "/openblas"; zlib = 2;
           lib.licenses.asl20 = "Apache"; };
  nixpkgs = { lib.genAttrs = names: f: builtins.listToAttrs
                (map (name: { inherit name; value = f name; }) names);
              legacyPackages = { x86_64-linux = pkgs; aarch64-linux = pkgs; }; };
  out = flake.outputs { self = out; inherit nixpkgs; };
in builtins.concatStringsSep " " (map (s: s + ":" + out.packages.\${s}.default.version)
     (builtins.attrNames out.packages))
END
    nix-instantiate --eval try.nix > out.txt
    [[ $(< out.txt) == '"aarch64-linux:0.1.0 x86_64-linux:0.1.0"' ]]
}
