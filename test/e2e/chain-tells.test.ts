import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { registerLineage } from '#cli/commands/lineage.ts'
import type { RunEvidence } from '#core/audit/evidence-schema.ts'
import { buildTimeline } from '#core/audit/timeline.ts'
import type { AuditEvent } from '#core/audit/types.ts'
import { evidenceDigest, verifyEvidence } from '#core/audit/verify-evidence.ts'
import { canonicalText } from '#core/json/canonical.ts'
import { TERMINAL_STATUSES } from '#core/run/status.ts'
import { sha256, verifyFile } from '#platform/audit-sink/verify-range.ts'
import { TEST_MASTER_KEY } from '#test/support/api-client.ts'
import { type Canary, startCanary } from '#test/support/canary.ts'
import { runCliInProcess } from '#test/support/cli-in-process.ts'
import { AUTH_ENV, createIdentities, letAnswer, type Member } from '#test/support/identity.ts'
import { createTestBrowser, issueTestLink } from '#test/support/magic-link.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { type ChainTruth, readChain } from '#test/support/read-chain.ts'
import type { RunBody } from '#test/support/recovery.ts'
import { seededRandom } from '#test/support/seeded-random.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const STORM = process.env['SVC_STORM']
const RUNS = STORM === undefined ? 40 : Number(STORM)
const AT_ONCE = 8
const PACKS = fileURLToPath(new URL('../packs/told', import.meta.url))
const TERMINAL: readonly string[] = TERMINAL_STATUSES
const environment = (name: string, more = '') =>
  `apiVersion: svc/v1\nname: ${name}\nclass: development\negress: [loopback]\n${more}\n`

/** Where each way to answer is possible. */
const PLACES: Record<string, Way[]> = {
  solo: ['approve', 'reject', 'cancel', 'dismiss', 'signal_approve', 'signal_reject', 'on_behalf', 'link'],
  pair: ['approve', 'reject', 'cancel', 'on_behalf'],
  roles: ['approve', 'reject'],
  shifting: ['approve', 'reject'],
  brief: ['expire', 'approve'],
  free: ['approve'],
}
type Way =
  | 'approve'
  | 'reject'
  | 'cancel'
  | 'dismiss'
  | 'signal_approve'
  | 'signal_reject'
  | 'on_behalf'
  | 'link'
  | 'expire'

let service: TestService
let target: Canary
let place: string
let owner: Member
let people: Record<'starter' | 'ann' | 'bob' | 'dba' | 'bot', Member>

beforeAll(async () => {
  place = mkdtempSync(join(tmpdir(), 'svc-told-'))
  target = await startCanary()
  writeFileSync(join(place, 'url'), `${target.url}/first`)
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    env: {
      ...AUTH_ENV,
      SVC_PACKS_DIR: PACKS,
      SVC_SECRET_KEY: TEST_MASTER_KEY,
      SVC_TEMPORAL_APPROVALS: '1',
      SVC_LANE_BACKGROUND: '8',
    },
    files: {
      'environments/solo.yaml': environment('solo'),
      'environments/free.yaml': environment('free'),
      'environments/pair.yaml': environment('pair', 'approval: { min_approvals: 2, prevent_self: true }'),
      'environments/roles.yaml': environment('roles', 'approval: { min_approvals: 2 }'),
      'environments/brief.yaml': environment('brief', 'approval: { ttl_hours: 0.0005 }'),
      'environments/shifting.yaml': environment(
        'shifting',
        `connections: { api: { kind: http, url: "file:${place}/url" } }`,
      ),
      'policies/dba.yaml':
        'name: dba\napplies_to: { environments: [roles] }\nrules: [{ effect: require_hitl, reason: a dba decides, approval_role: dba }]\n',
    },
  })
  const identities = await createIdentities(service)
  owner = identities.owner
  people = {
    starter: await identities.add('starter', { roles: ['operator'] }),
    ann: await identities.add('ann', { roles: ['approver'] }),
    bob: await identities.add('bob', { roles: ['approver'], approval_roles: ['dba'] }),
    dba: await identities.add('dba', { roles: ['approver'], approval_roles: ['dba'] }),
    bot: await identities.add('bot', { roles: ['service'], scopes: ['approvals:on_behalf'] }),
  }
  await letAnswer(service, people.bot, people.ann)
})
afterAll(async () => {
  await service.stop()
  await target.stop()
  rmSync(place, { recursive: true, force: true })
})

