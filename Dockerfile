# docker build -t gpubot .        the bot alone; tests and the demo's tools are not needed to run it
FROM python:3.11-slim AS build
WORKDIR /src
COPY config/lock/run.txt config/lock/run.txt
RUN python -m venv /opt/gpubot && /opt/gpubot/bin/pip install --no-cache-dir --no-deps --require-hashes -r config/lock/run.txt
COPY pyproject.toml README.md LICENSE ./
COPY bot bot
COPY commands commands
COPY config config
RUN /opt/gpubot/bin/pip install --no-cache-dir --no-deps --no-build-isolation .

FROM python:3.11-slim
COPY --from=build /opt/gpubot /opt/gpubot
USER 65532:65532
ENV PATH=/opt/gpubot/bin:$PATH PYTHONUNBUFFERED=1
ENTRYPOINT ["gpubot"]
CMD ["run"]
