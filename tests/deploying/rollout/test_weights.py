"""How far a download is, by its pod and the end of its log."""

import pytest

from bot.deploying.rollout.weights import downloading
from bot.domain.pod import Pod
from tests.factories import a_pod

WEIGHTS = 704_000_000_000
BAR = "Downloading (incomplete total...):  58%|█████▊    | 412G/700G [03:37<02:34, 1.87GB/s]"
RUNS = a_pod("glm-download-x", node="cpu-1", gpus=0, phase="Running")

SAID = [
    pytest.param(None, "", "whose pod is not made yet", id="no pod yet"),
    pytest.param(a_pod("glm-download-x", node="", gpus=0), "", "glm-download-x for a node", id="no node yet"),
    pytest.param(RUNS, "", "waits for the download", id="it says nothing yet"),
    pytest.param(RUNS, "Collecting huggingface_hub", "waits for the download", id="it installs its tool"),
    pytest.param(RUNS, BAR, "412 of 704 GB, 1.9 GB/s, about 2 min left", id="the total is the weights', not the bar's"),
    pytest.param(
        RUNS,
        f"{BAR}\rFetching 146 files:  12%|█▏  | 18/146 [03:37<20:00, 9.0s/it]",
        "412 of 704 GB",
        id="bytes go before files",
    ),
    pytest.param(
        RUNS,
        "Fetching 146 files:  12%|█▏  | 18/146 [03:37<20:00, 9.0s/it]",
        "18 of 146 files",
        id="files alone",
    ),
    pytest.param(
        RUNS,
        "model-00001-of-00141.safetensors:  50%|█████ | 2.5G/5.0G [00:10<00:10, 250MB/s]",
        "downloading the model",
        id="one file's bar is not the whole",
    ),
    pytest.param(RUNS, BAR.replace("412G/700G", "900G/900G"), "900 of 900 GB", id="more than the catalogue knows"),
    pytest.param(RUNS, "Downloading: 1%|x| 1G/7G [99:99:99<00:00, 0B/s]", "of 704 GB", id="odd times"),
]


@pytest.mark.parametrize(("pod", "log", "says"), SAID)
def test_a_download(pod: Pod | None, log: str, says: str) -> None:
    assert says in downloading(pod, log, WEIGHTS)
