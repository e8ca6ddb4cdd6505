import { beforeAll, expect, test } from 'vitest'
import { type ScriptedRequest, scriptedAnswer } from '#cli/dev/scripted-answer.ts'
import { type AskFacts, makeAskFacts } from '#test/support/ask-facts.ts'
import { askWorld } from '#test/support/ask-world.ts'

let facts: AskFacts
const world = askWorld()
beforeAll(async () => {
  facts = await makeAskFacts(world)
})

/** The scripted model `lookup` in the place of the model that the world binds. */
const lookup = (request: ScriptedRequest) => {
  const { text, tools } = scriptedAnswer({ ...request, model: 'lookup' })
  return { say: text, calls: tools }
}
const ask = (query: string) => world.ask([lookup], { query, who: facts.who })

test('the scripted model looks up the run that is named, its steps, and cites both', async () => {
  const run = facts.id('refused')
  const { body } = await ask(`what became of ${run}?`)
  expect(body).toMatchObject({ grounded: true })
  expect(body['answer']).toContain(`- ${run} of `)
  expect(body['answer']).toMatch(/and is failed\[\^t1\]|and is failed\.\[\^t1\]/)
  expect(body['answer']).toMatch(/Its steps: evidence failed\.\[\^t2\]/)
  expect((body['citations'] as { ref: string }[]).map(({ ref }) => ref)).toEqual([`/runs/${run}`, `/runs/${run}/steps`])
})

test('it finds the newest run that failed, what waits, and says when there is nothing', async () => {
  const failed = await ask('why did the last run fail?')
  expect(failed.body['answer']).toMatch(
    /the newest is run_\w{26}\.\[\^t1\]\n- run_\w{26} of .* is failed\.\[\^t2\]\n- Its failure: /,
  )
  expect((await ask('what waits for me?')).body['answer']).toMatch(/^- run_\w{26} of \S+ waits at \w+\.\[\^t1\]/)
  const nothing = await ask('what of no/such?')
  expect(nothing.body).toMatchObject({ grounded: true, answer: '- No run is like that.[^t1]' })
})
