import { expect, test } from 'vitest'
import { conditionOf, problemText } from '#services/connections/connection-condition.ts'
import type { ConnectionRow } from '#store/connections/connections.ts'

const [SINCE, ENDS] = ['2026-01-05T09:30:00.000Z', '2026-01-07T09:30:00.000Z']
const GRANT: NonNullable<ConnectionRow['authorization']> = {
  ...{ id: 'grt_1', environment: 'development', scopes: ['read'], authorized_by: 'usr_ann', authorized_at: SINCE },
  ...({ state: 'active' } as const),
  ...{ since: SINCE, detail: null, kid: 'known', token_version: 1, refreshable: true, expires_at: ENDS },
  ...{ alive: true, ending: false, due: false, lost: false },
}
const ROW: ConnectionRow = {
  ...{ id: 'conn_1', account_id: 'acc_local', name: 'crm', kind: 'http', auth: 'oauth2', workspaces: ['default'] },
  config: {
    base_url: 'https://api.example.com/',
    issuer: 'https://login.example.com',
    client_id: 'svc',
    scopes: ['read'],
  },
  ...{
    version: 1,
    fingerprint: '0123abcd',
    status: 'healthy',
    last_test: null,
    created_by: 'usr_ann',
    author: 'usr_ann',
  },
  ...{ created_at: SINCE, updated_at: SINCE, kid: 'known', last_used_at: null, authorization: GRANT },
}
const AGAIN = 'an admin authorises it again: svc connections authorize crm'
const condition = (
  grant: Partial<NonNullable<ConnectionRow['authorization']>> | null,
  row: Partial<ConnectionRow> = {},
) => {
  const whole = { ...ROW, ...row, authorization: grant === null ? null : { ...GRANT, ...grant } }
  const { status, problem } = conditionOf({ has: (kid) => kid === 'known' }, whole)
  return [status, problem && problemText(problem), problem?.is_unusable]
}

test.each<[string, Parameters<typeof condition>, unknown[]]>([
  ['is good', [{}], ['healthy', undefined, undefined]],
  [
    'was never authorised',
    [null],
    ['failed', 'nobody has authorised it yet: an admin must do so: svc connections authorize crm', true],
  ],
  [
    'has failed and its token lives',
    [{ state: 'failed', detail: 'refused' }],
    ['failed', `refused, since ${SINCE}; its access token ends at ${ENDS}: ${AGAIN}`, false],
  ],
  [
    'has failed and its token has ended',
    [{ state: 'failed', detail: 'refused', alive: false }],
    ['failed', `refused, since ${SINCE}: ${AGAIN}`, true],
  ],
  [
    'is unknown',
    [{ state: 'unknown', detail: 'lost' }],
    ['degraded', `lost; its access token ends at ${ENDS}: it is tried again then; ${AGAIN}, to be sure`, false],
  ],
  [
    'waits for its provider',
    [{ state: 'degraded', detail: 'away' }],
    ['degraded', `away; its access token ends at ${ENDS}: it is tried again`, false],
  ],
  [
    'waits for its provider without a token',
    [{ state: 'degraded', detail: 'away', alive: false }],
    ['failed', `its access token has ended at ${ENDS}: away: it is tried again`, false],
  ],
  [
    'ends soon',
    [{ refreshable: false, ending: true }],
    ['healthy', `it ends at ${ENDS}, and there is no refresh token: ${AGAIN}`, false],
  ],
  ['ends late', [{ refreshable: false }], ['healthy', undefined, undefined]],
  [
    'has ended',
    [{ refreshable: false, ending: true, alive: false }],
    ['failed', `its access token has ended at ${ENDS}, and there is no refresh token: ${AGAIN}`, true],
  ],
  ['has less than asked for', [{ scopes: [] }], ['degraded', `the provider has not granted read: ${AGAIN}`, false]],
  [
    'was sealed with a key that is lost',
    [{ kid: 'lost' }],
    [
      'failed',
      'its secret was sealed with key lost, which is not among SVC_SECRET_KEYS: bring the key back, or set the secret again',
      true,
    ],
  ],
  [
    'failed its last test',
    [null, { auth: 'bearer', status: 'failed', last_test: { at: SINCE, ok: false, latency_ms: 3, detail: 'no' } }],
    ['failed', `its last test, at ${SINCE}, found that no: test it: svc connections test crm`, false],
  ],
])('a connection that %s says so', (_what, given, said) => {
  expect(condition(...given)).toEqual(said)
})
