# The page for players: docker build -t battle-odds . && docker run --rm -p 8000:8000 battle-odds
# The page and a Dask cluster: compose.yaml
FROM python:3.12-slim
WORKDIR /app
COPY . .
# Compiled kernels are valid for source files of the same modification time, which an image keeps in whole seconds only.
RUN python -m pip install --no-cache-dir ".[web,scale]" \
    && find "$(python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/simulator" -name '*.py' \
        -exec touch -d 2026-01-01 {} + \
    && useradd --create-home player
USER player
ENV BATTLE_ODDS_CACHE=/home/player/cache
# All kernels are compiled while the image is made, so that the page is ready in seconds on processors of that kind.
# The folder of the volume belongs to the player.
RUN battle-odds cache --all && mkdir /home/player/kept
EXPOSE 8000
CMD ["battle-odds", "web", "--host", "0.0.0.0"]
