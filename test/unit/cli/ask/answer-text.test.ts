import { expect, test } from 'vitest'
import { answerLines } from '#cli/ask/answer-text.ts'

const ANSWER = { answer: 'Drain it.[^t2] It failed.[^t1]', cost: { usd: 0, cap_usd: 1 }, model: 'm', grounded: true }

test('sources stand in the order in which they are cited, and a chunk with the command that shows it', () => {
  const ref = '/ui/api/knowledge/cor_1/passage?path=a%20b.md&line=3&digest=sha256%3A0'
  const lines = answerLines({
    ...ANSWER,
    citations: [
      { id: 't1', tool: 'get_run', ref: '/runs/run_1', digest: 'sha256:1' },
      { id: 't2', tool: 'search_knowledge', ref, digest: 'sha256:2' },
    ],
  })
  expect(lines.slice(0, 3)).toEqual([
    'Drain it.[1] It failed.[2]',
    `  [1] search_knowledge a b.md:3: svc knowledge show '${ref}'`,
    '  [2] get_run /runs/run_1',
  ])
})
