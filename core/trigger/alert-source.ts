import { canonicalText } from '../json/canonical.ts'
import type { JsonObject } from '../json/json.ts'
import type { NormalizedAlert, Suppressed } from './alert.ts'

/** Lower-case hex of the SHA-256 of a text's UTF-8. */
export type Sha256 = (text: string) => string

/** What a normaliser knows beside the alert: the digest is that of the alert as it stood in the payload. */
export interface AlertContext {
  readonly raw_digest: string
  sha256: Sha256
}

/** How the payload of one tool is recognised and read: all that is known of the tool. */
export interface AlertSource {
  /** the value of `?source=` and of an alert's `source` */
  name: string
  /** what the tool calls itself */
  title: string
  /** what it is recognised by, in words */
  sign: string
  /** a payload as the tool sends it, for anyone who reads the description of the API */
  example: JsonObject
  fits(body: unknown): boolean
  /** the alerts as they stand in the payload */
  entries(body: unknown): readonly unknown[]
  /** throws `validation_failed`; undefined for a payload that is of the tool and no alert */
  normalize(body: unknown, sha256: Sha256): NormalizedPayload | undefined
}

export interface NormalizedPayload {
  found: (NormalizedAlert | Suppressed)[]
  /** alerts that the sender says it has left out */
  truncated?: number | undefined
}

/** The context of an alert; its digest is taken when somebody asks for it. */
export function alertContext(raw: unknown, sha256: Sha256): AlertContext {
  let digest: string | undefined
  return {
    sha256,
    get raw_digest() {
      digest ??= `sha256:${sha256(canonicalText(raw))}`
      return digest
    },
  }
}

export function hasText(body: Record<string, unknown>, keys: string[]): boolean {
  return keys.every((key) => typeof body[key] === 'string')
}
