import { describe, expect, inject, test } from 'vitest'
import { poll } from '#platform/embedded/processes.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { ended, type Look, waits } from '#test/support/scripted-pipelines.ts'
import { startScriptedRuns } from '#test/support/scripted-runs.ts'

const STORM = 300

const runs = fileFixture(() => startScriptedRuns(inject('temporal_address')))

const looksOf = (id: string) => runs.pipelines.looks(id)

describe('the workflow of a pipeline', () => {
  test('goes on in new executions, and looks at the record in each', async () => {
    const looks = [...Array.from({ length: 12 }, () => waits(5)), ended('succeeded')]
    const pipeline = await runs.startPipeline('anew', looks, true)
    expect(await pipeline.result()).toEqual({ status: 'succeeded' })
    expect(await pipeline.executions()).toBeGreaterThan(1)
    expect(looksOf('anew')).toHaveLength(13)
  })

  test('looks once more when it is woken while it looks', async () => {
    let go = () => {}
    const looking = new Promise<void>((resolve) => {
      go = resolve
    })
    const slow: Look = async () => {
      await looking
      return { kind: 'wait', for_ms: null, summary: 'news' }
    }
    const pipeline = await runs.startPipeline('while', [slow, ended('succeeded')])
    await poll(() => looksOf('while').length > 0, PATIENCE.timeout)
    await pipeline.wake()
    go()
    expect(await pipeline.result()).toEqual({ status: 'succeeded' })
  })

  test('needs no wake: what is due is found by its timer', async () => {
    const pipeline = await runs.startPipeline('lost', [waits(300), ended('succeeded')])
    expect(await pipeline.result()).toEqual({ status: 'succeeded' })
    expect(looksOf('lost')).toHaveLength(2)
  })

  test('a storm of wakes costs few looks, and its history stays short', async () => {
    let over = false
    const looks: Look[] = [
      () => (over ? { kind: 'ended', status: 'succeeded' } : { kind: 'wait', for_ms: null, summary: 'news' }),
    ]
    const pipeline = await runs.startPipeline('storm', looks)
    await pipeline.waits()
    await Promise.all(Array.from({ length: STORM }, () => pipeline.wake()))
    over = true
    await pipeline.wake()
    expect(await pipeline.result()).toEqual({ status: 'succeeded' })
    expect(looksOf('storm').length).toBeLessThan(STORM)
    const last = (await pipeline.handle.fetchHistory()).events ?? []
    expect(last.length).toBeLessThan(1_000)
  })

  test('cancelled in Temporal it tells the record once, and does not spin while its runs end', async () => {
    let over = false
    const looks: Look[] = [
      () => (over ? { kind: 'ended', status: 'cancelled' } : { kind: 'wait', for_ms: null, summary: 'its runs' }),
    ]
    const pipeline = await runs.startPipeline('cancelled', looks, true)
    await pipeline.waits()
    await pipeline.handle.cancel()
    await poll(() => looksOf('cancelled').length > 1, PATIENCE.timeout)
    // many looks make its history long, with nobody at work
    for (let wake = 0; wake < 12; wake += 1) {
      const before = looksOf('cancelled').length
      await pipeline.wake()
      await poll(() => looksOf('cancelled').length > before, PATIENCE.timeout)
    }
    const calm = looksOf('cancelled').length
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    expect(looksOf('cancelled').length).toBeLessThanOrEqual(calm + 1)
    expect(looksOf('cancelled').filter(Boolean)).toHaveLength(1)
    over = true
    await pipeline.wake()
    expect(await pipeline.result()).toEqual({ status: 'cancelled' })
  })
})
