import { expect, it } from 'vitest'
import { defineOperator, type OperatorContext, OperatorError } from '#core/operator.ts'
import type { EventDraft } from '#core/run/event.ts'
import { gatedStep } from '#test/support/gated-step.ts'

function step(execute: (ctx: OperatorContext) => void, attempts = 1) {
  const operator = defineOperator({
    id: 'test.act',
    version: 1,
    title: 'Act',
    risk: 'low',
    action_type: 'test.act',
    capabilities: [],
    requires_approval: false,
    input_schema: {},
    parse: (input) => input,
    replay: () => 'safe',
    describe: () => ({ summary: 'acts', targets: { kind: 'test', ids: [] } }),
    async execute(ctx) {
      execute(ctx)
      return { outputs: {} }
    },
  })
  const input = { token: `\${{ inputs.token }}` }
  return gatedStep({ operator, input, attempts, requires_approval: false, sealed: { '/token': 's3cret-token' } })
}

const logged = (events: readonly EventDraft[] = []) => events.filter(({ type }) => type === 'step.log')

it('is recorded with the settlement of the step, without what is secret', async () => {
  const acting = step(({ log }) => {
    log.info({ used: 's3cret-token' }, 'signs in with s3cret-token')
    log.warn({}, 'it is late')
  })
  await acting.ask()
  const { events } = acting.settled() as { events: EventDraft[] }
  const [first, second] = logged(events)
  expect(first).toMatchObject({ key: 'step/act/1/log/0', step: 'act', data: { attempt: 1, level: 'info' } })
  expect(second?.data).toEqual({ attempt: 1, level: 'warn', message: 'it is late', fields: {} })
  expect(JSON.stringify(first)).not.toContain('s3cret-token')
  expect(events.at(-1)?.type).toBe('step.completed')
})

it('is recorded of each attempt that failed, also of the last', async () => {
  const acting = step(({ log, attempt }) => {
    log.info({}, `attempt ${attempt}`)
    throw new OperatorError('sql_failed', 'no', { retryable: true })
  }, 2)
  await expect(acting.ask()).rejects.toThrow('sql_failed')
  expect(
    acting.patches.flatMap(({ events }) => logged(events)).map(({ key, data }) => [key, data?.['message']]),
  ).toEqual([
    ['step/act/1/log/0', 'attempt 1'],
    ['step/act/2/log/0', 'attempt 2'],
  ])
})

it('is recorded where the outcome is not known', async () => {
  const acting = step(({ log }) => {
    log.warn({}, 'sent')
    throw new OperatorError('connection_lost', 'lost', { unknown_outcome: true })
  })
  expect(await acting.ask()).toMatchObject({ kind: 'outcome_unknown' })
  expect(acting.patches.flatMap(({ events }) => logged(events))).toMatchObject([{ data: { message: 'sent' } }])
})

it('keeps a hundred lines of a bounded length, and says how many more there were', async () => {
  const acting = step(({ log }) => {
    for (let line = 0; line < 150; line += 1) log.info({ much: 'x'.repeat(5_000) }, 'y'.repeat(5_000))
  })
  await acting.ask()
  const lines = logged((acting.settled() as { events: EventDraft[] }).events)
  expect(lines).toHaveLength(101)
  expect(lines[0]?.data).toEqual({ attempt: 1, level: 'info', message: 'y'.repeat(2_000) })
  expect(lines[100]?.data).toMatchObject({ message: '50 more lines were written' })
})
