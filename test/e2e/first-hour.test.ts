import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type DocShell, startDocShell, type Terminal } from '#test/support/doc-shell.ts'
import { PATIENCE } from '#test/support/patience.ts'

let page: DocShell

beforeAll(async () => {
  page = await startDocShell()
})
afterAll(() => page.stop())

/** Opens the link of the last message, as a browser does, and approves with its code. */
async function approveByLink(receiver: Terminal | undefined): Promise<void> {
  const message = await vi.waitFor(() => {
    const found = /^ {2}answer +(\S+)\n {2}code +(\S+)$/m.exec(receiver?.output ?? '')
    expect(found, receiver?.output).not.toBeNull()
    return found
  }, PATIENCE)
  const [, url = '', code = ''] = message ?? []
  const headers = { accept: 'application/json' }
  const { nonce } = (await (await fetch(url, { headers })).json()) as { nonce: string }
  const answer = await fetch(`${url}&decision=approve`, {
    headers: { ...headers, 'x-svc-confirm': nonce, 'x-svc-code': code },
  })
  expect(answer.status, await answer.text()).toBe(200)
}

test('every command of the first hour does what the page says', { timeout: 600_000 }, async () => {
  const printed = await page.follow('first-hour', {
    async act(note) {
      expect(note).toBe('approve by the link')
      await approveByLink(page.terminals.find(({ output }) => output.startsWith('webhooks go to')))
    },
  })
  for (const line of [
    'Start the service with: npm start',
    '2 passed, 0 failed',
    /run run_\w+ succeeded/,
    '{"status":"ok"}',
    /ok {2}channel phone: .* took a test message/,
    /run\.succeeded/,
    /holder of the link sent to \S+ +Gate approved/,
    /chain ok: \d+ records/,
    /run_\w+ of my-pack\/restart in development was started by alert/,
  ])
    expect(printed).toMatch(line)
  // nothing on the way is reported as wrong
  const reported = await page.reported()
  expect(reported, reported.join('\n')).toEqual([])
  // what a repository of it would hold: no data, no keys
  const git = (...args: string[]) =>
    execa('git', ['-C', join(page.home, '.svc'), ...args], { env: { HOME: page.home } })
  await git('init', '--quiet')
  const { stdout } = await git('add', '--all', '--dry-run')
  expect(stdout.split('\n').map((line) => line.slice("add '".length, -1))).toEqual([
    '.gitignore',
    'channels.yaml',
    'environments/development.yaml',
    'environments/production.yaml',
    'models.yaml',
    'packs/my-pack/pack.yaml',
    'packs/my-pack/templates/restart.yaml',
    'packs/my-pack/tests/restart.yaml',
    'rules/my-pack.yaml',
  ])
})
