import { z } from 'zod'
import { type Connection, defineOperator, type Operator, type OperatorContext, OperatorError } from '#core/operator.ts'
import { connectionText } from '#core/run/shown-data.ts'
import type { EgressClient } from '#platform/egress/egress-client.ts'
import { ConnectionId } from '../field-schema.ts'
import { createSecretStore, SecretPlace, type SecretStore, type StoredSecret, shownSecret } from '../kv-store.ts'
import { operatorInput } from '../operator-input.ts'
import { predicted } from '../predicted.ts'
import {
  changeRoles,
  isRetired,
  mustBeUnused,
  mustBeUser,
  quotedRole,
  RoleName,
  roleRefused,
  simulateRoles,
} from './roles.ts'
import { newPassword, passwordFingerprint, scramVerifier } from './scram-verifier.ts'
import { postgresOnly, type SessionQuery, signInToPostgres } from './session.ts'

const RotateInput = z.strictObject({
  connection: ConnectionId.describe('Its role may alter the user'),
  user: RoleName.describe('Gets a new password: the one of the two that nobody uses now'),
  in_use: RoleName.describe('Whose password the store holds now; it stays as it is'),
  store: SecretPlace,
})
type RotateInput = z.infer<typeof RotateInput>

/** By it a secret tells which step has written it. */
const WRITTEN_BY = 'svc_step'

/**
 * Makes a password for a user, in here, and writes it to a secret store: it is in no input, output or record. The server gets its SCRAM
 * verifier, so that no log of statements holds it either.
 */
export function createPostgresRotate({ egress }: { egress: EgressClient }): Operator {
  const store = createSecretStore(egress)
  return defineOperator<RotateInput>({
    id: 'postgres.rotate',
    version: 1,
    title: 'Rotate a Postgres password',
    risk: 'medium',
    action_type: 'secret.rotate',
    capabilities: ['secret.write'],
    requires_approval: false,
    ...operatorInput(RotateInput),
    replay: () => 'ask',
    connection: ({ connection }) => connection,
    secondConnection: ({ store: place }) => place.connection,
    applyConnection: postgresOnly,
    describe: (input, transport) => ({
      summary: `set a new password of ${input.user} on ${connectionText(input.connection, transport.connection?.target)} and write it to ${shownSecret(input.store, transport)}; ${input.in_use} keeps its own`,
      targets: { kind: 'role', ids: [input.user] },
      command: [
        `${validAgain(input.user)}; -- where it was retired\n${alterTo(input.user)}`,
        { secret: 'new password, as SCRAM verifier' },
        "'",
      ],
    }),
    async simulate(ctx, input) {
      return await predicted(ctx, async () => {
        const { version } = await current(store, ctx, input)
        asUser(await ctx.connection(input.connection), input.user, '')
        const simulated = await simulateRoles(ctx, input.connection, (sql) => plan(sql, input, ''))
        if (!simulated.ok) return simulated
        return { ok: true, summary: `${simulated.summary}, and write version ${version + 1} of the secret` }
      })
    },
    execute: async (ctx, input) => ({ outputs: await rotate(store, ctx, input) }),
  })
}

async function rotate(store: SecretStore, ctx: OperatorContext, input: RotateInput) {
  const { user } = input
  const found = await current(store, ctx, input)
  const admin = await ctx.connection(input.connection)
  const own = ownPassword(found, ctx, user)
  if (own !== undefined) {
    // an attempt of this step wrote it, and its end is not on record: it is not made a second time
    await signInToPostgres(asUser(admin, user, own), ctx.signal)
    return { user, version: found.version, fingerprint: passwordFingerprint(own) }
  }
  const password = newPassword()
  const signIn = asUser(admin, user, password)
  const verifier = await scramVerifier(password)
  // nobody uses the user yet: until the store has the password, all of this may be done again
  await changeRoles(ctx, input.connection, (sql) => plan(sql, input, verifier))
  await signInToPostgres(signIn, ctx.signal)
  const data = { ...found.data, username: user, password, [WRITTEN_BY]: ctx.idempotency_key }
  const version = await store.write(ctx, input.store, { over: found.version, data })
  return { user, version, fingerprint: passwordFingerprint(password) }
}

/** Throws where the store does not hold the user that is said to be in use, unless this very step has written it. */
async function current(store: SecretStore, ctx: OperatorContext, { user, in_use, store: place }: RotateInput) {
  const found = await store.read(ctx, place)
  const { username } = found.data
  const expected = username === in_use || ownPassword(found, ctx, user) !== undefined
  if (expected) return found
  throw roleRefused(
    username === user
      ? `the secret store holds ${user} as the one in use: its password stays`
      : `the secret store holds neither ${user} nor ${in_use}`,
  )
}

function ownPassword({ data }: StoredSecret, ctx: OperatorContext, user: string): string | undefined {
  const { username, password, [WRITTEN_BY]: by } = data
  return username === user && by === ctx.idempotency_key && typeof password === 'string' ? password : undefined
}

async function plan(sql: SessionQuery, { user, in_use }: RotateInput, verifier: string) {
  if (user === in_use) throw roleRefused(`${user} is the one in use: its password stays`)
  await mustBeUnused(sql, user)
  await mustBeUser(sql, user)
  const again = (await isRetired(sql, user)) ? `${validAgain(user)};\n` : ''
  return {
    statement: `${again}${alterTo(user)}${verifier}'`,
    summary: `would set a new password of ${user}`,
    outputs: {},
  }
}

const validAgain = (user: string) => `ALTER ROLE ${quotedRole(user)} VALID UNTIL 'infinity'`

/** The statement up to the verifier, which approvers are shown as a secret. */
const alterTo = (user: string) => `ALTER ROLE ${quotedRole(user)} LOGIN PASSWORD '`

/** The same server and database as another user. */
function asUser({ kind, url, address }: Connection, user: string, password: string): Connection {
  const as = URL.canParse(url) ? new URL(url) : undefined
  if (as === undefined || as.hostname === '')
    throw new OperatorError(
      'connection_kind',
      'the url of the connection has to name one host, so that the new password can be tried',
    )
  as.username = encodeURIComponent(user)
  as.password = encodeURIComponent(password)
  for (const name of ['user', 'username', 'password']) as.searchParams.delete(name)
  return { kind, url: as.href, ...(address !== undefined && { address }) }
}
