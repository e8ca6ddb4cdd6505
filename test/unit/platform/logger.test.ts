import { describe, expect, it } from 'vitest'
import { createLogger } from '#platform/logger.ts'

describe('createLogger', () => {
  it('keeps secrets out of the log, at the top and one level down', () => {
    const lines: string[] = []
    const log = createLogger({ level: 'info', name: 'test', destination: { write: (line) => void lines.push(line) } })
    log.info(
      { password: 'hunter2', run_id: 'run_1', headers: { authorization: 'Bearer hunter2', 'set-cookie': 'hunter2' } },
      'request',
    )
    log.debug({}, 'too fine')
    expect(lines).toHaveLength(1)
    expect(lines[0]).not.toContain('hunter2')
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      name: 'test',
      run_id: 'run_1',
      msg: 'request',
      password: '(hidden)',
    })
  })
})
