"""What a scheduler says of a pod, taken apart without loss and said again in plain words. Pure: text in, data out."""

from bot.scheduling.messages.grammar import parse
from bot.scheduling.messages.said import KUBE_SCHEDULER, Reason, Said
from bot.scheduling.messages.table import NEWEST, OLDEST, Known, Stage
from bot.scheduling.messages.words import sentence

__all__ = ["KUBE_SCHEDULER", "NEWEST", "OLDEST", "Known", "Reason", "Said", "Stage", "parse", "sentence"]
