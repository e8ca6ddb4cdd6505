import { afterAll, beforeAll, inject } from 'vitest'
import { createTestDatabase, type TestDatabase } from './database.ts'

/** How a fixture is closed, by what it has first of these. */
const CLOSERS = ['close', 'stop', 'end', 'drop'] as const

function closeAsItSays(world: Partial<Record<(typeof CLOSERS)[number], unknown>>): unknown {
  const closer = CLOSERS.find((name) => typeof world[name] === 'function')
  return closer && Reflect.apply(world[closer] as () => unknown, world, [])
}

/**
 * What the tests of a file, or of the `describe` around it, share: opened before the first of them, closed after the last. It can be
 * used in tests and hooks; a file of which no test runs opens nothing.
 */
export function fileFixture<World extends object>(
  open: (postgresUrl: string) => World | Promise<World>,
  close: (world: World) => unknown = closeAsItSays,
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
  // a function, as a connection to a database is one
  return new Proxy((() => {}) as unknown as World, {
    apply: (_, self, values) => Reflect.apply(opened() as () => unknown, self, values),
    get: (_, key) => Reflect.get(opened(), key),
    set: (_, key, value) => Reflect.set(opened(), key, value),
    has: (_, key) => Reflect.has(opened(), key),
    ownKeys: () => Reflect.ownKeys(opened()),
    getOwnPropertyDescriptor: (_, key) => Reflect.getOwnPropertyDescriptor(opened(), key),
  })
}

/** A migrated database for the tests of a file. */
export const testDatabase = (): TestDatabase => fileFixture(createTestDatabase)
