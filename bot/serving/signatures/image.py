"""The image itself: programs, libraries and compilers that are missing or do not fit together."""

from bot.domain.pattern import Pattern
from bot.serving.signature import Blame, Family, Rank, Remedy, Signature

_OFFICIAL = Remedy("Use the engine's official image, or pin its dependencies in the derived one.")

FAMILY = Family(
    "image",
    (
        Signature(
            id="image-wrong-architecture",
            says=("exec format error",),
            cause="The image is built for another CPU architecture than the node's (amd64, arm64).",
            remedies=(Remedy("Use a multi-architecture tag, or select nodes with `kubernetes.io/arch`."),),
            blames=(Blame.IMAGE,),
            rank=Rank.ROOT,
            source="opencontainers/runc, Linux ENOEXEC",
        ),
        Signature(
            id="image-program-missing",
            says=(
                "executable file not found in $PATH",
                ": command not found",
                "No module named vllm",
                "No module named 'vllm'",
                "No module named 'sglang'",
                "No module named sglang",
            ),
            pattern=Pattern(
                r"(?:\"(?P<program>[^\"\s]{1,120})\": executable file|(?P<command>[\w./-]{1,120}): command not found|"
                r"No module named '?(?P<module>\w{1,40}))"
            ),
            cause="The image has no[ `{program}`][ `{command}`][ Python module `{module}`].",
            remedies=(Remedy("Correct `command` and `args`, or use the image that holds the engine."),),
            blames=(Blame.ARGUMENTS, Blame.IMAGE),
            rank=Rank.ROOT,
            source="opencontainers/runc, GNU bash",
        ),
        Signature(
            id="image-module-missing",
            says=("ModuleNotFoundError: No module named",),
            pattern=Pattern(r"No module named ['\"](?P<module>[\w.]{1,120})"),
            cause="The image lacks the Python module `{module}`.",
            remedies=(_OFFICIAL,),
            blames=(Blame.IMAGE,),
            rank=Rank.GENERAL,
            source="python/cpython",
        ),
        Signature(
            id="image-symbol-missing",
            says=("undefined symbol:",),
            pattern=Pattern(
                r"(?:(?P<library>[\w.+-]{1,120}\.so[\w.]{0,20}): )?undefined symbol: (?P<symbol>[\w@.]{1,120})"
            ),
            cause="A native library does not fit the installed PyTorch or CUDA[ ({library})].",
            remedies=(
                _OFFICIAL,
                Remedy(
                    "Look for folders with other libraries in `LD_LIBRARY_PATH` and `PYTHONPATH`, and for packages in "
                    "a mounted home."
                ),
            ),
            blames=(Blame.IMAGE,),
            rank=Rank.ROOT,
            source="glibc dynamic linker",
        ),
        Signature(
            id="image-library-missing",
            says=("cannot open shared object file",),
            pattern=Pattern(
                r"(?P<library>(?!libcuda\.|libnvidia)[\w.+-]{1,120}\.so[\w.]{0,20}): cannot open shared object file"
            ),
            cause="The image lacks the library {library}.",
            remedies=(_OFFICIAL,),
            blames=(Blame.IMAGE,),
            source="glibc dynamic linker",
        ),
        Signature(
            id="image-glibc",
            says=("' not found (required by",),
            pattern=Pattern(r"version [`'](?P<version>GLIBC(?:XX)?_[\d.]{1,10})' not found \(required by"),
            cause="A program in the image needs {version}, which its base system does not have.",
            remedies=(Remedy("Use an image with a newer base; do not mount programs of the host into it."),),
            blames=(Blame.IMAGE,),
            rank=Rank.ROOT,
            source="glibc dynamic linker",
        ),
        Signature(
            id="image-import-failed",
            says=("ImportError: cannot import name",),
            pattern=Pattern(r"cannot import name '(?P<name>\w{1,80})' from '(?P<module>[\w.]{1,120})'"),
            cause="Two Python packages in the image do not fit: {module} has no `{name}`.",
            remedies=(_OFFICIAL,),
            blames=(Blame.IMAGE,),
            source="python/cpython",
        ),
        Signature(
            id="image-cuda-compiler-missing",
            says=(
                "Could not find nvcc",
                "Could not find `nvcc`",
                "nvcc: not found",
                "CUDA_HOME environment variable is not set",
            ),
            cause="The engine wants to compile CUDA kernels, and the image has no CUDA compiler (nvcc).",
            remedies=(
                Remedy("Use an image with the CUDA toolkit (not `-runtime`), or mount a cache of compiled kernels."),
            ),
            blames=(Blame.IMAGE,),
            rank=Rank.ROOT,
            source="flashinfer-ai/flashinfer, deepseek-ai/DeepGEMM",
        ),
        Signature(
            id="image-c-compiler-missing",
            says=("Failed to find C compiler", "InvalidCxxCompiler"),
            cause="The engine wants to compile kernels, and the image has no C compiler.",
            remedies=(Remedy("Use an image with gcc, or set `--enforce-eager` where that is fast enough."),),
            blames=(Blame.IMAGE,),
            rank=Rank.ROOT,
            source="triton-lang/triton:python/triton/runtime/build.py",
        ),
        Signature(
            id="image-kernel-build-failed",
            says=(
                "ninja: build stopped",
                "NVCC compilation failed",
                "torch._inductor.exc.InductorError",
                "PTXAS error",
                "ptxas fatal",
            ),
            cause="Compiling kernels at start failed.",
            remedies=(
                Remedy(
                    "Read the compiler's first error above; a cache of another version is a usual reason: empty "
                    "`VLLM_CACHE_ROOT` and `TRITON_CACHE_DIR`."
                ),
                Remedy("Until then `--enforce-eager` starts without torch.compile."),
            ),
            blames=(Blame.IMAGE, Blame.ENGINE),
            rank=Rank.GENERAL,
            source="pytorch/pytorch:torch/_inductor, flashinfer-ai/flashinfer",
        ),
    ),
)
