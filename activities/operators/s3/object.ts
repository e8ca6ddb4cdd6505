import { z } from 'zod'
import { isS3Url, type S3Location, s3Location, s3ObjectUrl } from '#core/connection/kinds/s3-schema.ts'
import type { Connection, OperationTransport, OperatorContext } from '#core/operator.ts'
import type { S3Client, S3Rules } from '#platform/s3/s3-client.ts'
import { ConnectionId } from '../field-schema.ts'
import { required } from '../required.ts'

export const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+(; ?charset=[\w-]+)?$/

/** A url would lose names that are empty, `.` or `..`, and nobody could read control characters. */
const Key = z
  .string()
  .min(1)
  .max(700)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it refuses them
  .regex(/^[^\x00-\x1f\x7f]+$/, 'text without control characters')
  .refine(
    (key) => key.split('/').every((name) => !['', '.', '..'].includes(name)),
    'names apart by single slashes, none of them . or ..',
  )
  .describe('Key of the object, below the prefix of the connection')

export const ObjectFields = { connection: ConnectionId, key: Key }

export const VersionId = z
  .string()
  .regex(/^[\w.-]{1,1024}$/, 'the id of a version')
  .exactOptional()
  .describe('A version of the object, in a bucket that keeps versions; default the newest')

/** A process that only reads templates has no client. */
export function clientOf(s3: S3Client | undefined): S3Client {
  return required(s3, 'object stores are not set up in this process')
}

/** The input as it is, where its connection leads to a bucket. */
export function s3Only<Input extends { connection: string }>(input: Input, connection: Connection): Input {
  s3Location(connection, input.connection)
  return input
}

export async function locationOf(ctx: OperatorContext, id: string): Promise<S3Location> {
  return s3Location(await ctx.connection(id), id)
}

export function rulesOf(ctx: OperatorContext): S3Rules {
  return { egress: ctx.environment.egress, signal: ctx.signal }
}

/** The url of an object as approvers are shown it. */
export function shownObject(
  { connection, key }: { connection: string; key: string },
  transport: OperationTransport,
): string {
  return transport.connection !== undefined && isS3Url(transport.connection.url)
    ? s3ObjectUrl(s3Location(transport.connection, connection), key)
    : key
}
