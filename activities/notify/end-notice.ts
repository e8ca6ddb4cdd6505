import { objectOf, textOf, textOrNull } from '#core/json/json.ts'
import { alertFacts } from '#core/notify/alert-facts.ts'
import { formatAction, requesterName } from '#core/notify/gate-facts.ts'
import type { GateNotice, NoticeEnd } from '#core/notify/types.ts'
import { formatDuration } from '#core/time/format-time.ts'
import { isoTime } from '#core/time/time.ts'
import type { EndView } from '#store/notices/end-views.ts'
import type { NoticeDeps } from './deps.ts'
import { runAddress } from './gate-notice.ts'

/** What people are told about the end of a run; the same for all of them. */
export function endNotice(deps: Pick<NoticeDeps, 'clock' | 'public_url'>, run: EndView): GateNotice {
  const { run_id, workspace_id, status } = run
  const gate = run.gates.findLast((each) => each.status === 'approved') ?? run.gates.at(-1)
  const action = formatAction(gate?.action_type ?? null)
  const ended = endOf(run)
  const alert = run.alert === null ? undefined : alertFacts(run.alert)
  return {
    id: `${run_id.replace(/^run_/, 'ntf_')}.${status}`,
    kind: `svc.run.${status}`,
    time: run.ended_at,
    sent_at: isoTime(deps.clock()),
    workspace_id,
    run_id,
    gate_id: gate?.gate_id ?? null,
    step: ended.error?.step ?? gate?.step ?? null,
    template: `${run.pack}/${run.template}`,
    title: run.title,
    environment: run.environment,
    environment_class: run.environment_class,
    risk: run.risk,
    ...(alert === undefined ? {} : { alert }),
    ...(action === undefined ? {} : { action }),
    summary: [gate?.summary, durationText(run)].filter(Boolean).join(' · '),
    plan_hash: gate?.plan_hash ?? null,
    because: [],
    requested_by: requesterName(run.provenance, run.requesters),
    ...(run.dry_run ? { dry_run: true } : {}),
    expires_at: null,
    ended,
    links: { run: runAddress(deps.public_url, run), ...(alert?.link === undefined ? {} : { alert: alert.link }) },
  }
}

function endOf({ status, ended_at, gates, error }: EndView): NoticeEnd {
  const approved = gates.filter((gate) => gate.status === 'approved')
  const { code, message, step } = objectOf(error ?? undefined)
  const failed_at = textOrNull(step)
  const acted = failed_at !== null && approved.length > 0 && approved.every((gate) => gate.step !== failed_at)
  return {
    status,
    at: ended_at,
    approved_by: [...new Set(approved.flatMap(({ decided_by }) => decided_by))],
    ...(acted ? { acted: true } : {}),
    error: error === null ? null : { code: textOrNull(code) ?? 'unknown', message: textOf(message), step: failed_at },
  }
}

function durationText({ started_at, ended_at }: EndView): string {
  const words = started_at === null ? '' : formatDuration(Date.parse(ended_at) - Date.parse(started_at))
  return words === '' ? '' : `${words} after it began`
}