test(`of ${RUNS} runs the chain alone tells who asked for whom, what was required, who approved, and that it is what ran`, async () => {
  const seed = Number(process.env['SVC_SEED'] ?? 4711)
  const random = seededRandom(seed)
  const runs: string[] = []
  // each way of answering once, and then whatever comes
  const ways = Object.entries(PLACES).flatMap(([where, of]) => of.map((first) => ({ where, first })))
  const plans = Array.from({ length: RUNS }, (_, n) => {
    const { where, first } = ways[n] ?? pick(ways, random)
    const template = where === 'shifting' ? 'through' : where === 'free' ? 'free' : pick(['once', 'twice'], random)
    return { where, template, first, random: seededRandom(Math.floor(random() * 2 ** 31)) }
  })
  const waiting = [...plans]
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let plan = waiting.shift(); plan !== undefined; plan = waiting.shift()) runs.push(await live(plan))
    }),
  )
  await expect.poll(unchained, PATIENCE).toBe(0)

  const file = join(service.home, 'audit.jsonl')
  const reported = readChain(service.home)
  const seen = new Map<string, number>()
  for (const id of runs) {
    const truth = await truthOf(id)
    const chain = reported.get(id)
    expect(chain, `run ${id} of seed ${seed}`).toEqual(truth)
    const end = `${truth.end}${truth.gates.length > 1 ? ', several gates' : ''}`
    seen.set(end, (seen.get(end) ?? 0) + 1)
  }
  // the product's own reader says the same as the one that shares no code with it
  const events = new Map<string, AuditEvent[]>(runs.map((id) => [id, []]))
  await verifyFile(file, { onRecord: ({ event }) => events.get(event.run_id ?? '')?.push(event) })
  for (const [id, records] of events) {
    const timeline = buildTimeline(records)
    expect(timeline?.as_approved).toBe(true)
    expect([timeline?.human_root, timeline?.ended?.status, Math.round(Number(timeline?.cost_usd) * 1e6)]).toEqual([
      reported.get(id)?.human_root,
      reported.get(id)?.end,
      reported.get(id)?.cost_micro_usd,
    ])
    expect(timeline?.gates.map(({ gate_id, status, met }) => [gate_id, status, met])).toEqual(
      reported.get(id)?.gates.map(({ gate_id, status }) => [gate_id, status, status === 'approved' ? true : null]),
    )
  }
  for (const id of runs) {
    const evidence = await evidenceOf(id)
    expect([evidence.complete, evidence.records.length]).toEqual([true, events.get(id)?.length])
    expect(verifyEvidence(evidence, sha256).faults, `evidence of run ${id} of seed ${seed}`).toEqual([])
  }
  expect([...seen.keys()]).toEqual(expect.arrayContaining(['succeeded', 'rejected', 'cancelled', 'expired']))
  const votes = runs.flatMap((id) => reported.get(id)?.gates.flatMap((gate) => gate.votes) ?? [])
  for (const by of [
    `${people.ann.id} ${people.bot.id} approve`,
    'temporal  approve temporal none',
    ' approve magic_link magic_link',
  ])
    expect(
      votes.some((vote) => vote.includes(by)),
      by,
    ).toBe(true)
  if (STORM !== undefined) process.stdout.write(`${JSON.stringify(Object.fromEntries(seen))}\n`)
})

