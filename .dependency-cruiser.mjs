/**
 * Who may import what. What is not listed is forbidden; `fix` says what to do instead.
 *
 * ours: folders, with values. types: folders, by `import type` alone. packages: npm packages and built-in modules, in the
 * whole folder. places: packages in these files alone; a place that ends in `/` is a folder.
 */
export const FOLDERS = {
  core: {
    ours: ['core'],
    packages: ['zod'],
    places: {
      ajv: ['core/plan/'],
      'ajv-formats': ['core/plan/'],
      canonicalize: ['core/json/canonical.ts'],
      '@marcbachmann/cel-js': ['core/expression/'],
      'ipaddr.js': ['core/egress/'],
      re2js: ['core/'],
    },
    fix: 'Core decides from its arguments alone: take the value, or a function that finds it, as an argument.',
  },
  workflows: {
    ours: ['core', 'workflows'],
    packages: ['@temporalio/workflow'],
    fix: 'A workflow is replayed: use @temporalio/workflow (sleep, uuid4), or let an activity do it.',
  },
  store: {
    ours: ['core', 'store'],
    packages: ['postgres', 'postgres-array'],
    places: {
      'node:crypto': ['store/make-app-role.ts', 'store/run-migrations.ts'],
      'node:fs': ['store/read-sql.ts'],
      'node:events': ['store/sql/postgres-socket.ts'],
      'node:net': ['store/sql/postgres-socket.ts'],
      'node:tls': ['store/sql/postgres-socket.ts'],
    },
    fix: 'Store holds SQL and nothing else: let services decide and platform reach out.',
  },
  services: {
    ours: ['core', 'store', 'services', 'platform/within.ts'],
    types: ['platform'],
    packages: ['zod'],
    places: {
      'node:crypto': [
        'services/auth/invite-user.ts',
        'services/api-keys/api-keys.ts',
        'services/create-service-deps.ts',
      ],
    },
    fix: 'Say which ports the verb needs beside ServiceContext (services/context.ts), and build them in services/create-service-deps.ts.',
  },
  activities: {
    ours: ['core', 'services', 'store', 'activities', 'platform/within.ts'],
    types: ['platform'],
    packages: ['@temporalio/activity', '@temporalio/common', 'node:timers/promises'],
    places: {
      zod: ['activities/operators/', 'activities/claims/on-claim.ts'],
      liquidjs: ['activities/operators/liquid-text.ts'],
      postgres: ['activities/operators/'],
      'libpg-query': ['activities/operators/postgres/effects/sql-grammar.ts'],
      'node:crypto': [
        'activities/step/store-artifacts.ts',
        'activities/operators/postgres/backup/rows-digest.ts',
        'activities/operators/postgres/scram-verifier.ts',
        'activities/operators/postgres/backup.ts',
      ],
      'node:events': ['activities/operators/postgres/backup/copy-stream.ts'],
      'node:stream': ['activities/operators/postgres/backup/copy-stream.ts'],
      'node:zlib': ['activities/operators/answer-text.ts'],
    },
    fix: 'An activity takes its adapters by ActivityDeps: add a port there and build it in a composition root.',
  },
  platform: {
    ours: ['core', 'platform'],
    packages: [
      ...['zod', 'yaml', '@temporalio/client', '@temporalio/common', 'standardwebhooks', 'cloudevents', 'jose'],
      ...['ipaddr.js', 'proper-lockfile', 'node:buffer', 'node:crypto', 'node:fs', 'node:fs/promises', 'node:http'],
      ...['node:https', 'node:module', 'node:net', 'node:os', 'node:path', 'node:readline', 'node:stream'],
      ...['node:stream/promises', 'node:timers/promises', 'node:url'],
    ],
    places: {
      pino: ['platform/logger.ts'],
      'prom-client': ['platform/metrics.ts'],
      postgres: ['platform/embedded/'],
      '@slack/web-api': ['platform/notify/'],
      nodemailer: ['platform/mail/send-mail.ts'],
      '@node-rs/argon2': ['platform/password.ts'],
      '@ai-sdk/provider': ['platform/models/'],
      '@ai-sdk/openai-compatible': ['platform/models/open-model.ts'],
      '@ai-sdk/anthropic': ['platform/models/open-model.ts'],
      '@ai-sdk/google': ['platform/models/open-model.ts'],
      '@aws-sdk/client-s3': ['platform/s3/s3-client.ts'],
      '@aws-sdk/s3-request-presigner': ['platform/s3/s3-client.ts'],
      'openid-client': ['platform/oauth/'],
      '@modelcontextprotocol/client': ['platform/mcp/'],
      'eventsource-parser': ['platform/mcp/'],
      ulid: ['platform/ids.ts'],
      liquidjs: ['platform/packs/'],
      esbuild: ['platform/program/build-bundle.mjs'],
      execa: ['platform/embedded/'],
      tsx: ['platform/program/launch.mjs'],
      undici: ['platform/embedded/install-temporal.ts'],
      'node:async_hooks': ['platform/models/measured-fetch.ts'],
      'node:child_process': ['platform/embedded/', 'platform/console/', 'platform/git/', 'platform/processes/'],
      'node:events': ['platform/embedded/await-settings.ts'],
      'node:process': ['platform/embedded/await-settings.ts', 'platform/program/'],
      'node:dns/promises': ['platform/egress/'],
      'node:tls': ['platform/egress/tls-handshake.ts'],
      'node:util': ['platform/console/'],
      'node:zlib': ['platform/console/', 'platform/backups/'],
    },
    fix: 'Platform holds adapters that know no service: let a composition root bring both together.',
  },
  workers: {
    ours: ['core', 'services', 'store', 'platform', 'activities', 'workers'],
    packages: [
      ...['@temporalio/worker', '@temporalio/client', 'node:crypto', 'node:fs/promises', 'node:module'],
      ...['node:os', 'node:path', 'node:url'],
    ],
    fix: 'A worker is put together from what platform, store and activities offer: put the adapter there.',
  },
  api: {
    ours: ['core', 'services', 'api', 'platform/within.ts'],
    types: ['platform'],
    packages: [
      ...['hono', '@hono/zod-openapi', '@hono/node-server', 'zod', 'node:crypto', 'node:fs', 'node:fs/promises'],
      ...['node:http', 'node:module', 'node:timers/promises'],
    ],
    places: {
      'csv-stringify': ['api/csv-response.ts'],
      'rate-limiter-flexible': ['api/rate-limit.ts'],
      '@modelcontextprotocol/server': ['api/mcp/'],
    },
    fix: 'A route adapts one verb of services: take what it needs from ApiDeps, built in api/create-api-deps.ts.',
  },
  client: {
    ours: ['client'],
    packages: ['openapi-fetch'],
    fix: 'The client of the API runs in browsers as well: it knows what the API describes, and is given a fetch.',
  },
  console: {
    ours: ['client', 'console', 'core/text/pills.ts'],
    packages: ['react', '@tanstack/react-query', '@tanstack/react-router', 'lucide-react'],
    places: {
      'react-dom': ['console/src/main.tsx', 'console/src/lib/use-media.ts'],
      'eventsource-parser': ['console/src/lib/'],
      'radix-ui': ['console/src/app/', 'console/src/components/'],
      clsx: ['console/src/lib/cn.ts'],
      'tailwind-merge': ['console/src/lib/cn.ts'],
      '@tanstack/react-virtual': ['console/src/components/virtual-table.tsx'],
      canonicalize: ['console/src/lib/verify-slice.ts'],
      // Markdown is a chunk of its own, and so is the editor
      'react-markdown': ['console/src/components/markdown.tsx'],
      'remark-gfm': ['console/src/components/markdown.tsx'],
      '@codemirror/autocomplete': ['console/src/components/yaml-editor.tsx'],
      '@codemirror/commands': ['console/src/components/yaml-editor.tsx'],
      '@codemirror/lang-yaml': ['console/src/components/yaml-editor.tsx'],
      '@codemirror/language': ['console/src/components/yaml-editor.tsx'],
      '@codemirror/lint': ['console/src/components/yaml-editor.tsx'],
      '@codemirror/state': ['console/src/components/yaml-editor.tsx'],
      '@codemirror/view': ['console/src/components/yaml-editor.tsx'],
      '@lezer/highlight': ['console/src/components/yaml-editor.tsx'],
      '@rjsf/core': ['console/src/features/start/'],
      '@rjsf/utils': ['console/src/features/start/'],
      '@cfworker/json-schema': ['console/src/features/start/inputs-form.tsx'],
      cronstrue: ['console/src/features/triggers/cron-words.tsx'],
      vite: ['console/build.mjs', 'console/vite.config.mjs'],
      '@vitejs/plugin-react': ['console/vite.config.mjs'],
      '@tailwindcss/vite': ['console/vite.config.mjs'],
      'node:path': ['console/build.mjs', 'console/vite.config.mjs'],
      'node:process': ['console/build.mjs', 'console/vite.config.mjs'],
      'node:url': ['console/build.mjs', 'console/vite.config.mjs'],
    },
    fix: 'The console is one more client: ask the API by console/src/lib/api.ts, and add to the API what it does not say.',
  },
  cli: {
    ours: ['core', 'services', 'platform', 'client', 'cli', 'package.json'],
    packages: [
      ...['commander', 'picocolors', '@clack/prompts', 'eventsource-parser', 'zod', 'yaml', 'pino'],
      ...['node:child_process', 'node:crypto', 'node:events', 'node:fs', 'node:fs/promises', 'node:path'],
      ...['node:readline', 'node:stream/consumers', 'node:timers/promises', 'node:url'],
    ],
    places: {
      'fast-string-truncated-width': ['cli/views/table.ts'],
      'prom-client': ['cli/demo/demo-metrics.ts'],
      'node:http': ['cli/demo/demo-server.ts', 'cli/dev/'],
      'node:net': ['cli/dev/serve-on-loopback.ts'],
      'node:os': ['cli/admin-runtime.ts'],
    },
    fix: 'A command calls the API as anybody would: see cli/client/api-client.ts. What works on this machine is in cli/admin-runtime.ts.',
  },
  bench: {
    ours: [
      ...['core', 'store', 'platform', 'services', 'workflows', 'activities', 'workers', 'api', 'cli', 'client'],
      ...['console', 'test', 'bench'],
    ],
    packages: [
      ...['@cedar-policy/cedar-wasm', '@hono/node-server', '@temporalio/client', '@temporalio/worker'],
      ...['@temporalio/workflow', 'autocannon', 'hono', 'undici', 'node:child_process', 'node:crypto', 'node:events'],
      ...['node:fs', 'node:fs/promises', 'node:http', 'node:net', 'node:os', 'node:path', 'node:stream/consumers'],
      ...['node:timers/promises', 'node:url'],
    ],
    fix: 'A measure uses the product as its users do.',
  },
}

