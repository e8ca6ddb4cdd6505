import { expect, it } from 'vitest'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'

itIsGuarded('listConsoleTriggers')

it('lists in the order in which they are tried, and says of what cannot be read why', async () => {
  const world = await sharedWorld()
  const { api, archived } = world
  for (const [name, document] of [
    ['b', 'name: b\non: alert\nrun: incident/service-recovery\n'],
    ['B', 'on: alert\n'],
  ] as const)
    await api.db`
      insert into console_documents (kind, workspace_id, name, document, author)
      values ('rule', ${archived}, ${name}, ${document}, 'usr_ann')`
  const answer = await api.get('/ui/api/triggers', { ...world.as('owner'), 'x-svc-workspace': archived })
  expect(answer.headers.get('x-total-count')).toBe('2')
  const [first, second] = (await answer.json()) as { name: string; on?: string; problems: object[] }[]
  expect([first?.name, first?.on, second?.name, second?.on]).toEqual(['B', undefined, 'b', 'alert'])
  expect(first?.problems).toEqual(expect.arrayContaining([expect.objectContaining({ line: 1 })]))
  expect(second?.problems).toEqual([])
})
