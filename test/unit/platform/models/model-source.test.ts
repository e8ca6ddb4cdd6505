import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createModelSource } from '#platform/models/model-source.ts'

const SOUND = `models:
  - { id: big, provider: openai, key: env:KEY, prices: { input: 1, output: 2 }, limits: { context: 10, output: 5 } }
  - { id: org/small, provider: openai_compatible, base_url: "http://127.0.0.1:1/v1", timeout: 30s }
roles: { default: { model: big, fallback: org/small }, small: org/small }
`
let home: string
let file: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'svc-models-'))
  file = join(home, 'models.yaml')
})
afterEach(() => rmSync(home, { recursive: true }))

const open = () => createModelSource({ file, log: { info: () => {}, warn: () => {} } })

test('models, their prices and roles are read, and nothing is bound without a file', () => {
  const none = open()
  expect([none.bound(), none.errors()]).toEqual([{ models: [], roles: {} }, []])
  none.close()
  writeFileSync(file, SOUND)
  const source = open()
  expect(source.errors()).toEqual([])
  expect(source.bound()).toMatchObject({
    models: [
      { id: 'big', model: 'big', timeout_ms: 120_000 },
      { id: 'org/small', timeout_ms: 30_000 },
    ],
    roles: { default: { model: 'big', fallback: 'org/small' }, small: { model: 'org/small' } },
  })
  source.close()
})

test.each([
  ['roles: { default: bigg }', 'there is no model bigg'],
  ['roles: { jury: big }', 'unknown key "jury"'],
  ['models: [{ id: default, provider: openai }]', 'is the name of a role'],
  ['models: [{ id: a, provider: openai }, { id: a, provider: openai }]', 'a second model a'],
  ['models: [{ id: a, provider: openai, key: sk-secret }]', 'a secret reference'],
  ['models: [{ id: a, provider: openai, prices: { input: 0.5, output: 1 } }]', 'whole micro-dollars'],
])('%s is refused, and the last good file stays in force', (text, problem) => {
  writeFileSync(file, SOUND)
  const source = open()
  writeFileSync(file, text)
  source.reload()
  expect(
    source
      .errors()
      .map(({ message }) => message)
      .join('; '),
  ).toContain(problem)
  expect(source.bound().models).toHaveLength(2)
  expect(JSON.stringify(source.errors())).not.toContain('sk-secret')
  source.close()
})
