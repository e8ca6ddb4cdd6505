import { describe, expect, it } from 'vitest'
import { Graph } from '#core/plan/preflight-schema.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'

itIsGuarded('getGraph')

describe('GET /packs/{pack}/{tpl}/graph', () => {
  it('draws the steps in their order, with the gates that are to be expected', async () => {
    const world = await sharedWorld()
    const answer = await world.api.get('/packs/incident/service-recovery/graph', world.as('viewer'))
    const { mermaid, nodes, edges } = Graph.parse(await answer.json())
    expect(nodes.map(({ id, gate }) => [id, gate])).toEqual([
      ['evidence', true],
      ['act', true],
    ])
    expect(edges).toEqual([{ from: 'evidence', to: 'act' }])
    expect(mermaid).toBe(
      'flowchart TD\n  s0{{"evidence<br/>http.request"}}\n  s1{{"act<br/>http.request"}}\n  s0 --> s1\n',
    )
  })
})
