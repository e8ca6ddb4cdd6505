import { afterEach, expect, inject } from 'vitest'
import { openVisitors } from './console-visitors.ts'
import { fileFixture } from './file-fixture.ts'
import type { Identities, Member } from './identity.ts'
import { openQueueWorld } from './queue-world.ts'

/** A world with a queue, and the browsers of these people in it; no page of a test may have failed when it ends. */
export function queueConsole<Name extends string>(roles: Record<Name, Parameters<Identities['add']>[1]>) {
  const world = fileFixture((postgres_url) =>
    openQueueWorld({ postgres_url, temporal_address: inject('temporal_address') }),
  )
  const members = Object.keys(roles).map((name) => [
    name,
    fileFixture<Member>(() => world.people.add(name, roles[name as Name])),
  ])
  const visitors = fileFixture(() => openVisitors(world.service))
  afterEach(async () => expect(await visitors.leave()).toEqual([]))
  return { world, visitors, ...(Object.fromEntries(members) as Record<Name, Member>) }
}
