import { expect, inject, it } from 'vitest'
import { createChecks } from '#cli/check-runtime.ts'
import { temporaryFolder } from '../unit/platform/packs/pack-folder.ts'

it('signs in at databases, and says what the server says of a wrong password, without showing it', async () => {
  const folder = temporaryFolder()
  try {
    folder.write({
      'environments/live.yaml': `name: live
connections:
  right: { kind: postgres, url: env:RIGHT_URL }
  wrong: { kind: postgres, url: env:WRONG_URL }
  of_the_console: { kind: postgres, url: "connection:orders" }
`,
    })
    const right = inject('postgres_url')
    const wrong = Object.assign(new URL(right), { username: 'nobody_at_all', password: 'hunter2' }).href
    const places = {
      home: folder.root,
      policiesDir: `${folder.root}/policies`,
      packsDir: `${folder.root}/packs`,
      pipelinesDir: `${folder.root}/pipelines`,
      publicUrl: '',
      models: { file: `${folder.root}/models.yaml` },
    }
    const checks = createChecks(() => places, { RIGHT_URL: right, WRONG_URL: wrong })
    const probes = await checks.connections(checks.deployment())
    expect(probes).toMatchObject([
      { name: 'live/right', ok: true, detail: expect.stringContaining('accepts the sign-in') },
      { name: 'live/wrong', ok: false, detail: expect.stringContaining('does not let user "nobody_at_all"') },
    ])
    expect(JSON.stringify(probes)).not.toContain('hunter2')
  } finally {
    folder.remove()
  }
})
