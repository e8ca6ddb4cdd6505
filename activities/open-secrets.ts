import { DomainError } from '#core/errors.ts'
import { createRedactor, type Redactor } from '#core/secret/redactor.ts'
import { mergeSecrets, namedSecrets } from '#core/secret/split-secrets.ts'
import type { RunHead } from '#store/run-answers.ts'
import type { StepDeps } from './deps.ts'

/** The run with its secret inputs in place, and what keeps them out of the record. Once per leg, and only where there are any. */
export async function openSecrets(
  deps: Pick<StepDeps, 'secrets'>,
  head: RunHead,
): Promise<{ head: RunHead; redactor: Redactor }> {
  if (head.sealed === null) return { head, redactor: createRedactor([]) }
  if (deps.secrets === undefined) {
    throw new DomainError('not_configured', 'the run has secret inputs, and this worker has no SVC_SECRET_KEY')
  }
  const secrets = await deps.secrets.open(head.id, head.sealed)
  return {
    head: { ...head, inputs: mergeSecrets(head.inputs, secrets) },
    redactor: createRedactor(namedSecrets(secrets)),
  }
}
