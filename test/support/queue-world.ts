import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Canary, startCanary } from './canary.ts'
import { AUTH_ENV, createIdentities, type Member } from './identity.ts'
import { startTestService } from './service.ts'

const PACKS = fileURLToPath(new URL('../packs/effects', import.meta.url))
const FREEZE = 'freeze: [{ name: incident, interval: { from: "2020-01-01T00:00:00Z", to: "2090-01-01T00:00:00Z" } }]'

const environment = (name: string, more = '', klass = 'development') =>
  `name: ${name}\nclass: ${klass}\negress: [loopback]\n${more}\n`
const policy = (name: string, more: string) =>
  `name: ${name}\napplies_to: { environments: [${name}], action_types: [service.restart] }\nrules: [{ effect: require_hitl, reason: ${name} asks, ${more} }]\n`

/** Environments whose gates ask for different things. */
const FILES = {
  'environments/plain.yaml': environment('plain'),
  'environments/pair.yaml': environment('pair', 'approval: { min_approvals: 2, prevent_self: true }'),
  'environments/dba.yaml': environment('dba'),
  'environments/security.yaml': environment('security'),
  'environments/noted.yaml': environment('noted'),
  'environments/thaw.yaml': environment('thaw'),
  'environments/soon.yaml': environment('soon', 'approval: { ttl_hours: 0.1 }'),
  'environments/rehearsed.yaml': environment('rehearsed'),
  'environments/brief.yaml': environment('brief', 'approval: { ttl_hours: 0.005 }'),
  'environments/live.yaml': environment('live', '', 'production'),
  'environments/old.yaml': environment('old'),
  'policies/dba.yaml': policy('dba', 'approval_role: dba'),
  'policies/security.yaml': policy('security', 'approval_role: security'),
  'policies/noted.yaml': policy('noted', 'require_note: always'),
  'policies/rehearsed.yaml':
    'name: rehearsed\napplies_to: { environments: [rehearsed] }\nrules: [{ effect: require_dry_run, reason: rehearsed first }]\n',
  'profiles/exact.yaml': 'name: exact\nrequire_plan_hash: true\n',
  'rules/recovery.yaml': `- name: recover
  on: alert
  match: { service: "*" }
  run: sre/service-recovery
  environment: plain
  inputs: { url: "\${{ alert.labels.url }}" }
`,
}

export type QueueWorld = Awaited<ReturnType<typeof openQueueWorld>>

/** A service with authentication on, people who may answer this and that, gates of every kind, and a witness of what was done. */
export async function openQueueWorld(servers: { postgres_url: string; temporal_address: string }) {
  const place = mkdtempSync(join(tmpdir(), 'svc-queue-'))
  const connectTo = (url: string) => writeFile(join(place, 'api-url'), url.replace('://', '://svc:s3cret@'))
  const service = await startTestService({
    ...servers,
    env: { ...AUTH_ENV, SVC_PACKS_DIR: PACKS, SVC_SECRET_KEY: 'the master key of this test, 32 bytes and more' },
    files: {
      ...FILES,
      'environments/development.yaml': `name: development\nconnections: { api: { kind: http, url: "file:${place}/api-url" } }\n`,
    },
  })
  const target: Canary = await startCanary()
  const people = await createIdentities(service)
  const starter = await people.add('starter', { roles: ['operator'] })

  async function start(path: string, body: object, by: Member = starter): Promise<string> {
    const { status, body: run } = await service.call<{ id: string }>('POST', `/packs/${path}/run`, body, by.headers)
    if (status !== 202) throw new Error(`${path} did not start: ${status} ${JSON.stringify(run)}`)
    return run.id
  }

  return {
    service,
    target,
    people,
    starter,
    connectTo,
    start,
    /** Runs that each post to an address of their own, once somebody lets them. */
    async post(name: string, body: object = {}): Promise<string> {
      return await start('shown/post', { inputs: { url: `${target.url}/${name}` }, ...body })
    },
    async waits(id: string): Promise<void> {
      await service.until<{ status: string }>(
        `/runs/${id}`,
        ({ status }) => status === 'awaiting_approval',
        60_000,
        starter.headers,
      )
    },
    async statusOf(id: string): Promise<string> {
      const within_ms = 60_000
      const has = ({ status }: { status: string }) => !['queued', 'running', 'awaiting_approval'].includes(status)
      return (await service.until<{ status: string }>(`/runs/${id}`, has, within_ms, starter.headers)).status
    },
    answer: (id: string, by: Member, body: object) =>
      service.call<{ code?: string }>('POST', `/runs/${id}/resume`, body, by.headers),
    freeze: (name: string) => writeFile(join(service.home, `environments/${name}.yaml`), environment(name, FREEZE)),
    async close(): Promise<void> {
      await target.stop()
      await service.stop()
      rmSync(place, { recursive: true })
    },
  }
}
