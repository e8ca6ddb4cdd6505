import type { GateNotice, NoticeEnd } from '#core/notify/types.ts'

/** Text as an attacker writes it into an alert. */
export const HOSTILE =
  'disk <!channel> <@U0ADMIN> <https://evil.example|click>\r\nBcc: all@example.test\r\n\r\n<img src="https://evil.example/x.png"> & \u202etxt.exe'

/** A notice of an open gate; a test says only what it is about. */
export function gateNotice(changes: Partial<GateNotice> = {}): GateNotice {
  return {
    id: 'ntf_01hzx5',
    kind: 'svc.gate.opened',
    time: '2026-11-21T12:50:00.000Z',
    workspace_id: 'ws_01',
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
    links: {
      approve: 'https://svc.example.test/triggers/approve/run_01?token=abc',
      console: 'https://svc.example.test/console/runs/run_01',
      run: 'https://svc.example.test/runs/run_01',
    },
    ...changes,
  }
}

/** The notice that the gate was approved. */
export function resolvedNotice(changes: Partial<GateNotice> = {}): GateNotice {
  return gateNotice({
    id: 'ntf_01hzx9',
    kind: 'svc.gate.resolved',
    resolution: { status: 'approved', by: 'alice', at: '2026-11-21T13:05:30.000Z', note: null },
    ...changes,
  })
}

/** The notice of a gate that an alert has led to. */
export function checkoutAlert(changes: Partial<GateNotice> = {}): GateNotice {
  return gateNotice({
    time: '2026-11-21T13:09:00.000Z',
    sent_at: '2026-11-21T13:10:10.000Z',
    expires_at: '2026-11-21T14:05:00.000Z',
    title: 'Recover an HTTP service',
    environment_class: 'production',
    action: 'restart',
    summary: 'Restart checkout',
    requested_by: 'Ann Example',
    alert: {
      title: 'HTTP 5xx on shop.example',
      severity: 'high',
      service: 'checkout',
      source: 'alertmanager',
      description: '12 % of requests fail',
      link: 'https://prometheus.example.test/graph?g0.expr=up',
    },
    ask: {
      need: 2,
      have: 1,
      clauses: [{ any_of: ['dba'], people: ['Bob Example'], met: false }],
      people: ['Ann Example', 'Bob Example'],
      prevent_self: true,
      missing: '1 more approval, from dba',
    },
    evidence: [{ title: 'Look at its health', excerpt: 'status: 503' }],
    ...changes,
  })
}

/** The notice that an approved run has ended. */
export function endedNotice(changes: Partial<NoticeEnd> = {}): GateNotice {
  const ended: NoticeEnd = {
    status: 'failed',
    at: '2026-11-21T13:06:00.000Z',
    approved_by: ['Ann Example'],
    error: { code: 'unreachable', message: 'the address cannot be reached', step: 'restart' },
    ...changes,
  }
  return gateNotice({ id: 'ntf_01hzxb', kind: `svc.run.${ended.status}`, action: 'restart', expires_at: null, ended })
}