test('svc lineage tells a run in about ten lines, with the requester, the votes, the target and the verdict', async () => {
  const id = await start('roles', 'once', people.starter)
  await untilAsked(id, new Set())
  await decide(id, people.dba, 'approve')
  await decide(id, people.bob, 'approve')
  await untilEnded(id)
  await expect.poll(unchained, PATIENCE).toBe(0)
  const out: string[] = []
  const codes: number[] = []
  const program = new Command().exitOverride()
  registerLineage(program, {
    api: () => {
      throw new Error('the log is here')
    },
    auditFile: () => join(service.home, 'audit.jsonl'),
    out: (text) => out.push(text),
    err: (text) => out.push(text),
    exit: (code) => codes.push(code),
  })
  await program.parseAsync(['lineage', id], { from: 'user' })
  expect(codes).toEqual([0])
  expect(out.length).toBeLessThanOrEqual(12)
  const text = out.join('\n')
  expect(text).toContain(`asked    by ${people.starter.id} (jwt, api) for ${people.starter.id}`)
  expect(text).toMatch(
    /required {1}for act: 2 approvals, one by dba; because .*the overlay policy dba requires a person: a dba decides/,
  )
  for (const { id: voter } of [people.dba, people.bob])
    expect(text).toMatch(new RegExp(`answered ${voter}: approve \\(api, jwt`))
  expect(text).toMatch(/ran {6}act \(http\.request@1, attempt 1: succeeded\) on .*http.*\/act.*: as approved in gate_/)
  expect(text).toContain('ended    succeeded')
  expect(text).toContain('approved what was approved is what ran')
  expect(out.at(-1)).toMatch(/^chain ok/)
})

test('the evidence of a run holds without the service, and whatever is changed in it is found', async () => {
  const id = await start('solo', 'once', people.starter)
  await untilAsked(id, new Set())
  await decide(id, people.ann, 'approve', { note: 'seen it' })
  await untilEnded(id)
  await expect.poll(unchained, PATIENCE).toBe(0)
  const file = join(place, 'evidence.json')
  const log = join(service.home, 'audit.jsonl')
  const token = (people.ann.headers.authorization ?? '').replace('Bearer ', '')
  const saved = await runCliInProcess(['evidence', id, '--out', file], { url: service.url, env: { SVC_TOKEN: token } })
  expect([saved.code, saved.stdout]).toEqual([0, expect.stringContaining('check it without the service')])
  const again = await runCliInProcess(['evidence', id, '--out', file], { url: service.url, env: { SVC_TOKEN: token } })
  expect([again.code, again.stdout]).toEqual([69, expect.stringContaining('EEXIST')])
  const check = async (path: string, ...more: string[]) =>
    await runCliInProcess(['evidence', '--verify', path, ...more], { url: 'http://127.0.0.1:1' })
  const held = await check(file)
  expect([held.code, held.stdout]).toEqual([0, expect.stringMatching(/succeeded: \d+ records hold.*not proved/s)])
  const inLog = await check(file, '--log', log)
  expect([inLog.code, inLog.stdout]).toEqual([0, expect.stringContaining('exactly these records of the run')])
  expect((await check(file, '--log', join(place, 'nowhere'))).code).toBe(69)

  const text = readFileSync(file, 'utf8')
  const changed = join(place, 'changed.json')
  const random = seededRandom(7)
  for (let count = 0; count < 150; count += 1) {
    const bytes = Buffer.from(text)
    const at = Math.floor(random() * (bytes.length - 1))
    bytes[at] = bytes[at] === 0x61 ? 0x62 : 0x61
    writeFileSync(changed, bytes)
    expect((await check(changed)).code, `byte ${at}`).toBe(1)
  }
  // somebody who also computes the digest again, and the hash of what they forged
  const forge = async (change: (evidence: RunEvidence) => void, ...more: string[]) => {
    const evidence: RunEvidence = JSON.parse(text)
    change(evidence)
    writeFileSync(changed, JSON.stringify({ ...evidence, digest: evidenceDigest(evidence, sha256) }))
    const { code, stdout } = await check(changed, ...more)
    expect(code).toBe(1)
    return stdout
  }
  const answer = (evidence: RunEvidence) => evidence.run.gates[0]?.decisions?.[0] ?? expect.fail('nobody answered')
  expect(await forge((evidence) => Object.assign(answer(evidence), { note: 'never' }))).toContain('no record has')
  expect(await forge((evidence) => void evidence.run.gates[0]?.decisions?.pop())).toContain('only the records have')
  expect(await forge(({ run }) => Object.assign(run, { status: 'failed' }))).toContain('ended as failed')
  expect(await forge(({ steps }) => Object.assign(steps.at(-1) ?? {}, { plan_hash: 'x' }))).toContain(
    'another plan hash',
  )
  expect(await forge(({ records }) => void records.splice(2, 1), '--log', log)).toContain('of the log is missing here')
  // a file that ends earlier is told apart from one that has everything
  const early: RunEvidence = JSON.parse(text)
  const end = early.records.findIndex(({ event }) => event.action === 'gate.opened')
  const [opened] = early.records.splice(end).slice(0, 1)
  const { seq, hash } = early.records.at(-1) ?? expect.fail(`no record before ${opened?.seq}`)
  Object.assign(early, { head: { seq, hash }, steps: [] })
  Object.assign(early.run, { status: 'running', gates: [] })
  writeFileSync(changed, JSON.stringify({ ...early, digest: evidenceDigest(early, sha256) }))
  expect((await check(changed, '--log', log)).stdout).toMatch(/\d+ later records of the run: this file does not tell/)
  const rewritten = await forge(
    ({ records }) => {
      const last = records.at(-1)
      if (last === undefined) return
      last.event.data['code'] = 'forged'
      last.hash = sha256(last.prev_hash + canonicalText(last.event))
    },
    '--log',
    log,
  )
  expect(rewritten).toContain('is not in the log')
  expect((await check(log)).code).toBe(1)
  expect((await runCliInProcess(['evidence'], { url: service.url })).code).toBe(64)
})

