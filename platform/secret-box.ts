import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { CompactEncrypt, compactDecrypt, decodeProtectedHeader, errors } from 'jose'
import { DomainError } from '#core/errors.ts'
import { canonicalText } from '#core/json/canonical.ts'
import type { Json } from '#core/json/json.ts'
import type { CommitmentOf } from '#core/secret/redact-input.ts'

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
  const key = deriveKey(masterKey, 'inputs')
  const kid = createHash('sha256').update(key).digest('hex').slice(0, 8)
  return {
    async seal(runId, secrets) {
      const payload = new TextEncoder().encode(JSON.stringify(secrets))
      return await new CompactEncrypt(payload)
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid, sub: runId })
        .encrypt(key)
    },

    async open(runId, sealed) {
      const header = headerOf(sealed)
      if (header.kid !== kid) {
        throw new DomainError(
          'not_configured',
          `the secrets of run ${runId} were sealed with key ${header.kid ?? 'unknown'}, not with the present one (${kid})`,
        )
      }
      if (header['sub'] !== runId) throw damaged(runId)
      try {
        const { plaintext } = await compactDecrypt(sealed, key, {
          keyManagementAlgorithms: ['dir'],
          contentEncryptionAlgorithms: ['A256GCM'],
        })
        return JSON.parse(new TextDecoder().decode(plaintext)) as Record<string, Json>
      } catch (error) {
        throw error instanceof errors.JOSEError ? damaged(runId) : error
      }
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

function headerOf(sealed: string) {
  try {
    return decodeProtectedHeader(sealed)
  } catch {
    return {}
  }
}

function damaged(runId: string): DomainError {
  return new DomainError('internal', `the secrets of run ${runId} are not what was sealed for it`)
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

/** A 256-bit key for one purpose from the master key (HKDF-SHA-256, RFC 5869): what one key signs, no other verifies. */
export function deriveKey(masterKey: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, '', `svc:${purpose}`, 32))
}
