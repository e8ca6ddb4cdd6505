import { type Places, places } from './places.ts'

/** What a folder may take from where. What is not named here is not allowed. */
export interface Folder {
  /** folders of ours: with values, and as types alone */
  ours: string[]
  types: string[]
  /** packages and built-in modules: everywhere in the folder, as types alone, or in these places */
  packages: Record<string, 'anywhere' | 'types' | Places>
  globals: ReadonlySet<string>
  /** who tells the time: nobody, the workflow's own replayed clock, whoever was given one, or anybody */
  clock: 'argument' | 'workflow' | 'injected' | 'own'
  /** what the folder stands on instead; ends every message about it */
  instead: string
}

/** What every engine of the language computes alike from its arguments. */
const PURE =
  words(`undefined NaN Infinity Object Number String Boolean BigInt Symbol Array Map Set WeakMap WeakSet Math JSON Date Intl RegExp
  Error TypeError RangeError AggregateError Promise Reflect ArrayBuffer DataView Uint8Array Uint16Array Uint32Array Int32Array BigUint64Array Float64Array URL URLSearchParams TextEncoder TextDecoder
  encodeURIComponent decodeURIComponent structuredClone btoa atob`)
/** Waiting, giving up, and bytes: what every part of a process but its core needs. */
const NODE = new Set([
  ...PURE,
  ...words(`setTimeout clearTimeout setInterval clearInterval setImmediate clearImmediate queueMicrotask performance Buffer AbortController
    AbortSignal DOMException Headers Request Response ReadableStream TransformStream ByteLengthQueuingStrategy TextDecoderStream`),
])

const BROWSER = new Set([
  ...PURE,
  ...words(`window document navigator location localStorage sessionStorage fetch setTimeout clearTimeout setInterval clearInterval AbortController AbortSignal
    Headers Request Response TextDecoderStream HTMLElement HTMLInputElement KeyboardEvent FormData crypto`),
])
/** Large, and loaded where somebody writes. */
const YAML_EDITOR = places('the editor of the console', 'console/src/components/yaml-editor.tsx')
const CONSOLE_BUILD = places('builds the console', 'console/build.mjs', 'console/vite.config.mjs')

const corePlaces = (what: string, ...where: string[]) => places(`${what} in core`, ...where)

/** Composition roots: they read the settings and build the adapters, so they see what they build. */
export const ROOTS = places(
  'composition root',
  'api/main.ts',
  'api/api-parts.ts',
  'api/api-runtime.ts',
  'api/create-api-deps.ts',
  'api/create-ask-ports.ts',
  'api/create-authoring.ts',
  'api/create-model-ports.ts',
  'api/open-inbox.ts',
  'cli/admin-runtime.ts',
  'cli/check-runtime.ts',
  'cli/main.ts',
  'services/create-service-deps.ts',
  'workers/main.ts',
  'workers/worker-runtime.ts',
  'store/migrate-main.ts',
)

