import { describe, expect, test } from 'vitest'
import { DomainError } from '#core/errors.ts'
import { defineOperator, type Operator, OperatorError } from '#core/operator.ts'
import type { ArtifactObjects } from '#services/runs/artifact-objects.ts'
import { type GatedStepOptions, gatedStep } from '#test/support/gated-step.ts'

const reporter = (replay: 'safe' | 'ask' = 'safe', names = ['report.md']): Operator =>
  defineOperator({
    id: 'test.report',
    version: 1,
    title: 'Report',
    risk: 'low',
    action_type: replay === 'safe' ? 'read' : 'test.write',
    capabilities: [],
    requires_approval: false,
    parse: (input) => input,
    input_schema: {},
    replay: () => replay,
    describe: () => ({ summary: 'report', targets: { kind: 'artifact', ids: [] } }),
    execute: async () => ({
      outputs: { done: true },
      artifacts: names.map((name) => ({ name, media_type: 'text/markdown', body: '# Done\n' })),
    }),
  })
const stepWith = (put: ArtifactObjects['put'], options: { operator?: Operator } & Partial<GatedStepOptions> = {}) =>
  gatedStep({
    ...{ operator: options.operator ?? reporter(), input: {}, requires_approval: false },
    ...{ attempts: options.attempts ?? 1, left: options.left ?? [], deps: { objects: { put } } },
  })
const busy = () =>
  Promise.reject(new OperatorError('dependency_unavailable', 'the bucket is busy', { retryable: true }))

describe('the artifact of a step', () => {
  test('goes with its settlement where the environment keeps it in the database', async () => {
    const step = stepWith(async () => undefined)
    await step.ask()
    expect(step.settled()).toMatchObject({
      settle: { state: 'succeeded', artifacts: [{ body_base64: 'IyBEb25lCg==' }] },
    })
  })

  test('is put before it is recorded, by its digest, and its content is not recorded', async () => {
    let seen: Parameters<ArtifactObjects['put']>[0] | undefined
    const step = stepWith(async (of) => {
      seen = of
      return { connection: 'artifacts', key: 'ws/run/sha256-x' }
    })
    await step.ask()
    const { settle } = step.settled() as { settle: { artifacts: Record<string, unknown>[] } }
    const [artifact] = settle.artifacts
    expect(artifact).toMatchObject({ object: { connection: 'artifacts', key: 'ws/run/sha256-x' }, size_bytes: 7 })
    expect(artifact).not.toHaveProperty('body_base64')
    expect(seen).toMatchObject({ step_id: 'act', media_type: 'text/markdown', digest: artifact?.['digest'] })
    expect(artifact?.['digest']).toMatch(/^sha256:[0-9a-f]{64}$/)
  })

  test('that cannot be put is recorded nowhere, and the step is tried again', async () => {
    let puts = 0
    const step = stepWith(
      async () => {
        puts += 1
        return puts === 1 ? await busy() : { connection: 'artifacts', key: 'k' }
      },
      { attempts: 2 },
    )
    await step.ask()
    const failed = step.patches.find(({ settle }) => settle?.state === 'ready')
    expect(failed?.settle).toMatchObject({ error: { code: 'dependency_unavailable' } })
    expect(failed?.settle).not.toHaveProperty('artifacts')
    expect(step.settled()).toMatchObject({ settle: { state: 'succeeded', attempt: 2 } })
  })

  test('that cannot be put at the last attempt fails the run, as a dependency would', async () => {
    await expect(stepWith(busy).ask()).rejects.toThrow('the artifact report.md was not stored: the bucket is busy')
  })

  test('of an effect that may not be repeated leaves the question to a person', async () => {
    const asked = await stepWith(busy, { operator: reporter('ask'), attempts: 3 }).ask()
    expect(JSON.stringify(asked)).toContain('was not stored')
  })

  test('of a name that the run has already is not lost without a word: the step fails, once', async () => {
    const inDatabase = async () => undefined
    const left = [{ name: 'report.md', step_id: 'summary' }]
    await expect(stepWith(inDatabase, { left, attempts: 3 }).ask()).rejects.toThrow(
      'act was done, but its artifact report.md is not kept: the step summary has left one of that name',
    )
    const operator = reporter('safe', ['report.md', 'report.md'])
    await expect(stepWith(inDatabase, { operator }).ask()).rejects.toThrow('it has left two of that name')
    const other = stepWith(inDatabase, { left: [{ name: 'other.md', step_id: 'summary' }] })
    await other.ask()
    expect(other.settled()).toMatchObject({ settle: { state: 'succeeded' } })
  })

  test('is not tried again where nothing leads to the bucket', async () => {
    const put = () => Promise.reject(new DomainError('not_found', 'there is no connection artifacts'))
    await expect(stepWith(put, { attempts: 3 }).ask()).rejects.toThrow('there is no connection artifacts')
  })
})