/** Composition roots read the settings and build the adapters, so they import all folders of the product. */
export const ROOTS = [
  ...['api/main.ts', 'api/api-parts.ts', 'api/api-runtime.ts', 'api/create-api-deps.ts', 'api/create-ask-ports.ts'],
  ...[
    'api/create-auth.ts',
    'api/create-authoring.ts',
    'api/create-model-ports.ts',
    'api/create-report.ts',
    'api/open-inbox.ts',
    'cli/admin-runtime.ts',
  ],
  ...['cli/check-runtime.ts', 'cli/main.ts', 'services/connections/create-connection-ports.ts'],
  ...['services/create-service-deps.ts', 'workers/main.ts', 'workers/worker-runtime.ts', 'store/migrate-main.ts'],
]

/** Files and packages behind a choke point, and the files that may import values from them. */
export const CHOKE_POINTS = [
  {
    to: 'activities/step/simulate.ts',
    by: ['activities/step/decide.ts', 'activities/step/predict.ts'],
    fix: 'Steps are simulated by decideStep and decideDryRun, when they are judged.',
  },
  {
    to: 'activities/step/run-operator.ts',
    by: ['activities/step/execute-step.ts', 'activities/step/simulate.ts'],
    fix: 'An effect goes through executeStep, which judges, parks, reserves and records it.',
  },
  {
    to: 'activities/step/execute-step.ts',
    by: ['activities/run/advance-run.ts'],
    fix: 'Steps are executed by advanceRun, under the fence that it takes.',
  },
  {
    to: 'services/approvals/record-decision.ts',
    by: ['activities/index.ts', 'services/create-service-deps.ts'],
    fix: "Call decideGate (services/approvals/decide-gate.ts): the run's workflow asks the writer.",
  },
  {
    to: 'platform/temporal/engine.ts',
    by: ['api/api-runtime.ts', 'workers/worker-runtime.ts'],
    fix: 'The engine is built in a composition root: take it as an argument.',
  },
  {
    to: 'activities/operators/index.ts',
    by: ['api/api-runtime.ts', 'workers/worker-runtime.ts', 'cli/check-runtime.ts'],
    fix: 'Operators are run by executeStep; what is known of one is in its catalogue entry (core/operator.ts).',
  },
  {
    to: 'node:http',
    by: [
      ...['api/server.ts', 'platform/embedded/web-ui-guard.ts', 'platform/egress/send-hop.ts'],
      ...[
        'cli/demo/demo-server.ts',
        'cli/dev/model-server.ts',
        'cli/dev/serve-on-loopback.ts',
        'cli/dev/webhook-server.ts',
      ],
      ...['bench/model-upstream-main.ts', 'bench/naive-alerts.ts'],
    ],
    fix: 'The API listens in api/server.ts, and requests to the world go through platform/egress.',
  },
  {
    to: 'node:https',
    by: ['platform/egress/send-hop.ts'],
    fix: 'Requests to the world go through platform/egress.',
  },
  {
    to: 'nodemailer',
    by: ['platform/mail/send-mail.ts'],
    fix: 'Send a notice through a channel (platform/notify/kinds/email.ts), and any other mail by platform/mail/send-mail.ts.',
  },
]

