"""The device plugin's pod does not run with NVIDIA's runtime, so it sees no driver although the node has one.

Where nvidia is not the default runtime (k3s, plain containerd) the plugin needs `runtimeClassName: nvidia`.
NVIDIA/k8s-device-plugin README ("Configure containerd"), k3s documentation on NVIDIA's runtime.
"""

from bot.domain.answer import Remedy
from bot.domain.text import inert
from bot.gpu.plugin_log import Sign
from bot.gpu.stack import commands
from bot.gpu.stack.fault import Fault
from bot.gpu.stack.link import Link
from bot.gpu.stack.sight import NO_READING, Sight

ID = "plugin_runtime"
EXPLAINS = frozenset({"driver_not_loaded", "plugin", "plugin_stopped", "missing", "unregistered"})


def find(sight: Sight) -> Fault | None:
    classes = [
        one.name for one in sight.view.things("runtimeclasses").values() if "nvidia" in one.fields.text("handler")
    ]
    if sight.offered or not classes:
        return None
    for pod in sight.links.get(Link.DEVICE_PLUGIN, ()):
        said = sight.readings.get(pod.key, NO_READING).find(Sign.NO_RUNTIME, Sign.NO_LIBRARY)
        if said is None or pod.runtime_class or pod.owner is None or pod.owner.kind != "DaemonSet":
            continue
        name = min(classes, key=len)
        patch = f'{{"spec":{{"template":{{"spec":{{"runtimeClassName":"{name}"}}}}}}}}'
        return Fault(
            ID,
            sight.name,
            f"{sight.name} offers no {sight.resource}: its device plugin {pod.key} runs without the runtime class "
            f"`{name}`, so it sees no driver",
            evidence=(f"log of {pod.key}: “{inert(said.quote)}”", f"RuntimeClass `{name}` exists, the pod names none"),
            remedies=(
                Remedy(
                    f"Run the plugin with the runtime class (chart value `runtimeClassName={name}`)",
                    f"kubectl -n {commands.quoted(pod.namespace)} patch daemonset {commands.quoted(pod.owner.name)} "
                    f"--type=merge -p {commands.quoted(patch)}",
                    cost="its pods are restarted one after the other",
                ),
            ),
            explains=EXPLAINS,
        )
    return None
