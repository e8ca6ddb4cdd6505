import { Environment } from '@marcbachmann/cel-js'
import { expect, it, vi } from 'vitest'
import { compileExpression } from '#core/expression/compile-expression.ts'
import { createBudget } from '#core/expression/evaluation-budget.ts'
import { isBudgetSpent } from '#core/expression/expression-error.ts'
import { renderValue } from '#core/expression/parse-template-string.ts'
import type { Json, JsonObject } from '#core/json/json.ts'

const text = 'a b '.repeat(7_500)
const items = Array.from({ length: 5_000 }, (_, index) => index)
const scope: JsonObject = {
  text,
  long: 'a'.repeat(1 << 20),
  digits: '1'.repeat(2_000),
  json: JSON.stringify(items.map(() => [])),
  items,
  texts: items.map((item) => 'x'.repeat(1_000) + item),
  rows: items.map((item) => ({ id: item, name: `row ${item}`, on: true })),
  object: Object.fromEntries(items.map((item) => [`k${item}`, item])),
}

const HOSTILE = [
  'text.split("").map(c, text.split(""))',
  'text.split("").map(c, text)',
  'text.split("").filter(c, text.split("").exists(d, d == "z"))',
  'items.all(x, items.all(y, x + y >= 0))',
  'items.all(x, items.exists(y, y.missing))',
  'items.all(x, items.all(y, y.missing == 1 || true))',
  'items.map(x, items)',
  'items.map(x, items + items)',
  'items.map(x, text + text)',
  'items.all(x, !(x in items.map(y, -1)))',
  'items.all(x, items == items.map(y, y))',
  'items.all(x, [items, items] == [items.map(y, y), items])',
  'rows.all(a, rows.all(b, a == b || true))',
  'rows.map(a, rows)',
  'texts.all(a, texts.all(b, a == b || true))',
  'texts.join(text)',
  'texts.map(a, texts.join(","))',
  'texts.map(a, text.lastIndexOf(a))',
  'texts.map(a, text.indexOf(a))',
  'texts.exists(a, text.contains(a))',
  'long.lastIndexOf(long + "b")',
  'long.contains("b" + long)',
  'long.split("").map(c, c)',
  'items.all(x, size(long) > 1)',
  'items.all(x, long.upperAscii() != "")',
  'items.all(x, string(bytes(long)) == long)',
  'items.all(x, bytes(long).hex() != "")',
  'items.all(x, long < long + "a")',
  'items.exists(x, bool(long))',
  'items.all(x, object.exists(k, true))',
  'items.all(x, timestamp("2026-01-01T00:00:00Z").getHours("Europe/Berlin") >= 0)',
  'duration(digits)',
  'items.filter(x, x < 400).all(x, bytes(json).json().size() > 0)',
  'cel.bind(a, [items, items, items, items, items, items, items, items, items, items], cel.bind(b, [a, a, a, a, a, a, a, a, a, a], [b, b, b, b]))',
  'cel.bind(a, [long, long, long, long, long, long, long, long], cel.bind(b, [a, a, a, a, a, a, a, a, a, a], [b, b, b, b, b, b, b, b, b, b, b, b, b, b]))',
]

it.each(HOSTILE)('%s is refused for what it costs, with its text', (source) => {
  const budget = createBudget()
  const error = refusal(() => compileExpression(source).evaluate(scope, budget))
  expect(isBudgetSpent(error)).toBe(true)
  expect(String(error)).toContain('units of work')
  expect(String(error)).toContain(source.slice(0, 20))
})

it.each([
  ['text.split("").join(text.substring(0, 3400))', () => vi.spyOn(Array.prototype, 'join')],
  ['text.substring(0, 3400).split("").map(c, text).join("")', () => vi.spyOn(Array.prototype, 'join')],
  ['text.substring(0, 3400).split("").map(c, text).join(",").split("")', () => vi.spyOn(Array.prototype, 'join')],
  ['(long + long + long + long + long + long + long + long).split("")', () => vi.spyOn(String.prototype, 'split')],
])('%s would make 100 MB, and is refused before it is made', (source, watch) => {
  const made = watch()
  const error = refusal(() => compileExpression(source).evaluate(scope))
  const times = made.mock.calls.length
  made.mockRestore()
  expect(isBudgetSpent(error)).toBe(true)
  expect(error).toMatchObject({ details: { expression: source } })
  expect(times).toBe(0)
})

it.each([
  ['items.exists(x, x == 4999)', true],
  ['rows.filter(r, r.id > 4997).map(r, r.name)', ['row 4998', 'row 4999']],
  ['text.split(" ").size()', 15_001],
  ['items.map(x, string(x)).join(",").size() > 5000', true],
  ['size(object)', 5_000],
  ['long.contains("b")', false],
  ['duration("1h30m").getMinutes()', 90],
  ['items.map(x, x * 2)[4999]', 9_998],
])('%s has its value', (source, value) => expect(compileExpression(source).evaluate(scope)).toEqual(value))

