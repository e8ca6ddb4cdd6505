import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { transitionsOf } from '#core/transitions.ts'
import { createDb } from '#store/db.ts'
import { CHECKED, transitionsSql } from '#store/sql/transitions-sql.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { type LifeOfRun, RUN_COMMANDS, type RunCommand, runLives } from '#test/support/run-lives.ts'

let begin: () => Promise<LifeOfRun>

const database = testDatabase()
const owner = fileFixture(() => createDb(database.owner_url, { max: 1 }))
beforeAll(async () => {
  begin = runLives(database.db)
  await owner.unsafe(`create table seen (what text, came text, went text, primary key (what, came, went));
    grant select, insert on seen to svc_app;`)
  for (const { table, column, transitions } of CHECKED) {
    const [start] = Object.keys(transitions)
    await owner.unsafe(`
      create function note_${table}() returns trigger language plpgsql as $$ begin
        insert into seen values ('${table}', coalesce(old.${column}, '${start}'), new.${column}) on conflict do nothing;
        return null;
      end $$;
      create trigger note after insert or update of ${column} on ${table} for each row execute function note_${table}();`)
  }
})

const seen = async (what: string): Promise<string[]> =>
  (
    await owner<{ way: string }[]>`
      select came || ' → ' || went as way from seen where what = ${what} and came <> went order by way`
  ).map(({ way }) => way)

const ways = ({ transitions }: (typeof CHECKED)[number]): string[] =>
  transitionsOf(transitions).map(({ from, to }) => `${from} → ${to}`)

describe('the database', () => {
  test('knows exactly the tables of transitions', async () => {
    const bodies = await owner<{ name: string; body: string }[]>`
      select proname as name, prosrc as body from pg_proc where proname = any(${CHECKED.map(({ name }) => name)}::text[])`
    const generated = transitionsSql().matchAll(/function (\w+)\(\).*? as \$\$(.*?)\$\$;/gs)
    expect(Object.fromEntries(bodies.map(({ name, body }) => [name, body]))).toEqual(
      Object.fromEntries([...generated].map(([, name, body]) => [name, body])),
    )
  })

  test('asks them at every insert and update of every such row', async () => {
    const triggers = await owner<{ text: string }[]>`
      select pg_get_triggerdef(oid) as text from pg_trigger
      where tgfoid in (select oid from pg_proc where proname = any(${CHECKED.map(({ name }) => name)}::text[]))
        and tgenabled = 'O' order by tgname`
    const expected = CHECKED.flatMap(({ name, table, column }) => [
      `CREATE TRIGGER ${table}_begin_legally AFTER INSERT ON public.${table} FOR EACH ROW EXECUTE FUNCTION ${name}()`,
      `CREATE TRIGGER ${table}_move_legally BEFORE UPDATE OF ${column} ON public.${table} FOR EACH ROW EXECUTE FUNCTION ${name}()`,
    ])
    expect(triggers.map(({ text }) => text)).toEqual(expected.sort())
  })

  test.each(CHECKED)('lets $table go each way of its table, and no other', async (checked) => {
    const { table, column, transitions, name } = checked
    const states = [...new Set(transitionsOf(transitions).map(({ to }) => to))]
    const key = { run_steps: 'run_id', pipeline_steps: 'pipeline_id' }[table] ?? 'id'
    // a copy without constraints, so that nothing else can refuse
    await owner.unsafe(`
      create temp table copied (like ${table});
      do $$ declare field text; begin
        for field in select attname from pg_attribute where attrelid = 'copied'::regclass and attnum > 0 and attnotnull loop
          execute format('alter table copied alter %I drop not null', field);
        end loop;
      end $$;
      create trigger moves before update of ${column} on copied for each row execute function ${name}()`)
    for (const from of states) {
      for (const to of states) {
        const moved = owner.unsafe(`
          insert into copied (${key}, ${column}) values ('${from}-${to}', '${from}');
          update copied set ${column} = '${to}' where ${key} = '${from}-${to}'`)
        if (from === to || ways(checked).includes(`${from} → ${to}`)) await moved
        else
          await expect(moved, `${from} → ${to}`).rejects.toMatchObject({
            ...{ code: '23514', table_name: table, column_name: column, constraint_name: name },
            message: expect.stringContaining(`cannot go from ${from} to ${to}`),
          })
      }
    }
    await owner`drop table copied`
  })

  test('refuses it anyone who writes: the service, the owner, and a row that begins in the middle', async () => {
    const life = await begin()
    const wrong = { status: 'succeeded', ended_at: '2026-01-01T00:00:00.000Z' }
    for (const db of [database.db, owner]) {
      await expect(db`update runs set ${db(wrong)} where id = ${life.run_id}`).rejects.toThrow(
        `run ${life.run_id} cannot go from queued to succeeded`,
      )
    }
    const columns = await owner<{ name: string }[]>`
      select attname as name from pg_attribute
      where attrelid = 'runs'::regclass and attnum > 0 and not attisdropped and attgenerated = ''`
    const written = columns.map(({ name }) => name)
    const copied = owner`
      insert into runs (${owner(written)}) select ${owner(written)} from (
        select (jsonb_populate_record(r, ${owner.json({ id: `run_${'z'.repeat(26)}`, status: 'running' })})).*
        from runs r where id = ${life.run_id}) copy`
    await expect(copied).rejects.toThrow('cannot go from none to running')
    await expect(life.write({ run: { status: 'succeeded' } })).rejects.toThrow('cannot go from queued to succeeded')
    expect(await life.status()).toBe('queued')
  })
})

