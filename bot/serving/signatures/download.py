"""The hub, the mirror or the object store refuses, or what came is not whole."""

from bot.domain.pattern import Pattern
from bot.serving.actions import EGRESS, MIRROR, TOKEN
from bot.serving.signature import Blame, Family, Rank, Remedy, Signature

_HUB = "huggingface/huggingface_hub:src/huggingface_hub/utils/_http.py"
_URL = r"for url:? (?P<url>https?://[^\s,)]{1,200}[^\s,).])"

FAMILY = Family(
    "download",
    (
        Signature(
            id="hub-gated",
            says=("Cannot access gated repo for url", "GatedRepoError", "Access to model", "403 Client Error"),
            pattern=Pattern(
                rf"(?:(?:gated repo|403 Client Error[^|]{{0,160}}?) {_URL}|Access to model "
                rf"(?P<model>[\w./-]{{1,120}}) is restricted|GatedRepoError|403 Client Error)"
            ),
            cause="The hub refuses this account the model[ {model}][ ({url})]: its licence was not accepted, or the "
            "token lacks the right.",
            remedies=(Remedy("Accept the licence on the model's page with the account that owns the token."), TOKEN),
            blames=(Blame.DOWNLOAD,),
            rank=Rank.ROOT,
            source=_HUB,
        ),
        Signature(
            id="hub-token-invalid",
            says=(
                "401 Client Error",
                "Invalid username or password",
                "Invalid credentials in Authorization header",
                "Invalid user token",
            ),
            pattern=Pattern(
                rf"(?:401 Client Error[^|]{{0,60}}? {_URL}|401 Client Error|Invalid (?:username|credentials|user "
                rf"token))"
            ),
            cause="The hub does not accept the token, or the model does not exist[ ({url})].",
            remedies=(TOKEN, Remedy("Check the model's id: the hub answers 401 for a missing repository too.")),
            blames=(Blame.DOWNLOAD, Blame.ARGUMENTS),
            source=_HUB,
        ),
        Signature(
            id="hub-repository-missing",
            says=(
                "Repository Not Found for url",
                "RepositoryNotFoundError",
                "is not a local folder and is not a valid model identifier",
            ),
            pattern=Pattern(
                rf"(?:Repository Not Found {_URL}|(?P<model>[\w./-]{{1,120}}) is not a local folder|"
                rf"RepositoryNotFoundError)"
            ),
            cause="The hub has no such model[: {model}][: {url}].",
            remedies=(
                Remedy(
                    "Check the id letter by letter: Hugging Face and ModelScope name owners differently (`zai-org/…`, "
                    "`ZhipuAI/…`)."
                ),
                Remedy("A private model needs a token with the right to read it (`HF_TOKEN`)."),
            ),
            blames=(Blame.ARGUMENTS,),
            rank=Rank.ROOT,
            source=_HUB,
        ),
        Signature(
            id="hub-revision-missing",
            says=("Revision Not Found for url", "RevisionNotFoundError", "EntryNotFoundError"),
            pattern=Pattern(rf"(?:Not Found {_URL}|NotFoundError)"),
            cause="The hub has the model, but not that revision or file[ ({url})].",
            remedies=(Remedy("Check `--revision` and the file's name."),),
            blames=(Blame.ARGUMENTS,),
            rank=Rank.GENERAL,
            source=_HUB,
        ),
        Signature(
            id="hub-offline-mode",
            says=("outgoing traffic has been disabled", "OfflineModeIsEnabled", "offline mode is enabled"),
            cause="The model, or this revision of it, is not in the local cache, and offline mode keeps it from "
            "being downloaded.",
            remedies=(
                Remedy(
                    "Download this model and revision to the folder that `HF_HOME` names (with a Job on the same "
                    "volume), then start again."
                ),
                Remedy("Or take `HF_HUB_OFFLINE` and `TRANSFORMERS_OFFLINE` out, if the pod has a way to the hub."),
                Remedy("If it was downloaded: check that `HF_HOME` names the very folder that holds `hub/`."),
            ),
            blames=(Blame.DOWNLOAD, Blame.ARGUMENTS),
            source="huggingface/huggingface_hub:src/huggingface_hub/file_download.py",
        ),
        Signature(
            id="hub-offline",
            says=(
                "we cannot find the requested files in the local cache",
                "Cannot find an appropriate cached snapshot folder for the specified revision",
                "LocalEntryNotFoundError",
                "couldn't connect to 'https://huggingface.co' to load",
            ),
            cause="The model is not in the local cache and the hub could not be asked: offline mode is on, or the hub "
            "is out of reach.",
            remedies=(
                Remedy(
                    "With `HF_HUB_OFFLINE=1`: download this model and revision to the folder that `HF_HOME` names, "
                    "then start again."
                ),
                EGRESS,
                MIRROR,
            ),
            blames=(Blame.DOWNLOAD, Blame.NETWORK),
            rank=Rank.GENERAL,
            source="huggingface/huggingface_hub:src/huggingface_hub/file_download.py",
        ),
        Signature(
            id="hub-rate-limit",
            says=("429 Client Error", "HTTP status client error (429"),
            cause="The hub limits the rate of requests from this address or account.",
            remedies=(Remedy("Set a token (`HF_TOKEN`): it raises the limit."), MIRROR),
            blames=(Blame.DOWNLOAD,),
            restart_helps=None,
            note="Restarts in a loop make it worse.",
            source=_HUB,
        ),
        Signature(
            id="hub-server-error",
            says=("500 Server Error", "502 Server Error", "503 Server Error", "504 Server Error", "CAS service error"),
            pattern=Pattern(rf"(?:(?P<status>50\d) Server Error(?:[^|]{{0,60}}? {_URL})?|CAS service error)"),
            cause="The hub or mirror failed[ with {status}][ ({url})].",
            remedies=(
                Remedy("Try again later; the part that was downloaded is kept if `HF_HOME` is on a volume."),
                MIRROR,
            ),
            blames=(Blame.DOWNLOAD,),
            restart_helps=True,
            source=_HUB,
        ),
        Signature(
            id="modelscope-missing",
            says=("does not exist or is not accessible", "Authentication token does not exist, failed to access"),
            pattern=Pattern(
                r"(?:model:? ?(?P<model>[\w./-]{1,120}) |failed to access model (?P<other>[\w./-]{1,120}))|not "
                r"accessible|failed to access"
            ),
            cause="ModelScope does not have the model under this name, or it is private[: {model}][: {other}].",
            remedies=(
                Remedy(
                    "Use ModelScope's own id (`ZhipuAI/…`, not `zai-org/…`); for private models set "
                    "`MODELSCOPE_API_TOKEN`."
                ),
            ),
            blames=(Blame.ARGUMENTS,),
            rank=Rank.ROOT,
            source="modelscope/modelscope:modelscope/hub/api.py",
        ),
    ),
)
