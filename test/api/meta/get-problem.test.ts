import { describe, expect, it } from 'vitest'
import { PROBLEM_CODES } from '#api/problem.ts'
import { guardWorld, itIsGuarded } from '#test/support/guarded-operation.ts'

itIsGuarded('getProblem')

const world = guardWorld()

describe('/problems/{code}', () => {
  it.each(PROBLEM_CODES)('explains %s', async (code) => {
    const response = await world.api.get(`/problems/${code}`)
    expect(response.status).toBe(200)
    const text = await response.text()
    expect(text).toContain(`# ${code}`)
    expect(text).toContain('## What to do')
  })
})
