import { expect, test } from 'vitest'
import { startWebhookServer } from '#cli/dev/webhook-server.ts'
import { noticeEvent } from '#platform/notify/kinds/webhook.ts'
import { digestNotice } from '#test/support/digest-notice.ts'
import { gateNotice } from '#test/support/gate-notice.ts'

test('what a channel sends is shown with its link and its code; what is no event is refused', async () => {
  const shown: string[][] = []
  const server = await startWebhookServer({ show: (lines) => void shown.push(lines) })
  const send = async (body: string) => (await fetch(server.url, { method: 'POST', body })).status
  try {
    const links = { approve: 'http://127.0.0.1:9090/triggers/approve/x?token=y', run: 'http://127.0.0.1:9090/runs/z' }
    const notice = { ...gateNotice(), code: '7KQ2MX', links }
    expect(await send(JSON.stringify(noticeEvent(notice)))).toBe(204)
    expect(shown).toEqual([
      [
        `${notice.kind}  ${notice.template}  ${notice.environment}`,
        `  ${notice.summary}`,
        `  answer  ${links.approve}`,
        '  code    7KQ2MX',
        `  run     ${links.run}`,
      ],
    ])
    expect(await send('{"type": "svc.test", "data": 7}')).toBe(204)
    expect(shown[1]).toEqual(['svc.test'])
    const alert = { title: 'checkout down', severity: 'critical', service: 'shop', source: 'alertmanager' }
    const error = { code: 'http_status', message: 'answered 500: disk full', step: 'restart' }
    const ended = { status: 'failed' as const, at: notice.time, approved_by: [], error }
    await send(JSON.stringify(noticeEvent({ ...notice, alert, ended })))
    expect(shown[2]).toContain('  alert   critical: checkout down')
    expect(shown[2]).toContain('  ended   failed: answered 500: disk full')
    await send(JSON.stringify(noticeEvent(digestNotice())))
    expect(shown[3]).toEqual([
      'svc.digest.sent',
      '  - checkout down',
      '  - Rebuild an index',
      '  waiting 174 gates',
      `  console ${digestNotice().links.console}`,
    ])
    for (const body of ['', '{', '[]', '{"data": {}}']) expect(await send(body)).toBe(400)
    expect((await fetch(server.url)).status).toBe(400)
  } finally {
    await server.stop()
  }
})
