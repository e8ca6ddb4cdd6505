import { expect, test } from 'vitest'
import { readGates } from '#services/ask/read-gates.ts'

const answer = (decision_id: string, counted: boolean) => ({
  ...{ decision_id, counted, by: 'usr_a', decision: 'approve', channel: 'api', note: null, at: '2026-01-01T00:00:00Z' },
})

test('an answer to an open gate counts by the votes of now, one to a resolved gate by the record', async () => {
  const rows = [
    { gate_id: 'gate_open', status: 'open', decisions: [answer('dec_1', false), answer('dec_2', false)] },
    { gate_id: 'gate_done', status: 'approved', decisions: [answer('dec_3', true), answer('dec_4', false)] },
  ]
  const asked: string[] = []
  const gates = await readGates(
    {
      read: { workspace_id: 'ws_a', in: async <T>() => rows as T },
      countedOn: async (id) => {
        asked.push(id)
        return ['dec_2']
      },
    },
    {},
    10,
  )
  expect(gates.map(({ decisions }) => decisions.map(({ counts }) => counts))).toEqual([
    [false, true],
    [true, false],
  ])
  expect(JSON.stringify(gates)).not.toContain('decision_id')
  expect(asked).toEqual(['gate_open'])
})
