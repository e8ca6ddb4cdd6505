import type { DigestNotice } from '#core/notify/types.ts'

/** A digest of 174 gates, of which two are named. */
export function digestNotice(
  digest: Partial<DigestNotice['digest']> = {},
  kind: DigestNotice['kind'] = 'svc.digest.sent',
): DigestNotice {
  const expires_at = '2026-11-21T03:14:00.000Z'
  return {
    ...{ id: 'ntf_1.0', kind, time: '2026-11-21T02:14:00.000Z', sent_at: '2026-11-21T02:20:00.000Z' },
    workspace_id: 'ws_01',
    digest: {
      ...{ id: 'dgs_1', since: '2026-11-21T02:14:00.000Z', failed: [], ended: {} },
      waiting: { gates: 174, risk: 'high', expires_at, escalated: 2 },
      first: [
        {
          ...{ title: 'Recover', environment: 'production', risk: 'high', expires_at },
          alert: { title: 'checkout down', severity: 'critical', service: 'shop', source: 'alertmanager' },
        },
        { title: 'Rebuild an index', environment: 'staging', risk: 'low', expires_at },
      ],
      answered: { approved: 3, expired: 1 },
      ...digest,
    },
    links: { console: 'https://svc.example.test/console/gates?workspace=ws_01' },
  }
}