async function evidenceOf(id: string): Promise<RunEvidence> {
  return (await service.call<RunEvidence>('GET', `/runs/${id}/evidence`, undefined, people.ann.headers)).body
}

async function live({
  where,
  template,
  first,
  random,
}: {
  where: string
  template: string
  first: Way
  random: () => number
}): Promise<string> {
  const by = random() < 0.2 ? people.bot : people.starter
  const id = await start(where, template, by)
  const asked = new Set<string>()
  for (;;) {
    const gate = await untilAsked(id, asked)
    if (gate === undefined) return id
    asked.add(gate)
    const way = asked.size === 1 ? first : pick(PLACES[where] ?? [], random)
    if (where === 'shifting' && random() < 0.5 && asked.size < 3)
      writeFileSync(join(place, 'url'), `${target.url}/${randomUUID()}`)
    await answer(id, gate, where, way, by)
    // whatever became of the answers, somebody ends it
    if (!(await isOver(id, gate))) await decide(id, people.ann, 'reject')
  }
}

async function answer(id: string, gate: string, where: string, way: Way, by: Member): Promise<void> {
  const { ann, bob, dba, bot, starter } = people
  switch (way) {
    case 'approve':
      // the one who asked tries too, and is refused where that is asked for
      if (where === 'pair') await decide(id, owner, 'approve')
      if (where === 'roles') await decide(id, dba, 'approve')
      await decide(id, where === 'roles' ? bob : ann, 'approve')
      return
    case 'reject':
      await decide(id, bob, 'reject', { note: 'no' })
      return
    case 'cancel':
      await service.call('POST', `/runs/${id}/cancel`, {}, starter.headers)
      await expect.poll(() => isOver(id, gate), PATIENCE).toBe(true)
      return
    case 'dismiss':
      await service.call('POST', `/runs/${id}/expire`, { reason: 'stale' }, starter.headers)
      return
    case 'expire':
      await expect.poll(() => isOver(id, gate), PATIENCE).toBe(true)
      return
    case 'on_behalf':
      // a service account answers nothing that it asked for itself
      await decide(id, bot, 'approve', { approver: ann.email })
      if (where === 'pair' || by === bot) await decide(id, bob, 'approve')
      if (where === 'pair') await decide(id, dba, 'approve')
      return
    case 'link': {
      const { path, code } = await issueTestLink({ db: service.database.db }, gate)
      const browser = createTestBrowser({
        app: { request: (where: string, init: RequestInit) => fetch(`${service.url}${where}`, init) } as never,
      })
      const { nonce } = await browser.open(path)
      await browser.submit(path, { nonce, decision: 'approve', code })
      return
    }
    case 'signal_approve':
    case 'signal_reject': {
      const decision = way === 'signal_approve' ? 'approve' : 'reject'
      await service.temporal.workflow.getHandle(id).signal('gate.decide', { decision, gate_id: gate })
      await expect.poll(() => isOver(id, gate), PATIENCE).toBe(true)
    }
  }
}

