"""Reads what was typed after `/deploy`; one sentence says what is wrong with it and what to type instead."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from bot.deploying.parallel import fault, smallest_beside
from bot.deploying.wish import Wish
from bot.domain.errors import UsageError
from bot.domain.pattern import Pattern
from bot.domain.words import names
from bot.grammar import quoted
from bot.serving.catalogue import find
from bot.serving.engines.collect import engines
from bot.serving.model import Catalogue, Model, Variant

MOST_REPLICAS, MOST_CONCURRENT = 64, 4096
LEAST_CONTEXT = 1024
EXAMPLE = "/deploy glm variant=fp8 replicas=2 context=128k namespace=llm"
_LABEL = Pattern(r"[a-z0-9]([-a-z0-9]{0,51}[a-z0-9])?")  # with `-arguments` behind it still a DNS label
_TOKENS = Pattern(r"(\d{1,9})(k|m)?")
_IMAGE = Pattern(r"[a-z0-9]+([._/:@-]+[A-Za-z0-9_]+)*")
_HOST = Pattern(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+")
_PATH = Pattern(r"[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*")
_FLAG = Pattern(r"--[a-z][-a-z0-9.]*(=[A-Za-z0-9._:/+-]*)?")
_AUTOSCALE = {"": "", "no": "", "off": "", "waiting": "waiting", "requests": "waiting", "utilisation": "utilisation"}
_AUTOSCALE |= {"utilization": "utilisation", "gpu": "utilisation", "yes": "waiting", "on": "waiting"}
_USUAL = "128k"
_YES = frozenset({"yes", "on", "true", "1"})


def read_wish(
    words: Sequence[str], options: Mapping[str, str], catalogue: Catalogue, until: datetime | None = None
) -> Wish:
    """`words`: the model, and nothing else. Raises UsageError."""
    if not words:
        listed = names([f"`{one.names[0]}`" for one in catalogue.models], 12)
        raise UsageError(f"Deploy what? There are {listed}. For example `{EXAMPLE}`.")
    if len(words) > 1:
        raise UsageError(
            f"One model at a time: {quoted(' '.join(words[1:]))} is not understood. For example `{EXAMPLE}`."
        )
    model, variant = find(catalogue, words[0])
    variant = _variant(model, variant, options.get("variant", ""))
    replicas = _number(options, "replicas", 1, MOST_REPLICAS) or 1
    return Wish(
        model=model,
        variant=variant,
        replicas=replicas,
        context_tokens=_context(options.get("context", ""), model, variant),
        concurrency=_number(options, "concurrency", 1, MOST_CONCURRENT),
        namespace=_label(options, "namespace"),
        name=_label(options, "name"),
        engine=_engine(options.get("engine", ""), model),
        image=_image(options.get("image", "")),
        product=options.get("gpu", ""),
        pool=options.get("pool", ""),
        tensor_parallel=_ranks(options, model, variant),
        source=_source(options.get("source", "")),
        autoscale=_autoscale(options.get("autoscale", "")),
        most_replicas=_most(options, replicas),
        until=until,
        priority_class=_label(options, "priority"),
        expose=_expose(options.get("expose", "")),
        monitor=options.get("monitor", "").casefold() in _YES,
        arguments=_arguments(options.get("args", "")),
        storage_class=_label(options, "storage"),
        queue=_label(options, "queue"),
    )


def _variant(model: Model, found: Variant | None, asked: str) -> Variant | None:
    if not asked:
        return found
    known = {one.id: one for one in model.variants}
    chosen = known.get(asked.casefold())
    if chosen is None:
        listed = names([f"`variant={one}`" for one in known], 6)
        raise UsageError(f"{model.title} has no variant {quoted(asked)}: type {listed}.")
    if found is not None and found is not chosen:
        raise UsageError(f"The name means {found.id} and the option {chosen.id}: type one of them.")
    return chosen


def _number(options: Mapping[str, str], key: str, least: int, most: int) -> int | None:
    text = options.get(key, "")
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 8 and least <= int(text) <= most):
        nearest = most if text.isascii() and text.isdigit() and text.strip("0") else least
        raise UsageError(f"`{key}` is a number from {least} to {most:,}, not {quoted(text)}: type `{key}={nearest}`.")
    return int(text)


def _context(text: str, model: Model, variant: Variant | None) -> int | None:
    """Tokens: `131072`, `128k`, `1m`."""
    if not text:
        return None
    found = _TOKENS.fullmatch(text.casefold())
    native = (variant or model.variants[0]).context_tokens
    tokens = int(found[1]) * {None: 1, "k": 1024, "m": 1024 * 1024}[found[2]] if found else 0
    if not LEAST_CONTEXT <= tokens <= native:
        raise UsageError(
            f"`context` is the longest request in tokens, from {LEAST_CONTEXT:,} to the {native:,} that {model.title} "
            f"was trained for, not {quoted(text)}: type `context={_USUAL if native >= 131_072 else native}`."
        )
    return tokens


def _label(options: Mapping[str, str], key: str) -> str:
    text = options.get(key, "")
    if text and not (text.isascii() and _LABEL.fullmatch(text)):
        raise UsageError(
            f"{quoted(text)} cannot be a {key}: small letters, digits and hyphens, 53 at most; type "
            f"`{key}={_mended(text)}`."
        )
    return text


def _mended(text: str) -> str:
    """What may have been meant, as a label."""
    plain = "".join(one if one.isascii() and one.isalnum() else "-" for one in text.casefold())
    return "-".join(filter(None, plain[:53].split("-"))) or "glm-prod"


def _engine(text: str, model: Model) -> str:
    name = text.casefold()
    if not name:
        return ""
    able = {one.engine for variant in model.variants for one in variant.engines}
    if name not in engines() or name not in able:
        listed = names([f"`engine={one}`" for one in sorted(able)], 5)
        raise UsageError(f"No engine {quoted(text)} is known for {model.title}: type {listed}.")
    return name


def _image(text: str) -> str:
    if text and not (text.isascii() and len(text) <= 255 and _IMAGE.fullmatch(text)):
        raise UsageError(f"{quoted(text)} is no image: type `image=vllm/vllm-openai:v0.33.0`.")
    return text


def _ranks(options: Mapping[str, str], model: Model, variant: Variant | None) -> int | None:
    asked = _number(options, "tp", 1, 64)
    if asked is None:
        return None
    chosen = variant or model.variants[0]
    if reason := fault(model, chosen, asked):
        fits = names([f"`tp={size}`" for size in smallest_beside(model, chosen, asked)], 3)
        raise UsageError(f"{model.title} {chosen.id} cannot be cut into {asked}: {reason}; type {fits}.")
    return asked


def _source(text: str) -> str:
    form, _, where = text.partition(":")
    kind = {"": "", "hf": "hf", "huggingface": "hf", "modelscope": "modelscope", "ms": "modelscope"}.get(
        form.casefold()
    )
    if form.casefold() == "pvc":
        claim, slash, path = where.partition("/")
        good = _LABEL.fullmatch(claim) and (not slash or (_PATH.fullmatch(path) and ".." not in path.split("/")))
        if good and where.isascii():
            return f"pvc:{where}"
    elif kind is not None and not where:
        return kind
    raise UsageError(
        f"{quoted(text)} is no source of weights: type `source=hf`, `source=modelscope` or `source=pvc:CLAIM/PATH`."
    )


def _autoscale(text: str) -> str:
    found = _AUTOSCALE.get(text.casefold())
    if found is None:
        raise UsageError(f"`autoscale` goes by `waiting` (requests) or `utilisation` (of GPUs), not {quoted(text)}.")
    return found


def _most(options: Mapping[str, str], replicas: int) -> int | None:
    most = _number(options, "max", 1, MOST_REPLICAS)
    if most is not None and most < replicas:
        raise UsageError(f"`max={most}` is fewer than the {replicas} replicas to begin with: type `max={replicas}`.")
    return most


def _expose(text: str) -> str:
    form, _, where = text.partition(":")
    host = where.partition("/")[2] if form == "httproute" else where
    gateway = where.partition("/")[0]
    good = form in ("ingress", "httproute") and text.isascii() and bool(_HOST.fullmatch(host))
    if text and not (good and (form == "ingress" or _LABEL.fullmatch(gateway))):
        raise UsageError(
            f"{quoted(text)} is no way in: type `expose=ingress:glm.example.org` or "
            "`expose=httproute:GATEWAY/glm.example.org`."
        )
    return text


def _arguments(text: str) -> tuple[str, ...]:
    flags = tuple(text.split(",")) if text else ()
    for flag in flags:
        if not (flag.isascii() and len(flag) <= 200 and _FLAG.fullmatch(flag)):
            raise UsageError(
                f"{quoted(flag)} is no engine argument: type `args=--max-num-seqs=64`, several with commas."
            )
    return flags
