import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { httpOutputs } from '#activities/operators/http/outputs.ts'

const JSON_TYPE = 'application/json'
const answered = (body: Uint8Array | string, headers: Record<string, string>) => {
  const { json, text, problem } = httpOutputs({
    status: 200,
    headers,
    body: Buffer.from(body),
    remote_address: '',
    ms: 1,
    redirects: [],
  })
  return { json, text, problem }
}

test('numbers of an answer that would be rounded are text', () => {
  const body = '{"id": 9007199254740993, "small": 7, "list": [0.10000000000000001, 1e400]}'
  expect(answered(body, { 'content-type': JSON_TYPE }).json).toEqual({
    id: '9007199254740993',
    small: 7,
    list: ['0.10000000000000001', '1e400'],
  })
  // a long list is read as before
  expect(answered(`[${Array(70_000).fill(1)}]`, { 'content-type': JSON_TYPE }).json).toHaveLength(70_000)
})

test.each([
  ['windows-1252', new Uint8Array([0x22, 0xfc, 0x80, 0x22]), 'ü€'],
  ['"iso-8859-1"', new Uint8Array([0x22, 0xe9, 0x22]), 'é'],
  ['shift_jis', new Uint8Array([0x22, 0x93, 0xfa, 0x22]), '日'],
  ['utf-16', new Uint8Array([0xff, 0xfe, 0x22, 0, 0xe4, 0, 0x22, 0]), 'ä'],
  ['utf-16', new Uint8Array([0xfe, 0xff, 0, 0x22, 0, 0xe4, 0, 0x22]), 'ä'],
])('an answer in %s is decoded', (charset, body, text) => {
  const said = answered(body, { 'content-type': `${JSON_TYPE}; charset=${charset}` })
  expect(said).toEqual({ json: text, text: `"${text}"`, problem: undefined })
})

test.each([
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['GZIP', gzipSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['br', brotliCompressSync],
  ['identity', (text: string) => Buffer.from(text)],
  ['deflate, gzip', (text: string) => gzipSync(deflateSync(text))],
])('an answer that is compressed as %s is unpacked', (encoding, pack) => {
  const said = answered(pack('{"a":1}'), { 'content-type': JSON_TYPE, 'content-encoding': encoding })
  expect(said).toEqual({ json: { a: 1 }, text: '{"a":1}', problem: undefined })
})

test.each([
  [
    new Uint8Array([0xff]),
    { 'content-type': JSON_TYPE },
    'The answer is 1 bytes (application/json) that are no text in utf-8.',
  ],
  [new Uint8Array([0xff]), {}, 'The answer is 1 bytes (unnamed) that are no text in utf-8.'],
  ['x', { 'content-type': 'text/plain; charset=klingon' }, 'The answer has a charset that is not known: klingon.'],
  ['x', { 'content-encoding': 'zstd' }, 'The answer has a Content-Encoding that is not known: zstd.'],
  ['x', { 'content-encoding': 'gzip' }, 'The answer is not gzip, as it says.'],
  ['x', { 'content-encoding': 'gzip, gzip, gzip, gzip, gzip' }, 'The answer is compressed too many times.'],
  [
    gzipSync(Buffer.alloc(2 * 1024 * 1024)),
    { 'content-encoding': 'gzip' },
    'The answer unpacks to more than 1048576 bytes, the limit of the step (max_bytes).',
  ],
])('an answer of %j with %j says why it has no text', (body, headers, problem) => {
  expect(answered(body, headers)).toEqual({ json: undefined, text: undefined, problem })
})

test.each([
  ['{', 'The answer says that it is JSON, and it is not.'],
  ['['.repeat(70) + ']'.repeat(70), 'The JSON of the answer is nested too deeply.'],
])('JSON that is none says so, beside its text: %s', (body, problem) => {
  expect(answered(body, { 'content-type': JSON_TYPE })).toEqual({ json: undefined, text: body, problem })
})

test('an answer without a body has no problem', () => {
  expect(answered('', { 'content-type': JSON_TYPE, 'content-encoding': 'gzip' })).toEqual({ text: '' })
})
