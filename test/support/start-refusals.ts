import { createTestApi } from './api-client.ts'
import { SHUT } from './guard-policies.ts'
import type { GuardWorld } from './guard-world.ts'
import { onePack } from './one-pack.ts'
import { exampleOf } from './operation-examples.ts'
import { likeItsExample, type Prepare } from './refused-operation.ts'
import { failTestRun } from './test-runs.ts'

type StartIn = (environment: string) => Prepare<GuardWorld>

/** A start in an environment of its own, which was made with these fields. */
function inPlace(
  start: StartIn,
  { named, fields }: { named: (world: GuardWorld) => string; fields: object },
  then?: (world: GuardWorld, name: string) => Promise<void>,
): Prepare<GuardWorld> {
  return async (world, route) => {
    const environment = named(world)
    const made = await world.api.post('/ui/api/environments', { name: environment, ...fields }, world.as('owner'))
    // the one that denies is made once for all files
    if (made.status !== 201 && environment !== SHUT) throw new Error(`no environment was made: ${made.status}`)
    await then?.(world, environment)
    return start(environment)(world, route)
  }
}

/** The example of a start whose inputs are secret, where there is no key to seal them with. */
const withoutKey: Prepare<GuardWorld> = async (world, route) => {
  const packs = onePack()
  // other files keep inputs of their own for this template, which starts begin with
  const url = { type: 'string', writeOnly: true }
  const inputs_schema = { type: 'object', properties: { url }, additionalProperties: true }
  const findTemplate: typeof packs.findTemplate = (...named) => {
    const template = packs.findTemplate(...named)
    return template && { ...template, inputs_schema }
  }
  const services = { packs: { ...packs, findTemplate } }
  const api = await createTestApi(world.database, { master_key: null, services })
  const request = await likeItsExample({})({ ...world, api }, route)
  return async () => {
    const answer = await request()
    await api.close()
    return answer
  }
}

/** The example of a start with these fields more. */
function startWith(fields: object): Prepare<GuardWorld> {
  return async (world, route) => {
    const { body } = await exampleOf(route.operationId).request(world)
    return likeItsExample({ body: { ...body, ...fields } })(world, route)
  }
}

const NOW_ON = { interval: { from: '2020-01-01T00:00:00Z', to: '2099-01-01T00:00:00Z' } }
const ownName = (world: GuardWorld) => world.name('place')

const keptFrom = (start: StartIn) => ({
  denied: inPlace(start, { named: () => SHUT, fields: {} }),
  frozen: inPlace(start, { named: ownName, fields: { freeze: [{ name: 'peak', scope: 'all', ...NOW_ON }] } }),
  halted: inPlace(start, { named: ownName, fields: {} }, async ({ api, as }, environment) => {
    const halt = await api.post('/console/api/halts', { scope: { environment }, reason: 'a drill' }, as('owner'))
    if (halt.status !== 201) throw new Error(`no halt was set: ${halt.status}`)
  }),
})

/** What keeps a run from starting, no matter who asks for it. */
export const STARTS = {
  ...keptFrom((environment) => startWith({ environment })),
  withoutKey,
  ofAnotherPlan: startWith({ template_digest: `sha256:${'0'.repeat(64)}` }),
}

/** What keeps an ended run from being repeated, no matter who asks for it. */
export const REPEATS = {
  ...keptFrom((environment) => async (world, route) => {
    const id = await failTestRun(world.api, { environment })
    return likeItsExample({ params: { id } })(world, route)
  }),
  underWay: (async (world, route) =>
    likeItsExample({ params: { id: await world.queuedRun() } })(world, route)) satisfies Prepare<GuardWorld>,
}
