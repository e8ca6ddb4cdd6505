import { beforeAll, expect, test } from 'vitest'
import type { ScriptedRequest } from '#cli/dev/scripted-answer.ts'
import { type AskFacts, makeAskFacts } from '#test/support/ask-facts.ts'
import { knownAnswers } from '#test/support/ask-questions.ts'
import { askWorld, calls, shownResults } from '#test/support/ask-world.ts'

let facts: AskFacts
const world = askWorld()
beforeAll(async () => {
  facts = await makeAskFacts(world)
})

test('questions whose answers are known are answered from the record, with what opens it', async () => {
  const { who, id } = facts
  const questions = knownAnswers(id)
  expect(questions.length).toBeGreaterThanOrEqual(30)
  for (const { question, tool, read, answer, ref } of questions) {
    const say = (request: ScriptedRequest) => ({ say: `${read(shownResults(request)['t1'] ?? {})}[^t1]` })
    const { status, body } = await world.ask([calls(tool), say], { query: question, who })
    expect([status, body['answer'], body['grounded']], question).toEqual([200, `${answer}[^t1]`, true])
    const [citation] = body['citations'] as { ref: string; tool: string }[]
    expect(
      [citation?.tool, citation?.ref.replace(/\?after_seq=\d+$|&digest=sha256%3A[0-9a-f]{64}$/, '')],
      question,
    ).toEqual([tool[0], ref])
    const opened = await world.api.get(citation?.ref ?? '', who)
    expect(opened.status, `${question}: ${citation?.ref}`).toBe(200)
  }
})
