import type { Source } from './sources.ts'

const hole = '$' + '{'

/** What looks like a violation and is none. */
export const HARMLESS: Source[] = [
  {
    path: 'core/run/h01.ts',
    text: `import type { Lane } from './lane.ts'
export const at = (text: string) => Date.parse(text)
export const utc = (y: number) => Date.UTC(y, 0)
export const iso = (now: number) => new Date(now).toISOString()
export const whole = (n: number) => Math.floor(n)
export const hours = (t: number) => new Date(t).getUTCHours()
export const bytes = (text: string) => new TextEncoder().encode(structuredClone(text))
// Date.now() in a comment, and 'process.env' in a text
export const said = 'Date.now() and process.env'
export const own = ({ process, crypto }: { process: string; crypto: string }, lane: Lane) => ({ process, crypto, lane })
export function shadow(performance: { now(): number }) { return performance.now() }
export const isDate = (x: unknown) => x instanceof Date
export interface Clock extends Omit<Date, 'now'> { process: string }
label: for (const x of [1]) { if (x) continue label }`,
  },
  {
    path: 'core/run/some-schema.ts',
    text: "import { z } from 'zod'\nexport const X = z.object({})\nexport type X = z.infer<typeof X>",
  },
  {
    path: 'workflows/h02.ts',
    text: "import { sleep, uuid4 } from '@temporalio/workflow'\nimport type { GateView } from '#core/gate/types.ts'\nexport const x = async (g: GateView) => { await sleep(Date.now()); return [g, uuid4()] }",
  },
  {
    path: 'services/runs/h03.ts',
    text: `import type { Logger } from '#platform/logger.ts'
import { createRunStore } from '#store/runs.ts'
export const x = (ctx: any, log: Logger) => [ctx.clock(), new Date(ctx.clock()), log, createRunStore]
export const y = (promise: any, timer: any) => [promise.resolve(1), timer.start(), timer.cancel(), timer.decide]
export const z = (ctx: any) => ctx.engine === undefined
export const e = (ctx: any) => ctx.engine.reachable()
export const text = 'copy runs by hand, update the gates, and insert into the conversation what you like'
export const w = (name: string) => \`could not update ${hole}name}\`
export const u = (name: string) => \`an insert into ${hole}'bus_messages'} of ${hole}name}\``,
  },
  {
    path: 'activities/h04.ts',
    text: `import { recordX } from '#services/x.ts'
export const o = { id: 'x', execute() {}, simulate: () => {} }
export const can = (operator: any) => operator.simulate === undefined || undefined !== operator.execute
export const four = (a: 1, b: 2, c: 3, d: 4) => [1].map((e, f, g, ...h) => [a, b, c, d, e, f, g, h])
export const given = (on: any) => on((a: 1, b: 2, c: 3, d: 4, e: 5) => [a, b, c, d, e])
export const x = (signal: AbortSignal) => [recordX, signal, 'postgres.execute', Buffer.from('a')]`,
  },
  {
    path: 'store/h05.ts',
    text: `import postgres from 'postgres'
import type { Db } from './db.ts'
export const failed = (error: unknown) => error instanceof postgres.PostgresError
export type Sql = postgres.Sql
export const a = (db: Db) => db\`insert into schedules ${hole}db({})} returning id\`
export const b = (db: Db) => db\`select id from runs where id = 1 for update\`
export const c = (db: Db) => db\`insert into x (a) values (1) on conflict (a) do update set a = 2\`
export const d = (db: Db) => db\`-- update gates set status = 1
  select 1 /* delete from runs */\`
export const e = (db: Db) => db\`update run_secrets set a = 1\``,
  },
  {
    path: 'platform/h06.ts',
    text: `import { type Connection, WorkflowNotFoundError } from '@temporalio/client'
import { isIP } from 'node:net'
import type { Server } from 'node:http'
export const x = (c: Connection, s: Server) => [c, s, isIP, WorkflowNotFoundError, process.pid, process.platform, Date.now()]`,
  },
  {
    path: 'api/h07.ts',
    text: `import { admitRun } from '#services/runs/admit-run.ts'
interface Ports { appendAudit(): void; decideGate: () => void }
export const x = (ports: Ports) => [ports.decideGate, admitRun]`,
  },
  {
    path: 'api/routes/runs/h08.ts',
    text: `import { defineRoute } from '../../define-route.ts'
export const x = defineRoute({}, (c: any) => {
${"  c.header('x', '')\n".repeat(15)}})`,
  },
  {
    path: 'store/migrations/9100_fine.sql',
    text: `-- insert into runs by hand
create table runs_of_old (id text);
create trigger gates_told after insert or update of status on gates for each row execute function note_gate();
create or replace function record_run(p jsonb) returns jsonb language plpgsql as $$
begin
  update runs set status = 'failed' where id = p ->> 'id';
  perform append_audit('[]');
  return p;
end $$;
insert into schedules default values;`,
  },
]