/** Reviewed: all that the tools of the ask agent reach as values, beside core. */
const ASK_TOOLS = '^services/ask/(?:tools/|(?:define-ask-tool|read-gates|run-tool)\\.ts$)|^store/ask-reads/'

const TYPES = { dependencyTypesNot: ['type-only', 'type-import'] }
const escaped = (text) => text.replaceAll(/[.\\/]/g, '\\$&')
const either = (parts) => `^(?:${parts.join('|')})`
const places = (paths) => either(paths.map((path) => (path.endsWith('/') ? path : `${escaped(path)}$`)))
const folders = (names) => names.map((name) => (name.includes('.') ? `${escaped(name)}$` : `${name}/`))
/** A package as it is resolved: its folder, or the bare name of a built-in module. */
const resolved = (name) =>
  name.startsWith('node:') ? `${name.slice('node:'.length)}$` : `node_modules/(?:@types/)?${escaped(name)}/`

function rulesOf([folder, { ours, types = [], packages, places: inPlaces = {}, fix }]) {
  const product = Object.keys(FOLDERS).filter((name) => name !== 'bench')
  const inRoots = ROOTS.filter((root) => root.startsWith(`${folder}/`))
  const known = [...packages, ...Object.keys(inPlaces)].map(resolved)
  const rule = (name, from, to, comment = fix) => ({
    name: `${folder}-${name}`,
    severity: 'error',
    comment,
    from: { path: `^${folder}/`, ...from },
    to,
  })
  const may = either([...folders([...ours, ...types]), ...known])
  return [
    rule(
      'imports',
      inRoots.length > 0 ? { pathNot: places(inRoots) } : {},
      { pathNot: may },
      `${fix} A package that belongs in ${folder} is listed in .dependency-cruiser.mjs.`,
    ),
    ...(inRoots.length > 0
      ? [rule('roots', { path: places(inRoots) }, { pathNot: either([...folders([...ours, ...product]), ...known]) })]
      : []),
    ...(types.length > 0
      ? [
          rule(
            'types',
            inRoots.length > 0 ? { pathNot: places(inRoots) } : {},
            { path: either(folders(types)), pathNot: either(folders(ours)), ...TYPES },
            `Use \`import type\` here. ${fix}`,
          ),
        ]
      : []),
    ...Object.entries(inPlaces).map(([name, where]) =>
      rule(
        `places-of-${name}`,
        { pathNot: places(where) },
        { path: `^${resolved(name)}` },
        `${name} is imported in ${where.join(', ')} alone. ${fix}`,
      ),
    ),
  ]
}

