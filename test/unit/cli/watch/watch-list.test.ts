import { expect, test } from 'vitest'
import { watchList } from '#cli/watch/watch-list.ts'
import { DomainError } from '#core/errors.ts'

const AWAY = new DomainError('dependency_unavailable', 'nothing answers')

async function watch(looks: (string[] | Error)[], screen?: { width: number; height: number }) {
  const out: string[] = []
  const err: string[] = []
  const left = [...looks]
  await watchList(
    { out: (line) => void out.push(line), err: (line) => void err.push(line), screen: () => screen },
    {
      async fetchView() {
        const next = left.shift() ?? []
        if (next instanceof Error) throw next
        return { lines: ['TITLE', ...next], rows: new Map(next.map((line) => [line.split(' ')[0] ?? '', line])) }
      },
      pause: async () => left.length > 0,
    },
  )
  return { out, err }
}

test('where nobody looks, a row is a line again when it has changed', async () => {
  const { out } = await watch([
    ['a queued'],
    ['b queued', 'a queued'],
    ['b queued', 'a running'],
    ['b queued', 'a running'],
  ])
  expect(out).toEqual(['a queued', 'b queued', 'a running'])
})

test('a window is redrawn only when something changed, and no longer than it is', async () => {
  const { out } = await watch(
    [
      ['a 1', 'b 1', 'c 1'],
      ['a 1', 'b 1', 'c 1'],
      ['a 2', 'b 1', 'c 1'],
    ],
    { width: 80, height: 4 },
  )
  expect(out.map((text) => text.slice(text.indexOf('TITLE')))).toEqual(['TITLE\na 1\nb 1', 'TITLE\na 2\nb 1'])
})

test('a service that is away for a while is waited for, and said once; a refusal ends it', async () => {
  const { out, err } = await watch([['a 1'], AWAY, AWAY, ['a 1', 'b 1']])
  expect(out).toEqual(['a 1', 'b 1'])
  expect(err).toEqual(['nothing answers; trying again'])
  await expect(watch([new DomainError('forbidden', 'no')])).rejects.toMatchObject({ code: 'forbidden' })
})
