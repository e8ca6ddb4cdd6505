import { z } from 'zod'
import { defineOperator, type Operator, type OperatorContext } from '#core/operator.ts'
import { connectionText } from '#core/run/shown-data.ts'
import type { EgressClient } from '#platform/egress/egress-client.ts'
import { ConnectionId } from '../field-schema.ts'
import { createSecretStore, SecretPlace, type SecretStore, shownSecret } from '../kv-store.ts'
import { operatorInput } from '../operator-input.ts'
import { predicted } from '../predicted.ts'
import { changeRoles, mustBeUnused, quotedRole, RoleName, roleRefused, simulateRoles } from './roles.ts'
import { postgresOnly, type SessionQuery } from './session.ts'

const RetireInput = z.strictObject({
  connection: ConnectionId.describe('Its role may alter the user'),
  user: RoleName.describe('Loses its password and its login'),
  store: SecretPlace.describe('Has to hold another user by now'),
})
type RetireInput = z.infer<typeof RetireInput>

/** Takes password and login from a user that nobody uses any more. Always asks: its gate is part of its definition. */
export function createPostgresRetire({ egress }: { egress: EgressClient }): Operator {
  const store = createSecretStore(egress)
  return defineOperator<RetireInput>({
    id: 'postgres.retire',
    version: 1,
    title: 'Retire a Postgres password',
    risk: 'high',
    action_type: 'login.disable',
    capabilities: ['role.write'],
    requires_approval: true,
    ...operatorInput(RetireInput),
    // what has neither login nor password keeps none
    replay: () => 'safe',
    connection: ({ connection }) => connection,
    secondConnection: ({ store: place }) => place.connection,
    applyConnection: postgresOnly,
    describe: (input, transport) => ({
      summary: `take password and login from ${input.user} on ${connectionText(input.connection, transport.connection?.target)}, unless it has sessions or is the user in ${shownSecret(input.store, transport)}`,
      targets: { kind: 'role', ids: [input.user] },
      command: retireText(input),
    }),
    async simulate(ctx, input) {
      return await predicted(ctx, async () => {
        await mustBeReplaced(store, ctx, input)
        return await simulateRoles(ctx, input.connection, (sql) => plan(sql, input))
      })
    },
    async execute(ctx, input) {
      await mustBeReplaced(store, ctx, input)
      return { outputs: (await changeRoles(ctx, input.connection, (sql) => plan(sql, input))).outputs }
    },
  })
}

const retireText = ({ user }: RetireInput) =>
  `ALTER ROLE ${quotedRole(user)} NOLOGIN PASSWORD NULL VALID UNTIL '-infinity'`

async function mustBeReplaced(store: SecretStore, ctx: OperatorContext, { user, store: place }: RetireInput) {
  const { username } = (await store.read(ctx, place)).data
  if (typeof username !== 'string' || username === user)
    throw roleRefused(
      `the secret store holds ${typeof username === 'string' ? user : 'no user'}: ${user} stays as it is`,
    )
}

async function plan(sql: SessionQuery, input: RetireInput) {
  await mustBeUnused(sql, input.user)
  return {
    statement: retireText(input),
    summary: `would take password and login from ${input.user}`,
    outputs: { retired: true },
  }
}
