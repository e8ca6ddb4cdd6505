import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createOperators } from '#activities/operators/index.ts'
import { compileExpression } from '#core/expression/compile-expression.ts'
import { renderValue } from '#core/expression/render-value.ts'
import type { Json, JsonObject } from '#core/json.ts'
import type { OperatorContext } from '#core/operator.ts'
import { validateInputs } from '#core/plan/validate-inputs.ts'
import type { NormalizedAlert } from '#core/trigger/alert.ts'
import { matchRule } from '#core/trigger/match-rule.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { createPackRegistry, type LoadedTemplate, type PackRegistry, packDirs } from '#platform/packs/pack-registry.ts'
import { parsePolicyYaml } from '#platform/policies/parse-policy-yaml.ts'

const operators = createOperators({ egress: createEgressClient() })
const log = { info: () => undefined, warn: () => undefined }
let packs: PackRegistry

beforeAll(async () => {
  for (const operator of operators.list()) await operator.ready?.()
  packs = createPackRegistry({ dirs: packDirs(), catalog: operators, log })
})
afterAll(() => packs.close())

function template(pack: string, name: string): LoadedTemplate {
  const found = packs.findTemplate(pack, name)
  if (found === undefined) throw new Error(`there is no template ${pack}/${name}`)
  return found
}

function step(of: LoadedTemplate, id: string) {
  const found = of.plan.steps.find((each) => each.id === id)
  if (found === undefined) throw new Error(`there is no step ${id}`)
  return found
}

/** Renders a step's input and lets its real operator parse it. */
function parsed(of: LoadedTemplate, id: string, scope: JsonObject): JsonObject {
  const { with: input, operator } = step(of, id)
  const real = operators.get(operator)
  if (real === undefined) throw new Error(`there is no operator ${operator}`)
  const rendered = renderValue(input, scope) as JsonObject
  return real.parse(real.wants_scope ? { ...rendered, scope } : rendered)
}

async function report(of: LoadedTemplate, scope: JsonObject): Promise<string> {
  const context: OperatorContext = {
    run_id: 'run_1',
    step_id: 'report',
    workspace_id: 'ws_1',
    environment: {
      name: 'development',
      class: 'development',
      policies: [],
      cost_gate: {},
      approval: { prevent_self: false, min_approvals: 1, escalate_to: [], channels: [], links: true },
      egress: [],
      connections: {},
      freeze: [],
    },
    idempotency_key: 'run_1:report',
    attempt: 1,
    signal: new AbortController().signal,
    beforeSending: async () => undefined,
    log,
    now: () => 0,
    connection: () => Promise.reject(new Error('a report needs no connection')),
  }
  const result = await operators.get('report.render')?.execute(context, parsed(of, 'report', scope))
  return String(result?.artifacts?.[0]?.body)
}

const run = { id: 'run_1', workspace_id: 'ws_1', environment: 'development', lane: 'realtime', reason: 'an alert' }

const alert: NormalizedAlert = {
  source: 'alertmanager',
  service: 'demo-8080',
  symptom: 'ServiceUnhealthy',
  status: 'firing',
  severity: 'critical',
  fingerprint: 'x',
  title: 'demo-8080 answers 503',
  labels: { alertname: 'ServiceUnhealthy', url: 'http://127.0.0.1:8080' },
  annotations: {},
  links: [],
  raw_digest: 'sha256:0',
}

describe('the shipped packs', () => {
  it('all load', () => {
    expect(packs.errors()).toEqual([])
    expect(packs.list().map(({ name, templates }) => [name, templates.map((each) => each.template)])).toEqual([
      ['db', ['maintenance-check', 'maintenance']],
      ['sre', ['failed-run-report', 'service-recovery']],
    ])
  })

  it('declare every capability that their steps use', () => {
    for (const pack of packs.list()) {
      for (const { plan } of pack.templates)
        expect(pack.capabilities).toEqual(expect.arrayContaining(plan.capabilities))
    }
  })

  it('bring sound policies', () => {
    for (const { pack, source, text } of packs.policies()) {
      expect(parsePolicyYaml(text, { layer: 'pack', pack, source }).broken).toEqual([])
    }
  })
})

