"""The child that makes every NVML call: it reads when asked, and tells Xids as they come.

A request is a line on its standard input, an answer a line of JSON on its standard output (`bot.agent.message`).
"""
