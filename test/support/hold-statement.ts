import { vi } from 'vitest'
import type { Db } from '#store/db.ts'
import { PATIENCE } from './patience.ts'

const LOCK = 4_711_000

export interface HeldStatement {
  /** answers when the statement has come so far */
  reached(): Promise<void>
  release(): Promise<void>
  /** answers when it has ended, either way */
  ended(): Promise<void>
  remove(): Promise<void>
}

/** Holds the first statement that writes to a table, in the middle of its transaction; those after it pass. `owner`: of the table. */
export async function holdStatement(
  owner: Db,
  table: string,
  on: 'insert' | 'update',
  when = 'true',
): Promise<HeldStatement> {
  const session = await owner.reserve()
  await session`select pg_advisory_lock(${LOCK})`
  await owner.unsafe(`
    create sequence held_statements;
    create function hold_statement() returns trigger language plpgsql security definer as $$ begin
      if nextval('held_statements') = 1 then perform pg_advisory_xact_lock(${LOCK}); end if;
      return new;
    end $$;
    create trigger hold_statement before ${on} on ${table} for each row when (${when}) execute function hold_statement()`)
  const waiting = async () =>
    (await owner`select from pg_locks where locktype = 'advisory' and objid = ${LOCK} and not granted`).length
  const holders = async () => (await owner`select from pg_locks where locktype = 'advisory' and objid = ${LOCK}`).length
  let held = true
  const release = async () => {
    if (held) await session`select pg_advisory_unlock(${LOCK})`
    held = false
  }
  const until = (done: () => Promise<boolean>) =>
    vi.waitFor(async () => {
      if (!(await done())) throw new Error('not yet')
    }, PATIENCE)
  return {
    reached: () => until(async () => (await waiting()) > 0),
    release,
    ended: () => until(async () => (await holders()) === 0),
    async remove() {
      await release()
      session.release()
      await owner.unsafe(
        `drop trigger hold_statement on ${table}; drop function hold_statement; drop sequence held_statements`,
      )
    },
  }
}