export default {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      comment: 'No import leads back to where it began, types included: move what both files need to a third one.',
      from: { pathNot: '^bench/' },
      to: { circular: true },
    },
    ...Object.entries(FOLDERS).flatMap(rulesOf),
    {
      name: 'core-schemas',
      severity: 'error',
      comment: 'Shapes of core stand in schema.ts and *-schema.ts: import the type from there.',
      from: { path: '^core/', pathNot: '[/-]schema\\.ts$|^core/trigger/sources/' },
      to: { path: `^${resolved('zod')}` },
    },
    {
      name: 'workflows-know-names-only',
      severity: 'error',
      comment: 'What a workflow is told of plans and votes is a claim: ask the record in an activity.',
      from: { path: '^workflows/' },
      to: { path: '^core/(?:plan|policy)/|^core/gate/(?!types\\.ts$)' },
    },
    {
      name: 'ask-tools-read-only',
      severity: 'error',
      comment:
        'A tool of the ask agent computes, or reads through the connection that it is given: nothing here starts, decides, calls or writes.',
      from: { path: ASK_TOOLS },
      to: { pathNot: `^core/|^${resolved('zod')}|${ASK_TOOLS}`, ...TYPES },
    },
    ...CHOKE_POINTS.map(({ to, by, fix }) => ({
      name: `choke-point-${to}`,
      severity: 'error',
      comment: fix,
      from: { pathNot: places(by) },
      to: { path: to.endsWith('.ts') ? `^${escaped(to)}$` : `^${resolved(to)}`, ...TYPES },
    })),
  ],
  options: {
    doNotFollow: { path: '^node_modules/|^test/|generated\\.ts$' },
    exclude: '^console/dist/',
    parser: 'tsc',
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.mjs', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
}
