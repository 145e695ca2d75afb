# A recipe for Spack. Put it into a repository of your own as packages/sweep-cuda/package.py; sources
# that lie in a folder are built by `spack dev-build --source-path FOLDER sweep-cuda@0.1.0`.
from spack.package import *


class SweepCuda(CMakePackage):
    """Auto-tuning sweep engine for CUDA memory-access patterns."""

    version("0.1.0")

    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("ninja", type="build")
    depends_on("boost@1.74:+program_options")
    depends_on("fmt@9:")
    depends_on("nlohmann-json@3.11:")
    depends_on("sqlite@3.40:")
    depends_on("xxhash")
    depends_on("yaml-cpp@0.7:")
    depends_on("cuda@12.4:")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define("SWEEP_TESTS", False),
            # npm would fetch Vega-Lite; without it pages have pictures in place of charts.
            self.define("SWEEP_VEGA", False),
            self.define("CUDA_INCLUDE_DIR", self.spec["cuda"].prefix.include),
        ]

    def setup_run_environment(self, env):
        env.set("SWEEP_CUDA_HOME", self.spec["cuda"].prefix)