export const FOLDERS: Record<string, Folder> = {
  core: {
    ours: ['core'],
    types: [],
    packages: {
      // in schema files, as a rule of its own says
      zod: 'anywhere',
      ajv: corePlaces('ajv', 'core/plan/'),
      'ajv-formats': corePlaces('ajv-formats', 'core/plan/'),
      canonicalize: corePlaces('canonicalize', 'core/audit/'),
      '@marcbachmann/cel-js': corePlaces('cel-js', 'core/expression/'),
      'ipaddr.js': corePlaces('ipaddr.js', 'core/egress/'),
      re2js: corePlaces('re2js', 'core/'),
    },
    globals: PURE,
    clock: 'argument',
    instead: 'core decides from its arguments alone: take the value, or a function that finds it, as an argument',
  },
  workflows: {
    ours: ['core', 'workflows'],
    types: [],
    packages: { '@temporalio/workflow': 'anywhere' },
    globals: PURE,
    clock: 'workflow',
    instead: 'a workflow is replayed: use @temporalio/workflow (sleep, uuid4, Date.now()), or let an activity do it',
  },
  store: {
    ours: ['core', 'store'],
    types: [],
    packages: {
      postgres: 'anywhere',
      'postgres-array': 'anywhere',
      'node:crypto': places(
        'node:crypto in store',
        'store/make-app-role.ts',
        'store/ask-url.ts',
        'store/scram-verifier.ts',
        'store/apply-functions.ts',
        'store/run-migrations.ts',
      ),
      'node:fs': places('node:fs in store', 'store/read-sql.ts'),
      'node:events': places('node:events in store', 'store/postgres-socket.ts'),
      'node:net': places('node:net in store', 'store/postgres-socket.ts'),
      'node:tls': places('node:tls in store', 'store/postgres-socket.ts'),
    },
    globals: NODE,
    clock: 'injected',
    instead: 'store holds SQL and nothing else: let services decide and platform reach out',
  },
  services: {
    ours: ['core', 'store', 'services'],
    types: ['platform'],
    packages: {
      zod: 'anywhere',
      'node:crypto': places(
        'node:crypto in services',
        'services/auth/invite-user.ts',
        'services/api-keys/create-api-key.ts',
      ),
    },
    globals: NODE,
    clock: 'injected',
    instead:
      'say which ports the verb needs beside ServiceContext (services/context.ts); build them in services/create-service-deps.ts',
  },
  activities: {
    ours: ['core', 'services', 'store', 'activities'],
    types: ['platform'],
    packages: {
      'node:zlib': places('node:zlib in activities', 'activities/operators/answer-text.ts'),
      zod: places('zod in activities', 'activities/operators/', 'activities/on-claim.ts'),
      liquidjs: places('liquidjs in activities', 'activities/operators/liquid-text.ts'),
      postgres: places('postgres in activities', 'activities/operators/'),
      'libpg-query': places('libpg-query', 'activities/operators/sql-grammar.ts'),
      '@temporalio/activity': 'anywhere',
      '@temporalio/common': 'anywhere',
      'node:crypto': places(
        'node:crypto in activities',
        'activities/settle-step.ts',
        'activities/operators/rows-digest.ts',
        'activities/operators/postgres-backup.ts',
      ),
      'node:events': places('node:events in activities', 'activities/operators/copy-stream.ts'),
      'node:stream': places('node:stream in activities', 'activities/operators/copy-stream.ts'),
      'node:timers/promises': 'anywhere',
    },
    globals: NODE,
    clock: 'injected',
    instead: 'an activity takes its adapters by ActivityDeps: add a port there and build it in a composition root',
  },
  platform: {
    ours: ['core', 'platform'],
    types: [],
    packages: {
      zod: 'anywhere',
      yaml: 'anywhere',
      pino: places('pino', 'platform/logger.ts'),
      'prom-client': places('prom-client', 'platform/metrics.ts'),
      postgres: places('postgres in platform', 'platform/embedded/'),
      '@temporalio/client': 'anywhere',
      '@temporalio/common': 'anywhere',
      '@slack/web-api': places('@slack/web-api', 'platform/notify/'),
      nodemailer: places('nodemailer', 'platform/notify/'),
      standardwebhooks: 'anywhere',
      cloudevents: 'anywhere',
      jose: 'anywhere',
      '@node-rs/argon2': places('argon2', 'platform/password.ts'),
      '@ai-sdk/provider': places('@ai-sdk/provider', 'platform/models/'),
      '@ai-sdk/openai-compatible': places('@ai-sdk/openai-compatible', 'platform/models/open-model.ts'),
      '@ai-sdk/anthropic': places('@ai-sdk/anthropic', 'platform/models/open-model.ts'),
      '@ai-sdk/google': places('@ai-sdk/google', 'platform/models/open-model.ts'),
      ulid: places('ulid', 'platform/ids.ts'),
      liquidjs: places('liquidjs in platform', 'platform/packs/'),
      'ipaddr.js': 'anywhere',
      'proper-lockfile': 'anywhere',
      esbuild: places('esbuild', 'platform/program/build-bundle.mjs'),
      execa: places('execa', 'platform/embedded/'),
      tsx: places('tsx', 'platform/program/launch.mjs'),
      undici: places('undici', 'platform/embedded/install-temporal.ts'),
      'node:async_hooks': places('node:async_hooks in platform', 'platform/models/measured-fetch.ts'),
      'node:buffer': 'anywhere',
      'node:child_process': places('node:child_process in platform', 'platform/embedded/', 'platform/console/'),
      'node:crypto': 'anywhere',
      'node:events': places('node:events in platform', 'platform/embedded/await-settings.ts'),
      'node:process': places('node:process', 'platform/embedded/await-settings.ts', 'platform/program/'),
      'node:dns/promises': places('node:dns', 'platform/egress/'),
      'node:fs': 'anywhere',
      'node:fs/promises': 'anywhere',
      'node:http': 'anywhere',
      'node:https': 'anywhere',
      'node:module': 'anywhere',
      'node:net': 'anywhere',
      'node:os': 'anywhere',
      'node:path': 'anywhere',
      'node:readline': 'anywhere',
      'node:stream': 'anywhere',
      'node:stream/promises': 'anywhere',
      'node:timers/promises': 'anywhere',
      'node:url': 'anywhere',
      'node:util': places('node:util in platform', 'platform/console/'),
      'node:zlib': places('node:zlib in platform', 'platform/console/', 'platform/backups/'),
    },
    globals: NODE,
    clock: 'own',
    instead: 'platform holds adapters that know no service: let a composition root bring both together',
  },
  workers: {
    ours: ['core', 'services', 'store', 'platform', 'activities', 'workers'],
    types: [],
    packages: {
      '@temporalio/worker': 'anywhere',
      '@temporalio/client': 'anywhere',
      'node:crypto': 'anywhere',
      'node:fs/promises': 'anywhere',
      'node:module': 'anywhere',
      'node:os': 'anywhere',
      'node:path': 'anywhere',
      'node:url': 'anywhere',
    },
    globals: NODE,
    clock: 'injected',
    instead: 'a worker is put together from what platform, store and activities offer: put the adapter there',
  },
  api: {
    ours: ['core', 'services', 'api'],
    types: ['platform'],
    packages: {
      'csv-stringify': places('CSV', 'api/csv-response.ts'),
      hono: 'anywhere',
      '@hono/zod-openapi': 'anywhere',
      '@hono/node-server': 'anywhere',
      zod: 'anywhere',
      'rate-limiter-flexible': places('rate-limiter-flexible', 'api/rate-limit.ts'),
      '@modelcontextprotocol/server': places('the MCP SDK', 'api/mcp/'),
      'node:crypto': 'anywhere',
      'node:fs': 'anywhere',
      'node:fs/promises': 'anywhere',
      'node:http': 'anywhere',
      'node:module': 'anywhere',
      'node:timers/promises': 'anywhere',
    },
    globals: NODE,
    clock: 'injected',
    instead: 'a route adapts one verb of services: take what it needs from ApiDeps, built in api/create-api-deps.ts',
  },
  client: {
    ours: ['client'],
    types: [],
    packages: { 'openapi-fetch': 'anywhere' },
    globals: new Set([...PURE, 'Headers', 'Request', 'Response']),
    clock: 'argument',
    instead: 'the client of the API runs in browsers as well: it knows what the API describes, and is given a fetch',
  },
  console: {
    ours: ['client', 'console'],
    types: [],
    packages: {
      react: 'anywhere',
      'react-dom': places('react-dom', 'console/src/main.tsx', 'console/src/lib/use-printing.ts'),
      '@tanstack/react-query': 'anywhere',
      '@tanstack/react-router': 'anywhere',
      'eventsource-parser': places('eventsource-parser in the console', 'console/src/lib/'),
      '@tanstack/react-virtual': places('@tanstack/react-virtual', 'console/src/components/virtual-table.tsx'),
      canonicalize: places('canonicalize in the console', 'console/src/lib/verify-slice.ts'),
      // Markdown is a chunk of its own
      'react-markdown': places('react-markdown', 'console/src/components/markdown.tsx'),
      'remark-gfm': places('remark-gfm', 'console/src/components/markdown.tsx'),
      '@codemirror/autocomplete': places('@codemirror/autocomplete', 'console/src/components/yaml-completion.ts'),
      '@codemirror/commands': YAML_EDITOR,
      '@codemirror/lang-yaml': YAML_EDITOR,
      '@codemirror/language': YAML_EDITOR,
      '@codemirror/lint': YAML_EDITOR,
      '@codemirror/state': YAML_EDITOR,
      '@codemirror/view': YAML_EDITOR,
      '@lezer/highlight': YAML_EDITOR,
      '@rjsf/core': places('@rjsf/core', 'console/src/features/start/'),
      '@rjsf/utils': places('@rjsf/utils', 'console/src/features/start/'),
      '@cfworker/json-schema': places('@cfworker/json-schema', 'console/src/features/start/schema-validator.ts'),
      cronstrue: places('cronstrue', 'console/src/features/triggers/cron-words.tsx'),
      vite: CONSOLE_BUILD,
      '@vitejs/plugin-react': CONSOLE_BUILD,
      '@tailwindcss/vite': CONSOLE_BUILD,
      'node:path': CONSOLE_BUILD,
      'node:process': CONSOLE_BUILD,
      'node:url': CONSOLE_BUILD,
    },
    globals: BROWSER,
    clock: 'own',
    instead:
      'the console is one more client: ask the API by console/src/lib/api.ts, and add to the API what it does not say',
  },
  cli: {
    ours: ['core', 'services', 'platform', 'client', 'cli'],
    types: [],
    packages: {
      commander: 'anywhere',
      picocolors: 'anywhere',
      'fast-string-truncated-width': places('fast-string-truncated-width', 'cli/table.ts'),
      '@clack/prompts': 'anywhere',
      'eventsource-parser': 'anywhere',
      zod: 'anywhere',
      yaml: 'anywhere',
      pino: 'anywhere',
      'prom-client': places('prom-client in cli', 'cli/demo/demo-metrics.ts'),
      'node:child_process': 'anywhere',
      'node:crypto': 'anywhere',
      'node:events': 'anywhere',
      'node:fs': 'anywhere',
      'node:fs/promises': 'anywhere',
      'node:http': places('node:http in cli', 'cli/demo/demo-server.ts', 'cli/dev/model-server.ts'),
      'node:net': places('node:net in cli', 'cli/demo/demo-server.ts', 'cli/dev/model-server.ts'),
      'node:os': places('node:os in cli', 'cli/admin-runtime.ts'),
      'node:path': 'anywhere',
      'node:readline': 'anywhere',
      'node:stream/consumers': 'anywhere',
      'node:timers/promises': 'anywhere',
      'node:url': 'anywhere',
    },
    globals: NODE,
    clock: 'own',
    instead:
      'a command calls the API as anybody would: see cli/api-client.ts; what works on this machine is in cli/admin-runtime.ts',
  },
}

/** What measures may do as it likes, short of a second choke point. */
FOLDERS['bench'] = {
  ours: [...Object.keys(FOLDERS), 'test', 'bench'],
  types: [],
  packages: Object.fromEntries(
    `@cedar-policy/cedar-wasm @hono/node-server @temporalio/client @temporalio/worker @temporalio/workflow autocannon hono undici node:child_process node:crypto node:events node:fs
    node:fs/promises node:http node:net node:os node:path node:stream/consumers node:timers/promises node:url`
      .split(/\s+/)
      .map((name) => [name, 'anywhere'] as const),
  ),
  globals: NODE,
  clock: 'own',
  instead: 'a measure uses the product as its users do',
}

export const folderOf = (path: string) => path.split('/')[0] ?? ''

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/))
}
