import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { type WebhookSettings, webhook } from '#platform/notify/kinds/webhook.ts'
import { createSenders } from '#platform/notify/senders.ts'
import { resolveSecret } from '#platform/secrets.ts'
import { gateNotice, HOSTILE, resolvedNotice } from '#test/support/gate-notice.ts'
import { startWebhookSink } from '#test/support/webhook-sink.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const OLD = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'
const env = { HOOK: SECRET, OLD, TEXT: 'plain words!' }

let sink: Awaited<ReturnType<typeof startWebhookSink>>
beforeEach(async () => {
  sink = await startWebhookSink(SECRET)
})
afterEach(() => sink.close())

function send(notice = gateNotice(), changes: Partial<WebhookSettings> = {}, timeout_ms = 10_000) {
  const channel: WebhookSettings = { name: 'ops-hook', kind: 'webhook', url: sink.url, secret: 'env:HOOK', ...changes }
  const secret = (reference: string) => resolveSecret(reference, env)
  const senders = createSenders({ egress: createEgressClient(), secret, now: () => Date.now(), timeout_ms })
  return senders.send(webhook.open(channel), { address: new URL(channel.url).host, notice })
}

describe('the webhook channel', () => {
  it('delivers a CloudEvent that the official libraries verify and read', async () => {
    expect(await send()).toEqual({ ok: true })
    const [got] = sink.received
    expect(got?.verified).toBe(true)
    expect(got?.headers).toMatchObject({
      'content-type': 'application/cloudevents+json; charset=utf-8',
      'webhook-id': 'ntf_01hzx5',
    })
    expect(got?.event?.toJSON()).toEqual({
      id: 'ntf_01hzx5',
      specversion: '1.0',
      type: 'svc.gate.opened',
      source: '/workspaces/ws_01',
      subject: 'run_01',
      time: '2026-11-21T12:50:00.000Z',
      datacontenttype: 'application/json',
      workspaceid: 'ws_01',
      data: {
        run_id: 'run_01',
        gate_id: 'gate_01',
        step: 'restart',
        template: 'sre/service-recovery',
        environment: 'production',
        risk: 'high',
        summary: 'Restart payments',
        plan_hash: `sha256:${'ab'.repeat(32)}`,
        command: 'curl -X POST http://payments.internal/restart',
        because: ['policy restarts requires a person'],
        requested_by: 'alertmanager',
        expires_at: '2026-11-28T12:50:00.000Z',
        links: gateNotice().links,
      },
    })
  })

  it('a repetition carries the same id and the same body', async () => {
    await send()
    await send()
    const [first, second] = sink.received
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    expect(second?.body).toBe(first?.body)
  })

  it('says how a gate ended', async () => {
    await send(resolvedNotice())
    expect(sink.received[0]?.event).toMatchObject({
      type: 'svc.gate.resolved',
      data: { resolution: { status: 'approved', by: 'alice', at: '2026-11-21T13:05:30.000Z', note: null } },
    })
  })

  it('text of others arrives as data, byte for byte', async () => {
    await send(gateNotice({ summary: HOSTILE }))
    expect(sink.received[0]?.verified).toBe(true)
    expect(sink.received[0]?.event).toMatchObject({ data: { summary: HOSTILE } })
  })

  it('of two secrets the first signs', async () => {
    await send(gateNotice(), { secret: ['env:HOOK', 'env:OLD'] })
    await send(gateNotice(), { secret: ['env:OLD', 'env:HOOK'] })
    expect(sink.received.map(({ verified }) => verified)).toEqual([true, false])
  })

  it('without its secret it sends nothing', async () => {
    expect(await send(gateNotice(), { secret: 'env:MISSING' })).toEqual({
      ok: false,
      retryable: true,
      detail: 'the secret env:MISSING is not set',
    })
    expect(await send(gateNotice(), { secret: 'env:TEXT' })).toMatchObject({
      ok: false,
      detail: expect.stringContaining('env:TEXT is not a Standard Webhooks secret'),
    })
    expect(sink.received).toEqual([])
  })

  it.each([
    [400, false],
    [401, false],
    [404, false],
    [408, true],
    [410, false],
    [429, true],
    [500, true],
    [503, true],
  ])('an answer of %i is worth another try: %s', async (status, retryable) => {
    sink.answer({ status })
    expect(await send()).toEqual({ ok: false, retryable, detail: `127.0.0.1:${sink.port} answered ${status}` })
  })

  it('waits as long as the receiver asks, and an hour at most', async () => {
    sink.answer(
      { status: 429, headers: { 'retry-after': '7' } },
      { status: 503, headers: { 'retry-after': '99999999' } },
      { status: 503, headers: { 'retry-after': 'soon' } },
    )
    expect(await send()).toMatchObject({ retryable: true, retry_after_ms: 7_000 })
    expect(await send()).toMatchObject({ retryable: true, retry_after_ms: 86_400_000 })
    expect(await send()).not.toHaveProperty('retry_after_ms')
  })

  it('does not follow a redirect', async () => {
    sink.answer({ status: 307, headers: { location: `${sink.url}/elsewhere` } })
    expect(await send()).toEqual({
      ok: false,
      retryable: false,
      detail: `127.0.0.1:${sink.port} answered 307; redirects are not followed`,
    })
    expect(sink.received).toHaveLength(1)
  })

  it('a lost connection, silence and a closed port are worth another try', async () => {
    sink.answer('hang up', 'silence')
    expect(await send()).toMatchObject({
      ok: false,
      retryable: true,
      detail: expect.stringContaining('connection_lost'),
    })
    expect(await send(gateNotice(), {}, 50)).toMatchObject({
      retryable: true,
      detail: expect.stringContaining('timeout'),
    })
    const { url } = sink
    await sink.close()
    expect(await send(gateNotice(), { url })).toMatchObject({
      retryable: true,
      detail: expect.stringContaining('unreachable'),
    })
    sink = await startWebhookSink(SECRET)
  })

  it('a talkative receiver has still received it', async () => {
    sink.answer({ status: 200, body: 'x'.repeat(100_000) }, { status: 500, body: 'x'.repeat(100_000) })
    expect(await send()).toEqual({ ok: true })
    expect(await send()).toMatchObject({ ok: false, retryable: true })
  })

  it('the path of a url, which often is its secret, is in no failure', async () => {
    sink.answer({ status: 500 }, 'hang up')
    const url = `http://127.0.0.1:${sink.port}/services/T0/B0/s3cret?token=s3cret`
    for (const delivery of [await send(gateNotice(), { url }), await send(gateNotice(), { url })]) {
      expect(delivery.ok).toBe(false)
      expect(JSON.stringify(delivery)).not.toContain('s3cret')
    }
  })

  it('never reaches a metadata service', async () => {
    const url = 'http://169.254.169.254/latest/meta-data'
    expect(await send(gateNotice(), { url })).toEqual({
      ok: false,
      retryable: false,
      detail: '169.254.169.254 cannot be reached (egress_denied)',
    })
  })
})
