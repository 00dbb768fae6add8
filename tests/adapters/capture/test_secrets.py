"""Nothing that looks secret leaves a cluster; what an answer needs stays as it is."""

import base64
import random
import string
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.adapters.capture.prune import pruned
from bot.adapters.capture.secrets import MASK, mask_command, mask_named, mask_text, masked, secret_name
from bot.adapters.capture.yaml_out import document

HEX = "3f2a9b1c" * 8
KEY = "Zk3xQ9mT7vB2nR8wL5yD1fH6jP4sC0gA"  # letters and digits well mixed


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        pytest.param("HF_TOKEN", True, id="a token"),
        pytest.param("HFTOKEN", True, id="run together"),
        pytest.param("hfToken", True, id="with humps"),
        pytest.param("OPENAI_API_KEY", True, id="a key"),
        pytest.param("--api-key", True, id="a flag"),
        pytest.param("AWS_ACCESS_KEY_ID", True, id="the id of a key"),
        pytest.param("DB_PASSWD", True, id="a password"),
        pytest.param("SENTRY_DSN", True, id="a data source name"),
        pytest.param("Authorization", True, id="a header"),
        pytest.param("SLACK_WEBHOOK", True, id="a webhook"),
        pytest.param("TOKENIZERS_PARALLELISM", False, id="tokenizers have no secret"),
        pytest.param("NVIDIA_VISIBLE_DEVICES", False, id="devices"),
        pytest.param("VLLM_PORT", False, id="a port"),
        pytest.param("MONKEY_MODE", False, id="a monkey is no key"),
    ],
)
def test_secret_name(name: str, secret: bool) -> None:
    assert secret_name(name) is secret


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        pytest.param("HF_TOKEN", "x", MASK, id="a secret name hides any value"),
        pytest.param("HF_TOKEN", "", "", id="nothing is no secret"),
        pytest.param("MAX_TOKENS", "4096", "4096", id="a count of tokens"),
        pytest.param("API_KEY", "4096", MASK, id="a key of digits"),
        pytest.param("USE_AUTH", "true", "true", id="a switch"),
        pytest.param("NOTE", f"hf_{KEY}", MASK, id="a token under another name"),
        pytest.param("BLOB", base64.b64encode(KEY.encode()).decode(), MASK, id="long base64"),
        pytest.param("SEED", HEX, MASK, id="long hexadecimal"),
        pytest.param("MODEL", "zai-org/GLM-4.7-FP8", "zai-org/GLM-4.7-FP8", id="a model"),
        pytest.param("DEVICES", "GPU-8d1f0c2a-5b7e-4c3d-9e10-9af3b6f10b77", "GPU-8d1f0c2a-5b7e-4c3d-9e10-9af3b6f10b77", id="a GPU's id"),
        pytest.param("CONFIG", '{"db": {"password": "a b"}, "n": 1}', '{"db":{"password":"<masked>"},"n":1}', id="JSON inside"),
    ],
)  # fmt: skip
def test_mask_named(name: str, value: str, expected: str) -> None:
    assert mask_named(name, value) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("postgres://bot:p@ss/w@db:5432/x", f"postgres://{MASK}@db:5432/x", id="user and password in a URL"),
        pytest.param("https://token@git.acme.com/x", f"https://{MASK}@git.acme.com/x", id="a token in a URL"),
        pytest.param("bot:hunter2@tcp(db:3306)/x", f"{MASK}@tcp(db:3306)/x", id="a data source without a scheme"),
        pytest.param("eyJhbGciOi.eyJzdWIiOi.c2lnbmF0dXJl", MASK, id="a JSON web token"),
        pytest.param("got AKIAIOSFODNN7EXAMPLE here", f"got {MASK} here", id="AWS"),
        pytest.param("ghp_" + "a1B2" * 9, MASK, id="GitHub"),
        pytest.param("xoxb-1234567890-abcdefghij", MASK, id="Slack"),
        pytest.param("https://hooks.slack.com/services/T0/B0/xyz", f"https://{MASK}", id="a Slack webhook"),
        pytest.param("Authorization: Bearer abcdefgh", f"Authorization: {MASK}", id="a bearer token"),
        pytest.param("-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----\nrest", f"{MASK}\nrest", id="a private key"),
        pytest.param("login failed: password=hunter2, user=ana", f"login failed: password={MASK}, user=ana", id="an assignment in prose"),
        pytest.param('{"password":"hunter"}', '{"password":<masked>}', id="quoted JSON"),
        pytest.param("https://x.com/a?token=abc&page=2", f"https://x.com/a?token={MASK}&page=2", id="a query"),
        pytest.param(f"sandbox {HEX} failed", f"sandbox {MASK} failed", id="long hexadecimal in prose"),
    ],
)  # fmt: skip
def test_masks_text(text: str, expected: str) -> None:
    assert mask_text(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("0/3 nodes are available: 3 Insufficient nvidia.com/gpu.", id="the scheduler's message"),
        pytest.param('secret "hf-token" not found', id="the name of a secret"),
        pytest.param("couldn't find key HF_TOKEN in Secret llm/hf-token", id="the key of a secret"),
        pytest.param(f"docker.io/vllm/vllm-openai@sha256:{HEX}", id="an image's digest"),
        pytest.param(f"docker-pullable://reg:5000/x@sha256:{HEX}", id="a digest behind a scheme"),
        pytest.param(f"containerd://{HEX}", id="a container's id"),
        pytest.param("deepseek-ai/DeepSeek-R1-Distill-Llama-70B-GPTQ-Int4-W4A16", id="the long name of a model"),
        pytest.param("gpu-operator-node-feature-discovery-worker-x8k2p", id="the long name of a pod"),
        pytest.param("/var/lib/kubelet/pods/8d1f0c2a-5b7e-4c3d-9e10-9af3b6f10b77/volumes", id="a path"),
        pytest.param("vllm serve --max-num-batched-tokens=8192 --tokenizer x", id="flags about tokens"),
    ],
)
def test_leaves_alone(text: str) -> None:
    assert mask_text(text) == text


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        pytest.param(["vllm", "--api-key=abc"], ["vllm", f"--api-key={MASK}"], id="in one word"),
        pytest.param(["vllm", "--api-key", "abc", "--port", "1"], ["vllm", "--api-key", MASK, "--port", "1"], id="in two words"),
        pytest.param(["--token", "--port"], ["--token", "--port"], id="a flag without a value"),
        pytest.param(["sh", "-c", "export HF_TOKEN=abc; run -e AUTH_KEY=z --password 'a b' x"], ["sh", "-c", f"export HF_TOKEN={MASK}; run -e AUTH_KEY={MASK} --password {MASK} x"], id="in a script"),
        pytest.param(["--max-num-batched-tokens", "8192"], ["--max-num-batched-tokens", "8192"], id="a count of tokens"),
        pytest.param(["--model", "zai-org/GLM-4.7-FP8"], ["--model", "zai-org/GLM-4.7-FP8"], id="a model"),
        pytest.param(['{"api_key":"a b"}'], ['{"api_key":"<masked>"}'], id="JSON"),
    ],
)  # fmt: skip
def test_mask_command(words: list[str], expected: list[str]) -> None:
    assert mask_command(words) == expected


