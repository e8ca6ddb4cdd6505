import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { AuditEvent } from '#core/audit/types.ts'
import { chainLines } from '#test/support/chain-lines.ts'
import type { Harmed } from './adversary.ts'
import type { Attempt } from './attempt.ts'
import { textsIn } from './engine.ts'
import type { HonestRun } from './honest/runs.ts'
import type { CastVote } from './honest/votes.ts'
import { TYPES } from './names.ts'
import type { Received, World } from './world.ts'

const VERIFIER = fileURLToPath(new URL('../support/verify-audit.py', import.meta.url))

export interface RunRow {
  id: string
  status: string
  status_reason: string | null
  /** times are milliseconds since 1970, by the database's clock */
  ended_ms: number | null
}
export interface GateRow {
  id: string
  run_id: string
  step_id: string
  status: string
  plan_hash: string
  resolution: Record<string, unknown> | null
  resolved_ms: number | null
  expires_ms: number
}
export interface VoteRow {
  gate_id: string
  run_id: string
  by: string
  decision: string
  asserted: boolean
  channel: string
  auth: string
}
export interface EventRow {
  run_id: string
  type: string
  actor: { type?: string; id?: string } | null
}

/** All that is known after an attack: what was done, what is on record, what the engine keeps, what arrived. */
export interface Evidence {
  seed: number
  /** when the attack began; what is older is of an attack before */
  began: number
  runs: HonestRun[]
  cast: CastVote[]
  attempts: Attempt[]
  harmed: Harmed[]
  people: Record<string, string>
  starter: string
  target: Received[]
  elsewhere: Received[]
  rows: RunRow[]
  /** every run there is since the attack began */
  started: { id: string; trigger: string }[]
  gates: GateRow[]
  votes: VoteRow[]
  events: EventRow[]
  audit: AuditEvent[]
  /** what the outside verifier says to the audit file; undefined when the chain holds */
  chain_fault: string | undefined
  /** where a text comes from, and the text */
  texts: [place: string, text: string][]
  executions: { id: string; type: string; open: boolean; started: number }[]
  healthy: string
  /** figures that our processes count */
  metrics: string
}

/** Reads everything, once the audit chain holds all that was lined up for it. */
export async function gatherEvidence(
  world: World,
  known: Pick<Evidence, 'seed' | 'runs' | 'cast' | 'attempts' | 'harmed' | 'began'>,
): Promise<Evidence> {
  const { service, engine } = world
  const { db } = service.database
  await drained(world)
  const ids = known.runs.map(({ id }) => id)
  const audit = chainLines(service.home)
  const executions = (await engine.executions()).filter(({ started }) => started >= known.began)
  const health = await service.call('GET', '/healthz')
  const metrics = await fetch(`${service.url}/metrics`, { headers: world.owner.headers }).then((each) => each.text())
  return {
    ...known,
    people: Object.fromEntries(
      [...Object.entries(world.voters), ['starter', world.starter] as const, ['owner', world.owner] as const].map(
        ([name, { id }]) => [id, name],
      ),
    ),
    starter: world.starter.id,
    target: world.target.received().filter(({ at }) => at >= known.began),
    elsewhere: world.elsewhere.received().filter(({ at }) => at >= known.began),
    rows: await db<RunRow[]>`
      select id, status, status_reason, (extract(epoch from ended_at) * 1000)::float8 as ended_ms from runs where id = any(${ids})`,
    started: await db<{ id: string; trigger: string }[]>`
      select id, provenance #>> '{trigger,type}' as trigger from runs where created_at >= ${new Date(known.began).toISOString()}`,
    gates: await db<GateRow[]>`
      select id, run_id, step_id, status, plan_hash, resolution,
        (extract(epoch from resolved_at) * 1000)::float8 as resolved_ms,
        (extract(epoch from expires_at) * 1000)::float8 as expires_ms
      from gates
      where run_id = any(${ids})`,
    votes: await db<VoteRow[]>`
      select d.gate_id, g.run_id, d.decided_by as by, d.decision, d.asserted, d.channel, d.auth
      from gate_decisions d join gates g on g.id = d.gate_id where g.run_id = any(${ids})`,
    events: await db<EventRow[]>`select run_id, type, actor from run_events where run_id = any(${ids})`,
    audit: audit.filter((line) => line !== '').map((line) => JSON.parse(line).event as AuditEvent),
    chain_fault: await verifyOutside(join(service.home, 'audit.jsonl')),
    texts: await allTexts(world, executions, ids),
    executions: executions.filter(({ type }) => TYPES.includes(type)),
    healthy: `${health.status} ${JSON.stringify(health.body)}`,
    metrics,
  }
}

async function drained({ service }: World): Promise<void> {
  const deadline = Date.now() + 15_000
  for (;;) {
    const [row] = await service.database.db<{ n: number }[]>`
      select count(*)::int as n from audit_outbox where seq is null`
    if (row?.n === 0 || Date.now() > deadline) return
    await pause(50)
  }
}

/** The published formula, by a program that shares no code with the product. */
async function verifyOutside(file: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)('python3', [VERIFIER, file])
    return stdout.startsWith('chain ok') ? undefined : stdout
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Every place but the target where a secret could turn up. */
async function allTexts(world: World, executions: { id: string; run_id: string; type: string }[], ids: string[]) {
  const { service, engine } = world
  const texts: [string, string][] = []
  for (const { id, run_id, type } of executions) {
    const events = await engine.history(id, run_id).catch(() => [])
    texts.push([`history of ${type} ${id}`, events.flatMap((event) => textsIn(event)).join(' ')])
  }
  texts.push(['answers of the engine and of our workers', engine.answers.join(' ')])
  texts.push([
    'mails',
    world.mail.received.map(({ raw, parts }) => `${raw} ${Object.values(parts).join(' ')}`).join(' '),
  ])
  texts.push(['requests at the other server', JSON.stringify(world.elsewhere.received())])
  for (const path of ids.flatMap((id) => [
    `/runs/${id}`,
    `/runs/${id}/events?limit=1000`,
    `/runs/${id}/pending-approval`,
  ])) {
    const { body } = await service.call('GET', path, undefined, world.starter.headers)
    texts.push([path, JSON.stringify(body)])
  }
  for (const file of ['audit.jsonl', 'api-main.ts.log', 'workers-main.ts.log']) {
    texts.push([file, await readFile(join(service.home, file), 'utf8')])
  }
  return texts
}
