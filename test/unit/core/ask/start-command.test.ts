import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { parsePair } from '#cli/parse-inputs.ts'
import { startCommand } from '#core/ask/start-command.ts'
import type { Json } from '#core/json.ts'

const start = (value: Json) =>
  startCommand({ pack: 'p', template: 't', inputs: { key: value }, environment: 'development' })
/** What a shell makes of it. */
const words = (command: string) =>
  execFileSync('/bin/sh', ['-c', `for word in ${command}; do printf '%s\\0' "$word"; done`])
    .toString()
    .split('\0')
    .slice(0, -1)

test.each<[Json]>([
  ['http://127.0.0.1:8080/x?a=b'],
  ['two words'],
  ["it's"],
  ["'; rm -rf / #"],
  ['$(reboot) `reboot` $HOME \\'],
  ['--environment'],
  ['line\nbreak\tand tab'],
  ['123'],
  ['true'],
  [' \u202e hidden \u{e0061}'],
  [42],
  [false],
  [null],
  [{ a: ["it's", 1] }],
  [''],
])('%j is one argument, and read back as it was', (value) => {
  const command = start(value)
  const [svc, run, name, flag, pair = '', ...rest] = words(command)
  expect([svc, run, name, flag]).toEqual(['svc', 'run', 'p/t', '-i'])
  expect(parsePair(pair)).toEqual(['key', value])
  expect(rest).toEqual(['--environment', 'development'])
  expect(command).not.toMatch(/[\p{Cc}\p{Cf}]/u)
})
