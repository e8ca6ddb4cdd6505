import type { S3Location } from '#core/connection/kinds/s3-schema.ts'
import { OperatorError } from '#core/operator.ts'

/** Codes of S3 that mean the same everywhere, in our words: a server writes nothing into a record. */
const REFUSALS: Record<string, (location: S3Location) => string> = {
  NoSuchBucket: ({ bucket }) => `there is no bucket ${bucket}`,
  InvalidAccessKeyId: ({ access_key_id }) => `it knows no access key ${access_key_id}`,
  SignatureDoesNotMatch: ({ access_key_id }) =>
    `the signature of ${access_key_id} does not match: the secret access key, or the region, is another one`,
  AccessDenied: ({ access_key_id, bucket }) => `it does not let ${access_key_id} do that in bucket ${bucket}`,
  RequestTimeTooSkewed: () => 'the clock of this machine differs too much from its own',
  PermanentRedirect: ({ bucket, region }) => `bucket ${bucket} is not in region ${region}, or has another endpoint`,
  AuthorizationHeaderMalformed: ({ bucket, region }) => `bucket ${bucket} is not in region ${region}`,
  EntityTooLarge: () => 'the object is larger than it takes',
  NotImplemented: () => 'it does not know a part of the request; a condition of a put is unknown to some servers',
  BadDigest: () => 'it has received other bytes than were sent',
}

const BUSY = new Set(['SlowDown', 'RequestTimeout', 'ServiceUnavailable', 'InternalError', 'OperationAborted'])
const CREDENTIALS = new Set(['InvalidAccessKeyId', 'SignatureDoesNotMatch'])

interface Answer {
  name: string
  status: number
}

/** A failure of the library as operators report it. What the egress client has thrown passes. */
export function s3Failure(error: unknown, { what, location }: { what: string; location: S3Location }): unknown {
  if (error instanceof OperatorError) return error
  const answer = answerOf(error)
  if (answer === undefined) return error
  const { name, status } = answer
  const known = REFUSALS[name]?.(location)
  const message = `${new URL(location.endpoint).host} refused ${what}: ${known ?? `it answers ${status}`}`
  const details = { status, ...(/^[A-Za-z]{1,64}$/.test(name) && { s3_code: name }) }
  const options = { details, cause: error }
  // a HEAD has no body, so it cannot say whether it is the object or the bucket
  if (status === 404) return new OperatorError('object_not_found', known ?? `${what}: there is no such object`, options)
  if (status === 412) return new OperatorError('object_exists', `${what}: there is an object already`, options)
  if (CREDENTIALS.has(name)) return new OperatorError('login_refused', message, options)
  if (status >= 500 && status !== 501 ? true : status === 429 || status === 408 || BUSY.has(name))
    return new OperatorError('dependency_unavailable', message, { ...options, retryable: true })
  return new OperatorError('s3_refused', message, options)
}

export function isMissing(error: unknown): boolean {
  return (
    error instanceof OperatorError && error.code === 'object_not_found' && error.details?.['s3_code'] !== 'NoSuchBucket'
  )
}

function answerOf(error: unknown): Answer | undefined {
  if (!(error instanceof Error) || !('$metadata' in error)) return undefined
  const { httpStatusCode } = error.$metadata as { httpStatusCode?: number }
  return httpStatusCode === undefined ? undefined : { name: error.name, status: httpStatusCode }
}
