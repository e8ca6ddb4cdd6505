import { type Places, places } from './places.ts'

/** A constructor or factory that opens a way to the world; `harmless` are its members that open none. */
export interface Builder {
  what: string
  module: string
  names: string[]
  harmless?: string[]
  in: Places
  instead: string
}

const MAIN = 'Build it in a composition root or in platform, and take it as an argument'

export const BUILDERS: Builder[] = [
  {
    what: 'a connection to PostgreSQL',
    module: 'postgres',
    names: ['default'],
    harmless: ['PostgresError'],
    in: places(
      'builds connections to PostgreSQL',
      'store/db.ts',
      'store/lock-session.ts',
      'platform/embedded/postgres.ts',
      'activities/operators/postgres-session.ts',
      'activities/operators/connection-target.ts',
    ),
    instead:
      'Take a Db as an argument: store/db.ts opens the pools, and operators go through activities/operators/postgres-session.ts',
  },
  {
    what: 'a client of Temporal',
    module: '@temporalio/client',
    names: [
      'Client',
      'WorkflowClient',
      'ScheduleClient',
      'AsyncCompletionClient',
      'Connection',
      'CloudOperationsClient',
    ],
    in: places(
      'builds clients of Temporal',
      'platform/temporal/connect.ts',
      'platform/embedded/ask-temporal.ts',
      'workers/worker-runtime.ts',
      'bench/',
    ),
    instead:
      'Use connectTemporal of platform/temporal/connect.ts in a composition root, and take the Engine as an argument',
  },
  {
    what: 'a worker of Temporal',
    module: '@temporalio/worker',
    names: ['Worker', 'NativeConnection', 'Runtime'],
    in: places(
      'builds workers of Temporal',
      'workers/create-workers.ts',
      'workers/worker-runtime.ts',
      'workers/main.ts',
      'bench/',
    ),
    instead: 'Workers are made in workers/create-workers.ts: add an activity or a workflow there',
  },
  ...['node:http', 'node:https', 'node:net'].map((module) => ({
    what: 'a server or a connection',
    module,
    names: ['default', 'createServer', 'Server', 'connect', 'createConnection', 'Socket', 'request', 'get', 'Agent'],
    in: places(
      `opens servers and connections with ${module}`,
      ...(module === 'node:http'
        ? [
            'api/server.ts',
            'platform/embedded/web-ui-guard.ts',
            'platform/egress/send-hop.ts',
            'cli/demo/demo-server.ts',
            'cli/dev/model-server.ts',
            'bench/model-upstream-main.ts',
            'bench/naive-alerts.ts',
          ]
        : []),
      ...(module === 'node:https' ? ['platform/egress/send-hop.ts'] : []),
      ...(module === 'node:net'
        ? [
            'platform/check/reach.ts',
            'platform/embedded/free-port.ts',
            'platform/embedded/home-lock.ts',
            'platform/embedded/temporal.ts',
            'store/postgres-socket.ts',
          ]
        : []),
    ),
    instead: 'The API listens in api/server.ts, and requests to the world go through platform/egress',
  })),
  {
    what: 'a server',
    module: '@hono/node-server',
    names: ['serve', 'createAdaptorServer'],
    in: places('serves Hono', 'bench/model-proxy-main.ts'),
    instead: 'The API listens in api/server.ts: add a route to api/registry.ts',
  },
  {
    what: 'a mail transport',
    module: 'nodemailer',
    names: ['default', 'createTransport'],
    in: places('sends mail', 'platform/notify/kinds/email.ts'),
    instead: 'Send a notice through a channel: platform/notify/kinds/email.ts',
  },
  {
    what: 'a client of Slack',
    module: '@slack/web-api',
    names: ['default', 'WebClient'],
    in: places('talks to Slack', 'platform/notify/kinds/slack.ts'),
    instead: 'Send a notice through a channel: platform/notify/kinds/slack.ts',
  },
]

