# syntax=docker/dockerfile:1
# The image of every service of compose.yaml. VARIANT=cuda installs PyTorch with CUDA; the GPU comes by --gpus all.
# EXTRAS=postgres,s3,k8s is for deploy/values.yaml, postgres,s3,docker for deploy/compose.docker-runs.yaml.
ARG PYTHON_IMAGE=python:3.11.14-slim-bookworm

FROM ${PYTHON_IMAGE} AS build
ARG VARIANT=cpu
ARG EXTRAS=postgres,s3
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /src
COPY pyproject.toml constraints.txt README.md LICENSE ./
RUN python -m venv /opt/kohaku
ENV PATH=/opt/kohaku/bin:$PATH
RUN case "$VARIANT" in \
      cpu) index=https://download.pytorch.org/whl/cpu ;; \
      cuda) index=https://download.pytorch.org/whl/cu128 ;; \
      *) echo "VARIANT is cpu or cuda, got $VARIANT" >&2; exit 2 ;; \
    esac \
    && pip install --index-url "$index" --extra-index-url https://pypi.org/simple "$(grep '^torch==' constraints.txt)"
COPY kohaku_lib kohaku_lib
COPY kohaku_assets kohaku_assets
RUN pip install -c constraints.txt ".[$EXTRAS]"

FROM ${PYTHON_IMAGE}
RUN groupadd --gid 10001 kohaku \
    && useradd --uid 10001 --gid kohaku --no-create-home --home-dir /tmp kohaku \
    && install -d -o kohaku -g kohaku /project /dagster
COPY --from=build /opt/kohaku /opt/kohaku
COPY --chown=kohaku:kohaku deploy/dagster.yaml /dagster/dagster.yaml
COPY deploy/workspace.yaml /etc/kohaku/workspace.yaml
# The root may be read-only: what is written goes to /project, /dagster and /tmp.
ENV PATH=/opt/kohaku/bin:$PATH \
    DAGSTER_HOME=/dagster \
    KOHAKU_CONFIG=/project/kohaku.toml \
    KOHAKU_CACHE=/tmp/kohaku \
    HF_HOME=/tmp/huggingface \
    MPLCONFIGDIR=/tmp/matplotlib \
    PYTHONDONTWRITEBYTECODE=1
USER 10001:10001
WORKDIR /project
HEALTHCHECK --interval=30s --timeout=20s --start-period=60s CMD ["kohaku", "--version"]
# No entry point: Dagster's launchers give whole commands as arguments.
CMD ["kohaku", "--help"]
