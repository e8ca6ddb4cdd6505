import { plant } from './plant.ts'

export const CLIENTS = [
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

export const CHOKE_POINTS = [
  plant(
    'a provider of models asked past every cap',
    'api/e00.ts',
    'export const x = (upstream: { generate(): void }) => upstream.generate()',
    /uses upstream\.generate.*callModel/,
  ),
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
  plant(
    'an audit record beside its change',
    'services/schedules/e20.ts',
    'export const x = async ({ runs }: any) => { await runs.appendAudit([]) }',
    /uses runs\.appendAudit.*statement of the change/,
  ),
]