/** Verbs behind a choke point, which nothing but the choke point calls. */
export const VERBS: { names: string[]; file: string; by: Places; instead: string }[] = [
  {
    names: ['runOperator', 'operatorContext'],
    file: 'activities/run-operator.ts',
    by: places('runs operators', 'activities/execute-step.ts', 'activities/simulate-step.ts'),
    instead:
      'An effect goes through executeStep (activities/execute-step.ts), which judges, parks, reserves and records it',
  },
  {
    names: ['callModelInStep'],
    file: 'services/models/call-model.ts',
    by: places('calls models without asking policies', 'activities/step-models.ts'),
    instead: 'Call callModel, which judges: only a step that executeStep has judged and opened is not judged again',
  },
  {
    names: ['stepModels'],
    file: 'activities/step-models.ts',
    by: places('hands models to operators', 'activities/run-operator.ts', 'activities/simulate-step.ts'),
    instead: 'An operator asks through ctx.models, which executeStep hands to it',
  },
  {
    names: ['simulateStep'],
    file: 'activities/simulate-step.ts',
    by: places('simulates steps', 'activities/execute-step.ts'),
    instead: 'Steps are simulated by executeStep (activities/execute-step.ts), when they are judged',
  },
  {
    names: ['executeStep'],
    file: 'activities/execute-step.ts',
    by: places('executes steps', 'activities/advance-run.ts'),
    instead: 'Steps are executed by advanceRun, under the fence that it takes',
  },
  {
    names: ['recordDecision'],
    file: 'services/approvals/record-decision.ts',
    by: places('records decisions', 'activities/index.ts', 'services/create-service-deps.ts'),
    instead: "Call decideGate (services/approvals/decide-gate.ts): the run's workflow asks the writer",
  },
  {
    names: ['createEngine'],
    file: 'platform/temporal/engine.ts',
    by: places('builds the engine', 'api/api-runtime.ts', 'workers/worker-runtime.ts'),
    instead: MAIN,
  },
  {
    names: ['createOperators'],
    file: 'activities/operators/index.ts',
    by: places('builds operators', 'api/api-runtime.ts', 'workers/worker-runtime.ts', 'cli/check-runtime.ts'),
    instead:
      'Operators are run by executeStep; what is known of one is in its catalogue entry (core/operator-catalog.ts)',
  },
]

/** Members that act. `of` is what their object is called; without it every object counts. */
export interface MemberRule {
  names: string[]
  of?: RegExp
  in: Places
  instead: string
}

const ENGINE = /^(engine|.*[a-z]Engine|Engine)$/

export const MEMBERS: MemberRule[] = [
  {
    names: ['generate', 'stream', 'embed'],
    of: /^(upstream|ModelUpstream)$/,
    in: places('asks providers of models', 'services/models/call-model.ts', 'services/models/embed-texts.ts'),
    instead:
      'Call callModel (services/models/call-model.ts), which judges, reserves, settles and records every attempt',
  },
  {
    names: ['execute'],
    // a query of the driver is executed as well
    in: places('execute', 'activities/run-operator.ts', 'store/tenant-db.ts', 'bench/q1.ts'),
    instead:
      'An operator is executed by executeStep (activities/execute-step.ts) alone, which judges, parks, reserves and records it',
  },
  {
    names: ['simulate'],
    in: places('simulate', 'activities/simulate-step.ts'),
    instead: 'An operator is simulated by executeStep (activities/execute-step.ts) alone',
  },
  {
    names: ['decide'],
    of: ENGINE,
    in: places('engine.decide', 'services/approvals/ask-record.ts'),
    instead: 'Call decideGate (services/approvals/decide-gate.ts), which settles who is asking and signs the command',
  },
  {
    names: ['start', 'restart'],
    of: ENGINE,
    in: places('engine.start', 'services/runs/admit-run.ts', 'workers/worker-runtime.ts'),
    instead: 'Call admitRun (services/runs/admit-run.ts): no run begins that was not admitted',
  },
  {
    names: ['cancel'],
    of: ENGINE,
    in: places('engine.cancel', 'services/runs/cancel-run.ts'),
    instead: 'Call cancelRun (services/runs/cancel-run.ts), which checks and signs the command',
  },
  {
    names: ['resolve'],
    of: /^([dD]ecisions|GateDecisions)$/,
    in: places(
      'decisions.resolve',
      'services/approvals/expire-due-gate.ts',
      'services/approvals/record-decision.ts',
      'services/runs/record-cancel.ts',
    ),
    instead:
      'A gate has one writer (recordDecision), its expiry and its cancellation: ask the run by decideGate or cancelRun',
  },
  {
    names: ['appendAudit'],
    // that a replay begins, or that a test is sent, changes nothing itself
    in: places('appendAudit', 'services/channels/test-channel.ts', 'services/inbox/replay-inbox.ts'),
    instead:
      'Pass the audit record to the statement of the change: a crash between two statements loses it, or repeats it',
  },
  {
    names: [
      'getHandle',
      'executeUpdate',
      'startUpdate',
      'signalWithStart',
      'executeUpdateWithStart',
      'startUpdateWithStart',
    ],
    in: places('handles of workflows', 'platform/temporal/', 'platform/schedules/', 'bench/'),
    instead: 'What is asked of a workflow goes through the Engine (platform/temporal/engine.ts)',
  },
  {
    names: ['start', 'execute', 'signalWithStart', 'terminate'],
    of: /^(workflow|WorkflowClient)$/,
    in: places('starts workflows', 'platform/temporal/', 'platform/schedules/', 'bench/'),
    instead: 'Runs are started by admitRun, and the engine does it: platform/temporal/engine.ts',
  },
  {
    names: ['unsafe'],
    in: places(
      'sql.unsafe',
      'store/apply-functions.ts',
      'store/run-migrations.ts',
      'activities/operators/backup-catalogue.ts',
      'activities/operators/backup-definitions.ts',
      'activities/operators/backup-session.ts',
      'activities/operators/copy-stream.ts',
      'activities/operators/postgres-execute.ts',
      'activities/operators/postgres-query.ts',
      'activities/operators/postgres-session.ts',
      'activities/operators/simulate-execute.ts',
      'platform/embedded/postgres.ts',
      'store/make-app-role.ts',
      'store/make-ask-role.ts',
      'store/rights/apply-rights.ts',
      'store/tenant-db.ts',
      'bench/naive-alerts.ts',
    ),
    instead: 'Write the statement as a tagged template: values become parameters, and this test can read it',
  },
  {
    names: ['constructor'],
    in: places('constructor'),
    instead: 'Name the class itself: a constructor of a constructor runs any text as code',
  },
  {
    names: ['getBuiltinModule', 'mainModule'],
    in: places('loads modules by name'),
    instead: "Import it by its name, where the folder's list allows it",
  },
]

