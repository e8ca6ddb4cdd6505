import { z } from 'zod'
import type { JsonObject } from '#core/json/json.ts'
import { defineOperator, type OperatorContext, OperatorError } from '#core/operator.ts'
import { connectionText } from '#core/run/shown-data.ts'
import { ConnectionId } from '../field-schema.ts'
import { operatorInput } from '../operator-input.ts'
import { foundObjects } from './backup/catalogue.ts'
import { named, readNote } from './backup/restore-target.ts'
import { inBackupSession, keep, runWritten } from './backup/session.ts'
import { BackupName } from './restore.ts'
import { postgresOnly, type Session, type SessionQuery } from './session.ts'

const ClearInput = z.strictObject({
  connection: ConnectionId.describe('Connection to the database that was restored'),
  backup: BackupName,
})
type ClearInput = z.infer<typeof ClearInput>

/** Removes what `postgres.restore` made of a backup, and nothing else: where anything else is there, all of it stays. */
export const postgresRestoreClear = defineOperator<ClearInput>({
  id: 'postgres.restore_clear',
  version: 1,
  title: 'Clear a restored Postgres',
  risk: 'medium',
  action_type: 'backup.clear',
  capabilities: ['backup.restore'],
  requires_approval: false,
  ...operatorInput(ClearInput),
  // what is cleared already is clear
  replay: () => 'safe',
  connection: ({ connection }) => connection,
  applyConnection: postgresOnly,
  describe: (input, transport) => ({
    summary: `remove from ${connectionText(input.connection, transport.connection?.target)} what the restore of ${input.backup} made, if nothing else is there`,
    targets: { kind: 'connection', ids: [input.connection] },
  }),
  simulate: async (ctx, input) => {
    const found = await within(ctx, input, (sql) => madeByRestore(sql, input))
    return {
      ok: true,
      summary: found === undefined ? 'there is nothing to remove' : `would remove ${found.length} objects`,
    }
  },
  execute: async (ctx, input) => ({
    outputs: await within(ctx, input, (_sql, session) => clear(ctx, session, input)),
  }),
})

const within = <T>(
  ctx: OperatorContext,
  { connection }: ClearInput,
  work: (sql: SessionQuery, session: Session) => Promise<T>,
) => inBackupSession(ctx, { connection, kind: 'writing', statement_timeout: '10m' }, work)

/** undefined where there is nothing at all. Throws where anything is there that this restore did not make. */
async function madeByRestore(sql: SessionQuery, { backup }: ClearInput) {
  const found = await foundObjects(sql)
  if (found.length === 0) return undefined
  const note = await readNote(sql)
  if (note === undefined)
    throw new OperatorError('backup_refused', `nothing was restored here by this service: ${named(found)} stays`)
  if (note.backup !== backup)
    throw new OperatorError('backup_refused', `what was restored here is ${note.backup}, and not ${backup}: it stays`)
  const made = new Set(note.made)
  const others = found.filter(({ oid }) => !made.has(oid))
  if (others.length > 0)
    throw new OperatorError('backup_refused', `${named(others)} was not made by the restore: all of it stays`)
  return found
}

async function clear(ctx: OperatorContext, session: Session, input: ClearInput): Promise<JsonObject> {
  const found = await madeByRestore(session.sql(), input)
  if (found === undefined) return { cleared: false, objects: 0 }
  await ctx.beforeSending()
  const sql = session.sql()
  // whatever stands on them was made by the restore too
  const relations = await sql<{ statement: string }[]>`
    select format('drop %s if exists %I.%I cascade', case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence' else 'table' end, n.nspname, c.relname) as statement
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.oid::text = any (${found.filter(({ kind }) => kind === 'relation').map(({ oid }) => oid)}::text[]) order by array_position('{v,m,r,S}'::text[], c.relkind::text)`
  for (const { statement } of relations) await runWritten(sql, statement)
  for (const { name } of found.filter(({ kind }) => kind === 'type')) await runWritten(sql, `drop type ${name}`)
  for (const { name } of found.filter(({ kind }) => kind === 'schema')) await runWritten(sql, `drop schema ${name}`)
  await keep(ctx, session)
  return { cleared: true, objects: found.length }
}
