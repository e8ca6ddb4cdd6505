import { createHash } from 'node:crypto'
import type { RunStart } from '#core/contract.ts'
import { SEEDED_ENVIRONMENTS } from '#core/environment/defaults.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import type { Plan } from '#core/plan/types.ts'
import type { PolicySet } from '#core/policy/types.ts'
import type { TriggerRule } from '#core/trigger/rule.ts'
import type { LoadedTemplate } from '#platform/packs/pack-registry.ts'
import { createSecretBox } from '#platform/secret-box.ts'
import { createAlertFold } from '#services/alerts/alert-fold.ts'
import { LOCAL_ACTOR } from '#services/auth/authenticator.ts'
import { NOBODY } from '#services/auth/known-people.ts'
import { createOutboxPublisher } from '#services/bus/hand-out-outbox.ts'
import type { Caller } from '#services/context.ts'
import type { ServiceDeps } from '#services/service-deps.ts'
import { createAlertStore } from '#store/alerts/alerts.ts'
import { createPresetStore } from '#store/authored/presets.ts'
import { createBusLog } from '#store/bus/bus-log.ts'
import type { Db } from '#store/db.ts'
import { createGateDecisions } from '#store/gates/gate-decisions.ts'
import { createHaltRefusals } from '#store/halt-refusals.ts'
import { createHaltStore } from '#store/halts.ts'
import { createRunStore } from '#store/runs/runs.ts'
import { unscoped } from '#store/tenant-db.ts'
import { createUserStore } from '#store/users.ts'
import { ids } from '#test/support/run-drafts.ts'

const digest = (letter: string) => `sha256:${letter.repeat(64)}`

function template(name: string, letter: string): LoadedTemplate {
  const plan: Plan = {
    v: 1,
    pack: 'test',
    template: name,
    pack_version: '1.0.0',
    pack_digest: digest('f'),
    title: name,
    risk: 'low',
    action_types: [name],
    capabilities: [],
    steps: [],
    outputs: {},
    digest: digest(letter),
  }
  const token = { type: 'string', writeOnly: true }
  const inputs_schema = { type: 'object', properties: { url: { type: 'string', minLength: 1 }, token } }
  return {
    pack: 'test',
    template: name,
    version: '1.0.0',
    digest: digest('f'),
    title: name,
    risk: 'low',
    inputs_schema,
    outputs: {},
    plan,
  }
}

const TEMPLATES = new Map([template('recover', 'a'), template('forbidden', 'b')].map((each) => [each.template, each]))

function rule(name: string, symptom: string, run: string, inputs: TriggerRule['inputs'] = {}): TriggerRule {
  const match = { symptom, severity: [], labels: {} }
  return {
    name,
    on: 'alert',
    match,
    run,
    inputs,
    on_resolved: 'record',
    limits: {},
    layer: 'pack',
    origin: 'rules/test.yaml',
    pack: 'test',
  }
}

const RULES = [
  rule('denied', 'Denied*', 'test/forbidden'),
  rule('with-url', 'WithUrl', 'test/recover', { url: `$\{{ alert.labels.url }}` }),
  rule('gone', 'Gone', 'test/gone'),
  rule('with-token', 'WithToken', 'test/recover', { token: `$\{{ alert.labels.url }}` }),
  rule('down', 'Down', 'test/recover'),
]

/** The registry of a deployment with one pack, in memory. */
const PACKS: ServiceDeps['packs'] = {
  list: () => [],
  errors: () => [],
  findTemplate: (pack, name) => (pack === 'test' ? TEMPLATES.get(name) : undefined),
  rules: () => RULES,
  policies: () => [],
  onChange: () => () => undefined,
  reload: () => undefined,
  close: () => undefined,
}

/** Denies one action type. */
const POLICY: PolicySet = {
  snapshot_hash: digest('9'),
  decide: ({ action_types }) => {
    const matched = action_types.includes('forbidden')
      ? [{ name: 'never', layer: 'pack' as const, effect: 'deny' as const, reason: 'not here' }]
      : []
    const effect = matched.length > 0 ? 'deny' : 'allow_auto'
    return {
      effect,
      matched,
      dry_run: false,
      approval_roles: [],
      channels: [],
      broken_policies: [],
      snapshot_hash: digest('9'),
    }
  },
}

/** One API process over a real database; `starts` is what its engine was told. */
export function createAlertService(db: Db) {
  const starts: RunStart[] = []
  const absent = () => Promise.reject(new Error('no engine in this test'))
  const ctx: Caller & ServiceDeps = {
    runs: createRunStore(db),
    decisions: createGateDecisions(db),
    halts: createHaltStore(db),
    halt_refusals: createHaltRefusals(db),
    engine: { start: async (input) => void starts.push(input), decide: absent, cancel: absent, alive: absent },
    record: { decision: absent, cancel: absent },
    packs: PACKS,
    policies: { effective: async () => POLICY },
    environments: {
      get: (name) => {
        const seeded = SEEDED_ENVIRONMENTS.find((each) => each.name === name)
        return seeded && { ...seeded, workspaces: ['*'] }
      },
      list: () => [],
      profile: (name) => ({ name, requires_approval: [] }),
      rules: () => [],
    },
    console_rules: { current: async () => [], invalidate: () => {} },
    accounts: createUserStore(db),
    presets: createPresetStore(db, unscoped(db)),
    clock: Date.now,
    ids,
    sha256: (text) => createHash('sha256').update(text).digest('hex'),
    secrets: createSecretBox('a master key of the tests, long enough'),
    later: (work) => void work(),
    notifyRun: () => undefined,
    bus: createOutboxPublisher(createBusLog(db)),
    alertFold: createAlertFold(createAlertStore(db)),
    people: NOBODY,
    open: true,
    signals_approve: true,
    actor: LOCAL_ACTOR,
    workspace_id: DEFAULT_WORKSPACE_ID,
    workspace_slug: 'default',
    channel: 'api',
    request_id: ids.next('request'),
  }
  return { ctx, starts }
}

/** What Alertmanager posts. */
export function groupOf(
  alerts: { service: string; status?: 'firing' | 'resolved'; alertname?: string; id?: string; url?: string }[],
) {
  return {
    version: '4',
    groupKey: '{}:{}',
    alerts: alerts.map(({ service, status = 'firing', alertname = 'Down', id, url }) => ({
      status,
      labels: { alertname, service, ...(url !== undefined && { url }) },
      annotations: { summary: `${service} is down` },
      ...(id !== undefined && { fingerprint: id }),
    })),
  }
}
