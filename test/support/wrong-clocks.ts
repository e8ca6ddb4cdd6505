import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createDb } from '#store/db.ts'
import type { TestDatabase } from './database.ts'

const SHIFTED_CLOCK = pathToFileURL(join(import.meta.dirname, 'shifted-clock.mjs')).href

/** The environment of a process whose wall clock is off, and jumps when it gets SIGUSR2. */
export const clockOff = (ms: number, jump_ms = 0) => ({
  NODE_OPTIONS: `--import=${SHIFTED_CLOCK}`,
  SVC_TEST_CLOCK_MS: String(ms),
  SVC_TEST_CLOCK_JUMP_MS: String(jump_ms),
})

/**
 * Has the database tell a time that can be set, to every session that begins afterwards: functions of the same names come before those of the
 * server. Defaults of columns were bound before, and keep the server's clock.
 */
export async function settableClock({ owner_url }: Pick<TestDatabase, 'owner_url'>) {
  const owner = createDb(owner_url, { max: 1, name: 'test-clock' })
  const name = new URL(owner_url).pathname.slice(1)
  await owner.unsafe(`
    create schema shifted;
    create table shifted.clock (off_ms float8 not null);
    insert into shifted.clock values (0);
    create function shifted.clock_timestamp() returns timestamptz language sql volatile security definer set search_path = pg_catalog as
      $$ select pg_catalog.clock_timestamp() + (select off_ms from shifted.clock) * interval '1 millisecond' $$;
    create function shifted.now() returns timestamptz language sql stable security definer set search_path = pg_catalog as
      $$ select pg_catalog.now() + (select off_ms from shifted.clock) * interval '1 millisecond' $$;
    grant usage on schema shifted to public;
    grant execute on all functions in schema shifted to public;
    alter database ${name} set search_path = shifted, "$user", public, pg_catalog;`)
  return {
    /** how far ahead of the server's clock it is from now on */
    set: (off_ms: number) => owner`update shifted.clock set off_ms = ${off_ms}`,
    close: () => owner.end(),
  }
}
