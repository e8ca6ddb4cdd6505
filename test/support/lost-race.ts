import { createDb } from '#store/db.ts'

/**
 * While `work` runs, no update or deletion of the table takes place, and none is refused: each finds no row, as when somebody else has
 * changed the row in between.
 */
export async function losingEveryRace<Result>(
  owner_url: string,
  table: string,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  const owner = createDb(owner_url, { max: 1, name: 'test-race' })
  await owner.unsafe(`
    create function lose_the_race() returns trigger language plpgsql as 'begin return null; end';
    create trigger lose_the_race before update or delete on ${table} for each row execute function lose_the_race()`)
  try {
    return await work()
  } finally {
    await owner.unsafe('drop function lose_the_race() cascade')
    await owner.end({ timeout: 1 })
  }
}