describe('sre/service-recovery', () => {
  const scope = (status: number, act: Json): JsonObject => ({
    inputs: { url: 'http://127.0.0.1:8080', service: 'demo', action: 'restart' },
    run,
    trigger: {},
    steps: {
      evidence: { status: 'succeeded', outputs: { status, ms: 3, text: '{"status":"down"}' } },
      act,
      verify: { status: 'succeeded', outputs: { ok: true, attempts: 2, status: 200 } },
    },
  })

  it.each(['ServiceUnhealthy', 'ServiceUnhealthyForLong', 'ServiceDown'])(
    'starts for the alert %s with inputs that fit',
    (symptom) => {
      const matched = matchRule(packs.rules(), { ...alert, symptom })
      expect(matched?.rule).toMatchObject({ run: 'sre/service-recovery', on_resolved: 'record' })
      const { inputs_schema } = template('sre', 'service-recovery')
      expect(validateInputs(inputs_schema, matched?.inputs ?? {})).toEqual({
        valid: true,
        errors: [],
        normalized: { url: 'http://127.0.0.1:8080', service: 'demo-8080', action: 'restart' },
      })
    },
  )

  it('takes the address from an annotation, and does not start without one', () => {
    const annotated = { ...alert, labels: {}, annotations: { url: 'http://127.0.0.1:9' } }
    expect(matchRule(packs.rules(), annotated)?.inputs).toMatchObject({ url: 'http://127.0.0.1:9' })
    expect(matchRule(packs.rules(), { ...alert, labels: {} })).toBeUndefined()
    expect(matchRule(packs.rules(), { ...alert, symptom: 'DiskFull' })).toBeUndefined()
  })

  it('gates the action, and leaves a healthy service alone', () => {
    const act = step(template('sre', 'service-recovery'), 'act')
    expect(act).toMatchObject({ requires_approval: true, action_type: 'service.restart', timeout_ms: 30_000 })
    const condition = compileExpression(act.when ?? '')
    expect(condition.evaluate(scope(503, {}))).toBe(true)
    expect(condition.evaluate(scope(200, {}))).toBe(false)
  })

  it('renders inputs that the operators take', () => {
    const recovery = template('sre', 'service-recovery')
    const values = scope(503, { status: 'succeeded', outputs: { status: 202 } })
    expect(parsed(recovery, 'evidence', values)).toMatchObject({ method: 'GET', url: 'http://127.0.0.1:8080/health' })
    expect(parsed(recovery, 'act', values)).toEqual({
      method: 'POST',
      url: 'http://127.0.0.1:8080/restart',
      json: { reason: 'an alert', run_id: 'run_1' },
    })
    expect(parsed(recovery, 'verify', values)).toMatchObject({ until: 'response.status == 200' })
    expect(renderValue(recovery.outputs, values)).toEqual({ recovered: true, acted: true, status_before: 503 })
  })

  it('reports what was done, and that nothing was', async () => {
    const recovery = template('sre', 'service-recovery')
    const acted = await report(recovery, scope(503, { status: 'succeeded', outputs: { status: 202 } }))
    expect(acted).toContain('# Recovery of demo\n')
    expect(acted).toContain('`POST http://127.0.0.1:8080/restart` was approved and answered 202.')
    const idle = await report(recovery, scope(200, { status: 'skipped', outputs: {} }))
    expect(idle).toContain('Nothing: the service was healthy.')
  })
})

