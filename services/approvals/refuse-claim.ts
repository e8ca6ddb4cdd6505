import type { AuditDraft } from '#core/audit/types.ts'
import { BY_TEMPORAL } from '#core/gate/attribute.ts'
import type { ClaimKind } from '#core/gate/types.ts'
import { DEFAULT_WORKSPACE_ID, ID_PREFIX } from '#core/id.ts'
import type { JsonObject } from '#core/json/json.ts'
import { cutText } from '#core/text/text.ts'
import { isoTime } from '#core/time/time.ts'
import type { RunState } from '#store/gates/gate-decisions.ts'
import type { RecordDeps } from './record-deps.ts'

/** A message from the engine that the record does not support: it was recorded, and nothing else has changed. */
export class ClaimRefused extends Error {
  readonly kind: ClaimKind

  constructor(kind: ClaimKind) {
    super(`the record does not confirm this claim: ${kind}`)
    this.name = 'ClaimRefused'
    this.kind = kind
  }
}

/** The dependencies of recording refusals. */
export interface ClaimPorts extends Pick<RecordDeps, 'ids' | 'clock'> {
  decisions: Pick<RecordDeps['decisions'], 'refuse'>
}

/** Subjects of claims, besides runs. */
const SUBJECTS = ['schedule', 'pipeline', 'halt', 'digest', 'remote_job'] as const

/** Cuts the subject of a claim to what a database can hold. */
const storable = (id: string) => cutText(id.replaceAll('\0', ''), 100)

/** Records an unsupported claim about a run, a schedule, a pipeline, a halt, a digest or a remote job. Repeated ones are counted, and reported once a minute. */
export async function refuseClaim(
  { decisions, ...deps }: ClaimPorts,
  kind: ClaimKind,
  subject_id: string,
  data: JsonObject = {},
): Promise<ClaimRefused> {
  const id = storable(subject_id)
  const type = SUBJECTS.find((kind) => id.startsWith(`${ID_PREFIX[kind]}_`)) ?? 'run'
  const draft: AuditDraft = {
    id: deps.ids.next('audit'),
    ts: isoTime(deps.clock()),
    workspace_id: DEFAULT_WORKSPACE_ID,
    category: 'approval',
    action: 'claim.refused',
    actor: { type: BY_TEMPORAL.type, id: BY_TEMPORAL.by, auth: 'none' },
    channel: BY_TEMPORAL.channel,
    ...(type === 'run' && { run_id: id }),
    subject: { type, id },
    data: { kind, ...data },
  }
  await decisions.refuse(kind, draft, 1)
  return new ClaimRefused(kind)
}

/** Returns the run that a claim is about, if the claim names the right one. */
export async function claimedRun(
  deps: Pick<RecordDeps, 'decisions' | 'ids' | 'clock'>,
  claim: { run_id: string; workspace_id: string; lane: string },
): Promise<RunState> {
  const run = await deps.decisions.runState(claim.run_id)
  if (run === undefined) throw await refuseClaim(deps, 'unknown_run', claim.run_id)
  if (run.workspace_id !== claim.workspace_id || run.lane !== claim.lane)
    throw await refuseClaim(deps, 'foreign_workspace', claim.run_id)
  return run
}
