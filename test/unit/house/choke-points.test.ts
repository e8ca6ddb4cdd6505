import { describe, expect, test } from 'vitest'
import { isIn, lineAt, PRODUCT, readFolders, type Source, withoutComments, words } from './sources.ts'

/** Where a file does what is allowed in a few places alone. */
type Uses = (path: string, code: string) => number[]

/** Wherever the code matches. */
function text(pattern: RegExp | string, folders?: string[]): Uses {
  const regex = new RegExp(pattern, 'gm')
  return (path, code) =>
    folders === undefined || folders.includes(path.split('/')[0] ?? '')
      ? [...code.matchAll(regex)].map(({ index }) => index)
      : []
}

/** `a.name`, `const { name } = a`; to ask whether it is there is no use. */
const member = (names: string) =>
  text(`(?<!\\bpostgres)\\.(?:${names})\\b(?!\\s*[!=]==)|(?:const|let) \\{[^}=]*\\b(?:${names})\\b[^}=]*\\} =`)

/** The same, of what has this name or is declared with this type. */
const memberOf =
  (owner: string, type: string, names: string): Uses =>
  (path, code) => {
    const typed = [...code.matchAll(new RegExp(`(\\w+)\\??: \\w*(?:${type})\\b`, 'g'))].map(([, name]) => name)
    const owners = [owner, ...typed].join('|')
    return text(`\\b(?:${owners})(?:[?!]?\\.|: \\{[^}]*\\b)(?:${names})\\b(?!\\s*[!=]==)`)(path, code)
  }
const engine = (names: string) => memberOf('\\w*[eE]ngine', 'Engine', names)

/** Values of this name that are imported from this package or file. */
const imported = (from: string, names: string) =>
  text(`^(?:import|export) (?!type )[^'"]*(?<!type )\\b(?:${names})\\b[^'"]*'[^']*${from}'`)

const LOCAL_TIME =
  /\.[gs]et(?:FullYear|Month|Date|Day|Hours|Minutes|Seconds|Milliseconds|TimezoneOffset)\b|\.toLocale(?:Date|Time)?String\b|\.(?:format|formatToParts|DateTimeFormat)\(\)/
const GIVEN_A_CLOCK = PRODUCT.filter((folder) => !['platform', 'cli'].includes(folder))

interface Rule {
  places: string[]
  uses: Uses
}

/** Files, or folders that end in `/`. */
const only = (places: string[], uses: Uses): Rule => ({ places, uses })

/** JSON that this product wrote, or of which nothing is kept: where it is read. */
const OWN_JSON: Record<string, string[]> = {
  'a copy': words(`
    activities/operators/field-schema.ts activities/operators/operator-input.ts activities/step/resolved.ts
    console/src/features/start/preflight-view.tsx core/gate/attribute.ts core/pipeline/advance.ts`),
  'what the product has written and reads again': words(`
    activities/operators/postgres/backup.ts activities/operators/postgres/backup/manifest.ts cli/ask/start-plan.ts
    cli/client/credentials.ts cli/client/describe-failure.ts cli/commands/evidence.ts cli/dev/scripted-answer.ts
    console/src/features/connections/draft.ts core/audit/chain.ts core/models/roles-record-schema.ts
    platform/audit-sink/tail.ts platform/embedded/child-log.ts platform/embedded/temporal.ts
    platform/program/bundle.mjs platform/program/source-stack.mjs platform/secret-box.ts services/audit/late-write.ts
    services/connections/refresh-tokens.ts services/models/put-model-roles.ts store/authored/presets.ts
    store/gates/gate-decisions.ts`),
  'a file that ships with the product': words(`
    api/api-runtime.ts cli/svc.mjs platform/embedded/postgres-account.ts`),
  'an answer or an event of the API': words(`
    api/mcp/tool-result.ts cli/client/api-client.ts cli/client/read-events.ts console/src/features/ask/api.ts
    console/src/lib/follow-events.ts`),
  'the readers themselves': words(`
    core/json/parse-json.ts`),
  'what one part of the product tells another': words(`
    platform/embedded/children.ts platform/mcp/egress-fetch.ts platform/processes/process-runner.ts
    platform/processes/supervise.mjs services/bus/bus-position.ts store/models/model-calls.ts
    store/runs/listen-for-runs.ts store/runs/runs.ts`),
}

