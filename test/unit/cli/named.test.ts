import { expect, test } from 'vitest'
import { workspaceIdOf } from '#cli/client/find-named.ts'
import { runIdOf, userNamed } from '#cli/client/named-records.ts'
import { noTemplateText } from '#cli/client/no-template.ts'
import { pipelineIdOf } from '#cli/pipelines/pipeline-id.ts'
import type { Schema } from '#client/create-client.ts'

const A = 'run_01m82svzx9vpenwptk63qan6yv'
const B = 'run_01m82svzemhr6p482zdrzhhqee'

function runs(...ids: string[]) {
  const asked: unknown[] = []
  const api = {
    async runs(query: { q?: string | undefined }) {
      asked.push(query)
      const { q } = query
      const found = ids.filter((id) => q === undefined || id.includes(q))
      return { items: found.map((id) => ({ id }) as Schema<'Run'>) }
    },
  }
  return { api, asked }
}

test('a run is named whole, or by the first characters that no other has', async () => {
  const { api, asked } = runs(A, B)
  expect(await runIdOf(api, A)).toBe(A)
  expect(asked).toEqual([])
  expect(await runIdOf(api, 'run_01m82svzx')).toBe(A)
  expect(await runIdOf(api, '01M82SVZE')).toBe(B)
})

test('a beginning that several runs have names none, and says which there are', async () => {
  const { api } = runs(A, B)
  await expect(runIdOf(api, '01m8')).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining(A) })
  await expect(runIdOf(api, '01m')).rejects.toMatchObject({ code: 'validation_failed' })
  await expect(runIdOf(api, 'sre/recover')).rejects.toMatchObject({ code: 'validation_failed' })
})

test('what only contains the characters is another run, and a slip is told the nearest', async () => {
  const { api } = runs(A)
  await expect(runIdOf(api, 'qan6yv')).rejects.toMatchObject({ code: 'not_found' })
  await expect(runIdOf(api, '01m82svzy9v')).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringContaining(`did you mean ${A}?`),
  })
})

test('a template that does not exist is answered with which do', () => {
  const templates = [
    { pack: 'shop', template: 'drain-node' },
    { pack: 'shop', template: 'reindex' },
    { pack: 'sre', template: 'service-recovery' },
  ]
  expect(noTemplateText('shop/drain-nod', templates)).toMatch(/ shop\/drain-nod; did you mean shop\/drain-node\?$/)
  expect(noTemplateText('ops/reindex', templates)).toMatch(/ ops\/reindex; did you mean shop\/reindex\?$/)
  expect(noTemplateText('shop/something-else', templates)).toMatch(/that pack has shop\/drain-node, shop\/reindex$/)
  expect(noTemplateText('payroll/everything', templates)).toMatch(/svc templates$/)
  expect(noTemplateText('payroll/everything', [])).toMatch(/docs\/packs\.md/)
})

test('a workspace is named by its id or its short name', async () => {
  const id = `ws_${'0'.repeat(26)}`
  const list = async () => ({ items: [{ id, slug: 'payments' }] })
  expect(await workspaceIdOf('payments', list)).toBe(id)
  expect(await workspaceIdOf(`ws_${'1'.repeat(26)}`, () => Promise.reject(new Error('asked')))).toBe(
    `ws_${'1'.repeat(26)}`,
  )
  const named = async () => ({
    items: [
      { id, slug: 'payments', name: 'Money' },
      { id: `ws_01${'2'.repeat(24)}`, slug: 'money' },
    ],
  })
  expect(await workspaceIdOf('ws_0000', named)).toBe(id)
  expect(await workspaceIdOf('Money', named), 'a slug precedes a name').toBe(`ws_01${'2'.repeat(24)}`)
  await expect(workspaceIdOf('ws_0', named)).rejects.toMatchObject({ code: 'not_found' })
  await expect(workspaceIdOf('paymnts', list)).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringContaining('did you mean payments?'),
  })
})

test('nobody is taken for another by a name that looks like the beginning of an id', async () => {
  const ann = { id: `usr_01m8${'a'.repeat(22)}`, email: 'ann@example.test', display_name: 'Ann' }
  const eve = (display_name: string) => ({ id: `usr_01zz${'e'.repeat(22)}`, email: 'eve@example.test', display_name })
  const named = async (name: string, called: string) => {
    const items = [ann, eve(called)] as Schema<'User'>[]
    return (await userNamed({ users: async () => ({ items }) }, name)).id
  }
  for (const name of ['usr_01m8', '01m8', 'USR_01M8']) expect(await named(name, name), name).toBe(ann.id)
  expect(await named('ann@example.test', 'ann@example.test')).toBe(ann.id)
})

test('a pipeline is looked for by its first characters where all of them are, also among those from long ago', async () => {
  const asked: unknown[] = []
  const api = (...ids: string[]) => ({
    async pipelines(query: { id?: string | undefined }) {
      asked.push(query)
      return { items: ids.map((id) => ({ id }) as Schema<'Pipeline'>) }
    },
  })
  const [one, two] = ['pl_01m82svzx9vpenwptk63qan6yv', 'pl_01m82svzemhr6p482zdrzhhqee']
  expect(await pipelineIdOf(api(), one)).toBe(one)
  expect(asked).toEqual([])
  expect(await pipelineIdOf(api(one), '01M82SVZX')).toBe(one)
  expect(asked).toEqual([{ id: 'pl_01m82svzx' }])
  await expect(pipelineIdOf(api(one, two), '01m8')).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining(two),
  })
  await expect(pipelineIdOf(api(), 'pl_01m8')).rejects.toMatchObject({ code: 'not_found' })
  await expect(pipelineIdOf(api(), 'run_1')).rejects.toMatchObject({ code: 'validation_failed' })
})
