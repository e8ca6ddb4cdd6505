import { describedSchema } from './api-document.ts'

const MIB = 1_048_576

/** Texts of `bytes` that cost a reader the most for their size. */
const HOSTILE_TEXTS: Record<string, (bytes: number) => string> = {
  blanks: (bytes) => `a${' '.repeat(bytes - 2)}b`,
  'expression signs': (bytes) => '${{'.repeat(bytes / 3),
  quotes: (bytes) => '"\\'.repeat(bytes / 4),
  'path signs': (bytes) => '../'.repeat(bytes / 3),
}

/** Documents of 256 kB that cost a reader of YAML the most. */
export function worstYaml(bytes = MIB / 4): Record<string, string> {
  const lines = (line: (n: number) => string) => {
    const all: string[] = []
    for (let size = 0, n = 0; ; n += 1) {
      const text = line(n)
      size += text.length + 1
      if (size > bytes) return `${all.join('\n')}\n`
      all.push(text)
    }
  }
  return {
    'unknown keys': lines((n) => `k${n}: 0`),
    'long unknown keys': lines((n) => `${'k'.repeat(60)}${n}: ${'v'.repeat(60)}`),
    'a key again and again': lines(() => 'a: 1'),
    'a list in one line': `[${'a,'.repeat((bytes - 3) / 2)}a]`,
    'nested lists': '['.repeat(bytes),
    'nested blocks': '- '.repeat(bytes / 2),
    'many anchors': lines((n) => `- &a${n} x`),
    'anchors of anchors': lines((n) => (n === 0 ? 'a0: &a0 [x]' : `a${n}: &a${n} [*a${n - 1}, *a${n - 1}]`)),
    comments: lines(() => '# nothing'),
    blanks: `name:${' '.repeat(bytes - 10)}x`,
    'blank lines': `name: x\n${'\n'.repeat(bytes - 10)}`,
    'a block of text': `name: |\n${lines(() => '  text')}`,
    escapes: `name: "${'\\u0061'.repeat((bytes - 10) / 6)}"`,
    tags: lines((n) => `- !t${n} x`),
    'rules of one policy': `name: many\nrules:\n${lines(() => '  - { effect: deny }')}`,
    'wrong rules of one policy': `name: many\nrules:\n${lines(() => '  - { effekt: deny }')}`,
    'globs of one rule': `name: many\nrules:\n  - effect: deny\n    action_types:\n${lines((n) => `    - "*a*b*c*${n}"`)}`,
  }
}

/** Bodies for an operation that a reader of JSON finds the most work in, by what is in them. */
export function worstJson(schema: object | undefined, bytes = MIB): Record<string, string> {
  const names = Object.keys(propertiesOf(schema))
  const each = (value: (share: number) => string) => {
    const share = Math.floor((bytes - 100) / Math.max(1, names.length)) - 40
    return `{${names.map((name) => `${JSON.stringify(name)}:${value(share)}`)}}`
  }
  const keys = (count: number) => `{${Array.from({ length: count }, (_, n) => `"k${n}":0`)}}`
  const most = Math.floor(29_000 / Math.max(1, names.length))
  return {
    'too deep': '['.repeat(bytes),
    'too many objects': `[${'{},'.repeat(bytes / 3 - 2)}{}]`,
    'unknown keys': keys(29_000),
    'lists of numbers': each(() => `[${Array(most).fill(0)}]`),
    'lists of empty objects': each(() => `[${Array(most).fill('{}')}]`),
    'lists of one text': each((share) => `[${Array(Math.min(most, Math.floor(share / 8))).fill('"a b"')}]`),
    'objects of many keys': each((share) => keys(Math.min(most, Math.floor(share / 12)))),
    ...Object.fromEntries(
      Object.entries(HOSTILE_TEXTS).map(([name, text]) => [
        `texts of ${name}`,
        each((share) => JSON.stringify(text(share / 2))),
      ]),
    ),
  }
}

interface Schema {
  $ref?: string
  properties?: Record<string, object>
  allOf?: object[]
  anyOf?: object[]
  oneOf?: object[]
}

function propertiesOf(schema: object | undefined): Record<string, object> {
  const { $ref, properties, allOf = [], anyOf = [], oneOf = [] }: Schema = schema ?? {}
  const parts = [...allOf, ...anyOf, ...oneOf, ...($ref === undefined ? [] : [describedSchema($ref) ?? {}])]
  return Object.assign({}, properties, ...parts.map(propertiesOf))
}
