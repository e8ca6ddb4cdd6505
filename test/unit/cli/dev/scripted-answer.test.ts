import { expect, test } from 'vitest'
import { scriptedAnswer } from '#cli/dev/scripted-answer.ts'

const question =
  'why?\n```script\n[{"calls": [{"name": "list_runs", "arguments": {"limit": 1}}]}, {"say": "So.[^t1]"}]\n```'
const answerTo = (...messages: { role: string; content: string }[]) => {
  const { text, tools } = scriptedAnswer({ model: 'script', messages })
  return { text, tools }
}
const user = { role: 'user', content: question }

test('the model script answers as the block in the last question says, round by round', () => {
  expect(answerTo(user)).toEqual({ text: '', tools: [{ name: 'list_runs', arguments: '{"limit":1}' }] })
  const called = [user, { role: 'assistant', content: '' }, { role: 'tool', content: '{}' }]
  expect(answerTo(...called)).toEqual({ text: 'So.[^t1]', tools: [] })
  expect(answerTo(...called, { role: 'assistant', content: 'So.' }, user)).toMatchObject({
    tools: [{ name: 'list_runs' }],
  })
  expect(answerTo({ role: 'user', content: 'hello' })).toEqual({ text: 'hello', tools: [] })
})

test('the model lookup calls no tool that it is not offered', () => {
  const { text, tools } = scriptedAnswer({ model: 'lookup', messages: [{ role: 'user', content: 'hello' }] })
  expect({ text, tools }).toEqual({ text: 'I answer questions to svc ask alone.', tools: [] })
})
