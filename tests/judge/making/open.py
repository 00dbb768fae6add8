"""What our evaluation still answers otherwise than the scheduler does. None of it is drawn, unless it is asked for by name:

    GPUBOT_JUDGE_OPEN="Azure disk in a zone,senseless Amazon disk" make judge

Whoever settles one takes its name out here and the condition out where the thing is drawn.
"""

QUESTIONS = {
    "Azure disk in a zone": "an in-tree azureDisk keeps the labels of its node affinity when its driver has taken over",
    "Google disk of two regions": "the error names them: `got: map[eu-north:{} eu-west:{}]`",
    "nominated while kept out of the queue": "a gated pod does not count on the node that it is nominated to",
    "senseless Amazon disk": "no colon in `failed to translate Kubernetes ID to EBS Volume ID Invalid format ...`",
    "wide search for devices": "two boards cut into quarters, many devices asked for: ours gives up after 20,000 steps",
}
