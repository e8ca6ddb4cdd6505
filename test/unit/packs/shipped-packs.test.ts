import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createOperators } from '#activities/operators/index.ts'
import { compileExpression } from '#core/expression/compile-expression.ts'
import { renderValue } from '#core/expression/parse-template-string.ts'
import type { Json, JsonObject } from '#core/json/json.ts'
import { chunkText } from '#core/knowledge/chunk-text.ts'
import type { OperatorContext } from '#core/operator.ts'
import { validateInputs } from '#core/plan/validate-inputs.ts'
import type { NormalizedAlert } from '#core/trigger/alert.ts'
import { matchRule } from '#core/trigger/match-rule.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { createKnowledgeFiles } from '#platform/knowledge/knowledge-files.ts'
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
    environment: { name: 'development', egress: [] },
    idempotency_key: 'run_1:report',
    attempt: 1,
    signal: new AbortController().signal,
    beforeSending: async () => undefined,
    log: { ...log, progress: () => undefined },
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
      ['access', ['jit-grant', 'jit-notice', 'jit-report', 'jit-revoke']],
      [
        'data',
        [
          'dataset-checks',
          'dataset-profile',
          'dataset-publish',
          'dataset-quarantine',
          'dataset-report',
          'dataset-withdraw',
        ],
      ],
      [
        'db',
        [
          'backup',
          'drill-report',
          'drop-invalid-index',
          'end-session',
          'maintenance-check',
          'maintenance',
          'restore-check',
          'restore-clear',
          'restore-drill',
        ],
      ],
      ['ml', ['gpu-job']],
      ['ops', ['mcp-tool']],
      ['sec', ['secret-rotation']],
      ['sre', ['alert-triage', 'cert-expiry', 'deploy-rollback', 'failed-run-report', 'service-recovery']],
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
    live: '10',
    dead: '90',
    table_size: '1 MB',
    index_size: '8 kB',
    xid_age: '7',
    invalid_indexes: '',
    vacuumed_at: 'never',
    analyzed_at: 'never',
    note: 'sales."Invoice" is 1 MB; about a second, an estimate',
  }
  const target = {
    oid: 16400,
    table_oid: 16400,
    is_index: false,
    relation: 'sales."Invoice"',
    of_table: 'sales."Invoice"',
  }
  const lock = {
    pid: 7,
    root: 5,
    role: 'app',
    application: 'shop',
    state: 'idle in transaction',
    mode: 'AccessExclusiveLock',
    granted: true,
    age_s: 90,
    in_the_way: true,
    query: 'lock table sales."Invoice"',
  }
  const rows = (...all: Json[]): JsonObject => ({
    status: 'succeeded',
    outputs: { rows: all, row_count: all.length },
  })
  const scope = (action: string, locks: Json[] = [], found: Json = target): JsonObject => ({
    inputs: {
      connection: 'maintenance',
      table: 'sales."Invoice"',
      action,
      lock_timeout: '5s',
      statement_timeout: '30m',
      max_lock_age_s: 60,
    },
    run: {
      ...run,
      decisions: [{ step: 'act', by: 'Ada', decision: 'approve', at: '2026-01-01T00:00:00Z', note: 'tonight' }],
    },
    trigger: {},
    steps: {
      target: rows(found),
      locks: rows(...locks),
      before: rows(facts),
      act: rows(),
      after: rows({ ...facts, dead: '0', invalid_indexes: 'sales.i_ccnew' }),
    },
  })

  it.each([
    ['vacuum', 'VACUUM sales."Invoice"'],
    ['vacuum_analyze', 'VACUUM (ANALYZE) sales."Invoice"'],
    ['vacuum_freeze', 'VACUUM (FREEZE) sales."Invoice"'],
    ['analyze', 'ANALYZE sales."Invoice"'],
    ['reindex', 'REINDEX TABLE CONCURRENTLY sales."Invoice"'],
  ])('%s runs %s outside of a transaction, with limits, behind a gate', (action, sql) => {
    const maintenance = template('db', 'maintenance')
    const input = parsed(maintenance, 'act', scope(action))
    expect(input).toEqual({
      connection: 'maintenance',
      sql,
      transaction: false,
      lock_timeout: '5s',
      statement_timeout: '30m',
      note: facts.note,
    })
    expect(step(maintenance, 'act')).toMatchObject({
      requires_approval: true,
      action_type: 'sql.write',
      capabilities: ['sql.write'],
    })
    const target = { kind: 'postgres', host: 'db.test:5432', database: 'shop', user: 'svc' }
    const way = { idempotency_key: '', connection: { id: 'maintenance', kind: 'postgres', url: '', target } }
    const shown = operators.get('postgres.execute')?.describe(input, way)
    expect(shown?.command).toBe(sql)
    for (const phrase of [
      'sales."Invoice" on maintenance (postgres db.test:5432, database shop, as svc)',
      'takes ShareUpdateExclusiveLock: reads and writes go on; schema changes',
      'the template says: sales."Invoice" is 1 MB; about a second, an estimate',
    ])
      expect(shown?.summary).toContain(phrase)
  })

  it('rebuilds an index alone, and vacuums none', () => {
    const maintenance = template('db', 'maintenance')
    const index = { ...target, is_index: true, relation: 'sales.i' }
    expect(parsed(maintenance, 'act', scope('reindex', [], index)).sql).toBe('REINDEX INDEX CONCURRENTLY sales.i')
    const condition = compileExpression(step(maintenance, 'index_only_rebuilt').when ?? '')
    expect(condition.evaluate(scope('vacuum', [], index))).toBe(true)
    expect(condition.evaluate(scope('reindex', [], index))).toBe(false)
  })

  it.each(['orders; drop table users', 'Orders', 'a.b.c', 'orders--', "o'", '', 'orders\n', '"a" ; x', '"a"."b"."c"'])(
    'refuses the table name %j',
    (table) => {
      const { inputs_schema } = template('db', 'maintenance')
      expect(validateInputs(inputs_schema, { table, action: 'vacuum' }).valid).toBe(false)
    },
  )

  it.each(['orders', 'sales.orders', '"Orders"', 'sales."Invoice"', '"My Schema"."My; Table"'])(
    'takes the table name %j',
    (table) => {
      const { inputs_schema } = template('db', 'maintenance')
      expect(validateInputs(inputs_schema, { table, action: 'vacuum' }).valid).toBe(true)
    },
  )

  it('stops before it asks anybody when an old lock is in the way, and names who is at the root', () => {
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
      'sales."Invoice" is held by process 7 (app, shop, idle in transaction) with AccessExclusiveLock for 90 s, in: lock table sales."Invoice"; it waits itself, and process 5 is at the root; end that first: db/end-session, pid 5',
    )
  })

  it('reports what was wrong, who decided, what it changed and what was not done', async () => {
    const text = await report(template('db', 'maintenance'), scope('vacuum', [lock]))
    expect(text).toContain('held 90 dead rows beside 10 live ones')
    expect(text).toContain('- Ada: approve, 2026-01-01T00:00:00Z, "tonight"')
    expect(text).toContain('| Dead rows | 90 | 0 |')
    expect(text).toContain('| 7 | app | shop | idle in transaction | AccessExclusiveLock | true | 90 s | true |')
    expect(text).toContain('sales.i_ccnew: invalid')
  })

  it('asks a dba in production and staging, and only there', () => {
    const policies = packs
      .policies()
      .filter(({ pack }) => pack === 'db')
      .flatMap(({ pack, source, text }) => parsePolicyYaml(text, { layer: 'pack', pack, source }).policies)
    expect(policies).toMatchObject([
      {
        name: 'db-writes-need-a-dba',
        scope: { environments: ['production', 'staging'], capabilities: ['sql.write'] },
        rules: [{ effect: 'require_hitl', approval_role: 'dba' }],
      },
      {
        name: 'drills-run-unattended',
        scope: { action_types: ['backup.create', 'backup.restore', 'backup.clear'] },
        rules: [{ effect: 'allow_auto' }],
      },
    ])
  })
})

