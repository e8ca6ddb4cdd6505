import { describe, expect, it } from 'vitest'
import { DomainError } from '#core/errors.ts'
import { compileExpression } from '#core/expression/compile-expression.ts'
import { errorOffset } from '#core/expression/expression-error.ts'
import type { JsonObject } from '#core/json/json.ts'

const scope: JsonObject = {
  inputs: { url: 'http://demo.test', count: 3, ratio: 0.5, tags: ['a', 'b'], 'a-b': 'dashed', constructor: 'own' },
  steps: { evidence: { status: 'succeeded', outputs: { status: 503, ms: 1.5, json: { ok: false } } } },
  run: { id: 'run_1', reason: '' },
}

const value = (text: string) => compileExpression(text).evaluate(scope)

function refusal(act: () => unknown): DomainError {
  try {
    act()
  } catch (error) {
    if (error instanceof DomainError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

describe('compileExpression', () => {
  it.each([
    ['steps.evidence.outputs.status != 200', true],
    ['steps.evidence.outputs.status + 1', 504],
    ['steps.evidence.outputs.status % 2 == 1', true],
    ['steps.evidence.outputs.ms + 1', 2.5],
    ['2 * inputs.ratio', 1],
    ['inputs.count / 2', 1],
    ['inputs.count / 2.0', 1.5],
    ['steps.evidence.outputs.?body.orValue({})', {}],
    ['inputs.ratio < inputs.count', true],
    ['inputs["a-b"]', 'dashed'],
    ['inputs.tags.map(tag, tag + "!")', ['a!', 'b!']],
    ['inputs.?missing.orValue("none")', 'none'],
    ['inputs.?url', 'http://demo.test'],
    ['has(inputs.missing)', false],
    ['"url" in inputs', true],
    ['size(steps)', 1],
    ['{"status": steps.evidence.outputs.status, "list": [1, "a", null]}', { status: 503, list: [1, 'a', null] }],
    ['steps.evidence.outputs', { status: 503, ms: 1.5, json: { ok: false } }],
    ['cel.bind(n, inputs.count, n * n)', 9],
    ['timestamp("2024-01-01T00:00:00Z")', '2024-01-01T00:00:00.000Z'],
    ['inputs.constructor', 'own'],
  ])('%s', (text, expected) => expect(value(text)).toEqual(expected))

  it.each([
    'inputs.missing',
    'inputs.?missing',
    'toString',
    'hasOwnProperty',
    'run.constructor',
    'steps.evidence.toString',
  ])('%s is missing and says so', (text) => {
    const error = refusal(() => value(text))
    expect(error.code).toBe('validation_failed')
    expect(error.message).toContain(`\`${text}\``)
  })

  it.each([
    ['1 +', 3, 'Unexpected token: EOF'],
    ['', 0, 'the expression is empty'],
    ['"a" + 1', 0, 'no such overload: string + int'],
    ['nofunction(1)', 0, "found no matching overload for 'nofunction(int)'"],
    ['run.id + __proto__', 9, 'Reserved identifier: __proto__'],
    ['true && run.id.matches("^(a+)+$")', 8, '`matches` is not available'],
    ['matches(run.id, "a")', 0, '`matches` is not available'],
  ])('%s is refused at %i before anything runs', (text, offset, reason) => {
    const error = refusal(() => compileExpression(text))
    expect(errorOffset(error)).toBe(offset)
    expect(error.message).toContain(reason)
  })

  it('refuses loops more than two levels deep, and lets them follow each other', () => {
    const nested = 'inputs.tags.map(a, inputs.tags.map(b, inputs.tags.map(c, c)))'
    expect(refusal(() => compileExpression(nested)).message).toContain('levels deep')
    expect(value('inputs.tags.map(a, a).filter(b, b != "a").map(c, c)')).toEqual(['b'])
    expect(value('inputs.tags.map(a, inputs.tags.map(b, a + b))')).toEqual([
      ['aa', 'ab'],
      ['ba', 'bb'],
    ])
  })

  it('refuses nested loops over lists that would stall the process', () => {
    const long: JsonObject = { items: Array.from({ length: 5_000 }, (_, index) => index) }
    expect(compileExpression('items.exists(x, x == 4999)').evaluate(long)).toBe(true)
    const error = refusal(() => compileExpression('items.all(x, items.all(y, x + y >= 0))').evaluate(long))
    expect(error.message).toContain('it takes more than 2000000 units of work')
  })

  it.each(['b"ab"', 'type(1)', '9007199254740993', '1.0 / 0.0', '[optional.none()]'])('%s has no JSON form', (text) =>
    expect(refusal(() => value(text)).code).toBe('validation_failed'),
  )

  it.each(["'a\\u0000b'", "'😀'.substring(0, 1)", "{'a\\u0000': 1}", "['😀'.substring(1)]"])(
    '%s holds text that no record can hold',
    (text) => expect(refusal(() => value(text)).message).toContain('not valid Unicode, or U+0000'),
  )

  it('says what is wrong in words that a record can hold', () =>
    expect(refusal(() => value("{'a': 1}['\\u0000']")).message).not.toContain('\0'))

  it('names its variables and references, without those that loops bind', () => {
    const { variables, references } = compileExpression(
      'inputs.tags.exists(t, t == steps.a.outputs["b"]) && run.id != ""',
    )
    expect(variables).toEqual(['inputs', 'steps', 'run'])
    expect(references.map(({ path }) => path)).toEqual([
      ['inputs', 'tags'],
      ['steps', 'a', 'outputs', 'b'],
      ['run', 'id'],
    ])
  })
})

describe('an integer beyond 2^53', () => {
  const big: JsonObject = { id: '9007199254740993', far: '99999999999999999999', ratio: '0.10000000000000001' }
  it.each(['int(id)', 'double(id)', 'int(id) + 0.5', 'int(id) * 1.0', 'double(int(id))', 'int(far)', 'double(far)'])(
    '%s is an error, and no neighbour',
    (text) => expect(() => compileExpression(text).evaluate(big)).toThrow(DomainError),
  )

  it('keeps its digits as text, and can be compared', () => {
    expect(compileExpression('string(int(id))').evaluate(big)).toBe('9007199254740993')
    expect(compileExpression('string(int(id) + 1)').evaluate(big)).toBe('9007199254740994')
    expect(compileExpression('int(id) > 9007199254740992').evaluate(big)).toBe(true)
    expect(compileExpression('double(ratio) > 0.05').evaluate(big)).toBe(true)
  })

  it.each(['id == 9007199254740993', 'id != -9007199254740993', '!(id in [1, 9007199254740993])'])(
    '%s would always say the same, so it is refused',
    (text) => expect(() => compileExpression(text)).toThrow('arrives as text'),
  )

  it('is compared as text, or as an integer', () => {
    expect(compileExpression('id == "9007199254740993"').evaluate(big)).toBe(true)
    expect(compileExpression('int(id) in [9007199254740993]').evaluate(big)).toBe(true)
    expect(compileExpression('far == 9007199254740991').evaluate(big)).toBe(false)
  })
})