it('spends on each node that is evaluated, and on each element that is read or made', () => {
  const spent = (source: string) => {
    const budget = createBudget()
    compileExpression(source).evaluate({ items, text }, budget)
    return budget.spent
  }
  expect(spent('items.all(x, true)')).toBeGreaterThan(items.length * 8)
  expect(spent('items.map(x, x)')).toBeGreaterThan(items.length * 8)
  expect(spent('text.split("")')).toBeGreaterThan(2 * text.length)
  expect(spent('1 + 1')).toBeLessThan(20)
})

it('lets the expressions of a value share one budget', () => {
  const each = `\${{ items.map(x, x) }}`
  expect(renderValue([each, each], { items })).toHaveLength(2)
  expect(isBudgetSpent(refusal(() => renderValue(Array<Json>(100).fill(each), { items })))).toBe(true)
})

it('counts within another budget what is spent in one', () => {
  const whole = createBudget(100)
  const part = createBudget(1_000, whole)
  part.spend(60)
  expect(whole.spent).toBe(60)
  expect(() => part.spend(60)).toThrow('more than 100 units')
})

it('is spent by whatever a random expression does, in a time that hardly depends on it', () => {
  const random = dice(20_261)
  let slowest = { ms: 0, source: '' }
  for (let round = 0; round < 300; round++) {
    const source = randomExpression(random)
    const before = process.cpuUsage().user
    const budget = createBudget(250_000)
    try {
      compileExpression(source).evaluate(scope, budget)
    } catch {
      // refused for its cost or for its types
    }
    const ms = (process.cpuUsage().user - before) / 1_000
    if (ms > slowest.ms) slowest = { ms, source }
  }
  expect(slowest.ms, slowest.source).toBeLessThan(400)
})

it('knows every function of the library, so that a new one is looked at before it can be called', () => {
  const names = new Set(
    new Environment({ enableOptionalTypes: true }).getDefinitions().functions.map(({ name }) => name),
  )
  expect([...names].sort()).toMatchInlineSnapshot(`
    [
      "all",
      "at",
      "base64",
      "bind",
      "bool",
      "bytes",
      "contains",
      "double",
      "duration",
      "dyn",
      "endsWith",
      "exists",
      "exists_one",
      "filter",
      "getDate",
      "getDayOfMonth",
      "getDayOfWeek",
      "getDayOfYear",
      "getFullYear",
      "getHours",
      "getMilliseconds",
      "getMinutes",
      "getMonth",
      "getSeconds",
      "has",
      "hasValue",
      "hex",
      "indexOf",
      "int",
      "join",
      "json",
      "lastIndexOf",
      "lowerAscii",
      "map",
      "matches",
      "none",
      "of",
      "or",
      "orValue",
      "size",
      "split",
      "startsWith",
      "string",
      "substring",
      "timestamp",
      "trim",
      "type",
      "uint",
      "upperAscii",
      "value",
    ]
  `)
})

function refusal(act: () => unknown): unknown {
  try {
    act()
  } catch (error) {
    return error
  }
  throw new Error('nothing was refused')
}

/** Numbers from 0 to below `sides`, the same ones for a seed (mulberry32). */
function dice(seed: number): (sides: number) => number {
  let state = seed
  return (sides) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides
  }
}

function randomExpression(random: (sides: number) => number): string {
  const pick = (from: readonly string[]): string => from[random(from.length)] ?? ''
  const list = (depth: number): string =>
    depth === 0
      ? pick(['items', 'texts', 'rows', '[1, 2, 3]', 'object'])
      : pick([
          `${list(depth - 1)}.map(x, ${value(depth - 1)})`,
          `${list(depth - 1)}.filter(y, ${test(depth - 1)})`,
          `${string(depth - 1)}.split(${string(0)})`,
          `(${list(depth - 1)} + ${list(depth - 1)})`,
          `[${list(depth - 1)}, ${list(depth - 1)}]`,
        ])
  const string = (depth: number): string =>
    depth === 0
      ? pick(['text', 'long', 'digits', '""', '"a"', 'string(x)', 'x'])
      : pick([
          `(${string(depth - 1)} + ${string(depth - 1)})`,
          `${string(depth - 1)}.upperAscii()`,
          `${string(depth - 1)}.trim()`,
          `${list(depth - 1)}.join(${string(depth - 1)})`,
          `${string(depth - 1)}.substring(1)`,
        ])
  const test = (depth: number): string =>
    depth === 0
      ? pick(['true', 'x == y', 'y.missing'])
      : pick([
          `${list(depth - 1)}.exists(z, ${test(depth - 1)})`,
          `${list(depth - 1)}.all(z, ${test(depth - 1)})`,
          `${value(depth - 1)} == ${value(depth - 1)}`,
          `${value(depth - 1)} in ${list(depth - 1)}`,
          `${string(depth - 1)}.contains(${string(depth - 1)})`,
          `${string(depth - 1)} < ${string(depth - 1)}`,
          `(${test(depth - 1)} || ${test(depth - 1)})`,
        ])
  const value = (depth: number): string => pick([list(depth), string(depth), test(depth), 'x', 'size(text)'])
  return `cel.bind(x, "a", ${value(3)})`
}
