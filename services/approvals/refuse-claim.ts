import { BY_TEMPORAL } from '#core/gate/attribute.ts'
import type { ClaimKind } from '#core/gate/types.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import type { JsonObject } from '#core/json.ts'
import type { RunStanding } from '#store/gate-decisions.ts'
import { draftOf, type RecordDeps } from './record-deps.ts'

/** Something that came through the engine is not borne out by the record: it was put on record, and nothing else has changed. */
export class ClaimRefused extends Error {
  readonly kind: ClaimKind

  constructor(kind: ClaimKind) {
    super(`the record does not bear this out: ${kind}`)
    this.name = 'ClaimRefused'
    this.kind = kind
  }
}

type Ports = Pick<RecordDeps, 'decisions' | 'ids' | 'clock'>

/** What a claim calls its run; nothing of what no database can hold. */
const storable = (id: string) => id.toWellFormed().replaceAll('\0', '').slice(0, 100)

/** Puts a claim on record that is not believed. What repeats is counted, and reported once a minute. */
export async function refuseClaim(
  { decisions, ...deps }: Ports,
  kind: ClaimKind,
  run_id: string,
  data: JsonObject = {},
  count = 1,
): Promise<ClaimRefused> {
  await decisions.refuse(
    kind,
    draftOf(
      deps,
      { run_id: storable(run_id), workspace_id: DEFAULT_WORKSPACE_ID },
      {
        category: 'approval',
        action: 'claim.refused',
        actor: { type: BY_TEMPORAL.type, id: BY_TEMPORAL.by, auth: 'none' },
        channel: BY_TEMPORAL.channel,
        data: { kind, ...data },
      },
    ),
    count,
  )
  return new ClaimRefused(kind)
}

/** The run that a claim is about, if it is the one that it says. */
export async function claimedRun(
  deps: Ports,
  claim: { run_id: string; workspace_id: string; lane: string },
): Promise<RunStanding> {
  const run = await deps.decisions.standing(claim.run_id)
  if (run === undefined) throw await refuseClaim(deps, 'unknown_run', claim.run_id)
  if (run.workspace_id !== claim.workspace_id || run.lane !== claim.lane)
    throw await refuseClaim(deps, 'foreign_workspace', claim.run_id)
  return run
}
