"""What people type after `/deploy`: understood, or told in one sentence what is wrong and what to type instead."""

import pytest

from bot.deploying.wishing import read_wish
from bot.domain.errors import UsageError
from bot.serving.catalogue import catalogue


def test_everything_that_can_be_asked_for() -> None:
    wish = read_wish(
        ("GLM-5.2",),
        {
            "variant": "FP8",
            "replicas": "2",
            "context": "128k",
            "concurrency": "16",
            "namespace": "llm",
            "name": "glm-prod",
            "engine": "vllm",
            "image": "registry.local:5000/vllm/vllm-openai:v0.33.0-cu129",
            "gpu": "H200",
            "pool": "h200",
            "tp": "8",
            "source": "pvc:weights/zai-org/GLM-5.2-FP8",
            "storage": "nfs",
            "queue": "llm",
            "priority": "high",
            "autoscale": "waiting",
            "max": "4",
            "expose": "ingress:glm.example.org",
            "monitor": "yes",
            "args": "--max-num-seqs=64,--enforce-eager",
        },
        catalogue(),
    )
    assert wish.model.id == "glm-5.2"
    assert wish.variant is not None
    assert wish.variant.id == "fp8"
    assert (wish.replicas, wish.context_tokens, wish.concurrency, wish.tensor_parallel) == (2, 131_072, 16, 8)
    assert (wish.source, wish.autoscale, wish.most_replicas) == ("pvc:weights/zai-org/GLM-5.2-FP8", "waiting", 4)
    assert wish.arguments == ("--max-num-seqs=64", "--enforce-eager")


@pytest.mark.parametrize(
    ("text", "tokens"), [("8192", 8192), ("128k", 131_072), ("1M", 1_048_576), ("1024k", 1_048_576)]
)
def test_lengths(text: str, tokens: int) -> None:
    assert read_wish(("glm",), {"context": text}, catalogue()).context_tokens == tokens


