import { demoAlert } from '#cli/demo/tour.ts'
import { alertFacts } from '#core/notify/alert-facts.ts'
import type { GateNotice } from '#core/notify/types.ts'
import { createRedactor } from '#core/secret/redactor.ts'
import { alertRecord, STARTED_BY_BYTES } from '#core/trigger/alert-record.ts'
import { normalizeAlerts } from '#core/trigger/normalize-alert.ts'

const URL = 'http://127.0.0.1:8099'
const BEGAN = '2026-11-21T13:09:30.000Z'

/** What people are told of the demo's alert, had it come to an environment that names the channels of the documentation. */
export function demoNotice(): GateNotice {
  const [alert] = normalizeAlerts(demoAlert(URL, BEGAN), undefined, () => 'ab'.repeat(32)).alerts
  if (alert === undefined) throw new Error('the demo sends no alert')
  const facts = alertFacts(alertRecord(alert, createRedactor([]), STARTED_BY_BYTES))
  return {
    id: 'ntf_01kb3qj8w2m5t7v9x1z3b5d7f9.opened',
    kind: 'svc.gate.opened',
    time: '2026-11-21T13:10:00.000Z',
    sent_at: '2026-11-21T13:10:00.000Z',
    workspace_id: 'ws_00000000000000000000000000',
    run_id: 'run_01kb3qj6n0k3r5t7v9x1z3b5d7',
    gate_id: 'gate_01kb3qj8w2m5t7v9x1z3b5d7f9',
    step: 'act',
    template: 'sre/service-recovery',
    title: 'Recover an HTTP service',
    environment: 'production',
    environment_class: 'production',
    risk: 'medium',
    alert: facts,
    action: 'restart',
    summary: `POST ${URL}/restart`,
    plan_hash: `sha256:${'5f'.repeat(32)}`,
    command: `POST ${URL}/restart\ncontent-type: application/json\n\n{"reason": "ServiceUnhealthy"}`,
    because: ['the pack asks for approval of this step', 'policy production-writes: two people look at what changes'],
    requested_by: 'alertmanager',
    ask: {
      need: 2,
      have: 0,
      clauses: [{ any_of: ['oncall'], people: ['Ann Example', 'Bob Example'], met: false }],
      people: ['Ann Example', 'Bob Example', 'Carol Example'],
      prevent_self: true,
      missing: null,
    },
    evidence: [{ title: 'Ask for its health', excerpt: 'status: 503\njson:\n  status: unhealthy\n  since: 13:08' }],
    expires_at: '2026-11-21T14:05:00.000Z',
    links: {
      approve: 'https://svc.example.org/triggers/approve/action-gate_01kb3qj8w2m5t7v9x1z3b5d7f9?token=eyJ…',
      run: 'https://svc.example.org/runs/run_01kb3qj6n0k3r5t7v9x1z3b5d7',
      ...(facts.link !== undefined && { alert: facts.link }),
    },
  }
}
