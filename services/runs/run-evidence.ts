import type { Actor } from '#core/actor.ts'
import { GENESIS } from '#core/audit/chain.ts'
import { HOW_TO_VERIFY, RunEvidence } from '#core/audit/evidence-schema.ts'
import { evidenceDigest } from '#core/audit/verify-evidence.ts'
import type { Clock } from '#core/time/time.ts'
import { isoTime } from '#core/time/time.ts'
import type { HaltStore } from '#store/halts.ts'
import type { RunViews } from '#store/runs/run-views.ts'
import type { StepViews } from '#store/runs/step-views.ts'
import { withPeople } from '../audit/named-people.ts'
import { type AuditContext, readAudit } from '../audit/read-audit.ts'
import type { People } from '../auth/known-people.ts'
import { getRun } from './get-run.ts'
import { listSteps } from './steps.ts'

const MAX_RECORDS = 5_000
const MAX_STEP_BYTES = 65_536

interface EvidenceContext extends AuditContext {
  actor: Actor
  people: Pick<People, 'many'>
  views: RunViews
  steps: StepViews
  halts: Pick<HaltStore, 'covering'>
  clock: Clock
  sha256: (text: string) => string
}

/** Returns a run with its steps, its answers and its audit records, as a document that can be checked without the service. */
export async function getRunEvidence(ctx: EvidenceContext, runId: string): Promise<RunEvidence> {
  const run = await getRun(ctx, runId)
  const steps = await listSteps(ctx, runId, MAX_STEP_BYTES)
  const found = await readAudit(ctx, { run_id: runId }, { limit: MAX_RECORDS + 1 })
  // read last: the chain never ends before one of the records
  const { seq, hash } = (await ctx.audits.head()) ?? GENESIS
  const oldestFirst = found.sort((one, other) => one.seq - other.seq).slice(0, MAX_RECORDS)
  const evidence = RunEvidence.omit({ digest: true }).parse({
    kind: 'svc.run-evidence',
    v: 1,
    exported_at: isoTime(ctx.clock()),
    run,
    steps,
    records: await withPeople(ctx, oldestFirst),
    complete: found.length <= MAX_RECORDS,
    head: { seq, hash },
    how_to_verify: HOW_TO_VERIFY,
  })
  return { ...evidence, digest: evidenceDigest(evidence, ctx.sha256) }
}
