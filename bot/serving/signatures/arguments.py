"""What the engine was told and does not accept: flags, names, lengths, ports, variables."""

from bot.domain.pattern import Pattern
from bot.serving.signature import Blame, Family, Rank, Remedy, Signature, Values

_VLLM = "vllm-project/vllm:vllm/"
_FLAG = "Nothing else is at fault; a restart cannot help."


def _choices(values: Values) -> Values:
    """The parsers a version knows, the likely ones only: the list is long."""
    known = [name.strip(" '\"") for name in values.get("known", "").split(",")]
    near = [name for name in known if name and name[:3] == values.get("parser", "")[:3]]
    return {"near": ", ".join(sorted(near)[:6])}


FAMILY = Family(
    "arguments",
    (
        Signature(
            id="argument-unrecognized",
            says=("error: unrecognized arguments:", "error: unexpected argument"),
            pattern=Pattern(
                r"(?:unrecognized arguments: ?(?P<arguments>.{1,200})|unexpected argument "
                r"['\"]?(?P<one>[^\s'\"]{1,80}))"
            ),
            cause="This version of the engine does not know the argument[ {one}][: {arguments}].",
            remedies=(Remedy("Correct or remove it; if a newer release brought it, use that image."),),
            blames=(Blame.ARGUMENTS, Blame.IMAGE),
            rank=Rank.ROOT,
            note=_FLAG,
            source="python/cpython:Lib/argparse.py (exit code 2), clap",
        ),
        Signature(
            id="argument-invalid",
            says=(": error: argument ", ": error: the following arguments are required", "error: invalid value"),
            pattern=Pattern(r"error: (?P<what>(?:argument|the following arguments|invalid value) .{1,160})"),
            cause="An argument has a value that the engine does not accept: {what}.",
            remedies=(Remedy("Correct the value in the container's `args`."),),
            blames=(Blame.ARGUMENTS,),
            rank=Rank.ROOT,
            note=_FLAG,
            source="python/cpython:Lib/argparse.py (exit code 2)",
        ),
        Signature(
            id="argument-tool-parser",
            says=("invalid tool call parser:", "invalid tool call parser", "is not a valid tool parser"),
            pattern=Pattern(
                r"tool call parser:? ['\"]?(?P<parser>[\w.-]{1,60})['\"]?(?: \(chose from \{(?P<known>[^}]{0,1200}))?"
            ),
            derive=_choices,
            cause="This version of the engine has no tool call parser `{parser}`.",
            remedies=(Remedy("Choose one that it has[ ({near})], or use a newer image."),),
            blames=(Blame.ARGUMENTS, Blame.IMAGE),
            rank=Rank.ROOT,
            note=_FLAG,
            source=_VLLM + "entrypoints/openai/api_server.py",
        ),
        Signature(
            id="argument-reasoning-parser",
            says=("invalid reasoning parser",),
            pattern=Pattern(
                r"reasoning parser:? ['\"]?(?P<parser>[\w.-]{1,60})['\"]?(?: \(chose from \{(?P<known>[^}]{0,1200}))?"
            ),
            derive=_choices,
            cause="This version of the engine has no reasoning parser `{parser}`.",
            remedies=(Remedy("Choose one that it has[ ({near})], or use a newer image."),),
            blames=(Blame.ARGUMENTS, Blame.IMAGE),
            rank=Rank.ROOT,
            note=_FLAG,
            source=_VLLM + "entrypoints/openai/api_server.py",
        ),
        Signature(
            id="argument-context-over-model",
            says=("is greater than the derived max_model_len",),
            pattern=Pattern(
                r"max_model_len \((?P<wanted>\d{1,9})\) is greater than the derived max_model_len "
                r"\([^)]{0,80}?(?P<fits>\d{2,9})"
            ),
            cause="`--max-model-len {wanted}` is longer than the model was made for ({fits} tokens).",
            remedies=(
                Remedy("Set `--max-model-len {fits}` or less; do not force it with `VLLM_ALLOW_LONG_MAX_MODEL_LEN`."),
            ),
            blames=(Blame.ARGUMENTS,),
            rank=Rank.ROOT,
            source=_VLLM + "config/model.py",
        ),
        Signature(
            id="argument-batched-tokens",
            says=("max_num_batched_tokens (",),
            pattern=Pattern(
                r"max_num_batched_tokens \((?P<tokens>\d{1,9})\) (?:is smaller than|must be greater than or equal "
                r"to) (?P<what>max_model_len|max_num_seqs) \((?P<other>\d{1,9})\)"
            ),
            cause="`--max-num-batched-tokens {tokens}` is smaller than {what} ({other}), which this set-up does not "
            "allow.",
            remedies=(Remedy("Set `--max-num-batched-tokens {other}` or more, or a smaller {what}."),),
            blames=(Blame.ARGUMENTS,),
            rank=Rank.ROOT,
            source=_VLLM + "config/scheduler.py",
        ),
        Signature(
            id="argument-port-taken",
            says=("address already in use", "[Errno 98]", "Address already in use (os error 98)"),
            pattern=Pattern(r"(?:.{0,400}?\('[\w.:]{1,45}', (?P<port>\d{1,5})\))?"),
            cause="The port[ {port}] is taken already: an engine of an earlier start in this pod, or hostNetwork on a "
            "shared node.",
            remedies=(
                Remedy(
                    "With `hostNetwork` give each engine its own `--port`, better give it up; else delete the pod.",
                    "kubectl -n <namespace> delete pod <pod>",
                ),
            ),
            blames=(Blame.OTHER_PROCESS, Blame.ARGUMENTS),
            restart_helps=None,
            source="python/cpython: errno EADDRINUSE",
        ),
        Signature(
            id="argument-port-used-by-process",
            says=("is used by process",),
            pattern=Pattern(r"[Pp]ort (?P<port>\d{1,5}) is used by process"),
            cause="The port {port} is taken by another process of the pod.",
            remedies=(Remedy("Give one of the two another port (`--port`)."),),
            blames=(Blame.OTHER_PROCESS, Blame.ARGUMENTS),
            rank=Rank.ROOT,
            restart_helps=None,
            source=_VLLM + "utils/network_utils.py",
        ),
        Signature(
            id="argument-service-links",
            says=("appears to be a URI",),
            pattern=Pattern(r"VLLM_PORT"),
            cause="A Service named `vllm` puts `VLLM_PORT=tcp://…` into the pod, and the engine reads that as its "
            "port.",
            remedies=(Remedy("Set `enableServiceLinks: false` in the pod's spec, or rename the Service."),),
            blames=(Blame.ARGUMENTS,),
            rank=Rank.ROOT,
            source=_VLLM + "envs.py",
        ),
        Signature(
            id="argument-draft-model",
            says=("Speculative decoding", "speculative_config", "num_speculative_tokens"),
            pattern=Pattern(
                r"(?:Error|error): .{0,80}?(?P<what>(?:Speculative decoding|speculative_config|"
                r"num_speculative_tokens).{1,140})"
            ),
            cause="The settings for speculative decoding are not accepted: {what}.",
            remedies=(Remedy("Correct `--speculative-config`; without it the model serves too, only slower."),),
            blames=(Blame.ARGUMENTS, Blame.IMAGE),
            source=_VLLM + "config/speculative.py",
        ),
        Signature(
            id="argument-validation",
            says=(
                "validation error for ModelConfig",
                "validation errors for ModelConfig",
                "validation error for VllmConfig",
                "validation error for ParallelConfig",
                "validation error for CacheConfig",
                "validation error for SchedulerConfig",
            ),
            pattern=Pattern(r"validation errors? for (?P<part>\w{1,40})(?:.{0,40}?Value error, (?P<what>.{1,200}))?"),
            cause="The engine refuses its configuration ({part})[: {what}].",
            remedies=(Remedy("Correct the setting that the line below names, in the container's `args`."),),
            blames=(Blame.ARGUMENTS, Blame.IMAGE),
            rank=Rank.GENERAL,
            source=_VLLM + "config/",
        ),
        Signature(
            id="argument-chat-template",
            says=("default chat template is no longer allowed", "The supplied chat template"),
            cause="The model has no chat template, or the file given is none.",
            remedies=(Remedy("Mount the template as a file and give its path with `--chat-template`."),),
            blames=(Blame.ARGUMENTS,),
            source=_VLLM + "entrypoints/chat_utils.py, huggingface/transformers",
        ),
    ),
)
