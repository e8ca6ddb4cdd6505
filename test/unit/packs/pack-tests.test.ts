import { afterEach, describe, expect, test } from 'vitest'
import { createOperators } from '#activities/operators/index.ts'
import { lintPack } from '#platform/check/lint-pack.ts'
import { runPackTests } from '#platform/check/pack-tests.ts'
import { readPack } from '#platform/check/read-packs.ts'
import { readDefaultPolicies } from '#platform/deployment-content.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { packDirs } from '#platform/packs/pack-registry.ts'
import { DEMO_PACK, temporaryFolder } from '#test/unit/platform/packs/pack-folder.ts'

const catalog = createOperators({ egress: createEgressClient() })
const defaults = readDefaultPolicies()
const [shipped = ''] = packDirs()
const folders: ReturnType<typeof temporaryFolder>[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove()
})

function demo(files: Record<string, string>): string {
  const folder = temporaryFolder()
  folders.push(folder)
  folder.write({ ...DEMO_PACK, ...files })
  return `${folder.root}/demo`
}

const results = (files: Record<string, string>) => runPackTests(readPack(demo(files), catalog), catalog, defaults)

describe.each(['sre', 'db', 'data', 'access', 'ml', 'sec', 'ops'])('the shipped pack %s', (name) => {
  test('passes the tests that it ships', () => {
    const { passed, failed } = runPackTests(readPack(`${shipped}/${name}`, catalog), catalog, defaults)
    expect(failed).toEqual([])
    expect(passed.length).toBeGreaterThan(3)
  })

  test('has no errors of its own', () => {
    const { findings } = lintPack({ folder: `${shipped}/${name}`, packDirs: packDirs(), catalog })
    expect(findings.filter(({ warning }) => !warning)).toEqual([])
  })
})

describe('a test of a pack', () => {
  test.each([
    ['a gate that is not opened', 'steps: { ask: gate, report: auto }', /:5:17: t: ask is auto, expected was gate/],
    ['a step that there is not', 'steps: { ask: auto }', /:5:10: t: the steps are ask, report; expected were ask/],
    [
      'a role that is not asked for',
      'steps: { ask: auto, report: auto }\n  roles: { ask: [dba] }',
      /:6:17: t: ask asks for no role, expected was dba/,
    ],
    ['an input that is not refused', 'refused: /url', /:5:12: t: \/url is not refused: nothing is/],
  ])('fails by %s', (_what, expectation, message) => {
    const text = `- name: t\n  template: hello\n  environment: development\n  inputs: { url: "http://a.test" }\n  ${expectation}\n`
    const policy = 'name: guard\napplies_to: { action_types: [never] }\nrules: [{ effect: require_hitl }]\n'
    const { failed } = results({ 'demo/tests/hello.yaml': text, 'demo/policies/guard.yaml': policy })
    expect(failed.map(({ file, line, column, message: said }) => `${file}:${line}:${column}: ${said}`)).toEqual([
      expect.stringMatching(message),
    ])
  })

  test.each([
    ['a template', 'template: helo', 'there is no template helo in this pack; did you mean hello?'],
    [
      'an environment',
      'template: hello\n  environment: prodution',
      'there is no environment prodution; did you mean production?',
    ],
  ])('says which %s was meant', (_what, misspelt, message) => {
    const { failed } = results({ 'demo/tests/a.yaml': `- name: t\n  ${misspelt}\n  inputs: { url: x }\n  steps: {}\n` })
    expect(failed[0]?.message).toContain(message)
  })

  test('needs to expect something', () => {
    expect(results({ 'demo/tests/a.yaml': '- { name: t, template: hello }\n' }).failed[0]?.message).toContain(
      'give steps, or refused',
    )
  })
})

test('a lint advises on what is allowed and will be missed', () => {
  const template = DEMO_PACK['demo/templates/hello.yaml'].replace(
    'url: { type: string }',
    'url: { type: string }, spare: { type: string }',
  )
  const { findings } = lintPack({ folder: demo({ 'demo/templates/hello.yaml': template }), packDirs: [], catalog })
  expect(findings.map(({ line, message, warning }) => [line, message, warning])).toEqual(
    expect.arrayContaining([
      [3, 'it has no description: say what it does and when it stops', true],
      [5, 'the input spare is never used', true],
      [7, 'step ask has no timeout: it may take 60s', true],
    ]),
  )
})
