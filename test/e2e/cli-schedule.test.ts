import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { Schedule } from '#core/schedule/schema.ts'
import { runCli } from '#test/support/cli.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const PACKS = fileURLToPath(new URL('../packs/schedules', import.meta.url))
const UNKNOWN = 'sch_00000000000000000000000000'
const SECRET = 'a-value-that-nobody-may-see'

let service: TestService

beforeAll(async () => {
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    env: { SVC_PACKS_DIR: PACKS, SVC_GITHUB_WEBHOOK_SECRET: '' },
    files: {
      'schedules/broken.yaml': '# a comment\n- { name: broken, cron: "61 * * * *", pack: clock, template: tick }\n',
      'schedules/sound.yaml': '- { name: sound, cron: "@yearly", pack: clock, template: tick }\n',
      'schedules/unsound.yaml': `- { name: fine, cron: "@yearly", pack: clock, template: tick }
- { name: nowhere, cron: "@yearly", pack: clock, template: tick, inputs: { for: ["${SECRET}"] } }
`,
    },
  })
})
afterAll(() => service?.stop())

const schedule = (...args: string[]) =>
  runCli(['schedule', ...args], { env: { SVC_URL: service.url, SVC_HOME: service.home, HOME: service.home } })
const create = (name: string, ...args: string[]) =>
  schedule('create', name, '30 2 * * *', 'clock/tick', '--timezone', 'Europe/Berlin', ...args)

describe('svc schedule', () => {
  test('creates, lists, pauses, resumes and deletes, for people', async () => {
    const made = await create('nightly', '-i', 'for=5ms', '--catchup', 'latest')
    expect(made).toMatchObject({ code: 0, stderr: '' })
    const [id = ''] = made.stdout.split(' ')
    const line = `${id}  nightly  30 2 * * *  Europe/Berlin  clock/tick  console  `
    expect(made.stdout).toContain(`${line}next 2`)
    expect(made.stdout.split('\n').filter((each) => /^ {2}\d{4}-.*(at|,) 02:30:00/.test(each))).toHaveLength(3)
    expect(made.stdout).toContain('policies say allow_auto')
    expect((await schedule('list')).stdout).toContain(`${line}next 2`)
    expect(await schedule('pause', id)).toMatchObject({ code: 0, stdout: `${line}paused\n` })
    expect((await schedule('list')).stdout).toContain(`${line}paused\n`)
    expect((await schedule('resume', id)).stdout).toContain(`${line}next 2`)
    expect(await schedule('delete', id)).toEqual({ code: 0, stdout: '', stderr: '' })
    expect((await schedule('list')).stdout).not.toContain(id)
  })

  test('prints one JSON document for programs', async () => {
    const made = JSON.parse((await create('for-programs', '--paused', '--json')).stdout)
    expect(made).toMatchObject({ name: 'for-programs', enabled: false, next_fires: expect.any(Array) })
    const resumed = JSON.parse((await schedule('resume', made.id, '--json')).stdout)
    expect(resumed).toMatchObject({ id: made.id, enabled: true, next_fire_at: expect.any(String) })
    const paused: Schedule = JSON.parse((await schedule('pause', made.id, '--json')).stdout)
    const { stdout } = await schedule('list', '--json')
    expect(stdout.trim().split('\n')).toHaveLength(1)
    const listed: Schedule[] = JSON.parse(stdout)
    expect(listed.find(({ id }) => id === made.id)).toEqual(paused)
    expect((await schedule('delete', made.id)).code).toBe(0)
  })

  test('says in which line and column a cron expression is wrong, and what to write (64)', async () => {
    const [created, next] = await Promise.all([
      schedule('create', 'wrong', '0 22-4 * * *', 'clock/tick'),
      schedule('next', '0 22-4 * * *'),
    ])
    const message = 'the range 22-4 wraps: split it: 22-23,0-4 (line 1, column 3)'
    for (const { code, stdout, stderr } of [created, next]) {
      expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
      expect(stderr).toContain(message)
    }
    const ambiguous = await schedule('create', 'wrong', '0 6 1 * MON', 'clock/tick')
    expect(ambiguous).toMatchObject({ code: 64, stderr: expect.stringContaining('say days: and, or days: or') })
  })

  test('tells wrong arguments (64), unknown schedules (66), taken names and declared ones (75), and silence (69) apart', async () => {
    const declared = await service.until<Schedule[]>('/triggers/scheduled', (rows) =>
      rows.some(({ name }) => name === 'sound'),
    )
    const sound = declared.find(({ name }) => name === 'sound')?.id ?? ''
    expect((await create('twice')).code).toBe(0)
    const answers = await Promise.all([
      schedule('create', 'only-a-name'),
      schedule('create', 'nothing', '@daily', 'clock/nothing'),
      schedule('create', 'inputs', '@daily', 'clock/tick', '-i', 'for=3'),
      schedule('pause', UNKNOWN),
      schedule('delete', UNKNOWN),
      create('twice'),
      schedule('delete', sound),
      runCli(['schedule', 'list'], { env: { SVC_URL: 'http://127.0.0.1:1', HOME: service.home } }),
    ])
    expect(answers.map(({ code }) => code)).toEqual([64, 64, 64, 66, 66, 75, 75, 69])
    expect(answers[6]?.stderr).toContain('The overlay declares this schedule')
  })
})

describe('GET /healthz?verbose', () => {
  test('names broken schedules and closed ingress with file and line, and everything else works', async () => {
    type Problem = { file: string; line?: number; message: string }
    type Report = {
      status: string
      schedules: (Problem & { schedule?: string })[]
      ingress: (Problem & { ingress: string })[]
    }
    const { status, schedules, ingress } = await service.until<Report>(
      '/healthz?verbose',
      // on a busy machine a part that took more than a second is left out
      (report) => Array.isArray(report.schedules) && Array.isArray(report.ingress),
    )
    expect(status).toBe('degraded')
    expect(schedules).toEqual([
      { file: 'schedules/broken.yaml', line: 2, column: 26, message: '61 is out of range for the minute: 0 to 59' },
      {
        schedule: 'nowhere',
        file: 'schedules/unsound.yaml',
        line: 2,
        message: expect.stringContaining('the inputs do not fit the template (/inputs/for: '),
      },
    ])
    expect(ingress).toEqual([
      {
        ingress: 'sre/github-deployments',
        file: 'sre/pack.yaml',
        line: expect.any(Number),
        message: 'the secret env:SVC_GITHUB_WEBHOOK_SECRET is not set',
      },
    ])
    expect(JSON.stringify([schedules, ingress])).not.toContain(SECRET)
    const rows = await service.until<Schedule[]>('/triggers/scheduled', (all) =>
      all.some(({ name }) => name === 'fine'),
    )
    expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(['sound', 'fine', 'yearly']))
  })
})