/** The ways of pipelines are gone by test/unit/core/pipeline/advance-laws.test.ts. */
const OF_RUNS = CHECKED.filter(({ table }) => !table.startsWith('pipeline'))

const LIVES: RunCommand[][] = [
  ['close'],
  ['cancel', 'close'],
  ['take', 'succeed', 'skip', 'finish'],
  ['take', 'open', 'succeed', 'open', 'put_off', 'open', 'succeed', 'finish'],
  ['take', 'put_off', 'succeed', 'fail'],
  ['take', 'put_off', 'fail'],
  ['take', 'put_off', 'hold_back'],
  ['take', 'put_off', 'skip', 'finish'],
  ['take', 'open', 'fail'],
  ['take', 'skip', 'skip', 'cancel', 'finish'],
  ['take', 'skip', 'cancel', 'fail'],
  ['take', 'open', 'cancel', 'stop', 'close'],
  ['take', 'cancel_while_parking', 'close'],
  ['take', 'park_approval', 'approve', 'take', 'park_standing_lost', 'reject'],
  ['take', 'open', 'lose_worker', 'take', 'park_approval', 'cancel'],
  ['take', 'park_approval', 'close'],
  ['take', 'park_approval', 'expire'],
  ['take', 'open', 'park_outcome_unknown', 'approve', 'take', 'open', 'park_outcome_unknown', 'reject'],
  ['take', 'open', 'park_outcome_unknown', 'dismiss'],
]

describe('the life of a run', () => {
  test('goes every way of the tables, and a way that nothing goes is in none', async () => {
    await owner`truncate seen`
    await Promise.all(LIVES.map(liveThrough))
    for (const checked of OF_RUNS) expect(await seen(checked.table)).toEqual(ways(checked).sort())
  })

  test('ends as failed when its outputs cannot be made, and its steps stay as they ended', async () => {
    const life = await begin()
    for (const command of ['take', 'open', 'succeed', 'skip'] as const) await life.does(command)
    const steps = () =>
      owner`select step_id, state, ended_at, error from run_steps where run_id = ${life.run_id} order by ordinal`
    const ended = await steps()
    await life.failOutputs()
    expect(await life.status()).toBe('failed')
    expect(await steps()).toEqual(ended)
    const reported = await owner`select type from run_events where run_id = ${life.run_id} and type like '%.failed'`
    expect(reported).toEqual([{ type: 'run.failed' }])
  })

  test('goes no other, no matter what happens and in any order', async () => {
    const first = fc.constantFrom<RunCommand>('take', 'take', 'take', 'cancel', 'close')
    const commands = fc.array(fc.constantFrom(...RUN_COMMANDS), { minLength: 8, maxLength: 20 })
    const life = fc.tuple(first, commands).map(([begins, goes]) => [begins, ...goes])
    await fc.assert(
      fc.asyncProperty(fc.array(life, { minLength: 10, maxLength: 10 }), async (lives) => {
        await Promise.all(lives.map(liveThrough))
      }),
      { numRuns: 10 },
    )
    for (const checked of CHECKED) expect(ways(checked)).toEqual(expect.arrayContaining(await seen(checked.table)))
  })
})

async function liveThrough(commands: readonly RunCommand[]): Promise<void> {
  const run = await begin()
  for (const command of commands) await run.does(command)
}
