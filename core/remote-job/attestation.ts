export interface Attested {
  run_id: string
  step_id: string
  attempt: number
  activity: string
  plan_hash: string
  input_digest: string
}

/** The text that is signed: it holds for one result of one attempt. */
export function attestationText(
  { run_id, step_id, attempt, activity, plan_hash, input_digest }: Attested,
  resultDigest: string,
): string {
  return ['svc.remote-job.v1', run_id, step_id, attempt, activity, plan_hash, input_digest, resultDigest].join('\n')
}
