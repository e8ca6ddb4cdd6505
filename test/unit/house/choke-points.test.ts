import { describe, expect, test } from 'vitest'
import { isIn, lineAt, PRODUCT, readFolders, type Source, withoutComments } from './sources.ts'

/** A use that is allowed in a few files. `fix` says what to do everywhere else. */
interface Rule {
  uses: (source: Source, code: string) => number[]
  in: string[]
  fix: string
}

const GIVEN_A_CLOCK = PRODUCT.slice(0, 8)

/** Wherever the code matches. */
function text(pattern: RegExp, folders?: string[]): Rule['uses'] {
  return ({ path }, code) =>
    folders === undefined || folders.includes(path.split('/')[0] ?? '')
      ? [...code.matchAll(pattern)].map(({ index }) => index)
      : []
}

/** `a.name`, `const { name } = a`; to ask whether it is there is no use. With `of`, only of what has this name or type. */
function member(names: string, of?: { name: string; type: string }): Rule['uses'] {
  return ({ path }, code) => {
    if (of === undefined)
      return text(
        new RegExp(
          `(?<!\\bpostgres)\\.(?:${names})\\b(?!\\s*[!=]==)|(?:const|let) \\{[^}=]*\\b(?:${names})\\b[^}=]*\\} =`,
          'g',
        ),
      )({ path, text: code }, code)
    const typed = [...code.matchAll(new RegExp(`(\\w+)\\??: \\w*(?:${of.type})\\b`, 'g'))].map(([, name]) => name)
    const owner = [of.name, ...typed].join('|')
    return [
      ...code.matchAll(new RegExp(`\\b(?:${owner})[?!]?\\.(?:${names})\\b(?!\\s*[!=]==)`, 'g')),
      ...code.matchAll(new RegExp(`\\b(?:${of.name}): \\{[^}]*\\b(?:${names})\\b`, 'g')),
    ].map(({ index }) => index)
  }
}

/** Values of this name that are imported from this package or file. */
const imported = (from: string, names: string) =>
  text(new RegExp(`^(?:import|export) (?!type )[^'"]*(?<!type )\\b(?:${names})\\b[^'"]*'[^']*${from}'`, 'gm'))

/** A function, method or other value that carries the name of a choke point. */
function defined(name: string): Rule['uses'] {
  return text(
    new RegExp(
      [
        `\\b(?:function|class|const|let|as) ${name}\\b`,
        `\\b${name} = (?:async )?\\(`,
        `\\b${name}: (?:async )?(?:function|\\w+ => |\\([^)]*\\) => \\{)`,
        `^ *(?:async )?${name}\\(.*\\{$`,
        `\\b${name}\\([^)]*\\) \\{`,
      ].join('|'),
      'gm',
    ),
  )
}

