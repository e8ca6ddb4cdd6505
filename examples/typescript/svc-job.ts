import { createHash, sign } from 'node:crypto'
import { ApplicationFailure, Context } from '@temporalio/activity'

/** What svc says of the attempt: the second argument of an activity whose step has `context: true`, or whose queue has `attest`. */
export interface Job {
  run_id: string
  step_id: string
  attempt: number
  plan_hash: string
  input_digest: string
  /** the same for every attempt of the step: hand it to what you call */
  idempotency_key: string
  attest?: boolean
}

const sha256 = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`

/** Says how far the job is. Ends the job by an error where its run was cancelled. */
export async function progress(at: unknown): Promise<void> {
  Context.current().heartbeat(at)
  await Context.current().sleep(1)
}

/** Makes an activity of a function. Where the queue asks for it, the result is signed with `key`, a private key in PEM. */
export function job<Input>(work: (input: Input, job: Job) => Promise<unknown>, key = '') {
  return async (given: unknown, context: Job): Promise<unknown> => {
    if (!context.attest) return await work(given as Input, context)
    if (key === '') throw ApplicationFailure.nonRetryable('this worker has no key to sign with')
    const { run_id, step_id, attempt, plan_hash, input_digest } = context
    const text = String(given)
    if (sha256(text) !== input_digest) throw ApplicationFailure.nonRetryable('the input is not the one on record')
    const result = JSON.stringify((await work(JSON.parse(text), context)) ?? null)
    const { activityType } = Context.current().info
    const lines = ['svc.remote-job.v1', run_id, step_id, attempt, activityType, plan_hash, input_digest, sha256(result)]
    return { result, signature: sign(null, Buffer.from(lines.join('\n')), key).toString('base64') }
  }
}