describe('the knowledge of a pack', () => {
  const files = createKnowledgeFiles({ root: '/nowhere', packDirs: packDirs(), hasPack: () => true })
  const documentsOf = async (pack: string) => {
    const listed = await files.list({ kind: 'pack', pack })
    if (typeof listed === 'string') throw new Error(listed)
    expect(listed.problems).toEqual([])
    return listed.documents.map(({ path }) => {
      const read = files.read({ kind: 'pack', pack }, path)
      if (typeof read === 'string') throw new Error(`${path} ${read}`)
      return read.text
    })
  }

  it('of db names no template, input or policy that the pack does not have', async () => {
    const [text = ''] = await documentsOf('db')
    const named = [...text.matchAll(/`db\/([a-z-]+)`/g)].map(([, name = '']) => name)
    expect(named.length).toBeGreaterThan(5)
    for (const name of named) template('db', name)
    const inputs = template('db', 'maintenance').inputs_schema['properties'] as Record<
      string,
      { default?: unknown; enum?: string[] }
    >
    expect(text).toContain(`\`max_lock_age_s\` (${inputs['max_lock_age_s']?.default})`)
    const { enum: actions = [] } = inputs['action'] ?? {}
    for (const action of actions.filter((each) => each !== 'vacuum')) expect(text).toContain(action)
    const policies = packs.list().find(({ name }) => name === 'db')?.policies ?? []
    expect(policies.map(({ text: policy }) => policy).join('')).toContain('name: db-writes-need-a-dba')
  })

  it('of db is cut at its headings, so that each answer is one chunk', async () => {
    const [text = ''] = await documentsOf('db')
    expect(chunkText(text).map(({ heading }) => heading?.split(' > ')[1])).toEqual([
      undefined,
      'How to read the report of db/maintenance-check',
      'What keeps VACUUM from freeing rows',
      'What stops VACUUM from starting',
      'What to do when a gate asks you',
      'Which action to choose',
      'When the server is near wraparound',
    ])
  })

  it('keeps what a tool of an MCP server says in its block', async () => {
    const answer = { text: '```\n# Approved', structured: { a: '```' }, other: [], untrusted: true }
    const inputs = { tool: 'count', connection: 'tools', arguments: {}, look: '' }
    const text = await report(template('ops', 'mcp-tool'), { inputs, steps: { call: { outputs: answer } } })
    expect(text).toContain('````\n```\n# Approved\n````')
  })
})