describe('db/maintenance', () => {
  const facts = {
    relation: 'orders',
    live: '10',
    dead: '90',
    table_size: '1 MB',
    index_size: '8 kB',
    vacuumed_at: null,
    analyzed_at: null,
  }
  const lock = { pid: 7, role: 'app', mode: 'AccessExclusiveLock', granted: true, age_s: 90, in_the_way: true }
  const scope = (action: string, locks: Json[] = []): JsonObject => ({
    inputs: {
      connection: 'maintenance',
      table: 'public.orders',
      action,
      lock_timeout: '5s',
      statement_timeout: '30m',
      max_lock_age_s: 60,
    },
    run,
    trigger: {},
    steps: {
      bloat: {
        status: 'succeeded',
        outputs: {
          rows: [{ relation: 'public.orders', live: '10', dead: '90', dead_percent: '90.0', vacuumed_at: null }],
          row_count: 1,
        },
      },
      long_transactions: { status: 'succeeded', outputs: { rows: [], row_count: 0 } },
      before: { status: 'succeeded', outputs: { rows: [facts], row_count: 1 } },
      locks: { status: 'succeeded', outputs: { rows: locks, row_count: locks.length } },
      act: { status: 'succeeded', outputs: { rows: [], row_count: 0 } },
      after: { status: 'succeeded', outputs: { rows: [{ ...facts, dead: '0' }], row_count: 1 } },
    },
  })

  it.each([
    ['vacuum', 'VACUUM public.orders'],
    ['vacuum_analyze', 'VACUUM (ANALYZE) public.orders'],
    ['analyze', 'ANALYZE public.orders'],
    ['reindex', 'REINDEX TABLE CONCURRENTLY public.orders'],
  ])('%s runs %s outside of a transaction, with limits, behind a gate', (action, sql) => {
    const maintenance = template('db', 'maintenance')
    expect(parsed(maintenance, 'act', scope(action))).toEqual({
      connection: 'maintenance',
      sql,
      transaction: false,
      lock_timeout: '5s',
      statement_timeout: '30m',
    })
    expect(step(maintenance, 'act')).toMatchObject({
      requires_approval: true,
      action_type: 'sql.write',
      capabilities: ['sql.write'],
    })
  })

  it.each(['orders; drop table users', 'Orders', '"orders"', 'a.b.c', 'orders--', "o'", '', 'orders\n'])(
    'refuses the table name %j',
    (table) => {
      const { inputs_schema } = template('db', 'maintenance')
      expect(validateInputs(inputs_schema, { table, action: 'vacuum' }).valid).toBe(false)
    },
  )

  it('stops before it asks anybody when an old lock is in the way', () => {
    const maintenance = template('db', 'maintenance')
    const condition = compileExpression(step(maintenance, 'locked').when ?? '')
    expect(condition.evaluate(scope('vacuum', [lock]))).toBe(true)
    expect(
      condition.evaluate(
        scope('vacuum', [
          { ...lock, age_s: 5 },
          { ...lock, in_the_way: false },
        ]),
      ),
    ).toBe(false)
    expect(parsed(maintenance, 'locked', scope('vacuum', [lock])).message).toBe(
      'public.orders is locked by process 7 for at least 60 s; end that transaction first',
    )
  })

  it('renders queries that the operators take, with the table as a parameter', () => {
    const maintenance = template('db', 'maintenance')
    for (const id of ['bloat', 'long_transactions', 'before', 'locks', 'after'])
      parsed(maintenance, id, scope('vacuum'))
    expect(parsed(maintenance, 'before', scope('vacuum')).params).toEqual(['public.orders'])
  })

  it('reports before and after', async () => {
    const text = await report(template('db', 'maintenance'), scope('vacuum', [lock]))
    expect(text).toContain('| Dead rows | 90 | 0 |')
    expect(text).toContain('| 7 | app | AccessExclusiveLock | true | 90 s | true |')
    expect(text).toContain('| public.orders | 10 | 90 | 90.0 | never |')
  })

  it('asks a dba in production and staging, and only there', () => {
    const policies = packs
      .policies()
      .flatMap(({ pack, source, text }) => parsePolicyYaml(text, { layer: 'pack', pack, source }).policies)
    expect(policies).toMatchObject([
      {
        name: 'db-writes-need-a-dba',
        scope: { environments: ['production', 'staging'], capabilities: ['sql.write'] },
        rules: [{ effect: 'require_hitl', approval_role: 'dba' }],
      },
    ])
  })
})
