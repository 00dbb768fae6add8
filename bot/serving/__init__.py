"""What an inference engine says about itself: its last words in a log, how far its start is, its arguments, its CUDA.

    read(log) → Reading        matches best first, progress, the last lines     (bot.serving.reading)
    mask(text) → str           secrets out of a quoted line                     (bot.serving.mask)
    EngineArguments            a container's command line in an engine's terms  (bot.serving.arguments)
    driver                     which driver a CUDA version needs                (bot.serving.driver)

Pure: text in, data out. Nothing here reads a cluster, and nothing here knows the pod that the log came from.
"""
