import { afterAll, beforeAll, inject } from 'vitest'
import { createTestDatabase, type TestDatabase } from './database.ts'

/**
 * What the tests of a file share: opened before the first of them, closed after the last. It can be used in tests and hooks; a file of
 * which no test runs opens nothing.
 */
export function fileFixture<World extends object>(
  open: (postgresUrl: string) => World | Promise<World>,
  close: (world: World) => unknown = (world) => 'close' in world && typeof world.close === 'function' && world.close(),
): World {
  let world: World | undefined
  const opened = (): World => {
    if (world === undefined) throw new Error('A fixture of a file can be used in its tests and hooks only.')
    return world
  }
  beforeAll(async () => {
    world = await open(inject('postgres_url'))
  })
  afterAll(async () => {
    if (world !== undefined) await close(world)
  })
  return new Proxy({} as World, {
    get: (_, key) => Reflect.get(opened(), key),
    set: (_, key, value) => Reflect.set(opened(), key, value),
    has: (_, key) => Reflect.has(opened(), key),
    ownKeys: () => Reflect.ownKeys(opened()),
    getOwnPropertyDescriptor: (_, key) => Reflect.getOwnPropertyDescriptor(opened(), key),
  })
}

/** A migrated database for the tests of a file. */
export const testDatabase = (): TestDatabase => fileFixture(createTestDatabase, (database) => database.drop())