/** What it is and what to do instead, where it is allowed, and how it is found. */
const RULES: Record<string, Rule> = {
  'tells the present time (new Date()). Take `now` as an argument, or `clock` from the context': only(
    [],
    text(/\bnew Date\b(?:\(\)|(?!\())/, GIVEN_A_CLOCK),
  ),
  'reads the clock or the zone of the machine. Use the UTC methods, or core/schedule/zone.ts for a zone that is named':
    only([], text(LOCAL_TIME, ['core', 'client'])),
  'imports a name that is computed. Write the name out, so that it can be read what is loaded': only(
    ['platform/program/launch.mjs'],
    text(/\bimport\(\s*(?!['"\s])/),
  ),
  'goes around imports. Import it by its name, where the list of the folder in .dependency-cruiser.mjs allows it': only(
    [],
    text(/\.(?:getBuiltinModule|mainModule|constructor)\b/),
  ),
  'names a file of test. What ships stands outside of test: move the file to where it is used': only(
    [],
    text(/['"`](?:(?:\.{1,2}\/)+test['"`/]|test\/)/, [...PRODUCT, 'console']),
  ),

  'opens a connection to PostgreSQL. Take a Db as an argument; operators use activities/operators/postgres/session.ts':
    only(
      words(`
        store/db.ts store/sql/lock-session.ts platform/embedded/postgres.ts activities/operators/postgres/session.ts
        activities/operators/postgres/connection-target.ts`),
      text(/(?<![.^\w'"`])postgres\((?!\))/),
    ),
  'builds a client of Temporal. Use platform/temporal/connect.ts in a composition root, and take the Engine as an argument':
    only(
      ['platform/temporal/connect.ts', 'platform/embedded/ask-temporal.ts', 'workers/worker-runtime.ts', 'bench/'],
      imported('@temporalio/client', '\\w*Client|Connection'),
    ),
  'builds a worker of Temporal. Add the activity or the workflow in workers/create-workers.ts': only(
    ['workers/create-workers.ts', 'workers/main.ts', 'bench/'],
    imported('@temporalio/worker', 'Worker|NativeConnection|Runtime'),
  ),
  'opens a server or a connection. The API listens in api/server.ts; requests to the world go through platform/egress':
    only(
      words(`
        platform/check/reach.ts platform/embedded/free-port.ts platform/embedded/home-lock.ts
        platform/embedded/temporal.ts store/sql/postgres-socket.ts`),
      imported('node:net', 'createServer|Server|connect|createConnection|Socket|\\w+ from'),
    ),
  'serves Hono. The API listens in api/server.ts: add a route to api/registry.ts': only(
    ['bench/model-proxy-main.ts'],
    imported('@hono/node-server', 'serve|createAdaptorServer'),
  ),

  'writes a transition of a run. An execution does so by commit (activities/run/commit.ts)': only(
    ['activities/run/commit.ts', 'services/runs/close-run.ts', 'services/runs/record-cancel.ts', 'bench/q9.ts'],
    memberOf('runs', 'RunStore', 'record'),
  ),
  'imports stepModels. An operator asks through ctx.models, which executeStep hands to it': only(
    ['activities/step/run-operator.ts'],
    imported('step-models.ts', 'stepModels'),
  ),
  'imports callModelInStep. Call callModel: only a step that executeStep has judged and opened is not judged again':
    only(['activities/step/step-models.ts'], imported('call-model.ts', 'callModelInStep')),
  'asks a provider of models. Call callModel, which judges, reserves, settles and records every attempt': only(
    ['services/models/call-model.ts', 'services/models/embed-texts.ts'],
    memberOf('upstream', 'ModelUpstream', 'generate|stream|embed'),
  ),
  // a query of the driver is executed as well
  'executes an operator. That does executeStep (activities/step/execute-step.ts), which judges, parks, reserves and records it':
    only(
      // a test of a connection, which only reads
      words(`
        activities/step/run-operator.ts services/connections/test-connection.ts store/tenant-db.ts bench/`),
      member('execute'),
    ),
  'tests a connection. That does the test of a connection alone': only(
    ['services/connections/test-connection.ts'],
    memberOf('operator', 'Operator', 'testConnection'),
  ),
  'simulates an operator. That does simulateStep (activities/step/simulate.ts) alone': only(
    ['activities/step/simulate.ts'],
    member('simulate'),
  ),
  'uses engine.decide. Call decideGate, which settles who is asking and signs the command': only(
    ['services/approvals/ask-record.ts'],
    engine('decide'),
  ),
  'uses engine.start. Call admitRun (services/runs/admit-run.ts): no run begins that was not admitted': only(
    ['services/runs/admit-run.ts', 'workers/worker-runtime.ts'],
    engine('start|restart'),
  ),
  'uses engine.cancel. Call cancelRun (services/runs/cancel-run.ts), which checks and signs the command': only(
    ['services/runs/cancel-run.ts'],
    engine('cancel'),
  ),
  // the first five build the context that others read the engine of; the engine of schedules starts no run
  'hands the engine on. Hand on the verb that needs it, or the whole context': only(
    words(`
      services/create-service-deps.ts api/create-api-deps.ts workers/create-skills.ts workers/create-pipelines.ts
      workers/create-schedules.ts services/schedules/put-in-engine.ts services/schedules/tick-lost.ts`),
    text(/\.engine\b(?![?!]?\.\w|\s*[!=]==)|\{[^{}]*\bengine\b[^{}]*\}(?:: \w| = |\) =>)/),
  ),
  'resolves a gate. A gate has one writer (recordDecision), its expiry and its cancellation: call decideGate or cancelRun':
    only(
      ['services/approvals/expire-gate.ts', 'services/approvals/record-decision.ts', 'services/runs/record-cancel.ts'],
      memberOf('[dD]ecisions', 'GateDecisions', 'resolve'),
    ),
  // that a replay begins, or that a test is sent, changes nothing itself
  'uses appendAudit. Pass the record to the statement of the change: a crash between two statements loses or repeats it':
    only(
      [
        'services/channels/test-channel.ts',
        'services/connections/test-connection.ts',
        'services/inbox/replay-inbox.ts',
      ],
      member('appendAudit'),
    ),
  'speaks to a workflow. That does the Engine (platform/temporal/engine.ts)': only(
    ['platform/temporal/', 'platform/schedules/', 'bench/'],
    member('getHandle|executeUpdate|startUpdate|signalWithStart|executeUpdateWithStart|startUpdateWithStart'),
  ),
  'starts a workflow. Runs are started by admitRun, and the engine does it (platform/temporal/engine.ts)': only(
    ['platform/temporal/', 'platform/schedules/', 'bench/'],
    memberOf('workflow', 'WorkflowClient', 'start|execute|terminate'),
  ),
  'runs a statement that is no tagged template. Write it as one: values become parameters, and a test can read it':
    only(
      words(`
        store/run-migrations.ts store/make-app-role.ts store/ask/make-ask-role.ts store/rights/apply-rights.ts
        store/tenant-db.ts activities/operators/postgres/backup/catalogue.ts
        activities/operators/postgres/backup/definitions.ts activities/operators/postgres/backup/session.ts
        activities/operators/postgres/backup/copy-stream.ts activities/operators/postgres/execute.ts
        activities/operators/postgres/query.ts activities/operators/postgres/roles.ts
        activities/operators/postgres/session.ts activities/operators/postgres/effects/simulate-execute.ts
        platform/embedded/postgres.ts bench/naive-alerts.ts`),
      member('unsafe'),
    ),

  'cuts a text in the middle of a character, which no record can hold. Use cutText (core/text/text.ts)': only(
    words(`
      core/secret/redactor.ts core/trigger/fingerprint.ts core/trigger/transitions.ts core/knowledge/chunk-text.ts
      core/expression/expression-error.ts services/api-keys/api-keys.ts services/alerts/receive-alerts.ts
      services/ingress/act-on-signal.ts activities/operators/postgres/backup.ts
      activities/operators/postgres/restore-check.ts activities/operators/answer-text.ts platform/secret-settings.ts
      platform/temporal/temporal-readiness.ts platform/models/read-vectors.ts api/middleware/body.ts
      cli/client/api-client.ts`),
    text('\\.slice\\(0, (?:\\w*(?:CHARS|CHARACTERS|MESSAGE|REASON|TEXT)|[1-9][\\d_]{2,})\\)'),
  ),

  'declares a route. Call defineRoute, which checks who may, and add it to api/registry.ts': only(
    ['api/define-route.ts'],
    imported('@hono/zod-openapi', 'createRoute'),
  ),
  'reads JSON. Use parseJson for requests and parseForeignJson for what others wrote (core/json/parse-json.ts), which round nothing; or list what is ours':
    only(Object.values(OWN_JSON).flat(), text(/\bJSON\s*\.\s*parse\b/, [...PRODUCT, 'console'])),
}

/** What breaks a rule, and the permissions that nothing made use of. */
function check(sources: readonly Source[]): { found: string[]; unused: string[] } {
  const codes = sources.map((source) => ({ path: source.path, code: withoutComments(source) }))
  const rules = Object.entries(RULES).map(([what, { places, uses }]) => {
    const all = codes.flatMap(({ path, code }) => uses(path, code).map((at) => ({ path, line: lineAt(code, at) })))
    return {
      found: all.filter(({ path }) => !isIn(path, places)).map(({ path, line }) => `${path}:${line} ${what}`),
      unused: places.filter((place) => !all.some(({ path }) => isIn(path, [place]))).map((place) => `${place} ${what}`),
    }
  })
  return { found: rules.flatMap(({ found }) => found), unused: rules.flatMap(({ unused }) => unused) }
}

const sources = readFolders([...PRODUCT, 'console', 'bench']).filter(({ path }) => !path.endsWith('.sql'))
const tree = check(sources)

describe('what acts, starts, decides or opens a connection', () => {
  test('is used where it is listed, and nowhere else', () => {
    expect(tree.found).toEqual([])
  })

  test('has no permission that nobody needs any more', () => {
    expect(tree.unused).toEqual([])
  })

  test.each([
    ['asks a provider of models', 'const { upstream: { generate } } = ports'],
    ['executes an operator', 'export const x = (operator) => operator?.execute(input)'],
    ['simulates an operator', 'const { describe, simulate } = operator'],
    ['uses engine.start', 'export const x = (e: RunEngine) => e.start(run)'],
    ['uses engine.decide', 'await ctx.engine.decide(command)'],
    ['hands the engine on', 'go(ctx.engine)'],
    ['hands the engine on', 'export const x = ({ store, engine }: Deps) => go()'],
    ['opens a connection to PostgreSQL', "const db = postgres('postgres://h/d')"],
    ['builds a client of Temporal', "import { Connection as C, type Client } from '@temporalio/client'"],
    ['declares a route', "import { createRoute, z } from '@hono/zod-openapi'"],
    ['reads JSON', 'const body = JSON.parse(text)'],
    ['tells the present time (new Date())', 'const at = new Date().toISOString()'],
  ])('is found: %s, in %s', (what, text) => {
    const { found } = check([{ path: 'api/routes/runs/planted.ts', text }])
    expect(found.join('\n')).toContain(` ${what}. `)
  })

  test.each([
    'if (operator.simulate === undefined) return',
    "import { type Connection, WorkflowNotFoundError } from '@temporalio/client'",
    '// engine.decide(x), and postgres(url)',
    'interface Ports { appendAudit(): void }',
    'const at = new Date(clock()).toISOString()',
  ])('lets pass: %s', (text) => {
    expect(check([{ path: 'api/routes/runs/planted.ts', text }]).found).toEqual([])
  })
})