def test_an_object_is_masked_by_place() -> None:
    item = {
        "metadata": {
            "name": "a" * 20 + "b2" * 20,
            "annotations": {"vault.acme.com/token": "abc", "note": "fine"},
            "labels": {"objectset/hash": HEX[:40]},
        },
        "spec": {
            "containers": [{"env": [{"name": "HF_TOKEN", "value": "abc"}, {"name": "A", "value": "b"}], "args": ["--token", "abc"]}],
            "tolerations": [{"key": "token", "operator": "Exists"}],
            "volumes": [{"secret": {"secretName": "hf-token", "items": [{"key": "token", "path": "token"}]}}],
            "auth": {"password": "abc", "tokenExpirationSeconds": 3600},
            "probe": {"httpHeaders": [{"name": "Authorization", "value": "abc"}]},
        },
    }  # fmt: skip
    clean = masked(item)
    assert "abc" not in str(clean)
    assert clean["metadata"]["labels"] == item["metadata"]["labels"]
    assert clean["metadata"]["name"] == item["metadata"]["name"]
    assert clean["metadata"]["annotations"] == {"vault.acme.com/token": MASK, "note": "fine"}
    assert clean["spec"]["tolerations"] == item["spec"]["tolerations"]  # type: ignore[index]
    assert clean["spec"]["volumes"] == item["spec"]["volumes"]  # type: ignore[index]
    assert clean["spec"]["auth"]["tokenExpirationSeconds"] == 3600


