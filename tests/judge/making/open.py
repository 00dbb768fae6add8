"""What our evaluation still answers otherwise than the scheduler does. None of it is drawn, unless it is asked for by name:

    GPUBOT_JUDGE_OPEN="wide search for devices" make judge

Whoever settles one takes its name out here and the condition out where the thing is drawn.
"""

QUESTIONS = {
    "wide search for devices": "two boards cut into quarters, many devices asked for: ours gives up after 20,000 steps",
}
