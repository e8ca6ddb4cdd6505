import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { describe, expect, it } from 'vitest'

const SVC = fileURLToPath(new URL('../../cli/svc.mjs', import.meta.url))

describe('the command', () => {
  const svc = (args: string[], env: Record<string, string>) =>
    execa(process.execPath, [SVC, ...args], { env, reject: false })

  it('ends with 78 and every problem when the settings cannot be used', async () => {
    const { exitCode, stderr, stdout } = await svc(['start'], {
      SVC_PORT: 'abc',
      SVC_HOST: '0.0.0.0',
      SVC_ALLOW_OPEN: '',
    })
    expect(exitCode).toBe(78)
    expect(stderr).toContain('SVC_PORT is "abc"; it takes an integer from 1 to 65535')
    expect(stderr).toContain('SVC_HOST is "0.0.0.0"')
    expect(stdout).toBe('')
  })

  it('prints the effective settings without their secrets', async () => {
    const { exitCode, stdout } = await svc(['config', '--json'], { SVC_PORT: '9191', TEMPORAL_API_KEY: 'hunter2' })
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout)).toContainEqual(
      expect.objectContaining({ name: 'SVC_PORT', value: '9191', source: 'env' }),
    )
    expect(stdout).not.toContain('hunter2')
  })

  it('knows its version', async () => {
    expect((await svc(['--version'], {})).stdout).toMatch(/^\d+\.\d+\.\d+$/)
  })
})
