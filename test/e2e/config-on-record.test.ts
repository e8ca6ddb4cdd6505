import type { ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { AuditEvent } from '#core/audit/types.ts'
import { verifyFile } from '#platform/audit-sink/verify-range.ts'
import { freePort } from '#test/support/free-ports.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const WAVES = 12
const WORKSPACE = 'ws_00000000000000000000000000'
const CONSOLE = `console/${WORKSPACE}/written`

/** Every kind of file that protects, as the nth version of it reads. */
const FILES: Record<string, (n: number) => string> = {
  'policies/guard.yaml': (n) => policy('guard', n),
  'environments/production.yaml': (n) => `name: production\napproval: { min_approvals: ${n + 1} }\n`,
  'profiles/exact.yaml': (n) => `name: exact\nrequire_plan_hash: true\nrequires_approval: [n${n}]\n`,
  'rules/alerts.yaml': (n) =>
    `- { name: n${n}, on: alert, match: { service: n${n} }, run: sre/service-recovery, inputs: { url: "'http://127.0.0.1'" } }\n`,
  'schedules/nightly.yaml': (n) => `# ${n}\n[]\n`,
  'channels.yaml': (n) =>
    `- { name: n${n}, kind: webhook, url: "https://hooks.example.test/${n}", secret: env:NONE }\n`,
  'skills/look/SKILL.md': (n) => `---\nname: look\ndescription: Looks ${n}\n---\nLook.\n`,
  'packs/own/policies/own.yaml': (n) => policy('own', n),
}

let service: TestService
let packs: string
let children: ChildProcess[] = []

beforeAll(async () => {
  packs = mkdtempSync(join(tmpdir(), 'svc-packs-'))
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    env: { SVC_PACKS_DIR: packs },
    api: false,
    workers: 0,
  })
  put('packs/own/pack.yaml', 'apiVersion: svc/v1\nname: own\nversion: 1.0.0\ntitle: Own\n')
  for (const item of Object.keys(FILES)) change(item, 0)
  await startAll()
})
afterAll(async () => {
  await service.stop()
  rmSync(packs, { recursive: true, force: true })
})

test('a hundred changes of every kind, while two APIs and two workers run and while none does, are on record once each', async () => {
  const versions = new Map<string, string[]>(Object.keys(FILES).map((item) => [item, [digest(item, 0)]]))
  const expected: [item: string, before: string | null, after: string | null][] = []
  const follow = (item: string, after: string | null) => {
    const known = versions.get(item) ?? []
    expected.push([item, known.at(-1) ?? null, after])
    versions.set(item, after === null ? [] : [...known, after])
  }
  const wave = async (n: number) => {
    await service.database.db`
      insert into console_policies (workspace_id, name, document, author)
      values (${WORKSPACE}, 'written', ${policy('written', n)}, 'usr_ann')
      on conflict (workspace_id, name) do update set document = excluded.document`
    follow(CONSOLE, sha256(policy('written', n)))
    for (const item of Object.keys(FILES)) {
      change(item, n)
      follow(item, digest(item, n))
    }
  }

  for (let n = 1; n <= WAVES; n += 1) {
    await wave(n)
    await recorded(expected.length)
  }
  expect(expected.length).toBeGreaterThanOrEqual(100)

  await stopAll()
  await wave(WAVES + 1)
  renameSync(join(service.home, 'rules'), join(service.home, 'rules-away'))
  // what changed twice meanwhile is one change: from what was known to what is
  expected.splice(
    expected.findIndex(([item, , after]) => item === 'rules/alerts.yaml' && after === digest(item, WAVES + 1)),
    1,
  )
  expected.push(['rules/alerts.yaml', digest('rules/alerts.yaml', WAVES), null], ['rules/', 'folder', null])
  await startAll()
  const events = await recorded(expected.length)

  const reported = events.map(({ subject, data }) => [subject.id, data['before'], data['after']])
  expect(reported.map(String).sort()).toEqual(expected.map(String).sort())
  for (const item of versions.keys()) {
    expect(reported.filter(([id]) => id === item)).toEqual(expected.filter(([id]) => id === item))
  }
  const { uid, username } = userInfo()
  const [ofFile, ofConsole] = ['policies/guard.yaml', CONSOLE].map((item) =>
    events.filter(({ subject }) => subject.id === item),
  )
  expect(ofFile?.every(({ data }) => data['mtime'] !== undefined)).toBe(true)
  expect(ofFile?.[0]?.data['owner']).toEqual({ uid, name: username })
  expect(new Set(ofConsole?.map(({ actor }) => actor.id))).toEqual(new Set(['usr_ann']))
  const since = events.filter(({ data }) => data['noticed'] === 'at_start').map(({ subject }) => subject.id)
  expect(since.sort()).toEqual([...versions.keys(), 'rules/'].sort())
  expect(
    events.find(({ subject, data }) => subject.id === 'policies/guard.yaml' && data['loosens'])?.data['loosens'],
  ).toEqual(['guard'])
})

function policy(name: string, n: number): string {
  const effect = n % 4 === 0 ? 'deny' : 'require_hitl'
  return `name: ${name}\napplies_to: { environments: [production] }\nrules: [{ effect: ${effect}, reason: "${n}" }]\n`
}

function put(item: string, text: string): void {
  const path = item.startsWith('packs/') ? join(packs, item.slice('packs/'.length)) : join(service.home, item)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

const change = (item: string, n: number) => put(item, FILES[item]?.(n) ?? '')
const sha256 = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`
const digest = (item: string, n: number) => sha256(FILES[item]?.(n) ?? '')

async function startAll(): Promise<void> {
  const SVC_PORT = String(await freePort())
  children = await Promise.all([
    service.startWorker(),
    service.startWorker(),
    service.startApi(),
    service.startApi({ SVC_PORT }),
  ])
}

async function stopAll(): Promise<void> {
  const ended = children.map((child) => once(child, 'exit'))
  for (const child of children) child.kill('SIGTERM')
  await Promise.all(ended)
}

/** Changes of items in the chain, without the pack as a whole, which changes with its policies. */
async function recorded(count: number): Promise<AuditEvent[]> {
  let events: AuditEvent[] = []
  await expect
    .poll(async () => {
      events = []
      const { broken } = await verifyFile(join(service.home, 'audit.jsonl'), {
        onRecord: ({ event }) => {
          if (event.category === 'config' && event.action !== 'config.baseline') events.push(event)
        },
      })
      expect(broken).toBeUndefined()
      events = events.filter(({ subject }) => subject.type !== 'pack')
      return events.length
    }, PATIENCE)
    .toBeGreaterThanOrEqual(count)
  return events
}
