import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { collectPair, parseInputs, parsePair } from '#cli/parse-inputs.ts'

const nothing = async () => ''

test('a value that is JSON arrives as that value, any other as its text', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      const text = JSON.stringify(value)
      // such a number may be one that is refused
      if (/\d{16}/.test(text)) return
      expect(parsePair(`key=${text}`)).toEqual(['key', JSON.parse(text)])
    }),
  )
  expect(parsePair('url=http://h/?a=b')).toEqual(['url', 'http://h/?a=b'])
  expect(parsePair('empty=')).toEqual(['empty', ''])
})

test('an integer that a number cannot hold stays text', () => {
  expect(parsePair('id=12345678901234567890')).toEqual(['id', '12345678901234567890'])
  expect(parsePair('id=9007199254740991')).toEqual(['id', 9_007_199_254_740_991])
})

test('a number inside of a value that would be rounded is refused with its pointer', () => {
  expect(() => parsePair('order={"ids": [1, 9007199254740993]}')).toThrow(
    '-i order: body /ids/1: is a number that cannot',
  )
  expect(parsePair('ratio=0.10000000000000001')).toEqual(['ratio', '0.10000000000000001'])
})

test.each(['id: 9007199254740993', 'id: 0.10000000000000001', 'id: 0xFFFFFFFFFFFFFFFF', 'id: 1e400'])(
  'a file with %s is refused with its place',
  async (line) => {
    const read = parseInputs({ file: '-', pairs: [] }, async () => `a: 1\n${line}\n`)
    await expect(read).rejects.toThrow('-:2:5: this is a number that cannot be kept exactly')
  },
)

test('a pair without a name or a value is refused', async () => {
  for (const pair of ['url', '=x', '']) {
    await expect(parseInputs({ pairs: [pair] }, nothing)).rejects.toMatchObject({ code: 'validation_failed' })
  }
})

test('pairs go over the file, which is YAML or JSON', async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'svc-inputs-')), 'inputs.yaml')
  await writeFile(file, 'a: 1\nb: [x, y]\n')
  expect(await parseInputs({ file, pairs: ['a=2', 'c=true'] }, nothing)).toEqual({ a: 2, b: ['x', 'y'], c: true })
  expect(await parseInputs({ file: '-', pairs: [] }, async () => '{"a": {"b": null}}')).toEqual({ a: { b: null } })
})

test('what is no object of inputs is refused with its place', async () => {
  for (const text of ['[1]', 'word', 'a: [', 'a: 1\na: 2', '']) {
    const parsed = parseInputs({ file: '-', pairs: [] }, async () => text)
    await expect(parsed, text).rejects.toMatchObject({ code: 'validation_failed' })
  }
  const absent = parseInputs({ file: '/nowhere/inputs.yaml', pairs: [] }, nothing)
  await expect(absent).rejects.toThrow('/nowhere/inputs.yaml')
})

test('a word without `=` is refused where it stands, so that it cannot swallow the name of a template', () => {
  expect(collectPair('url=http://a.test', ['a=1'])).toEqual(['a=1', 'url=http://a.test'])
  for (const word of ['sre/service-recovery', '=x', '']) expect(() => collectPair(word, [])).toThrow(/takes key=value/)
})
