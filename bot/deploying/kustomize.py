"""The manifests as a folder for kustomize: what to put into which file, as one text that a shell takes apart."""

from bot.deploying.candidate import Candidate
from bot.deploying.yaml_text import dump

_FILE = "objects.yaml"


def kustomization(best: Candidate, manifests: str) -> str:
    """A script that writes both files; its content is the same objects."""
    base = {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "namespace": best.ground.namespace,
        "resources": [_FILE],
    }
    return _written("kustomization.yaml", dump([base])) + _written(_FILE, manifests)


def _written(name: str, text: str) -> str:
    """A quoted here-document: nothing in it is taken for the shell's."""
    return f"cat > {name} <<'END_OF_FILE'\n{text}END_OF_FILE\n"
