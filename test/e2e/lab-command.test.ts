import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { programArgs } from '#platform/program/program-args.ts'
import { needs } from '#test/support/programs/needs.ts'

function openLab(env: Record<string, string>, args: [string, ...string[]] = ['test/support/lab-main.ts']) {
  const child = spawn(process.execPath, programArgs(...args), { env: { ...process.env, ...env } })
  let output = ''
  let wake = () => {}
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk
      wake()
    })
  const closed = once(child, 'close').finally(() => wake())
  return {
    child,
    output: () => output,
    code: closed.then(([code]) => code),
    async shows(text: string) {
      while (!output.includes(text)) {
        if (child.exitCode !== null) throw new Error(`it ended without ${text}:\n${output}`)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
  }
}

test(
  'npm run lab prints one screen with what runs where; Ctrl-C, which comes twice, leaves nothing behind',
  needs('prometheus', 'alertmanager'),
  async () => {
    const lab = openLab({ SVC_URL: 'http://127.0.0.1:9', SVC_TOKEN: 'a-token' })
    await lab.shows('Ctrl-C ends it.')
    const screen = lab.output()
    expect(screen.split('\n').length).toBeLessThan(24)
    expect(screen).toContain('http://127.0.0.1:9/triggers/alert (with SVC_TOKEN)')
    expect(screen).not.toContain('a-token')
    const url = (name: string) => new RegExp(`${name} +(http://[\\d.:]+)`).exec(screen)?.[1] ?? ''
    const pages = [`${url('demo service')}/metrics`, `${url('Prometheus')}/-/ready`, `${url('Alertmanager')}/-/ready`]
    for (const page of pages) expect((await fetch(page)).status).toBe(200)
    const dir = /files +(\S+)/.exec(screen)?.[1] ?? ''
    expect(existsSync(dir)).toBe(true)

    lab.child.kill('SIGINT')
    lab.child.kill('SIGINT')
    expect(await lab.code).toBe(0)
    for (const page of pages) await expect(fetch(page)).rejects.toThrow()
    expect(existsSync(dir)).toBe(false)
  },
)

test('Ctrl-C ends npm run lab also while it fetches, and nothing else is tried', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'svc-lab-fetch-'))
  const apt = join(dir, 'apt-get')
  await writeFile(apt, '#!/bin/sh\n[ "$1" = --version ] || exec /bin/sleep 60\n', { mode: 0o755 })
  const lab = openLab({ PATH: dir, XDG_CACHE_HOME: dir })
  await lab.shows('unpacking')
  lab.child.kill('SIGINT')
  await lab.code
  expect(lab.child.signalCode).toBe('SIGINT')
  expect(lab.output()).not.toContain('Alertmanager is')
  await rm(dir, { recursive: true })
})

test('npm run lab says what is missing, and how it is had, where nothing can be brought', async () => {
  const lab = openLab({
    PATH: '/nowhere',
    XDG_CACHE_HOME: '/nowhere',
    SVC_TEST_PROMETHEUS: '',
    SVC_TEST_ALERTMANAGER: '',
  })
  expect(await lab.code).toBe(69)
  expect(lab.output()).toMatch(/Prometheus: .*\n\n {2}\S.*\n\nAlertmanager: .*\n\n {2}\S/)
})

test('npm run lab:releases and lab:certificates say how to connect and what to run, and leave nothing behind', {
  ...needs('prometheus'),
}, async () => {
  const opened = ['certificates', 'releases'].map((name) =>
    openLab({ SVC_HOME: '/home/ada/.svc' }, ['test/support/pack-lab-main.ts', name]),
  )
  for (const lab of opened) {
    await lab.shows('Ctrl-C ends it.')
    const [, dir = ''] = /cp -i (\S+)\/development\.yaml \/home\/ada\/\.svc\/environments\//.exec(lab.output()) ?? []
    const [, inputs = ''] =
      /npx svc run sre\/(?:cert-expiry|deploy-rollback) -I --inputs (\S+)/.exec(lab.output()) ?? []
    expect([existsSync(join(dir, 'development.yaml')), existsSync(inputs)]).toEqual([true, true])
    for (const [, url = ''] of lab.output().matchAll(/curl -X POST (\S+)/g))
      expect((await fetch(url, { method: 'POST' })).status).toBe(204)
    lab.child.kill('SIGINT')
    lab.child.kill('SIGINT')
    expect(await lab.code).toBe(0)
    expect(existsSync(dir)).toBe(false)
  }
})
