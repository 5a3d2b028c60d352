class Parley < Formula
  desc "Runs AI coding agents in tmux and carries their messages, with proof"
  homepage "<<.Address>>"
  version "<<.Version>>"
  license "MIT"

  depends_on "tmux"

  on_macos do
    on_arm do
      url "<<.Address>>/<<.Version>>/parley_<<.Version>>_darwin_arm64.tar.gz"
      sha256 "<<index .Sums "darwin_arm64">>"
    end
    on_intel do
      url "<<.Address>>/<<.Version>>/parley_<<.Version>>_darwin_amd64.tar.gz"
      sha256 "<<index .Sums "darwin_amd64">>"
    end
  end

  on_linux do
    on_arm do
      url "<<.Address>>/<<.Version>>/parley_<<.Version>>_linux_arm64.tar.gz"
      sha256 "<<index .Sums "linux_arm64">>"
    end
    on_intel do
      url "<<.Address>>/<<.Version>>/parley_<<.Version>>_linux_amd64.tar.gz"
      sha256 "<<index .Sums "linux_amd64">>"
    end
  end

  def install
    bin.install "bin/parley"
    man1.install Dir["share/man/man1/*.1"]
    bash_completion.install "share/bash-completion/completions/parley"
    zsh_completion.install "share/zsh/site-functions/_parley"
    fish_completion.install "share/fish/vendor_completions.d/parley.fish"
    doc.install Dir["share/doc/parley/*"]
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/parley version")
  end
end
