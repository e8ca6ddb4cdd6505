import { objectOf, textOrNull } from '#core/json/json.ts'
import { isAsking, type NoticeKind } from '#core/notify/contract.ts'
import { gateFacts, resolutionOf } from '#core/notify/gate-facts.ts'
import type { GateNotice, NoticeAnswer } from '#core/notify/types.ts'
import { isoTime } from '#core/time/time.ts'
import { demandsLogin } from '#services/approvals/links/link-context.ts'
import type { NoticeView } from '#services/approvals/notice-gates.ts'
import type { NoticeDeps } from './deps.ts'

interface About {
  id: number
  kind: NoticeKind
  recipient: string
  /** what an account has answered for the recipient, where that is told */
  answered?: NoticeAnswer | undefined
}

/** What one recipient is told about a gate; the link in it is theirs alone. */
export async function gateNotice(
  deps: NoticeDeps,
  gate: NoticeView,
  { id: notice_id, kind, recipient, answered }: About,
): Promise<GateNotice> {
  const { gate_id, run_id, plan_hash, expires_at } = gate
  const facts = gateFacts(gate)
  const asks = isAsking(kind) && deps.linksAllowed(gate.environment)
  const link = asks ? await deps.issueLink?.({ notice_id, gate_id, plan_hash, recipient, expires_at }) : undefined
  const halts = isAsking(kind) ? await deps.halts.covering(run_id) : []
  return {
    id: `${gate_id.replace(/^gate_/, 'ntf_')}.${kind}`,
    kind: `svc.gate.${kind}`,
    time: answered?.at ?? timeOf(deps, gate, kind),
    sent_at: isoTime(deps.clock()),
    ...facts,
    because: [
      ...facts.because,
      ...halts.map(({ reason }) => `a halt is in force (${reason}): what is approved goes on when it is lifted`),
    ],
    ...(answered === undefined ? {} : { answered }),
    ...(kind === 'resolved' ? { resolution: resolutionOf(gate) } : {}),
    // the page of a gate that asks who decides takes no code
    ...(link === undefined || demandsLogin(gate, deps.open) ? {} : { code: link.code }),
    links: {
      ...(link === undefined ? {} : { approve: link.url }),
      run: runAddress(deps.public_url, gate),
      ...(facts.alert?.link === undefined ? {} : { alert: facts.alert.link }),
    },
  }
}

/** When it happened, the same for every attempt to tell it. */
function timeOf(deps: NoticeDeps, gate: NoticeView, kind: NoticeKind): string {
  const sla = objectOf(gate.view['sla'])
  const times: Record<NoticeKind, string | null> = {
    opened: gate.opened_at,
    reminder: textOrNull(sla['remind_at']),
    escalated: textOrNull(sla['escalate_at']),
    answered_for_you: null,
    resolved: gate.resolved_at,
  }
  return times[kind] ?? isoTime(deps.clock())
}

/** The address of a run in the console, with its workspace: the reader's home may be another one. */
export function runAddress(
  publicUrl: string,
  { run_id, workspace_id }: { run_id: string; workspace_id: string },
): string {
  return `${publicUrl}/workspaces/${workspace_id}/runs/${run_id}`
}
