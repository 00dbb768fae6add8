"""Secrets leave no trace in a quoted line; what an engineer needs stays."""

import pytest

from bot.serving.mask import MASK, mask


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        pytest.param("using token hf_AbCdEfGhIjKlMnOpQrStUvWxYz012345", "hf_AbC", id="a hub token in prose"),
        pytest.param("HF_TOKEN=abc123", "abc123", id="a variable that is called a token"),
        pytest.param("export AWS_SECRET_ACCESS_KEY='wJalr/XUtn+FEMI'", "wJalr", id="a variable in quotes"),
        pytest.param("AKIAIOSFODNN7EXAMPLE is not allowed", "AKIA", id="an AWS key id"),
        pytest.param("Authorization: Bearer abc.def-ghi123", "abc.def", id="a bearer header"),
        pytest.param("authorization: basic dXNlcjpwYXNz", "dXNlcjpwYXNz", id="a basic header"),
        pytest.param("proxy http://ana:pa@ss:w0rd@proxy.lan:3128 refused", "pa@ss", id="a password in an address, with its own at sign"),
        pytest.param("https://ghp_abcdefghijklmnopqrst@github.example/x", "ghp_", id="a token in an address"),
        pytest.param("non-default args: {'model': 'x', 'api_key': ['sk1', 'sk2'], 'port': 8000}", "sk2", id="a list of keys in a dictionary"),
        pytest.param("vllm serve x --api-key verysecret --port 8000", "verysecret", id="a flag and its value"),
        pytest.param("--hf-token=verysecret", "verysecret", id="a flag with an equal sign"),
        pytest.param('{"password": "hunter2", "user": "ana"}', "hunter2", id="JSON"),
        pytest.param('{\\"password\\": \\"hunter2\\"}', "hunter2", id="JSON in JSON"),
        pytest.param("key=AbCdEf0123456789AbCd", "AbCdEf01", id="a key that looks random"),
        pytest.param("https://s3.lan/x?X-Amz-Credential=AKIAX&X-Amz-Signature=0a1b2c3d&X-Amz-Date=1", "0a1b2c3d", id="a signed address"),
        pytest.param("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dBjftJeZ4CVP", "eyJzdWI", id="a web token"),
        pytest.param("-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY----- after", "MIIEow", id="a private key"),
        pytest.param("MODELSCOPE ms-0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f", "0a1b2c3d4e5f", id="a ModelScope token"),
    ],
)  # fmt: skip
def test_a_secret_is_masked(text: str, secret: str) -> None:
    assert secret not in mask(text)
    assert MASK in mask(text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("failed to fetch anonymous token: unexpected status 401", id="a word after a token is no secret"),
        pytest.param("may require authorization: server message: denied", id="nor one after an authorization"),
        pytest.param("max_num_batched_tokens=8192, max_total_num_tokens: 1234", id="counts of tokens"),
        pytest.param("Avg generation throughput: 88.1 tokens/s, token usage: 0.02", id="throughput"),
        pytest.param("tokenizer='/models/glm', tokenizer_mode=auto", id="a tokenizer"),
        pytest.param("KeyError: 'model.layers.78.mlp.w13_weight'", id="a missing tensor"),
        pytest.param(
            "File file_download.py, line 1, in hf_hub_download(repo_id=x)", id="a function of the hub's library"
        ),
        pytest.param("cross-encoder/ms-marco-MiniLM-L-6-v2", id="a model that begins like a token"),
        pytest.param("docker.io/vllm/vllm-openai@sha256:0123456789abcdef", id="an image's digest"),
        pytest.param("Basic authentication is required", id="prose"),
        pytest.param("tcp://vllm-0.vllm.llm:29501", id="an address with a port"),
        pytest.param("--key-length 12 --port 8000", id="flags without a secret"),
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert mask(text) == text
