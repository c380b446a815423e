# Homebrew formula of se-gsl, for Linux
class SeGsl < Formula
  desc "Learn the structure of a graph by structural entropy"
  homepage "https://doi.org/10.1145/3543507.3583453"
  url "file://#{File.expand_path("../../../build/se-gsl-0.1.0.tar.gz", __dir__)}"
  license "Apache-2.0"

  depends_on "pkgconf" => :build
  depends_on :linux
  depends_on "openblas"
  depends_on "zlib"

  def install
    # tests/setup looks for Debian packages; brew has put everything there already
    mkdir "build"
    touch "build/.build-ready"
    # programs load OpenBLAS when they need it
    args = ["PREFIX=#{prefix}", "LDFLAGS=-Wl,-rpath,#{Formula["openblas"].opt_lib}"]
    system "make", "all", *args
    system "make", "install", *args
  end

  test do
    graph = shell_output("#{bin}/se-gen --karate")
    assert_match "34 vertices", pipe_output("#{bin}/se-info", graph, 0)
    assert_match(/^[0-9a-f]{32}  -$/, shell_output("#{bin}/se-gen -n 99 | #{bin}/se-sim | #{bin}/se-check"))
  end
end
