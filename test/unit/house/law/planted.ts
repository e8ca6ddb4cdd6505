import type { Source } from './sources.ts'

/** A violation that somebody might plant: the file, and what is to be said of it. */
export interface Planted extends Source {
  title: string
  says: RegExp
}

function plant(title: string, path: string, text: string, says: RegExp): Planted {
  return { title, path, text, says }
}

const LAYERS = [
  plant(
    'a layer above',
    'core/a01.ts',
    "import { getRun } from '#services/runs/get-run.ts'\nexport const x = getRun",
    /imports #services/,
  ),
  plant(
    'a relative way up',
    'core/run/a02.ts',
    "export { createDb } from '../../store/db.ts'",
    /imports \.\.\/\.\.\/store/,
  ),
  plant(
    'a type of a layer above',
    'core/a03.ts',
    "import type { Db } from '#store/db.ts'\nexport type X = Db",
    /imports #store/,
  ),
  plant('a type in its place', 'core/a04.ts', "export type X = import('#store/db.ts').Db", /imports #store/),
  plant(
    'platform as values in a service',
    'services/runs/a05.ts',
    "import { type Logger, createLogger } from '#platform/logger.ts'\nexport const x = createLogger",
    /imports #platform.*import type/,
  ),
  plant(
    'a layer loaded later',
    'services/runs/a06.ts',
    "export const x = async () => (await import('#api/app.ts')).createApp",
    /imports #api/,
  ),
  plant('everything of a layer passed on', 'activities/a07.ts', "export * from '#api/registry.ts'", /imports #api/),
  plant(
    'test code in the product',
    'platform/a08.ts',
    "import { poll } from '#test/support/poll.ts'\nexport const x = poll",
    /imports #test/,
  ),
  plant(
    'plans in a workflow',
    'workflows/a09.ts',
    "import { compile } from '#core/plan/compile.ts'\nexport const x = compile",
    /A workflow knows names only/,
  ),
  plant(
    'store in a route',
    'api/routes/runs/a10.ts',
    "import { createRunViews } from '#store/run-views.ts'\nexport const x = createRunViews",
    /imports #store/,
  ),
]

const PACKAGES = [
  plant(
    'a driver in core',
    'core/b01.ts',
    "import postgres from 'postgres'\nexport const x = postgres",
    /imports postgres/,
  ),
  plant(
    'a built-in without its prefix',
    'core/b02.ts',
    "import { readFileSync } from 'fs'\nexport const x = readFileSync",
    /imports node:fs/,
  ),
  plant('a part of a package', 'core/b03.ts', "import x from 'ulid/dist/index.js'\nexport { x }", /imports ulid/),
  plant(
    'a package that nobody listed',
    'services/b04.ts',
    "import left from 'left-pad'\nexport const x = left",
    /imports left-pad/,
  ),
  plant(
    'a built-in loaded later',
    'core/b05.ts',
    "export const x = async () => await import('node:crypto')",
    /imports node:crypto/,
  ),
  plant(
    'a name put together',
    'core/b06.ts',
    "const kind = 'crypto'\nexport const x = () => import('node:' + kind)",
    /imports node:crypto/,
  ),
  plant(
    'a name that is computed',
    'services/b07.ts',
    'export const x = (name: string) => import(name)',
    /imports a name that is computed/,
  ),
  plant(
    'require',
    'services/b08.ts',
    "declare const require: (name: string) => unknown\nexport const x = require('hono')",
    /imports hono/,
  ),
  plant(
    'require of ones own making',
    'store/b09.ts',
    "import { createRequire } from 'node:module'\nexport const x = createRequire(import.meta.url)('pino')",
    /imports pino/,
  ),
  plant(
    'import with an equals sign',
    'core/b10.ts',
    "import fs = require('node:fs')\nexport const x = fs",
    /imports node:fs/,
  ),
  plant(
    'a framework as a type',
    'services/b11.ts',
    "import type { Context } from 'hono'\nexport type X = Context",
    /imports hono/,
  ),
  plant(
    'a package passed on',
    'workflows/b12.ts',
    "export { Client } from '@temporalio/client'",
    /imports @temporalio\/client/,
  ),
  plant(
    'shapes outside of schema files',
    'core/run/b13.ts',
    "import { z } from 'zod'\nexport const x = z",
    /imports zod.*schema\.ts/,
  ),
  plant(
    'a built-in by its getter',
    'services/b14.ts',
    "export const x = process.getBuiltinModule('node:fs')",
    /imports node:fs/,
  ),
]

const SURROUNDINGS = [
  plant('the clock', 'core/c01.ts', 'export const x = () => Date.now()', /reads the clock.*as an argument/),
  plant('the present date', 'core/c02.ts', 'export const x = () => new Date()', /reads the clock/),
  plant('the present date without brackets', 'core/c03.ts', 'export const x = () => new Date', /reads the clock/),
  plant(
    'a clock under another name',
    'core/c04.ts',
    'const D = Date\nexport const x = () => D.now()',
    /reads the clock/,
  ),
  plant('a clock taken apart', 'core/c05.ts', 'const { now } = Date\nexport const x = now', /reads the clock/),
  plant('a clock by text', 'core/c06.ts', "export const x = () => Date['now']()", /reads the clock/),
  plant(
    'a date of nothing',
    'core/c07.ts',
    'const none: [] = []\nexport const x = () => new Date(...none)',
    /reads the clock/,
  ),
  plant(
    'the zone of the machine',
    'core/c08.ts',
    'export const x = (t: number) => new Date(t).getHours()',
    /reads the clock or the zone/,
  ),
  plant(
    'the present time formatted',
    'core/c09.ts',
    "export const x = () => new Intl.DateTimeFormat('en', { timeZone: 'UTC' }).format()",
    /reads the clock or the zone/,
  ),
  plant('another clock', 'core/c10.ts', 'export const x = () => performance.now()', /uses the global performance/),
  plant('chance', 'core/c11.ts', 'export const x = () => Math.random()', /uses chance/),
  plant('chance taken apart', 'core/c12.ts', 'const { random } = Math\nexport const x = random', /uses chance/),
  plant('chance under another name', 'core/c13.ts', 'const M = Math\nexport const x = () => M.random()', /uses chance/),
  plant('a random id', 'core/c14.ts', 'export const x = () => crypto.randomUUID()', /uses the global crypto/),
  plant(
    'the environment taken apart',
    'core/c15.ts',
    'const { env } = process\nexport const x = env',
    /uses the global process/,
  ),
  plant('the environment in short', 'core/c16.ts', 'export const x = { process }', /uses the global process/),
  plant(
    'the object of all globals',
    'core/c17.ts',
    "export const x = () => (globalThis as never)['Da' + 'te']",
    /uses the global globalThis/,
  ),
  plant(
    'text as code',
    'core/c18.ts',
    "export const x = new Function('return Date.now()')",
    /uses the global Function/,
  ),
  plant(
    'text as code without a name',
    'core/c19.ts',
    "export const x = (() => 0).constructor('return process.env')()",
    /uses .*constructor/,
  ),
  plant('a timer', 'core/c20.ts', 'export const x = () => setTimeout(() => {}, 5)', /uses the global setTimeout/),
  plant('a request', 'core/c21.ts', "export const x = () => fetch('http://localhost')", /uses the global fetch/),
  plant('chance in a workflow', 'workflows/c22.ts', 'export const x = () => Math.random()', /uses chance/),
  plant(
    'a timer of Node in a workflow',
    'workflows/c23.ts',
    'export const x = () => setTimeout(() => {}, 5)',
    /uses the global setTimeout.*sleep/,
  ),
  plant(
    'another spelling of now in a workflow',
    'workflows/c24.ts',
    'export const x = () => new Date()',
    /reads the clock.*Date\.now/,
  ),
  plant(
    'the environment in a service',
    'services/c25.ts',
    "export const x = process.env['SVC_HOME']",
    /uses the global process\.env/,
  ),
  plant(
    'the end of the process in a command',
    'cli/commands/c26.ts',
    'export const x = () => process.exit(1)',
    /uses the global process\.exit/,
  ),
  plant(
    'the clock in a service',
    'services/c27.ts',
    'export const x = () => Date.now()',
    /reads the clock.*clock` from the context/,
  ),
  plant(
    'a request around egress',
    'activities/operators/c28.ts',
    'export const x = (url: string) => fetch(url)',
    /uses the global fetch.*platform\/egress/,
  ),
  plant('print', 'services/c29.ts', "console.log('here')\nexport {}", /uses the global console/),
]

const CLIENTS = [
  plant(
    'a pool of its own',
    'activities/d01.ts',
    "import postgres from 'postgres'\nexport const x = postgres('postgres://h/d')",
    /connection to PostgreSQL/,
  ),
  plant(
    'a pool under another name',
    'store/d02.ts',
    "import postgres from 'postgres'\nconst open = postgres\nexport const x = () => open('postgres://h/d')",
    /builds a connection to PostgreSQL/,
  ),
  plant(
    'a driver passed on',
    'store/d03.ts',
    "export { default } from 'postgres'",
    /builds a connection to PostgreSQL/,
  ),
  plant(
    'a driver by its other name',
    'store/d04.ts',
    "import { default as sql } from 'postgres'\nexport const x = sql('postgres://h/d')",
    /builds a connection to PostgreSQL/,
  ),
  plant(
    'a client of Temporal',
    'platform/notify/d05.ts',
    "import { Connection as C } from '@temporalio/client'\nexport const x = () => C.connect()",
    /builds a client of Temporal/,
  ),
  plant(
    'a client of Temporal loaded later',
    'workers/d06.ts',
    "export const x = async () => { const { Client: C } = await import('@temporalio/client'); return new C() }",
    /builds a client of Temporal/,
  ),
  plant(
    'a worker',
    'workers/loops/d07.ts',
    "import * as temporal from '@temporalio/worker'\nexport const x = temporal.Worker.create",
    /builds a worker of Temporal/,
  ),
  plant(
    'a server',
    'platform/d08.ts',
    "import { createServer as listen } from 'node:http'\nexport const x = listen()",
    /builds a server/,
  ),
  plant(
    'a server of Hono',
    'api/routes/meta/d09.ts',
    "import { serve } from '@hono/node-server'\nexport const x = serve",
    /builds a server/,
  ),
  plant(
    'a mail transport',
    'platform/notify/d10.ts',
    "import mail from 'nodemailer'\nexport const x = mail.createTransport({})",
    /builds a mail transport/,
  ),
  plant(
    'a client of Slack',
    'platform/notify/d11.ts',
    "import { WebClient } from '@slack/web-api'\nexport const x = new WebClient()",
    /builds a client of Slack/,
  ),
]

const CHOKE_POINTS = [
  plant(
    'an operator executed',
    'services/e01.ts',
    'export const x = (operator: { execute(): void }) => operator.execute()',
    /uses operator\.execute.*executeStep/,
  ),
  plant(
    'an operator under another name',
    'activities/e02.ts',
    "export const x = (o: Record<string, () => void>) => o['execute']?.()",
    /uses \.execute/,
  ),
  plant(
    'an operator taken apart',
    'activities/e03.ts',
    'export const x = ({ execute }: { execute(): void }) => execute()',
    /uses \.execute/,
  ),
  plant(
    'an operator by reflection',
    'activities/e04.ts',
    "export const x = (o: object) => Reflect.get(o, 'execute')",
    /uses \.execute/,
  ),
  plant(
    'an operator without its call',
    'activities/e05.ts',
    'export const x = (o: { simulate(): void }) => [1].map(o.simulate)',
    /uses .*simulate/,
  ),
  plant(
    'an operator run beside the step',
    'activities/e06.ts',
    "import { runOperator } from './run-operator.ts'\nexport const x = runOperator",
    /imports runOperator/,
  ),
  plant(
    'an operator taken apart by assignment',
    'activities/e07.ts',
    'let act: () => void\nexport const x = (o: { execute(): void }) => { ({ execute: act } = o); act() }',
    /uses \.execute/,
  ),
  plant(
    'a decision around decideGate',
    'services/e08.ts',
    'export const x = (ctx: any) => ctx.engine.decide(1)',
    /engine\.decide.*decideGate/,
  ),
  plant(
    'a start around admitRun',
    'services/e09.ts',
    "export const x = (ctx: any) => ctx['engine']['st' + 'art'](1)",
    /uses \.start.*admitRun/,
  ),
  plant(
    'the engine under another name',
    'services/e10.ts',
    'export const x = (ctx: any) => { const e = ctx.engine; return e.cancel(1) }',
    /cancelRun/,
  ),
  plant(
    'the engine taken apart',
    'services/e11.ts',
    'export const x = (ctx: any) => { const { engine: { decide } } = ctx; return decide(1) }',
    /decideGate/,
  ),
  plant(
    'the engine as a parameter',
    'services/e12.ts',
    'interface Engine { start(x: number): void }\nexport const x = (e: Engine) => e.start(1)',
    /admitRun/,
  ),
  plant(
    'the engine handed on',
    'services/e13.ts',
    'export const x = (ctx: any, go: (e: unknown) => void) => go(ctx.engine)',
    /hands engine on/,
  ),
  plant(
    'the engine spread',
    'services/e14.ts',
    'export const x = (ctx: any) => ({ ...ctx.engine })',
    /hands engine on/,
  ),
  plant(
    'a gate resolved',
    'activities/e15.ts',
    'export const x = (deps: any) => deps.decisions.resolve({})',
    /A gate has one writer/,
  ),
  plant(
    'a workflow spoken to',
    'services/e16.ts',
    "export const x = (client: any) => client.workflow.getHandle('run_1').executeUpdate('gate.decide')",
    /goes through the Engine/,
  ),
  plant(
    'a workflow started',
    'workers/e17.ts',
    "export const x = ({ workflow }: any) => workflow.start('runV2')",
    /started by admitRun/,
  ),
  plant(
    'another engine',
    'workers/loops/e18.ts',
    "import { createEngine } from '#platform/temporal/engine.ts'\nexport const x = createEngine",
    /imports createEngine/,
  ),
  plant(
    'the writer of gates called',
    'api/e19.ts',
    "import { recordDecision } from '#services/approvals/record-decision.ts'\nexport const x = recordDecision",
    /imports recordDecision.*decideGate/,
  ),
]

const db = 'declare const db: (text: TemplateStringsArray, ...values: unknown[]) => unknown\n'
const hole = '$' + '{'

const STATEMENTS = [
  plant(
    'a run inserted',
    'store/f01.ts',
    `${db}export const x = db\`insert into runs (id) values (1)\``,
    /writes runs.*admitRun/,
  ),
  plant(
    'a gate updated in another spelling',
    'store/f02.ts',
    `${db}export const x = db\`UPDATE\n  public."gates" SET status = 'approved'\``,
    /writes gates/,
  ),
  plant(
    'a vote inserted among others',
    'store/f03.ts',
    `${db}export const x = db\`with v as (insert /* quick */ into gate_decisions select 1) select 2\``,
    /writes gate_decisions/,
  ),
  plant(
    'a ledger that is deleted',
    'store/f04.ts',
    `${db}export const x = db\`delete from only ledger_entries\``,
    /writes ledger_entries/,
  ),
  plant(
    'audit out of line',
    'services/f05.ts',
    "export const x = 'insert into audit_outbox (draft) values ($1)'",
    /writes audit_outbox.*append_audit/,
  ),
  plant(
    'a statement put together',
    'store/f06.ts',
    "const table = 'runs'\nexport const x = 'insert into ' + table + ' default values'",
    /writes runs/,
  ),
  plant(
    'a table in a hole',
    'store/f07.ts',
    `${db}export const x = (table: unknown) => db\`insert into ${hole}table} (id) values (1)\``,
    /name is not in the text/,
  ),
  plant(
    'a table in a constant',
    'store/f08.ts',
    `${db}const TABLE = 'gates'\nexport const x = \`update ${hole}TABLE} set status = 'approved'\``,
    /writes gates/,
  ),
  plant(
    'a table in a hole that is updated',
    'store/f09.ts',
    `${db}export const x = (t: unknown) => db\`update ${hole}t} set a = 1\``,
    /name is not in the text/,
  ),
  plant(
    'a builder of statements',
    'store/f10.ts',
    "export const x = (kysely: any) => kysely.insertInto('runs').values({})",
    /writes runs/,
  ),
  plant(
    'a statement that nobody reads',
    'store/f11.ts',
    'export const x = (db: any, text: string) => db.unsafe(text)',
    /tagged template/,
  ),
  plant(
    'the writer of runs called',
    'services/f12.ts',
    `${db}export const x = db\`select record_run(${hole}'{}'}::jsonb)\``,
    /calls record_run/,
  ),
  plant(
    'the writer of gates called',
    'store/f13.ts',
    `${db}export const x = db\`select public.RESOLVE_GATE ('{}')\``,
    /calls resolve_gate/,
  ),
  plant(
    'a table emptied',
    'store/f14.ts',
    `${db}export const x = db\`truncate table run_events\``,
    /writes run_events/,
  ),
  plant(
    'a backfill',
    'store/migrations/9001_a.sql',
    "update runs set status = 'succeeded';",
    /9001_a\.sql:1 writes runs in no function/,
  ),
  plant(
    'another function that writes',
    'store/migrations/9002_b.sql',
    "create function quick_gate() returns void language plpgsql as $$\nbegin\n  insert into\n    gates (id) values ('x');\nend $$;",
    /9002_b\.sql:3 writes gates in quick_gate/,
  ),
  plant(
    'a statement after its function',
    'store/migrations/9003_c.sql',
    'create or replace function record_run(p jsonb) returns jsonb language plpgsql as $f$ begin return p; end $f$;\ndelete from gates;',
    /9003_c\.sql:2 writes gates in no function/,
  ),
  plant(
    'a statement that is formatted',
    'store/migrations/9004_d.sql',
    "create function f(t text) returns void language plpgsql as $$ begin execute format('insert into %I default values', t); end $$;",
    /name is not in the text/,
  ),
  plant(
    'a statement in a block',
    'store/migrations/9005_e.sql',
    "do $$ begin insert into audit_outbox (draft) values ('{}'); end $$;",
    /writes audit_outbox in no function/,
  ),
]

const TWICE = [
  plant(
    'another admitRun',
    'services/triggers/g01.ts',
    'export async function admitRun() {}',
    /defines another admitRun/,
  ),
  plant(
    'another decideGate',
    'services/approvals/chat/g02.ts',
    'export const decideGate = () => {}',
    /defines another decideGate/,
  ),
  plant(
    'another executeStep',
    'activities/operators/g03.ts',
    'export const steps = { executeStep() {} }',
    /defines another executeStep/,
  ),
  plant(
    'another defineRoute',
    'api/routes/meta/g04.ts',
    'export default function defineRoute() {}',
    /defines another defineRoute/,
  ),
  plant(
    'another appendEvents',
    'store/g05.ts',
    'export class Log { appendEvents = () => {} }',
    /defines another appendEvents/,
  ),
  plant(
    'another appendAudit',
    'store/g06.ts',
    'export const log = { appendAudit: async () => {} }',
    /defines another appendAudit/,
  ),
  plant(
    'a name put on something else',
    'services/g07.ts',
    "import { startAnyhow as admitRun } from './start-anyhow.ts'\nexport const x = admitRun",
    /defines another admitRun/,
  ),
  plant(
    'a name that leaves',
    'services/g08.ts',
    'const quick = () => {}\nexport { quick as decideGate }',
    /defines another decideGate/,
  ),
]

export const PLANTED = [...LAYERS, ...PACKAGES, ...SURROUNDINGS, ...CLIENTS, ...CHOKE_POINTS, ...STATEMENTS, ...TWICE]
