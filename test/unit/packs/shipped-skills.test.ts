import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { reportRender } from '#activities/operators/report/render.ts'
import { renderValue } from '#core/expression/parse-template-string.ts'
import { faultText } from '#core/file-fault.ts'
import type { Json, JsonObject } from '#core/json/json.ts'
import { TemplateSpec } from '#core/plan/template-schema.ts'
import { validateInputs } from '#core/plan/validate-inputs.ts'
import { packDirs } from '#platform/packs/pack-registry.ts'
import { parseDocument } from '#platform/packs/parse-document.ts'
import { inspectSkills } from '#platform/skills/inspect-skills.ts'
import { operatorContext } from '#test/support/operator-context.ts'

const { skills, faults } = inspectSkills({ dirs: packDirs(), home: '/nowhere' })
const pack = (path: string) => readFileSync(new URL(`../../../packs/${path}`, import.meta.url), 'utf8')

test('every shipped skill is sound, says what it is for, and starts nothing unasked', () => {
  expect(faults.map(faultText)).toEqual([])
  expect(skills.map(({ id }) => id)).toEqual(['db/maintenance-check', 'sre/failed-run-report'])
  for (const { start, instructions, description } of skills) {
    expect(start).toBeUndefined()
    expect(description).toContain('Use it')
    expect(instructions.length).toBeGreaterThan(200)
  }
})

test.each<[string, Json, Json]>([
  [
    'a failed step',
    { code: 'http_status', message: 'it answered 500', step: 'act', retryable: false },
    { step: 'act', code: 'http_status', message: 'it answered 500' },
  ],
  ['a run that the engine lost', {}, { step: '', code: 'unknown', message: '' }],
])('sre/failed-run-report fits the event of %s', (_what, detail, expected) => {
  const run_id = `run_${'0'.repeat(26)}`
  const event = { data: { run_id, pack: 'sre', template: 'service-recovery', environment: 'staging', detail } }
  const inputs = skills.find(({ name }) => name === 'failed-run-report')?.frontmatter['inputs'] ?? {}
  const rendered = Object(renderValue(inputs, { event }))
  const spec = parseDocument(TemplateSpec, 't.yaml', Buffer.from(pack('sre/templates/failed-run-report.yaml')))
  if (Array.isArray(spec)) throw new Error('the template is broken')
  expect(validateInputs(spec.data.inputs, rendered)).toMatchObject({ valid: true, normalized: expected })
})

async function rendered(body: string, scope: JsonObject): Promise<string> {
  const { artifacts } = await reportRender.execute(
    operatorContext(),
    reportRender.parse({ title: 'Report', body, scope }),
  )
  return String(artifacts?.[0]?.body)
}

test('the report of a failed run says what to do about it', async () => {
  const text = pack('sre/templates/failed-run-report.md.liquid')
  const report = (code: string) => rendered(text, { inputs: { run_id: 'run_1', template: 'a/b', code, step: '' } })
  expect(await report('PolicyDenied')).toContain('A policy forbids this step')
  expect(await report('http_status')).toContain('mend the cause')
  expect(await report('http_status')).toContain('| Step | before any step |')
})

test('the weekly report ranks what it found across all it looked at, and says so when there is nothing', async () => {
  const text = pack('db/templates/maintenance-check.md.liquid')
  const report = (found: Record<string, Json[]>) => {
    const names = ['server', 'blocking', 'transactions', 'wraparound', 'tables', 'indexes']
    const steps = Object.fromEntries(names.map((name) => [name, { outputs: { rows: found[name] ?? [] } }]))
    const inputs = { dead_percent: 20, min_size_mb: 1 }
    return rendered(text, { inputs, run: {}, steps })
  }
  expect(await report({})).toContain('Nothing: nobody waits for a lock')
  const row = (severity: string, finding: string) => ({ severity, finding, todo: 'mend it', locks: 'nothing' })
  const ranked = await report({
    tables: [row('medium', 'a table'), row('high', 'a big table')],
    wraparound: [row('critical', 'a database'), row('', 'a young one')],
    blocking: [row('high', 'a | blocker')],
  })
  expect(ranked.match(/^\| (critical|high|medium|low) \| [^|]+/gm)).toEqual([
    '| critical | a database ',
    '| high | a ¦ blocker ',
    '| high | a big table ',
    '| medium | a table ',
  ])
})
