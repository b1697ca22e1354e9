# lsp-evalplus for `check` and `bench`, without the machine's Python:
#
#   docker build -t lsp-evalplus .
#   docker run --rm -v "$PWD":/work lsp-evalplus check src/
#   docker run --rm -v "$PWD":/work -v evalplus-data:/data -e LSP_EVALPLUS_DATA=/data lsp-evalplus bench --dataset humaneval --samples samples.jsonl
FROM python:3.12-slim AS build
WORKDIR /source
# Node draws nothing at run time: it bundles the charts of pages into the wheel.
RUN apt-get update && apt-get install --yes --no-install-recommends nodejs npm && rm -rf /var/lib/apt/lists/*
COPY pyproject.toml hatch_build.py README.md LICENSE ./
COPY pages-client pages-client
COPY server server
COPY fuzz fuzz
COPY bench bench
COPY docs/diagnostics docs/diagnostics
RUN python -m pip wheel --no-cache-dir --wheel-dir /wheels ".[bench,sanitize]"

FROM python:3.12-slim
# git: `check --diff`; the confinement needs nothing that has to be installed.
RUN apt-get update && apt-get install --yes --no-install-recommends git && rm -rf /var/lib/apt/lists/*
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    python -m pip install --no-cache-dir --no-index --find-links=/wheels 'lsp-evalplus[bench,sanitize]'
# Code under test never runs as root, not even inside of the container.
RUN useradd --create-home --uid 1000 user && mkdir -p /work /data && chown user /work /data
USER user
RUN git config --global --add safe.directory /work
WORKDIR /work
ENTRYPOINT ["lsp-evalplus"]
CMD ["--help"]
