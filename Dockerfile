# glibc on purpose: the engine's native client has no musl build.
FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev
# the native client ships for five platforms; keep this one's
RUN find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 -type d ! -name "$(uname -m)-unknown-linux-gnu" -exec rm -rf {} +
COPY . .
# build what the programs are started from now: containers start without it, and their root filesystem is read only
RUN node platform/program/prepare.mjs api/main.ts workers/main.ts store/migrate-main.ts cli/main.ts
RUN node --import tsx -e "import('./workers/workflow-bundle.ts').then((m) => m.prepareWorkflowBundle()).then(console.log)"

# the console is static files, built with packages that the image itself does not need
FROM node:22-bookworm-slim AS console
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json ./
RUN npm ci
COPY client ./client
COPY core/text/pills.ts ./core/text/
COPY console ./console
RUN node console/build.mjs /console

FROM node:22-bookworm-slim
ENV NODE_ENV=production SVC_HOME=/var/lib/svc SVC_CONSOLE_DIR=/app/console-build
WORKDIR /app
# steps that work on Git repositories run it
RUN apt-get update && apt-get install -y --no-install-recommends git ca-certificates && rm -rf /var/lib/apt/lists/*
RUN install -d -m 0700 -o node -g node /var/lib/svc
COPY --from=build --chown=node:node /app /app
COPY --from=console --chown=node:node /console /app/console-build
USER node
VOLUME /var/lib/svc
EXPOSE 9090
CMD ["node", "--max-semi-space-size=32", "platform/program/run.mjs", "api/main.ts"]
