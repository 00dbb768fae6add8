"""A model that can be served, as the catalogue (config/models.yaml) describes it."""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.domain.version import Version


@dataclass(frozen=True, slots=True)
class Mla:
    """One latent per token and layer, the same on every tensor parallel rank.

    index_layers: layers with index keys of their own (sparse attention), 0 without; index_layers_all: the same for
    engines that give every layer its own.
    """

    lora_rank: int
    rope_dim: int
    index_head_dim: int = 0
    index_layers: int = 0
    index_layers_all: int = 0
    sparse: bool = False


@dataclass(frozen=True, slots=True)
class Gqa:
    """Keys and values per head, divided by tensor parallel ranks as far as there are heads."""

    kv_heads: int
    head_dim: int


@dataclass(frozen=True, slots=True)
class Architecture:
    """Numbers of the model's own configuration file. class_name: `architectures[0]`."""

    class_name: str
    layers: int
    mtp_layers: int
    hidden: int
    heads: int
    attention: Mla | Gqa
    moe_intermediate: int = 0
    parameters_b: float = 0  # in thousand millions
    active_b: float = 0
    kv_layers: int = 0  # layers that keep keys and values; 0: all of them


@dataclass(frozen=True, slots=True)
class Image:
    """An image of an engine that holds CUDA `cuda`; `tag_suffix` is put behind the version (`-cu129`)."""

    repository: str
    tag_suffix: str
    cuda: Version


@dataclass(frozen=True, slots=True)
class Support:
    """How one engine serves one variant.

    first: the oldest version that can at all; advised: the oldest that we advise. arguments: further flags → value
    (empty: a switch). kv_dtypes: GPU generation (`hopper`, `blackwell`, `h20`, …) → what its cache is best kept in.
    speculative: flags for multi-token prediction, empty where there is none.
    """

    engine: str  # vllm, sglang
    first: Version
    advised: Version
    tool_parser: str = ""
    reasoning_parser: str = ""
    arguments: Mapping[str, str] | None = None
    kv_dtypes: Mapping[str, str] | None = None
    speculative_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Bug:
    """A known fault: versions from `first` (None: all before) up to and without `fixed` (None: not fixed yet)."""

    what: str
    instead: str
    engine: str
    first: Version | None
    fixed: Version | None
    gpus: tuple[str, ...] = ()  # generations; empty: all
    when: str = ""  # `mtp`, `fp8-kv`, … ; empty: always
    source: str = ""


@dataclass(frozen=True, slots=True)
class Variant:
    """One set of weights. source: of the figures. compute_capabilities: (lowest, highest or None); refused:
    generations or capabilities that cannot run it, with the reason.
    """

    id: str  # fp8, bf16, nvfp4
    precision: str
    huggingface: str
    modelscope: str
    weights_bytes: int
    context_tokens: int
    weight_block: int  # block of quantised weights that must not be cut, 0: none
    weights_factor: float  # bytes on a rank = weights / tensor parallel size × this
    overhead_gib: float  # per GPU: activation, NCCL, graphs
    lowest_capability: tuple[int, int]
    capabilities: tuple[tuple[int, int], ...]  # that are known to run it natively; empty: all from the lowest on
    refused: Mapping[str, str]  # compute capability as text (`12.0`) → why not
    engines: tuple[Support, ...]
    measured: bool  # False: derived by arithmetic
    files: int = 0  # shards
    note: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class Model:
    """names: everything people call it, in lower case; the first is the usual one. fallback: ids of models to offer
    where it does not fit, the nearest first.
    """

    id: str
    title: str
    names: tuple[str, ...]
    family: str
    licence: str
    architecture: Architecture
    variants: tuple[Variant, ...]
    bugs: tuple[Bug, ...] = ()
    fallback: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """`as_of`: when its figures were collected. images: engine → its images, the newest CUDA first."""

    as_of: str
    models: tuple[Model, ...]
    images: Mapping[str, tuple[Image, ...]]