WRONG = [
    pytest.param((), {}, "Deploy what?", id="nothing"),
    pytest.param(("glm", "now"), {}, "One model at a time: “now”", id="a word too many"),
    pytest.param(("glm-5.22",), {}, "did you mean `glm-5.2`?", id="a model that nobody knows"),
    pytest.param(("gІm",), {}, "plain ASCII", id="a letter that only looks alike"),
    pytest.param(("glm",), {"variant": "int4"}, "type `variant=fp8`", id="a variant that is none"),
    pytest.param(("glm-5.2-fp8",), {"variant": "bf16"}, "type one of them", id="two variants"),
    pytest.param(("glm",), {"replicas": "0"}, "type `replicas=1`", id="no replicas"),
    pytest.param(("qwen3-8b",), {"context": "128k"}, "type `context=40960`", id="longer than a short one takes"),
    pytest.param(("glm",), {"context": "-8k"}, "not “-8k”", id="a length below nothing"),
    pytest.param(("glm",), {"context": "9" * 300}, "type `context=128k`", id="an endless length"),
    pytest.param(("glm",), {"context": "128 k"}, "type `context=128k`", id="a blank within a length"),
    pytest.param(("glm",), {"namespace": "kube_system"}, "type `namespace=kube-system`", id="an underscore"),
    pytest.param(("glm",), {"namespace": "-"}, "type `namespace=glm-prod`", id="nothing that could be meant"),
    pytest.param(("glm",), {"concurrency": "0"}, "from 1 to 4,096", id="nobody at once"),
    pytest.param(("glm",), {"concurrency": "many"}, "type `concurrency=1`", id="a word for a number"),
    pytest.param(("glm",), {"priority": "High!"}, "cannot be a priority", id="a class that cannot be"),
    pytest.param(("glm",), {"queue": "a b"}, "type `queue=a-b`", id="a queue that cannot be"),
    pytest.param(("glm",), {"tp": "0"}, "type `tp=1`", id="cut into nothing"),
    pytest.param(("glm",), {"tp": "32"}, "do not end between blocks of 128", id="a cut through quantised blocks"),
    pytest.param(("air",), {"tp": "3"}, "8 key-value heads cannot be divided by 3", id="a cut through heads of keys"),
    pytest.param(("glm",), {"engine": "vIIm"}, "type `engine=", id="an engine that only looks alike"),
    pytest.param(("glm", "flash"), {}, "One model at a time", id="two models"),
    pytest.param(("x" * 900,), {}, "No model of the catalogue", id="an endless name"),
    pytest.param(("glm\u202egpu",), {}, "plain ASCII", id="a name that turns round"),
    pytest.param(("glm",), {"expose": "httproute:gw/evil host"}, "is no way in", id="a blank in a host"),
    pytest.param(("glm",), {"image": "vllm:v1\nkind: Pod"}, "is no image", id="YAML in an image"),
    pytest.param(("glm",), {"storage": "fast\u200b"}, "cannot be a storage", id="what nobody sees, in a name"),
    pytest.param(("glm",), {"replicas": "10000"}, "type `replicas=64`", id="ten thousand replicas"),
    pytest.param(("glm",), {"replicas": "-1"}, "not “-1”", id="fewer than none"),
    pytest.param(("glm",), {"replicas": "٣"}, "a number from 1 to 64", id="digits of another script"),
    pytest.param(("glm",), {"replicas": "1" * 400}, "a number from 1 to 64", id="a huge number"),
    pytest.param(("glm",), {"context": "2m"}, "to the 1,048,576 that GLM-5.2", id="longer than it was trained for"),
    pytest.param(("glm",), {"context": "0"}, "from 1,024", id="no context"),
    pytest.param(("glm",), {"context": "long"}, "type `context=128k`", id="rubbish for a length"),
    pytest.param(("air",), {"context": "256k"}, "the 131,072 that GLM-4.5-Air", id="longer than that model takes"),
    pytest.param(("glm",), {"namespace": "LLM"}, "cannot be a namespace", id="capitals in a namespace"),
    pytest.param(("glm",), {"name": "a" * 54}, "53 at most", id="a name that leaves no room"),
    pytest.param(("glm",), {"name": "x\nkind: Pod"}, "cannot be a name", id="YAML in a name"),
    pytest.param(("glm",), {"name": "x: {a: b}"}, "type `name=x-a-b`", id="more YAML in a name"),
    pytest.param(("glm",), {"name": "gІm"}, "cannot be a name", id="a look-alike in a name"),
    pytest.param(("glm",), {"engine": "tgi"}, "type `engine=sglang` and `engine=vllm`", id="an engine that is none"),
    pytest.param(("glm",), {"image": "bad image"}, "is no image", id="an image with a blank"),
    pytest.param(("glm",), {"tp": "6"}, "cannot be divided by 6; type `tp=4` and `tp=8`", id="a cut that fails"),
    pytest.param(("flash",), {"tp": "8"}, "type `tp=5` and `tp=10`", id="another cut that fails"),
    pytest.param(("glm",), {"source": "s3://bucket"}, "is no source of weights", id="a source that is none"),
    pytest.param(("glm",), {"source": "pvc:w/../../etc"}, "is no source of weights", id="a path that leads out"),
    pytest.param(("glm",), {"source": 'pvc:w/a"; rm -rf /'}, "is no source of weights", id="a shell in a path"),
    pytest.param(
        ("glm",), {"autoscale": "magic"}, "`waiting` (requests) or `utilisation`", id="a measure that is none"
    ),
    pytest.param(("glm",), {"replicas": "4", "max": "2"}, "type `max=4`", id="fewer at most than to begin with"),
    pytest.param(("glm",), {"expose": "glm.example.org"}, "is no way in", id="a way in without its kind"),
    pytest.param(("glm",), {"expose": "ingress:localhost"}, "is no way in", id="no host"),
    pytest.param(("glm",), {"args": "--a=$(reboot)"}, "is no engine argument", id="a shell in an argument"),
    pytest.param(("glm",), {"args": "max-num-seqs=4"}, "is no engine argument", id="an argument without its dashes"),
]


@pytest.mark.parametrize(("words", "options", "wanted"), WRONG)
def test_what_is_wrong_is_said_with_what_to_type(words: tuple[str, ...], options: dict[str, str], wanted: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_wish(words, options, catalogue())
    told = str(caught.value)
    assert wanted in told
    assert len(told) < 400
    assert "\n" not in told
