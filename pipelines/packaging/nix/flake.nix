# se-gsl for Nix: nix build, nix run .# -- --help
{
  description = "Learn the structure of a graph by structural entropy";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" ];
      each = f: nixpkgs.lib.genAttrs systems (system: f nixpkgs.legacyPackages.${system});
    in {
      packages = each (pkgs: {
        default = pkgs.stdenv.mkDerivation {
          pname = "se-gsl";
          version = "0.1.0";
          src = ../../..;
          nativeBuildInputs = [ pkgs.pkg-config ];
          buildInputs = [ pkgs.openblas pkgs.zlib ];
          # tests/setup looks for Debian packages; Nix has put everything there already
          preBuild = ''
            patchShebangs pipelines tests/setup
            mkdir -p build
            touch build/.build-ready
          '';
          # programs load OpenBLAS when they need it
          makeFlags = [
            "PREFIX=${placeholder "out"}"
            "LDFLAGS=-Wl,-rpath,${pkgs.openblas}/lib"
          ];
          dontPatchELF = true;
          meta = {
            description = "Learn the structure of a graph by structural entropy";
            license = pkgs.lib.licenses.asl20;
            mainProgram = "se-gsl";
            platforms = systems;
          };
        };
      });
    };
}
