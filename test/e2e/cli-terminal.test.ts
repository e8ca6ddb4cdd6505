import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type DemoService, startDemoService } from '#cli/demo/demo-server.ts'
import { openCli, openTerminal, runCli } from '#test/support/cli.ts'
import { ended, parkRun } from '#test/support/recovery.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const SVC = join(import.meta.dirname, '../../cli/svc.mjs')

let service: TestService
let demo: DemoService
let env: Record<string, string>
let parked: string

beforeAll(async () => {
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
  })
  demo = await startDemoService()
  env = { SVC_URL: service.url, SVC_HOME: service.home, HOME: service.home }
  await fetch(`${demo.url}/fault`, { method: 'POST' })
  parked = await parkRun(service, demo, 'terminal')
})
afterAll(async () => {
  await demo.stop()
  await service.stop()
})

const svc = (...args: string[]) => runCli(args, { env })

describe('who is woken at night and has nothing but a terminal', () => {
  test('sees what there is, what waits, and what can be started', async () => {
    const [runs, gates, templates] = await Promise.all([
      svc('runs', '--since', '1h'),
      svc('gates', '--mine'),
      svc('templates'),
    ])
    expect(runs).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining(parked) })
    expect(gates.stdout).toMatch(new RegExp(`${parked} .* in \\d+ d.* POST ${demo.url}/restart`))
    expect(templates.stdout).toMatch(/sre\/service-recovery +medium +url /)
  })

  test('sees one run by the first characters of its id: why, where it stands, what each step did', async () => {
    const { code, stdout } = await svc('run', 'show', parked.slice(0, -4))
    expect(code).toBe(0)
    for (const text of [parked, 'awaiting_approval', `POST ${demo.url}/restart`, `svc remote approve ${parked}`])
      expect(stdout).toContain(text)
    expect(stdout).toMatch(/^ {2}act +awaiting_approval +http\.request@1 .* open$/m)
    expect(stdout).toMatch(/evidence out: .*"status":503/)
    const step = await svc('run', 'show', parked, '--step', 'evidence', '--json')
    expect(JSON.parse(step.stdout)).toMatchObject({ id: 'evidence', state: 'succeeded', attempts: [{ number: 1 }] })
    const whole = JSON.parse((await svc('run', 'show', '--json', '--logs', parked)).stdout)
    expect(whole).toMatchObject({ id: parked, steps: expect.any(Array), pending_approval: { run_id: parked } })
    expect(whole.events.map(({ seq }: { seq: number }) => seq)).toContain(1)
  })

  test('is told what was meant, and in JSON where that was asked for', async () => {
    const wrong = await svc('run', 'sre/service-recover', '-i', 'url=http://a.test', '--json')
    expect(wrong.code).toBe(66)
    expect(JSON.parse(wrong.stderr)).toMatchObject({
      code: 'not_found',
      detail: expect.stringContaining('did you mean sre/service-recovery?'),
    })
    expect(await svc('runs', '--workspace', 'defalt')).toMatchObject({
      code: 66,
      stderr: expect.stringContaining('did you mean default?'),
    })
    expect((await svc('runs', '--workspace', 'default')).stdout).toContain(parked)
    const away = await runCli(['gates'], { env: { ...env, SVC_URL: 'http://127.0.0.1:9' } })
    expect(away).toMatchObject({ code: 69, stderr: expect.stringContaining('http://127.0.0.1:9 (') })
  })

  test('completes commands and the names of the service in bash', async () => {
    const script = (await svc('completion', 'bash')).stdout
    const complete = async (line: string) => {
      const words = line.split(' ')
      const asked = `svc() { "${process.execPath}" "${SVC}" "$@"; }
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
_svc_complete; printf '%s\\n' "\${COMPREPLY[@]}"`
      const { stdout } = await execa('bash', ['--norc', '-c', `${script}\n${asked}`], { env })
      return stdout.split('\n').filter(Boolean)
    }
    expect(await complete('svc run sre/s')).toEqual(['sre/service-recovery'])
    expect(await complete(`svc run show ${parked.slice(0, 9)}`)).toEqual([parked])
    expect(await complete('svc runs --la')).toEqual(['--lane', '--label'])
    env['SVC_URL'] = 'http://127.0.0.1:9'
    expect(await complete('svc run show run_')).toEqual([])
    env['SVC_URL'] = service.url
  })

  test('prints scripts that their shells can read, where those are installed', async () => {
    const checks = { bash: ['-n'], zsh: ['-n'], fish: ['--no-execute'] }
    const checked = await Promise.all(
      Object.entries(checks).map(async ([shell, flags]) => {
        const script = join(service.home, `completion.${shell}`)
        await writeFile(script, (await svc('completion', shell)).stdout)
        const { code, failed, stderr } = await execa(shell, [...flags, script], { reject: false })
        return code === 'ENOENT' ? [] : [{ shell, failed, stderr }]
      }),
    )
    const answers = checked.flat()
    expect(answers.map(({ shell }) => shell)).toContain('bash')
    for (const answer of answers) expect(answer).toMatchObject({ failed: false, stderr: '' })
  })

  test('follows a run to its end, watches the list, and dismisses what is stale', async () => {
    const followed = openCli(['logs', parked, '--follow'], { env })
    await followed.shows('gate.opened')
    const watched = openTerminal(['runs', '--watch'], { env })
    await watched.shows('◆ awaiting approval')
    expect(await svc('expire', parked)).toMatchObject({ code: 64, stderr: expect.stringContaining('--reason') })
    const { code, stdout } = await svc('expire', parked.slice(0, -4), '--reason', 'over', '--json')
    expect({ code, run: JSON.parse(stdout) }).toMatchObject({ code: 0, run: { id: parked } })
    await ended(service, parked)
    await followed.shows('run.expired')
    expect(await followed.ended()).toBe(0)
    await watched.shows('expired')
    watched.type('\u0003')
    await watched.ended()
    expect(await svc('cancel', parked)).toMatchObject({ code: 75 })
  })
})
