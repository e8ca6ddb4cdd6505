import { expect, test } from 'vitest'
import type { Readiness } from '#core/readiness.ts'
import { awaitReadiness, StartRefused } from '#platform/program/await-readiness.ts'

function recorded() {
  const logged: string[] = []
  const note = (_data: object, text = '') => void logged.push(text)
  return { logged, log: { info: note, warn: note } }
}

/** Answers one after the other, the last one for good. */
const answers = (...all: Readiness[]) => {
  const left = [...all]
  return async () => (left.length > 1 ? left.shift() : left[0]) as Readiness
}
const READY: Readiness = { ready: true }
const away = (wait: string): Readiness => ({ ready: false, wait })

test('what is ready at once is not spoken of', async () => {
  const { logged, log } = recorded()
  await awaitReadiness([answers(READY), answers(READY)], { log })
  expect(logged).toEqual([])
})

test('a wait is told when it begins, when it changes, and when it is over', async () => {
  const { logged, log } = recorded()
  const database = answers(away('no database'), away('no database'), READY)
  const engine = answers(away('no engine'), away('no engine'), away('no engine'), READY)
  await awaitReadiness([database, engine], { log, again_ms: 1 })
  expect(logged).toEqual(['no database. no engine. The start waits', 'no engine. The start waits', 'the wait is over'])
})

test('a long wait is told again', async () => {
  const { logged, log } = recorded()
  await awaitReadiness([answers(away('no database'), away('no database'), READY)], {
    log,
    again_ms: 1,
    report_every_ms: 0,
  })
  expect(logged.length).toBe(3)
})

test('what somebody has to mend ends the start, also beside a wait', async () => {
  const { log } = recorded()
  const looks = [answers(away('no engine')), answers({ ready: false, refuse: 'migrate' })]
  await expect(awaitReadiness(looks, { log })).rejects.toThrow(new StartRefused('migrate'))
})

test('a wait can be given up', async () => {
  const { log } = recorded()
  const stop = new AbortController()
  const waiting = awaitReadiness([answers(away('no engine'))], { log, signal: stop.signal, again_ms: 60_000 })
  stop.abort()
  await expect(waiting).rejects.toThrow(/abort/i)
})
