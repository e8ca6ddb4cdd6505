import { describe, expect, it } from 'vitest'
import { createLogger } from '#platform/logger.ts'

function capture() {
  const lines: string[] = []
  const log = createLogger({ level: 'info', name: 'test', destination: { write: (line) => void lines.push(line) } })
  return { log, lines, last: () => JSON.parse(lines.at(-1) ?? '') }
}

describe('createLogger', () => {
  it('keeps secrets out of the log, at the top and one level down', () => {
    const { log, lines } = capture()
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

  it.each([
    'password',
    'passphrase',
    'secret',
    'clientSecret',
    'token',
    'access_token',
    'refreshToken',
    'apiKey',
    'X-API-Key',
    'Authorization',
    'Proxy-Authorization',
    'Cookie',
    'set-cookie',
    'SECRET_KEY',
    'databaseUrl',
    'credentials',
  ])('hides %s at any usual depth, in lists, in errors and in what a child logger carries', (name) => {
    const { log, lines } = capture()
    const held = { [name]: 'hunter2' }
    log.info(held, 'm')
    log.info(
      { a: { b: { c: { d: held } } }, list: [held, [held]], headers: new Headers(), map: new Map([[name, 'hunter2']]) },
      'm',
    )
    log.warn({ err: Object.assign(new Error('broken'), { details: held, config: { headers: held } }) }, 'm')
    log.warn({ err: new Error('outer', { cause: Object.assign(new Error('inner'), held) }) }, 'm')
    log.child(held).info({ x: 1 }, 'm')
    log.child({ request: held }).info({ x: 1 }, 'm')
    expect(lines).toHaveLength(6)
    expect(lines.join('')).not.toContain('hunter2')
    expect(lines.every((line) => line.includes('(hidden)') || line.includes('outer'))).toBe(true)
  })

  it('keeps the row that a database refused out of the log', () => {
    const { log, last } = capture()
    const refused = new Error('new row violates a check constraint')
    log.warn({ err: Object.assign(refused, { code: '23514', detail: 'Failing row contains (usr_1, hunter2).' }) }, 'm')
    expect(last().err).toMatchObject({ code: '23514', message: refused.message })
    expect(JSON.stringify(last())).not.toContain('hunter2')
  })

  it('leaves what only sounds similar', () => {
    const { log, last } = capture()
    const fields = {
      tokens: 12,
      max_tokens: 5,
      secret_paths: ['/a'],
      key: 'k',
      auth: 'none',
      at: new Date(0),
      none: null,
    }
    log.info({ ...fields, cookie: null }, 'm')
    expect(last()).toMatchObject({ ...fields, at: '1970-01-01T00:00:00.000Z', cookie: null })
  })

  it('writes an error with its message, stack and cause', () => {
    const { log, last } = capture()
    log.error({ err: new Error('outer', { cause: new Error('inner') }) }, 'failed')
    expect(last().err).toMatchObject({ type: 'Error', message: expect.stringContaining('outer') })
    expect(last().err.stack).toContain('inner')
  })

  it('ends where an object holds itself', () => {
    const { log, last } = capture()
    const round: Record<string, unknown> = { name: 'round' }
    round['self'] = round
    log.info({ round }, 'm')
    expect(last()).toMatchObject({ msg: 'm', round: { name: 'round' } })
  })
})