LETTERS = string.ascii_letters + string.digits


def random_text(alphabet: str, least: int, most: int) -> st.SearchStrategy[str]:
    """Text as a generator of keys makes it, not as a shrinker likes it."""
    return st.builds(
        lambda seed, size: "".join(random.Random(seed).choices(alphabet, k=size)),
        st.integers(0, 2**32),
        st.integers(least, most),
    )


SHAPED = st.one_of(
    random_text(LETTERS, 34, 34).map(lambda text: f"hf_{text}"),
    random_text(LETTERS, 36, 36).map(lambda text: f"ghp_{text}"),
    random_text(LETTERS, 30, 60).map(lambda text: f"github_pat_{text}"),
    random_text(LETTERS, 24, 40).map(lambda text: f"xoxb-12345678901-{text}"),
    random_text(string.ascii_uppercase + "234567", 16, 16).map(lambda text: f"AKIA{text}"),
    random_text(LETTERS + "-_", 20, 60).map(lambda text: f"eyJhbGciOiJIUzI1NiJ9.eyJ{text}.{text}"),
    random_text(LETTERS, 12, 30).map(lambda text: f"postgres://bot:{text}@db.acme.com/x"),
    random_text(LETTERS, 20, 40).map(lambda text: f"sk-{text}"),
)
OPAQUE = st.one_of(random_text("0123456789abcdef", 40, 128), random_text(LETTERS, 40, 88))
SECRET_NAMES = st.sampled_from(
    ["HF_TOKEN", "API_KEY", "db-password", "clientSecret", "AUTH", "SENTRY_DSN", "CREDENTIALS"]
)


def inner(secret: str) -> str:
    """The part of a shaped secret that must not be seen."""
    return secret.removeprefix("postgres://bot:").removesuffix("@db.acme.com/x").rpartition(".")[2]


@settings(max_examples=150, deadline=None)
@given(shaped=SHAPED, opaque=OPAQUE, name=SECRET_NAMES, short=random_text(LETTERS, 8, 12))
def test_planted_secrets_never_come_out(shaped: str, opaque: str, name: str, short: str) -> None:
    flag = f"--{name.lower().replace('_', '-')}"
    copy = msgspec.json.encode({"env": [{"name": name, "value": short}]}).decode()
    container: dict[str, Any] = {
        "image": "x:1",
        "env": [{"name": name, "value": short}, {"name": "A", "value": shaped}, {"name": "B", "value": opaque}],
        "args": [
            f"{flag}={short}",
            flag,
            short,
            shaped,
            f"{flag} '{short}'",
            f"export {name}={short}",
            f"run {opaque}",
        ],
        "command": ["sh", "-c", f"echo {shaped} && curl -H 'Authorization: Bearer {short}' x"],
    }
    pod = {
        "kind": "Pod",
        "metadata": {
            "name": "a",
            "annotations": {
                f"acme.com/{name}": short,
                "acme.com/a": shaped,
                "acme.com/b": f"see {opaque}",
                "acme.com/copy": copy,
                "kubectl.kubernetes.io/last-applied-configuration": copy,
            },
            "managedFields": [{"manager": short, "fieldsV1": {"f:spec": {}}}],
        },
        "spec": {"containers": [container], "initContainers": [container], "apiKey": short, "password": short},
        "status": {"message": f"failed with {shaped} and {opaque} and {name}={short}"},
    }
    settings_map = {"kind": "ConfigMap", "metadata": {"name": "b"}, "data": {"a": short}, "binaryData": {"c": opaque}}
    secret = {"kind": "Secret", "metadata": {"name": "c"}, "data": {"a": short}, "stringData": {"b": shaped}}
    written = b"".join(
        document(masked(pruned(item, str(item["kind"])))) for item in (pod, settings_map, secret)
    ).decode()
    for planted in (inner(shaped), opaque, short):
        assert planted not in written
