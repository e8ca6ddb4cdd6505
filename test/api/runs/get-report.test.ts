import { describe, expect, it } from 'vitest'
import { bucketApi } from '#test/support/bucket-api.ts'
import { guardWorld, itIsGuarded } from '#test/support/guarded-operation.ts'
import { keptArtifact } from '#test/support/kept-objects.ts'

itIsGuarded('getReport')

const world = guardWorld()

it('is 404 for a run that has written none', async () => {
  const answer = await world.api.get(`/runs/${await world.queuedRun()}/report`, world.as('viewer'))
  expect([answer.status, await answer.json()]).toMatchObject([404, { code: 'not_found' }])
})

describe('a report in a bucket', () => {
  const { database, api, server } = bucketApi({
    'environments/development.yaml': 'name: development\nworkspaces: ["*"]\negress: [loopback]\n',
  })
  const kept = () => keptArtifact(api, database, { text: '# Said\n', name: 'report.md' })

  it('is read by the service, and is no redirect', async () => {
    const { id, text } = await kept()
    const answer = await api.get(`/runs/${id}/report`)
    expect([answer.status, await answer.text()]).toEqual([200, text])
  })

  it('that somebody has swapped is not shown', async () => {
    const { id, key, digest } = await kept()
    server.swap(key, '# Swap\n')
    const answer = await api.get(`/runs/${id}/report`)
    expect([answer.status, await answer.json()]).toMatchObject([502, { code: 'artifact_mismatch', digest }])
  })

  it('whose connection is gone says which one', async () => {
    const { id } = await kept()
    await database.db`update artifacts set object_connection = 'gone' where run_id = ${id}`
    const answer = await api.get(`/runs/${id}/report`)
    expect([answer.status, await answer.json()]).toMatchObject([501, { code: 'not_configured' }])
  })
})
