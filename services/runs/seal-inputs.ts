import { HIDDEN } from '#core/egress/url.ts'
import { DomainError } from '#core/errors.ts'
import { canonicalText } from '#core/json/canonical.ts'
import { type Json, type JsonObject, pointerParts } from '#core/json/json.ts'
import type { NamedSecret } from '#core/secret/redactor.ts'
import { isSecretMark } from '#core/secret/secret-mark.ts'
import { mergeSecrets, namedSecrets } from '#core/secret/split-secrets.ts'
import type { StartContext } from '../context.ts'
import { splitInputs } from './configure-inputs.ts'

export interface SealedInputs {
  /** as everyone may read them */
  inputs: JsonObject
  /** commits to the secrets without revealing them */
  inputs_hash: string
  /** secrets from the inputs, to be redacted in all other records */
  secrets: NamedSecret[]
  sealed?: string
}

/** Takes the secrets out of a run's inputs and seals them. Without a master key there is no place for them: `not_configured`. */
export async function sealInputs(
  ctx: Pick<StartContext, 'secrets' | 'workspace_id' | 'sha256'>,
  runId: string,
  schema: JsonObject,
  given: JsonObject,
): Promise<SealedInputs> {
  const { public: inputs, secrets } = splitInputs(schema, given)
  const pointers = Object.keys(secrets)
  const hash = (value: JsonObject) => `sha256:${ctx.sha256(canonicalText(value))}`
  if (pointers.length === 0) return { inputs, inputs_hash: hash(inputs), secrets: [] }
  const box = ctx.secrets
  if (box === undefined) {
    const message = `the inputs ${pointers.join(', ')} are secret: set SVC_SECRET_KEY, so that they can be sealed`
    throw new DomainError('not_configured', message)
  }
  refuseHidden(secrets)
  const commitmentOf = box.commitmentsIn(ctx.workspace_id)
  const committed = Object.fromEntries(pointers.map((pointer) => [pointer, commitmentOf(secrets[pointer] ?? null)]))
  return {
    inputs,
    inputs_hash: hash(mergeSecrets(inputs, committed)),
    secrets: namedSecrets(secrets),
    sealed: await box.seal(runId, secrets),
  }
}

/** Refuses redacted values: a client has sent back inputs as they were shown. */
function refuseHidden(secrets: Record<string, Json>): void {
  const errors = Object.entries(secrets)
    .filter(([, value]) => value === HIDDEN || isSecretMark(value))
    .map(([pointer]) => ({
      pointer: `/inputs${pointer}`,
      loc: ['inputs', ...pointerParts(pointer)],
      msg: 'is the mark of a hidden secret: give the secret again',
      type: 'hidden_secret',
    }))
  if (errors.length > 0) throw new DomainError('validation_failed', 'a secret is hidden in the inputs', { errors })
}
