import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '#core/json/json.ts'
import { inputOf, inputText } from '#core/plan/input-pair.ts'
import { type CommandedStart, runCommand } from '#core/plan/run-command.ts'

const HASH = `sha256:${'d'.repeat(64)}`
const START = { pack: 'sre', template: 'service-recovery', inputs: {}, plan_hash: HASH }
const commandOf = (fields: Partial<CommandedStart>) => runCommand({ ...START, ...fields })
const line = (rest: string) => `svc run sre/service-recovery ${rest} --plan-hash ${HASH}`

/** A line as a shell splits it where it has words without quotes, and words in single quotes. */
function wordsOf(command: string): string[] {
  expect(command).toMatch(/^(?:(?:'[^']*'|[A-Za-z0-9_.,:/@+=-]+)(?: |$))+$/)
  return [...command.matchAll(/'([^']*)'|[^ ']+/g)].map(([word, inside]) => inside ?? word)
}

function inputsOf(command: string): [string, unknown][] {
  const words = wordsOf(command)
  return words.flatMap((word, index) => {
    if (words[index - 1] !== '-i') return []
    const at = word.indexOf('=')
    return [[word.slice(0, at), inputOf(word.slice(at + 1))]]
  })
}

describe('the command that runs a plan', () => {
  test('names everything that the plan is', () => {
    const url = 'http://127.0.0.1:8080'
    expect(commandOf({ inputs: { url, count: 3 }, environment: 'staging', profile: 'careful' })).toBe(
      line(`-i count=3 -i url=${url} --environment staging --profile careful`),
    )
    expect(commandOf({ config_preset: 'night shift', workspace: 'ws_1' })).toBe(
      line(`--config-preset 'night shift' --workspace ws_1`),
    )
  })

  test.each<[string, Json, string]>([
    ['a space', 'a b', `'v=a b'`],
    ['nothing', '', 'v='],
    ['a variable and a command', '$HOME `id` $(id)', `'v=$HOME \`id\` $(id)'`],
    ['a single quote', "it's", `'v="it\\u0027s"'`],
    ['double quotes', 'say "no"', `'v=say "no"'`],
    ['a backslash', 'C:\\tmp', `'v="C:\\u005ctmp"'`],
    ['lines', 'a\nb', `'v="a\\nb"'`],
    ['what looks like JSON', '3', `'v="3"'`],
    ['what JSON looks like', { a: [1, "'"] }, `'v={"a":[1,"\\u0027"]}'`],
    ['other letters', 'Grüße ☃', `'v=Grüße ☃'`],
    ['a direction', 'a\u202eb', `'v="a\\u202eb"'`],
    ['another space', 'a\u00a0b', `'v="a\\u00a0b"'`],
    ['half of a pair', '\ud800', `'v="\\ud800"'`],
    ['an escape sequence', '\u001b[2J', `'v="\\u001b[2J"'`],
    ['the end of a line for a shell', 'a; rm -rf / #', `'v=a; rm -rf / #'`],
    ['nothing at all', null, 'v=null'],
  ])('writes %s so that nothing of it is lost or acts', (_, value, word) => {
    const command = commandOf({ inputs: { v: value } }) ?? ''
    expect(command).toBe(line(`-i ${word}`))
    expect(inputsOf(command)).toEqual([['v', value]])
  })

  test('is read back as the same inputs, no matter what they are', () => {
    const name = fc.string({ minLength: 1, unit: 'binary' }).filter((each) => !each.includes('='))
    const inputs = fc.dictionary(name, fc.jsonValue({ noUnicodeString: false, maxDepth: 2 }), { maxKeys: 3 })
    fc.assert(
      fc.property(inputs, (given) => {
        const command = commandOf({ inputs: given as JsonObject })
        if (command !== undefined)
          expect(Object.fromEntries(inputsOf(command))).toEqual(JSON.parse(JSON.stringify(given)))
      }),
    )
  })

  test('is the same words to a shell of this machine', () => {
    const inputs = { a: "'; rm -rf / #", b: '$(reboot) `reboot` $HOME \\', c: 'line\nbreak\tand tab', d: "it's" }
    const command = commandOf({ inputs }) ?? ''
    const words = execFileSync('/bin/sh', ['-c', `for word in ${command}; do printf '%s\\0' "$word"; done`])
    expect(words.toString().split('\0').slice(0, -1)).toEqual(wordsOf(command))
  })

  test('is none where an input has no form as a word', () => {
    for (const inputs of [
      { 'a=b': 1 },
      { "it's": 1 },
      { '': 1 },
      { 'a\u202eb': 1 },
      { v: 1e20 },
      { v: [1e20] },
    ] as JsonObject[])
      expect(commandOf({ inputs }), JSON.stringify(inputs)).toBeUndefined()
    expect([inputText(1e21), inputText([1e21])]).toEqual(['1e+21', '[1e+21]'])
    expect(commandOf({ environment: "it's" })).toBeUndefined()
  })

  test('asks the shell for a secret, and fails where it has none', () => {
    expect(commandOf({ secrets: ['api-key'] })).toBe(line(`-i "api-key=\${API_KEY:?}"`))
    expect(commandOf({ secrets: ['$(id)'] })).toBeUndefined()
  })
})
