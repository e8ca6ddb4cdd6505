import { DomainError } from '#core/errors.ts'
import { createRedactor, type Redactor } from '#core/secret/redactor.ts'
import { namedSecrets } from '#core/secret/split-secrets.ts'
import type { SecretBox } from '#platform/secret-box.ts'

/** What keeps a run's secret inputs out of what others say. Throws `not_configured` where they cannot be opened. */
export async function runRedactor(
  { secrets }: { secrets?: Pick<SecretBox, 'open'> | undefined },
  { run_id, sealed }: { run_id: string; sealed: string | null },
): Promise<Redactor> {
  if (sealed === null) return createRedactor([])
  if (secrets === undefined)
    throw new DomainError('not_configured', 'the run has secret inputs, and this process has no SVC_SECRET_KEY')
  return createRedactor(namedSecrets(await secrets.open(run_id, sealed)))
}
