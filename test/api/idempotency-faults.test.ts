import { describe, expect, test } from 'vitest'
import type { Route } from '#api/define-route.ts'
import { routes } from '#api/registry.ts'
import { poll } from '#platform/embedded/processes.ts'
import { describedOperation } from '#test/support/api-document.ts'
import { ask } from '#test/support/ask-operation.ts'
import type { Fault } from '#test/support/faulty-line.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { keyedRequest, openKeyedWorld } from '#test/support/keyed-world.ts'
import { type ExampleRequest, exampleOf } from '#test/support/operation-examples.ts'

const keyed = routes.filter(({ operationId }) =>
  describedOperation(operationId).parameters?.some(({ name }) => name === 'idempotency-key'),
)
/** One of each class of refusals after which nobody knows more: connection, transaction, resources, operator, internal. */
const REFUSED = ['08006', '40001', '53200', '57P01', 'XX000'].map((sqlstate) => ({ sqlstate }))
const OTHERS: Fault[] = ['cut', ...REFUSED.slice(0, 2), 'away', ...REFUSED.slice(2)]
/** Operations of the inbox itself; others do at once what they are asked for. */
const INBOX: ReadonlySet<string> = new Set(['postInbox', 'replayInbox'])
/** More than any request has. */
const MAX_STATEMENTS = 80

const keys = fileFixture(openKeyedWorld)

interface Answer {
  status: number
  body: string
  location: string | null
  replayed: string | null
}

async function send(route: Route, request: ExampleRequest): Promise<Answer> {
  const answer = await ask(keys.world, route, request, 'owner')
  const { headers, status } = answer
  return {
    status,
    body: await answer.text(),
    location: headers.get('location'),
    replayed: headers.get('idempotent-replayed'),
  }
}

/** Asks again under the same key until it is answered: connections end, and locks are free, a moment after their fault. */
async function sendUntilAnswered(route: Route, request: ExampleRequest): Promise<Answer | undefined> {
  return poll(async () => {
    const answer = await send(route, request)
    return answer.status < 400 && answer
  }, 10_000)
}

/** What the request needs is made by requests of its own, which a connection that the last fault has ended refuses. */
async function preparedRequest(route: Route): Promise<ExampleRequest> {
  const request = await poll(() => keyedRequest(keys.world, route.operationId).catch(() => undefined), 10_000)
  return request ?? (await keyedRequest(keys.world, route.operationId))
}

function made(before: Record<string, number>, after: Record<string, number>): Record<string, number> {
  const names = Object.keys(after).filter((name) => after[name] !== (before[name] ?? 0))
  return Object.fromEntries(names.map((name) => [name, (after[name] ?? 0) - (before[name] ?? 0)]))
}

/** Of one request, repeated until it is answered, whose statement of this number meets the fault. */
async function failAt(route: Route, at: number, fault: Fault) {
  const request = await preparedRequest(route)
  const before = await keys.counts()
  keys.line.arm(at, fault)
  const first = await send(route, request)
  const { failed, statements } = keys.line.disarm()
  const answer = await sendUntilAnswered(route, request)
  const again = await send(route, request)
  return { failed, statement: statements[at], first, answer, again, made: made(before, await keys.counts()) }
}

describe.each(keyed.map((route) => [route.operationId, route] as const))('%s under a key', (operationId, route) => {
  const { status } = exampleOf(operationId)

  test('is done once and answered alike, no matter what befalls any of its statements', async () => {
    // what the inbox has taken is processed later, which is tested with the inbox
    keys.inbox(INBOX.has(operationId))
    // the first of all also makes what later ones find, such as the plan of a template
    await failAt(route, MAX_STATEMENTS, 'cut')
    const whole = await failAt(route, MAX_STATEMENTS, 'cut')
    expect([whole.first.status, whole.answer]).toEqual([status, { ...whole.first, replayed: 'true' }])
    expect(whole.made).not.toEqual({})
    const wrong: object[] = []
    for (let at = 0, failed = true; failed; at += 1) {
      const faults: Fault[] = ['unknown', OTHERS[at % OTHERS.length] ?? 'cut']
      failed = false
      for (const fault of faults) {
        const met = await failAt(route, at, fault)
        failed ||= met.failed
        if (!isRight(met, whole.made)) wrong.push({ at, fault, ...met, log: keys.world.api.lines.slice(-5) })
      }
      expect(at).toBeLessThan(MAX_STATEMENTS)
    }
    expect(wrong).toEqual([])
  })

  function isRight({ first, answer, again, made }: Awaited<ReturnType<typeof failAt>>, expected: object): boolean {
    const same = (one: Answer) =>
      JSON.stringify({ ...one, replayed: '' }) === JSON.stringify({ ...again, replayed: '' })
    return (
      answer?.status === status &&
      again.replayed === 'true' &&
      same(answer) &&
      (first.status >= 400 || same(first)) &&
      JSON.stringify(made) === JSON.stringify(expected)
    )
  }
})