const ENGINE = { name: '\\w*[eE]ngine', type: 'Engine' }
const IN_ENGINE = ['platform/temporal/', 'platform/schedules/', 'bench/']
const RULES: Record<string, Rule> = {
  'reads the clock (new Date())': {
    uses: text(/\bnew Date\b(?:\(\)|(?!\())/g, GIVEN_A_CLOCK),
    in: [],
    fix: 'Take `now` as an argument, or `clock` from the context; a composition root gives it',
  },
  'reads the zone or the clock of the machine': {
    uses: text(
      /\.(?:get|set)(?:FullYear|Month|Date|Day|Hours|Minutes|Seconds|Milliseconds|TimezoneOffset)\b|\.toLocale(?:Date|Time)?String\b|\.(?:format|formatToParts|DateTimeFormat)\(\)/g,
      ['core', 'client'],
    ),
    in: [],
    fix: 'Use the UTC methods, or core/schedule/zone.ts for a zone that is named',
  },
  'imports a name that is computed': {
    uses: text(/\bimport\(\s*(?!['"\s])/g),
    in: ['platform/program/launch.mjs'],
    fix: 'Write the name out, so that it can be read what is loaded',
  },
  'loads modules or runs text by a way around imports': {
    uses: text(/\.(?:getBuiltinModule|mainModule|constructor)\b/g),
    in: [],
    fix: 'Import it by its name, where the list of the folder in .dependency-cruiser.mjs allows it',
  },
  'names a file of test': {
    uses: text(/['"`](?:(?:\.{1,2}\/)+test['"`/]|test\/)/g, [...PRODUCT, 'console']),
    in: [],
    fix: 'What ships stands outside of test: move the file to where it is used',
  },

  'has a handler of another file': {
    uses: ({ path }, code) => {
      const [, name] = path.startsWith('api/routes/') ? (/\},\n {2}(\w+),?\n\)(?!.)/.exec(code) ?? []) : []
      return name === undefined || new RegExp(`(?:function|const) ${name}\\b`).test(code)
        ? []
        : [code.lastIndexOf(name)]
    },
    in: [],
    fix: 'Write it beside its route: it adapts one verb of services in at most fifteen lines',
  },

  'opens a connection to PostgreSQL': {
    uses: text(/(?<![.^\w'"`])postgres\((?!\))/g),
    in: [
      ...['store/db.ts', 'store/lock-session.ts', 'platform/embedded/postgres.ts'],
      ...['activities/operators/postgres-session.ts', 'activities/operators/connection-target.ts'],
    ],
    fix: 'Take a Db as an argument: store/db.ts opens the pools, and operators go through activities/operators/postgres-session.ts',
  },
  'builds a client of Temporal': {
    uses: imported('@temporalio/client', '\\w*Client|Connection'),
    in: ['platform/temporal/connect.ts', 'platform/embedded/ask-temporal.ts', 'workers/worker-runtime.ts', 'bench/'],
    fix: 'Use connectTemporal of platform/temporal/connect.ts in a composition root, and take the Engine as an argument',
  },
  'builds a worker of Temporal': {
    uses: imported('@temporalio/worker', 'Worker|NativeConnection|Runtime'),
    in: ['workers/create-workers.ts', 'workers/worker-runtime.ts', 'workers/main.ts', 'bench/'],
    fix: 'Workers are made in workers/create-workers.ts: add an activity or a workflow there',
  },
  'opens a server or a connection': {
    uses: imported('node:net', 'createServer|Server|connect|createConnection|Socket|\\w+ from'),
    in: [
      ...['platform/check/reach.ts', 'platform/embedded/free-port.ts', 'platform/embedded/home-lock.ts'],
      ...['platform/embedded/temporal.ts', 'store/postgres-socket.ts'],
    ],
    fix: 'The API listens in api/server.ts, and requests to the world go through platform/egress',
  },
  'serves Hono': {
    uses: imported('@hono/node-server', 'serve|createAdaptorServer'),
    in: ['bench/model-proxy-main.ts'],
    fix: 'The API listens in api/server.ts: add a route to api/registry.ts',
  },
  'builds a client of Slack': {
    uses: imported('@slack/web-api', 'WebClient|\\w+ from'),
    in: ['platform/notify/kinds/slack.ts'],
    fix: 'Send a notice through a channel: platform/notify/kinds/slack.ts',
  },
  'imports runOperator': {
    uses: imported('run-operator.ts', 'runOperator|operatorContext'),
    in: ['activities/execute-step.ts', 'activities/simulate-step.ts'],
    fix: 'An effect goes through executeStep (activities/execute-step.ts), which judges, parks, reserves and records it',
  },
  'imports stepModels': {
    uses: imported('step-models.ts', 'stepModels'),
    in: ['activities/run-operator.ts', 'activities/simulate-step.ts'],
    fix: 'An operator asks through ctx.models, which executeStep hands to it',
  },
  'imports callModelInStep': {
    uses: imported('call-model.ts', 'callModelInStep'),
    in: ['activities/step-models.ts'],
    fix: 'Call callModel, which judges: only a step that executeStep has judged and opened is not judged again',
  },

  'asks a provider of models': {
    uses: member('generate|stream|embed', { name: 'upstream', type: 'ModelUpstream' }),
    in: ['services/models/call-model.ts', 'services/models/embed-texts.ts'],
    fix: 'Call callModel (services/models/call-model.ts), which judges, reserves, settles and records every attempt',
  },
  'executes an operator': {
    uses: member('execute'),
    // a query of the driver, and of the migrator, is executed as well
    in: ['activities/run-operator.ts', 'store/tenant-db.ts', 'store/migrate.ts', 'bench/q1.ts'],
    fix: 'An operator is executed by executeStep (activities/execute-step.ts) alone, which judges, parks, reserves and records it',
  },
  'simulates an operator': {
    uses: member('simulate'),
    in: ['activities/simulate-step.ts'],
    fix: 'An operator is simulated by executeStep (activities/execute-step.ts) alone',
  },
  'uses engine.decide': {
    uses: member('decide', ENGINE),
    in: ['services/approvals/ask-record.ts'],
    fix: 'Call decideGate (services/approvals/decide-gate.ts), which settles who is asking and signs the command',
  },
  'uses engine.start': {
    uses: member('start|restart', ENGINE),
    in: ['services/runs/admit-run.ts', 'workers/worker-runtime.ts'],
    fix: 'Call admitRun (services/runs/admit-run.ts): no run begins that was not admitted',
  },
  'uses engine.cancel': {
    uses: member('cancel', ENGINE),
    in: ['services/runs/cancel-run.ts'],
    fix: 'Call cancelRun (services/runs/cancel-run.ts), which checks and signs the command',
  },
  'hands the engine on': {
    uses: text(/\.engine\b(?![?!]?\.\w|\s*[!=]==)|\{[^{}]*\bengine\b[^{}]*\}(?:: \w| = |\) =>)/g),
    in: [
      // they build the context that others read the engine of
      'services/create-service-deps.ts',
      'api/create-api-deps.ts',
      'workers/create-skills.ts',
      'workers/create-pipelines.ts',
      'workers/create-schedules.ts',
      // the engine of schedules, which starts no run
      'services/schedules/put-in-engine.ts',
      'services/schedules/tick-lost.ts',
    ],
    fix: 'Hand on the verb that needs it, or the whole context; ctx.engine.decide and its like are read at one place each',
  },
  'resolves a gate': {
    uses: member('resolve', { name: '[dD]ecisions', type: 'GateDecisions' }),
    in: [
      ...['services/approvals/expire-due-gate.ts', 'services/approvals/record-decision.ts'],
      ...['services/runs/record-cancel.ts'],
    ],
    fix: 'A gate has one writer (recordDecision), its expiry and its cancellation: ask the run by decideGate or cancelRun',
  },
  'uses appendAudit': {
    uses: member('appendAudit'),
    // that a replay begins, or that a test is sent, changes nothing itself
    in: ['services/channels/test-channel.ts', 'services/inbox/replay-inbox.ts'],
    fix: 'Pass the audit record to the statement of the change: a crash between two statements loses it, or repeats it',
  },
  'speaks to a workflow': {
    uses: member('getHandle|executeUpdate|startUpdate|signalWithStart|executeUpdateWithStart|startUpdateWithStart'),
    in: IN_ENGINE,
    fix: 'What is asked of a workflow goes through the Engine (platform/temporal/engine.ts)',
  },
  'starts a workflow': {
    uses: member('start|execute|signalWithStart|terminate', { name: 'workflow', type: 'WorkflowClient' }),
    in: IN_ENGINE,
    fix: 'Runs are started by admitRun, and the engine does it: platform/temporal/engine.ts',
  },
  'runs a statement that is no tagged template': {
    uses: member('unsafe'),
    in: [
      ...['store/apply-functions.ts', 'activities/operators/backup-catalogue.ts'],
      ...['activities/operators/backup-definitions.ts', 'activities/operators/backup-session.ts'],
      ...['activities/operators/copy-stream.ts', 'activities/operators/postgres-execute.ts'],
      ...['activities/operators/postgres-query.ts', 'activities/operators/postgres-session.ts'],
      ...['activities/operators/simulate-execute.ts', 'platform/embedded/postgres.ts', 'store/make-app-role.ts'],
      ...['store/make-ask-role.ts', 'store/rights/apply-rights.ts', 'store/tenant-db.ts', 'bench/naive-alerts.ts'],
    ],
    fix: 'Write the statement as a tagged template: values become parameters, and test/unit/house/tables.test.ts can read it',
  },
}

/** Names that readers take for the choke point, and the file where it is. */
const DEFINED_ONCE: Record<string, string> = {
  admitRun: 'services/runs/admit-run.ts',
  decideGate: 'services/approvals/decide-gate.ts',
  executeStep: 'activities/execute-step.ts',
  defineRoute: 'api/define-route.ts',
  appendEvents: 'store/runs.ts',
  appendAudit: 'store/runs.ts',
}
for (const [name, file] of Object.entries(DEFINED_ONCE))
  RULES[`defines ${name}`] = {
    uses: defined(name),
    in: [file],
    fix: `There is one ${name}, in ${file}: call it, or choose another name`,
  }

/** What breaks a rule, each with its place and what to do; and the permissions that nothing made use of. */
function check(sources: readonly Source[]): { found: string[]; unused: string[] } {
  const codes = sources.map((source) => ({ source, code: withoutComments(source) }))
  const found: string[] = []
  const unused: string[] = []
  for (const [what, rule] of Object.entries(RULES)) {
    const users = codes.flatMap(({ source, code }) =>
      rule.uses(source, code).map((at) => ({ path: source.path, line: lineAt(code, at) })),
    )
    found.push(
      ...users
        .filter(({ path }) => !isIn(path, rule.in))
        .map(({ path, line }) => `${path}:${line} ${what}. ${rule.fix}.`),
    )
    unused.push(
      ...rule.in.filter((place) => !users.some(({ path }) => isIn(path, [place]))).map((place) => `${what}: ${place}`),
    )
  }
  return { found, unused }
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
    ['defines decideGate', 'export const decideGate = async () => {}'],
    ['defines admitRun', "import { startAnyhow as admitRun } from './start-anyhow.ts'"],
    ['reads the clock (new Date())', 'const at = new Date().toISOString()'],
    [
      'has a handler of another file',
      "import { handler } from './x.ts'\nexport const x = defineRoute(\n  {},\n  handler,\n)",
    ],
  ])('is found: %s, in %s', (what, text) => {
    const { found } = check([{ path: 'api/routes/runs/planted.ts', text }])
    expect(found.join('\n')).toContain(` ${what}. `)
  })

  test.each([
    'if (operator.simulate === undefined) return',
    "import { type Connection, WorkflowNotFoundError } from '@temporalio/client'",
    '// engine.decide(x), and postgres(url)',
    'interface Ports { appendAudit(): void; decideGate: () => void }',
    'const at = new Date(clock()).toISOString()',
  ])('lets pass: %s', (text) => {
    expect(check([{ path: 'api/routes/runs/planted.ts', text }]).found).toEqual([])
  })
})
