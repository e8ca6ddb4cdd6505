import { HTTPException } from 'hono/http-exception'
import { z } from 'zod'
import { DomainError, type ErrorCode, type FieldError } from '#core/errors.ts'
import { jsonPointer } from '#core/json/json.ts'
import { didYouMean } from '#core/text/did-you-mean.ts'
import { plainFault } from './plain-fault.ts'

/** Codes of a database that is away, starting, stopping or full (PostgreSQL classes 08, 53, 57; driver and socket codes). */
const DATABASE_AWAY =
  /^(08\w{3}|53\w{3}|57P\d{2}|CONNECTION_\w+|CONNECT_TIMEOUT|E(CONNREFUSED|CONNRESET|PIPE|TIMEDOUT|HOSTUNREACH|NOTFOUND))$/
/** gRPC status codes of an engine that is away: DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, UNAVAILABLE. */
const ENGINE_AWAY = new Set([4, 8, 14])
/** SQLSTATE of text that PostgreSQL cannot store, such as U+0000, and of times that it has not, such as those of the year 0. */
const UNSTORABLE = /^(22021|22P05|22007|22008|22009)$/

/** SQLSTATE of a transaction whose request has lost its Idempotency-Key. */
const TAKEN_OVER = 'SV001'

const HTTP_CODES: Record<number, ErrorCode> = {
  400: 'malformed_body',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
}

const NO_SUCH_TYPE = 'This content type is not taken here: set it to application/json.'

/** Converts anything thrown to a DomainError. An unexpected error becomes `internal`. */
export function toDomainError(thrown: unknown): DomainError {
  if (thrown instanceof DomainError) return thrown
  if (thrown instanceof HTTPException) {
    const message = thrown.status === 415 ? NO_SUCH_TYPE : thrown.message
    return new DomainError(HTTP_CODES[thrown.status] ?? 'internal', message, {}, { cause: thrown })
  }
  for (const error of causes(thrown)) {
    const code: unknown = 'code' in error ? error.code : undefined
    if (error instanceof DomainError) return error
    if (typeof code === 'string' && DATABASE_AWAY.test(code))
      return away('The database cannot be reached right now.', thrown)
    if (code === TAKEN_OVER)
      return new DomainError('conflict', 'Another request has taken over the Idempotency-Key of this one.', {
        retry_after_s: 1,
      })
    if (typeof code === 'number' && 'details' in error && ENGINE_AWAY.has(code)) {
      return away('The workflow engine cannot be reached right now.', thrown)
    }
    if (typeof code === 'string' && UNSTORABLE.test(code)) {
      return new DomainError(
        'validation_failed',
        'The request holds characters or times that cannot be stored.',
        {},
        { cause: thrown },
      )
    }
  }
  return new DomainError('internal', 'unexpected failure', {}, { cause: thrown })
}

interface Wanted {
  /** the code of an absent field that has its own */
  missing?: ErrorCode | undefined
  /** of the body, to suggest names */
  schema?: unknown
}

/** Most reported faults: a body of thousands of wrong members would block other requests. */
const MAX_ERRORS = 100

/** Violations of a request schema as one refusal that names every field, up to a hundred. */
export function validationError(
  target: string,
  issues: readonly z.core.$ZodIssue[],
  { missing, schema }: Wanted = {},
): DomainError {
  if (target === 'param') return new DomainError('not_found', 'malformed path parameter')
  const errors = issues.slice(0, MAX_ERRORS).map((issue) => fieldError(target, issue, schema))
  const first = errors[0]
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  const what = first === undefined ? `The ${place(target)} is not valid` : `${named(target, first)} ${first.msg}`
  return new DomainError(missing ?? 'validation_failed', `${what}${more}`, { errors })
}

function fieldError(target: string, issue: z.core.$ZodIssue, schema: unknown): FieldError {
  const loc = issue.path.map((part) => (typeof part === 'number' ? part : String(part)))
  return {
    pointer: jsonPointer(loc),
    loc,
    ...(place(target) !== 'body' && { in: target }),
    msg: `${plainFault(issue)}${meant(issue, schema)}`,
    type: issue.code ?? 'invalid',
  }
}

/** Returns the nearest valid name. */
function meant(issue: z.core.$ZodIssue, schema: unknown): string {
  if (issue.code !== 'unrecognized_keys' || issue.keys.length !== 1) return ''
  return didYouMean(issue.keys[0] ?? '', keysAt(schema, issue.path), JSON.stringify)
}

/** Names a parameter or a header; a deeper value is named by its path. */
function named(target: string, { pointer, loc }: FieldError): string {
  if (pointer === '') return `The ${place(target)}`
  return place(target) !== 'body' && loc.length === 1 ? String(loc[0]) : `${place(target)} ${pointer}:`
}

function place(target: string): string {
  return target === 'json' || target === 'form' ? 'body' : target
}

function away(message: string, cause: unknown): DomainError {
  return new DomainError('dependency_unavailable', message, {}, { cause })
}

function* causes(thrown: unknown): Generator<Error> {
  let depth = 0
  for (let error = thrown; error instanceof Error && depth < 8; error = error.cause, depth += 1) {
    yield error
    if (error instanceof AggregateError) yield* error.errors.filter((inner) => inner instanceof Error)
  }
}

/** The names that an object of a schema may have at a path; none where it is no object, or takes any. */
function keysAt(schema: unknown, path: readonly PropertyKey[]): string[] {
  const at = path.reduce<unknown>((each, part) => inside(each, part), schema)
  const object = unwrapped(at)
  return object instanceof z.ZodObject ? Object.keys(object.shape) : []
}

function inside(schema: unknown, part: PropertyKey): unknown {
  const outer = unwrapped(schema)
  if (outer instanceof z.ZodObject) return outer.shape[String(part)]
  if (outer instanceof z.ZodArray) return outer.element
  return outer instanceof z.ZodRecord ? outer.valueType : undefined
}

function unwrapped(schema: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return unwrapped(schema.unwrap())
  return schema instanceof z.ZodPipe ? unwrapped(schema.in) : schema
}