async function start(where: string, template: string, by: Member): Promise<string> {
  const inputs = template === 'through' ? {} : { url: target.url }
  const { status, body } = await service.call<RunBody>(
    'POST',
    `/packs/told/${template}/run`,
    { inputs, environment: where },
    by.headers,
  )
  expect(status, JSON.stringify(body)).toBe(202)
  return body.id
}

const decide = (id: string, by: Member, decision: string, more: object = {}) =>
  service.call('POST', `/runs/${id}/resume`, { decision, ...more }, by.headers)

/** The next gate of a run, or undefined when it has ended. */
async function untilAsked(id: string, known: Set<string>): Promise<string | undefined> {
  let gate: string | undefined
  await expect
    .poll(async () => {
      const [row] = await service.database.db<{ status: string; gate: string | null }[]>`
          select r.status, (select id from gates where run_id = r.id and status = 'open') as gate from runs r where r.id = ${id}`
      gate = row?.gate ?? undefined
      return TERMINAL.includes(row?.status ?? '') || (gate !== undefined && !known.has(gate))
    }, PATIENCE)
    .toBe(true)
  return gate
}

const untilEnded = (id: string) =>
  service.until<RunBody>(`/runs/${id}`, ({ status }) => TERMINAL.includes(status), PATIENCE.timeout, owner.headers)

async function isOver(id: string, gate: string): Promise<boolean> {
  const [row] = await service.database.db<
    { status: string }[]
  >`select status from gates where id = ${gate} and run_id = ${id}`
  return row?.status !== 'open'
}

async function unchained(): Promise<number> {
  const [row] = await service.database.db<
    { n: number }[]
  >`select count(*)::int as n from audit_outbox where seq is null`
  return row?.n ?? -1
}

/** What the database and the target know of a run, in the words of the reader of the chain. */
async function truthOf(id: string): Promise<ChainTruth> {
  const { db } = service.database
  const [run] = await db<{ status: string; human_root: string | null; requested_by: string; cost: number }[]>`
    select status, provenance #>> '{human_root,user_id}' as human_root, provenance #>> '{actor,id}' as requested_by,
      (llm_micro_usd + gpu_micro_usd + storage_micro_usd)::int as cost from runs where id = ${id}`
  const gates = await db<(Omit<ChainTruth['gates'][number], 'approved_by'> & { approvers: string[] })[]>`
    select g.id as gate_id, g.step_id as step, g.kind, g.required, g.plan_hash, g.status,
      array(select decided_by from gate_decisions where gate_id = g.id and decision = 'approve' order by decided_by) as approvers,
      array(select concat_ws(' ', decided_by, coalesce(via, ''), decision, channel, auth) from gate_decisions
            where gate_id = g.id order by decided_at, decision_id) as votes
    from gates g where g.run_id = ${id} order by g.opened_at`
  const steps = await db<{ step_id: string; plan_hash: string; state: string }[]>`
    select step_id, plan_hash, state from run_steps where run_id = ${id} and attempt > 0 order by ordinal`
  const reached = new Set(
    target.requests.map(({ headers }) => String(headers['idempotency-key'])).filter((key) => key.startsWith(id)),
  )
  expect(reached).toEqual(new Set(steps.map(({ step_id }) => `${id}:${step_id}`)))
  const isGated = gates.length > 0
  return {
    human_root: run?.human_root ?? null,
    requested_by: run?.requested_by ?? '',
    gates: gates.map(({ approvers, ...gate }) => ({
      ...gate,
      approved_by: gate.status === 'approved' ? approvers : [],
    })),
    ran: steps.map(({ step_id, plan_hash }) => `${step_id} ${plan_hash}`),
    as_approved: steps.every(({ step_id, plan_hash }) => {
      const last = gates.filter(({ step }) => step === step_id).at(-1)
      return !isGated || (last?.status === 'approved' && last.plan_hash === plan_hash)
    }),
    end: run?.status ?? null,
    cost_micro_usd: run?.cost ?? -1,
  }
}

function pick<Item>(items: readonly Item[], random: () => number): Item {
  const found = items[Math.floor(random() * items.length)]
  if (found === undefined) throw new Error('nothing to choose from')
  return found
}
