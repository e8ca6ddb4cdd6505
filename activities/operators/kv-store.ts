import { z } from 'zod'
import { isObject, type JsonObject, objectOf } from '#core/json/json.ts'
import { parseForeignJson } from '#core/json/parse-json.ts'
import { type OperationTransport, type OperatorContext, OperatorError } from '#core/operator.ts'
import { connectionText } from '#core/run/shown-data.ts'
import type { EgressClient, EgressResponse } from '#platform/egress/egress-client.ts'
import { ConnectionId } from './field-schema.ts'
import { credentialsOf, unknownIfSent, urlBelow } from './http/target.ts'

const SecretPath = z
  .string()
  .max(500)
  .regex(/^[A-Za-z0-9_-][A-Za-z0-9_.-]*(\/[A-Za-z0-9_-][A-Za-z0-9_.-]*)*$/, 'a path such as shop/database')

/** A secret of a store that speaks the API of Vault's key-value secrets, version 2. */
export const SecretPlace = z.strictObject({
  connection: ConnectionId.describe('Of the kind http, to the API: https://:token@vault.example.com/v1/'),
  mount: SecretPath.describe('Where the secrets engine is mounted'),
  path: SecretPath,
})
export type SecretPlace = z.infer<typeof SecretPlace>

/** The current version of a secret: never an output. */
export interface StoredSecret {
  /** 0 where there is none */
  version: number
  data: JsonObject
}

export interface SecretStore {
  read(ctx: OperatorContext, place: SecretPlace): Promise<StoredSecret>
  /** Writes the version after `over`, and fails where that is not the current one. Answers the new version. */
  write(ctx: OperatorContext, place: SecretPlace, secret: { over: number; data: JsonObject }): Promise<number>
}

/** The text of a secret is in no error: what the store says is left out, because it may repeat what it was sent. */
export function createSecretStore(egress: EgressClient): SecretStore {
  const send = async (ctx: OperatorContext, place: SecretPlace, body: JsonObject | undefined) => {
    const connection = await ctx.connection(place.connection)
    return await egress.request({
      method: body === undefined ? 'GET' : 'PUT',
      url: urlBelow(connection, place.connection, `${place.mount}/data/${place.path}`),
      headers: { ...credentialsOf(connection), ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: Buffer.from(JSON.stringify(body)) }),
      egress: ctx.environment.egress,
      max_redirects: 0,
      signal: ctx.signal,
    })
  }
  return {
    async read(ctx, place) {
      const response = await send(ctx, place, undefined)
      const { data, metadata } = bodyOf(response)
      // a version that was deleted answers 404, and still counts
      const version = Number(objectOf(metadata)['version'] ?? 0)
      if (response.status === 404 && Number.isSafeInteger(version)) return { version, data: {} }
      if (response.status !== 200) throw refused(response, { sent: false })
      if (!isObject(data) || !Number.isSafeInteger(version) || version < 1) throw noStore({ sent: false })
      return { version, data }
    },
    async write(ctx, place, { over, data }) {
      const response = await send(ctx, place, { options: { cas: over }, data }).catch((error: unknown) => {
        throw unknownIfSent(error)
      })
      if (response.status !== 200) throw refused(response, { sent: true })
      const version = Number(bodyOf(response)['version'])
      if (!Number.isSafeInteger(version) || version < 1) throw noStore({ sent: true })
      return version
    },
  }
}

/** The store and the secret, in words for approvers. */
export function shownSecret({ connection, mount, path }: SecretPlace, transport: OperationTransport): string {
  return `${mount}/${path} of ${connectionText(connection, transport.second_connection?.target)}`
}

function bodyOf({ body }: EgressResponse): JsonObject {
  try {
    const json = parseForeignJson(body.toString('utf8'))
    return isObject(json) ? objectOf(json['data']) : {}
  } catch {
    // the error would quote the secret
    return {}
  }
}

function refused({ status, retry_after_ms }: EgressResponse, { sent }: { sent: boolean }): OperatorError {
  if (sent && status === 400) {
    const message =
      'the secret store refuses the version: somebody else has written the secret meanwhile, or it takes no such value'
    return new OperatorError('conflict', message, { details: { status } })
  }
  return new OperatorError('http_status', `the secret store answered ${status}`, {
    retryable: !sent && status >= 500,
    unknown_outcome: sent && status >= 500,
    retry_after_ms,
    details: { status },
  })
}

function noStore({ sent }: { sent: boolean }): OperatorError {
  const message = 'the target does not answer as a store of key-value secrets, version 2'
  return new OperatorError('answer_invalid', message, { unknown_outcome: sent })
}
