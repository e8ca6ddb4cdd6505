import { isObject, type JsonObject, objectOf, textOf } from '../json/json.ts'

/** A step that a retry does not execute: its outputs are those of an earlier run. */
export type TakenOver = {
  /** the run that executed the step, or skipped it */
  run_id: string
  attempt: number
  /** as the audit record of that attempt has it; none of a step that was skipped */
  outputs_hash?: string
}

/** How a run repeats an ended one, as its provenance says it. */
export type Repeat =
  | {
      /** the run that was started again */
      again_of: string
      /** the template of that run, where the present one is another */
      template_before?: { version: string; digest: string }
    }
  | {
      /** the failed run that it continues */
      retry_of: string
      /** the step that failed there, and why */
      failed: { step: string; message: string }
      /** by step */
      taken_over: Record<string, TakenOver>
    }

/** Returns in a sentence what a run retries, for those who answer its gates; undefined of any other run. */
export function retryText(provenance: JsonObject): string | undefined {
  if (provenance['retry_of'] === undefined) return undefined
  const { step, message } = objectOf(provenance['failed'])
  const why = message === undefined ? '' : `: ${textOf(message)}`
  return `Retry of a run that failed${step === undefined ? '' : ` at the step ${textOf(step)}`}${why}`
}

/** Returns where the outputs of a step come from; undefined of a step that the run executes itself. */
export function takenOverFrom(provenance: JsonObject, step: string): TakenOver | undefined {
  const all = objectOf(provenance['taken_over'])
  return Object.hasOwn(all, step) ? readTakenOver(all[step]) : undefined
}

export function readTakenOver(value: unknown): TakenOver | undefined {
  if (!isObject(value)) return undefined
  const { run_id, attempt, outputs_hash } = value
  return {
    run_id: textOf(run_id),
    attempt: Number(attempt ?? 0),
    ...(typeof outputs_hash === 'string' && { outputs_hash }),
  }
}
