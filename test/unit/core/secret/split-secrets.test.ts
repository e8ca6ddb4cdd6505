import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '#core/json/json.ts'
import { secretPaths } from '#core/secret/secret-paths.ts'
import { mergeSecrets, splitSecrets } from '#core/secret/split-secrets.ts'

describe('secretPaths', () => {
  test('finds writeOnly, format password and the form keyword, also in nested objects', () => {
    const schema = {
      properties: {
        url: { type: 'string' },
        token: { type: 'string', writeOnly: true },
        login: { properties: { user: {}, 'pass/word': { format: 'password' } } },
        pin: { secret: true },
        key: { ui: { secret: true } },
      },
    }
    expect(secretPaths(schema)).toEqual(['/key', '/login/pass~1word', '/pin', '/token'])
  })

  test('follows references and alternatives, and ends where they go round', () => {
    const schema = {
      $defs: {
        credential: { writeOnly: true },
        node: { properties: { next: { $ref: '#/$defs/node' }, key: { $ref: '#/$defs/credential' } } },
      },
      properties: { chain: { $ref: '#/$defs/node' } },
      allOf: [{ properties: { a: { writeOnly: true } } }],
      if: { properties: { mode: { const: 'x' } } },
      ...JSON.parse('{"then":{"properties":{"b":{"format":"password"}}}}'),
    }
    expect(secretPaths(schema)).toEqual(['/a', '/b', '/chain/key'])
  })

  test('a secret without a fixed place makes the list or object around it secret', () => {
    const schema = {
      properties: {
        list: { items: { properties: { token: { writeOnly: true } } } },
        free: { additionalProperties: { format: 'password' } },
        pattern: { patternProperties: { '^x-': { writeOnly: true } } },
        open: { items: { type: 'string' } },
      },
    }
    expect(secretPaths(schema)).toEqual(['/free', '/list', '/pattern'])
  })
})

describe('splitSecrets and mergeSecrets', () => {
  const tree = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 6 }) as fc.Arbitrary<JsonObject>

  test('merging what was split gives the inputs back, and nothing that was taken is left', () => {
    fc.assert(
      fc.property(tree, fc.infiniteStream(fc.boolean()), fc.array(fc.string()), (inputs, pick, strangers) => {
        const taken = pointersOf(inputs).filter(() => pick.next().value)
        const split = splitSecrets(inputs, [...taken, ...strangers.map((each) => `/${each}/nowhere`)])
        expect(mergeSecrets(split.public, split.secrets)).toEqual(inputs)
        for (const pointer of Object.keys(split.secrets))
          expect(valueAt(split.public, pointer)).toMatch(/^<secret:[^<>\p{Cc}\p{Cf}]*>$/u)
      }),
    )
  })

  test('what is not given is not secret, and the inputs themselves are left alone', () => {
    const inputs = { a: { b: 1 }, c: 'x' }
    const split = splitSecrets(inputs, ['/missing', '/a/b', '/a'])
    expect(split).toEqual({ public: { a: '<secret:a>', c: 'x' }, secrets: { '/a': { b: 1 } } })
    expect(inputs).toEqual({ a: { b: 1 }, c: 'x' })
  })

  test('a member called __proto__ is a member like any other', () => {
    const inputs = JSON.parse('{"__proto__": {"token": "s3cret"}}')
    const split = splitSecrets(inputs, ['/__proto__/token'])
    expect(JSON.stringify(split.public)).toBe(`{"__proto__":{"token":"<secret:__proto__.token>"}}`)
    expect(JSON.stringify(mergeSecrets(split.public, split.secrets))).toBe(JSON.stringify(inputs))
  })
})

function pointersOf(value: Json, at = ''): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, item]) => {
    const pointer = `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    return [pointer, ...pointersOf(item, pointer)]
  })
}

function valueAt(value: Json, pointer: string): Json | undefined {
  const names = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  return names.reduce<Json | undefined>(
    (at, name) =>
      typeof at === 'object' && at !== null ? Object.getOwnPropertyDescriptor(at, name)?.value : undefined,
    value,
  )
}
