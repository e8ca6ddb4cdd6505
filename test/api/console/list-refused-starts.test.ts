import { beforeEach, describe, expect, it } from 'vitest'
import { RefusedStart } from '#core/halt/refused-schema.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { Run } from '#core/run/schema.ts'
import { codeOf } from '#test/support/auth-api.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { HALTS, OTHER, openHaltWorld } from '#test/support/halt-world.ts'
import { addUser, bearer } from '#test/support/users.ts'

itIsGuarded('listRefusedStarts')

const world = fileFixture(openHaltWorld)
beforeEach(() => world.liftAll())

const INPUTS = { url: 'http://127.0.0.1:1' }
const refusedPath = (id: string, query = '') => `${HALTS}/${id}/refused${query}`
const start = async (headers: Record<string, string>, body: object = { inputs: INPUTS }) => {
  const answer = await world.api.post('/packs/incident/service-recovery/run', body, headers)
  expect(answer.status).toBe(423)
}
const seen = async (headers: Record<string, string>, id: string) =>
  RefusedStart.array().parse(await (await world.api.get(refusedPath(id), headers)).json())

describe('GET /console/api/halts/{id}/refused', () => {
  it('shows a viewer what was refused in their workspaces, before and after the lift, and nobody else that there is a halt', async () => {
    const all = await world.as(['owner'], ['*'])
    const [here, there] = [await world.as(['operator']), await world.as(['operator'], [OTHER])]
    const [viewer, stranger] = [await world.as(['viewer']), await world.as(['viewer'], [OTHER])]
    const everything = await world.idOf(await world.set(all))
    await start(here)
    await start({ ...all, 'x-svc-workspace': OTHER })
    const own = await world.idOf(await world.set(here, { workspace: DEFAULT_WORKSPACE_ID }))
    for (const lifted of [false, true]) {
      if (lifted) await world.liftAll()
      expect((await seen(viewer, everything)).map((each) => each.workspace_id)).toEqual([DEFAULT_WORKSPACE_ID])
      expect((await seen(there, everything)).map((each) => each.workspace_id)).toEqual([OTHER])
      expect(await seen(all, everything)).toHaveLength(2)
      expect(await seen(viewer, own)).toEqual([])
      expect(await codeOf(await world.api.get(refusedPath(own), stranger))).toEqual([404, 'not_found'])
    }
  })

  it('is counted by the halt itself, in the workspaces of the reader', async () => {
    const all = await world.as(['owner'], ['*'])
    const id = await world.idOf(await world.set(all))
    const operator = await world.as(['operator'])
    for (let sent = 0; sent < 2; sent += 1) await start(operator)
    await start({ ...all, 'x-svc-workspace': OTHER })
    const counted = async (headers: Record<string, string>) => {
      const halts = (await (await world.api.get(HALTS, headers)).json()) as { id: string; refused: object }[]
      return halts.find((each) => each.id === id)?.refused
    }
    expect(await counted(operator)).toEqual({ starts: 2 })
    expect(await counted(all)).toEqual({ starts: 3 })
  })

  it('starts once, whoever starts it and however often, and who asked for it has shaped the run', async () => {
    const people = await Promise.all(
      [1, 2, 3].map(() =>
        addUser(world.api.deps, { roles: ['operator', 'approver'], workspaces: [DEFAULT_WORKSPACE_ID] }),
      ),
    )
    const [ann, ben, cid] = await Promise.all(people.map((each) => bearer(world.api.deps, each)))
    if (ann === undefined || ben === undefined || cid === undefined) throw new Error('nobody')
    const all = await world.as(['owner'], ['*'])
    const first = await world.idOf(await world.set(all))
    await start(ann, { inputs: INPUTS, reason: 'by ann' })
    const [refused] = await seen(ben, first)
    const request = refused?.start ?? { path: '', body: {} }
    await world.liftAll()
    const second = await world.idOf(await world.set(all))
    expect((await world.api.post(request.path, request.body, cid)).status).toBe(423)
    await world.liftAll()
    const [again] = await seen(ben, second)
    const elsewhere = await world.api.post(request.path, request.body, { ...all, 'x-svc-workspace': OTHER })
    expect(await codeOf(elsewhere)).toEqual([422, 'validation_failed'])
    const bodies = [request.body, again?.start?.body ?? {}]
    const send = () => [ben, cid, ben].flatMap((who) => bodies.map((body) => world.api.post(request.path, body, who)))
    for (const { status } of await Promise.all(send())) expect([202, 503]).toContain(status)
    const started = await Promise.all(send().map(async (answer) => Run.parse(await (await answer).json())))
    const [run] = started
    expect(new Set(started.map(({ id }) => id)).size).toBe(1)
    expect(run?.provenance['contributors']).toContainEqual({ id: people[0]?.id, did: 'asked' })
    expect(await world.database.db`select from runs where reason = 'by ann'`).toHaveLength(1)
    for (const halt of [first, second]) expect(await seen(ben, halt)).toMatchObject([{ run_id: run?.id }])
  })

  it('is started by nobody else while the person who asked for it is halted', async () => {
    const ann = await addUser(world.api.deps, { roles: ['operator'], workspaces: [DEFAULT_WORKSPACE_ID] })
    const [admin, ben] = [await world.as(['admin']), await world.as(['operator'])]
    const halt = await world.idOf(await world.set(admin, { workspace: DEFAULT_WORKSPACE_ID, requester: ann.id }))
    await start(await bearer(world.api.deps, ann))
    const [refused] = await seen(ben, halt)
    const send = async () => await world.api.post(refused?.start?.path ?? '', refused?.start?.body ?? {}, ben)
    expect(await codeOf(await send())).toEqual([423, 'halted'])
    expect((await world.lift(halt, admin)).status).toBe(204)
    expect((await send()).status).toBe(202)
  })

  it('is read a page at a time', async () => {
    const all = await world.as(['owner'], ['*'])
    const id = await world.idOf(await world.set(all))
    for (const reason of ['one', 'two', 'three']) await start(all, { inputs: INPUTS, reason })
    const first = await world.api.get(refusedPath(id, '?limit=2'), all)
    expect(RefusedStart.array().parse(await first.json())).toMatchObject([{ title: 'three' }, { title: 'two' }])
    expect(first.headers.get('x-total-count')).toBe('3')
    const next = /<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
    expect(await (await world.api.get(next, all)).json()).toMatchObject([{ title: 'one' }])
    expect(await codeOf(await world.api.get(refusedPath(id, '?cursor=nonsense'), all))).toEqual([400, 'invalid_cursor'])
  })
})
