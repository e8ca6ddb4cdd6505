import { createHash } from 'node:crypto'
import { DomainError } from '#core/errors.ts'
import { type ArtifactDraft, OperatorError } from '#core/operator.ts'
import type { StoredArtifact } from '#core/run/patch.ts'
import { withAbort } from '#platform/within.ts'
import type { JudgedWork } from './work.ts'

const PUT_WITHIN_MS = 30_000

/**
 * Stores what an attempt leaves behind: in the bucket of its environment, or with its settlement. Throws OperatorError where the bucket does
 * not take it, or the run has an artifact of that name; the attempt has failed then, and its record has no artifact.
 */
export async function storeArtifacts(work: JudgedWork, drafts: readonly ArtifactDraft[]): Promise<StoredArtifact[]> {
  if (drafts.length === 0) return []
  await mustBeNew(work, drafts)
  const stored: StoredArtifact[] = []
  for (const draft of drafts) stored.push(await storeArtifact(work, draft))
  work.deps.fault('after_artifacts')
  return stored
}

/** The record keeps the first artifact of a name: a second one must not be lost without a word. */
async function mustBeNew({ deps, session, step }: JudgedWork, drafts: readonly ArtifactDraft[]): Promise<void> {
  const names = drafts.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) < index)
  if (twice !== undefined) throw notKept(step.id, twice, 'it has left two of that name')
  const [taken] = await deps.runs.artifactsNamed(session.head.id, names)
  if (taken !== undefined) throw notKept(step.id, taken.name, `the step ${taken.step_id} has left one of that name`)
}

function notKept(step: string, name: string, why: string): OperatorError {
  return new OperatorError('artifact_exists', `${step} was done, but its artifact ${name} is not kept: ${why}`)
}

async function storeArtifact(
  work: JudgedWork,
  { name, media_type, body: given }: ArtifactDraft,
): Promise<StoredArtifact> {
  const { deps, session, step } = work
  const body = Buffer.from(given)
  const digest = `sha256:${createHash('sha256').update(body).digest('hex')}`
  const facts = { id: deps.ids.next('artifact'), name, media_type, size_bytes: body.byteLength, digest }
  const { environment, head: run, signal } = session
  const content = { body, media_type, digest }
  const object = await withAbort(signal, PUT_WITHIN_MS, (ending) =>
    deps.objects.put({ environment, run, step_id: step.id, signal: ending, ...content }),
  ).catch((error: unknown) => {
    throw notStored(work, name, error)
  })
  return object === undefined ? { ...facts, body_base64: body.toString('base64') } : { ...facts, object }
}

/** As a failed dependency; where the operator has acted, and may not be repeated, a person must look. */
function notStored({ judged }: JudgedWork, name: string, error: unknown): unknown {
  if (!(error instanceof OperatorError || error instanceof DomainError)) return error
  const { operator, input } = judged
  const unknown_outcome = operator.replay(input) === 'ask'
  const message = `the artifact ${name} was not stored: ${error.message}`
  const refused = error instanceof DomainError || ['egress_denied', 'connection_kind'].includes(error.code)
  const code = refused ? error.code : 'dependency_unavailable'
  const details = error instanceof OperatorError ? error.details : undefined
  const retryable = !refused && !unknown_outcome
  return new OperatorError(code, message, { retryable, unknown_outcome, cause: error, ...(details && { details }) })
}
