import { createHmac, timingSafeEqual } from 'node:crypto'
import { canonicalText } from '#core/json/canonical.ts'
import type { Json } from '#core/json/json.ts'
import type { CommitmentOf } from '#core/secret/redact-input.ts'
import { deriveKey, openJwe, sealingKey, sealJwe } from './sealing.ts'

/** Keeps the secrets of runs: sealed for the executions that need them, committed to for everyone else. */
export interface SecretBox {
  /** Makes one compact JWE (RFC 7516: `dir`, A256GCM) that opens for this run only. */
  seal(runId: string, secrets: Record<string, Json>): Promise<string>
  /** Throws `not_configured` when it was sealed with another key, `internal` when it was not sealed for this run. */
  open(runId: string, sealed: string): Promise<Record<string, Json>>
  /** Commitments of one workspace: the same value has the same one there, and another one everywhere else. */
  commitmentsIn(workspaceId: string): CommitmentOf
}

export function createSecretBox(masterKey: string): SecretBox {
  const key = sealingKey(masterKey, 'inputs')
  return {
    seal: (runId, secrets) => sealJwe(key, { sub: runId }, JSON.stringify(secrets)),

    async open(runId, sealed) {
      const text = await openJwe([key], { sub: runId }, sealed, {
        unknownKey: (kid) =>
          `the secrets of run ${runId} were sealed with key ${kid}, not with the present one (${key.kid})`,
        damaged: `the secrets of run ${runId} are not what was sealed for it`,
      })
      return JSON.parse(text) as Record<string, Json>
    },

    commitmentsIn(workspaceId) {
      // most steps have nothing to commit to
      let commitments: Buffer | undefined
      return (value) => {
        commitments ??= deriveKey(masterKey, `commitments:${workspaceId}`)
        return `hmac-sha256:${createHmac('sha256', commitments).update(canonicalText(value)).digest('hex')}`
      }
    },
  }
}

/** Signs the API's commands to the engine, so that the record can tell them from others. */
export function createCommandSeal(masterKey: string) {
  const key = deriveKey(masterKey, 'gate-commands')
  const digest = (text: string) => createHmac('sha256', key).update(text).digest()
  return {
    sign: (text: string): string => digest(text).toString('base64url'),
    verify(text: string, signature: string): boolean {
      const given = Buffer.from(signature, 'base64url')
      const expected = digest(text)
      return given.length === expected.length && timingSafeEqual(given, expected)
    },
  }
}
