import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PROBLEM_CODES, PROBLEMS, toProblem } from '#api/problem.ts'
import { ProblemDocument } from '#api/schemas/problem.ts'
import { toDomainError } from '#api/to-domain-error.ts'
import { DomainError } from '#core/errors.ts'
import { createRunViews } from '#store/runs/run-views.ts'
import { createTenantDb } from '#store/tenant-db.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { createTestApi, type TestApi } from '../support/api-client.ts'

const RUN = '/runs/run_00000000000000000000000000'
let failing: TestApi
let thrown: unknown

const database = testDatabase()
beforeAll(async () => {
  const views = createRunViews(database.tenants)
  failing = await createTestApi(database, { reads: { views: { ...views, find: () => Promise.reject(thrown) } } })
})
afterAll(() => failing?.close())

describe('a failure inside', () => {
  it('is 500 without a word of its own, and stands in the log under the same request id', async () => {
    thrown = new TypeError('column secret_column of 10.1.2.3 is undefined')
    const response = await failing.get(RUN)
    const text = await response.text()
    expect(response.status).toBe(500)
    expect(text).not.toMatch(/secret_column|10\.1\.2\.3|TypeError/)
    const problem = ProblemDocument.parse(JSON.parse(text))
    const line = failing.lines.find((each) => each.message === 'request failed unexpectedly')
    expect(line?.fields).toMatchObject({ request_id: problem.request_id, err: thrown })
  })

  it('of the database connection is 503 with Retry-After and without an address', async () => {
    const away = createTenantDb('postgres://nobody:secret@127.0.0.1:1/none', { max: 1 })
    const api = await createTestApi(database, { reads: { views: createRunViews(away) } })
    const response = await api.get(RUN)
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2'])
    expect(await response.text()).not.toMatch(/secret|127\.0\.0\.1/)
    await api.close()
    await away.end()
  })

  it.each([
    [Object.assign(new Error('x'), { code: '57P01' }), 'dependency_unavailable'],
    [Object.assign(new Error('x'), { code: '53300' }), 'dependency_unavailable'],
    [Object.assign(new Error('x'), { code: 'CONNECTION_CLOSED' }), 'dependency_unavailable'],
    [Object.assign(new Error('x'), { code: 14, details: 'UNAVAILABLE' }), 'dependency_unavailable'],
    [new Error('x', { cause: Object.assign(new Error('y'), { code: 'ECONNREFUSED' }) }), 'dependency_unavailable'],
    [new AggregateError([Object.assign(new Error('y'), { code: 'ECONNREFUSED' })]), 'dependency_unavailable'],
    [Object.assign(new Error('x'), { code: '22021' }), 'validation_failed'],
    [Object.assign(new Error('x'), { code: '23505' }), 'internal'],
    [new DomainError('frozen', 'x'), 'frozen'],
    ['thrown text', 'internal'],
    [undefined, 'internal'],
  ])('case %# is told apart', (error, code) => {
    expect(toDomainError(error).code).toBe(code)
  })
})

describe('problem documents', () => {
  const at = { instance: '/x', request_id: 'req_1' }

  it.each(PROBLEM_CODES)('%s has the documented shape and a status of its kind', (code) => {
    const problem = ProblemDocument.parse(toProblem(new DomainError(code, 'because', { extra: 1 }), at))
    expect(problem).toMatchObject({ type: `/problems/${code}`, status: PROBLEMS[code].status, code, ...at })
    expect(problem.status).toBeGreaterThanOrEqual(400)
  })

  it('details never replace the members that the document is known by', () => {
    const details = { status: 200, code: 'ok', type: 'x', title: 'x', detail: 'x', instance: 'x', request_id: 'x' }
    expect(toProblem(new DomainError('conflict', 'because', details), at)).toMatchObject({
      status: 409,
      code: 'conflict',
      detail: 'because',
      ...at,
    })
  })

  it('not found and internal say nothing of why', () => {
    for (const code of ['not_found', 'internal'] as const) {
      expect(JSON.stringify(toProblem(new DomainError(code, 'why', { run_id: 'r' }), at))).not.toMatch(/why|run_id/)
    }
  })
})
