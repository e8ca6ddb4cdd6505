import { describe, expect, test } from 'vitest'
import { severityOf } from '#core/trigger/parse-alert.ts'

describe('severity', () => {
  test.each([
    ['critical', ['critical', 'page', 'fatal', 'P1', 'emergency', 'CRITICAL', ' Page ']],
    ['high', ['high', 'error', 'major', 'P2']],
    ['medium', ['warning', 'warn', 'medium', 'minor', 'P3']],
    ['low', ['low', 'notice', 'P4']],
    ['info', ['info', 'none', 'debug', 'ok', 'P5', 'OK']],
    ['medium', [undefined, '', 'sev-0', 'constructor', 'P6']],
  ] as const)('%s is what tools call %j', (severity, words) => {
    expect(words.map(severityOf)).toEqual(words.map(() => severity))
  })
})
