import { beforeAll, describe, expect, it } from 'vitest'
import { PROBLEM_CODES } from '#api/problem.ts'
import type { GuardWorld } from '#test/support/guard-world.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'

itIsGuarded('getProblem')

let world: GuardWorld
beforeAll(async () => {
  world = await sharedWorld()
})

describe('/problems/{code}', () => {
  it.each(PROBLEM_CODES)('explains %s', async (code) => {
    const response = await world.api.get(`/problems/${code}`)
    expect(response.status).toBe(200)
    const text = await response.text()
    expect(text).toContain(`# ${code}`)
    expect(text).toContain('## What to do')
  })
})
