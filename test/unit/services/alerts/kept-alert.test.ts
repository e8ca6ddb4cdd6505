import { expect, test } from 'vitest'
import type { NormalizedAlert } from '#core/trigger/alert.ts'
import { keptAlert } from '#services/alerts/kept-alert.ts'

const ALERT: NormalizedAlert = {
  source: 'cron',
  service: 'backup',
  symptom: 'Failed',
  status: 'firing',
  severity: 'high',
  fingerprint: 'cron|backup|failed',
  title: 'Backup failed',
  labels: { job: 'bearer', team: 'storage-team' },
  annotations: { token: 'hunter2-canary', where: 'with hunter2-canary in it' },
  links: [],
  raw_digest: `sha256:${'d'.repeat(64)}`,
}
const inputs_schema = { type: 'object', properties: { auth: { type: 'string', writeOnly: true } } }

test.each(['hunter2-canary', 'Bearer hunter2-canary', 'x:hunter2-canary:y'])(
  'what a secret input %j took from the alert is hidden, no matter what the rule put around it',
  (auth) => {
    const packs = { findTemplate: () => ({ inputs_schema }) } as never
    const kept = keptAlert({ packs }, ALERT, { pack: 'demo', template: 'run', inputs: { auth } })
    for (const record of [kept.started_by(), kept.state()]) {
      expect(JSON.stringify(record)).not.toContain('hunter2')
      // what has nothing to do with it can still be read
      expect(record.labels).toEqual(ALERT.labels)
    }
  },
)
