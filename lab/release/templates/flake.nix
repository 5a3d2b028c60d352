{
  description = "parley runs AI coding agents in tmux and carries their messages, with proof";

  inputs.nixpkgs.url = "nixpkgs";

  outputs = { self, nixpkgs }:
    let
      version = "<<.Version>>";
      archives = {
        x86_64-linux = { name = "linux_amd64"; sha256 = "<<index .Sums "linux_amd64">>"; };
        aarch64-linux = { name = "linux_arm64"; sha256 = "<<index .Sums "linux_arm64">>"; };
        x86_64-darwin = { name = "darwin_amd64"; sha256 = "<<index .Sums "darwin_amd64">>"; };
        aarch64-darwin = { name = "darwin_arm64"; sha256 = "<<index .Sums "darwin_arm64">>"; };
      };
      package = system: archive:
        let pkgs = nixpkgs.legacyPackages.${system};
        in pkgs.stdenvNoCC.mkDerivation {
          pname = "parley";
          inherit version;
          src = pkgs.fetchurl {
            url = "<<.Address>>/${version}/parley_${version}_${archive.name}.tar.gz";
            sha256 = archive.sha256;
          };
          nativeBuildInputs = [ pkgs.makeWrapper ];
          installPhase = ''
            mkdir -p $out
            cp -r bin share $out/
            wrapProgram $out/bin/parley --suffix PATH : ${pkgs.tmux}/bin
          '';
          meta.mainProgram = "parley";
        };
    in {
      packages = builtins.mapAttrs (system: archive: { default = package system archive; }) archives;
    };
}
