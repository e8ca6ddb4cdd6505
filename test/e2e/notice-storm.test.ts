import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { type DemoService, startDemoService } from '#cli/demo/demo-server.ts'
import { type NotifiedService, startNotifiedService } from '#test/support/notified-service.ts'
import { PATIENCE } from '#test/support/patience.ts'
import type { RunBody } from '#test/support/recovery.ts'

const RUNS = 14

let notified: NotifiedService
let demo: DemoService

beforeAll(async () => {
  notified = await startNotifiedService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
  })
  demo = await startDemoService()
  await fetch(`${demo.url}/fault`, { method: 'POST' })
})
afterAll(async () => {
  await demo.stop()
  await notified.stop()
})

test('fourteen gates in a minute are ten messages and a digest for each recipient of mail and chat, and fourteen for a program', async () => {
  const { service, mail, slack, hook } = notified
  const body = { inputs: { url: demo.url } }
  await Promise.all(
    Array.from({ length: RUNS }, () => service.call<RunBody>('POST', '/packs/sre/service-recovery/run', body)),
  )
  const mails = (to: string) => mail.received.filter((each) => each.to[0] === to).map(({ raw }) => raw)
  const isDigest = (raw: string) => /^Subject: .*\b4 gates wait/m.test(raw.replace(/\r?\n[ \t]/g, ' '))
  for (const to of ['oncall@example.test', 'second@example.test']) {
    await vi.waitFor(() => expect(mails(to).filter(isDigest)).toHaveLength(1), PATIENCE)
    expect(mails(to)).toHaveLength(11)
    expect(mails(to).find(isDigest)).not.toContain('/triggers/approve/')
  }
  expect(slack.posts.filter(({ thread_ts }) => thread_ts === undefined)).toHaveLength(11)
  expect(hook.received).toHaveLength(RUNS)
  const { body: folded } = await service.call<{ digest_id: string }[]>('GET', '/deliveries?state=folded')
  expect(folded).toHaveLength(3 * (RUNS - 10))
  expect(new Set(folded.map(({ digest_id }) => digest_id)).size).toBe(3)
})
