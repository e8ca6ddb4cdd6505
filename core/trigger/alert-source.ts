import { canonicalText } from '../json/canonical.ts'
import type { JsonObject } from '../json/json.ts'
import type { NormalizedAlert, Suppressed } from './alert.ts'
import type { TransitionWords } from './transitions.ts'

/** Lower-case hex of the SHA-256 of a text's UTF-8. */
export type Sha256 = (text: string) => string

/** Inputs of a normaliser besides the alert: the digest is that of the alert in the payload. */
export interface AlertContext {
  readonly raw_digest: string
  sha256: Sha256
}

/** Recognises and reads the payload of one tool: everything that is specific to it. */
export interface AlertSource {
  /** the value of `?source=` and of an alert's `source` */
  name: string
  /** the tool's own name */
  title: string
  /** its distinguishing mark, in words */
  recognised_by: string
  /** an example payload for the description of the API */
  example: JsonObject
  transitions: TransitionWords
  /** its ids of alerts are digests of their labels: an alert of another name is another alert */
  ids_are_labels?: true
  /**
   * It sends the time of each event. Others send when an alert began, and repeat it as long as it fires: a repetition soon after the
   * end is late, and a later one means that the end was a mistake.
   */
  dates_events?: true
  fits(body: unknown): boolean
  /** the alerts, as the payload has them */
  entries(body: unknown): readonly unknown[]
  /** throws `validation_failed`; undefined for a payload that is of the tool and no alert */
  normalize(body: unknown, sha256: Sha256): NormalizedPayload | undefined
}

export interface NormalizedPayload {
  found: (NormalizedAlert | Suppressed)[]
  /** alerts that the sender reports as left out */
  truncated?: number | undefined
}

/** Returns the context of an alert; its digest is computed on first use. */
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