/** Ports that are used where they are read; passing one on would hide who uses it. */
export const HANDED_ON: { name: string; in: Places; instead: string }[] = [
  {
    name: 'engine',
    in: places(
      'hands the engine on',
      // it builds the context that others read the engine of
      'services/create-service-deps.ts',
      'api/create-api-deps.ts',
      'workers/create-skills.ts',
      'workers/create-pipelines.ts',
      'workers/create-schedules.ts',
      // the engine of schedules, which starts no run
      'services/schedules/put-in-engine.ts',
      'services/schedules/tick-lost.ts',
    ),
    instead:
      'Hand on the verb that needs it, or the whole context; ctx.engine.decide and its like are read at one place each',
  },
]

/** Names that readers take for the choke point, and the place where it is. */
export const DEFINED_ONCE: Record<string, { in: Places; instead: string }> = {
  admitRun: {
    in: places('defines admitRun', 'services/runs/admit-run.ts'),
    instead: 'Every start goes through services/runs/admit-run.ts',
  },
  decideGate: {
    in: places('defines decideGate', 'services/approvals/decide-gate.ts'),
    instead: 'Every decision goes through services/approvals/decide-gate.ts',
  },
  executeStep: {
    in: places('defines executeStep', 'activities/execute-step.ts'),
    instead: 'Every effect goes through activities/execute-step.ts',
  },
  defineRoute: {
    in: places('defines defineRoute', 'api/define-route.ts'),
    instead: 'Every route is declared by api/define-route.ts',
  },
  appendEvents: {
    in: places('defines appendEvents', 'store/runs.ts'),
    instead: 'Events are appended by store/runs.ts',
  },
  appendAudit: {
    in: places('defines appendAudit', 'store/runs.ts'),
    instead: 'Audit records are put in line by store/runs.ts',
  },
}

/** Files that may tell the time or use chance though their folder is given both. */
export const CLOCKS = places('reads the clock itself', 'store/db.ts')
/** Where the process itself may be looked at (its id, its platform); settings and its end belong to the roots alone. */
export const PROCESSES = places('knows its process', 'platform/', 'workers/', 'cli/')
export const FETCHES = places(
  'fetches',
  'bench/',
  'platform/models/model-fetch.ts',
  'cli/api-client.ts',
  'cli/demo/demo-service.ts',
)
export const CONSOLES = places('prints', 'bench/')
