# The page for players: docker build -t battle-odds . && docker run --rm -p 8000:8000 battle-odds
FROM python:3.12-slim
WORKDIR /app
COPY . .
# Kernels that are kept go by the times of their sources, of which an image keeps whole seconds only.
RUN python -m pip install --no-cache-dir ".[web]" \
    && find "$(python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/simulator" -name '*.py' \
        -exec touch -d 2026-01-01 {} + \
    && useradd --create-home player
USER player
ENV BATTLE_ODDS_CACHE=/home/player/cache
# All kernels are compiled while the image is made, so that the page is ready in seconds on processors of that kind.
RUN battle-odds cache --all
EXPOSE 8000
CMD ["battle-odds", "web", "--host", "0.0.0.0"]
