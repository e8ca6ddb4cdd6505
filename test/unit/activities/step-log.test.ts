import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { keepLog } from '#activities/step/step-log.ts'
import { defineOperator, type OperatorContext, OperatorError } from '#core/operator.ts'
import type { EventDraft } from '#core/run/event.ts'
import { gatedStep } from '#test/support/gated-step.ts'

function step(execute: (ctx: OperatorContext) => void | Promise<void>, attempts = 1) {
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
      await execute(ctx)
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

it('is on record while the attempt is at work, once it has begun to act, and each line once', async () => {
  const live = () => acting.patches.flatMap(({ events, settle, open }) => (settle || open ? [] : logged(events)))
  const acting = step(async ({ log, beforeSending }) => {
    log.progress(() => 'prepares with s3cret-token')
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    expect(live()).toEqual([])
    await beforeSending()
    log.info({}, 'begins')
    await vi.waitFor(() => expect(live()).toHaveLength(2), { timeout: 5_000 })
    log.info({}, 'ends')
  })
  await acting.ask()
  const { events } = acting.settled() as { events: EventDraft[] }
  expect(live()).toMatchObject([
    { key: 'step/act/1/log/0', data: { level: 'progress', message: 'prepares with <secret:token>' } },
    { key: 'step/act/1/log/1', data: { level: 'info', message: 'begins' } },
  ])
  expect(logged(events).map(({ key }) => key)).toEqual(['step/act/1/log/0', 'step/act/1/log/1', 'step/act/1/log/2'])
})

it('fails nothing where it cannot be recorded meanwhile', async () => {
  const acting = step(async ({ log, beforeSending }) => {
    await beforeSending()
    acting.refuseRecord = () => {
      throw new Error('the database is away')
    }
    log.progress(() => 'begins')
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    acting.refuseRecord = () => undefined
  })
  expect(await acting.ask()).toBeUndefined()
  expect(logged((acting.settled() as { events: EventDraft[] }).events)).toMatchObject([{ data: { message: 'begins' } }])
})

describe('progress', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  const kept = (write: (messages: unknown[], from: number) => Promise<boolean> = async () => false) =>
    keepLog({
      log: { info: () => undefined, warn: () => undefined },
      monotonic: () => Date.now(),
      write: (lines, from) =>
        write(
          lines.map(({ message }) => message),
          from,
        ),
    })

  it('is the first, and then the last of each second; of a day it is some 400 lines', async () => {
    const { log, lines, end } = kept()
    for (let at = 0; at < 3_000; at += 100) {
      log.progress(() => `at ${at}`)
      await vi.advanceTimersByTimeAsync(100)
    }
    log.progress(() => 'last')
    await end()
    expect(lines().map(({ message }) => message)).toEqual(['at 0', 'at 900', 'at 1900', 'at 2900', 'last'])

    const long = kept()
    for (let minute = 0; minute < 24 * 60; minute += 1) {
      long.log.progress(() => `minute ${minute}`)
      await vi.advanceTimersByTimeAsync(60_000)
    }
    await long.end()
    expect(long.lines().length).toBeGreaterThan(200)
    expect(long.lines().length).toBeLessThan(430)
  })

  it('is written at most once a second, further lines only, and never after the end', async () => {
    const written: unknown[] = []
    let isAway = true
    const { log, end } = kept(async (messages, from) => {
      if (isAway) throw new Error('away')
      written.push([from, ...messages])
      return true
    })
    log.info({}, 'a')
    await vi.advanceTimersByTimeAsync(1_000)
    isAway = false
    log.info({}, 'b')
    await vi.advanceTimersByTimeAsync(1_000)
    log.info({}, 'c')
    log.info({}, 'd')
    await vi.advanceTimersByTimeAsync(10_000)
    log.info({}, 'e')
    await end()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(written).toEqual([
      [0, 'a', 'b'],
      [2, 'c', 'd'],
    ])
  })
})
