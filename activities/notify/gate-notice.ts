import type { NoticeKind } from '#core/action-contract.ts'
import type { Json, JsonObject } from '#core/json.ts'
import type { GateNotice, NoticeResolution } from '#core/notify/types.ts'
import { viewedConnection } from '#core/run/connection-text.ts'
import type { NoticeRow } from '#store/notice-deliveries.ts'
import type { NoticeView } from '#store/notice-views.ts'
import type { NoticeDeps } from './deps.ts'

/** What one recipient is told about a gate; the link in it is theirs alone. */
export async function gateNotice(
  deps: NoticeDeps,
  gate: NoticeView,
  { id: notice_id, kind, recipient }: NoticeRow,
): Promise<GateNotice> {
  const { gate_id, run_id, workspace_id, plan_hash, view, expires_at } = gate
  const plan = objectOf(view['plan'])
  const connection = viewedConnection(view)
  const asks = kind !== 'resolved' && deps.linksAllowed(gate.environment)
  const link = asks ? await deps.issueLink?.({ notice_id, gate_id, plan_hash, recipient, expires_at }) : undefined
  const halts = kind === 'resolved' ? [] : await deps.halts.over(run_id)
  return {
    id: `${gate_id.replace(/^gate_/, 'ntf_')}.${kind}`,
    kind: `svc.gate.${kind}`,
    time: timeOf(deps, gate, kind),
    workspace_id,
    run_id,
    gate_id,
    step: gate.step,
    template: `${gate.pack}/${gate.template}`,
    environment: gate.environment,
    risk: gate.risk,
    summary: textOf(plan['summary']) ?? '',
    plan_hash,
    ...(connection === null ? {} : { connection }),
    ...(typeof plan['command'] === 'string' ? { command: plan['command'] } : {}),
    because: [
      ...(Array.isArray(view['because']) ? view['because'].map(String) : []),
      ...halts.map(({ reason }) => `a halt is in force (${reason}): what is approved goes on when it is lifted`),
    ],
    requested_by: textOf(view['requested_by']),
    expires_at,
    ...(kind === 'resolved' ? { resolution: resolutionOf(gate) } : {}),
    ...(link === undefined ? {} : { code: link.code }),
    links: {
      ...(link === undefined ? {} : { approve: link.url }),
      run: `${deps.public_url}/runs/${run_id}`,
    },
  }
}

/** When it happened, the same for every attempt to tell it. */
function timeOf(deps: NoticeDeps, gate: NoticeView, kind: NoticeKind): string {
  const sla = objectOf(gate.view['sla'])
  const times: Record<NoticeKind, string | null> = {
    opened: gate.opened_at,
    reminder: textOf(sla['remind_at']),
    escalated: textOf(sla['escalate_at']),
    resolved: gate.resolved_at,
  }
  return times[kind] ?? new Date(deps.clock()).toISOString()
}

function resolutionOf({ status, resolution, resolved_at }: NoticeView): NoticeResolution {
  return {
    status,
    by: textOf(resolution?.['by']),
    at: resolved_at,
    note: textOf(resolution?.['note']),
  }
}

function objectOf(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
}

function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null
}
